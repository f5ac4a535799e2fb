// Where everything goes in a lap: paths, bounds, pairs of bodies that come near each other, and the
// hierarchies over their motion.
#include "../core/error.h"
#include "../core/tasks.h"
#include "softs.h"

#include <math.h>

static const td_box td_nowhere = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};

static bool td_boxes_near(const td_box *a, const td_box *b, double by) {
    return a->lower.x <= b->upper.x + by && b->lower.x <= a->upper.x + by && a->lower.y <= b->upper.y + by &&
           b->lower.y <= a->upper.y + by && a->lower.z <= b->upper.z + by && b->lower.z <= a->upper.z + by;
}

void td_side_release(td_side *side, td_context *context) {
    td_array_release(context, &side->paths);
    td_ends_release(&side->ends, context);
}

// ---------------------------------------------------------------------------------------------------------
// Paths

typedef struct td_pathing {
    td_softs *softs;
    double time;
    bool actual;
} td_pathing;

// Half of what gravity does is right for who rests and for who falls, by half of it.
static td_vec3 td_predicted(const td_softs *softs, const td_soft *soft, uint32_t v, double time) {
    if (!(softs->weight.items[v] > 0)) {
        return softs->start.items[v];
    }
    const td_vec3 fall = td_scale(softs->settings.gravity, 0.5 * soft->gravity_scale * time * time);
    return td_add(softs->start.items[v], td_add(td_scale(softs->v.items[v], time), fall));
}

static void td_path_soft(uint32_t item, void *payload) {
    const td_pathing *job = payload;
    td_softs *softs = job->softs;
    td_soft *soft = softs->list.items[item];
    td_side *side = &soft->side;
    side->bounds = td_nowhere;
    for (uint32_t i = 0; i < soft->form->vertex_count; ++i) {
        const uint32_t v = soft->first + i;
        const td_vec3 start = softs->start.items[v];
        const td_vec3 end = job->actual ? softs->x.items[v] : td_predicted(softs, soft, v, job->time);
        if (!job->actual) {
            softs->predicted.items[v] = end;
        }
        side->paths.items[i] = (td_path){{start, end}};
        td_box_add(&side->bounds, start);
        td_box_add(&side->bounds, end);
    }
}

// The corners of the mesh's box, turned: holds all that is turned with it.
static void td_bound_stand(td_box *box, const td_obstacle *o, const td_stand *at) {
    const td_mat3 turn = td_quat_matrix(at->rotation);
    const td_vec3 lower = o->mesh->triangles.lower, upper = o->mesh->triangles.upper;
    for (int k = 0; k < 8; ++k) {
        const td_vec3 corner =
            td_vec3_make(k & 1 ? upper.x : lower.x, k & 2 ? upper.y : lower.y, k & 4 ? upper.z : lower.z);
        td_box_add(box, td_add(at->position, td_mat3_apply(turn, td_sub(corner, o->centre))));
    }
}

td_box td_obstacle_box(const td_obstacle *o, const td_stand *at) {
    td_box box = td_nowhere;
    td_bound_stand(&box, o, at);
    return box;
}

static td_stand td_end_of(const td_obstacle *o, bool actual) {
    return actual ? o->at : o->lap[1];
}

// ---------------------------------------------------------------------------------------------------------
// Pairs

static bool td_may_meet(uint64_t group_a, uint64_t with_a, uint64_t group_b, uint64_t with_b) {
    return (group_a & with_b) != 0 && (group_b & with_a) != 0;
}

static td_result td_add_pair(td_softs *softs, td_soft_pair pair, bool actual) {
    td_soft *a = softs->list.items[pair.a], *b = pair.b != TD_NONE ? softs->list.items[pair.b] : NULL;
    td_obstacle *o = pair.obstacle != TD_NONE ? &softs->obstacles[pair.obstacle] : NULL;
    pair.thickness = td_pair_thickness(a, b);
    pair.reach = TD_SOFT_REACH * pair.thickness;
    if (actual && !a->marked && !(b != NULL && b->marked) && !(o != NULL && o->marked)) {
        return TD_OK;
    }
    TD_TRY(td_array_reserve(softs->context, &softs->pairs, 1));
    softs->pairs.items[softs->pairs.count++] = pair;
    a->paired = true;
    if (b != NULL) {
        b->paired = true;
    }
    if (o != NULL && !o->near) {
        TD_TRY(td_array_reserve(softs->context, &softs->near, 1));
        softs->near.items[softs->near.count++] = pair.obstacle;
        o->near = true;
    }
    return TD_OK;
}

static bool td_stands_still(const td_obstacle *o, bool actual) {
    const td_stand end = td_end_of(o, actual);
    const td_stand *start = &o->lap[0];
    return td_same_point(start->position, end.position) && start->rotation.x == end.rotation.x &&
           start->rotation.y == end.rotation.y && start->rotation.z == end.rotation.z &&
           start->rotation.w == end.rotation.w;
}

static td_result td_pair_with_softs(td_softs *softs, uint32_t i, bool actual) {
    const td_soft *a = softs->list.items[i];
    if (a->awake && (a->group & a->collides_with) != 0) {
        const td_soft_pair pair = {.a = i, .b = i, .obstacle = TD_NONE, .friction = a->friction};
        TD_TRY(td_add_pair(softs, pair, actual));
    }
    for (uint32_t j = i + 1; j < softs->list.count; ++j) {
        const td_soft *b = softs->list.items[j];
        if ((a->awake || b->awake) && td_may_meet(a->group, a->collides_with, b->group, b->collides_with) &&
            td_boxes_near(&a->side.bounds, &b->side.bounds, 2 * td_pair_thickness(a, b))) {
            const td_soft_pair pair = {
                .a = i, .b = j, .obstacle = TD_NONE, .friction = sqrt(a->friction * b->friction)};
            TD_TRY(td_add_pair(softs, pair, actual));
        }
    }
    return TD_OK;
}

static td_result td_pair_with_obstacle(td_softs *softs, uint32_t index, bool actual) {
    const td_obstacle *o = &softs->obstacles[index];
    td_box bounds = td_nowhere;
    const td_stand end = td_end_of(o, actual);
    td_bound_stand(&bounds, o, &o->lap[0]);
    td_bound_stand(&bounds, o, &end);
    const bool still = td_stands_still(o, actual);
    for (uint32_t i = 0; i < softs->list.count; ++i) {
        const td_soft *a = softs->list.items[i];
        if ((a->awake || !still) && td_may_meet(a->group, a->collides_with, o->group, o->collides_with) &&
            td_boxes_near(&a->side.bounds, &bounds, 2 * a->thickness)) {
            const td_soft_pair pair = {
                .a = i, .b = TD_NONE, .obstacle = index, .friction = sqrt(a->friction * o->friction)};
            TD_TRY(td_add_pair(softs, pair, actual));
        }
    }
    return TD_OK;
}

// ---------------------------------------------------------------------------------------------------------
// Hierarchies

static td_result td_share_features(td_features **out, td_softs *softs, const td_mesh *mesh) {
    for (size_t i = 0; i < softs->shared.count; ++i) {
        if (softs->shared.items[i].identity == mesh->identity) {
            ++softs->shared.items[i].users;
            *out = softs->shared.items[i].features;
            return TD_OK;
        }
    }
    TD_TRY(td_array_reserve(softs->context, &softs->shared, 1));
    td_features *features = TD_NEW(softs->context, td_features, 1);
    if (features == NULL) {
        return TD_ERROR_MEMORY;
    }
    const td_trimesh *t = &mesh->triangles;
    const td_result result =
        td_features_create(features, softs->context, t->indices, t->triangle_count, t->vertex_count);
    if (result != TD_OK) {
        TD_DELETE(softs->context, td_features, features, 1);
        return result;
    }
    softs->shared.items[softs->shared.count++] =
        (td_shared_features){.identity = mesh->identity, .features = features, .users = 1};
    *out = features;
    return TD_OK;
}

static td_result td_room_for_side(td_side *side, td_context *context) {
    const uint32_t count = side->mesh->triangles.vertex_count;
    TD_TRY(td_array_reserve(context, &side->paths, count));
    side->swept.paths = side->paths.items;
    side->swept.vertex_count = count;
    return td_ends_reserve(&side->ends, context, side->features, &side->mesh->hierarchy, count);
}

static td_result td_prepare_obstacle(td_side **out, td_softs *softs, uint32_t index) {
    const td_obstacle *o = &softs->obstacles[index];
    td_obstacle_side *kept = &softs->sides.items[index];
    if (kept->generation != o->generation) {
        td_side_release(&kept->side, softs->context);
        *kept = (td_obstacle_side){0};
        TD_TRY(td_share_features(&kept->shared, softs, o->mesh));
        kept->generation = o->generation;
        kept->side.mesh = o->mesh;
        kept->side.features = kept->shared;
    }
    *out = &kept->side;
    return td_room_for_side(&kept->side, softs->context);
}

static bool td_same_stand(const td_stand *a, const td_stand *b) {
    return td_same_point(a->position, b->position) && a->rotation.x == b->rotation.x &&
           a->rotation.y == b->rotation.y && a->rotation.z == b->rotation.z && a->rotation.w == b->rotation.w;
}

static void td_path_obstacle(const td_side *side, const td_obstacle *o) {
    const td_mat3 turn[2] = {td_quat_matrix(side->fitted[0].rotation),
                             td_quat_matrix(side->fitted[1].rotation)};
    for (uint32_t v = 0; v < o->mesh->triangles.vertex_count; ++v) {
        for (int k = 0; k < 2; ++k) {
            side->paths.items[v].at[k] = td_obstacle_point(o, side->fitted[k].position, turn[k], v);
        }
    }
}

static td_result td_want_fitting(td_softs *softs, td_side_fitting fitting) {
    TD_TRY(td_array_reserve(softs->context, &softs->fittings, 1));
    softs->fittings.items[softs->fittings.count++] = fitting;
    fitting.side->fitted_in = 0; // until it is
    return TD_OK;
}

static td_result td_want_obstacle(td_softs *softs, uint32_t index, bool actual) {
    const td_obstacle *o = &softs->obstacles[index];
    td_side *side;
    TD_TRY(td_prepare_obstacle(&side, softs, index));
    const td_stand ends[2] = {o->lap[0], td_end_of(o, actual)};
    const bool marked = actual && o->marked;
    if (side->fitted_in == softs->frame_number && side->all_marked == marked &&
        td_same_stand(&side->fitted[0], &ends[0]) && td_same_stand(&side->fitted[1], &ends[1])) {
        return TD_OK;
    }
    side->fitted[0] = ends[0];
    side->fitted[1] = ends[1];
    side->all_marked = marked;
    const td_ends_fitting fitting = {.ends = &side->ends,
                                     .paths = side->paths.items,
                                     .all_marked = marked,
                                     .which = TD_ENDS_BOTH,
                                     .frame = softs->frame,
                                     .margin = 0.5 * softs->frame_reach};
    return td_want_fitting(softs, (td_side_fitting){side, o, fitting});
}

// What really moved is asked about touching only, so its ends need no margin. Bodies that sleep keep their
// boxes, for the next search.
static td_result td_want_soft(td_softs *softs, td_soft *soft, bool actual) {
    td_side *side = &soft->side;
    if (!soft->paired || (!soft->awake && side->fitted_in == softs->frame_number)) {
        return TD_OK;
    }
    const bool begun = side->fitted_in == softs->frame_number && side->fitted_lap == softs->lap_number;
    const td_ends_fitting fitting = {.ends = &side->ends,
                                     .paths = side->paths.items,
                                     .marks = actual && soft->awake ? softs->marks.items + soft->first : NULL,
                                     .which = actual && soft->awake && begun ? TD_ENDS_SECOND : TD_ENDS_BOTH,
                                     .frame = softs->frame,
                                     .margin =
                                         actual && soft->awake ? 0 : 0.5 * TD_SOFT_REACH * soft->thickness};
    return td_want_fitting(softs, (td_side_fitting){side, NULL, fitting});
}

enum { TD_LARGE_SIDE = 4096 }; // quads: all threads make its boxes together; others have one thread each

static void td_fit_small(uint32_t item, void *payload) {
    const td_softs *softs = payload;
    const td_side_fitting *fitting = &softs->fittings.items[item];
    if (fitting->obstacle != NULL) {
        td_path_obstacle(fitting->side, fitting->obstacle);
    }
    if (fitting->side->ends.quad_count < TD_LARGE_SIDE) {
        td_ends_fit(&fitting->fitting);
    }
}

static td_result td_fit_sides(td_softs *softs, bool actual) {
    softs->fittings.count = 0;
    for (size_t i = 0; i < softs->list.count; ++i) {
        TD_TRY(td_want_soft(softs, softs->list.items[i], actual));
    }
    for (size_t i = 0; i < softs->near.count; ++i) {
        TD_TRY(td_want_obstacle(softs, softs->near.items[i], actual));
    }
    td_run_tasks(softs->context, td_fit_small, (uint32_t)softs->fittings.count, softs);
    for (size_t i = 0; i < softs->fittings.count; ++i) {
        td_side *side = softs->fittings.items[i].side;
        if (side->ends.quad_count >= TD_LARGE_SIDE) {
            td_ends_fit_together(&softs->fittings.items[i].fitting, softs->context);
        }
        side->fitted_in = softs->frame_number;
        side->fitted_lap = softs->lap_number;
    }
    return TD_OK;
}

static void td_union_box(td_box *box, td_vec3 lower, td_vec3 upper) {
    td_box_add(box, lower);
    td_box_add(box, upper);
}

// A frame around all that takes part. The old one stays if it will do, so that what stands still needs no new
// boxes.
static td_result td_choose_frame(td_softs *softs, bool actual) {
    td_box all = td_nowhere;
    double reach = 0;
    for (size_t i = 0; i < softs->list.count; ++i) {
        const td_soft *soft = softs->list.items[i];
        td_union_box(&all, soft->side.bounds.lower, soft->side.bounds.upper);
        reach = fmax(reach, TD_SOFT_REACH * soft->thickness);
    }
    for (size_t i = 0; i < softs->near.count; ++i) {
        const td_obstacle *o = &softs->obstacles[softs->near.items[i]];
        const td_stand end = td_end_of(o, actual);
        td_bound_stand(&all, o, &o->lap[0]);
        td_bound_stand(&all, o, &end);
    }
    const td_vec3 size = td_sub(all.upper, all.lower);
    if (!(isfinite(size.x) && isfinite(size.y) && isfinite(size.z))) {
        return td_fail(TD_ERROR_NUMBERS, "the bounds of the soft bodies are no longer finite");
    }
    const td_box old = {softs->frame_lower, softs->frame_upper};
    const bool holds = softs->frame_number > 0 && reach <= softs->frame_reach && old.lower.x <= all.lower.x &&
                       old.lower.y <= all.lower.y && old.lower.z <= all.lower.z &&
                       all.upper.x <= old.upper.x && all.upper.y <= old.upper.y && all.upper.z <= old.upper.z;
    const td_vec3 spare = td_scale(size, 0.25);
    if (!holds) {
        softs->frame_lower = td_sub(all.lower, spare);
        softs->frame_upper = td_add(all.upper, spare);
        softs->frame_reach = reach;
        ++softs->frame_number;
    }
    softs->frame = td_swept_frame_around(softs->frame_lower, softs->frame_upper, softs->frame_reach);
    return TD_OK;
}

// What conversions to float32 and differences of it err by, twice.
static const float td_apart_slack = 0x1p-21f;

static void td_ask_pairs(td_softs *softs, bool actual) {
    const double scale = softs->frame.scale[0] * softs->frame.scale[1];
    const td_vec3 size = td_sub(softs->frame_upper, softs->frame_lower);
    const double rounded = 0x1p-46 * (size.x + size.y + size.z);
    for (size_t i = 0; i < softs->pairs.count; ++i) {
        td_soft_pair *pair = &softs->pairs.items[i];
        pair->beyond = pair->reach * (1 + 0x1p-46) + rounded;
        const td_side *a = &softs->list.items[pair->a]->side;
        const td_side *b =
            pair->b != TD_NONE ? &softs->list.items[pair->b]->side : &softs->sides.items[pair->obstacle].side;
        const td_swept_question swept = {.context = softs->context,
                                         .a = &a->swept,
                                         .b = &b->swept,
                                         .features_a = a->features,
                                         .features_b = b->features,
                                         .frame = softs->frame,
                                         .self = pair->a == pair->b,
                                         .mode = TD_CONTINUOUS_ALL,
                                         .moving = {.cookie = TD_COOKIE_MOVING},
                                         .user = pair,
                                         .planes = actual,
                                         .best_bits = &softs->unused};
        pair->question = (td_ends_question){
            .a = &a->ends,
            .b = &b->ends,
            .marked = actual,
            .apart = (actual ? 0 : (float)(pair->reach * scale * (1 + 0x1p-20))) + td_apart_slack,
            .swept = swept};
    }
}

td_result td_softs_find_pairs(td_softs *softs, double time, bool actual) {
    td_pathing job = {softs, time, actual};
    for (size_t i = 0; i < softs->list.count; ++i) {
        td_soft *soft = softs->list.items[i];
        TD_TRY(td_room_for_side(&soft->side, softs->context));
    }
    td_run_tasks(softs->context, td_path_soft, (uint32_t)softs->list.count, &job);
    for (size_t i = 0; i < softs->near.count; ++i) {
        softs->obstacles[softs->near.items[i]].near = false;
    }
    for (size_t i = 0; i < softs->list.count; ++i) {
        softs->list.items[i]->paired = false;
    }
    softs->pairs.count = softs->near.count = 0;
    for (uint32_t i = 0; i < softs->list.count; ++i) {
        TD_TRY(td_pair_with_softs(softs, i, actual));
    }
    for (uint32_t i = 0; i < softs->obstacle_count; ++i) {
        if (softs->obstacles[i].there) {
            TD_TRY(td_pair_with_obstacle(softs, i, actual));
        }
    }
    TD_TRY(td_choose_frame(softs, actual));
    TD_TRY(td_fit_sides(softs, actual));
    td_ask_pairs(softs, actual);
    return TD_OK;
}
