#include "sequence.h"

#include "message.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool td_sequence_make_room(td_cli_sequence *sequence) {
    const size_t numbers = 3 * (size_t)sequence->vertex_count * sequence->frame_count;
    sequence->positions = calloc(numbers, sizeof *sequence->positions);
    sequence->triangles = calloc(3 * (size_t)sequence->triangle_count, sizeof *sequence->triangles);
    if (!sequence->positions || !sequence->triangles) {
        td_cli_error("out of memory for %u frames of %u vertices", sequence->frame_count,
                     sequence->vertex_count);
        return false;
    }
    return true;
}

static double *td_frame_of(const td_cli_sequence *sequence, uint32_t frame) {
    return sequence->positions + 3 * (size_t)frame * sequence->vertex_count;
}

// ---------------------------------------------------------------------------------------------------------
// Files

static bool td_take_first(td_cli_sequence *out, const td_mesh *mesh) {
    out->vertex_count = td_mesh_vertex_count(mesh);
    out->triangle_count = td_mesh_triangle_count(mesh);
    if (!td_sequence_make_room(out)) {
        return false;
    }
    for (uint32_t t = 0; t < out->triangle_count; ++t) {
        td_mesh_triangle(out->triangles + 3 * (size_t)t, mesh, t);
    }
    return true;
}

static bool td_check_frame(const td_cli_sequence *sequence, const td_cli_mesh *frame, const char *first) {
    const uint32_t vertices = td_mesh_vertex_count(frame->mesh);
    const uint32_t triangles = td_mesh_triangle_count(frame->mesh);
    if (vertices != sequence->vertex_count || triangles != sequence->triangle_count) {
        const bool corners = vertices != sequence->vertex_count;
        td_cli_error("%s has %u %s, but %s has %u: expected frames of one mesh", frame->name,
                     corners ? vertices : triangles, corners ? "vertices" : "triangles", first,
                     corners ? sequence->vertex_count : sequence->triangle_count);
        return false;
    }
    for (uint32_t t = 0; t < triangles; ++t) {
        uint32_t found[3];
        const uint32_t *expected = sequence->triangles + 3 * (size_t)t;
        td_mesh_triangle(found, frame->mesh, t);
        if (memcmp(found, expected, sizeof found) != 0) {
            td_cli_error(
                "triangle %u is (%u, %u, %u) in %s, but (%u, %u, %u) in %s: expected frames of one mesh", t,
                found[0], found[1], found[2], frame->name, expected[0], expected[1], expected[2], first);
            return false;
        }
    }
    return true;
}

// Vertices stay as the files have them: which of them coincide may differ from frame to frame.
static bool td_read_frame(td_cli_sequence *out, td_cli_session *session, char **files, uint32_t index) {
    td_cli_mesh frame = {0};
    bool success = td_cli_load(&frame, session, files[index], false) &&
                   (index > 0 || td_take_first(out, frame.mesh)) && td_check_frame(out, &frame, files[0]);
    for (uint32_t v = 0; success && v < out->vertex_count; ++v) {
        td_mesh_vertex(td_frame_of(out, index) + 3 * (size_t)v, frame.mesh, v);
    }
    td_cli_unload(&frame);
    return success;
}

static bool td_read_files(td_cli_sequence *out, td_cli_session *session, char **files, uint32_t count) {
    out->frame_count = count;
    if (count == 1) {
        snprintf(out->name, sizeof out->name, "%s", files[0]);
    } else {
        snprintf(out->name, sizeof out->name, "%.64s and %u more", files[0], count - 1);
    }
    for (uint32_t i = 0; i < count; ++i) {
        if (!td_read_frame(out, session, files, i)) {
            return false;
        }
    }
    return true;
}

// ---------------------------------------------------------------------------------------------------------
// Raw positions

static bool td_count_frames(td_cli_sequence *out, FILE *file, const char *path) {
    const long long frame = 12LL * out->vertex_count;
    const long long bytes = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    if (bytes <= 0 || bytes % frame != 0 || bytes / frame > TD_SEQUENCE_FRAMES_MOST) {
        td_cli_error(
            "%s has %lld bytes: expected a multiple of %lld, three float32 for each of %u vertices and "
            "frame, of at most %d frames",
            path, bytes, frame, out->vertex_count, TD_SEQUENCE_FRAMES_MOST);
        return false;
    }
    out->frame_count = (uint32_t)(bytes / frame);
    rewind(file);
    return true;
}

static bool td_convert_raw(td_cli_sequence *out, FILE *file, const char *path) {
    const size_t numbers = 3 * (size_t)out->vertex_count * out->frame_count;
    for (size_t i = 0; i < numbers; ++i) {
        unsigned char raw[4];
        float x;
        if (fread(raw, 1, sizeof raw, file) != sizeof raw) {
            td_cli_error("%s ends after %zu of %zu numbers", path, i, numbers);
            return false;
        }
        const uint32_t word =
            (uint32_t)raw[0] | (uint32_t)raw[1] << 8 | (uint32_t)raw[2] << 16 | (uint32_t)raw[3] << 24;
        memcpy(&x, &word, sizeof x);
        if (!isfinite(x)) {
            const size_t vertex = i / 3;
            td_cli_error("%s: coordinate %c of vertex %zu in frame %zu is %g, expected a finite number", path,
                         "xyz"[i % 3], vertex % out->vertex_count, vertex / out->vertex_count, (double)x);
            return false;
        }
        out->positions[i] = (double)x;
    }
    return true;
}

static bool td_read_raw(td_cli_sequence *out, td_cli_session *session, const char *mesh, const char *path) {
    td_cli_mesh first = {0};
    FILE *file = NULL;
    bool success = td_cli_load(&first, session, mesh, false);
    if (success) {
        file = fopen(path, "rb");
        if (!file) {
            td_cli_error("%s cannot be read", path);
        }
        out->vertex_count = td_mesh_vertex_count(first.mesh);
        success = file && td_count_frames(out, file, path) && td_take_first(out, first.mesh) &&
                  td_convert_raw(out, file, path);
    }
    if (file) {
        fclose(file);
    }
    td_cli_unload(&first);
    snprintf(out->name, sizeof out->name, "%.60s", mesh);
    return success;
}

// ---------------------------------------------------------------------------------------------------------
// The cloth

enum { TD_CLOTH_SIDE = 96 };

// A sheet of unit size that is rolled up to two turns and a half, with ripples that run along it.
static void td_roll(double out[3], double x, double y, double time) {
    const double turns = 2.5 * time, angle = 6.283185307179586 * turns * x;
    const double radius = turns > 0 ? (1 - 0.35 * x * time) / (6.283185307179586 * turns) : 0;
    const double ripple = 0.012 * sin(25 * y + 9 * x + 12 * time);
    if (turns > 0) {
        out[0] = (radius + ripple) * sin(angle);
        out[1] = radius - (radius + ripple) * cos(angle);
    } else {
        out[0] = x;
        out[1] = -ripple;
    }
    out[2] = y + 0.02 * sin(7 * x + 5 * time);
}

static bool td_make_cloth(td_cli_sequence *out, uint32_t frames) {
    const uint32_t side = TD_CLOTH_SIDE + 1;
    snprintf(out->name, sizeof out->name, "cloth");
    out->frame_count = frames;
    out->vertex_count = side * side;
    out->triangle_count = 2 * TD_CLOTH_SIDE * TD_CLOTH_SIDE;
    if (!td_sequence_make_room(out)) {
        return false;
    }
    uint32_t *next = out->triangles;
    for (uint32_t i = 0; i < TD_CLOTH_SIDE * TD_CLOTH_SIDE; ++i) {
        const uint32_t v = i / TD_CLOTH_SIDE * side + i % TD_CLOTH_SIDE;
        const uint32_t corners[6] = {v, v + 1, v + side, v + 1, v + side + 1, v + side};
        memcpy(next, corners, sizeof corners);
        next += 6;
    }
    for (uint32_t f = 0; f < frames; ++f) {
        for (uint32_t v = 0; v < out->vertex_count; ++v) {
            td_roll(td_frame_of(out, f) + 3 * (size_t)v, v % side / (double)TD_CLOTH_SIDE,
                    v / side / (double)TD_CLOTH_SIDE, 0.3 + 0.7 * f / frames);
        }
    }
    return true;
}

// ---------------------------------------------------------------------------------------------------------

bool td_sequence_open(td_cli_sequence *out, td_cli_session *session, char **files, int file_count,
                      const char *raw, uint32_t cloth_frames) {
    *out = (td_cli_sequence){.name = ""};
    if (raw && file_count != 1) {
        td_cli_error("--positions goes with one mesh: expected one file, not %d", file_count);
        return false;
    }
    return raw              ? td_read_raw(out, session, files[0], raw)
           : file_count > 0 ? td_read_files(out, session, files, (uint32_t)file_count)
                            : td_make_cloth(out, cloth_frames);
}

void td_sequence_close(td_cli_sequence *sequence) {
    free(sequence->positions);
    free(sequence->triangles);
    sequence->positions = NULL;
    sequence->triangles = NULL;
}

td_mesh_def td_sequence_mesh_def(const td_cli_sequence *sequence) {
    td_mesh_def def = td_default_mesh_def();
    def.name = sequence->name;
    def.positions = sequence->positions;
    def.vertex_count = sequence->vertex_count;
    def.triangles = sequence->triangles;
    def.triangle_count = sequence->triangle_count;
    def.borrow = true;
    def.deformable = true;
    return def;
}
