// Where the two of a contact are nearest in a sub-step, and whether it acts. Contacts share nothing in this,
// so it is done side by side, in all lanes of a register (gaps.h).
#include "evaluate.h"

#include "../core/context.h"
#include "../predicates/moving.h"
#include "closest.h"

#include <math.h>

// Sub-steps in which a pair that is nearest at the border of a feature need not be looked at again: there are
// others that have the contact meanwhile.
enum { TD_REST_ASIDE = 2 };

static td_vec3 td_point_now(const td_four_points *pair, const td_softs *softs, const td_obstacle *o, int i) {
    return pair->rigid >> i & 1 ? td_obstacle_point(o, o->at.position, o->turn[1], pair->point[i])
                                : softs->x.items[pair->point[i]];
}

// Where it was at the beginning of the lap.
static td_vec3 td_point_before(const td_four_points *pair, const td_softs *softs, const td_obstacle *o,
                               int i) {
    return pair->rigid >> i & 1 ? td_obstacle_point(o, o->lap[0].position, o->turn[0], pair->point[i])
                                : softs->start.items[pair->point[i]];
}

enum { TD_HALVINGS = 24 };

// Two that are on other sides of each other than they began on: whether they went through each other, and not
// around a border or, of a face, turned over. Everything goes straight from the beginning of the lap, as the
// exact tests (certain.c) will take it; when all four are in one plane, the two cross if they do in it.
static bool td_went_through(const td_four_points *pair, const td_softs *softs, const td_obstacle *o,
                            const td_vec3 p[4]) {
    td_path paths[4];
    for (int i = 0; i < 4; ++i) {
        paths[i] = (td_path){{td_point_before(pair, softs, o, i), p[i]}};
    }
    td_vec3 q[4] = {paths[0].at[0], paths[1].at[0], paths[2].at[0], paths[3].at[0]};
    const bool begins = td_spanned(q[1], q[2], q[3], q[0]) > 0;
    if (begins == (td_spanned(p[1], p[2], p[3], p[0]) > 0)) {
        return false;
    }
    double before = 0, after = 1;
    for (int k = 0; k < TD_HALVINGS; ++k) {
        const double middle = 0.5 * (before + after);
        for (int i = 0; i < 4; ++i) {
            q[i] = td_path_at(&paths[i], middle);
        }
        const bool same = begins == (td_spanned(q[1], q[2], q[3], q[0]) > 0);
        before = same ? middle : before;
        after = same ? after : middle;
    }
    return pair->kind == TD_EDGE_EDGE ? td_closest_edges(q[0], q[1], q[2], q[3]).within
                                      : td_closest_vertex_face(q[0], q[1], q[2], q[3]).within;
}

// How far apart the two are to be at a part of the lap.
static double td_wanted(const td_soft_contact *contact, double part) {
    return contact->from < contact->distance ? contact->from + part * (contact->distance - contact->from)
                                             : contact->distance;
}

// What solving needs of the obstacle; `at` is the point of contact, with its sign.
static void td_add_obstacle(td_acting *out, const td_softs *softs, const td_four_points *pair, td_vec3 at) {
    const td_obstacle *o = &softs->obstacles[pair->obstacle];
    const double sign = pair->rigid & 1 ? 1 : -1;
    const td_vec3 arm = td_sub(td_scale(at, sign), o->at.position), own = td_mat3_unapply(o->turn[1], arm);
    out->point_at = at;
    out->slide =
        td_scale(td_sub(td_scale(at, sign), td_add(o->before, td_mat3_apply(o->turn_before, own))), sign);
    if (o->inverse_mass > 0) {
        out->mover = pair->obstacle;
        out->sign = pair->rigid & 1 ? 1 : -1;
        out->arm = arm;
        out->lightness = out->yields;
        out->yields += td_obstacle_weight(o, arm, out->normal);
    }
}

// ---------------------------------------------------------------------------------------------------------
// Looking at many

void td_evaluation_begin(td_evaluation *evaluation, const td_softs *softs, double part) {
    const td_gap_finder *finder = td_gap_finder_for(softs->context->isa);
    evaluation->softs = softs;
    evaluation->part = part;
    evaluation->acting = softs->turns.weighty ? TD_SOFT_ACTIVE_WEIGHTY : TD_SOFT_ACTIVE;
    evaluation->count = evaluation->looks[0].count = evaluation->looks[1].count = 0;
    evaluation->looks[0].finder = &finder[0];
    evaluation->looks[1].finder = &finder[1];
}

bool td_evaluation_add(td_evaluation *evaluation, size_t place) {
    // Those that do not rest are far from each other in memory.
    __builtin_prefetch(&evaluation->softs->near_pairs.items[place]);
    __builtin_prefetch(&evaluation->softs->contacts.items[place].from_normal);
    evaluation->places[evaluation->count++] = (uint32_t)place;
    return evaluation->count == TD_GAPS_MOST;
}

static void td_look_at(td_evaluation *evaluation, uint32_t place) {
    const td_softs *softs = evaluation->softs;
    const td_four_points *pair = &softs->near_pairs.items[place];
    const td_soft_contact *contact = &softs->contacts.items[place];
    const td_obstacle *o = pair->obstacle != TD_NONE ? &softs->obstacles[pair->obstacle] : NULL;
    td_looks *looks = &evaluation->looks[pair->kind == TD_EDGE_EDGE];
    const uint32_t lane = looks->count++;
    for (int i = 0; i < 4; ++i) {
        td_lanes3_put(&looks->asked.point[i], lane, td_point_now(pair, softs, o, i));
    }
    td_lanes3_put(&looks->asked.from_normal, lane, contact->from_normal);
    looks->asked.sign[lane] = contact->sign;
    looks->wanted[lane] = td_wanted(contact, evaluation->part);
    looks->pace[lane] = contact->pace;
    looks->place[lane] = place;
}

static void td_move_lane(td_looks *looks, uint32_t to, uint32_t from) {
    for (int i = 0; i < 4; ++i) {
        td_lanes3_put(&looks->asked.point[i], to, td_lanes3_at(&looks->asked.point[i], from));
    }
    td_lanes3_put(&looks->asked.from_normal, to, td_lanes3_at(&looks->asked.from_normal, from));
    looks->asked.sign[to] = looks->asked.sign[from];
    looks->wanted[to] = looks->wanted[from];
    looks->pace[to] = looks->pace[from];
    looks->place[to] = looks->place[from];
}

// Most of those that do not act are told so by how far they are ahead, and left out.
static void td_leave_out(td_evaluation *evaluation, td_looks *looks) {
    const td_softs *softs = evaluation->softs;
    double ahead[TD_GAPS_MOST];
    looks->finder->ahead(ahead, &looks->asked, looks->count);
    uint32_t left = 0;
    for (uint32_t lane = 0; lane < looks->count; ++lane) {
        const double spare = ahead[lane] - evaluation->acting * looks->wanted[lane];
        if (spare > 0) {
            softs->rests.items[looks->place[lane]] = td_rest_of(spare, looks->pace[lane]);
        } else {
            td_move_lane(looks, left++, lane);
        }
    }
    looks->count = left;
}

// Who went around is apart on that side. Pushed back to the other one, it would be pushed through.
static double td_gap_of(td_vec3 *normal, const td_softs *softs, const td_looks *looks, uint32_t lane) {
    const double gap = looks->found.gap[lane];
    *normal = td_lanes3_at(&looks->found.normal, lane);
    if (gap < 0) {
        const td_four_points *pair = &softs->near_pairs.items[looks->place[lane]];
        const td_obstacle *o = pair->obstacle != TD_NONE ? &softs->obstacles[pair->obstacle] : NULL;
        td_vec3 p[4];
        for (int i = 0; i < 4; ++i) {
            p[i] = td_lanes3_at(&looks->asked.point[i], lane);
        }
        if (!td_went_through(pair, softs, o, p)) {
            *normal = td_scale(*normal, -1);
            return -gap;
        }
    }
    return gap;
}

// `out` has the normal.
static void td_make_acting(td_acting *out, const td_softs *softs, const td_looks *looks, uint32_t lane) {
    const uint32_t place = looks->place[lane];
    const td_four_points *pair = &softs->near_pairs.items[place];
    const td_vec3 nothing = td_vec3_make(0, 0, 0);
    out->wanted = looks->wanted[lane];
    out->yields = out->pushed = 0;
    out->rubbed = out->point_at = out->slide = nothing;
    out->points = 0;
    out->friction = softs->contacts.items[place].friction;
    out->mover = TD_NONE;
    out->place = place;
    td_vec3 at = nothing;
    for (int i = 0; i < 4; ++i) {
        const double k = looks->found.weight[i][lane];
        if (pair->rigid >> i & 1) {
            at = td_add(at, td_scale(td_lanes3_at(&looks->asked.point[i], lane), k));
        } else {
            out->point[out->points] = pair->point[i];
            out->weight[out->points++] = k;
            out->yields += k * k * softs->weight.items[pair->point[i]];
        }
    }
    if (pair->obstacle != TD_NONE) {
        td_add_obstacle(out, softs, pair, at);
    }
}

// Whether it acts: then `out` says how.
static bool td_judge_look(td_acting *out, const td_evaluation *evaluation, const td_looks *looks,
                          uint32_t lane) {
    const td_softs *softs = evaluation->softs;
    const double acts = evaluation->acting * looks->wanted[lane];
    const double gap = td_gap_of(&out->normal, softs, looks, lane);
    uint8_t *rest = &softs->rests.items[looks->place[lane]];
    if (!(gap < acts)) {
        *rest = td_rest_of(looks->found.length[lane] - acts, looks->pace[lane]);
        *rest = gap < INFINITY || *rest > TD_REST_ASIDE ? *rest : TD_REST_ASIDE;
        return false;
    }
    *rest = 0;
    td_make_acting(out, softs, looks, lane);
    return true;
}

uint32_t td_evaluation_finish(td_acting *out, td_evaluation *evaluation) {
    td_looks *faces = &evaluation->looks[0], *edges = &evaluation->looks[1];
    for (uint32_t i = 0; i < evaluation->count; ++i) {
        td_look_at(evaluation, evaluation->places[i]);
    }
    for (int i = 0; i < 2; ++i) {
        td_looks *looks = &evaluation->looks[i];
        td_leave_out(evaluation, looks);
        looks->finder->find(&looks->found, &looks->asked, looks->count);
    }
    // Both are in the order of contacts, and so is what acts.
    uint32_t acting = 0;
    for (uint32_t f = 0, e = 0; f < faces->count || e < edges->count;) {
        const bool face = e == edges->count || (f < faces->count && faces->place[f] < edges->place[e]);
        acting += face ? td_judge_look(&out[acting], evaluation, faces, f++)
                       : td_judge_look(&out[acting], evaluation, edges, e++);
    }
    evaluation->count = faces->count = edges->count = 0;
    return acting;
}

// ---------------------------------------------------------------------------------------------------------

extern const td_gap_finder td_gap_finders_scalar[2];
#if defined(__x86_64__)
extern const td_gap_finder td_gap_finders_sse4[2], td_gap_finders_avx2[2], td_gap_finders_avx512[2];
#elif defined(__aarch64__)
extern const td_gap_finder td_gap_finders_neon[2];
#endif

const td_gap_finder *td_gap_finder_for(td_isa isa) {
    switch (isa) {
#if defined(__x86_64__)
    case TD_ISA_SSE4:
        return td_gap_finders_sse4;
    case TD_ISA_AVX2:
        return td_gap_finders_avx2;
    case TD_ISA_AVX512:
        return td_gap_finders_avx512;
#elif defined(__aarch64__)
    case TD_ISA_NEON:
        return td_gap_finders_neon;
#endif
    default:
        return td_gap_finders_scalar;
    }
}
