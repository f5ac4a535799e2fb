#include "export_glb_soft.h"

#include "../core/error.h"
#include "export_shading.h"
#include "record.h"

#include <float.h>
#include <math.h>

// ---------------------------------------------------------------------------------------------------------
// Memory

static double td_diagonal(const td_mesh_arrays *mesh) {
    double square = 0;
    for (size_t k = 0; k < 3; ++k) {
        double lower = INFINITY, upper = -INFINITY;
        for (size_t v = 0; v < mesh->vertex_count; ++v) {
            lower = fmin(lower, mesh->positions[3 * v + k]);
            upper = fmax(upper, mesh->positions[3 * v + k]);
        }
        square += (upper - lower) * (upper - lower);
    }
    return sqrt(square);
}

static td_result td_make_soft_room(td_glb_soft *soft, const td_export *task) {
    td_context *context = task->context;
    soft->mesh_count = task->info.meshes;
    soft->body_count = task->info.bodies;
    soft->corners = TD_NEW(context, uint32_t, soft->mesh_count);
    soft->closed = TD_NEW(context, bool, soft->mesh_count);
    soft->poses = TD_NEW(context, td_pose, soft->body_count);
    soft->positions = TD_NEW(context, double, soft->most);
    soft->shape = TD_NEW(context, float, soft->most);
    if (soft->corners == NULL || soft->closed == NULL || soft->poses == NULL || soft->positions == NULL ||
        soft->shape == NULL) {
        return TD_ERROR_MEMORY;
    }
    for (uint32_t i = 0; i < soft->mesh_count; ++i) {
        soft->corners[i] = 0;
        soft->closed[i] = false;
    }
    return TD_OK;
}

td_result td_begin_glb_soft(td_glb_soft *out, const td_export *task) {
    *out = (td_glb_soft){0};
    uint32_t count = 0;
    for (uint32_t body = 0; body < task->info.bodies; ++body) {
        const td_recorded_body recorded = td_recording_body(task->recording, body);
        if (recorded.kind == TD_BODY_SOFT) {
            const size_t numbers =
                3 * (size_t)td_recording_mesh(task->recording, recorded.mesh)->vertex_count;
            out->most = numbers > out->most ? numbers : out->most;
            ++count;
        }
    }
    out->items = TD_NEW(task->context, td_glb_soft_body, count);
    if (out->items == NULL) {
        return TD_ERROR_MEMORY;
    }
    out->count = count;
    for (uint32_t body = 0, i = 0; body < task->info.bodies; ++body) {
        if (td_recording_body(task->recording, body).kind == TD_BODY_SOFT) {
            out->items[i++] = (td_glb_soft_body){.body = body};
        }
    }
    return count > 0 ? td_make_soft_room(out, task) : TD_OK;
}

void td_release_glb_soft(td_glb_soft *soft, td_context *context) {
    for (uint32_t i = 0; soft->items != NULL && i < soft->count; ++i) {
        td_release_shape_fit(&soft->items[i].fit, context);
    }
    TD_DELETE(context, td_glb_soft_body, soft->items, soft->count);
    TD_DELETE(context, uint32_t, soft->corners, soft->mesh_count);
    TD_DELETE(context, bool, soft->closed, soft->mesh_count);
    TD_DELETE(context, td_pose, soft->poses, soft->body_count);
    TD_DELETE(context, double, soft->positions, soft->most);
    TD_DELETE(context, float, soft->shape, soft->most);
    *soft = (td_glb_soft){0};
}

static td_glb_soft_body *td_find_soft(const td_glb_soft *soft, uint32_t body) {
    uint32_t low = 0, high = soft->count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (soft->items[middle].body < body) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < soft->count && soft->items[low].body == body ? &soft->items[low] : NULL;
}

const td_glb_soft_body *td_glb_soft_of_body(const td_glb_soft *soft, uint32_t body) {
    return td_find_soft(soft, body);
}

// ---------------------------------------------------------------------------------------------------------
// Shapes

// The shape in a frame, about the middle, to soft->shape.
static td_result td_read_shape(td_glb_soft *soft, td_glb_soft_body *item, td_export *task, uint64_t frame,
                               const double middle[3]) {
    TD_TRY(td_read_positions(soft->positions, task->recording, frame, item->body));
    for (size_t i = 0; i < item->fit.count; ++i) {
        const double at = soft->positions[i] - middle[i % 3];
        if (!(fabs(at) <= 0.25 * (double)FLT_MAX)) { // which leaves room for differences
            return td_fail(TD_ERROR_UNSUPPORTED,
                           "%s: body %u (%s) has a vertex %g m from its middle in frame %llu, which float32 "
                           "cannot hold: expected frames before it",
                           td_recording_path(task->recording), item->body,
                           td_recording_body(task->recording, item->body).name, at,
                           (unsigned long long)frame);
        }
        soft->shape[i] = (float)at;
        // Of the shape, of its difference to the first, and of their sum.
        item->rounding = fmax(item->rounding, 4 * sqrt(3) * 0x1p-24 * fabs(at));
    }
    return TD_OK;
}

static td_result td_append_shape(uint32_t *out, td_gltf *gltf, const float *shape, size_t count) {
    double lower[3] = {INFINITY, INFINITY, INFINITY}, upper[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t i = 0; i < count; ++i) {
        lower[i % 3] = fmin(lower[i % 3], (double)shape[i]);
        upper[i % 3] = fmax(upper[i % 3], (double)shape[i]);
    }
    const size_t start = gltf->bytes.count;
    TD_TRY(td_gltf_append_floats(gltf, shape, count));
    const td_gltf_accessor accessor = {.view = td_gltf_view(gltf, start, TD_GLTF_VERTICES, 12),
                                       .component = TD_GLTF_FLOAT,
                                       .count = count / 3,
                                       .type = "VEC3",
                                       .lower = lower,
                                       .upper = upper,
                                       .bounds = 3};
    *out = td_gltf_add_accessor(gltf, &accessor);
    return TD_OK;
}

// As the kept shape differs from that of the start. soft->shape is overwritten.
static td_result td_add_target(td_glb_soft *soft, td_glb_soft_body *item, td_gltf *gltf) {
    uint32_t accessor;
    const td_shape_fit *fit = &item->fit;
    for (size_t i = 0; i < fit->count; ++i) {
        soft->shape[i] = fit->kept[i] - fit->start[i];
    }
    TD_TRY(td_append_shape(&accessor, gltf, soft->shape, fit->count));
    if (item->targets == NULL) {
        item->targets = td_gltf_array(gltf, item->primitive, "targets");
    }
    td_gltf_number(gltf, td_gltf_object(gltf, item->targets, NULL), "POSITION", accessor);
    return TD_OK;
}

td_result td_add_glb_shapes(td_glb_soft *soft, td_gltf *gltf, td_export *task, const float *times,
                            uint32_t count, uint64_t total) {
    bool is_new;
    for (uint32_t sample = 0; sample < count && soft->count > 0; ++sample) {
        const uint64_t frame = task->def.first + sample * task->def.every;
        TD_TRY(td_read_centred_frame(soft->poses, task->recording, frame));
        for (uint32_t i = 0; i < soft->count; ++i) {
            td_glb_soft_body *item = &soft->items[i];
            TD_TRY(td_read_shape(soft, item, task, frame, soft->poses[item->body].position));
            TD_TRY(td_fit_shape(&is_new, &item->fit, task->context, soft->shape, times[sample]));
            TD_TRY(is_new ? td_add_target(soft, item, gltf) : TD_OK);
        }
        TD_TRY(td_export_advance(task, sample + 1, total));
    }
    for (uint32_t i = 0; i < soft->count; ++i) {
        td_glb_soft_body *item = &soft->items[i];
        TD_TRY(td_end_shape_fit(&is_new, &item->fit, task->context));
        TD_TRY(is_new ? td_add_target(soft, item, gltf) : TD_OK);
        task->report.shapes += item->fit.shapes;
        task->report.sampled_shapes += count - 1;
    }
    task->report.soft_bodies = soft->count;
    return TD_OK;
}

// ---------------------------------------------------------------------------------------------------------
// Meshes

static td_result td_need_corners(td_glb_soft *soft, td_gltf *gltf, td_export *task, uint32_t mesh) {
    const td_mesh_arrays *arrays = td_recording_mesh(task->recording, mesh);
    if (soft->corners[mesh] > 0) {
        return TD_OK;
    }
    const td_result result = td_find_mesh_closed(&soft->closed[mesh], task->context, arrays);
    if (result != TD_OK) {
        return td_fail_within(result, td_recording_mesh_name(task->recording, mesh));
    }
    TD_TRY(td_append_corners(&soft->corners[mesh], gltf, arrays->triangles, arrays->triangle_count,
                             arrays->vertex_count));
    ++soft->corners[mesh];
    return TD_OK;
}

td_result td_add_glb_soft_mesh(uint32_t *out, td_glb_soft *soft, td_glb_meshes *meshes, td_gltf *gltf,
                               td_export *task, uint32_t body, const double middle[3]) {
    const td_recorded_body recorded = td_recording_body(task->recording, body);
    const td_mesh_arrays *arrays = td_recording_mesh(task->recording, recorded.mesh);
    td_glb_soft_body *item = td_find_soft(soft, body);
    // A coordinate may be off by so much that the vertex is off by no more than the tolerance.
    const double limit = task->def.soft_tolerance * td_diagonal(arrays) / sqrt(3);
    uint32_t positions;
    TD_TRY(td_begin_shape_fit(&item->fit, task->context, 3 * (size_t)arrays->vertex_count, limit));
    TD_TRY(td_need_corners(soft, gltf, task, recorded.mesh));
    TD_TRY(td_read_shape(soft, item, task, task->def.first, middle));
    TD_TRY(td_append_shape(&positions, gltf, soft->shape, item->fit.count));
    item->primitive = td_add_glb_primitive(out, meshes, gltf, &recorded, body, soft->closed[recorded.mesh]);
    cJSON *attributes = td_gltf_object(gltf, item->primitive, "attributes");
    td_gltf_number(gltf, attributes, "POSITION", positions);
    td_gltf_number(gltf, item->primitive, "indices", soft->corners[recorded.mesh] - 1);
    ++task->report.meshes;
    return TD_OK;
}
