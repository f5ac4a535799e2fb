#include "trimesh.h"

#include "../core/context.h"
#include "../core/error.h"
#include "../core/memory.h"
#include "edges.h"
#include "positions.h"
#include "topology.h"
#include "weld.h"

#include <math.h>
#include <string.h>

// ---------------------------------------------------------------------------------------------------------
// What can be told from the definition alone.

static td_result td_check_definition(const td_mesh_def *def, const char *name) {
    TD_TRY(td_check_cookie(def->cookie, TD_COOKIE_MESH, "td_default_mesh_def"));
    const td_new_positions positions = {def->positions, def->position_stride, def->scalar};
    TD_TRY(td_check_positions(&positions, def->vertex_count, name));
    if (def->builder != TD_BUILDER_SAH && def->builder != TD_BUILDER_LINEAR) {
        return td_fail(TD_ERROR_ARGUMENT, "%s: builder %d is neither TD_BUILDER_SAH nor TD_BUILDER_LINEAR",
                       name, (int)def->builder);
    }
    if (def->triangle_count == 0) {
        return td_fail(TD_ERROR_MESH, "%s: there are no triangles", name);
    }
    if (def->triangles == NULL) {
        return td_fail(TD_ERROR_ARGUMENT, "%s: triangles is null, but there should be %u triangles", name,
                       def->triangle_count);
    }
    if ((uintptr_t)def->triangles % sizeof *def->triangles != 0) {
        return td_fail(TD_ERROR_ARGUMENT, "%s: triangles is not aligned to an index's %zu bytes", name,
                       sizeof *def->triangles);
    }
    if (def->triangle_count > TD_EDGE_MAX_TRIANGLES || def->vertex_count > TD_EDGE_MAX_VERTICES) {
        return td_fail(TD_ERROR_UNSUPPORTED,
                       "%s: %u triangles on %u vertices are too many: the most are %u and %u", name,
                       def->triangle_count, def->vertex_count, TD_EDGE_MAX_TRIANGLES, TD_EDGE_MAX_VERTICES);
    }
    return TD_OK;
}

// ---------------------------------------------------------------------------------------------------------
// The contents of the arrays.

static td_result td_check_indices(const td_trimesh *mesh, const char *name) {
    const size_t count = 3 * (size_t)mesh->triangle_count;
    uint32_t highest = 0;
    for (size_t i = 0; i < count; ++i) {
        highest = mesh->indices[i] > highest ? mesh->indices[i] : highest;
    }
    if (highest < mesh->vertex_count) {
        return TD_OK;
    }
    size_t i = 0;
    while (mesh->indices[i] < mesh->vertex_count) {
        ++i;
    }
    return td_fail(TD_ERROR_MESH, "%s: triangle %zu refers to vertex %u, but there are only %u vertices",
                   name, i / 3, mesh->indices[i], mesh->vertex_count);
}

// ---------------------------------------------------------------------------------------------------------

static td_result td_copy_name(td_trimesh *mesh, const char *name) {
    const size_t size = strlen(name) + 1;
    mesh->name = TD_NEW(mesh->context, char, size);
    if (mesh->name == NULL) {
        return TD_ERROR_MEMORY;
    }
    memcpy(mesh->name, name, size);
    return TD_OK;
}

// Packed copies.
static td_result td_copy_positions(td_trimesh *mesh, const td_new_positions *given) {
    const size_t packed = 3 * td_scalar_size(given->scalar);
    unsigned char *positions = td_allocate(mesh->context, mesh->vertex_count, packed);
    mesh->positions = positions;
    mesh->stride = packed;
    if (positions == NULL) {
        return TD_ERROR_MEMORY;
    }
    if (given->stride == packed && mesh->vertex_count > 0) {
        memcpy(positions, given->positions, mesh->vertex_count * packed);
        return TD_OK;
    }
    for (size_t v = 0; v < mesh->vertex_count; ++v) {
        memcpy(positions + v * packed, (const unsigned char *)given->positions + v * given->stride, packed);
    }
    return TD_OK;
}

// Packed float64, twice.
static td_result td_copy_deformable(td_trimesh *mesh, const td_new_positions *given) {
    double *positions = TD_NEW(mesh->context, double, 3 * (size_t)mesh->vertex_count);
    mesh->positions = (const unsigned char *)positions;
    mesh->stride = 3 * sizeof(double);
    mesh->scalar = TD_FLOAT64;
    mesh->spare = TD_NEW(mesh->context, double, 3 * (size_t)mesh->vertex_count);
    if (positions == NULL || mesh->spare == NULL) {
        return TD_ERROR_MEMORY;
    }
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        const td_vec3 p = td_load_position(given, v);
        positions[3 * (size_t)v] = p.x;
        positions[3 * (size_t)v + 1] = p.y;
        positions[3 * (size_t)v + 2] = p.z;
    }
    return TD_OK;
}

static td_result td_take_positions(td_trimesh *mesh, const td_mesh_def *def) {
    const size_t packed = 3 * td_scalar_size(def->scalar);
    const td_new_positions given = {def->positions, def->position_stride != 0 ? def->position_stride : packed,
                                    def->scalar};
    if (mesh->deformable) {
        return td_copy_deformable(mesh, &given);
    }
    if (mesh->borrowed) {
        mesh->positions = given.positions;
        mesh->stride = given.stride;
        return TD_OK;
    }
    return td_copy_positions(mesh, &given);
}

static td_result td_take_indices(td_trimesh *mesh, const td_mesh_def *def) {
    if (mesh->borrowed) {
        mesh->indices = def->triangles;
        return TD_OK;
    }
    uint32_t *indices = TD_NEW(mesh->context, uint32_t, 3 * (size_t)mesh->triangle_count);
    mesh->indices = indices;
    if (indices == NULL) {
        return TD_ERROR_MEMORY;
    }
    memcpy(indices, def->triangles, 3 * (size_t)mesh->triangle_count * sizeof *indices);
    return TD_OK;
}

static td_result td_measure(td_trimesh *mesh) {
    const size_t corners = 3 * (size_t)mesh->triangle_count;
    uint8_t *referenced = TD_NEW(mesh->context, uint8_t, mesh->vertex_count);
    if (referenced == NULL) {
        return TD_ERROR_MEMORY;
    }
    memset(referenced, 0, mesh->vertex_count);
    for (size_t i = 0; i < corners; ++i) {
        referenced[mesh->indices[i]] = 1;
    }
    td_bounds3 bounds = td_bounds3_empty();
    uint32_t count = 0;
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        if (referenced[v]) {
            bounds = td_bounds3_with(bounds, td_trimesh_vertex(mesh, v));
            ++count;
        }
    }
    td_trimesh_set_bounds(mesh, bounds);
    if (mesh->deformable && count < mesh->vertex_count) {
        mesh->referenced = referenced;
    } else {
        TD_DELETE(mesh->context, uint8_t, referenced, mesh->vertex_count);
    }
    return TD_OK;
}

// True of most meshes; spares the memory, and a lookup per corner.
static bool td_is_identity(const uint32_t *weld, uint32_t count) {
    uint32_t moved = 0;
    for (uint32_t v = 0; v < count; ++v) {
        moved |= weld[v] ^ v;
    }
    return moved == 0;
}

static td_result td_connect(td_trimesh *mesh) {
    mesh->weld = TD_NEW(mesh->context, uint32_t, mesh->vertex_count);
    if (mesh->weld == NULL) {
        return TD_ERROR_MEMORY;
    }
    TD_TRY(
        td_weld(mesh->weld, mesh->context, mesh->positions, mesh->scalar, mesh->stride, mesh->vertex_count));
    if (td_is_identity(mesh->weld, mesh->vertex_count)) {
        TD_DELETE(mesh->context, uint32_t, mesh->weld, mesh->vertex_count);
        mesh->weld = NULL;
    }
    td_connectivity connectivity = {
        .triangles = mesh->indices,
        .triangle_count = mesh->triangle_count,
        .weld = mesh->weld,
        .vertex_count = mesh->vertex_count,
    };
    td_topology topology;
    TD_TRY(td_find_topology(&topology, mesh->context, &connectivity));
    mesh->closed = mesh->closed_if_welded = topology.closed;
    mesh->seeds = topology.seeds;
    mesh->seed_count = topology.seed_count;
    if (!mesh->deformable || mesh->weld == NULL) {
        return TD_OK;
    }
    TD_DELETE(mesh->context, uint32_t, mesh->seeds, mesh->seed_count);
    mesh->seeds = NULL;
    connectivity.weld = NULL;
    TD_TRY(td_find_topology(&topology, mesh->context, &connectivity));
    mesh->seeds = topology.seeds;
    mesh->seed_count = topology.seed_count;
    return TD_OK;
}

static td_result td_fill(td_trimesh *mesh, const td_mesh_def *def, const char *name_in_messages) {
    TD_TRY(td_take_positions(mesh, def));
    TD_TRY(td_take_indices(mesh, def));
    TD_TRY(td_check_indices(mesh, name_in_messages));
    const td_new_positions positions = {mesh->positions, mesh->stride, mesh->scalar};
    TD_TRY(td_check_coordinates(&positions, mesh->vertex_count, name_in_messages));
    TD_TRY(td_copy_name(mesh, def->name != NULL ? def->name : ""));
    TD_TRY(td_measure(mesh));
    return td_connect(mesh);
}

td_result td_trimesh_create(td_trimesh *out, td_context *context, const td_mesh_def *def) {
    const char *name_in_messages = def->name != NULL && def->name[0] != '\0' ? def->name : "mesh";
    TD_TRY(td_check_definition(def, name_in_messages));
    td_trimesh mesh = {.context = context,
                       .scalar = def->scalar,
                       .vertex_count = def->vertex_count,
                       .triangle_count = def->triangle_count,
                       .borrowed = def->borrow,
                       .deformable = def->deformable};
    const td_result result = td_fill(&mesh, def, name_in_messages);
    if (result != TD_OK) {
        td_trimesh_destroy(&mesh);
        return result;
    }
    *out = mesh;
    return TD_OK;
}

void td_trimesh_destroy(td_trimesh *mesh) {
    td_context *context = mesh->context;
    if (mesh->name != NULL) {
        TD_DELETE(context, char, mesh->name, strlen(mesh->name) + 1);
    }
    TD_DELETE(context, uint32_t, mesh->weld, mesh->vertex_count);
    TD_DELETE(context, uint32_t, mesh->seeds, mesh->seed_count);
    TD_DELETE(context, double, mesh->spare, 3 * (size_t)mesh->vertex_count);
    TD_DELETE(context, uint8_t, mesh->referenced, mesh->vertex_count);
    // The copies were made by this file, so they may be given back although readers see them as const.
    if (!mesh->borrowed || mesh->deformable) {
        td_release(context, (void *)(uintptr_t)mesh->positions, mesh->vertex_count, mesh->stride);
    }
    if (!mesh->borrowed) {
        td_release(context, (void *)(uintptr_t)mesh->indices, 3 * (size_t)mesh->triangle_count,
                   sizeof *mesh->indices);
    }
    *mesh = (td_trimesh){0};
}

uint64_t td_trimesh_bytes(const td_trimesh *mesh) {
    uint64_t bytes = strlen(mesh->name) + 1;
    bytes += mesh->weld == NULL ? 0 : (uint64_t)mesh->vertex_count * sizeof *mesh->weld;
    bytes += (uint64_t)mesh->seed_count * sizeof *mesh->seeds;
    bytes += mesh->referenced == NULL ? 0 : mesh->vertex_count;
    if (mesh->deformable) {
        bytes += 2 * (uint64_t)mesh->vertex_count * mesh->stride;
    } else if (!mesh->borrowed) {
        bytes += (uint64_t)mesh->vertex_count * mesh->stride;
    }
    bytes += mesh->borrowed ? 0 : (uint64_t)mesh->triangle_count * 3 * sizeof *mesh->indices;
    return bytes;
}
