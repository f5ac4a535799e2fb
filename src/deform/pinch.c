// Pinches: two rigid bodies with layers of soft ones between them.
//
// Contacts are solved one after the other. What a heavy body does to a vertex that weighs a gram the vertex
// would have to hand on to the body on its other side, and back: that takes as many rounds as the one is
// heavier than the other, and meanwhile the two come nearer to each other until only exact tests keep them
// from each other, and the layers between are pressed to nothing. But what is so light hands on whatever it
// gets: so the two bodies act on each other as if they touched, by the thickness of all that is between them.
// Such columns are found among the contacts at the beginning of a lap, and solved before these. A soft body
// that sleeps is a wall like a ground: columns begin at it, too.
#include "softs.h"

#include <math.h>

// Two directions that differ by less than 45 degrees are of one column.
static const double td_alike = 0.7;

enum { TD_LAYER_SWEEPS = 4 }; // over all contacts, each time the other way around

// ---------------------------------------------------------------------------------------------------------
// Columns

// A contact as part of a column: its main vertices, and how it gives.
typedef struct td_layer {
    uint32_t first, second; // vertices, of a body or of the obstacle
    uint32_t wall;          // what a column begins at there: an obstacle, or a body that sleeps; TD_NONE
    uint32_t upon;          // which of the two lies upon it: 0, 1
    td_vec3 normal;         // from the second to the first
    double from, give, friction;
} td_layer;

static const td_soft *td_owner_of(const td_softs *softs, const td_soft_contact *contact, uint32_t vertex) {
    const td_soft *a = softs->list.items[contact->a];
    return vertex - a->first < a->form->vertex_count ? a : softs->list.items[contact->b];
}

static void td_find_wall(td_layer *layer, const td_softs *softs, size_t place) {
    const td_four_points *pair = &softs->near_pairs.items[place];
    const td_soft_contact *contact = &softs->contacts.items[place];
    layer->wall = pair->obstacle;
    layer->upon = pair->rigid & 1;
    for (uint32_t k = 0; pair->obstacle == TD_NONE && k < 2 && contact->a != contact->b; ++k) {
        const td_soft *owner = td_owner_of(softs, contact, k == 0 ? layer->first : layer->second);
        if (!owner->awake) {
            layer->wall = owner->body;
            layer->upon = 1 - k;
        }
    }
}

static td_layer td_layer_of(const td_softs *softs, size_t place) {
    const td_four_points *pair = &softs->near_pairs.items[place];
    const td_soft_contact *contact = &softs->contacts.items[place];
    td_layer layer = {.first = pair->point[contact->main & 3],
                      .second = pair->point[contact->main >> 2],
                      .normal = contact->from_normal,
                      .from = contact->from,
                      .give = contact->distance - contact->from,
                      .friction = (double)contact->friction};
    td_find_wall(&layer, softs, place);
    return layer;
}

// Nearest points at a border tell little of how the two lie upon each other, and others are nearer there.
static bool td_is_layer(const td_softs *softs, size_t place) {
    return softs->rests.items[place] != TD_DEAD && softs->contacts.items[place].within;
}

static td_result td_add_pinch(td_softs *softs, const td_column *a, const td_column *b, double give,
                              double friction) {
    const td_obstacle *oa = &softs->obstacles[a->obstacle], *ob = &softs->obstacles[b->obstacle];
    const td_vec3 between = td_sub(b->along, a->along);
    const double length = td_length(between);
    if (!(oa->inverse_mass + ob->inverse_mass > 0) || !(length > 0)) {
        return TD_OK;
    }
    TD_TRY(td_array_reserve(softs->context, &softs->pinches, 1));
    const td_vec3 normal = td_scale(between, 1 / length);
    const double from = td_dot(normal, td_sub(a->base, b->base));
    softs->pinches.items[softs->pinches.count++] =
        (td_pinch){.a = a->obstacle,
                   .b = b->obstacle,
                   .at_a = td_mat3_unapply(oa->turn[0], td_sub(a->base, oa->lap[0].position)),
                   .at_b = td_mat3_unapply(ob->turn[0], td_sub(b->base, ob->lap[0].position)),
                   .normal = normal,
                   .from = from,
                   .wanted = from + fmin(0, a->give + b->give + give),
                   .friction = fmin(friction, fmin(a->friction, b->friction))};
    return TD_OK;
}

static bool td_are_opposed(const td_column *a, const td_column *b) {
    return a->obstacle != b->obstacle && td_dot(a->along, b->along) < -td_alike;
}

static uint32_t td_vertex_upon(const td_layer *layer) {
    return layer->upon ? layer->second : layer->first;
}

// The column that a contact with a wall begins. It stands where the vertex is nearest to that, whose
// triangles may be large.
static td_column td_column_of(const td_softs *softs, const td_layer *layer) {
    const td_vec3 along = td_scale(layer->normal, layer->upon ? -1 : 1);
    return (td_column){.obstacle = layer->wall,
                       .base =
                           td_sub(softs->start.items[td_vertex_upon(layer)], td_scale(along, layer->from)),
                       .along = along,
                       .give = layer->give,
                       .friction = layer->friction};
}

// The nearest of a vertex is what it stands on.
static void td_begin_column(td_softs *softs, const td_layer *layer) {
    td_column *column = &softs->columns.items[td_vertex_upon(layer)];
    if (column->obstacle == TD_NONE || layer->give > column->give) {
        *column = td_column_of(softs, layer);
    }
}

// A vertex with a wall on either side.
static td_result td_end_column(td_softs *softs, const td_layer *layer) {
    const td_column other = td_column_of(softs, layer),
                    *column = &softs->columns.items[td_vertex_upon(layer)];
    return td_are_opposed(column, &other) ? td_add_pinch(softs, column, &other, 0, layer->friction) : TD_OK;
}

// Onto the other side of a layer.
static void td_raise_column(td_column *to, const td_column *from, const td_layer *layer, double sign) {
    if (to->obstacle == TD_NONE && from->obstacle != TD_NONE &&
        sign * td_dot(from->along, layer->normal) > td_alike) {
        *to = *from;
        to->give += layer->give;
        to->friction = fmin(to->friction, layer->friction);
    }
}

static td_result td_join_columns(td_softs *softs, const td_layer *layer) {
    const td_column *a = &softs->columns.items[layer->first], *b = &softs->columns.items[layer->second];
    if (a->obstacle == TD_NONE || b->obstacle == TD_NONE || !td_are_opposed(a, b) ||
        !(td_dot(b->along, layer->normal) > td_alike) || !(td_dot(a->along, layer->normal) < -td_alike)) {
        return TD_OK;
    }
    return td_add_pinch(softs, a, b, layer->give, layer->friction);
}

bool td_softs_near_movable(const td_softs *softs) {
    bool any = false;
    for (size_t i = 0; i < softs->near.count; ++i) {
        any = any || softs->obstacles[softs->near.items[i]].inverse_mass > 0;
    }
    return any;
}

static void td_raise_columns(td_softs *softs, size_t place) {
    const td_layer layer = td_layer_of(softs, place);
    if (layer.wall == TD_NONE) {
        td_column *a = &softs->columns.items[layer.first], *b = &softs->columns.items[layer.second];
        td_raise_column(a, b, &layer, 1);
        td_raise_column(b, a, &layer, -1);
    }
}

static td_result td_meet_columns(td_softs *softs, size_t place) {
    const td_layer layer = td_layer_of(softs, place);
    return layer.wall != TD_NONE ? td_end_column(softs, &layer) : td_join_columns(softs, &layer);
}

// The contacts that columns are made of.
static td_result td_list_layers(td_softs *softs) {
    softs->layers.count = 0;
    TD_TRY(td_array_reserve(softs->context, &softs->layers, softs->contacts.count));
    for (size_t i = 0; i < softs->contacts.count; ++i) {
        if (td_is_layer(softs, i)) {
            softs->layers.items[softs->layers.count++] = (uint32_t)i;
        }
    }
    return TD_OK;
}

td_result td_softs_find_pinches(td_softs *softs) {
    softs->pinches.count = softs->columns.count = 0;
    if (!td_softs_near_movable(softs)) {
        return TD_OK;
    }
    TD_TRY(td_array_reserve(softs->context, &softs->columns, softs->vertex_count));
    for (uint32_t v = 0; v < softs->vertex_count; ++v) {
        softs->columns.items[v].obstacle = TD_NONE;
    }
    TD_TRY(td_list_layers(softs));
    const uint32_t *layers = softs->layers.items;
    const size_t count = softs->layers.count;
    for (size_t i = 0; i < count; ++i) {
        const td_layer layer = td_layer_of(softs, layers[i]);
        if (layer.wall != TD_NONE) {
            td_begin_column(softs, &layer);
        }
    }
    for (int sweep = 0; sweep < TD_LAYER_SWEEPS; ++sweep) {
        for (size_t k = 0; k < count; ++k) {
            td_raise_columns(softs, layers[sweep & 1 ? count - 1 - k : k]);
        }
    }
    for (size_t i = 0; i < count; ++i) {
        TD_TRY(td_meet_columns(softs, layers[i]));
    }
    return TD_OK;
}

// ---------------------------------------------------------------------------------------------------------
// Sub-steps

void td_softs_evaluate_pinches(td_softs *softs) {
    for (size_t i = 0; i < softs->pinches.count; ++i) {
        td_pinch *pinch = &softs->pinches.items[i];
        const td_obstacle *a = &softs->obstacles[pinch->a], *b = &softs->obstacles[pinch->b];
        pinch->arm_a = td_mat3_apply(a->turn[1], pinch->at_a);
        pinch->arm_b = td_mat3_apply(b->turn[1], pinch->at_b);
        const td_vec3 at_a = td_add(a->at.position, pinch->arm_a),
                      at_b = td_add(b->at.position, pinch->arm_b);
        pinch->apart = td_dot(pinch->normal, td_sub(at_a, at_b));
        const td_vec3 before_a = td_add(a->before, td_mat3_apply(a->turn_before, pinch->at_a)),
                      before_b = td_add(b->before, td_mat3_apply(b->turn_before, pinch->at_b));
        pinch->slide = td_sub(td_sub(at_a, before_a), td_sub(at_b, before_b));
        pinch->pushed = 0;
        pinch->rubbed = td_vec3_make(0, 0, 0);
    }
}

static void td_solve_pinch(td_softs *softs, td_pinch *pinch, double part) {
    td_obstacle *a = &softs->obstacles[pinch->a], *b = &softs->obstacles[pinch->b];
    const td_vec3 n = pinch->normal;
    const td_vec3 moved =
        td_sub(td_nudged_at(&a->moved, pinch->arm_a), td_nudged_at(&b->moved, pinch->arm_b));
    const double wanted = pinch->from + part * (pinch->wanted - pinch->from);
    const double missing = wanted - pinch->apart - td_dot(n, moved);
    const double weight = td_obstacle_weight(a, pinch->arm_a, n) + td_obstacle_weight(b, pinch->arm_b, n);
    const double pushed = fmax(0, pinch->pushed + missing / weight);
    if (pushed == 0 && pinch->pushed == 0) {
        return;
    }
    td_vec3 impulse = td_scale(n, pushed - pinch->pushed);
    pinch->pushed = pushed;
    pinch->acted = true;
    const td_vec3 way = td_add(pinch->slide, moved), slip = td_sub(way, td_scale(n, td_dot(n, way)));
    const double slid = td_length(slip);
    const td_vec3 t = slid > 0 ? td_scale(slip, 1 / slid) : n;
    const double along = td_obstacle_weight(a, pinch->arm_a, t) + td_obstacle_weight(b, pinch->arm_b, t);
    const td_vec3 rubbed = td_rub(pinch->rubbed, slip, along, pinch->friction * pushed);
    impulse = td_add(impulse, td_sub(rubbed, pinch->rubbed));
    pinch->rubbed = rubbed;
    td_push_obstacle(&a->moved, a, pinch->arm_a, impulse);
    td_push_obstacle(&b->moved, b, pinch->arm_b, td_scale(impulse, -1));
}

enum { TD_PINCH_ROUNDS = 4 };

void td_softs_solve_pinches(td_softs *softs, double part) {
    for (int round = 0; round < TD_PINCH_ROUNDS; ++round) {
        for (size_t i = 0; i < softs->pinches.count; ++i) {
            td_solve_pinch(softs, &softs->pinches.items[i], part);
        }
    }
}
