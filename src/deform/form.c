#include "form.h"

#include "../core/error.h"
#include "../core/memory.h"

#include <math.h>

static td_vec3 td_rest(const td_form *form, uint32_t vertex) {
    return td_trimesh_vertex(&form->mesh->triangles, vertex);
}

// ---------------------------------------------------------------------------------------------------------
// Areas

static td_result td_check_vertices(const td_form *form) {
    const td_trimesh *mesh = &form->mesh->triangles;
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        const uint32_t same = td_trimesh_welded(mesh, v);
        if (same != v) {
            return td_fail(
                TD_ERROR_MESH,
                "mesh '%s': vertices %u and %u are at the same place: a soft body would come apart "
                "there; expected a welded mesh",
                mesh->name, same, v);
        }
        if (!(form->share[v] > 0)) {
            return td_fail(TD_ERROR_MESH,
                           "mesh '%s': no triangle uses vertex %u: expected none of these in a soft body",
                           mesh->name, v);
        }
    }
    return TD_OK;
}

static td_result td_fill_shares(td_form *form) {
    const td_trimesh *mesh = &form->mesh->triangles;
    for (uint32_t v = 0; v < form->vertex_count; ++v) {
        form->share[v] = 0;
    }
    const td_vec3 about = td_rest(form, 0);
    for (uint32_t t = 0; t < mesh->triangle_count; ++t) {
        const td_triangle p = td_trimesh_triangle(mesh, t);
        const double area = 0.5 * td_length(td_cross(td_sub(p.p1, p.p0), td_sub(p.p2, p.p0)));
        if (!(area > 0 && isfinite(area))) {
            return td_fail(TD_ERROR_MESH,
                           "mesh '%s': triangle %u has no area: a soft body needs triangles that have one",
                           mesh->name, t);
        }
        form->area += area;
        form->volume += td_spanned(p.p0, p.p1, p.p2, about) / 6;
        for (int k = 0; k < 3; ++k) {
            form->share[mesh->indices[3 * (size_t)t + (size_t)k]] += area / 3;
        }
    }
    for (uint32_t v = 0; v < form->vertex_count; ++v) {
        form->share[v] /= form->area;
    }
    form->closed = mesh->closed;
    form->volume = form->closed ? form->volume : 0;
    return td_check_vertices(form);
}

// ---------------------------------------------------------------------------------------------------------
// Elements

static double td_cotangent(td_vec3 u, td_vec3 v) {
    return td_dot(u, v) / td_length(td_cross(u, v));
}

static double td_area_of(td_vec3 a, td_vec3 b, td_vec3 c) {
    return 0.5 * td_length(td_cross(td_sub(b, a), td_sub(c, a)));
}

static float td_compliance(double stiffness) {
    return stiffness > 0 ? (float)(1 / stiffness) : -1;
}

// Beside the edge x0 x1 are the corners x2 and x3.
static void td_fill_bend(td_hinge *hinge, const td_vec3 x[4], double areas, double bend) {
    const td_vec3 e0 = td_sub(x[1], x[0]), e1 = td_sub(x[2], x[0]), e2 = td_sub(x[3], x[0]);
    const td_vec3 e3 = td_sub(x[2], x[1]), e4 = td_sub(x[3], x[1]), back = td_scale(e0, -1);
    const double c01 = td_cotangent(e0, e1), c02 = td_cotangent(e0, e2);
    const double c03 = td_cotangent(back, e3), c04 = td_cotangent(back, e4);
    const double k[4] = {c03 + c04, c01 + c02, -c01 - c03, -c02 - c04};
    td_vec3 sum = td_vec3_make(0, 0, 0);
    double size = 0;
    for (int i = 0; i < 4; ++i) {
        if (i < 3) {
            hinge->weight[i] = (float)k[i];
        }
        sum = td_add(sum, td_scale(td_sub(x[i], x[0]), k[i]));
        size += fabs(k[i]) * td_length(td_sub(x[i], x[0]));
    }
    const double fold = td_length(sum);
    hinge->fold = fold > 1e-6 * size ? (float)fold : 0; // flat but for rounding
    hinge->bend = td_compliance(3 * bend / areas);
}

// Van Gelder, Approximate simulation of elastic membranes, 1998: a spring has the area beside it by its
// length squared.
static td_hinge td_make_hinge(const td_form *form, const uint32_t vertex[4], bool first) {
    td_hinge hinge = {
        .vertex = {vertex[0], vertex[1], vertex[2], vertex[3]}, .stretch = -1, .shear = -1, .bend = -1};
    td_vec3 x[4];
    for (int i = 0; i < 4; ++i) {
        x[i] = vertex[i] == TD_NONE ? td_vec3_make(0, 0, 0) : td_rest(form, vertex[i]);
    }
    const bool both = vertex[3] != TD_NONE;
    const double areas = td_area_of(x[0], x[1], x[2]) + (both ? td_area_of(x[0], x[1], x[3]) : 0);
    const double length = td_length(td_sub(x[1], x[0]));
    hinge.length = (float)length;
    if (first) {
        hinge.stretch = td_compliance(form->stretch * areas / (length * length));
    }
    if (both) {
        const double across = td_length(td_sub(x[3], x[2]));
        hinge.across = (float)across;
        hinge.shear = across > 0 ? td_compliance(form->shear * areas / (across * across)) : -1;
        td_fill_bend(&hinge, x, areas, form->bend);
    }
    return hinge;
}

static uint32_t td_corner_across(const td_swept_triangle *triangle, int side) {
    return triangle->vertex[side == 0 ? 2 : side - 1];
}

// The triangles at an edge, by its number: uses[first[e]] ... as 4 * triangle + side.
typedef struct td_edge_sides {
    uint32_t *first, *uses;
} td_edge_sides;

static void td_list_sides(const td_edge_sides *sides, const td_features *features) {
    for (uint32_t e = 0; e <= features->edge_count; ++e) {
        sides->first[e] = 0;
    }
    for (uint32_t t = 0; t < features->triangle_count; ++t) {
        for (int k = 0; k < 3; ++k) {
            ++sides->first[features->triangles[t].edge[k] + 1];
        }
    }
    for (uint32_t e = 0; e < features->edge_count; ++e) {
        sides->first[e + 1] += sides->first[e];
    }
    for (uint32_t t = features->triangle_count; t-- > 0;) {
        for (int k = 3; k-- > 0;) { // downward: ends up in ascending order, and `first` where it belongs
            const uint32_t e = features->triangles[t].edge[k];
            sides->uses[--sides->first[e + 1]] = 4 * t + (uint32_t)k;
        }
    }
    // Each entry was moved down to where the one before ends.
    for (uint32_t e = 0; e < features->edge_count; ++e) {
        sides->first[e] = sides->first[e + 1];
    }
    sides->first[features->edge_count] = 3 * features->triangle_count;
}

// An edge of one triangle has one element, of k triangles k - 1, of which the first has the stretch.
static void td_make_hinges(td_form *form, td_hinge *out, const td_edge_sides *sides) {
    const td_features *features = &form->features;
    uint32_t count = 0;
    double lengths = 0;
    for (uint32_t e = 0; e < features->edge_count; ++e) {
        const uint32_t first = sides->first[e], end = sides->first[e + 1];
        for (uint32_t i = first; i + 1 < end || i == first; ++i) {
            uint32_t vertex[4] = {features->edges[e].a, features->edges[e].b, TD_NONE, TD_NONE};
            for (uint32_t k = 0; k < 2 && i + k < end; ++k) {
                const uint32_t use = sides->uses[i + k];
                vertex[2 + k] = td_corner_across(&features->triangles[use / 4], (int)(use % 4));
            }
            out[count] = td_make_hinge(form, vertex, i == first);
            lengths += i == first ? (double)out[count].length : 0;
            ++count;
        }
    }
    form->edge = lengths / features->edge_count;
}

// ---------------------------------------------------------------------------------------------------------
// Colours

static int td_points_moved(const td_hinge *hinge) {
    return hinge->vertex[3] == TD_NONE ? 2 : 4;
}

static bool td_is_coloured_border(const td_hinge *hinge, uint8_t colour) {
    return hinge->vertex[3] == TD_NONE && colour < TD_FORM_COLOURS;
}

// First come, first served; `colour` has room for one per element, `masks` for one per vertex.
static void td_colour_hinges(td_form *form, const td_hinge *in, uint8_t *colour, uint64_t *masks) {
    uint32_t counts[TD_FORM_COLOURS + 1] = {0};
    for (uint32_t v = 0; v < form->vertex_count; ++v) {
        masks[v] = 0;
    }
    for (uint32_t i = 0; i < form->hinge_count; ++i) {
        uint64_t taken = 0;
        for (int k = 0; k < td_points_moved(&in[i]); ++k) {
            taken |= masks[in[i].vertex[k]];
        }
        const int free_one = ~taken == 0 ? TD_FORM_COLOURS : __builtin_ctzll(~taken);
        for (int k = 0; free_one < TD_FORM_COLOURS && k < td_points_moved(&in[i]); ++k) {
            masks[in[i].vertex[k]] |= (uint64_t)1 << free_one;
        }
        colour[i] = (uint8_t)free_one;
        ++counts[free_one];
    }
    form->colour_count = 0;
    uint32_t starts[TD_FORM_COLOURS + 1], sum = 0;
    for (int c = 0; c <= TD_FORM_COLOURS; ++c) {
        starts[c] = form->colours[c] = sum;
        sum += counts[c];
        form->colour_count += c < TD_FORM_COLOURS && counts[c] > 0;
    }
    form->colours[TD_FORM_COLOURS + 1] = sum;
    for (int borders = 0; borders < 2; ++borders) {
        for (uint32_t i = 0; i < form->hinge_count; ++i) {
            if (td_is_coloured_border(&in[i], colour[i]) == (borders == 1)) {
                form->hinges[starts[colour[i]]++] = in[i];
            }
        }
    }
}

static td_result td_fill_hinges(td_form *form) {
    td_context *context = form->context;
    const uint32_t triangles = form->features.triangle_count, edges = form->features.edge_count;
    const td_edge_sides sides = {TD_NEW(context, uint32_t, (size_t)edges + 1),
                                 TD_NEW(context, uint32_t, 3 * (size_t)triangles)};
    td_result result = sides.first != NULL && sides.uses != NULL ? TD_OK : TD_ERROR_MEMORY;
    uint32_t count = 0;
    if (result == TD_OK) {
        td_list_sides(&sides, &form->features);
        for (uint32_t e = 0; e < edges; ++e) {
            const uint32_t uses = sides.first[e + 1] - sides.first[e];
            count += uses > 1 ? uses - 1 : 1;
        }
    }
    td_hinge *unsorted = TD_NEW(context, td_hinge, count);
    uint8_t *colour = TD_NEW(context, uint8_t, count);
    uint64_t *masks = TD_NEW(context, uint64_t, form->vertex_count);
    form->hinges = TD_NEW(context, td_hinge, count);
    form->hinge_count = form->hinges == NULL ? 0 : count;
    if (unsorted == NULL || colour == NULL || masks == NULL || form->hinges == NULL) {
        result = TD_ERROR_MEMORY;
    }
    if (result == TD_OK) {
        td_make_hinges(form, unsorted, &sides);
        td_colour_hinges(form, unsorted, colour, masks);
    }
    TD_DELETE(context, uint32_t, sides.first, (size_t)edges + 1);
    TD_DELETE(context, uint32_t, sides.uses, 3 * (size_t)triangles);
    TD_DELETE(context, td_hinge, unsorted, count);
    TD_DELETE(context, uint8_t, colour, count);
    TD_DELETE(context, uint64_t, masks, form->vertex_count);
    return result;
}

// ---------------------------------------------------------------------------------------------------------

static td_result td_fill_form(td_form *form) {
    const td_trimesh *mesh = &form->mesh->triangles;
    form->share = TD_NEW(form->context, double, form->vertex_count);
    if (form->share == NULL) {
        return TD_ERROR_MEMORY;
    }
    TD_TRY(td_fill_shares(form));
    TD_TRY(td_features_create(&form->features, form->context, mesh->indices, mesh->triangle_count,
                              mesh->vertex_count));
    return td_fill_hinges(form);
}

td_result td_form_create(td_form **out, td_context *context, const td_mesh *mesh, const td_soft_def *def) {
    *out = TD_NEW(context, td_form, 1);
    if (*out == NULL) {
        return TD_ERROR_MEMORY;
    }
    **out = (td_form){.context = context,
                      .mesh = mesh,
                      .stretch = def->stretch,
                      .shear = def->shear,
                      .bend = def->bend,
                      .vertex_count = mesh->triangles.vertex_count};
    const td_result result = td_fill_form(*out);
    if (result != TD_OK) {
        td_form_destroy(*out);
        *out = NULL;
    }
    return result;
}

void td_form_destroy(td_form *form) {
    if (form == NULL) {
        return;
    }
    td_context *context = form->context;
    td_features_release(&form->features, context);
    TD_DELETE(context, td_hinge, form->hinges, form->hinge_count);
    TD_DELETE(context, double, form->share, form->vertex_count);
    TD_DELETE(context, td_form, form, 1);
}
