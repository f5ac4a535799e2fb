// Whose turn it is: contacts that act in a sub-step are solved one after the other, those of separate slabs
// of space side by side.
//
// At the beginning of a lap space is cut across the axis along which contacts are spread farthest, so that
// about as many contacts are in each slab. A contact belongs to the slabs of its vertices, and of the rigid
// body if contacts can move that. What belongs to one slab shares nothing with what belongs to another, and
// seams between an even slab and the next one share nothing with each other, nor do those after odd ones:
//
//   slab             0       1       2       3
//   first stage     ---     ---     ---     ---
//   second              0|1             2|3
//   third                       1|2
//
// The few that reach farther come last. Slabs do not depend on threads, and each keeps the order of contacts:
// so neither does what comes of it.
//
// Where heavy bodies take part there is one slab: a body of half a ton is moved by all of its contacts, and
// what presses layers together is handed on best in the order of contacts, layer by layer.
#include "../core/context.h"
#include "../core/stages.h"
#include "evaluate.h"

#include <math.h>

enum {
    TD_BLOCK_OF_CONTACTS = 512,
    TD_CONTACTS_OF_SLAB = 256, // at least, or solving them is over before another thread has begun
    TD_BINS = 4096,
    TD_ROUNDS_OF_BODIES = 8, // heavy ones that bear each other, of each pass: they are few
    TD_CONTACT_PASSES = 4    // of layers pressed upon each other one would leave much to the exact tests
};

// In parts of what is wanted: where a pass moves nothing farther than the first, another one is not worth it;
// and what is apart by the second is left alone in passes after the first. Where heavy bodies take part,
// neither.
static const double td_little_change = 0.05, td_spare_gap = 0.02;

// ---------------------------------------------------------------------------------------------------------
// Slabs

// Along an axis: where a slab begins, `bins` wide cells of which have a slab each.
typedef struct td_cut {
    int axis;
    double begin, bins_per_metre;
    uint8_t slab_of[TD_BINS];
} td_cut;

static double td_along(td_vec3 p, int axis) {
    return axis == 0 ? p.x : axis == 1 ? p.y : p.z;
}

static uint32_t td_bin_of(const td_cut *cut, td_vec3 p) {
    const double at = (td_along(p, cut->axis) - cut->begin) * cut->bins_per_metre;
    return !(at > 0) ? 0 : at < TD_BINS ? (uint32_t)at : TD_BINS - 1;
}

// A soft point of a contact that may act soon, at the beginning of the lap; null: it does not.
static const td_vec3 *td_place_of_contact(const td_softs *softs, size_t i) {
    const td_four_points *pair = &softs->near_pairs.items[i];
    return softs->rests.items[i] > 0 ? NULL : &softs->start.items[pair->point[pair->rigid & 1 ? 2 : 0]];
}

// Returns how many may act soon.
static size_t td_choose_axis(td_cut *cut, const td_softs *softs) {
    td_box box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    size_t count = 0;
    for (size_t i = 0; i < softs->contacts.count; ++i) {
        const td_vec3 *p = td_place_of_contact(softs, i);
        if (p != NULL) {
            td_box_add(&box, *p);
            ++count;
        }
    }
    const td_vec3 size = td_sub(box.upper, box.lower);
    cut->axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
    cut->begin = td_along(box.lower, cut->axis);
    const double length = td_along(size, cut->axis);
    cut->bins_per_metre = length > 0 ? TD_BINS / length : 0;
    return count;
}

static void td_cut_evenly(td_cut *cut, const td_softs *softs, size_t count) {
    const size_t most = count / TD_CONTACTS_OF_SLAB;
    const size_t slabs = most < 1 || softs->turns.weighty ? 1 : most < TD_SLABS ? most : TD_SLABS;
    uint32_t bins[TD_BINS] = {0};
    for (size_t i = 0; i < softs->contacts.count; ++i) {
        const td_vec3 *p = td_place_of_contact(softs, i);
        if (p != NULL) {
            ++bins[td_bin_of(cut, *p)];
        }
    }
    size_t before = 0;
    for (uint32_t b = 0; b < TD_BINS; ++b) {
        const size_t slab = count > 0 ? before * slabs / count : 0;
        cut->slab_of[b] = (uint8_t)(slab < slabs ? slab : slabs - 1);
        before += bins[b];
    }
}

static void td_cut_slabs(td_softs *softs) {
    td_cut cut;
    const size_t count = td_choose_axis(&cut, softs);
    td_cut_evenly(&cut, softs, count);
    for (uint32_t v = 0; v < softs->vertex_count; ++v) {
        softs->turns.slab_of.items[v] = cut.slab_of[td_bin_of(&cut, softs->start.items[v])];
    }
    for (size_t i = 0; i < softs->near.count; ++i) {
        td_obstacle *o = &softs->obstacles[softs->near.items[i]];
        o->slab = cut.slab_of[td_bin_of(&cut, o->lap[0].position)];
    }
}

// Groups: a slab each; then a seam each, after the slab of the same number; then all that reaches farther.
enum { TD_SEAMS = TD_SLABS, TD_REACHING = 2 * TD_SLABS };

static uint8_t td_group_of(const td_softs *softs, const td_four_points *pair) {
    uint32_t least = TD_SLABS, most = 0;
    for (int i = 0; i < 4; ++i) {
        if (!(pair->rigid >> i & 1) && softs->weight.items[pair->point[i]] > 0) {
            const uint32_t slab = softs->turns.slab_of.items[pair->point[i]];
            least = slab < least ? slab : least;
            most = slab > most ? slab : most;
        }
    }
    if (pair->obstacle != TD_NONE && softs->obstacles[pair->obstacle].inverse_mass > 0) {
        const uint32_t slab = softs->obstacles[pair->obstacle].slab;
        least = slab < least ? slab : least;
        most = slab > most ? slab : most;
    }
    // None at all: nothing that moves.
    return (uint8_t)(least >= most ? most : most == least + 1 ? TD_SEAMS + least : TD_REACHING);
}

// ---------------------------------------------------------------------------------------------------------
// Evaluating

typedef struct td_turning {
    td_softs *softs;
    double part;        // of the lap
    double spare, rate; // 1/s: sub-steps
    bool first_pass;
    uint32_t group, stride; // of a stage: the first, and from one to the next
} td_turning;

// Most contacts rest: of these only one byte is touched.
static bool td_rests(uint8_t *rest) {
    if (*rest == 0) {
        return false;
    }
    *rest = *rest == TD_DEAD ? *rest : (uint8_t)(*rest - 1);
    return true;
}

// Those that act are listed, in their order.
static void td_evaluate_block(uint32_t block, void *user) {
    const td_turning *turning = user;
    td_softs *softs = turning->softs;
    td_turns *turns = &softs->turns;
    const size_t first = (size_t)block * turns->block_size, rest = softs->contacts.count - first;
    const size_t end = first + (rest < turns->block_size ? rest : turns->block_size);
    td_acting *acting = turns->acting.items + first;
    uint32_t count = 0;
    td_evaluation evaluation;
    td_evaluation_begin(&evaluation, softs, turning->part);
    for (size_t i = first; i < end; ++i) {
        if (!td_rests(&softs->rests.items[i]) && td_evaluation_add(&evaluation, i)) {
            count += td_evaluation_finish(acting + count, &evaluation);
        }
    }
    count += td_evaluation_finish(acting + count, &evaluation);
    for (uint32_t i = 0; i < count; ++i) {
        turns->groups.items[first + i] = td_group_of(softs, &softs->near_pairs.items[acting[i].place]);
    }
    turns->counts.items[block] = count;
}

// All that acts, group by group, in the order of contacts.
static void td_list_places(td_turns *turns) {
    uint32_t ends[TD_TURN_GROUPS] = {0};
    for (uint32_t b = 0; b < turns->block_count; ++b) {
        const uint8_t *groups = turns->groups.items + (size_t)b * turns->block_size;
        for (uint32_t i = 0; i < turns->counts.items[b]; ++i) {
            ++ends[groups[i]];
        }
    }
    uint32_t before = 0;
    for (int g = 0; g < TD_TURN_GROUPS; ++g) {
        turns->first[g] = before;
        turns->left[g] = turns->counted[g] = ends[g];
        before += ends[g];
        ends[g] = turns->first[g];
    }
    for (uint32_t b = 0; b < turns->block_count; ++b) {
        const uint32_t first = b * turns->block_size;
        for (uint32_t i = 0; i < turns->counts.items[b]; ++i) {
            turns->places.items[ends[turns->groups.items[first + i]]++] = first + i;
        }
    }
}

// ---------------------------------------------------------------------------------------------------------
// Solving

static void td_solve_group(uint32_t block, void *user) {
    const td_turning *turning = user;
    td_turns *turns = &turning->softs->turns;
    const uint32_t g = turning->group + block * turning->stride;
    uint32_t *again = turns->again.items + turns->first[g];
    turns->left[g] = td_solve_soft_contacts(
        &turns->change[g], again, turning->softs,
        turning->first_pass ? turns->places.items + turns->first[g] : again, turns->left[g], turning->spare);
}

static void td_slow_group(uint32_t block, void *user) {
    const td_turning *turning = user;
    const td_turns *turns = &turning->softs->turns;
    const uint32_t g = turning->group + block * turning->stride;
    td_slow_soft_contacts(turning->softs, turns->places.items + turns->first[g], turns->counted[g],
                          turning->rate);
}

static void td_take_groups(td_stages *stages, td_turning *turning, td_block_fn *take) {
    static const struct {
        uint32_t first, stride, count;
    } rows[] = {
        {0, 1, TD_SLABS}, {TD_SEAMS, 2, TD_SLABS / 2}, {TD_SEAMS + 1, 2, TD_SLABS / 2}, {TD_REACHING, 1, 1}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        turning->group = rows[i].first;
        turning->stride = rows[i].stride;
        td_stage(stages, take, rows[i].count, turning);
    }
}

// Returns the most that anything was moved by.
static double td_solve_pass(td_stages *stages, td_turning *turning) {
    const td_turns *turns = &turning->softs->turns;
    for (int round = 0; round < TD_ROUNDS_OF_BODIES; ++round) {
        td_softs_solve_pinches(turning->softs, turning->part);
        td_softs_solve_grips(turning->softs);
    }
    td_take_groups(stages, turning, td_solve_group);
    double change = 0;
    for (int g = 0; g < TD_TURN_GROUPS; ++g) {
        change = fmax(change, turns->change[g]);
    }
    return change;
}

void td_softs_take_turns(td_stages *stages, td_softs *softs, double part) {
    td_turns *turns = &softs->turns;
    td_turning turning = {.softs = softs, .part = part, .spare = turns->weighty ? INFINITY : td_spare_gap};
    td_stage(stages, td_evaluate_block, turns->block_count, &turning);
    td_softs_evaluate_pinches(softs);
    td_list_places(turns);
    for (int pass = 0; pass < TD_CONTACT_PASSES; ++pass) {
        turning.first_pass = pass == 0;
        const double change = td_solve_pass(stages, &turning);
        if (!turns->weighty && change < td_little_change) {
            return;
        }
    }
}

void td_softs_slow_turns(td_stages *stages, td_softs *softs, double h) {
    td_turning turning = {.softs = softs, .rate = 1 / h};
    td_take_groups(stages, &turning, td_slow_group);
}

static void td_note_block(uint32_t block, void *user) {
    const td_turning *turning = user;
    const td_softs *softs = turning->softs;
    const td_acting *acting = softs->turns.acting.items + (size_t)block * softs->turns.block_size;
    for (uint32_t i = 0; i < softs->turns.counts.items[block]; ++i) {
        td_soft_contact *contact = &softs->contacts.items[acting[i].place];
        contact->active = true;
        contact->normal = acting[i].normal;
    }
}

void td_softs_end_turns(td_stages *stages, td_softs *softs) {
    td_turning turning = {.softs = softs};
    td_stage(stages, td_note_block, softs->turns.block_count, &turning);
}

td_result td_softs_begin_turns(td_softs *softs) {
    td_turns *turns = &softs->turns;
    const size_t count = softs->contacts.count, most = TD_STAGE_BLOCKS;
    turns->block_size =
        count / most < TD_BLOCK_OF_CONTACTS ? TD_BLOCK_OF_CONTACTS : (uint32_t)(count / most + 1);
    turns->block_count = (uint32_t)((count + turns->block_size - 1) / turns->block_size);
    turns->weighty = td_softs_near_movable(softs);
    turns->acting.count = turns->groups.count = turns->places.count = turns->again.count = 0;
    turns->counts.count = turns->slab_of.count = 0;
    TD_TRY(td_array_reserve(softs->context, &turns->acting, count + 1));
    TD_TRY(td_array_reserve(softs->context, &turns->groups, count + 1));
    TD_TRY(td_array_reserve(softs->context, &turns->places, count + 1));
    TD_TRY(td_array_reserve(softs->context, &turns->again, count + 1));
    TD_TRY(td_array_reserve(softs->context, &turns->counts, turns->block_count));
    TD_TRY(td_array_reserve(softs->context, &turns->slab_of, softs->vertex_count));
    td_cut_slabs(softs);
    return TD_OK;
}

// It is counted, and noted who touches whom.
td_result td_softs_note_turns(td_softs *softs) {
    const td_turns *turns = &softs->turns;
    softs->report.contacts = 0;
    td_softs_note_pinches(softs);
    for (uint32_t b = 0; b < turns->block_count; ++b) {
        for (uint32_t i = 0; i < turns->counts.items[b]; ++i) {
            const td_acting *acting = &turns->acting.items[(size_t)b * turns->block_size + i];
            softs->report.contacts += acting->pushed > 0;
            TD_TRY(td_softs_note_touch(softs, acting->place));
        }
    }
    return TD_OK;
}

void td_turns_release(td_turns *turns, td_context *context) {
    td_array_release(context, &turns->acting);
    td_array_release(context, &turns->groups);
    td_array_release(context, &turns->places);
    td_array_release(context, &turns->again);
    td_array_release(context, &turns->counts);
    td_array_release(context, &turns->slab_of);
}
