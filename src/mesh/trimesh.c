#include "trimesh.h"

#include "../core/context.h"
#include "../core/error.h"
#include "../core/memory.h"
#include "edges.h"
#include "topology.h"
#include "weld.h"

#include <math.h>
#include <string.h>

static size_t td_scalar_size(td_scalar scalar) {
    return scalar == TD_FLOAT64 ? sizeof(double) : sizeof(float);
}

// ---------------------------------------------------------------------------------------------------------
// What can be told from the definition alone.

static td_result td_check_positions(const td_mesh_def *def, const char *name) {
    if (def->scalar != TD_FLOAT64 && def->scalar != TD_FLOAT32) {
        return td_fail(TD_ERROR_ARGUMENT, "%s: scalar %d is neither TD_FLOAT64 nor TD_FLOAT32", name,
                       (int)def->scalar);
    }
    const size_t scalar_size = td_scalar_size(def->scalar);
    if (def->vertex_count > 0 && def->positions == NULL) {
        return td_fail(TD_ERROR_ARGUMENT, "%s: positions is null, but there should be %u vertices", name,
                       def->vertex_count);
    }
    if (def->position_stride != 0 && def->position_stride < 3 * scalar_size) {
        return td_fail(TD_ERROR_ARGUMENT,
                       "%s: a position stride of %zu bytes is too small: three coordinates take %zu bytes",
                       name, def->position_stride, 3 * scalar_size);
    }
    if (def->position_stride % scalar_size != 0) {
        return td_fail(TD_ERROR_ARGUMENT,
                       "%s: a position stride of %zu bytes is no multiple of a coordinate's %zu bytes", name,
                       def->position_stride, scalar_size);
    }
    if ((uintptr_t)def->positions % scalar_size != 0) {
        return td_fail(TD_ERROR_ARGUMENT, "%s: positions is not aligned to a coordinate's %zu bytes", name,
                       scalar_size);
    }
    return TD_OK;
}

static td_result td_check_definition(const td_mesh_def *def, const char *name) {
    TD_TRY(td_check_cookie(def->cookie, TD_COOKIE_MESH, "td_default_mesh_def"));
    TD_TRY(td_check_positions(def, name));
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

// x - x is 0 for a finite x and NaN for every other.
static bool td_is_finite_point(td_vec3 p) {
    return (p.x - p.x) + (p.y - p.y) + (p.z - p.z) == 0;
}

static td_result td_check_coordinates(const td_trimesh *mesh, const char *name) {
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        const td_vec3 p = td_trimesh_vertex(mesh, v);
        if (!td_is_finite_point(p)) {
            return td_fail(TD_ERROR_MESH, "%s: vertex %u is at (%g, %g, %g), which is not finite", name, v,
                           p.x, p.y, p.z);
        }
    }
    return TD_OK;
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

// Takes the arrays over: copied and packed, or as they are.
static td_result td_take_arrays(td_trimesh *mesh, const td_mesh_def *def) {
    const size_t packed = 3 * td_scalar_size(def->scalar);
    const size_t given = def->position_stride != 0 ? def->position_stride : packed;
    if (mesh->borrowed) {
        mesh->positions = def->positions;
        mesh->stride = given;
        mesh->indices = def->triangles;
        return TD_OK;
    }
    unsigned char *positions = td_allocate(mesh->context, mesh->vertex_count, packed);
    uint32_t *indices = TD_NEW(mesh->context, uint32_t, 3 * (size_t)mesh->triangle_count);
    mesh->positions = positions;
    mesh->stride = packed;
    mesh->indices = indices;
    if (positions == NULL || indices == NULL) {
        return TD_ERROR_MEMORY;
    }
    memcpy(indices, def->triangles, 3 * (size_t)mesh->triangle_count * sizeof *indices);
    if (given == packed && mesh->vertex_count > 0) {
        memcpy(positions, def->positions, mesh->vertex_count * packed);
        return TD_OK;
    }
    for (size_t v = 0; v < mesh->vertex_count; ++v) {
        memcpy(positions + v * packed, (const unsigned char *)def->positions + v * given, packed);
    }
    return TD_OK;
}

// By comparison, not fmin and fmax: those are calls where the processor treats NaN otherwise.
static td_vec3 td_lower_of(td_vec3 a, td_vec3 b) {
    return td_vec3_make(b.x < a.x ? b.x : a.x, b.y < a.y ? b.y : a.y, b.z < a.z ? b.z : a.z);
}

static td_vec3 td_upper_of(td_vec3 a, td_vec3 b) {
    return td_vec3_make(b.x > a.x ? b.x : a.x, b.y > a.y ? b.y : a.y, b.z > a.z ? b.z : a.z);
}

static void td_find_bounds(td_trimesh *mesh, const uint8_t *referenced) {
    td_vec3 lower = td_vec3_make(HUGE_VAL, HUGE_VAL, HUGE_VAL);
    td_vec3 upper = td_vec3_make(-HUGE_VAL, -HUGE_VAL, -HUGE_VAL);
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        if (referenced[v]) {
            const td_vec3 p = td_trimesh_vertex(mesh, v);
            lower = td_lower_of(lower, p);
            upper = td_upper_of(upper, p);
        }
    }
    mesh->lower = lower;
    mesh->upper = upper;
    const double lowest = fmin(lower.x, fmin(lower.y, lower.z));
    const double highest = fmax(upper.x, fmax(upper.y, upper.z));
    mesh->largest = fmax(fabs(lowest), fabs(highest));
}

static td_result td_measure(td_trimesh *mesh) {
    uint8_t *referenced = TD_NEW(mesh->context, uint8_t, mesh->vertex_count);
    if (referenced == NULL) {
        return TD_ERROR_MEMORY;
    }
    memset(referenced, 0, mesh->vertex_count);
    for (size_t i = 0; i < 3 * (size_t)mesh->triangle_count; ++i) {
        referenced[mesh->indices[i]] = 1;
    }
    td_find_bounds(mesh, referenced);
    TD_DELETE(mesh->context, uint8_t, referenced, mesh->vertex_count);
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
    const td_connectivity connectivity = {
        .triangles = mesh->indices,
        .triangle_count = mesh->triangle_count,
        .weld = mesh->weld,
        .vertex_count = mesh->vertex_count,
    };
    td_topology topology;
    TD_TRY(td_find_topology(&topology, mesh->context, &connectivity));
    mesh->closed = topology.closed;
    mesh->seeds = topology.seeds;
    mesh->seed_count = topology.seed_count;
    return TD_OK;
}

static td_result td_fill(td_trimesh *mesh, const td_mesh_def *def, const char *name_in_messages) {
    TD_TRY(td_take_arrays(mesh, def));
    TD_TRY(td_check_indices(mesh, name_in_messages));
    TD_TRY(td_check_coordinates(mesh, name_in_messages));
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
                       .borrowed = def->borrow};
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
    if (!mesh->borrowed) {
        // The copies were made by this file, so they may be given back although readers see them as const.
        td_release(context, (void *)(uintptr_t)mesh->positions, mesh->vertex_count, mesh->stride);
        td_release(context, (void *)(uintptr_t)mesh->indices, 3 * (size_t)mesh->triangle_count,
                   sizeof *mesh->indices);
    }
    *mesh = (td_trimesh){0};
}

uint64_t td_trimesh_bytes(const td_trimesh *mesh) {
    uint64_t bytes = strlen(mesh->name) + 1;
    bytes += mesh->weld == NULL ? 0 : (uint64_t)mesh->vertex_count * sizeof *mesh->weld;
    bytes += (uint64_t)mesh->seed_count * sizeof *mesh->seeds;
    if (!mesh->borrowed) {
        bytes += (uint64_t)mesh->vertex_count * mesh->stride;
        bytes += (uint64_t)mesh->triangle_count * 3 * sizeof *mesh->indices;
    }
    return bytes;
}
