#include "stream.h"

#include "../core/error.h"
#include "../core/memory.h"

// What stays the same on the way down.
typedef struct td_descent_of_rays {
    td_stream *stream;
    const td_set *set;
    td_ray_def def;
} td_descent_of_rays;

td_result td_start_stream(td_stream *stream, const td_set *set) {
    stream->list_room = (size_t)TD_STREAM_RAYS * (td_tree_depth(&set->tree) + 1);
    stream->lists = TD_NEW(set->context, uint16_t, stream->list_room);
    return stream->lists == NULL ? TD_ERROR_MEMORY : TD_OK;
}

void td_end_stream(td_stream *stream, const td_set *set) {
    TD_DELETE(set->context, uint16_t, stream->lists, stream->list_room);
    stream->lists = NULL;
}

// Narrows t to where the ray is between two planes. For a ray that runs in one of them it is NaN, and the
// outcome either one: the body is well inside of its box. Each line is one instruction without a branch.
static inline void td_cut_slab(double *near, double *far, double lower, double upper, double origin,
                               double inverse) {
    const double a = (lower - origin) * inverse, b = (upper - origin) * inverse;
    const double enter = a < b ? a : b, leave = a > b ? a : b;
    *near = enter > *near ? enter : *near;
    *far = leave < *far ? leave : *far;
}

typedef struct td_interval {
    double near, far; // near > far: empty
} td_interval;

// Where the ray is in the box. Boxes are wide enough for these roundings.
static inline td_interval td_in_box(const td_slab_ray *ray, td_box box) {
    td_interval t = {ray->t_min, ray->t_max};
    td_cut_slab(&t.near, &t.far, box.lower.x, box.upper.x, ray->origin[0], ray->inverse[0]);
    td_cut_slab(&t.near, &t.far, box.lower.y, box.upper.y, ray->origin[1], ray->inverse[1]);
    td_cut_slab(&t.near, &t.far, box.lower.z, box.upper.z, ray->origin[2], ray->inverse[2]);
    return t;
}

static inline bool td_meets_box(const td_slab_ray *ray, td_box box) {
    const td_interval t = td_in_box(ray, box);
    return t.near <= t.far;
}

static void td_take_answer(td_stream *stream, uint32_t ray, const td_ray_hit *answer, uint32_t body,
                           td_ray_mode mode) {
    td_ray_hit *best = &stream->hits[ray];
    if (!answer->hit || (best->hit && answer->t == best->t && body > stream->bodies[ray])) {
        return;
    }
    *best = *answer;
    stream->bodies[ray] = body;
    // Closer ones only from now on; or, of any, none.
    stream->slabs[ray].t_max = mode == TD_RAY_ANY ? -INFINITY : answer->t;
}

static td_result td_cast_at_body(const td_descent_of_rays *descent, uint32_t body, const uint16_t *list,
                                 size_t count) {
    td_stream *stream = descent->stream;
    const td_render_body *placed = descent->set->bodies[body].body;
    for (size_t i = 0; i < count; ++i) {
        stream->gathered[i] = stream->rays[list[i]];
        stream->gathered[i].t_max = stream->slabs[list[i]].t_max;
    }
    TD_TRY(td_cast_rays(stream->answers, placed->mesh->mesh, &placed->pose, stream->gathered, count,
                        &descent->def));
    for (size_t i = 0; i < count; ++i) {
        td_take_answer(stream, list[i], &stream->answers[i], body, descent->def.mode);
    }
    return TD_OK;
}

// `list` are the rays that entered the parent's box; the list behind it is free.
static td_result td_descend(const td_descent_of_rays *descent, uint32_t number, const uint16_t *list,
                            size_t count) {
    td_stream *stream = descent->stream;
    const td_tree_node *nodes = descent->set->tree.nodes.items, *node = &nodes[number];
    const td_box box = node->box;
    uint16_t *own = stream->lists + (list - stream->lists) + TD_STREAM_RAYS;
    size_t kept = 0;
    for (size_t i = 0; i < count; ++i) {
        const uint16_t ray = list[i];
        own[kept] = ray;
        kept += td_meets_box(&stream->slabs[ray], box);
    }
    if (kept == 0) {
        return TD_OK;
    }
    if (td_is_leaf(node)) {
        return td_cast_at_body(descent, node->right, own, kept);
    }
    // What the first ray meets first is likely to hide things from the others as well.
    const td_slab_ray *first = &stream->slabs[own[0]];
    const bool swap =
        td_in_box(first, nodes[node->right].box).near < td_in_box(first, nodes[node->left].box).near;
    TD_TRY(td_descend(descent, swap ? node->right : node->left, own, kept));
    return td_descend(descent, swap ? node->left : node->right, own, kept);
}

static td_result td_cast_at_all(const td_descent_of_rays *descent) {
    const td_stream *stream = descent->stream;
    for (size_t body = 0; body < descent->set->count; ++body) {
        TD_TRY(td_cast_at_body(descent, (uint32_t)body, stream->lists, stream->count));
    }
    return TD_OK;
}

td_result td_cast_stream(td_stream *stream, const td_set *set, td_ray_mode mode) {
    td_descent_of_rays descent = {.stream = stream, .set = set, .def = td_default_ray_def()};
    descent.def.mode = mode;
    descent.def.one_thread = true;
    descent.def.brute = set->brute;
    for (size_t i = 0; i < stream->count; ++i) {
        const td_ray *ray = &stream->rays[i];
        td_slab_ray *slab = &stream->slabs[i];
        for (int k = 0; k < 3; ++k) {
            slab->origin[k] = ray->origin[k];
            slab->inverse[k] = 1 / ray->direction[k];
        }
        slab->t_min = ray->t_min;
        slab->t_max = ray->t_max;
        stream->hits[i] = (td_ray_hit){.triangle = TD_NO_TRIANGLE};
        stream->lists[i] = (uint16_t)i;
    }
    if (set->brute) {
        return td_cast_at_all(&descent);
    }
    if (set->tree.root == TD_NO_NODE || stream->count == 0) {
        return TD_OK;
    }
    return td_descend(&descent, set->tree.root, stream->lists, stream->count);
}
