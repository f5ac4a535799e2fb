// Boxes are tested for as many rays at once as a register has doubles, by the operations of
// td_local_ray_meets; triangles for each ray by itself. So tubes are those of td_find_tube.
#include "tubes.h"

#include "../math/wide64.h"

typedef struct td_tube_lanes {
    td_wd origin[3], inverse[3], size[3];
    td_wd begin, end; // of the range of t, with what is lost to rounding
    double slack;
    uint32_t walking; // a bit per lane
} td_tube_lanes;

// A piece per lane; lanes without one have the first.
typedef struct td_piece_lanes {
    td_wd origin[3], direction[3], from, to;
} td_piece_lanes;

static td_piece_lanes td_spread_pieces(const td_tube_question *const *questions, uint32_t count) {
    double values[8][TD_LANES64];
    for (uint32_t i = 0; i < TD_LANES64; ++i) {
        const td_piece *piece = &questions[i < count ? i : 0]->piece;
        const td_vec3 o = piece->origin, d = piece->direction;
        const double mine[8] = {o.x, o.y, o.z, d.x, d.y, d.z, piece->from, piece->to};
        for (int k = 0; k < 8; ++k) {
            values[k][i] = mine[k];
        }
    }
    td_piece_lanes lanes;
    for (int k = 0; k < 3; ++k) {
        lanes.origin[k] = td_wd_load(values[k]);
        lanes.direction[k] = td_wd_load(values[3 + k]);
    }
    lanes.from = td_wd_load(values[6]);
    lanes.to = td_wd_load(values[7]);
    return lanes;
}

TD_OP td_wd td_wd_abs(td_wd a) {
    return td_wd_max(a, -a);
}

TD_OP td_wd td_largest_of(const td_wd v[3]) {
    return td_wd_max(td_wd_abs(v[0]), td_wd_max(td_wd_abs(v[1]), td_wd_abs(v[2])));
}

// td_local_ray_make in lanes.
static td_tube_lanes td_take_questions(td_tube *out, const td_target *target,
                                       const td_tube_question *const *questions, uint32_t count) {
    const td_piece_lanes pieces = td_spread_pieces(questions, count);
    const td_wd scale0 = td_wd_set1(target->scale0), scale1 = td_wd_set1(target->scale1);
    const double centre[3] = {target->origin.x, target->origin.y, target->origin.z};
    td_tube_lanes lanes;
    td_wd direction[3];
    for (int k = 0; k < 3; ++k) {
        lanes.origin[k] = (pieces.origin[k] - td_wd_set1(centre[k])) * scale0 * scale1;
        direction[k] = pieces.direction[k] * scale0 * scale1;
    }
    const td_wd largest = td_largest_of(direction), far = td_largest_of(lanes.origin);
    const td_wd least = td_wd_set1(0x1p-40) * largest, late = td_wd_set1(0x1p-20) / largest;
    for (int k = 0; k < 3; ++k) {
        const td_wd d = direction[k];
        const td_wd bounded = td_wd_pick(td_wd_le(td_wd_set1(0), d), least, -least);
        lanes.inverse[k] = td_wd_set1(1) / td_wd_pick(td_wd_le(least, td_wd_abs(d)), d, bounded);
        lanes.size[k] = td_wd_abs(lanes.inverse[k]);
    }
    lanes.begin = pieces.from - late;
    lanes.end = pieces.to + late;
    lanes.slack = td_local_slack(*target, questions[0]->piece.margin); // of one margin, for all
    lanes.walking = td_wdm_bits(td_wd_le(far, td_wd_set1(TD_LOCAL_FARTHEST))) &
                    td_wdm_bits(td_wd_le(td_wd_set1(TD_LOCAL_LEAST), largest)) &
                    td_wdm_bits(td_wd_le(largest, td_wd_set1(TD_LOCAL_MOST))) & ((1u << count) - 1);
    for (uint32_t i = 0; i < count; ++i) {
        out[i] = lanes.walking >> i & 1u ? td_empty_tube() : td_unknown_tube();
    }
    return lanes;
}

// Which lanes may meet the node: a bit each.
TD_OP uint32_t td_lanes_at_node(const td_tube_lanes *lanes, const td_skip_node *node) {
    td_wd enter = lanes->begin, leave = lanes->end;
    for (int k = 0; k < 3; ++k) {
        const td_wd middle = (td_wd_set1((double)node->center[k]) - lanes->origin[k]) * lanes->inverse[k];
        const td_wd reach = td_wd_set1((double)node->half[k] + lanes->slack) * lanes->size[k];
        enter = td_wd_max(enter, middle - reach);
        leave = td_wd_min(leave, middle + reach);
    }
    return td_wdm_bits(td_wd_le(enter, leave)) & lanes->walking;
}

static void td_tubes_of_lanes(td_tube *out, const td_target *target, const td_tube_question *const *questions,
                              uint32_t count) {
    td_tube_lanes lanes = td_take_questions(out, target, questions, count);
    uint32_t node = 0;
    while (node != TD_TRACE_NONE && lanes.walking != 0) {
        const td_skip_node *at = &target->nodes[node];
        uint32_t here = td_lanes_at_node(&lanes, at);
        if (here == 0) {
            node = at->escape;
            continue;
        }
        if (at->triangle == TD_TRACE_NONE) {
            node = node + 1;
            continue;
        }
        const td_triangle triangle = td_target_triangle(*target, at->triangle);
        for (; here != 0; here &= here - 1) {
            const int i = __builtin_ctz(here);
            td_tube_take(&out[i], triangle, at->triangle, questions[i], target->outward, target->grain);
            lanes.walking &= ~((uint32_t)(out[i].all == 0) << i);
        }
        node = at->escape;
    }
}

void TD_WIDE(td_find_tubes)(td_tube *out, const td_target *target, const td_tube_question *const *questions,
                            uint32_t count) {
    for (uint32_t first = 0; first < count; first += TD_LANES64) {
        const uint32_t left = count - first;
        td_tubes_of_lanes(out + first, target, questions + first, left < TD_LANES64 ? left : TD_LANES64);
    }
}
