#include "surface.h"

#include "../core/context.h"
#include "../core/error.h"
#include "../core/memory.h"

#include <math.h>
#include <stdio.h>

static void td_find_normals(td_surface *surface) {
    const td_trimesh *mesh = &surface->mesh->triangles;
    for (uint32_t i = 0; i < mesh->triangle_count; ++i) {
        const td_triangle t = td_trimesh_triangle(mesh, i);
        const td_vec3 n = td_cross(td_sub(t.p1, t.p0), td_sub(t.p2, t.p0));
        const double length = td_length(n);
        surface->normals[i] = length > 0 ? td_scale(n, 1 / length) : td_vec3_make(0, 0, 0);
    }
}

// Counting sort of the corners by vertex.
static void td_find_around(td_surface *surface) {
    const td_trimesh *mesh = &surface->mesh->triangles;
    const size_t corners = 3 * (size_t)mesh->triangle_count;
    for (uint32_t v = 0; v <= mesh->vertex_count; ++v) {
        surface->first[v] = 0;
    }
    for (size_t c = 0; c < corners; ++c) {
        ++surface->first[td_trimesh_welded(mesh, mesh->indices[c]) + 1];
    }
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        surface->first[v + 1] += surface->first[v];
    }
    for (size_t c = 0; c < corners; ++c) {
        surface->around[surface->first[td_trimesh_welded(mesh, mesh->indices[c])]++] = (uint32_t)(c / 3);
    }
    for (uint32_t v = mesh->vertex_count; v > 0; --v) {
        surface->first[v] = surface->first[v - 1];
    }
    surface->first[0] = 0;
}

static td_box td_node_box(const td_blocked *hierarchy, const td_block *block, uint32_t lane) {
    // Local coordinates are (x - origin) * scale[0] * scale[1]; boxes there are conservative, and the little
    // that turning them back may round is added.
    double lower[3], upper[3];
    const double origin[3] = {hierarchy->origin.x, hierarchy->origin.y, hierarchy->origin.z};
    const double unit = 1 / hierarchy->scale[0] / hierarchy->scale[1];
    for (int k = 0; k < 3; ++k) {
        const double centre = (double)block->center[k][lane], half = (double)block->half[k][lane];
        const double slack = 0x1p-48 * (fabs(origin[k]) + 2 * unit);
        lower[k] = origin[k] + (centre - half) * unit - slack;
        upper[k] = origin[k] + (centre + half) * unit + slack;
    }
    return (td_box){td_vec3_make(lower[0], lower[1], lower[2]), td_vec3_make(upper[0], upper[1], upper[2])};
}

static void td_put_box(td_surface_boxes *boxes, uint32_t place, td_box box) {
    const double lower[3] = {box.lower.x, box.lower.y, box.lower.z};
    const double upper[3] = {box.upper.x, box.upper.y, box.upper.z};
    for (int k = 0; k < 3; ++k) {
        boxes->lower[k][place] = lower[k];
        boxes->upper[k][place] = upper[k];
    }
}

// The nodes of the hierarchy, opened level by level while they fit.
static void td_find_boxes(td_surface *surface) {
    const td_blocked *hierarchy = &surface->mesh->hierarchy;
    uint32_t open[TD_SURFACE_BOXES] = {0}, open_count = 1;
    bool below = true;
    while (below && open_count * 4 <= TD_SURFACE_BOXES / 4) {
        uint32_t next[TD_SURFACE_BOXES], count = 0;
        for (uint32_t i = 0; i < open_count; ++i) {
            const td_block *block = &hierarchy->blocks[open[i]];
            if (block->leaf) {
                below = false; // levels differ: stop at this one
                break;
            }
            for (uint32_t k = 0; k < block->node_count; ++k) {
                next[count++] = block->child[k];
            }
        }
        if (below) {
            for (uint32_t i = 0; i < count; ++i) {
                open[i] = next[i];
            }
            open_count = count;
        }
    }
    td_surface_boxes *boxes = &surface->boxes;
    for (uint32_t i = 0; i < open_count; ++i) {
        const td_block *block = &hierarchy->blocks[open[i]];
        for (uint32_t k = 0; k < block->node_count; ++k) {
            const td_box box = td_node_box(hierarchy, block, k);
            for (uint32_t place = boxes->count++; place < TD_SURFACE_BOXES; ++place) {
                td_put_box(boxes, place, box);
            }
        }
    }
}

static void td_find_size(td_surface *surface) {
    const td_trimesh *mesh = &surface->mesh->triangles;
    double most = 0, area = 0;
    for (uint32_t i = 0; i < mesh->triangle_count; ++i) {
        const td_triangle t = td_trimesh_triangle(mesh, i);
        const td_vec3 p[3] = {td_sub(t.p0, surface->centre), td_sub(t.p1, surface->centre),
                              td_sub(t.p2, surface->centre)};
        for (int k = 0; k < 3; ++k) {
            most = fmax(most, td_dot(p[k], p[k]));
        }
        area += 0.5 * td_length(td_cross(td_sub(t.p1, t.p0), td_sub(t.p2, t.p0)));
    }
    surface->radius = sqrt(most) * (1 + 0x1p-50);
    surface->offset = td_length(surface->centre);
    surface->thickness = surface->is_solid ? 2 * surface->solid.volume / area : 0;
}

// What the mesh is as a body. A mesh that is no solid is fine as long as nobody wants its density.
static td_result td_find_matter(td_surface *surface) {
    const td_trimesh *mesh = &surface->mesh->triangles;
    td_result result = td_find_mass(&surface->solid, surface->context, mesh);
    if (result == TD_ERROR_MEMORY) {
        return result;
    }
    surface->is_solid = result == TD_OK;
    if (!surface->is_solid) {
        (void)snprintf(surface->trouble, sizeof surface->trouble, "%s", td_error_message());
        surface->is_shell = td_find_shell(&surface->shell, mesh) == TD_OK;
    }
    surface->centre = surface->is_solid   ? surface->solid.centre
                      : surface->is_shell ? surface->shell.centre
                                          : td_add(td_scale(mesh->lower, 0.5), td_scale(mesh->upper, 0.5));
    td_find_size(surface);
    return TD_OK;
}

td_result td_surface_create(td_surface **out, td_context *context, const td_mesh *mesh) {
    td_surface *surface = TD_NEW(context, td_surface, 1);
    if (surface == NULL) {
        return TD_ERROR_MEMORY;
    }
    const td_trimesh *triangles = &mesh->triangles;
    *surface = (td_surface){.context = context, .mesh = mesh};
    surface->normals = TD_NEW(context, td_vec3, triangles->triangle_count);
    surface->first = TD_NEW(context, uint32_t, (size_t)triangles->vertex_count + 2);
    surface->around = TD_NEW(context, uint32_t, 3 * (size_t)triangles->triangle_count);
    if (surface->normals == NULL || surface->first == NULL || surface->around == NULL) {
        td_surface_destroy(surface);
        return TD_ERROR_MEMORY;
    }
    const td_result result = td_find_matter(surface);
    if (result != TD_OK) {
        td_surface_destroy(surface);
        return result;
    }
    td_find_normals(surface);
    td_find_around(surface);
    td_find_boxes(surface);
    *out = surface;
    return TD_OK;
}

void td_surface_destroy(td_surface *surface) {
    if (surface == NULL) {
        return;
    }
    td_context *context = surface->context;
    const td_trimesh *triangles = &surface->mesh->triangles;
    TD_DELETE(context, td_vec3, surface->normals, triangles->triangle_count);
    TD_DELETE(context, uint32_t, surface->first, (size_t)triangles->vertex_count + 2);
    TD_DELETE(context, uint32_t, surface->around, 3 * (size_t)triangles->triangle_count);
    TD_DELETE(context, td_surface, surface, 1);
}

static td_bound_boxes_fn *td_bound_boxes_for(td_isa isa) {
    switch (isa) {
#if defined(__x86_64__)
    case TD_ISA_SSE4:
        return td_bound_boxes_sse4;
    case TD_ISA_AVX2:
        return td_bound_boxes_avx2;
    case TD_ISA_AVX512:
        return td_bound_boxes_avx512;
#elif defined(__aarch64__)
    case TD_ISA_NEON:
        return td_bound_boxes_neon;
#endif
    default:
        return td_bound_boxes_scalar;
    }
}

td_box td_surface_bounds(const td_surface *surface, td_mat3 rotation, td_vec3 position) {
    const double at[3] = {position.x, position.y, position.z};
    double lower[3], upper[3];
    td_bound_boxes_for(surface->context->isa)(lower, upper, &surface->boxes, rotation);
    for (int k = 0; k < 3; ++k) {
        const double slack = 0x1p-48 * (fabs(at[k]) + 3 * surface->mesh->triangles.largest);
        lower[k] = lower[k] + at[k] - slack;
        upper[k] = upper[k] + at[k] + slack;
    }
    return (td_box){td_vec3_make(lower[0], lower[1], lower[2]), td_vec3_make(upper[0], upper[1], upper[2])};
}
