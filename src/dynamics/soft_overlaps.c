// Soft bodies that intersect something as they stand: rigid bodies, each other, or themselves.
#include "../core/error.h"
#include "../query/pose.h"
#include "world.h"

// The soft body as it is, as a mesh of its own.
static td_result td_mesh_of_soft(td_mesh **out, td_world *world, const td_soft *soft) {
    const td_trimesh *rest = &soft->form->mesh->triangles;
    td_mesh_def def = td_default_mesh_def();
    def.positions = td_softs_positions(world->softs, soft);
    def.vertex_count = soft->form->vertex_count;
    def.triangles = rest->indices;
    def.triangle_count = rest->triangle_count;
    return td_create_mesh(out, world->context, &def);
}

static td_result td_note_overlap(td_world *world, uint32_t a, uint32_t b) {
    TD_TRY(td_array_reserve(world->context, &world->overlaps, 1));
    world->overlaps.items[world->overlaps.count++] =
        (td_touch){td_id_of(world, a < b ? a : b), td_id_of(world, a < b ? b : a)};
    return TD_OK;
}

static bool td_boxes_meet(td_box a, td_box b) {
    return a.lower.x <= b.upper.x && b.lower.x <= a.upper.x && a.lower.y <= b.upper.y &&
           b.lower.y <= a.upper.y && a.lower.z <= b.upper.z && b.lower.z <= a.upper.z;
}

// Whether the soft body is asked about together with this one: of two soft ones, once.
static bool td_is_asked(const td_world *world, const td_body *body, uint32_t index) {
    const td_body *other = &world->bodies.items[index];
    return other->alive && other != body && (body->group & other->collides_with) != 0 &&
           (other->group & body->collides_with) != 0 && !(td_is_soft(other) && other < body);
}

static td_result td_ask_about(td_world *world, const td_mesh *mesh, uint32_t soft, uint32_t index) {
    const td_body *body = &world->bodies.items[soft], *other = &world->bodies.items[index];
    td_collide_def def = td_default_collide_def();
    def.mode = TD_MODE_FIRST;
    td_collide_result result;
    if (td_is_soft(other)) {
        if (!td_boxes_meet(td_soft_bounds(world, body->soft), td_soft_bounds(world, other->soft))) {
            return TD_OK;
        }
        td_mesh *second;
        TD_TRY(td_mesh_of_soft(&second, world, other->soft));
        const td_pose same = td_pose_identity();
        const td_result asked = td_collide(&result, world->query, mesh, second, &same, &def);
        const bool colliding = asked == TD_OK && result.colliding;
        td_destroy_mesh(second);
        TD_TRY(asked);
        return colliding ? td_note_overlap(world, soft, index) : TD_OK;
    }
    if (!td_boxes_meet(td_soft_bounds(world, body->soft), td_bounds_at(other, &other->at))) {
        return TD_OK;
    }
    const td_mat3 turn = td_quat_matrix(other->at.rotation);
    const td_vec3 p = td_frame_position(other, &other->at, turn);
    const td_quat q = other->at.rotation;
    const td_pose pose = {{p.x, p.y, p.z}, {q.x, q.y, q.z, q.w}};
    TD_TRY(td_collide(&result, world->query, mesh, other->surface->mesh, &pose, &def));
    return result.colliding ? td_note_overlap(world, soft, index) : TD_OK;
}

static td_result td_ask_soft(td_world *world, const td_mesh *mesh, uint32_t soft) {
    const td_collide_def def = td_default_collide_def();
    td_collide_result result;
    TD_TRY(td_self_collide(&result, world->query, mesh, &def));
    TD_TRY(result.colliding ? td_note_overlap(world, soft, soft) : TD_OK);
    for (uint32_t i = 0; i < world->bodies.count; ++i) {
        if (td_is_asked(world, &world->bodies.items[soft], i)) {
            TD_TRY(td_ask_about(world, mesh, soft, i));
        }
    }
    return TD_OK;
}

td_result td_find_soft_overlaps(td_world *world) {
    for (uint32_t i = 0; i < world->bodies.count; ++i) {
        const td_body *body = &world->bodies.items[i];
        if (body->alive && td_is_soft(body)) {
            td_mesh *mesh;
            TD_TRY(td_mesh_of_soft(&mesh, world, body->soft));
            const td_result result = td_ask_soft(world, mesh, i);
            td_destroy_mesh(mesh);
            TD_TRY(result);
        }
    }
    return TD_OK;
}
