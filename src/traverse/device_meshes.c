// The meshes of a batch on the device: what is missing is copied there; what has other positions than it had
// is refitted there, so that only positions go over the bus.
#include "../bvh/refit.h"
#include "../core/error.h"
#include "../core/memory.h"
#include "device_state.h"

#define TD_KIND(name) (1u << TD_ARENA_##name)

enum {
    TD_SPARE_SHARE = 8, // a deformable mesh has an eighth more room: its next hierarchy may have more nodes
    TD_BLOCK_KINDS = TD_KIND(BLOCKS) | TD_KIND(SLABS) | TD_KIND(QUADS), // refitted together,
    TD_NODE_KINDS = TD_KIND(BOXES) | TD_KIND(OBBS),                     // ... and so are these
    TD_SPLIT_KINDS = TD_KIND(SPLITS) | TD_KIND(TURNED),                 // are refitted by the host
    TD_MOVING_KINDS = TD_BLOCK_KINDS | TD_NODE_KINDS | TD_SPLIT_KINDS | TD_KIND(CORNERS) // change with the
                                                                                         // positions
};

// One mesh of a question.
typedef struct td_arena_mesh {
    const td_trimesh *mesh;
    const td_blocked *blocked;
    const td_postorder *post;
    const td_split_tree *split;
    td_mesh_stamp stamp;
} td_arena_mesh;

// Some array of a mesh.
typedef struct td_arena_items {
    const void *items;
    size_t count;
} td_arena_items;

static td_arena_items td_items_of(const td_arena_mesh *mesh, const td_arena_entry *entry, int kind) {
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
    case TD_ARENA_WELDED:
        return (td_arena_items){mesh->blocked->corners, mesh->blocked->quad_count};
    case TD_ARENA_LEVELS:
        return (td_arena_items){entry->levels.order, entry->levels.node_count};
    case TD_ARENA_RANKS:
        return (td_arena_items){entry->ranks.order, entry->ranks.node_count};
    case TD_ARENA_SPLIT:
        return (td_arena_items){mesh->split->nodes, mesh->split->node_count};
    case TD_ARENA_SPLITS:
        return (td_arena_items){mesh->split->boxes, mesh->split->node_count};
    case TD_ARENA_TURNED:
        return (td_arena_items){mesh->split->obbs, mesh->split->node_count};
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

// ---------------------------------------------------------------------------------------------------------
// Copying

// Levels are made when they are first wanted.
static td_result td_make_levels(td_device_state *state, td_arena_entry *entry, const td_arena_mesh *mesh,
                                int kind) {
    if (kind == TD_ARENA_LEVELS) {
        td_levels_release(&entry->levels, state->context);
        return td_levels_of_blocks(&entry->levels, mesh->blocked, state->context);
    }
    if (kind == TD_ARENA_RANKS) {
        td_levels_release(&entry->ranks, state->context);
        return td_levels_of_nodes(&entry->ranks, mesh->post, state->context);
    }
    return TD_OK;
}

static td_result td_copy_items(td_device_state *state, td_arena_entry *entry, const td_arena_mesh *mesh,
                               int kind) {
    TD_TRY(td_make_levels(state, entry, mesh, kind));
    const size_t size = td_arena_item_size(kind);
    const td_arena_items items = td_items_of(mesh, entry, kind);
    td_arena_extent *extent = &entry->extents[kind];
    extent->present = false;
    TD_TRY(td_arena_place(state, entry, kind, items.count,
                          mesh->mesh->deformable ? items.count / TD_SPARE_SHARE : 0));
    const size_t offset = extent->first * size;
    TD_TRY(kind == TD_ARENA_CORNERS ? td_write_corners(state, mesh->mesh, offset)
                                    : td_buffer_write(state->device, &state->arena[kind], offset, items.items,
                                                      items.count * size));
    extent->present = true;
    extent->refits = mesh->stamp.refits;
    return TD_OK;
}

// The order is on the device now; which nodes are of which level stays known.
static void td_drop_orders(td_device_state *state, td_arena_entry *entry) {
    td_levels *both[2] = {&entry->levels, &entry->ranks};
    for (int i = 0; i < 2; ++i) {
        TD_DELETE(state->context, uint32_t, both[i]->order, both[i]->node_count);
        both[i]->order = NULL;
    }
}

static td_result td_copy_kinds(td_device_state *state, td_arena_entry *entry, const td_arena_mesh *mesh,
                               uint32_t kinds) {
    td_result result = TD_OK;
    for (int kind = 0; kind < TD_ARENA_KINDS && result == TD_OK; ++kind) {
        if (kinds >> kind & 1u) {
            result = td_copy_items(state, entry, mesh, kind);
        }
    }
    td_drop_orders(state, entry);
    return result;
}

// ---------------------------------------------------------------------------------------------------------
// Refitting

// Those of `kinds` that are there, but with positions of before; and those that are not there.
static uint32_t td_old_kinds(const td_arena_entry *entry, const td_arena_mesh *mesh, uint32_t kinds) {
    uint32_t old = 0;
    for (int kind = 0; kind < TD_ARENA_KINDS; ++kind) {
        const td_arena_extent *extent = &entry->extents[kind];
        const bool moved = (TD_MOVING_KINDS >> kind & 1u) && extent->refits != mesh->stamp.refits;
        old |= (uint32_t)(extent->present && moved) << kind;
    }
    return old & kinds;
}

static uint32_t td_missing_kinds(const td_arena_entry *entry, uint32_t kinds) {
    uint32_t missing = 0;
    for (int kind = 0; kind < TD_ARENA_KINDS; ++kind) {
        missing |= (uint32_t)!entry->extents[kind].present << kind;
    }
    return missing & kinds;
}

static td_device_hierarchy td_hierarchy_at(const td_device_state *state, const td_arena_entry *entry,
                                           const td_arena_mesh *mesh) {
    const td_device_buffer *arena = state->arena;
    const td_arena_extent *at = entry->extents;
    return (td_device_hierarchy){
        .blocks = &arena[TD_ARENA_BLOCKS],
        .slabs = &arena[TD_ARENA_SLABS],
        .quads = &arena[TD_ARENA_QUADS],
        .links = &arena[TD_ARENA_LINKS],
        .boxes = &arena[TD_ARENA_BOXES],
        .corners = &arena[TD_ARENA_CORNERS],
        .triangles = &arena[TD_ARENA_TRIANGLES],
        .place = {at[TD_ARENA_BLOCKS].first, at[TD_ARENA_SLABS].first, at[TD_ARENA_QUADS].first,
                  at[TD_ARENA_LINKS].first, at[TD_ARENA_BOXES].first, at[TD_ARENA_OBBS].first,
                  at[TD_ARENA_CORNERS].first, at[TD_ARENA_TRIANGLES].first, 0},
        .frame = td_local_frame_of(mesh->blocked),
    };
}

static td_result td_refit_kinds(td_device_state *state, td_arena_entry *entry, const td_arena_mesh *mesh,
                                uint32_t kinds) {
    td_device_hierarchy hierarchy = td_hierarchy_at(state, entry, mesh);
    if (kinds & TD_BLOCK_KINDS) {
        hierarchy.levels = &state->arena[TD_ARENA_LEVELS];
        hierarchy.place.levels = entry->extents[TD_ARENA_LEVELS].first;
        TD_TRY(td_refit_blocks_on_device(state->device, &hierarchy, &entry->levels, &state->refit));
    }
    if (kinds & TD_NODE_KINDS) {
        hierarchy.levels = &state->arena[TD_ARENA_RANKS];
        hierarchy.place.levels = entry->extents[TD_ARENA_RANKS].first;
        hierarchy.obbs = kinds & TD_KIND(OBBS) ? &state->arena[TD_ARENA_OBBS] : NULL;
        TD_TRY(td_refit_nodes_on_device(state->device, &hierarchy, &entry->ranks, &state->refit));
    }
    for (int kind = 0; kind < TD_ARENA_KINDS; ++kind) {
        if (kinds >> kind & 1u) {
            entry->extents[kind].refits = mesh->stamp.refits;
        }
    }
    return TD_OK;
}

// Of the old kinds those that the device can refit. Oriented boxes turn from where they were: they must be
// one step behind, else they would be other boxes than those of the host.
static uint32_t td_refittable(const td_device_state *state, const td_arena_entry *entry,
                              const td_arena_mesh *mesh, uint32_t old) {
    if (!td_device_has_float64(state->device)) {
        return 0;
    }
    const bool turned = entry->extents[TD_ARENA_OBBS].refits + 1 == mesh->stamp.refits;
    const uint32_t blocks = (old & TD_BLOCK_KINDS) == TD_BLOCK_KINDS ? TD_BLOCK_KINDS : 0;
    const uint32_t nodes = turned && (old & TD_KIND(OBBS)) != 0 ? TD_NODE_KINDS : old & TD_KIND(BOXES);
    return blocks | nodes;
}

// ---------------------------------------------------------------------------------------------------------

// What refitting needs beside what the strategy reads.
static uint32_t td_kinds_wanted(const td_device_state *state, const td_arena_mesh *mesh, uint32_t read) {
    if (!mesh->mesh->deformable || !td_device_has_float64(state->device)) {
        return read;
    }
    read |= TD_BLOCK_KINDS | TD_KIND(LEVELS);
    return read & TD_NODE_KINDS ? read | TD_KIND(BOXES) | TD_KIND(RANKS) : read;
}

// Boxes of a step are those of its stamp: they are brought as they are.
static td_result td_load_mesh(td_device_state *state, const td_arena_mesh *mesh, uint32_t read, bool step) {
    td_arena_entry *entry = NULL;
    TD_TRY(td_arena_meet(&entry, state, mesh->stamp.mesh));
    if (entry->structure != mesh->stamp.structure) {
        for (int kind = 0; kind < TD_ARENA_KINDS; ++kind) {
            entry->extents[kind].present = false; // its place may still do
        }
        entry->structure = mesh->stamp.structure;
    }
    const uint32_t wanted = step ? read : td_kinds_wanted(state, mesh, read);
    const uint32_t old = td_old_kinds(entry, mesh, wanted);
    const uint32_t refitted = step ? 0 : td_refittable(state, entry, mesh, old);
    td_result result = td_copy_kinds(state, entry, mesh, td_missing_kinds(entry, wanted) | (old & ~refitted));
    result = result == TD_OK ? td_refit_kinds(state, entry, mesh, refitted) : result;
    return result == TD_OK ? TD_OK : td_fail(result, "mesh '%s': %s", mesh->mesh->name, td_error_message());
}

// The nodes that the strategy walks, and their boxes.
static uint32_t td_kinds_of_nodes(const td_traversal *traversal, const td_strategy *strategy) {
    const bool turned = traversal->volume == TD_VOLUME_OBB;
    if (strategy->layout == TD_LAYOUT_SPLIT) {
        return TD_KIND(SPLIT) | (turned ? TD_KIND(TURNED) : TD_KIND(SPLITS));
    }
    return TD_KIND(LINKS) | (turned ? TD_KIND(OBBS) : TD_KIND(BOXES));
}

static uint32_t td_kinds_read(const td_device_batch *batch, const td_strategy *strategy) {
    const td_traversal *traversal = &batch->questions[0].traversal;
    if (traversal->moving != NULL) { // what moves is elsewhere (swept_device.h)
        return td_kinds_of_nodes(traversal, strategy);
    }
    uint32_t kinds = TD_KIND(QUADS);
    kinds |= strategy->layout == TD_LAYOUT_BLOCKED ? TD_KIND(BLOCKS) | TD_KIND(SLABS)
                                                   : td_kinds_of_nodes(traversal, strategy);
    if (td_device_has_float64(batch->state->device)) {
        kinds |= TD_KIND(CORNERS) | TD_KIND(TRIANGLES);
    }
    return traversal->self ? kinds | TD_KIND(WELDED) : kinds;
}

td_result td_device_load_meshes(td_device_batch *batch, const td_strategy *strategy) {
    const uint32_t kinds = td_kinds_read(batch, strategy);
    batch->state->batches++;
    td_arena_tidy(batch->state);
    for (uint32_t i = 0; i < batch->count; ++i) {
        const td_device_question *question = &batch->questions[i];
        if (!td_device_takes(question)) {
            continue;
        }
        const td_traversal *traversal = &question->traversal;
        const td_arena_mesh a = {traversal->mesh_a, traversal->a, traversal->post_a, traversal->split_a,
                                 question->stamp_a};
        const td_arena_mesh b = {traversal->mesh_b, traversal->b, traversal->post_b, traversal->split_b,
                                 question->stamp_b};
        const bool step = traversal->moving != NULL;
        TD_TRY(td_load_mesh(batch->state, &a, kinds, step));
        TD_TRY(td_load_mesh(batch->state, &b, kinds, step));
    }
    return TD_OK;
}
