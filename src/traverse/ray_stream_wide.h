// Rays that go each its own way, by turns: a ray's next step waits for what its last one loaded and found,
// the steps of the others do not. For files that are compiled once per instruction set.
//
// Which boxes a ray meets nobody can foretell, so a step through a block has no branches: it takes the top
// place off the ray's trail and puts those of the boxes that are met in its stead. A ray whose next place is
// a quad waits until most others have come that far; then all these quads are visited.
#ifndef TD_TRAVERSE_RAY_STREAM_WIDE_H
#define TD_TRAVERSE_RAY_STREAM_WIDE_H

#include "ray_visit_wide.h"

enum { TD_FEW_WALKING = 6 }; // with so few in blocks, those at quads need not wait

#define TD_TRAIL_END 0xffffffffu // at the bottom of a trail, where a quad would be: nothing is left

// `rays` through everything below a block; returns those about which nothing more is to be found out. The
// trail of ray i is trails[i - first].
typedef uint32_t td_stream_fn(td_ray_group *group, uint32_t rays, uint32_t root, td_ray_trail *trails,
                              uint32_t first);

typedef struct td_ray_stream {
    td_ray_group *group;
    const td_block *blocks;
    const td_quad *quads;
    uintptr_t items[2]; // the same: of blocks, of quads
    td_ray_trail *trails;
    uint32_t first;
    uint32_t walking, waiting; // rays whose next place is a block, a quad or the end
    uint32_t found;            // rays that are done before their trail ends
} td_ray_stream;

TD_OP td_ray_stream td_begin_stream(td_ray_group *group, uint32_t rays, uint32_t root, td_ray_trail *trails,
                                    uint32_t first) {
    const td_blocked *h = group->batch->hierarchy;
    for (uint32_t bits = rays; bits != 0; bits &= bits - 1) {
        const uint32_t i = (uint32_t)__builtin_ctz(bits);
        td_ray_trail *trail = &trails[i - first];
        trail->held = 2;
        trail->places[0] = td_place_of(0, TD_TRAIL_END);
        trail->places[1] = td_place_of(0, root);
        if ((group->ready >> i & 1u) == 0) {
            td_take_ray(&group->lanes[i], group->sheet, (int)i);
        }
    }
    group->ready |= rays;
    return (td_ray_stream){.group = group,
                           .blocks = h->blocks,
                           .quads = h->quads,
                           .items = {(uintptr_t)h->blocks, (uintptr_t)h->quads},
                           .trails = trails,
                           .first = first,
                           .walking = rays};
}

// Has the processor fetch a block or quad, or, at the end of a trail, whatever is there.
TD_OP void td_fetch_item(const td_ray_stream *stream, uint32_t item) {
    const size_t is_quad = item >> 31;
    const size_t size = sizeof(td_block) + is_quad * (sizeof(td_quad) - sizeof(td_block));
    const uintptr_t at = stream->items[is_quad] + (item & ~TD_QUAD_PLACE) * size;
    td_fetch(at);
    td_fetch(at + 64);
    td_fetch(at + size - 64);
}

// A trail that has become too long: all below its top is visited at once, on a trail of its own.
static void td_leave_trail(td_ray_stream *stream, uint32_t i, td_stream_fn *self) {
    td_ray_trail *trail = &stream->trails[i - stream->first], detour;
    const uint32_t root = (uint32_t)trail->places[--trail->held];
    if (self(stream->group, 1u << i, root, &detour, i) != 0) {
        stream->found |= 1u << i;
        trail->held = 1;
    }
}

// The next place of a ray is a block.
TD_OP void td_step_through_block(td_ray_stream *stream, uint32_t i, td_stream_fn *self) {
    td_ray_trail *trail = &stream->trails[i - stream->first];
    uint32_t held = trail->held;
    if (held > TD_TRAIL) {
        td_leave_trail(stream, i, self);
        held = trail->held;
    } else {
        td_ray_place *top = &trail->places[held - 1];
        held += td_meet_block(top, &stream->blocks[(uint32_t)*top], &stream->group->lanes[i]) - 1;
        trail->held = held;
    }
    const uint32_t next = (uint32_t)trail->places[held - 1], waits = next >> 31 << i;
    td_fetch_item(stream, next);
    stream->walking ^= waits;
    stream->waiting |= waits;
}

// The next place of a ray is a quad, or its trail is at its end.
TD_OP void td_leave_quad(td_ray_stream *stream, uint32_t i, td_ray_mode mode) {
    td_ray_trail *trail = &stream->trails[i - stream->first];
    const uint32_t item = (uint32_t)trail->places[trail->held - 1], self = 1u << i;
    if (item == TD_TRAIL_END) {
        stream->waiting ^= self;
        return;
    }
    if (td_visit_quad(stream->group, (int)i, &stream->quads[item & ~TD_QUAD_PLACE], mode)) {
        stream->waiting ^= self;
        stream->found |= self;
        return;
    }
    const float t_end = stream->group->sheet->t_end[i];
    do {
        --trail->held;
    } while (td_place_time(trail->places[trail->held - 1]) > t_end); // the end is at 0
    const uint32_t next = (uint32_t)trail->places[trail->held - 1], walks = (next >> 31 ^ 1u) << i;
    stream->waiting ^= walks;
    stream->walking |= walks;
}

TD_OP uint32_t td_stream_below(td_ray_group *group, uint32_t rays, uint32_t root, td_ray_trail *trails,
                               uint32_t first, td_ray_mode mode, td_stream_fn *self) {
    td_ray_stream stream = td_begin_stream(group, rays, root, trails, first);
    while ((stream.walking | stream.waiting) != 0) {
        for (uint32_t bits = stream.walking; bits != 0; bits &= bits - 1) {
            td_step_through_block(&stream, (uint32_t)__builtin_ctz(bits), self);
        }
        if (__builtin_popcount(stream.walking) > TD_FEW_WALKING) {
            continue;
        }
        for (uint32_t bits = stream.waiting; bits != 0; bits &= bits - 1) {
            td_leave_quad(&stream, (uint32_t)__builtin_ctz(bits), mode);
        }
    }
    return stream.found;
}

static uint32_t td_stream_to_closest(td_ray_group *group, uint32_t rays, uint32_t root, td_ray_trail *trails,
                                     uint32_t first) {
    return td_stream_below(group, rays, root, trails, first, TD_RAY_CLOSEST, td_stream_to_closest);
}

static uint32_t td_stream_to_any(td_ray_group *group, uint32_t rays, uint32_t root, td_ray_trail *trails,
                                 uint32_t first) {
    return td_stream_below(group, rays, root, trails, first, TD_RAY_ANY, td_stream_to_any);
}

#endif
