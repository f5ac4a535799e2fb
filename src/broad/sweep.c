// Sweep and prune along one axis.
//
// Boxes are kept sorted by their lower bound along the axis on which they are spread out most. A box can only
// overlap those after it whose lower bound is not above its upper one: a run in the sorted order, which is
// compared on the other two axes. From update to update the order changes little, so that insertion sorts it
// in about linear time; where it does not (at first, after a jump, on a new axis) a merge sort takes over.
//
// based on: Baraff, Dynamic simulation of non-penetrating rigid bodies (1992); Cohen, Lin, Manocha, Ponamgi,
// I-COLLIDE (1995). One axis instead of three: there are no lists of pairs to be kept on each, and boxes at
// rest on a grid, whose bounds are the same up to noise, do not swap places over and over.
#include "../core/error.h"
#include "../math/f4.h"
#include "kind.h"

#include <float.h>
#include <math.h>
#include <string.h>

typedef struct td_sweep_key {
    double lower; // along the axis
    uint32_t proxy;
} td_sweep_key;

// A box across the axis, in float32 about an origin: lower bounds and negated upper bounds. Rounding is
// monotone, so that no overlap is missed; boxes that are very close may seem to overlap: the true ones
// decide.
typedef struct td_sweep_face {
    _Alignas(16) float bound[4];
} td_sweep_face;

typedef struct td_sweep {
    int axis;                 // 0, 1, 2
    TD_ARRAY(uint8_t) listed; // per number: is in `order`
    TD_ARRAY(td_sweep_key) order;
    TD_ARRAY(td_sweep_key) spare; // for merging
    // In the order of `order`, made again by each update: what the sweep reads.
    TD_ARRAY(double) lowers;
    TD_ARRAY(double) uppers;
    TD_ARRAY(td_sweep_face) faces;
    TD_ARRAY(uint32_t) hits; // of one box
} td_sweep;

static td_result td_sweep_create(td_broad *broad) {
    td_sweep *sweep = TD_NEW(broad->context, td_sweep, 1);
    if (sweep == NULL) {
        return TD_ERROR_MEMORY;
    }
    *sweep = (td_sweep){0};
    broad->state = sweep;
    return TD_OK;
}

static void td_sweep_destroy(td_broad *broad) {
    td_sweep *sweep = broad->state;
    if (sweep == NULL) {
        return;
    }
    td_array_release(broad->context, &sweep->listed);
    td_array_release(broad->context, &sweep->order);
    td_array_release(broad->context, &sweep->spare);
    td_array_release(broad->context, &sweep->lowers);
    td_array_release(broad->context, &sweep->uppers);
    td_array_release(broad->context, &sweep->faces);
    td_array_release(broad->context, &sweep->hits);
    TD_DELETE(broad->context, td_sweep, sweep, 1);
    broad->state = NULL;
}

static double td_along(td_vec3 v, int axis) {
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

// ---------------------------------------------------------------------------------------------------------
// Who takes part

static td_result td_sweep_reserve(td_sweep *sweep, const td_broad *broad) {
    td_context *context = broad->context;
    const size_t count = broad->proxies.count;
    // The order may hold numbers that are dead by now; all that are alive may have to be added to them.
    TD_TRY(td_array_reserve(context, &sweep->listed, count - sweep->listed.count));
    TD_TRY(td_array_reserve(context, &sweep->order, count - sweep->order.count));
    TD_TRY(td_array_reserve(context, &sweep->spare, count));
    TD_TRY(td_array_reserve(context, &sweep->lowers, count));
    TD_TRY(td_array_reserve(context, &sweep->uppers, count));
    TD_TRY(td_array_reserve(context, &sweep->faces, count));
    TD_TRY(td_array_reserve(context, &sweep->hits, count));
    while (sweep->listed.count < count) {
        sweep->listed.items[sweep->listed.count++] = 0;
    }
    return TD_OK;
}

static void td_sweep_list(td_sweep *sweep, const td_broad *broad) {
    size_t kept = 0;
    for (size_t i = 0; i < sweep->order.count; ++i) {
        const uint32_t proxy = sweep->order.items[i].proxy;
        if (broad->proxies.items[proxy].alive) {
            sweep->order.items[kept++] = sweep->order.items[i];
        } else {
            sweep->listed.items[proxy] = 0;
        }
    }
    sweep->order.count = kept;
    for (size_t i = 0; i < broad->changes.count; ++i) {
        const uint32_t proxy = broad->changes.items[i];
        if (broad->proxies.items[proxy].alive && !sweep->listed.items[proxy]) {
            sweep->listed.items[proxy] = 1;
            sweep->order.items[sweep->order.count++] = (td_sweep_key){0, proxy};
        }
    }
}

// ---------------------------------------------------------------------------------------------------------
// The axis

// Sum of squared distances of the lower bounds from their mean; unbounded boxes say nothing about the spread.
static double td_spread_along(const td_sweep *sweep, const td_box *boxes, int axis) {
    double sum = 0, squares = 0, count = 0;
    const double origin =
        sweep->order.count > 0 ? td_along(boxes[sweep->order.items[0].proxy].lower, axis) : 0;
    const double shift = isfinite(origin) ? origin : 0; // far from zero the squares would cancel
    for (size_t i = 0; i < sweep->order.count; ++i) {
        const double x = td_along(boxes[sweep->order.items[i].proxy].lower, axis) - shift;
        if (isfinite(x)) {
            sum += x;
            squares += x * x;
            count += 1;
        }
    }
    return count > 0 ? squares - sum / count * sum : 0;
}

// A new axis costs a whole sort: only where it promises to be clearly better.
static void td_choose_axis(td_sweep *sweep, const td_box *boxes) {
    const double much_better = 1.5;
    double best = much_better * td_spread_along(sweep, boxes, sweep->axis);
    for (int axis = 0, current = sweep->axis; axis < 3; ++axis) {
        const double spread = axis == current ? 0 : td_spread_along(sweep, boxes, axis);
        if (spread > best) {
            best = spread;
            sweep->axis = axis;
        }
    }
}

// ---------------------------------------------------------------------------------------------------------
// Sorting

// False if it gave up after `budget` moves, leaving the keys in some order.
static bool td_insertion_sort_keys(td_sweep_key *keys, size_t count, size_t budget) {
    size_t moves = 0;
    for (size_t i = 1; i < count && moves <= budget; ++i) {
        const td_sweep_key moving = keys[i];
        size_t k = i;
        while (k > 0 && keys[k - 1].lower > moving.lower) {
            keys[k] = keys[k - 1];
            --k;
        }
        keys[k] = moving;
        moves += i - k;
    }
    return moves <= budget;
}

static void td_merge_runs(td_sweep_key *out, const td_sweep_key *in, size_t middle, size_t count) {
    size_t left = 0, right = middle;
    for (size_t i = 0; i < count; ++i) {
        const bool take_left = left < middle && (right == count || in[left].lower <= in[right].lower);
        out[i] = in[take_left ? left++ : right++];
    }
}

// From runs of one, bottom up.
static void td_merge_sort_keys(td_sweep_key *keys, td_sweep_key *spare, size_t count) {
    td_sweep_key *from = keys, *to = spare;
    for (size_t run = 1; run < count; run *= 2) {
        for (size_t start = 0; start < count; start += 2 * run) {
            const size_t left = count - start;
            td_merge_runs(to + start, from + start, run < left ? run : left, 2 * run < left ? 2 * run : left);
        }
        td_sweep_key *swap = from;
        from = to;
        to = swap;
    }
    if (from != keys) {
        memcpy(keys, from, count * sizeof *keys);
    }
}

static void td_sweep_sort(td_sweep *sweep, const td_box *boxes) {
    const size_t moves_worth_a_merge_sort = 16; // per key
    const size_t count = sweep->order.count;
    for (size_t i = 0; i < count; ++i) {
        td_sweep_key *key = &sweep->order.items[i];
        key->lower = td_along(boxes[key->proxy].lower, sweep->axis);
    }
    if (!td_insertion_sort_keys(sweep->order.items, count, moves_worth_a_merge_sort * count)) {
        td_merge_sort_keys(sweep->order.items, sweep->spare.items, count);
    }
}

// ---------------------------------------------------------------------------------------------------------
// The sweep

// Infinities become finite, so that differences are numbers. Monotone, and the same for -x: what was not
// above another number still is not.
static float td_nearest_float(double x) {
    const double limit = (double)(FLT_MAX / 4);
    return (float)(x < -limit ? -limit : x > limit ? limit : x);
}

static td_sweep_face td_face_of(const td_box *box, int axis, td_vec3 origin) {
    const int across = (axis + 1) % 3, beyond = (axis + 2) % 3;
    const td_vec3 lower = td_sub(box->lower, origin), upper = td_sub(box->upper, origin);
    return (td_sweep_face){
        {td_nearest_float(td_along(lower, across)), td_nearest_float(-td_along(upper, across)),
         td_nearest_float(td_along(lower, beyond)), td_nearest_float(-td_along(upper, beyond))}};
}

static double td_finite_or_zero(double x) {
    return isfinite(x) ? x : 0;
}

// Any origin near the boxes will do: far from it float32 is coarse.
static td_vec3 td_sweep_origin(const td_sweep *sweep, const td_box *boxes) {
    if (sweep->order.count == 0) {
        return (td_vec3){0};
    }
    const td_vec3 p = boxes[sweep->order.items[sweep->order.count / 2].proxy].lower;
    return td_vec3_make(td_finite_or_zero(p.x), td_finite_or_zero(p.y), td_finite_or_zero(p.z));
}

static void td_sweep_gather(td_sweep *sweep, const td_box *boxes) {
    const td_vec3 origin = td_sweep_origin(sweep, boxes);
    for (size_t i = 0; i < sweep->order.count; ++i) {
        const td_box *box = &boxes[sweep->order.items[i].proxy];
        sweep->lowers.items[i] = sweep->order.items[i].lower;
        sweep->uppers.items[i] = td_along(box->upper, sweep->axis);
        sweep->faces.items[i] = td_face_of(box, sweep->axis, origin);
    }
}

// The end of the run after box i: the first whose lower bound is above its upper one.
static size_t td_run_end(const td_sweep *sweep, size_t i) {
    const double upper = sweep->uppers.items[i];
    size_t low = i + 1, high = sweep->order.count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (sweep->lowers.items[middle] <= upper) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

// Places in start ... end - 1 whose faces may overlap that of box i. No branch in the loop: which ones
// overlap is as good as random.
static size_t td_find_hits(td_sweep *sweep, size_t i, size_t start, size_t end) {
    const float *f = sweep->faces.items[i].bound;
    // Negated as a difference, which is never -0: its sign would count.
    const td_f4 limit = td_f4_set(0 - f[1], 0 - f[0], 0 - f[3], 0 - f[2]);
    uint32_t *hits = sweep->hits.items;
    size_t count = 0;
    for (size_t k = start; k < end; ++k) {
        const td_f4 room = td_f4_sub(limit, td_f4_load(sweep->faces.items[k].bound));
        hits[count] = (uint32_t)k;
        count += td_f4_signs(room) == 0;
    }
    return count;
}

static void td_keep_hits(td_broad *broad, const td_sweep *sweep, uint32_t proxy, size_t hit_count) {
    const td_proxy *proxies = broad->proxies.items;
    const td_box *boxes = broad->boxes.items;
    for (size_t i = 0; i < hit_count; ++i) {
        const uint32_t other = sweep->order.items[sweep->hits.items[i]].proxy;
        if (td_boxes_overlap(&boxes[proxy], &boxes[other]) && td_may_meet(&proxies[proxy], &proxies[other])) {
            const td_pair pair = proxy < other ? (td_pair){proxy, other} : (td_pair){other, proxy};
            broad->found.items[broad->found.count++] = pair;
        }
    }
}

static td_result td_sweep_find(td_broad *broad) {
    td_sweep *sweep = broad->state;
    TD_TRY(td_sweep_reserve(sweep, broad));
    td_sweep_list(sweep, broad);
    td_choose_axis(sweep, broad->boxes.items);
    td_sweep_sort(sweep, broad->boxes.items);
    td_sweep_gather(sweep, broad->boxes.items);
    for (size_t i = 0; i < sweep->order.count; ++i) {
        const size_t end = td_run_end(sweep, i);
        const size_t hit_count = td_find_hits(sweep, i, i + 1, end);
        broad->tests += end - (i + 1);
        TD_TRY(td_array_reserve(broad->context, &broad->found, hit_count));
        td_keep_hits(broad, sweep, sweep->order.items[i].proxy, hit_count);
    }
    return td_broad_sort(broad, &broad->found);
}

const td_broad_kind td_broad_sweep = {
    .name = "sweep",
    .idea = "sweep and prune: sorted along the best axis, kept sorted by insertion",
    .create = td_sweep_create,
    .destroy = td_sweep_destroy,
    .find = td_sweep_find,
};
