// Which bodies come near each other in an outlook, and the hierarchies over the lines of their vertices.
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

// The corners of the mesh's box, as they are turned: holds all that is turned with it.
static void td_bound_line(td_box *box, const td_obstacle *o, const td_line *at) {
    const td_vec3 lower = o->mesh->triangles.lower, upper = o->mesh->triangles.upper;
    for (int k = 0; k < 8; ++k) {
        const td_vec3 corner =
            td_vec3_make(k & 1 ? upper.x : lower.x, k & 2 ? upper.y : lower.y, k & 4 ? upper.z : lower.z);
        td_box_add(box, td_add(at->position, td_mat3_apply(at->turn, td_sub(corner, o->centre))));
    }
}

td_box td_obstacle_box(const td_obstacle *o, const td_line *at) {
    td_box box = td_nowhere;
    td_bound_line(&box, o, at);
    return box;
}

// ---------------------------------------------------------------------------------------------------------
// Pairs

static bool td_may_meet(uint64_t group_a, uint64_t with_a, uint64_t group_b, uint64_t with_b) {
    return (group_a & with_b) != 0 && (group_b & with_a) != 0;
}

static td_result td_add_pair(td_softs *softs, td_soft_pair pair, bool marked) {
    td_soft *a = softs->list.items[pair.a], *b = pair.b != TD_NONE ? softs->list.items[pair.b] : NULL;
    td_obstacle *o = pair.obstacle != TD_NONE ? &softs->obstacles[pair.obstacle] : NULL;
    pair.thickness = td_pair_thickness(a, b);
    pair.reach = TD_SOFT_REACH * pair.thickness;
    if (marked && !a->marked && !(b != NULL && b->marked) && !(o != NULL && o->marked)) {
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

static bool td_same_line(const td_line *a, const td_line *b) {
    return td_same_point(a->position, b->position) && td_same_point(a->turn.row0, b->turn.row0) &&
           td_same_point(a->turn.row1, b->turn.row1) && td_same_point(a->turn.row2, b->turn.row2);
}

static td_result td_pair_with_softs(td_softs *softs, uint32_t i, bool marked) {
    const td_soft *a = softs->list.items[i];
    if (a->awake && (a->group & a->collides_with) != 0) {
        const td_soft_pair pair = {.a = i, .b = i, .obstacle = TD_NONE, .friction = a->friction};
        TD_TRY(td_add_pair(softs, pair, marked));
    }
    for (uint32_t j = i + 1; j < softs->list.count; ++j) {
        const td_soft *b = softs->list.items[j];
        if ((a->awake || b->awake) && td_may_meet(a->group, a->collides_with, b->group, b->collides_with) &&
            td_boxes_near(&a->side.bounds, &b->side.bounds, 2 * td_pair_thickness(a, b))) {
            const td_soft_pair pair = {
                .a = i, .b = j, .obstacle = TD_NONE, .friction = sqrt(a->friction * b->friction)};
            TD_TRY(td_add_pair(softs, pair, marked));
        }
    }
    return TD_OK;
}

static td_result td_pair_with_obstacle(td_softs *softs, uint32_t index, bool marked) {
    const td_obstacle *o = &softs->obstacles[index];
    td_box bounds = td_nowhere;
    td_bound_line(&bounds, o, &o->line[0]);
    td_bound_line(&bounds, o, &o->line[1]);
    const bool still = td_same_line(&o->line[0], &o->line[1]);
    for (uint32_t i = 0; i < softs->list.count; ++i) {
        const td_soft *a = softs->list.items[i];
        if ((a->awake || !still) && td_may_meet(a->group, a->collides_with, o->group, o->collides_with) &&
            td_boxes_near(&a->side.bounds, &bounds, 2 * a->thickness)) {
            const td_soft_pair pair = {
                .a = i, .b = TD_NONE, .obstacle = index, .friction = sqrt(a->friction * o->friction)};
            TD_TRY(td_add_pair(softs, pair, marked));
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

static void td_path_obstacle(const td_side *side, const td_obstacle *o) {
    for (uint32_t v = 0; v < o->mesh->triangles.vertex_count; ++v) {
        for (int k = 0; k < 2; ++k) {
            side->paths.items[v].at[k] =
                td_obstacle_point(o, side->fitted[k].position, side->fitted[k].turn, v);
        }
    }
}

static td_result td_want_fitting(td_softs *softs, td_side_fitting fitting) {
    TD_TRY(td_array_reserve(softs->context, &softs->fittings, 1));
    softs->fittings.items[softs->fittings.count++] = fitting;
    fitting.side->fitted_in = 0; // until it is
    return TD_OK;
}

static td_result td_want_obstacle(td_softs *softs, uint32_t index) {
    const td_obstacle *o = &softs->obstacles[index];
    td_side *side;
    TD_TRY(td_prepare_obstacle(&side, softs, index));
    if (side->fitted_in == softs->frame_number && td_same_line(&side->fitted[0], &o->line[0]) &&
        td_same_line(&side->fitted[1], &o->line[1])) {
        return TD_OK;
    }
    side->fitted[0] = o->line[0];
    side->fitted[1] = o->line[1];
    const td_ends_fitting fitting = {.ends = &side->ends,
                                     .paths = side->paths.items,
                                     .frame = softs->frame,
                                     .margin = 0.5 * softs->frame_reach};
    return td_want_fitting(softs, (td_side_fitting){side, o, fitting});
}

// What got another line within an outlook has new boxes, and nothing else has. Bodies that sleep keep theirs.
static td_result td_want_soft(td_softs *softs, td_soft *soft) {
    td_side *side = &soft->side;
    const bool framed = side->fitted_in == softs->frame_number;
    const bool fitted = framed && (!soft->awake || side->fitted_look == softs->look_number);
    if (!soft->paired || (fitted && !soft->marked)) {
        return TD_OK;
    }
    const td_ends_fitting fitting = {.ends = &side->ends,
                                     .paths = side->paths.items,
                                     .marks = soft->marked ? softs->marks.items + soft->first : NULL,
                                     .marked_only = fitted,
                                     .frame = softs->frame,
                                     .margin = 0.5 * TD_SOFT_REACH * soft->thickness};
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

static td_result td_fit_sides(td_softs *softs) {
    softs->fittings.count = 0;
    for (size_t i = 0; i < softs->list.count; ++i) {
        TD_TRY(td_want_soft(softs, softs->list.items[i]));
    }
    for (size_t i = 0; i < softs->near.count; ++i) {
        TD_TRY(td_want_obstacle(softs, softs->near.items[i]));
    }
    td_run_tasks(softs->context, td_fit_small, (uint32_t)softs->fittings.count, softs);
    for (size_t i = 0; i < softs->fittings.count; ++i) {
        td_side *side = softs->fittings.items[i].side;
        if (side->ends.quad_count >= TD_LARGE_SIDE) {
            td_ends_fit_together(&softs->fittings.items[i].fitting, softs->context);
        }
        side->fitted_in = softs->frame_number;
        side->fitted_look = softs->look_number;
    }
    return TD_OK;
}

static void td_union_box(td_box *box, td_vec3 lower, td_vec3 upper) {
    td_box_add(box, lower);
    td_box_add(box, upper);
}

// A frame around all that takes part. The old one stays if it will do, so that what stands still needs no new
// boxes.
static td_result td_choose_frame(td_softs *softs) {
    td_box all = td_nowhere;
    double reach = 0;
    for (size_t i = 0; i < softs->list.count; ++i) {
        const td_soft *soft = softs->list.items[i];
        td_union_box(&all, soft->side.bounds.lower, soft->side.bounds.upper);
        reach = fmax(reach, TD_SOFT_REACH * soft->thickness);
    }
    for (size_t i = 0; i < softs->near.count; ++i) {
        const td_obstacle *o = &softs->obstacles[softs->near.items[i]];
        td_bound_line(&all, o, &o->line[0]);
        td_bound_line(&all, o, &o->line[1]);
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

static uint32_t td_lanes_if(bool marked) {
    return marked ? 0xf : 0;
}

static void td_ask_pairs(td_softs *softs, bool marked) {
    const double scale = softs->frame.scale[0] * softs->frame.scale[1];
    const td_vec3 size = td_sub(softs->frame_upper, softs->frame_lower);
    const double rounded = 0x1p-46 * (size.x + size.y + size.z);
    for (size_t i = 0; i < softs->pairs.count; ++i) {
        td_soft_pair *pair = &softs->pairs.items[i];
        pair->beyond = pair->reach * (1 + 0x1p-46) + rounded;
        const td_soft *soft_a = softs->list.items[pair->a],
                      *soft_b = pair->b != TD_NONE ? softs->list.items[pair->b] : NULL;
        pair->all = !marked || (soft_b == NULL && softs->obstacles[pair->obstacle].marked);
        pair->marks[0] = soft_a->marked ? softs->marks.items + soft_a->first : NULL;
        pair->marks[1] = soft_b != NULL && soft_b->marked ? softs->marks.items + soft_b->first : NULL;
        const td_side *a = &soft_a->side,
                      *b = soft_b != NULL ? &soft_b->side : &softs->sides.items[pair->obstacle].side;
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
                                         .best_bits = &softs->unused};
        pair->question = (td_ends_question){
            .a = &a->ends,
            .b = &b->ends,
            .marked = marked,
            .heeded_a = td_lanes_if(soft_a->marked),
            .heeded_b = td_lanes_if(soft_b != NULL && soft_b->marked),
            .all_b = td_lanes_if(soft_b == NULL && softs->obstacles[pair->obstacle].marked),
            .apart = (float)(pair->reach * scale * (1 + 0x1p-20)) + td_apart_slack,
            .swept = swept};
    }
}

td_result td_softs_room_for_lines(td_softs *softs) {
    for (size_t i = 0; i < softs->list.count; ++i) {
        TD_TRY(td_room_for_side(&softs->list.items[i]->side, softs->context));
    }
    return TD_OK;
}

// Who came near in the outlook stays so until it ends.
static void td_forget_pairs(td_softs *softs) {
    for (size_t i = 0; i < softs->near.count; ++i) {
        softs->obstacles[softs->near.items[i]].near = false;
    }
    softs->near.count = 0;
}

td_result td_softs_find_pairs(td_softs *softs, bool marked) {
    if (!marked) {
        td_forget_pairs(softs);
    }
    for (size_t i = 0; i < softs->list.count; ++i) {
        softs->list.items[i]->paired = false;
    }
    softs->pairs.count = 0;
    for (uint32_t i = 0; i < softs->list.count; ++i) {
        TD_TRY(td_pair_with_softs(softs, i, marked));
    }
    for (uint32_t i = 0; i < softs->obstacle_count; ++i) {
        if (softs->obstacles[i].there) {
            TD_TRY(td_pair_with_obstacle(softs, i, marked));
        }
    }
    TD_TRY(td_choose_frame(softs));
    TD_TRY(td_fit_sides(softs));
    td_ask_pairs(softs, marked);
    return TD_OK;
}
