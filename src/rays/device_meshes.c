// Meshes on a device: one array of each kind for all of them. They are sent when the set of meshes changes;
// those that deform send what depends on positions in every step. Hierarchies of these are refitted by the
// host.
#include "device.h"

#include "../core/context.h"
#include "../core/error.h"

#include <string.h>

td_result td_send_array(td_tracer *tracer, td_trace_buffer buffer, const void *items, size_t size) {
    td_trace_device *on = tracer->device;
    if (size == 0) {
        return td_buffer_reserve(on->device, &on->buffers[buffer], 64, 0);
    }
    if (on->sent[buffer].count == size && memcmp(on->sent[buffer].items, items, size) == 0) {
        return TD_OK;
    }
    on->sent[buffer].count = 0;
    TD_TRY(td_array_reserve(tracer->context, &on->sent[buffer], size));
    TD_TRY(td_buffer_reserve(on->device, &on->buffers[buffer], size, 0));
    TD_TRY(td_buffer_write(on->device, &on->buffers[buffer], 0, items, size));
    memcpy(on->sent[buffer].items, items, size);
    on->sent[buffer].count = size;
    return TD_OK;
}

static td_result td_write_at(td_trace_device *on, td_trace_buffer buffer, size_t first, size_t count,
                             size_t size, const void *items) {
    return count == 0 ? TD_OK
                      : td_buffer_write(on->device, &on->buffers[buffer], first * size, items, count * size);
}

// What depends on positions.
static td_result td_write_positions(td_trace_device *on, const td_placed_shape *at, const td_ray_shape *s) {
    TD_TRY(td_write_at(on, TD_BUFFER_CORNERS, 3 * at->corner, 3 * (size_t)s->vertex_count, sizeof(double),
                       s->corners));
    TD_TRY(td_write_at(on, TD_BUFFER_INWARD, 3 * at->corner, 3 * (size_t)s->vertex_count, sizeof(double),
                       s->inward));
    return td_write_at(on, TD_BUFFER_NODES, at->node, s->node_count, sizeof(td_skip_node), s->nodes);
}

static td_result td_write_shape(td_trace_device *on, const td_placed_shape *at, const td_ray_shape *s) {
    TD_TRY(td_write_positions(on, at, s));
    if (s->own != NULL) {
        TD_TRY(td_write_at(on, TD_BUFFER_OWN, at->corner, s->vertex_count, sizeof(double), s->own));
    }
    TD_TRY(td_write_at(on, TD_BUFFER_INDICES, 3 * at->triangle, 3 * (size_t)s->triangle_count,
                       sizeof(uint32_t), s->indices));
    TD_TRY(td_write_at(on, TD_BUFFER_NEIGHBOURS, 3 * at->triangle, 3 * (size_t)s->triangle_count,
                       sizeof(uint32_t), s->neighbours));
    return td_write_at(on, TD_BUFFER_STARTS, at->start, s->start_count, sizeof(uint32_t), s->starts);
}

static td_step_shape td_describe_shape(const td_tracer *tracer, const td_placed_shape *at,
                                       const td_ray_shape *s) {
    const bool basic = (s->deformable ? tracer->def.deformable : tracer->def.rigid) == TD_TRACED_BASIC;
    return (td_step_shape){.lower = s->lower,
                           .upper = s->upper,
                           .centre = s->centre,
                           .local_origin = s->local_origin,
                           .scale0 = s->local_scale[0],
                           .scale1 = s->local_scale[1],
                           .grain = s->grain,
                           .radius = s->radius,
                           .travel = s->travel,
                           .first_corner = (uint32_t)at->corner,
                           .first_triangle = (uint32_t)at->triangle,
                           .first_node = (uint32_t)at->node,
                           .first_start = (uint32_t)at->start,
                           .triangle_count = s->triangle_count,
                           .start_count = s->start_count,
                           .flags = (s->deformable ? TD_SHAPE_DEFORMABLE : 0) |
                                    (s->own != NULL ? TD_SHAPE_OWN : 0) | (basic ? TD_SHAPE_BASIC : 0),
                           .outward = s->outward};
}

// Whether the arrays hold just these shapes, in this order.
static bool td_are_placed(const td_trace_device *on, const td_tracer *tracer) {
    if (on->placed.count != tracer->shapes.count) {
        return false;
    }
    for (size_t i = 0; i < on->placed.count; ++i) {
        const td_ray_shape *s = tracer->shapes.items[i];
        if (on->placed.items[i].identity != s->identity || on->placed.items[i].node_count != s->node_count) {
            return false;
        }
    }
    return true;
}

static td_result td_place_shapes(td_trace_device *on, const td_tracer *tracer) {
    td_placed_shape end = {0};
    on->placed.count = 0;
    TD_TRY(td_array_reserve(tracer->context, &on->placed, tracer->shapes.count));
    for (size_t i = 0; i < tracer->shapes.count; ++i) {
        const td_ray_shape *s = tracer->shapes.items[i];
        end.identity = s->identity;
        end.serial = s->serial;
        end.node_count = s->node_count;
        on->placed.items[on->placed.count++] = end;
        end.corner += s->vertex_count;
        end.triangle += s->triangle_count;
        end.node += s->node_count;
        end.start += s->start_count;
    }
    if (end.corner > UINT32_MAX / 4 || end.node > UINT32_MAX / 4) {
        return td_fail(TD_ERROR_UNSUPPORTED, "meshes of %zu vertices together are too many for a device",
                       end.corner);
    }
    const size_t sizes[TD_MESH_BUFFERS] = {[TD_BUFFER_CORNERS] = 3 * end.corner * sizeof(double),
                                           [TD_BUFFER_INWARD] = 3 * end.corner * sizeof(double),
                                           [TD_BUFFER_OWN] = end.corner * sizeof(double),
                                           [TD_BUFFER_INDICES] = 3 * end.triangle * sizeof(uint32_t),
                                           [TD_BUFFER_NEIGHBOURS] = 3 * end.triangle * sizeof(uint32_t),
                                           [TD_BUFFER_STARTS] = end.start * sizeof(uint32_t),
                                           [TD_BUFFER_NODES] = end.node * sizeof(td_skip_node)};
    for (int b = TD_BUFFER_CORNERS; b <= TD_BUFFER_NODES; ++b) {
        TD_TRY(td_buffer_reserve(on->device, &on->buffers[b], sizes[b] + 64, 0));
    }
    for (size_t i = 0; i < tracer->shapes.count; ++i) {
        TD_TRY(td_write_shape(on, &on->placed.items[i], tracer->shapes.items[i]));
    }
    return TD_OK;
}

static td_result td_send_objects(td_trace_device *on, td_tracer *tracer) {
    on->objects.count = 0;
    TD_TRY(td_array_reserve(tracer->context, &on->objects, tracer->objects.count));
    uint32_t shape = 0;
    for (size_t i = 0; i < tracer->objects.count; ++i) {
        const td_ray_object *object = &tracer->objects.items[i];
        if (shape >= tracer->shapes.count || tracer->shapes.items[shape] != object->shape) {
            for (shape = 0; tracer->shapes.items[shape] != object->shape;) {
                ++shape;
            }
        }
        on->objects.items[on->objects.count++] =
            (td_step_object){.rigid = object->rigid, .around = object->around, .shape = shape};
    }
    return td_send_array(tracer, TD_BUFFER_OBJECTS, on->objects.items,
                         on->objects.count * sizeof *on->objects.items);
}

td_result td_send_meshes(td_tracer *tracer) {
    td_trace_device *on = tracer->device;
    if (!td_are_placed(on, tracer)) {
        const td_result result = td_place_shapes(on, tracer);
        if (result != TD_OK) {
            on->placed.count = 0; // what is there now nobody knows
            return result;
        }
    }
    on->shapes.count = 0;
    TD_TRY(td_array_reserve(tracer->context, &on->shapes, tracer->shapes.count));
    for (size_t i = 0; i < tracer->shapes.count; ++i) {
        const td_ray_shape *s = tracer->shapes.items[i];
        td_placed_shape *at = &on->placed.items[i];
        if (at->serial != s->serial) {
            TD_TRY(td_write_positions(on, at, s));
            at->serial = s->serial;
        }
        on->shapes.items[on->shapes.count++] = td_describe_shape(tracer, at, s);
    }
    TD_TRY(td_send_array(tracer, TD_BUFFER_SHAPES, on->shapes.items,
                         on->shapes.count * sizeof *on->shapes.items));
    return td_send_objects(on, tracer);
}
