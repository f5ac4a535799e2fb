// The meshes on the device: the arrays of all, one behind the other, one buffer per kind. A mesh is known by
// its serial number.
#include "../core/error.h"
#include "device_state.h"

static const size_t td_arena_sizes[TD_ARENA_KINDS] = {
    [TD_ARENA_BLOCKS] = sizeof(td_block),    [TD_ARENA_SLABS] = sizeof(td_slabs),
    [TD_ARENA_QUADS] = sizeof(td_quad),      [TD_ARENA_LINKS] = sizeof(td_post_links),
    [TD_ARENA_BOXES] = sizeof(td_boxf),      [TD_ARENA_OBBS] = sizeof(td_obbf),
    [TD_ARENA_CORNERS] = 3 * sizeof(double), [TD_ARENA_TRIANGLES] = 3 * sizeof(uint32_t),
};

// Some array of a mesh.
typedef struct td_arena_items {
    const void *items;
    size_t count;
} td_arena_items;

// One mesh of a question.
typedef struct td_arena_mesh {
    const td_trimesh *mesh;
    const td_blocked *blocked;
    const td_postorder *post;
    uint64_t serial;
} td_arena_mesh;

static td_arena_items td_items_of(const td_arena_mesh *mesh, int kind) {
    switch (kind) {
    case TD_ARENA_BLOCKS:
        return (td_arena_items){mesh->blocked->blocks, mesh->blocked->block_count};
    case TD_ARENA_SLABS:
        return (td_arena_items){mesh->blocked->slabs, mesh->blocked->slabs_count};
    case TD_ARENA_QUADS:
        return (td_arena_items){mesh->blocked->quads, mesh->blocked->quad_count};
    case TD_ARENA_LINKS:
        return (td_arena_items){mesh->post->links, mesh->post->node_count};
    case TD_ARENA_BOXES:
        return (td_arena_items){mesh->post->boxes, mesh->post->node_count};
    case TD_ARENA_OBBS:
        return (td_arena_items){mesh->post->obbs, mesh->post->node_count};
    case TD_ARENA_CORNERS:
        return (td_arena_items){NULL, mesh->mesh->vertex_count};
    default:
        return (td_arena_items){mesh->mesh->indices, mesh->mesh->triangle_count};
    }
}

// Vertices may be held as float32, but are meant as float64.
static td_result td_write_corners(td_device_state *state, const td_trimesh *mesh, size_t offset) {
    td_context *context = state->context;
    const size_t count = mesh->vertex_count;
    td_vec3 *corners = TD_NEW(context, td_vec3, count);
    if (corners == NULL) {
        return TD_ERROR_MEMORY;
    }
    for (uint32_t i = 0; i < count; ++i) {
        corners[i] = td_trimesh_vertex(mesh, i);
    }
    const td_result result = td_buffer_write(state->device, &state->arena[TD_ARENA_CORNERS], offset, corners,
                                             count * sizeof(td_vec3));
    TD_DELETE(context, td_vec3, corners, count);
    return result;
}

static td_result td_add_items(td_device_state *state, td_arena_entry *entry, const td_arena_mesh *mesh,
                              int kind) {
    const size_t size = td_arena_sizes[kind], before = state->arena_count[kind];
    const td_arena_items items = td_items_of(mesh, kind);
    if (before + items.count > UINT32_MAX) {
        return td_fail(TD_ERROR_DEVICE,
                       "the meshes of one query have more than 2^32 nodes, vertices or triangles");
    }
    td_device_buffer *buffer = &state->arena[kind];
    const size_t wanted = (before + items.count) * size;
    if (wanted > buffer->size) {
        TD_TRY(td_buffer_reserve(state->device, buffer, wanted, before * size));
    }
    TD_TRY(kind == TD_ARENA_CORNERS
               ? td_write_corners(state, mesh->mesh, before * size)
               : td_buffer_write(state->device, buffer, before * size, items.items, items.count * size));
    entry->first[kind] = (uint32_t)before;
    entry->present |= 1u << kind;
    state->arena_count[kind] = before + items.count;
    return TD_OK;
}

static td_result td_find_entry(td_arena_entry **out, td_device_state *state, uint64_t serial) {
    td_context *context = state->context;
    if (serial >= state->entry_of_serial.count) {
        TD_TRY(td_array_reserve(context, &state->entry_of_serial, serial + 1 - state->entry_of_serial.count));
        while (state->entry_of_serial.count <= serial) {
            state->entry_of_serial.items[state->entry_of_serial.count++] = TD_NONE;
        }
    }
    uint32_t *index = &state->entry_of_serial.items[serial];
    if (*index == TD_NONE) {
        TD_TRY(td_array_reserve(context, &state->entries, 1));
        *index = (uint32_t)state->entries.count;
        state->entries.items[state->entries.count++] = (td_arena_entry){.serial = serial};
    }
    *out = &state->entries.items[*index];
    return TD_OK;
}

static td_result td_load_mesh(td_device_state *state, const td_arena_mesh *mesh, uint32_t kinds) {
    td_arena_entry *entry = NULL;
    TD_TRY(td_find_entry(&entry, state, mesh->serial));
    for (int kind = 0; kind < TD_ARENA_KINDS; ++kind) {
        if ((kinds & ~entry->present) >> kind & 1u) {
            const td_result result = td_add_items(state, entry, mesh, kind);
            if (result != TD_OK) {
                return td_fail(result, "mesh '%s': %s", mesh->mesh->name, td_error_message());
            }
        }
    }
    return TD_OK;
}

static uint32_t td_kinds_read(const td_device_batch *batch, const td_strategy *strategy) {
    uint32_t kinds = 1u << TD_ARENA_QUADS;
    if (strategy->layout == TD_LAYOUT_BLOCKED) {
        kinds |= 1u << TD_ARENA_BLOCKS | 1u << TD_ARENA_SLABS;
    } else {
        kinds |= 1u << TD_ARENA_LINKS;
        kinds |= batch->questions[0].traversal.volume == TD_VOLUME_OBB ? 1u << TD_ARENA_OBBS
                                                                       : 1u << TD_ARENA_BOXES;
    }
    if (td_device_has_float64(batch->state->device)) {
        kinds |= 1u << TD_ARENA_CORNERS | 1u << TD_ARENA_TRIANGLES;
    }
    return kinds;
}

td_result td_device_load_meshes(td_device_batch *batch, const td_strategy *strategy) {
    const uint32_t kinds = td_kinds_read(batch, strategy);
    for (uint32_t i = 0; i < batch->count; ++i) {
        const td_device_question *question = &batch->questions[i];
        if (!td_device_takes(question)) {
            continue;
        }
        const td_traversal *traversal = &question->traversal;
        const td_arena_mesh a = {traversal->mesh_a, traversal->a, traversal->post_a, question->serial_a};
        const td_arena_mesh b = {traversal->mesh_b, traversal->b, traversal->post_b, question->serial_b};
        TD_TRY(td_load_mesh(batch->state, &a, kinds));
        TD_TRY(td_load_mesh(batch->state, &b, kinds));
    }
    return TD_OK;
}

void td_device_forget_meshes(td_device_state *state) {
    for (int kind = 0; kind < TD_ARENA_KINDS; ++kind) {
        td_buffer_release(state->device, &state->arena[kind]);
        state->arena_count[kind] = 0;
    }
    state->entries.count = state->entry_of_serial.count = 0;
}
