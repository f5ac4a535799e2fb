#include "record_recorder.h"

#include "../core/error.h"

#include <math.h>
#include <unistd.h>

// ---------------------------------------------------------------------------------------------------------
// What its frames are measured with

typedef struct td_extent {
    double lower[3], upper[3];
    double smallest; // diagonal of a mesh's box
} td_extent;

static void td_extend(td_extent *extent, const td_mesh *mesh, const td_pose *pose) {
    double lower[3], upper[3], square = 0;
    td_mesh_bounds(lower, upper, mesh);
    for (unsigned corner = 0; corner < 8; ++corner) {
        double at[3], placed[3];
        for (unsigned k = 0; k < 3; ++k) {
            at[k] = (corner >> k & 1u) != 0 ? upper[k] : lower[k];
        }
        td_pose_apply(placed, pose, at);
        for (int k = 0; k < 3; ++k) {
            extent->lower[k] = fmin(extent->lower[k], placed[k]);
            extent->upper[k] = fmax(extent->upper[k], placed[k]);
        }
    }
    for (int k = 0; k < 3; ++k) {
        square += (upper[k] - lower[k]) * (upper[k] - lower[k]);
    }
    extent->smallest = fmin(extent->smallest, sqrt(square));
}

static void td_extend_by_vertices(td_extent *extent, const double *positions, uint32_t vertex_count) {
    for (size_t i = 0; i < 3 * (size_t)vertex_count; ++i) {
        extent->lower[i % 3] = fmin(extent->lower[i % 3], positions[i]);
        extent->upper[i % 3] = fmax(extent->upper[i % 3], positions[i]);
    }
}

static td_pose_grid td_grid_of(const td_record_content *content, const td_recorded_state *state) {
    td_extent extent = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}, INFINITY};
    for (uint32_t body = 0; body < content->body_count; ++body) {
        const td_mesh *mesh = content->meshes[content->bodies[body].mesh].mesh;
        if (content->bodies[body].kind == TD_BODY_SOFT) {
            td_extend_by_vertices(&extent, state->positions[body], td_mesh_vertex_count(mesh));
        } else {
            td_extend(&extent, mesh, &state->poses[body]);
        }
    }
    if (content->body_count == 0) {
        extent = (td_extent){0};
    }
    return td_choose_grid(extent.lower, extent.upper, extent.smallest);
}

static void td_fill_cast(td_cast *cast, const td_record_content *content) {
    for (uint32_t body = 0; body < content->body_count; ++body) {
        cast->bodies[body] =
            (td_cast_body){.kind = content->bodies[body].kind, .mesh = content->bodies[body].mesh};
    }
    for (uint32_t i = 0; i < content->mesh_count; ++i) {
        const td_mesh *mesh = content->meshes[i].mesh;
        for (uint32_t vertex = 0; vertex < td_mesh_vertex_count(mesh); ++vertex) {
            double at[3];
            td_mesh_vertex(at, mesh, vertex);
            td_extend_box(&cast->boxes[i], at);
        }
    }
}

// ---------------------------------------------------------------------------------------------------------
// Memory

void td_destroy_recorder(td_recorder *recorder) {
    td_context *context = recorder->context;
    if (recorder->file >= 0) {
        close(recorder->file);
    }
    td_array_release(context, &recorder->writer.bytes);
    td_release_scene_cache(&recorder->cache, context);
    td_release_frame(&recorder->before, context);
    td_release_frame(&recorder->now, context);
    td_release_soft_bodies(&recorder->soft, context);
    td_release_cast(&recorder->cast, context);
    TD_DELETE(context, char, recorder->path, recorder->path_size);
    TD_DELETE(context, td_recorder, recorder, 1);
}

static td_result td_fill_recorder(td_recorder *recorder, const char *path, const td_record_content *content) {
    td_context *context = recorder->context;
    recorder->path = TD_NEW(context, char, recorder->path_size);
    if (recorder->path == NULL) {
        return TD_ERROR_MEMORY;
    }
    memcpy(recorder->path, path, recorder->path_size);
    TD_TRY(td_create_frame(&recorder->before, context, content->body_count));
    TD_TRY(td_create_frame(&recorder->now, context, content->body_count));
    TD_TRY(td_create_cast(&recorder->cast, context, content->body_count, content->mesh_count));
    td_fill_cast(&recorder->cast, content);
    td_fill_crc_tables(&recorder->tables);
    return td_number_soft_bodies(&recorder->cast, context);
}

static td_result td_begin_soft_bodies(td_recorder *recorder, const td_record_content *content) {
    uint64_t bytes = 0;
    TD_TRY(td_create_soft_bodies(&recorder->soft, recorder->context, recorder->cast.soft_count,
                                 recorder->grid.origin));
    for (uint32_t body = 0; body < content->body_count; ++body) {
        if (content->bodies[body].kind == TD_BODY_SOFT) {
            const uint32_t vertices = td_mesh_vertex_count(content->meshes[content->bodies[body].mesh].mesh);
            recorder->soft.items[recorder->cast.bodies[body].soft] =
                (td_soft_body){.body = body,
                               .vertex_count = vertices,
                               .unit = td_unit_of_soft(td_box_of(&recorder->cast, body))};
            bytes += td_soft_most_bytes(vertices);
        }
    }
    if (bytes > UINT32_MAX) { // which holds the size of the positions
        return td_fail(TD_ERROR_UNSUPPORTED,
                       "%s: soft bodies with so many vertices cannot be recorded: a frame of them may need "
                       "%llu bytes, the most are %u",
                       recorder->path, (unsigned long long)bytes, UINT32_MAX);
    }
    return TD_OK;
}

// What a soft body's positions are needed for, before anything is measured by them.
static td_result td_check_soft_bodies(const char *path, const td_record_content *content,
                                      const td_recorded_state *state) {
    for (uint32_t body = 0; body < content->body_count; ++body) {
        if (content->bodies[body].kind == TD_BODY_SOFT &&
            (state->positions == NULL || state->positions[body] == NULL)) {
            return td_fail(TD_ERROR_ARGUMENT, "%s: body %u is soft: expected its positions", path, body);
        }
    }
    return TD_OK;
}

td_result td_allocate_recorder(td_recorder **out, td_context *context, const char *path,
                               const td_record_content *content, const td_recorded_state *state) {
    const uint32_t most_bodies = UINT32_MAX / TD_POSE_MOST_BYTES; // the size of the poses is a uint32
    if (content->body_count > most_bodies) {
        return td_fail(TD_ERROR_ARGUMENT, "%s: of %u bodies no recording can be made: the most are %u", path,
                       content->body_count, most_bodies);
    }
    TD_TRY(td_check_soft_bodies(path, content, state));
    td_recorder *recorder = TD_NEW(context, td_recorder, 1);
    if (recorder == NULL) {
        return TD_ERROR_MEMORY;
    }
    *recorder = (td_recorder){.context = context,
                              .file = -1,
                              .path_size = strlen(path) + 1,
                              .body_count = content->body_count,
                              .hash = TD_FNV_START};
    recorder->writer.context = context;
    recorder->grid = td_grid_of(content, state);
    td_result result = td_fill_recorder(recorder, path, content);
    if (result == TD_OK) {
        result = td_begin_soft_bodies(recorder, content);
    }
    if (result != TD_OK) {
        td_destroy_recorder(recorder);
        return result;
    }
    *out = recorder;
    return TD_OK;
}
