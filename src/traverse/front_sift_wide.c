// The first pass of a step of a front (front_step.c): 64 entries at a time are tested, and what there is to
// know of them is put into words, a bit per entry. Which entries overlap is as good as random: so nothing
// branches on a single one of them.
#include "../math/wide.h"
#include "front_sift.h"

enum { TD_BLOCK = 64 };

// Bit k: of entry k of a block.
typedef struct td_front_bits {
    uint64_t meets;
    uint64_t known;  // the lanes of two quads are known, and some count: a tile for as long as it overlaps
    uint64_t beside; // one of its nodes is that of the entry before it, of which it may be the right sibling
} td_front_bits;

static inline __attribute__((always_inline)) td_front_bits td_test_block(const td_test_tree *tree,
                                                                         const td_front_entry *entries,
                                                                         size_t count, td_pair before,
                                                                         bool straight) {
    td_front_bits bits = {0};
    for (size_t k = 0; k < count; ++k) {
        const td_front_entry entry = entries[k];
        const int overlap = straight ? td_split_boxes_overlap(tree->boxes_a + entry.a,
                                                              tree->boxes_b + entry.b, tree->place.slack)
                                     : td_front_overlap(tree, (td_pair){entry.a, entry.b});
        bits.meets = bits.meets >> 1 | (uint64_t)overlap << 63;
        bits.known = bits.known >> 1 | (uint64_t)(entry.lanes - 1 < 0xffffu) << 63;
        bits.beside = bits.beside >> 1 | (uint64_t)((entry.a == before.a) | (entry.b == before.b)) << 63;
        before = (td_pair){entry.a, entry.b};
    }
    const size_t empty = TD_BLOCK - count;
    return (td_front_bits){bits.meets >> empty, bits.known >> empty, bits.beside >> empty};
}

// The nodes below a right sibling follow those below the left one.
static inline uint32_t td_are_siblings(const td_test_tree *tree, td_front_entry left, td_front_entry right) {
    return ((uint32_t)(left.b == right.b) & (uint32_t)(tree->a[left.a].end == right.a)) |
           ((uint32_t)(left.a == right.a) & (uint32_t)(tree->b[left.b].end == right.b));
}

static inline __attribute__((always_inline)) void td_sift_by(td_front_sifted *out, const td_test_tree *tree,
                                                             const td_front_entry *entries, size_t count,
                                                             bool straight) {
    td_pair before = {TD_NONE, TD_NONE};
    uint64_t last_apart = 0;
    for (size_t first = 0; first < count; first += TD_BLOCK) {
        const td_front_entry *block = entries + first;
        const size_t size = count - first < TD_BLOCK ? count - first : TD_BLOCK;
        const td_front_bits bits = td_test_block(tree, block, size, before, straight);
        const uint64_t apart = ~bits.meets & (~(uint64_t)0 >> (TD_BLOCK - size));
        const uint64_t right = apart & bits.beside & (apart << 1 | last_apart);
        const uint64_t down = bits.meets & ~bits.known;
        if (right & 1u) {
            out->movers[out->mover_count] = (uint32_t)(first - 1) << 1;
            out->mover_count += td_are_siblings(tree, block[-1], block[0]);
        }
        for (uint64_t rest = down | right >> 1; rest != 0; rest &= rest - 1) {
            const uint32_t k = (uint32_t)__builtin_ctzll(rest), falls = (uint32_t)(down >> k) & 1u;
            out->movers[out->mover_count] = ((uint32_t)first + k) << 1 | falls;
            out->mover_count += falls != 0 ? 1 : td_are_siblings(tree, block[k], block[k + 1]);
        }
        for (uint64_t rest = bits.meets & bits.known; rest != 0; rest &= rest - 1) {
            const td_front_entry entry = block[__builtin_ctzll(rest)];
            out->tiles[out->tile_count++] = (td_front_tile){entry.a, entry.b, entry.lanes, TD_NO_ENTRY};
        }
        before = (td_pair){block[size - 1].a, block[size - 1].b};
        last_apart = apart >> (size - 1) & 1u;
    }
}

void TD_WIDE(td_front_sift)(td_front_sifted *out, const td_test_tree *tree, const td_front_entry *entries,
                            size_t count) {
    if (tree->one_frame && tree->obbs_a == NULL) {
        td_sift_by(out, tree, entries, count, true);
    } else {
        td_sift_by(out, tree, entries, count, false);
    }
}
