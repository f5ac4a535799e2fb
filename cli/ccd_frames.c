#include "ccd_frames.h"

#include "message.h"

#include <stdlib.h>
#include <string.h>

static bool td_same_counts(const td_cli_frames *frames) {
    const td_mesh *start = frames->start.mesh, *end = frames->end.mesh;
    if (td_mesh_vertex_count(start) != td_mesh_vertex_count(end)) {
        td_cli_error("%s has %u vertices, but %s has %u: expected two frames of one mesh", frames->end.name,
                     td_mesh_vertex_count(end), frames->start.name, td_mesh_vertex_count(start));
        return false;
    }
    if (td_mesh_triangle_count(start) != td_mesh_triangle_count(end)) {
        td_cli_error("%s has %u triangles, but %s has %u: expected two frames of one mesh", frames->end.name,
                     td_mesh_triangle_count(end), frames->start.name, td_mesh_triangle_count(start));
        return false;
    }
    return true;
}

static bool td_same_connectivity(const td_cli_frames *frames) {
    if (!td_same_counts(frames)) {
        return false;
    }
    for (uint32_t t = 0; t < td_mesh_triangle_count(frames->start.mesh); ++t) {
        uint32_t a[3], b[3];
        td_mesh_triangle(a, frames->start.mesh, t);
        td_mesh_triangle(b, frames->end.mesh, t);
        if (memcmp(a, b, sizeof a) != 0) {
            td_cli_error(
                "triangle %u is (%u, %u, %u) in %s, but (%u, %u, %u) in %s: expected two frames of one mesh",
                t, a[0], a[1], a[2], frames->start.name, b[0], b[1], b[2], frames->end.name);
            return false;
        }
    }
    return true;
}

static bool td_take_positions(td_cli_frames *frames) {
    const uint32_t count = td_mesh_vertex_count(frames->end.mesh);
    frames->positions = malloc(3 * (size_t)count * sizeof(double));
    if (!frames->positions) {
        td_cli_error("out of memory for the %u positions of %s", count, frames->end.name);
        return false;
    }
    for (uint32_t v = 0; v < count; ++v) {
        td_mesh_vertex(frames->positions + 3 * (size_t)v, frames->end.mesh, v);
    }
    return true;
}

// Vertices stay as the files have them: which of them coincide may differ from frame to frame.
bool td_cli_load_frames(td_cli_frames *out, td_cli_session *session, const char *start, const char *end) {
    return td_cli_load(&out->start, session, start, false) && td_cli_load(&out->end, session, end, false) &&
           td_same_connectivity(out) && td_take_positions(out);
}

void td_cli_unload_frames(td_cli_frames *frames) {
    free(frames->positions);
    frames->positions = NULL;
    td_cli_unload(&frames->end);
    td_cli_unload(&frames->start);
}

td_moving_mesh td_cli_moving_mesh(const td_cli_frames *frames) {
    return (td_moving_mesh){.mesh = frames->start.mesh,
                            .positions = frames->positions,
                            .scalar = TD_FLOAT64,
                            .vertex_count = td_mesh_vertex_count(frames->end.mesh)};
}
