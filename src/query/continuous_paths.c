// The paths of a step: read, checked, bounded.
#include "../core/context.h"
#include "../core/error.h"
#include "../core/tasks.h"
#include "continuous.h"

#include <math.h>

enum { TD_CHUNK_OF_PATHS = 8192 };

static uint32_t td_chunks_of(uint32_t count) {
    return count / TD_CHUNK_OF_PATHS + (count % TD_CHUNK_OF_PATHS != 0);
}

td_result td_prepare_features(td_continuous *query, td_continuous_side *side, const td_mesh *mesh) {
    if (side->known && side->serial == mesh->identity) {
        return TD_OK;
    }
    td_features_release(&side->features, query->context);
    side->known = false;
    const td_trimesh *triangles = &mesh->triangles;
    TD_TRY(td_features_create(&side->features, query->context, triangles->indices, triangles->triangle_count,
                              triangles->vertex_count));
    side->known = true;
    side->serial = mesh->identity;
    return TD_OK;
}

td_result td_prepare_paths(td_continuous *query, td_continuous_side *side, const td_mesh *mesh) {
    side->paths.count = 0;
    TD_TRY(td_array_reserve(query->context, &side->paths, mesh->triangles.vertex_count));
    side->paths.count = mesh->triangles.vertex_count;
    return TD_OK;
}

// ---------------------------------------------------------------------------------------------------------------------
// Reading

typedef struct td_path_reading {
    td_path *paths;
    const td_trimesh *mesh;
    td_trimesh end; // of which only what td_trimesh_vertex reads
    uint32_t count;
    atomic_uint bad; // the first vertex that is not finite at t = 1
} td_path_reading;

static bool td_finite(td_vec3 p) {
    return isfinite(p.x) && isfinite(p.y) && isfinite(p.z);
}

static void td_keep_least(atomic_uint *least, uint32_t value) {
    unsigned old = atomic_load(least);
    while (value < old && !atomic_compare_exchange_weak(least, &old, value)) {
    }
}

static void td_read_paths(uint32_t item, void *payload) {
    td_path_reading *reading = payload;
    const uint32_t first = item * TD_CHUNK_OF_PATHS;
    const uint32_t end =
        reading->count - first < TD_CHUNK_OF_PATHS ? reading->count : first + TD_CHUNK_OF_PATHS;
    for (uint32_t v = first; v < end; ++v) {
        const td_path path = {{td_trimesh_vertex(reading->mesh, v), td_trimesh_vertex(&reading->end, v)}};
        reading->paths[v] = path;
        if (!td_finite(path.at[1])) {
            td_keep_least(&reading->bad, v);
            return;
        }
    }
}

static td_trimesh td_end_of(const td_moving_mesh *moving) {
    td_trimesh end = moving->mesh->triangles;
    if (moving->positions != NULL) {
        const size_t packed = 3 * (moving->scalar == TD_FLOAT64 ? sizeof(double) : sizeof(float));
        end.positions = moving->positions;
        end.scalar = moving->scalar;
        end.stride = moving->position_stride > 0 ? moving->position_stride : packed;
    }
    return end;
}

static td_result td_check_moving_mesh(const td_moving_mesh *moving, const char *name) {
    if (moving->mesh == NULL) {
        return td_fail(TD_ERROR_ARGUMENT, "%s: expected a mesh, found null", name);
    }
    if (moving->positions == NULL) {
        return TD_OK;
    }
    const uint32_t wanted = moving->mesh->triangles.vertex_count;
    if (moving->vertex_count != wanted) {
        return td_fail(TD_ERROR_MESH,
                       "%s (%s): %u positions at t = 1; expected %u, as many as the mesh has vertices", name,
                       td_mesh_name(moving->mesh), moving->vertex_count, wanted);
    }
    const size_t size = moving->scalar == TD_FLOAT64 ? sizeof(double) : sizeof(float);
    if (moving->position_stride != 0 &&
        (moving->position_stride < 3 * size || moving->position_stride % size != 0)) {
        return td_fail(TD_ERROR_ARGUMENT,
                       "%s (%s): position_stride is %zu; expected 0 or a multiple of %zu from %zu on", name,
                       td_mesh_name(moving->mesh), moving->position_stride, size, 3 * size);
    }
    return TD_OK;
}

td_result td_prepare_side(td_continuous *query, td_continuous_side *side, const td_moving_mesh *moving,
                          const char *name) {
    TD_TRY(td_check_moving_mesh(moving, name));
    TD_TRY(td_prepare_features(query, side, moving->mesh));
    TD_TRY(td_prepare_paths(query, side, moving->mesh));
    td_path_reading reading = {side->paths.items, &moving->mesh->triangles, td_end_of(moving),
                               moving->mesh->triangles.vertex_count, UINT32_MAX};
    td_run_tasks(query->context, td_read_paths, td_chunks_of(reading.count), &reading);
    const uint32_t bad = atomic_load(&reading.bad);
    if (bad != UINT32_MAX) {
        const td_vec3 p = td_trimesh_vertex(&reading.end, bad);
        return td_fail(TD_ERROR_MESH,
                       "%s (%s): vertex %u at t = 1 is (%g, %g, %g); expected finite coordinates", name,
                       td_mesh_name(moving->mesh), bad, p.x, p.y, p.z);
    }
    return td_find_bounds(query, side);
}

// ---------------------------------------------------------------------------------------------------------------------
// Bounds

static const td_bounds td_no_bounds = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};

static td_vec3 td_lesser(td_vec3 a, td_vec3 b) {
    return td_vec3_make(a.x < b.x ? a.x : b.x, a.y < b.y ? a.y : b.y, a.z < b.z ? a.z : b.z);
}

static td_vec3 td_greater(td_vec3 a, td_vec3 b) {
    return td_vec3_make(a.x > b.x ? a.x : b.x, a.y > b.y ? a.y : b.y, a.z > b.z ? a.z : b.z);
}

static td_bounds td_bounds_union(td_bounds a, td_bounds b) {
    return (td_bounds){td_lesser(a.lower, b.lower), td_greater(a.upper, b.upper)};
}

typedef struct td_bounding {
    const td_continuous_side *side;
    td_bounds *partial;
} td_bounding;

// Every vertex that is used is owned by one triangle.
static void td_bound_triangles(uint32_t item, void *payload) {
    const td_bounding *bounding = payload;
    const td_features *features = &bounding->side->features;
    const uint32_t first = item * TD_CHUNK_OF_PATHS, count = features->triangle_count;
    const uint32_t end = count - first < TD_CHUNK_OF_PATHS ? count : first + TD_CHUNK_OF_PATHS;
    td_bounds bounds = td_no_bounds;
    for (uint32_t t = first; t < end; ++t) {
        const td_swept_triangle *triangle = &features->triangles[t];
        for (int k = 0; k < 3; ++k) {
            if (triangle->owns >> (4 + k) & 1u) {
                const td_path *path = &bounding->side->paths.items[triangle->vertex[k]];
                bounds = td_bounds_union(bounds, (td_bounds){path->at[0], path->at[0]});
                bounds = td_bounds_union(bounds, (td_bounds){path->at[1], path->at[1]});
            }
        }
    }
    bounding->partial[item] = bounds;
}

td_result td_find_bounds(td_continuous *query, td_continuous_side *side) {
    const uint32_t chunks = td_chunks_of(side->features.triangle_count);
    query->partial.count = 0;
    TD_TRY(td_array_reserve(query->context, &query->partial, chunks));
    td_bounding bounding = {side, query->partial.items};
    td_run_tasks(query->context, td_bound_triangles, chunks, &bounding);
    side->bounds = td_no_bounds;
    for (uint32_t i = 0; i < chunks; ++i) {
        side->bounds = td_bounds_union(side->bounds, query->partial.items[i]);
    }
    return TD_OK;
}

td_result td_fit_sides(td_continuous *query, const td_mesh *const meshes[2], int count, double separation,
                       bool diagonals) {
    const td_bounds bounds =
        count == 2 ? td_bounds_union(query->sides[0].bounds, query->sides[1].bounds) : query->sides[0].bounds;
    const td_vec3 size = td_sub(bounds.upper, bounds.lower);
    if (!td_finite(size)) {
        return td_fail(
            TD_ERROR_MESH,
            "the bounds of the motion overflow: %s moves within (%g, %g, %g) and (%g, %g, %g), whose "
            "difference float64 cannot hold",
            count == 2 ? "one of the two meshes, or both," : td_mesh_name(meshes[0]), bounds.lower.x,
            bounds.lower.y, bounds.lower.z, bounds.upper.x, bounds.upper.y, bounds.upper.z);
    }
    query->frame = td_swept_frame_around(bounds.lower, bounds.upper, separation);
    for (int i = 0; i < count; ++i) {
        td_continuous_side *side = &query->sides[i];
        const td_blocked *blocked = &meshes[i]->hierarchy;
        TD_TRY(td_swept_reserve(&side->swept, query->context, blocked, meshes[i]->triangles.vertex_count));
        td_swept_fit(&side->swept, query->context, &side->features, blocked, side->paths.items, &query->frame,
                     diagonals);
    }
    return TD_OK;
}
