// The calls that find intersecting triangles: what the caller gave is checked, then answered natively or on a
// device.
#include "../core/clock.h"
#include "../core/context.h"
#include "../core/error.h"
#include "../device/device.h"
#include "collision.h"
#include "front.h"
#include "inside.h"
#include "pose.h"

#include <float.h>

td_object_pair td_question(const td_collision *collision, size_t index) {
    if (collision->near_pairs != NULL) {
        return collision->near_pairs[index].pair;
    }
    if (collision->pairs != NULL) {
        return collision->pairs[index];
    }
    return (td_object_pair){collision->a, collision->b,
                            collision->self ? td_pose_identity() : collision->poses[index]};
}

td_frame td_question_frame(const td_collision *collision, const td_object_pair *pair) {
    if (collision->self) {
        return td_frame_self(&pair->a->triangles, &pair->a->hierarchy);
    }
    const td_rigid rigid = td_pose_rigid(&pair->pose);
    return td_frame_make(&pair->a->triangles, &pair->a->hierarchy, &pair->b->triangles, &pair->b->hierarchy,
                         &rigid);
}

td_traversal td_question_traversal(const td_collision *collision, const td_object_pair *pair,
                                   const td_frame *frame) {
    const td_collide_def *def = collision->def;
    const bool post = collision->strategy->layout == TD_LAYOUT_POSTORDER;
    const bool split = collision->strategy->layout == TD_LAYOUT_SPLIT;
    return (td_traversal){
        .context = collision->query->context,
        .mesh_a = &pair->a->triangles,
        .mesh_b = &pair->b->triangles,
        .a = &pair->a->hierarchy,
        .b = &pair->b->hierarchy,
        .post_a = post ? &pair->a->late->post : NULL,
        .post_b = post ? &pair->b->late->post : NULL,
        .split_a = split ? &pair->a->late->split : NULL,
        .split_b = split ? &pair->b->late->split : NULL,
        .frame = frame,
        .ratio = (float)frame->ratio,
        .sharing = def->sharing == TD_SHARING_AUTO ? TD_SHARING_QUEUES : def->sharing,
        .idle_share = def->idle_share,
        .mode = def->mode,
        .volume = def->volume,
        .descent = def->descent == TD_DESCENT_AUTO ? TD_DESCENT_LARGER : def->descent,
        .measure = def->measure,
        .self = collision->self,
        .keep_degenerate = def->keep_degenerate,
    };
}

void td_fill_result(td_collide_result *out, const td_collision *collision, const td_object_pair *pair,
                    const td_frame *frame, uint64_t count, td_counters counters) {
    *out = (td_collide_result){.pair_count = count, .colliding = count > 0, .counters = counters};
    if (count == 0 && !collision->self) {
        out->inside = td_find_inside(&pair->a->triangles, &pair->a->hierarchy, &pair->b->triangles,
                                     &pair->b->hierarchy, frame);
    }
}

// ---------------------------------------------------------------------------------------------------------
// Checks

// Sums of a few coordinates must not overflow.
static td_result td_check_size(const td_mesh *mesh) {
    if (!(2 * mesh->triangles.largest < DBL_MAX / 8)) {
        return td_fail(TD_ERROR_UNSUPPORTED,
                       "mesh '%s' has a coordinate of size %g: the largest that can be collided is %g",
                       mesh->triangles.name, mesh->triangles.largest, DBL_MAX / 16);
    }
    return TD_OK;
}

static td_result td_check_reach(const td_mesh *b, const td_pose *pose) {
    for (int k = 0; k < 3; ++k) {
        if (!(fabs(pose->position[k]) < DBL_MAX / 8)) {
            return td_fail(TD_ERROR_POSE, "the pose takes mesh '%s' beyond the range of float64",
                           b->triangles.name);
        }
    }
    return TD_OK;
}

// What the strategy cannot do is said, not done in another way.
static td_result td_check_abilities(const td_collision *collision) {
    const td_collide_def *def = collision->def;
    const td_strategy *strategy = collision->strategy;
    if ((unsigned)def->volume > TD_VOLUME_OBB || (unsigned)def->descent >= TD_DESCENT_COUNT ||
        (unsigned)def->mode > TD_MODE_FIRST) {
        return td_fail(TD_ERROR_ARGUMENT,
                       "mode %d, volume %d or descent rule %d is not one of the enumerators", (int)def->mode,
                       (int)def->volume, (int)def->descent);
    }
    if ((unsigned)def->sharing >= TD_SHARING_COUNT || !(def->idle_share >= 0 && def->idle_share <= 1)) {
        return td_fail(TD_ERROR_ARGUMENT,
                       "sharing %d with %g of the tasks idle: expected one of the enumerators and 0 to 1",
                       (int)def->sharing, def->idle_share);
    }
    if (def->volume == TD_VOLUME_OBB && !strategy->obb) {
        return td_fail(TD_ERROR_UNSUPPORTED, "strategy '%s' knows no oriented boxes: expected volume 'aabb'",
                       strategy->name);
    }
    if (def->descent != TD_DESCENT_AUTO && !strategy->descents) {
        return td_fail(TD_ERROR_UNSUPPORTED, "strategy '%s' has no descent rule: expected 'auto', not '%s'",
                       strategy->name, td_descent_name(def->descent));
    }
    if (collision->self && !strategy->self) {
        return td_fail(TD_ERROR_UNSUPPORTED, "strategy '%s' does not find self-intersections",
                       strategy->name);
    }
    if (def->device != NULL && strategy->run_on_device == NULL) {
        return td_fail(TD_ERROR_UNSUPPORTED, "strategy '%s' runs on the native backend only", strategy->name);
    }
    if (def->front != NULL) {
        TD_TRY(td_check_front(collision));
    }
    if (def->device != NULL && td_device_context(def->device) != collision->query->context) {
        return td_fail(TD_ERROR_ARGUMENT, "the device and the query are of different contexts");
    }
    return TD_OK;
}

static td_result td_prepare_mesh(const td_collision *collision, const td_mesh *mesh) {
    return collision->strategy->layout == TD_LAYOUT_SPLIT
               ? td_mesh_prepare_split(mesh, collision->def->volume)
               : td_mesh_prepare_postorder(mesh, collision->def->volume);
}

static td_result td_prepare_meshes(const td_collision *collision) {
    if (collision->strategy->layout == TD_LAYOUT_BLOCKED) {
        return TD_OK;
    }
    if (collision->pairs == NULL) {
        TD_TRY(td_prepare_mesh(collision, collision->a));
        return td_prepare_mesh(collision, collision->b);
    }
    for (size_t i = 0; i < collision->count; ++i) {
        TD_TRY(td_prepare_mesh(collision, collision->pairs[i].a));
        TD_TRY(td_prepare_mesh(collision, collision->pairs[i].b));
    }
    return TD_OK;
}

td_result td_answer(td_collision *collision) {
    td_query *query = collision->query;
    const double begin = td_clock_ms();
    query->times = (td_query_times){0};
    TD_TRY(td_check_abilities(collision));
    TD_TRY(td_prepare_meshes(collision));
    query->times.refit_ms = td_clock_ms() - begin;
    query->places.count = 0;
    TD_TRY(td_array_reserve(query->context, &query->places, collision->count));
    TD_TRY(collision->def->device != NULL  ? td_answer_on_device(collision)
           : collision->def->front != NULL ? td_answer_at_front(collision)
                                           : td_answer_natively(collision));
    query->times.total_ms = td_clock_ms() - begin;
    return TD_OK;
}

static td_result td_check_def(td_collision *collision) {
    TD_TRY(td_check_cookie(collision->def->cookie, TD_COOKIE_COLLIDE, "td_default_collide_def"));
    return td_find_strategy(&collision->strategy, collision->def->strategy, collision->def->device != NULL);
}

static td_result td_check_placed(const td_mesh *b, const td_pose *pose) {
    TD_TRY(td_check_pose(pose));
    return td_check_reach(b, pose);
}

td_result td_check_object_pair(const td_object_pair *pair, size_t index) {
    td_result result = td_check_size(pair->a);
    result = result == TD_OK ? td_check_size(pair->b) : result;
    result = result == TD_OK ? td_check_placed(pair->b, &pair->pose) : result;
    return result == TD_OK ? TD_OK : td_fail(result, "object pair %zu: %s", index, td_error_message());
}

// ---------------------------------------------------------------------------------------------------------

td_result td_collide_batch(td_collide_result *out, td_query *query, const td_mesh *a, const td_mesh *b,
                           const td_pose *poses, size_t pose_count, const td_collide_def *def) {
    td_collision collision = {
        .query = query, .a = a, .b = b, .poses = poses, .count = pose_count, .def = def, .out = out};
    TD_TRY(td_check_def(&collision));
    TD_TRY(td_check_size(a));
    TD_TRY(td_check_size(b));
    for (size_t i = 0; i < pose_count; ++i) {
        const td_result result = td_check_placed(b, &poses[i]);
        if (result != TD_OK) {
            return pose_count == 1 ? result : td_fail(result, "pose %zu: %s", i, td_error_message());
        }
    }
    return td_answer(&collision);
}

td_result td_collide_pairs(td_collide_result *out, td_query *query, const td_object_pair *pairs,
                           size_t pair_count, const td_collide_def *def) {
    td_collision collision = {.query = query, .pairs = pairs, .count = pair_count, .def = def, .out = out};
    TD_TRY(td_check_def(&collision));
    for (size_t i = 0; i < pair_count; ++i) {
        TD_TRY(td_check_object_pair(&pairs[i], i));
    }
    return td_answer(&collision);
}

td_result td_collide(td_collide_result *out, td_query *query, const td_mesh *a, const td_mesh *b,
                     const td_pose *pose, const td_collide_def *def) {
    const td_pose identity = td_pose_identity();
    return td_collide_batch(out, query, a, b, pose == NULL ? &identity : pose, 1, def);
}

td_result td_self_collide(td_collide_result *out, td_query *query, const td_mesh *mesh,
                          const td_collide_def *def) {
    td_collision collision = {
        .query = query, .a = mesh, .b = mesh, .count = 1, .def = def, .out = out, .self = true};
    TD_TRY(td_check_def(&collision));
    return td_answer(&collision);
}
