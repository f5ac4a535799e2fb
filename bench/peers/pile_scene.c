#include "pile_scene.h"

#include "core/error.h"
#include "core/memory.h"
#include "mesh/mass.h"

#include <math.h>
#include <string.h>

#define TD_PILE_GRAVITY 9.81
#define TD_PILE_SEED    4
#define TD_PILE_JITTER  0.4 // of the gap

td_pile_settings td_default_pile_settings(void) {
    return (td_pile_settings){
        .count = 512, .size = 2.0, .gap = 0.25, .step = 1.0 / 60.0, .friction = 0.5, .density = 1000.0};
}

static void td_find_bounds(double lower[3], double upper[3], const td_peer_mesh *mesh) {
    for (int k = 0; k < 3; ++k) {
        lower[k] = INFINITY;
        upper[k] = -INFINITY;
        for (size_t i = 0; i < mesh->vertex_count; ++i) {
            lower[k] = fmin(lower[k], mesh->positions[3 * i + (size_t)k]);
            upper[k] = fmax(upper[k], mesh->positions[3 * i + (size_t)k]);
        }
    }
}

static double td_largest_extent(const double lower[3], const double upper[3]) {
    return fmax(upper[0] - lower[0], fmax(upper[1] - lower[1], upper[2] - lower[2]));
}

static td_result td_find_subject_mass(td_mass *out, td_context *context, const td_subject *subject) {
    td_mesh_def def = td_default_mesh_def();
    def.positions = subject->arrays.positions;
    def.vertex_count = subject->arrays.vertex_count;
    def.triangles = subject->arrays.triangles;
    def.triangle_count = subject->arrays.triangle_count;
    def.borrow = true;
    def.name = subject->name;
    td_trimesh mesh;
    TD_TRY(td_trimesh_create(&mesh, context, &def));
    const td_result result = td_find_mass(out, context, &mesh);
    td_trimesh_destroy(&mesh);
    return result;
}

static void td_set_mass(td_pile_scene *scene, const td_mass *mass, double scale) {
    const double moment = scene->density * (scale * scale * scale * scale * scale);
    scene->mass = scene->density * mass->volume * (scale * scale * scale);
    for (int i = 0; i < 3; ++i) {
        scene->moments[i] = moment * mass->moments[i];
        for (int j = 0; j < 3; ++j) {
            scene->inertia[i][j] = moment * mass->inertia[i][j];
        }
    }
    memcpy(scene->axes, mass->axes, sizeof scene->axes);
}

static td_result td_place_mesh(td_pile_scene *scene, td_context *context, const td_subject *subject,
                               double size) {
    td_mass mass;
    TD_TRY(td_find_subject_mass(&mass, context, subject));
    const size_t count = 3 * (size_t)subject->arrays.vertex_count;
    scene->vertices = TD_NEW(context, double, count);
    if (scene->vertices == NULL) {
        return TD_ERROR_MEMORY;
    }
    td_find_bounds(scene->lower, scene->upper, &subject->arrays);
    const double scale = size / td_largest_extent(scene->lower, scene->upper);
    const double centre[3] = {mass.centre.x, mass.centre.y, mass.centre.z};
    for (size_t i = 0; i < count; ++i) {
        scene->vertices[i] = scale * (subject->arrays.positions[i] - centre[i % 3]);
    }
    scene->mesh = subject->arrays;
    scene->mesh.positions = scene->vertices;
    td_find_bounds(scene->lower, scene->upper, &scene->mesh);
    for (size_t i = 0; i < count; i += 3) {
        const double *p = scene->vertices + i;
        scene->radius = fmax(scene->radius, sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]));
    }
    td_set_mass(scene, &mass, scale);
    return TD_OK;
}

// Uniform in -1 ... 1: the n-th number of splitmix64 (Steele, Lea, Flood 2014), which can be had at once.
static double td_jitter(uint64_t n) {
    uint64_t z = TD_PILE_SEED + (n + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    z = z ^ (z >> 31);
    return (double)(z >> 11) * 0x1p-52 - 1.0;
}

static uint32_t td_grid_side(uint32_t count) {
    uint32_t side = 1;
    while ((uint64_t)side * side * side < count) {
        ++side;
    }
    return side;
}

static void td_place_bodies(td_pile_scene *scene, double gap) {
    const uint32_t side = td_grid_side(scene->body_count);
    for (uint32_t i = 0; i < scene->body_count; ++i) {
        const uint32_t place[3] = {i % side, i / (side * side), i / side % side};
        for (int k = 0; k < 3; ++k) {
            const double extent = scene->upper[k] - scene->lower[k];
            const double middle = 0.5 * (scene->upper[k] + scene->lower[k]);
            // Of the middle of its box: below the first layer a whole gap is free.
            const double first =
                k == 1 ? 0.5 * extent + gap * extent : -0.5 * (side - 1) * (1.0 + gap) * extent;
            const double at = first + place[k] * (1.0 + gap) * extent;
            scene->starts[3 * (size_t)i + (size_t)k] =
                at - middle + TD_PILE_JITTER * gap * extent * td_jitter(3 * (uint64_t)i + (uint64_t)k);
        }
    }
    const double *lower = scene->lower, *upper = scene->upper;
    scene->width = side * (1.0 + gap) * fmax(upper[0] - lower[0], upper[2] - lower[2]);
    scene->height = (side + 1) * (1.0 + gap) * (upper[1] - lower[1]);
}

td_result td_make_pile_scene(td_pile_scene *out, td_context *context, const td_subject *subject,
                             const td_pile_settings *settings) {
    *out = (td_pile_scene){.density = settings->density,
                           .step = settings->step,
                           .gravity = TD_PILE_GRAVITY,
                           .friction = settings->friction,
                           .ground_thickness = 10.0};
    TD_TRY(td_place_mesh(out, context, subject, settings->size));
    out->starts = TD_NEW(context, double, 3 * (size_t)settings->count);
    if (out->starts == NULL) {
        td_release_pile_scene(out, context);
        return TD_ERROR_MEMORY;
    }
    out->body_count = settings->count;
    td_place_bodies(out, settings->gap);
    out->ground_half_width = 5.0 * out->width;
    return TD_OK;
}

void td_release_pile_scene(td_pile_scene *scene, td_context *context) {
    TD_DELETE(context, double, scene->vertices, 3 * (size_t)scene->mesh.vertex_count);
    TD_DELETE(context, double, scene->starts, 3 * (size_t)scene->body_count);
    *scene = (td_pile_scene){0};
}
