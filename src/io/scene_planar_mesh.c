#include "scene_planar_mesh.h"

#include "../core/error.h"
#include "../mesh/arrays.h"
#include "../planar/turn.h"
#include "scene.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { TD_DISC_CORNERS = 24 };

typedef struct td_prism {
    double corners[2 * TD_PLANAR_CORNERS_MOST]; // counter-clockwise, in the plane
    uint32_t count;
    double thickness;
    bool disc;
    double radius;
} td_prism;

// ---------------------------------------------------------------------------------------------------------

// The plane lies flat: counter-clockwise seen from above.
static void td_fill_prism(td_mesh_arrays *arrays, const td_prism *prism) {
    const uint32_t n = prism->count;
    const double top = 0.5 * prism->thickness;
    for (uint32_t k = 0; k < n; ++k) {
        const double x = prism->corners[2 * k], z = -prism->corners[2 * k + 1];
        td_arrays_set_vertex(arrays, k, td_vec3_make(x, top, z));
        td_arrays_set_vertex(arrays, n + k, td_vec3_make(x, -top, z));
    }
    uint32_t triangle = 0;
    for (uint32_t k = 1; k + 1 < n; ++k) {
        td_arrays_set_triangle(arrays, triangle++, 0, k, k + 1);
        td_arrays_set_triangle(arrays, triangle++, n, n + k + 1, n + k);
    }
    for (uint32_t k = 0; k < n; ++k) {
        const uint32_t next = (k + 1) % n;
        td_arrays_set_triangle(arrays, triangle++, k, n + k, n + next);
        td_arrays_set_triangle(arrays, triangle++, k, n + next, next);
    }
}

static td_result td_add_prism(td_scene *scene, const td_prism *prism, const char *name) {
    td_context *context = scene->context;
    td_mesh_arrays arrays;
    TD_TRY(td_array_reserve(context, &scene->meshes, 1));
    TD_TRY(td_arrays_create(&arrays, context, 2 * prism->count, 4 * prism->count - 4));
    td_fill_prism(&arrays, prism);
    td_mesh_def def = td_default_mesh_def();
    def.positions = arrays.positions;
    def.vertex_count = arrays.vertex_count;
    def.triangles = arrays.triangles;
    def.triangle_count = arrays.triangle_count;
    def.name = name;
    td_scene_mesh_entry made = {.name = td_copy_text(context, name)};
    td_result result = made.name != NULL ? td_create_mesh(&made.mesh, context, &def) : TD_ERROR_MEMORY;
    if (result == TD_OK) {
        scene->meshes.items[scene->meshes.count++] = made;
    } else {
        td_release_text(context, made.name);
    }
    td_release_mesh_arrays(&arrays, context);
    return result;
}

// ---------------------------------------------------------------------------------------------------------

static td_result td_prism_of(td_prism *out, const td_planar *planar, uint32_t body) {
    memset(out, 0, sizeof *out);
    out->radius = td_planar_body_radius(planar, body);
    out->thickness = 0.5 * out->radius;
    TD_TRY(td_get_planar_corners(out->corners, &out->count, planar, body));
    out->disc = out->count == 0;
    if (out->disc) {
        out->count = TD_DISC_CORNERS;
        for (uint32_t k = 0; k < out->count; ++k) {
            const td_planar_turn turn = td_planar_turn_of(2 * TD_PLANAR_PI * k / out->count);
            out->corners[2 * k] = out->radius * turn.c;
            out->corners[2 * k + 1] = out->radius * turn.s;
        }
    }
    return TD_OK;
}

static td_result td_make_body_meshes(td_scene *scene) {
    td_planar_scene *plane = &scene->planar;
    TD_ARRAY(td_prism) known = {0};
    td_result result = TD_OK;
    for (uint32_t i = 0; i < plane->count && result == TD_OK; ++i) {
        td_prism prism;
        result = td_prism_of(&prism, plane->planar, i);
        uint32_t mesh = 0;
        while (mesh < known.count && memcmp(&known.items[mesh], &prism, sizeof prism) != 0) {
            ++mesh;
        }
        plane->meshes[i] = mesh;
        if (result == TD_OK && mesh == known.count) {
            char name[32];
            snprintf(name, sizeof name, "%s %u", prism.disc ? "disc" : "polygon", mesh);
            result = td_array_reserve(scene->context, &known, 1);
            if (result == TD_OK) {
                known.items[known.count++] = prism;
                result = td_add_prism(scene, &prism, name);
            }
        }
    }
    td_array_release(scene->context, &known);
    return result;
}

// Left, right, lower and upper, outside the room; the upper and lower ones reach over the corners.
static td_result td_make_wall_meshes(td_scene *scene) {
    const double w = scene->planar.room[0], h = scene->planar.room[1], t = 0.02 * fmax(w, h);
    const double boxes[TD_PLANAR_WALL_BODIES][4] = {
        {-t, 0, 0, h}, {w, 0, w + t, h}, {-t, -t, w + t, 0}, {-t, h, w + t, h + t}};
    for (int i = 0; i < TD_PLANAR_WALL_BODIES; ++i) {
        const double *box = boxes[i];
        const td_prism prism = {.corners = {box[0], box[1], box[2], box[1], box[2], box[3], box[0], box[3]},
                                .count = 4,
                                .thickness = t};
        char name[32];
        snprintf(name, sizeof name, "wall %d", i);
        TD_TRY(td_add_prism(scene, &prism, name));
    }
    return TD_OK;
}

td_result td_make_planar_meshes(td_scene *scene) {
    TD_TRY(td_make_body_meshes(scene));
    return td_make_wall_meshes(scene);
}
