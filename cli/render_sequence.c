// What a mesh looks like that deforms: its positions come from a file per frame, its triangles stay, and its
// hierarchy is refitted. Paper 001 names ray tracing of deforming models as what fast refitting is for.
#include "message.h"
#include "render_source.h"

#include <math.h>
#include <string.h>

static bool td_same_counts(const td_mesh *first, const td_mesh_arrays *other, const char *first_name,
                           const char *name) {
    const uint32_t vertices = td_mesh_vertex_count(first), triangles = td_mesh_triangle_count(first);
    if (other->vertex_count != vertices) {
        td_cli_error("%s has %u vertices, but %s has %u: expected frames of one mesh, or one picture of all",
                     name, other->vertex_count, first_name, vertices);
        return false;
    }
    if (other->triangle_count != triangles) {
        td_cli_error("%s has %u triangles, but %s has %u: expected frames of one mesh, or one picture of all",
                     name, other->triangle_count, first_name, triangles);
        return false;
    }
    return true;
}

static bool td_same_triangles(const td_mesh *first, const td_mesh_arrays *other, const char *first_name,
                              const char *name) {
    for (uint32_t t = 0; t < other->triangle_count; ++t) {
        const uint32_t *b = other->triangles + 3 * (size_t)t;
        uint32_t a[3];
        td_mesh_triangle(a, first, t);
        if (memcmp(a, b, sizeof a) != 0) {
            td_cli_error("triangle %u is (%u, %u, %u) in %s, but (%u, %u, %u) in %s: expected frames of one "
                         "mesh, or one picture of all",
                         t, a[0], a[1], a[2], first_name, b[0], b[1], b[2], name);
            return false;
        }
    }
    return true;
}

// Vertices stay as the files have them: which of them coincide may differ from frame to frame. If it
// succeeds, to be released.
static bool td_read_frame_file(td_mesh_arrays *out, td_render_source *source, uint64_t frame) {
    const char *name = source->names[frame];
    td_context *context = source->session->context;
    if (strncmp(name, "shape:", 6) == 0) {
        td_cli_error("%s is a built-in shape: expected files, a frame of one mesh each", name);
        return false;
    }
    if (td_cli_read_file(out, source->session, name, false) != TD_OK) {
        td_cli_library_error(NULL);
        return false;
    }
    const td_mesh *first = source->meshes[0].mesh;
    if (first && !(td_same_counts(first, out, source->names[0], name) &&
                   td_same_triangles(first, out, source->names[0], name))) {
        td_release_mesh_arrays(out, context);
        return false;
    }
    return true;
}

static bool td_set_deformed_frame(td_render_source *source, uint64_t frame) {
    td_mesh_arrays arrays;
    if (!td_read_frame_file(&arrays, source, frame)) {
        return false;
    }
    td_refit_report report;
    const td_result result =
        td_set_positions(&report, source->meshes[0].mesh, TD_FLOAT64, arrays.positions, 0, TD_REBUILD_AUTO);
    td_release_mesh_arrays(&arrays, source->session->context);
    if (result != TD_OK) {
        td_cli_library_error(source->names[frame]);
        return false;
    }
    td_update_render_mesh(source->meshes[0].model);
    source->rebuilds += report.rebuilt;
    source->refit_ms += report.read_ms + report.refit_ms + report.rebuild_ms;
    return true;
}

// ---------------------------------------------------------------------------------------------------------

bool td_render_make_box(td_drawn_mesh *out, td_render_source *source, const double lower[3],
                        const double upper[3]) {
    static const uint32_t triangles[12][3] = {{0, 1, 3}, {0, 3, 2}, {4, 7, 5}, {4, 6, 7},
                                              {0, 5, 1}, {0, 4, 5}, {2, 3, 7}, {2, 7, 6},
                                              {0, 2, 6}, {0, 6, 4}, {1, 7, 3}, {1, 5, 7}};
    double corners[8][3];
    for (unsigned i = 0; i < 8; ++i) {
        for (unsigned k = 0; k < 3; ++k) {
            corners[i][k] = i >> k & 1 ? upper[k] : lower[k];
        }
    }
    td_mesh_def def = td_default_mesh_def();
    def.positions = corners;
    def.vertex_count = 8;
    def.triangles = triangles[0];
    def.triangle_count = 12;
    td_context *context = source->session->context;
    if (td_create_mesh(&out->mesh, context, &def) != TD_OK ||
        td_create_render_mesh(&out->model, context, out->mesh) != TD_OK) {
        td_cli_library_error(NULL);
        return false;
    }
    return true;
}

static void td_widen(double lower[3], double upper[3], const td_mesh_arrays *arrays) {
    for (size_t i = 0; i < 3 * (size_t)arrays->vertex_count; ++i) {
        lower[i % 3] = fmin(lower[i % 3], arrays->positions[i]);
        upper[i % 3] = fmax(upper[i % 3], arrays->positions[i]);
    }
}

// Reads every frame, so that a wrong one is told before anything is drawn.
static bool td_find_bounds(td_render_source *source) {
    double lower[3] = {INFINITY, INFINITY, INFINITY}, upper[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (uint64_t frame = 0; frame < source->frames; ++frame) {
        td_mesh_arrays arrays;
        if (!td_read_frame_file(&arrays, source, frame)) {
            return false;
        }
        td_widen(lower, upper, &arrays);
        td_release_mesh_arrays(&arrays, source->session->context);
    }
    if (!td_render_make_box(&source->extent_mesh, source, lower, upper)) {
        return false;
    }
    source->extent = (td_render_body){.mesh = source->extent_mesh.model, .pose = td_pose_identity()};
    return true;
}

static bool td_make_deformable(td_render_source *source) {
    td_mesh_arrays arrays;
    if (!td_read_frame_file(&arrays, source, 0)) {
        return false;
    }
    td_mesh_def def = td_default_mesh_def();
    def.positions = arrays.positions;
    def.vertex_count = arrays.vertex_count;
    def.triangles = arrays.triangles;
    def.triangle_count = arrays.triangle_count;
    def.deformable = true;
    def.name = source->names[0];
    const td_result result = td_create_mesh(&source->meshes[0].mesh, source->session->context, &def);
    td_release_mesh_arrays(&arrays, source->session->context);
    if (result != TD_OK) {
        td_cli_library_error(NULL);
    }
    return result == TD_OK;
}

bool td_render_open_sequence(td_render_source *out, td_cli_session *session, char **names, uint32_t count) {
    *out = (td_render_source){
        .session = session, .frames = count, .names = names, .set_frame = td_set_deformed_frame};
    if (!td_render_reserve(out, 1, 1) || !td_make_deformable(out) || !td_find_bounds(out) ||
        !td_render_add_model(out, 0, out->meshes[0].mesh)) {
        return false;
    }
    out->bodies[0] = (td_render_body){.mesh = out->meshes[0].model, .pose = td_pose_identity()};
    td_body_colour(out->bodies[0].colour, 0);
    out->framed[0] = true;
    out->triangles = td_mesh_triangle_count(out->meshes[0].mesh);
    return true;
}
