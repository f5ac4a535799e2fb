#include "planar.h"

#include "../core/memory.h"

#include <string.h>

td_planar_def td_default_planar_def(void) {
    return (td_planar_def){.cookie = TD_COOKIE_PLANAR,
                           .room = {1, 1},
                           .restitution = 1,
                           .step = 1.0 / 60,
                           .epsilon = 1.0 / (1 << 20),
                           .reduction = TD_PLANAR_FOUR_SIX};
}

td_planar_body_def td_default_planar_body_def(void) {
    return (td_planar_body_def){.cookie = TD_COOKIE_FLATBODY, .density = 1};
}

// ---------------------------------------------------------------------------------------------------------
// Making

static uint32_t td_count_corners(const td_planar_body_def *bodies, uint32_t count) {
    uint32_t corners = TD_PLANAR_WALLS; // their normals
    for (uint32_t i = 0; i < count; ++i) {
        corners += bodies[i].kind == TD_PLANAR_CIRCLE ? 0 : bodies[i].corner_count;
    }
    return corners;
}

static td_result td_allocate_bodies(td_planar *planar) {
    td_context *context = planar->context;
    const size_t size = planar->size;
    planar->shapes = TD_NEW(context, td_planar_shape, size);
    planar->corners = TD_NEW(context, td_planar_corner, planar->corner_count);
    planar->motions = TD_NEW(context, td_planar_motion, size);
    planar->struck = TD_NEW(context, td_planar_motion, size);
    planar->tallies = TD_NEW(context, td_planar_tally, size);
    planar->marks = TD_NEW(context, uint32_t, size);
    planar->is_large = TD_NEW(context, td_u8, size);
    planar->boxes = TD_NEW(context, double, 4 * size);
    if (planar->shapes == NULL || planar->corners == NULL || planar->motions == NULL ||
        planar->struck == NULL || planar->tallies == NULL || planar->marks == NULL || planar->boxes == NULL ||
        planar->is_large == NULL) {
        return TD_ERROR_MEMORY;
    }
    memset(planar->shapes, 0, size * sizeof *planar->shapes);
    memset(planar->motions, 0, size * sizeof *planar->motions);
    memset(planar->tallies, 0, size * sizeof *planar->tallies);
    memset(planar->marks, 0, size * sizeof *planar->marks);
    return td_create_planar_grid(&planar->grid, context, planar->def.room[0], planar->def.room[1],
                                 planar->count);
}

static td_result td_allocate_pairs(td_planar *planar) {
    td_planar_pairs *pairs = &planar->pairs;
    const size_t next = (planar->size + 1) / 2;
    pairs->count = td_triangle_count(planar->size);
    pairs->reduced_count = next * next;
    pairs->flags = TD_NEW(planar->context, td_u8, pairs->count);
    pairs->times = TD_NEW(planar->context, double, pairs->count);
    for (int i = 0; i < 2; ++i) {
        pairs->reduced[i] = TD_NEW(planar->context, double, pairs->reduced_count);
    }
    return pairs->flags != NULL && pairs->times != NULL && pairs->reduced[0] != NULL &&
                   pairs->reduced[1] != NULL
               ? TD_OK
               : TD_ERROR_MEMORY;
}

static td_result td_allocate_order(td_planar *planar) {
    planar->order.local = TD_NEW(planar->context, double, planar->size);
    planar->order.struck_at = TD_NEW(planar->context, double, planar->size);
    planar->order.generation = TD_NEW(planar->context, uint32_t, planar->size);
    return planar->order.local != NULL && planar->order.struck_at != NULL && planar->order.generation != NULL
               ? TD_OK
               : TD_ERROR_MEMORY;
}

// What the way of stepping needs beside the bodies.
static td_result td_allocate_way(td_planar *planar) {
    if (planar->def.device != NULL) {
        return td_create_planar_device(planar);
    }
    if (planar->def.stepping == TD_PLANAR_ORDERED) {
        return td_allocate_order(planar);
    }
    return planar->def.broad == TD_PLANAR_ALL_PAIRS ? td_allocate_pairs(planar) : TD_OK;
}

static td_result td_fill_planar(td_planar *planar, const td_planar_body_def *bodies) {
    TD_TRY(td_allocate_bodies(planar));
    TD_TRY(td_take_planar_bodies(planar, bodies));
    TD_TRY(td_check_planar_start(planar));
    return td_allocate_way(planar);
}

td_result td_create_planar(td_planar **out, td_context *context, const td_planar_def *def,
                           const td_planar_body_def *bodies, uint32_t count) {
    if (out == NULL || context == NULL || def == NULL || bodies == NULL) {
        return td_fail(TD_ERROR_ARGUMENT,
                       "td_create_planar needs an output, a context, a td_planar_def and bodies");
    }
    *out = NULL;
    TD_TRY(td_check_cookie(def->cookie, TD_COOKIE_PLANAR, "td_default_planar_def"));
    TD_TRY(td_check_planar_def(def, count));
    td_planar *planar = TD_NEW(context, td_planar, 1);
    if (planar == NULL) {
        return TD_ERROR_MEMORY;
    }
    *planar = (td_planar){.context = context,
                          .def = *def,
                          .count = count,
                          .size = count + TD_PLANAR_WALLS,
                          .corner_count = td_count_corners(bodies, count)};
    const td_result result = td_fill_planar(planar, bodies);
    if (result != TD_OK) {
        td_destroy_planar(planar);
        return result;
    }
    *out = planar;
    return TD_OK;
}

void td_destroy_planar(td_planar *planar) {
    if (planar == NULL) {
        return;
    }
    td_context *context = planar->context;
    const size_t size = planar->size;
    td_destroy_planar_device(planar);
    td_destroy_planar_grid(&planar->grid, context);
    TD_DELETE(context, td_planar_shape, planar->shapes, size);
    TD_DELETE(context, td_planar_corner, planar->corners, planar->corner_count);
    TD_DELETE(context, td_planar_motion, planar->motions, size);
    TD_DELETE(context, td_planar_motion, planar->struck, size);
    TD_DELETE(context, td_planar_tally, planar->tallies, size);
    TD_DELETE(context, uint32_t, planar->marks, size);
    TD_DELETE(context, td_u8, planar->is_large, size);
    TD_DELETE(context, double, planar->boxes, 4 * size);
    TD_DELETE(context, td_u8, planar->pairs.flags, planar->pairs.count);
    TD_DELETE(context, double, planar->pairs.times, planar->pairs.count);
    TD_DELETE(context, double, planar->pairs.reduced[0], planar->pairs.reduced_count);
    TD_DELETE(context, double, planar->pairs.reduced[1], planar->pairs.reduced_count);
    TD_DELETE(context, double, planar->order.local, size);
    TD_DELETE(context, double, planar->order.struck_at, size);
    TD_DELETE(context, uint32_t, planar->order.generation, size);
    td_array_release(context, &planar->order.events.heap);
    td_array_release(context, &planar->large);
    td_array_release(context, &planar->found);
    td_array_release(context, &planar->candidates);
    TD_DELETE(context, td_planar, planar, 1);
}

// ---------------------------------------------------------------------------------------------------------

td_result td_step_planar(td_planar *planar, uint32_t steps) {
    if (planar == NULL) {
        return td_fail(TD_ERROR_ARGUMENT, "td_step_planar needs a planar simulation");
    }
    if (planar->device != NULL) {
        return td_step_planar_device(planar, steps);
    }
    for (uint32_t i = 0; i < steps; ++i) {
        if (planar->def.stepping == TD_PLANAR_ORDERED) {
            TD_TRY(td_step_ordered(planar));
        } else if (planar->def.broad == TD_PLANAR_GRID) {
            TD_TRY(td_step_first_of_grid(planar));
        } else {
            TD_TRY(td_step_first_of_all(planar));
        }
    }
    return TD_OK;
}

td_result td_begin_planar_states(td_planar *planar) {
    if (planar == NULL) {
        return td_fail(TD_ERROR_ARGUMENT, "td_begin_planar_states needs a planar simulation");
    }
    return planar->device != NULL ? td_begin_planar_read(planar) : TD_OK;
}

td_result td_end_planar_states(td_planar_state *out, td_planar *planar) {
    if (out == NULL || planar == NULL) {
        return td_fail(TD_ERROR_ARGUMENT, "td_end_planar_states needs an output and a planar simulation");
    }
    if (planar->device != NULL) {
        TD_TRY(td_end_planar_read(planar));
    }
    for (uint32_t i = 0; i < planar->count; ++i) {
        const td_planar_motion *motion = &planar->motions[i];
        out[i] = (td_planar_state){.position = {motion->x, motion->y},
                                   .velocity = {motion->vx, motion->vy},
                                   .angle = motion->angle,
                                   .spin = motion->spin};
    }
    return TD_OK;
}

td_result td_get_planar_states(td_planar_state *out, td_planar *planar) {
    TD_TRY(td_begin_planar_states(planar));
    return td_end_planar_states(out, planar);
}

uint32_t td_planar_body_count(const td_planar *planar) {
    return planar->count;
}

td_result td_get_planar_corners(double *out, uint32_t *count, const td_planar *planar, uint32_t body) {
    if (planar == NULL || out == NULL || count == NULL || body >= planar->count) {
        return td_fail(TD_ERROR_ARGUMENT, "td_get_planar_corners needs outputs, and a body that there is");
    }
    const td_planar_shape *shape = &planar->shapes[body];
    *count = shape->kind == TD_SHAPE_POLYGON ? shape->count : 0;
    for (uint32_t k = 0; k < *count; ++k) {
        out[2 * k] = planar->corners[shape->first + k].x;
        out[2 * k + 1] = planar->corners[shape->first + k].y;
    }
    return TD_OK;
}

double td_planar_body_radius(const td_planar *planar, uint32_t body) {
    return planar->shapes[body].radius;
}

bool td_planar_body_is_static(const td_planar *planar, uint32_t body) {
    return !td_planar_is_movable(planar->shapes[body]);
}
