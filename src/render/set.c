#include "set.h"

#include "../core/error.h"
#include "../core/memory.h"
#include "../query/pose.h"
#include "colour.h"

#include <tandem/ray.h>

// Of the coordinates: far more than the roundings of placing a box and of a ray's way to it; and what a point
// at the origin gets.
static const double td_box_slack = 1e-12, td_box_least = 1e-200;

td_box td_body_box(const td_render_body *body) {
    const td_trimesh *mesh = &body->mesh->mesh->triangles;
    const td_rigid m = td_pose_rigid(&body->pose);
    const td_vec3 half = td_scale(td_sub(mesh->upper, mesh->lower), 0.5);
    const td_vec3 middle = td_rigid_apply(m, td_add(mesh->lower, half));
    const td_vec3 rows[3] = {m.row0, m.row1, m.row2};
    double reach[3];
    for (int k = 0; k < 3; ++k) {
        reach[k] = fabs(rows[k].x) * half.x + fabs(rows[k].y) * half.y + fabs(rows[k].z) * half.z;
    }
    const double far = mesh->largest + fabs(middle.x) + fabs(middle.y) + fabs(middle.z);
    const double slack = td_box_slack * far + td_box_least;
    const td_vec3 r = td_vec3_make(reach[0] + slack, reach[1] + slack, reach[2] + slack);
    return (td_box){td_sub(middle, r), td_add(middle, r)};
}

static bool td_is_near(td_vec3 v) {
    return fabs(v.x) < TD_RENDER_FARTHEST && fabs(v.y) < TD_RENDER_FARTHEST && fabs(v.z) < TD_RENDER_FARTHEST;
}

static td_result td_check_body(const td_render_body *body, size_t index) {
    const td_mesh *mesh = body->mesh->mesh;
    TD_TRY(td_check_pose(&body->pose));
    const td_box box = td_body_box(body);
    if (!td_is_near(box.lower) || !td_is_near(box.upper) || !(mesh->triangles.largest < TD_RENDER_FARTHEST)) {
        return td_fail(TD_ERROR_UNSUPPORTED,
                       "body %zu, mesh '%s', lies farther than %g from the origin: "
                       "a picture shows what is nearer",
                       index, td_mesh_name(mesh), TD_RENDER_FARTHEST);
    }
    for (int k = 0; k < 3; ++k) {
        if (!(body->colour[k] >= 0 && body->colour[k] <= 1)) {
            return td_fail(TD_ERROR_ARGUMENT, "body %zu: %s of its colour is %g; expected 0 to 1", index,
                           k == 0   ? "red"
                           : k == 1 ? "green"
                                    : "blue",
                           (double)body->colour[k]);
        }
    }
    for (uint32_t i = 0; i < body->marked_count; ++i) {
        if (body->marked[i] >= td_mesh_triangle_count(mesh) ||
            (i > 0 && body->marked[i] <= body->marked[i - 1])) {
            return td_fail(TD_ERROR_ARGUMENT,
                           "body %zu: marked triangle %u is %u; expected ascending numbers "
                           "below %u",
                           index, i, body->marked[i], td_mesh_triangle_count(mesh));
        }
    }
    return TD_OK;
}

static td_result td_place_bodies(td_set *set, const td_render_body *bodies) {
    TD_TRY(td_tree_reserve(&set->tree, set->context, set->count));
    for (size_t i = 0; i < set->count; ++i) {
        TD_TRY(td_check_body(&bodies[i], i));
        td_placed_body *placed = &set->bodies[i];
        *placed = (td_placed_body){
            .body = &bodies[i], .rigid = td_pose_rigid(&bodies[i].pose), .box = td_body_box(&bodies[i])};
        for (int k = 0; k < 3; ++k) {
            placed->colour[k] = td_to_linear((double)bodies[i].colour[k]);
        }
        td_tree_insert(&set->tree, placed->box, (uint32_t)i);
    }
    return TD_OK;
}

td_result td_build_set(td_set *out, td_context *context, const td_render_body *bodies, size_t count) {
    *out = (td_set){.context = context, .count = count};
    td_tree_start(&out->tree);
    if (count >= UINT32_MAX / 2) {
        return td_fail(TD_ERROR_UNSUPPORTED, "%zu bodies are too many for a picture", count);
    }
    out->bodies = TD_NEW(context, td_placed_body, count);
    const td_result result = out->bodies == NULL ? TD_ERROR_MEMORY : td_place_bodies(out, bodies);
    if (result != TD_OK) {
        td_clear_set(out);
    }
    return result;
}

void td_clear_set(td_set *set) {
    TD_DELETE(set->context, td_placed_body, set->bodies, set->count);
    td_tree_release(&set->tree, set->context);
    *set = (td_set){0};
}
