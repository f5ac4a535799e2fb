#include "positions.h"

#include "../core/error.h"
#include "../core/memory.h"
#include "../core/tasks.h"

void td_trimesh_set_bounds(td_trimesh *mesh, td_bounds3 bounds) {
    const td_vec3 lower = bounds.lower, upper = bounds.upper;
    mesh->lower = lower;
    mesh->upper = upper;
    const double lowest = fmin(lower.x, fmin(lower.y, lower.z));
    const double highest = fmax(upper.x, fmax(upper.y, upper.z));
    mesh->largest = fmax(fabs(lowest), fabs(highest));
}

td_result td_check_positions(const td_new_positions *given, uint32_t vertex_count, const char *name) {
    if (given->scalar != TD_FLOAT64 && given->scalar != TD_FLOAT32) {
        return td_fail(TD_ERROR_ARGUMENT, "%s: scalar %d is neither TD_FLOAT64 nor TD_FLOAT32", name,
                       (int)given->scalar);
    }
    const size_t scalar_size = td_scalar_size(given->scalar);
    if (vertex_count > 0 && given->positions == NULL) {
        return td_fail(TD_ERROR_ARGUMENT, "%s: positions is null, but there should be %u vertices", name,
                       vertex_count);
    }
    if (given->stride != 0 && given->stride < 3 * scalar_size) {
        return td_fail(TD_ERROR_ARGUMENT,
                       "%s: a position stride of %zu bytes is too small: three coordinates take %zu bytes",
                       name, given->stride, 3 * scalar_size);
    }
    if (given->stride % scalar_size != 0) {
        return td_fail(TD_ERROR_ARGUMENT,
                       "%s: a position stride of %zu bytes is no multiple of a coordinate's %zu bytes", name,
                       given->stride, scalar_size);
    }
    if ((uintptr_t)given->positions % scalar_size != 0) {
        return td_fail(TD_ERROR_ARGUMENT, "%s: positions is not aligned to a coordinate's %zu bytes", name,
                       scalar_size);
    }
    return TD_OK;
}

td_result td_check_coordinates(const td_new_positions *given, uint32_t vertex_count, const char *name) {
    for (uint32_t v = 0; v < vertex_count; ++v) {
        const td_vec3 p = td_load_position(given, v);
        if (!td_is_finite_point(p)) {
            return td_fail(TD_ERROR_MESH, "%s: vertex %u is at (%g, %g, %g), which is not finite", name, v,
                           p.x, p.y, p.z);
        }
    }
    return TD_OK;
}

// ---------------------------------------------------------------------------------------------------------

enum { TD_CHUNK = 8192 }; // vertices per task

typedef struct td_position_chunk {
    td_bounds3 bounds;
    bool finite, welded;
} td_position_chunk;

typedef struct td_position_work {
    const td_trimesh *mesh;
    td_new_positions given;
    td_position_chunk *chunks;
} td_position_work;

// Of the vertices from `first` on; all of them if `referenced` is null.
static td_position_chunk td_copy_chunk(double *to, const td_new_positions *given, const uint8_t *referenced,
                                       uint32_t first, uint32_t end) {
    td_position_chunk chunk = {td_bounds3_empty(), true, true};
    double sum = 0; // of x - x
    for (uint32_t v = first; v < end; ++v) {
        const td_vec3 p = td_load_position(given, v);
        double *out = to + 3 * (size_t)v;
        out[0] = p.x;
        out[1] = p.y;
        out[2] = p.z;
        sum += (p.x - p.x) + (p.y - p.y) + (p.z - p.z);
        if (referenced == NULL || referenced[v]) {
            chunk.bounds = td_bounds3_with(chunk.bounds, p);
        }
    }
    chunk.finite = sum == 0;
    return chunk;
}

static bool td_still_welded(const uint32_t *weld, const td_new_positions *given, uint32_t first,
                            uint32_t end) {
    bool welded = true;
    for (uint32_t v = first; v < end; ++v) {
        welded &= td_same_point(td_load_position(given, v), td_load_position(given, weld[v])) != 0;
    }
    return welded;
}

static void td_position_task(uint32_t item, void *payload) {
    const td_position_work *work = payload;
    const td_trimesh *mesh = work->mesh;
    const td_new_positions given = work->given;
    const uint32_t first = item * TD_CHUNK, count = mesh->vertex_count;
    const uint32_t end = count - first < TD_CHUNK ? count : first + TD_CHUNK;
    if (given.scalar == TD_FLOAT64 && mesh->referenced == NULL) { // the same with constants: the usual case
        const td_new_positions usual = {given.positions, given.stride, TD_FLOAT64};
        work->chunks[item] = td_copy_chunk(mesh->spare, &usual, NULL, first, end);
    } else {
        work->chunks[item] = td_copy_chunk(mesh->spare, &given, mesh->referenced, first, end);
    }
    if (mesh->weld != NULL) {
        work->chunks[item].welded = td_still_welded(mesh->weld, &given, first, end);
    }
}

static td_position_chunk td_join_chunks(const td_position_chunk *chunks, uint32_t count) {
    td_position_chunk all = {td_bounds3_empty(), true, true};
    for (uint32_t i = 0; i < count; ++i) {
        all.bounds = td_bounds3_join(all.bounds, chunks[i].bounds);
        all.finite &= chunks[i].finite;
        all.welded &= chunks[i].welded;
    }
    return all;
}

td_result td_trimesh_set_positions(td_trimesh *mesh, const td_new_positions *given) {
    td_context *context = mesh->context;
    const char *name = mesh->name[0] != '\0' ? mesh->name : "mesh";
    TD_TRY(td_check_positions(given, mesh->vertex_count, name));
    td_position_work work = {.mesh = mesh, .given = *given};
    work.given.stride = given->stride != 0 ? given->stride : 3 * td_scalar_size(given->scalar);
    const uint32_t chunk_count = (mesh->vertex_count + TD_CHUNK - 1) / TD_CHUNK;
    work.chunks = TD_NEW(context, td_position_chunk, chunk_count);
    if (work.chunks == NULL) {
        return TD_ERROR_MEMORY;
    }
    td_run_tasks(context, td_position_task, chunk_count, &work);
    const td_position_chunk all = td_join_chunks(work.chunks, chunk_count);
    TD_DELETE(context, td_position_chunk, work.chunks, chunk_count);
    if (!all.finite) {
        return td_check_coordinates(&work.given, mesh->vertex_count, name);
    }
    double *before = (double *)(uintptr_t)mesh->positions; // its own: deformable meshes borrow none
    mesh->positions = (const unsigned char *)mesh->spare;
    mesh->spare = before;
    mesh->closed = mesh->closed_if_welded && all.welded;
    td_trimesh_set_bounds(mesh, all.bounds);
    return TD_OK;
}
