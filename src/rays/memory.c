// What a step finds from the steps before: meshes that are prepared, and the memory of its pairs.
#include "solid.h"
#include "tracer.h"

#include "../core/context.h"
#include "../core/error.h"
#include "../query/pose.h"
#include "start.h"

#include <stdio.h>
#include <stdlib.h>

enum { TD_SHAPE_PATIENCE = 64 }; // steps that a mesh may be absent before its shape goes

// ---------------------------------------------------------------------------------------------------------
// Shapes

static td_result td_find_shape(td_ray_shape **out, td_tracer *tracer, const td_mesh *mesh) {
    for (size_t i = 0; i < tracer->shapes.count; ++i) {
        td_ray_shape *shape = tracer->shapes.items[i];
        if (shape->identity == mesh->identity) {
            *out = shape;
            return td_ray_shape_update(shape, mesh);
        }
    }
    TD_TRY(td_array_reserve(tracer->context, &tracer->shapes, 1));
    td_ray_shape *shape = TD_NEW(tracer->context, td_ray_shape, 1);
    if (shape == NULL) {
        return TD_ERROR_MEMORY;
    }
    const td_result result = td_ray_shape_create(shape, mesh, tracer->query);
    if (result != TD_OK) {
        TD_DELETE(tracer->context, td_ray_shape, shape, 1);
        return result;
    }
    tracer->shapes.items[tracer->shapes.count++] = shape;
    *out = shape;
    return TD_OK;
}

td_result td_traced_solid(bool *out, td_tracer *tracer, const td_mesh *mesh) {
    td_ray_shape *shape;
    *out = false;
    TD_TRY(td_find_shape(&shape, tracer, mesh));
    shape->last_used = tracer->step;
    *out = td_is_solid(shape) && shape->outward > 0;
    return TD_OK;
}

static void td_drop_old_shapes(td_tracer *tracer) {
    size_t kept = 0;
    for (size_t i = 0; i < tracer->shapes.count; ++i) {
        td_ray_shape *shape = tracer->shapes.items[i];
        if (tracer->step - shape->last_used > TD_SHAPE_PATIENCE) {
            td_ray_shape_destroy(shape);
            TD_DELETE(tracer->context, td_ray_shape, shape, 1);
        } else {
            tracer->shapes.items[kept++] = shape;
        }
    }
    tracer->shapes.count = kept;
}

static td_result td_check_object(const td_tracer *tracer, const td_traced_object *object, size_t index) {
    if (object->mesh == NULL || object->mesh->triangles.context != tracer->context) {
        return td_fail(TD_ERROR_ARGUMENT, "object %zu: expected a mesh of the tracer's context", index);
    }
    if (!(object->thickness >= 0 && object->thickness < 0x1p400)) {
        return td_fail(TD_ERROR_ARGUMENT, "object %zu: thickness is %g, expected 0 or more", index,
                       object->thickness);
    }
    if (td_check_pose(&object->pose) != TD_OK) {
        char where[64];
        snprintf(where, sizeof where, "object %zu", index);
        return td_fail_within(TD_ERROR_POSE, where);
    }
    for (int k = 0; k < 3; ++k) {
        if (!(fabs(object->pose.position[k]) < 0x1p400)) {
            return td_fail(TD_ERROR_POSE, "object %zu: its pose takes mesh '%s' to %g, rays go up to %g",
                           index, object->mesh->triangles.name, object->pose.position[k], 0x1p400);
        }
    }
    return TD_OK;
}

static td_result td_prepare_objects(td_tracer *tracer, const td_traced_object *objects, size_t count) {
    tracer->objects.count = 0;
    TD_TRY(td_array_reserve(tracer->context, &tracer->objects, count));
    const td_mesh *last = NULL; // objects of one mesh often follow each other
    td_ray_shape *shape = NULL;
    for (size_t i = 0; i < count; ++i) {
        TD_TRY(td_check_object(tracer, &objects[i], i));
        const td_mesh *mesh = objects[i].mesh;
        if (mesh != last) {
            TD_TRY(td_find_shape(&shape, tracer, mesh));
            last = mesh;
        }
        shape->last_used = tracer->step;
        const bool solid = td_is_solid(shape);
        if (!solid && objects[i].thickness == 0) {
            return td_fail(TD_ERROR_MESH,
                           "object %zu: mesh '%s' has no inside, as %s; give it a thickness to "
                           "take it as a sheet",
                           i, mesh->triangles.name, shape->trouble);
        }
        tracer->objects.items[tracer->objects.count++] =
            (td_ray_object){.shape = shape,
                            .mesh = mesh,
                            .rigid = td_pose_rigid(&objects[i].pose),
                            .around = solid ? 0 : 0.5 * objects[i].thickness};
    }
    td_drop_old_shapes(tracer);
    return TD_OK;
}

// ---------------------------------------------------------------------------------------------------------
// Pairs

static void td_clear_pair(td_tracer *tracer, td_pair_memory *pair) {
    td_release_slots(tracer, pair);
    for (int s = 0; s < 2; ++s) {
        pair->side[s].tracks.count = 0;
        pair->side[s].hits.count = 0;
        pair->side[s].known = pair->side[s].tracked = false;
    }
}

// The lists of spare pairs have room for all that ever lived (td_new_pair).
static void td_put_aside(td_tracer *tracer, td_pair_memory *pair) {
    td_clear_pair(tracer, pair);
    tracer->spare.items[tracer->spare.count++] = pair;
}

void td_forget_pairs(td_tracer *tracer) {
    for (size_t i = 0; i < tracer->pairs.count; ++i) {
        td_put_aside(tracer, tracer->pairs.items[i]);
    }
    tracer->pairs.count = 0;
}

static td_result td_new_pair(td_pair_memory **out, td_tracer *tracer) {
    td_context *context = tracer->context;
    if (tracer->spare.count > 0) {
        *out = tracer->spare.items[--tracer->spare.count];
        return TD_OK;
    }
    TD_TRY(td_array_reserve(context, &tracer->spare, tracer->pairs.count + tracer->new_pairs.count + 1));
    *out = TD_NEW(context, td_pair_memory, 1);
    if (*out == NULL) {
        return TD_ERROR_MEMORY;
    }
    **out =
        (td_pair_memory){.record = TD_TRACE_NONE, .side = {{.slot = TD_TRACE_NONE}, {.slot = TD_TRACE_NONE}}};
    return TD_OK;
}

static int td_compare_keys(const uint64_t a[2], const uint64_t b[2]) {
    return a[0] != b[0] ? (a[0] < b[0] ? -1 : 1) : a[1] != b[1] ? (a[1] < b[1] ? -1 : 1) : 0;
}

// Keys of one pair with its place: what is sorted.
typedef struct td_keyed_pair {
    uint64_t key[2];
    uint32_t place;
} td_keyed_pair;

static int td_compare_keyed(const void *x, const void *y) {
    const td_keyed_pair *a = x, *b = y;
    const int order = td_compare_keys(a->key, b->key);
    return order != 0 ? order : a->place < b->place ? -1 : 1;
}

static td_result td_check_pairs(const td_traced_pair *pairs, size_t count, size_t object_count) {
    for (size_t i = 0; i < count; ++i) {
        if (pairs[i].a >= object_count || pairs[i].b >= object_count || pairs[i].a == pairs[i].b) {
            return td_fail(TD_ERROR_ARGUMENT,
                           "pair %zu is of objects %u and %u: expected two different ones below %zu", i,
                           pairs[i].a, pairs[i].b, object_count);
        }
    }
    return count < UINT32_MAX / 2 ? TD_OK : td_fail(TD_ERROR_UNSUPPORTED, "more than 2^31 pairs");
}

// Sorted by keys; TD_ERROR_ARGUMENT if one comes twice.
static td_result td_sort_pairs(td_keyed_pair *out, const td_traced_object *objects,
                               const td_traced_pair *pairs, size_t count) {
    bool sorted = true;
    for (size_t i = 0; i < count; ++i) {
        out[i] = (td_keyed_pair){{objects[pairs[i].a].key, objects[pairs[i].b].key}, (uint32_t)i};
        sorted = sorted && (i == 0 || td_compare_keys(out[i - 1].key, out[i].key) < 0);
    }
    if (!sorted) {
        qsort(out, count, sizeof *out, td_compare_keyed);
    }
    for (size_t i = 1; i < count; ++i) {
        if (td_compare_keys(out[i - 1].key, out[i].key) == 0) {
            return td_fail(TD_ERROR_ARGUMENT, "pairs %u and %u are of the same objects", out[i - 1].place,
                           out[i].place);
        }
    }
    return TD_OK;
}

// The memory of each pair of this step, where there is one; the others' goes.
static td_result td_match_pairs(td_tracer *tracer, const td_keyed_pair *keyed, size_t count) {
    size_t old = 0;
    tracer->new_pairs.count = 0;
    TD_TRY(td_array_reserve(tracer->context, &tracer->new_pairs, count));
    for (size_t i = 0; i < count; ++i) {
        while (old < tracer->pairs.count &&
               td_compare_keys(tracer->pairs.items[old]->key, keyed[i].key) < 0) {
            td_put_aside(tracer, tracer->pairs.items[old]);
            tracer->pairs.items[old++] = NULL;
        }
        td_pair_memory *pair = NULL;
        if (old < tracer->pairs.count && td_compare_keys(tracer->pairs.items[old]->key, keyed[i].key) == 0) {
            pair = tracer->pairs.items[old];
            tracer->pairs.items[old++] = NULL;
        } else {
            TD_TRY(td_new_pair(&pair, tracer));
            pair->key[0] = keyed[i].key[0];
            pair->key[1] = keyed[i].key[1];
        }
        tracer->new_pairs.items[tracer->new_pairs.count++] = pair;
    }
    return TD_OK;
}

// What was matched, and what of the old ones was not, becomes the list of pairs, whatever happened before.
static void td_take_pairs(td_tracer *tracer) {
    for (size_t i = 0; i < tracer->pairs.count; ++i) {
        if (tracer->pairs.items[i] != NULL) {
            td_put_aside(tracer, tracer->pairs.items[i]);
        }
    }
    tracer->pairs.count = 0;
    const size_t capacity = tracer->pairs.capacity;
    td_pair_memory **items = tracer->pairs.items;
    tracer->pairs.items = tracer->new_pairs.items;
    tracer->pairs.count = tracer->new_pairs.count;
    tracer->pairs.capacity = tracer->new_pairs.capacity;
    tracer->new_pairs.items = items;
    tracer->new_pairs.capacity = capacity;
    tracer->new_pairs.count = 0;
}

// ---------------------------------------------------------------------------------------------------------
// Sides

// Margins so small that float32 boxes and rounded t matter prove nothing.
static bool td_margin_is_large(double margin, const td_ray_shape *target) {
    return margin * target->local_scale[0] * target->local_scale[1] > 0x1p-16;
}

static void td_fill_side(td_side *side, td_tracer *tracer, td_pair_memory *pair, td_traced_pair objects,
                         int s) {
    const td_ray_object *source = &tracer->objects.items[s == 0 ? objects.a : objects.b];
    const td_ray_object *target = &tracer->objects.items[s == 0 ? objects.b : objects.a];
    const td_ray_shape *from = source->shape, *to = target->shape;
    const td_track_list fresh = side->fresh;
    const double smaller = fmin(from->radius, to->radius), margin = tracer->def.margin * smaller;
    const double touch = target->around == 0 ? tracer->def.touch * smaller : 0;
    *side = (td_side){.pair = pair,
                      .memory = &pair->side[s],
                      .source = from,
                      .target = to,
                      .source_mesh = source->mesh,
                      .target_mesh = target->mesh,
                      .source_object = s == 0 ? objects.a : objects.b,
                      .target_object = s == 0 ? objects.b : objects.a,
                      .source_around = source->around,
                      .target_around = target->around,
                      .rigid = td_rigid_within(target->rigid, source->rigid),
                      .at = td_shape_target(to, fmax(target->around, touch)),
                      .margin = margin,
                      .touch = touch,
                      .reach = source->around == 0 ? tracer->def.reach * smaller : 0,
                      .radius = from->radius + source->around + target->around + margin,
                      .full = to->deformable ? tracer->def.deformable : tracer->def.rigid,
                      .walkable = to->walkable && td_margin_is_large(margin, to) && touch == 0,
                      .fresh = fresh};
    side->fresh.count = 0;
}

static td_result td_fill_sides(td_tracer *tracer, const td_keyed_pair *keyed, const td_traced_pair *pairs,
                               size_t count) {
    const size_t before = tracer->sides.capacity;
    tracer->sides.count = before; // lists of sides are kept, so all of them move
    const size_t wanted = 2 * count > before ? 2 * count - before : 0;
    const td_result result = td_array_reserve(tracer->context, &tracer->sides, wanted);
    for (size_t i = before; i < tracer->sides.capacity; ++i) {
        tracer->sides.items[i] = (td_side){0};
    }
    tracer->sides.count = 0;
    TD_TRY(result);
    tracer->sides.count = 2 * count;
    for (size_t i = 0; i < count; ++i) {
        td_pair_memory *pair = tracer->pairs.items[i];
        const td_traced_pair objects = pairs[keyed[i].place];
        const uint64_t a = tracer->objects.items[objects.a].shape->identity,
                       b = tracer->objects.items[objects.b].shape->identity;
        if (pair->shape[0] != a || pair->shape[1] != b) {
            td_clear_pair(tracer, pair);
            pair->shape[0] = a;
            pair->shape[1] = b;
        }
        td_fill_side(&tracer->sides.items[2 * (size_t)keyed[i].place], tracer, pair, objects, 0);
        td_fill_side(&tracer->sides.items[2 * (size_t)keyed[i].place + 1], tracer, pair, objects, 1);
    }
    return TD_OK;
}

td_result td_prepare_step(td_tracer *tracer, const td_traced_object *objects, size_t object_count,
                          const td_traced_pair *pairs, size_t pair_count) {
    td_context *context = tracer->context;
    TD_TRY(td_check_pairs(pairs, pair_count, object_count));
    TD_TRY(td_prepare_objects(tracer, objects, object_count));
    td_keyed_pair *keyed = TD_NEW(context, td_keyed_pair, pair_count);
    if (keyed == NULL) {
        return TD_ERROR_MEMORY;
    }
    td_result result = td_sort_pairs(keyed, objects, pairs, pair_count);
    if (result == TD_OK) {
        result = td_match_pairs(tracer, keyed, pair_count);
        td_take_pairs(tracer);
    }
    if (result == TD_OK) {
        result = td_fill_sides(tracer, keyed, pairs, pair_count);
    }
    TD_DELETE(context, td_keyed_pair, keyed, pair_count);
    return result;
}
