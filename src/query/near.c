// Near lists: made by a traversal whose boxes are enlarged by the margin, read by testing their tiles alone.
//
// A list remembers how near its tiles were, in classes, and where b stood. So while b has moved by a fraction
// of the margin only those tiles are tested that were within that fraction: in a pile at rest, hardly more
// than those that touch.
#include "near.h"

#include "../core/context.h"
#include "../core/error.h"
#include "../traverse/clear.h"
#include "../traverse/near.h"
#include "collision.h"
#include "inside.h"
#include "pose.h"
#include "sort.h"

#include <assert.h>
#include <float.h>
#include <string.h>

void td_near_release(td_near_list *list, td_context *context) {
    td_array_release(context, &list->quads);
    *list = (td_near_list){0};
}

// ---------------------------------------------------------------------------------------------------------
// Making lists

// Inside can change only for a component that passes through the other surface with all of its points. A leaf
// that is not in the list holds points that are farther than the margin from the other surface, hence stay on
// their side of it wherever the pose goes within the margin; at a pose without intersections the component
// has no other side. So if every component has such a leaf, inside is the same at all such poses. With one
// component per mesh that is so as soon as the list is shorter than either mesh has leaves.
static bool td_inside_lasts(const td_near_list *list, const td_object_pair *pair) {
    const td_mesh *a = pair->a, *b = pair->b;
    const size_t count = list->quads.count;
    return count == 0 || (a->triangles.seed_count <= 1 && b->triangles.seed_count <= 1 &&
                          count < a->hierarchy.quad_count && count < b->hierarchy.quad_count);
}

// Sorts what the traversal left in the worker and puts it into the list.
static td_result td_take_classes(td_near_list *list, td_worker *worker, const td_traversal *traversal) {
    size_t count = 0, most = 0;
    for (int k = 0; k < TD_NEAR_CLASSES; ++k) {
        count += worker->near_by[k].count;
        most = worker->near_by[k].count > most ? worker->near_by[k].count : most;
    }
    worker->spare.count = 0;
    TD_TRY(td_array_reserve(traversal->context, &worker->spare, most));
    TD_TRY(td_array_reserve(traversal->context, &list->quads, count));
    for (int k = 0; k < TD_NEAR_CLASSES; ++k) {
        const td_pair_list *near_by = &worker->near_by[k];
        if (near_by->count > 0) {
            td_sort_pairs(near_by->items, worker->spare.items, near_by->count, traversal->a->quad_count,
                          traversal->b->quad_count);
            memcpy(list->quads.items + list->quads.count, near_by->items,
                   near_by->count * sizeof *near_by->items);
            list->quads.count += near_by->count;
        }
        list->ends[k] = list->quads.count;
    }
    return TD_OK;
}

// Fills the list with the leaves within the frame's margin.
static td_result td_make_list(td_near_list *list, td_worker *worker, td_traversal traversal,
                              const td_near_pair *near_pair) {
    for (int k = 0; k < TD_NEAR_CLASSES; ++k) {
        worker->near_by[k].count = 0;
    }
    traversal.list_near = true;
    if (!traversal.frame->apart) {
        td_strategy_wide.run(worker, &traversal, &(td_pair){0, 0}, 1);
        TD_TRY(worker->result);
    }
    TD_TRY(td_take_classes(list, worker, &traversal));
    list->rigid = traversal.frame->rigid;
    list->margin = near_pair->margin;
    list->whole = false;
    list->inside_lasts = td_inside_lasts(list, &near_pair->pair);
    return TD_OK;
}

// ---------------------------------------------------------------------------------------------------------
// Reading lists

// A bound on how far any point of b's mesh has moved since it was listed, in b's local units, in which
// squares neither overflow nor underflow: the corners of its box have moved farthest, as the motion is
// affine. With c the centre and h the half-sizes of the box they have moved by (R' - R) c + p' - p +- h_x (R'
// - R)_x +- h_y (R' - R)_y +- h_z (R' - R)_z.
static double td_moved(const td_near_list *list, const td_rigid *now, const td_mesh *b) {
    const td_rigid *then = &list->rigid;
    const td_vec3 c = b->hierarchy.origin, step = td_sub(now->position, then->position);
    const double *h = b->hierarchy.half, *scale = b->hierarchy.scale, steps[3] = {step.x, step.y, step.z};
    const td_vec3 rows[3] = {td_sub(now->row0, then->row0), td_sub(now->row1, then->row1),
                             td_sub(now->row2, then->row2)};
    double squares[4] = {0, 0, 0, 0};
    for (int k = 0; k < 3; ++k) {
        const double middle = (td_dot(rows[k], c) + steps[k]) * scale[0] * scale[1];
        const double x = rows[k].x * h[0], y = rows[k].y * h[1], z = rows[k].z * h[2];
        const double corners[4] = {x + y + z, x + y - z, x - y + z, x - y - z};
        for (int i = 0; i < 4; ++i) { // of two opposite corners, the farther on each axis
            const double farther = fabs(middle) + fabs(corners[i]);
            squares[i] += farther * farther;
        }
    }
    const double square = fmax(fmax(squares[0], squares[1]), fmax(squares[2], squares[3]));
    // Each coordinate is off by a dozen roundings of numbers no larger than these, or of the smallest there
    // are.
    const double largest = 4 * b->triangles.largest + fabs(step.x) + fabs(step.y) + fabs(step.z);
    const double error = 0x1p-46 * largest + 0x1p-1068;
    return sqrt(square) * (1 + 0x1p-40) + error * scale[0] * scale[1];
}

// The number of tiles that may have come to intersect.
static size_t td_tiles_in_reach(const td_near_list *list, const td_rigid *now, const td_mesh *b) {
    const double *scale = b->hierarchy.scale, margin = list->margin * scale[0] * scale[1];
    const double moved = td_moved(list, now, b);
    int k = 0;
    while (k < TD_NEAR_CLASSES - 1 && !(moved < (double)td_near_fraction(k) * margin)) {
        ++k;
    }
    return list->ends[k];
}

// What intersects goes to the worker.
static void td_test_near(const td_near_list *list, td_worker *worker, const td_traversal *traversal,
                         const td_mesh *b) {
    const td_frame *frame = traversal->frame;
    if (frame->apart) {
        return;
    }
    if (!frame->usable) {
        td_strategy_brute.run(worker, traversal, &(td_pair){0, traversal->mesh_a->triangle_count}, 1);
    } else if (list->whole) {
        td_strategy_wide.run(worker, traversal, &(td_pair){0, 0}, 1);
    } else {
        const size_t count = td_tiles_in_reach(list, &frame->rigid, b);
        td_test_tiles(worker, traversal, list->quads.items, count);
    }
}

static td_inside td_near_inside(td_near_list *list, const td_object_pair *pair, const td_frame *frame) {
    if (!list->inside_known) {
        list->inside = td_find_inside(&pair->a->triangles, &pair->a->hierarchy, &pair->b->triangles,
                                      &pair->b->hierarchy, frame);
        list->inside_known = list->inside_lasts;
    }
    return list->inside;
}

// ---------------------------------------------------------------------------------------------------------

static void td_near_frame(td_frame *out, const td_object_pair *pair, double margin) {
    const td_rigid rigid = td_pose_rigid(&pair->pose);
    td_frame_fill(out, &pair->a->triangles, &pair->a->hierarchy, &pair->b->triangles, &pair->b->hierarchy,
                  &rigid, margin);
}

static void td_answer_clear(td_collide_result *out, const td_collision *collision, td_worker *worker,
                            const td_near_pair *near_pair) {
    td_frame frame;
    td_near_frame(&frame, &near_pair->pair, near_pair->margin);
    const td_traversal traversal = td_question_traversal(collision, &near_pair->pair, &frame);
    out->colliding = !(frame.apart || (frame.usable && td_blocks_apart(worker, &traversal)));
    out->counters = worker->counters;
}

static void td_answer_meeting(td_collide_result *out, const td_collision *collision, td_worker *worker,
                              const td_near_pair *near_pair) {
    const td_object_pair *pair = &near_pair->pair;
    td_frame frame;
    td_near_frame(&frame, pair, 0);
    td_traversal traversal = td_question_traversal(collision, pair, &frame);
    traversal.any_first = true;
    const td_near_list anywhere = {.whole = true};
    td_test_near(&anywhere, worker, &traversal, pair->b);
    out->colliding = worker->count > 0;
    out->counters = worker->counters;
    if (!out->colliding && !near_pair->not_inside) {
        out->inside = td_find_inside(&pair->a->triangles, &pair->a->hierarchy, &pair->b->triangles,
                                     &pair->b->hierarchy, &frame);
        out->colliding = out->inside != TD_INSIDE_NONE;
    }
}

// Worth a try where two do not touch: most such pairs pass each other at a distance.
static bool td_try_clear(const td_collision *collision, td_worker *worker, const td_near_pair *near_pair) {
    if (!(near_pair->clear > 0)) {
        return false;
    }
    bool cleared = false;
    if (near_pair->not_inside && !near_pair->listed) {
        td_frame frame;
        td_near_frame(&frame, &near_pair->pair, near_pair->clear);
        const td_traversal traversal = td_question_traversal(collision, &near_pair->pair, &frame);
        cleared = frame.apart || (frame.usable && td_blocks_apart(worker, &traversal));
    }
    *near_pair->cleared = cleared;
    return cleared;
}

// Nothing is known of leaves: right for any pose.
static void td_forget_leaves(td_near_list *list) {
    list->quads.count = 0;
    list->whole = true;
    list->inside_lasts = list->inside_known = false;
}

static void td_answer_pairs(td_collide_result *out, const td_collision *collision, td_worker *worker,
                            const td_near_pair *near_pair) {
    const td_object_pair *pair = &near_pair->pair;
    td_near_list none = {.whole = true};
    td_near_list *list = near_pair->list != NULL ? near_pair->list : &none;
    if (near_pair->listed && list->inside_known && list->quads.count == 0) {
        out->inside = list->inside;
        return;
    }
    const bool cleared = td_try_clear(collision, worker, near_pair);
    if (!near_pair->listed && near_pair->list != NULL) {
        td_forget_leaves(list);
    }
    if (cleared) {
        out->counters = worker->counters;
        return;
    }
    td_frame frame;
    td_near_frame(&frame, pair, near_pair->listed ? 0 : near_pair->margin);
    const td_traversal traversal = td_question_traversal(collision, pair, &frame);
    if (!near_pair->listed && near_pair->margin > 0) {
        if (frame.apart || frame.usable) {
            worker->result = td_make_list(list, worker, traversal, near_pair);
        } else {
            td_near_frame(&frame, pair, 0);
        }
    }
    if (worker->result == TD_OK) {
        td_test_near(list, worker, &traversal, pair->b);
    }
    out->pair_count = worker->count;
    out->colliding = worker->count > 0;
    out->counters = worker->counters;
    if (worker->result == TD_OK && worker->count == 0 && !near_pair->not_inside) {
        out->inside = td_near_inside(list, pair, &frame);
    }
}

void td_answer_near(const td_collision *collision, td_worker *worker, size_t question) {
    const td_near_pair *near_pair = &collision->near_pairs[question];
    td_collide_result *out = &collision->out[question];
    *out = (td_collide_result){0};
    switch (collision->near_question) {
    case TD_NEAR_PAIRS:
        td_answer_pairs(out, collision, worker, near_pair);
        break;
    case TD_NEAR_MEETINGS:
        td_answer_meeting(out, collision, worker, near_pair);
        break;
    case TD_NEAR_CLEAR:
        td_answer_clear(out, collision, worker, near_pair);
        break;
    }
}

static td_result td_answer_near_pairs(td_collide_result *out, td_query *query, const td_near_pair *pairs,
                                      size_t pair_count, td_near_question question) {
    td_collide_def def = td_default_collide_def();
    def.mode = question == TD_NEAR_MEETINGS ? TD_MODE_FIRST : def.mode;
    td_collision collision = {.query = query,
                              .near_pairs = pairs,
                              .near_question = question,
                              .count = pair_count,
                              .def = &def,
                              .strategy = &td_strategy_wide,
                              .out = out};
    for (size_t i = 0; i < pair_count; ++i) {
        TD_TRY(td_check_object_pair(&pairs[i].pair, i));
        if (!(pairs[i].margin >= 0 && pairs[i].margin <= DBL_MAX)) {
            return td_fail(TD_ERROR_ARGUMENT,
                           "object pair %zu: the margin is %g, expected a finite number >= 0", i,
                           pairs[i].margin);
        }
        assert(pairs[i].list != NULL || question != TD_NEAR_PAIRS ||
               (pairs[i].margin == 0 && !pairs[i].listed));
        assert(pairs[i].cleared != NULL || !(pairs[i].clear > 0));
    }
    return td_answer(&collision);
}

td_result td_collide_near(td_collide_result *out, td_query *query, const td_near_pair *pairs,
                          size_t pair_count) {
    return td_answer_near_pairs(out, query, pairs, pair_count, TD_NEAR_PAIRS);
}

td_result td_prove_clear(td_collide_result *out, td_query *query, const td_near_pair *pairs,
                         size_t pair_count) {
    return td_answer_near_pairs(out, query, pairs, pair_count, TD_NEAR_CLEAR);
}

td_result td_find_meetings(td_collide_result *out, td_query *query, const td_near_pair *pairs,
                           size_t pair_count) {
    return td_answer_near_pairs(out, query, pairs, pair_count, TD_NEAR_MEETINGS);
}
