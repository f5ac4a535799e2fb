// Memory for the meshes on the device: the arrays of all, one behind the other, one buffer per kind.
//
// A mesh keeps its place as long as what it brings fits there; else it gets another one at the end. What is
// left behind is waste, and so are meshes that have not been met for long. When there is more waste than
// there is not, all is forgotten and begins anew: so memory is bounded by what recent questions were about.
#include "../core/error.h"
#include "device_state.h"

#include <string.h>

enum { TD_LONG_AGO = 1024 }; // batches

static const size_t td_arena_sizes[TD_ARENA_KINDS] = {
    [TD_ARENA_BLOCKS] = sizeof(td_block),        [TD_ARENA_SLABS] = sizeof(td_slabs),
    [TD_ARENA_QUADS] = sizeof(td_quad),          [TD_ARENA_LINKS] = sizeof(td_post_links),
    [TD_ARENA_BOXES] = sizeof(td_boxf),          [TD_ARENA_OBBS] = sizeof(td_obbf),
    [TD_ARENA_CORNERS] = 3 * sizeof(double),     [TD_ARENA_TRIANGLES] = 3 * sizeof(uint32_t),
    [TD_ARENA_LEVELS] = sizeof(uint32_t),        [TD_ARENA_RANKS] = sizeof(uint32_t),
    [TD_ARENA_WELDED] = sizeof(td_quad_corners), [TD_ARENA_SPLIT] = sizeof(td_split_node),
    [TD_ARENA_SPLITS] = sizeof(td_split_box),    [TD_ARENA_TURNED] = sizeof(td_obbf),
};

size_t td_arena_item_size(int kind) {
    return td_arena_sizes[kind];
}

// Where the entry of the mesh is, or would be.
static size_t td_entry_index(const td_device_state *state, uint64_t mesh) {
    size_t low = 0, high = state->entries.count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (state->entries.items[middle].mesh < mesh) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

td_arena_entry *td_arena_find(const td_device_state *state, uint64_t mesh) {
    const size_t index = td_entry_index(state, mesh);
    const bool found = index < state->entries.count && state->entries.items[index].mesh == mesh;
    return found ? &state->entries.items[index] : NULL;
}

td_result td_arena_meet(td_arena_entry **out, td_device_state *state, uint64_t mesh) {
    *out = td_arena_find(state, mesh);
    if (*out == NULL) {
        TD_TRY(td_array_reserve(state->context, &state->entries, 1));
        const size_t index = td_entry_index(state, mesh), behind = state->entries.count - index;
        *out = &state->entries.items[index];
        memmove(*out + 1, *out, behind * sizeof **out);
        state->entries.count++;
        **out = (td_arena_entry){.mesh = mesh};
    }
    (*out)->met = state->batches;
    return TD_OK;
}

td_result td_arena_place(td_device_state *state, td_arena_entry *entry, int kind, size_t count,
                         size_t spare) {
    td_arena_extent *extent = &entry->extents[kind];
    if (extent->room < count) {
        const size_t size = td_arena_sizes[kind], before = state->arena_count[kind], room = count + spare;
        if (before + room > UINT32_MAX) {
            return td_fail(TD_ERROR_DEVICE,
                           "the meshes of one query have more than 2^32 nodes, vertices or triangles");
        }
        td_device_buffer *buffer = &state->arena[kind];
        TD_TRY(td_buffer_reserve(state->device, buffer, (before + room) * size, before * size));
        extent->first = (uint32_t)before;
        extent->room = (uint32_t)room;
        state->arena_count[kind] = before + room;
    }
    extent->count = (uint32_t)count;
    return TD_OK;
}

void td_arena_tidy(td_device_state *state) {
    uint64_t all = 0, met = 0;
    for (int kind = 0; kind < TD_ARENA_KINDS; ++kind) {
        all += state->arena_count[kind] * td_arena_sizes[kind];
    }
    for (size_t i = 0; i < state->entries.count; ++i) {
        const td_arena_entry *entry = &state->entries.items[i];
        for (int kind = 0; kind < TD_ARENA_KINDS && state->batches - entry->met <= TD_LONG_AGO; ++kind) {
            met += entry->extents[kind].room * td_arena_sizes[kind];
        }
    }
    if (all > 2 * met) {
        td_device_forget_meshes(state);
    }
}

void td_device_forget_meshes(td_device_state *state) {
    for (int kind = 0; kind < TD_ARENA_KINDS; ++kind) {
        td_buffer_release(state->device, &state->arena[kind]);
        state->arena_count[kind] = 0;
    }
    for (size_t i = 0; i < state->entries.count; ++i) {
        td_levels_release(&state->entries.items[i].levels, state->context);
        td_levels_release(&state->entries.items[i].ranks, state->context);
    }
    state->entries.count = 0;
}
