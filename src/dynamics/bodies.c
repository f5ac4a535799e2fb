// Bodies of a world: added, looked at, pushed, removed.
#include "../core/context.h"
#include "../core/error.h"
#include "../query/pose.h"
#include "world.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const td_kind_names[] = {"static", "kinematic", "dynamic", "soft"};

enum { TD_KINDS = 4 };

const char *td_body_kind_name(td_body_kind kind) {
    return (unsigned)kind < TD_KINDS ? td_kind_names[kind] : "unknown";
}

td_result td_body_kind_from_name(td_body_kind *out, const char *name) {
    for (unsigned k = 0; k < TD_KINDS; ++k) {
        if (strcmp(name, td_kind_names[k]) == 0) {
            *out = (td_body_kind)k;
            return TD_OK;
        }
    }
    return td_fail(TD_ERROR_ARGUMENT,
                   "there is no kind of body '%s': expected static, kinematic, dynamic or soft", name);
}

td_body_def td_default_body_def(void) {
    return (td_body_def){.cookie = TD_COOKIE_BODY,
                         .kind = TD_BODY_DYNAMIC,
                         .pose = td_pose_identity(),
                         .density = 1000,
                         .friction = 0.5,
                         .gravity_scale = 1,
                         .group = 1,
                         .collides_with = UINT64_MAX,
                         .may_sleep = true};
}

static td_vec3 td_vec3_from(const double v[3]) {
    return td_vec3_make(v[0], v[1], v[2]);
}

// ---------------------------------------------------------------------------------------------------------
// Adding

typedef struct td_range {
    const char *field;
    double value, least, most;
} td_range;

static td_result td_check_body_def(const td_body_def *def, const char *name) {
    TD_TRY(td_check_cookie(def->cookie, TD_COOKIE_BODY, "td_default_body_def"));
    if (def->mesh == NULL) {
        return td_fail(TD_ERROR_ARGUMENT, "body '%s': mesh is null", name);
    }
    if ((unsigned)def->kind >= TD_KINDS) {
        return td_fail(TD_ERROR_ARGUMENT, "body '%s': kind is %d, which is none", name, (int)def->kind);
    }
    const double far = 1e12, fast = 1e9;
    const td_range ranges[] = {
        {"position", def->pose.position[0], -far, far},
        {"position", def->pose.position[1], -far, far},
        {"position", def->pose.position[2], -far, far},
        {"velocity", def->velocity[0], -fast, fast},
        {"velocity", def->velocity[1], -fast, fast},
        {"velocity", def->velocity[2], -fast, fast},
        {"spin", def->spin[0], -fast, fast},
        {"spin", def->spin[1], -fast, fast},
        {"spin", def->spin[2], -fast, fast},
        {"mass", def->mass, 0, 1e30},
        {"friction", def->friction, 0, 1e6},
        {"restitution", def->restitution, 0, 1},
        {"gravity_scale", def->gravity_scale, -1e6, 1e6},
        {"linear_damping", def->linear_damping, 0, 1e6},
        {"angular_damping", def->angular_damping, 0, 1e6},
    };
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; ++i) {
        const td_range *r = &ranges[i];
        if (!(r->value >= r->least && r->value <= r->most)) {
            return td_fail(TD_ERROR_ARGUMENT, "body '%s': %s is %g: expected %g to %g", name, r->field,
                           r->value, r->least, r->most);
        }
    }
    if (!(def->density > 0 && def->density <= 1e30)) {
        return td_fail(TD_ERROR_ARGUMENT, "body '%s': density is %g: expected a number > 0, at most 1e+30",
                       name, def->density);
    }
    if (td_check_pose(&def->pose) != TD_OK) {
        char trouble[256];
        (void)snprintf(trouble, sizeof trouble, "%s", td_error_message());
        return td_fail(TD_ERROR_POSE, "body '%s': pose: %s", name, trouble);
    }
    return TD_OK;
}

static td_result td_get_surface(td_surface **out, td_world *world, const td_mesh *mesh) {
    for (size_t i = 0; i < world->surfaces.count; ++i) {
        if (world->surfaces.items[i].surface->mesh == mesh) {
            *out = world->surfaces.items[i].surface;
            return TD_OK;
        }
    }
    TD_TRY(td_array_reserve(world->context, &world->surfaces, 1));
    TD_TRY(td_surface_create(out, world->context, mesh));
    world->surfaces.items[world->surfaces.count++].surface = *out;
    return TD_OK;
}

static void td_drop_unused_surface(td_world *world, td_surface *surface) {
    if (surface == NULL || surface->users > 0) {
        return;
    }
    size_t i = 0;
    while (world->surfaces.items[i].surface != surface) {
        ++i;
    }
    world->surfaces.items[i] = world->surfaces.items[--world->surfaces.count];
    td_surface_destroy(surface);
}

static void td_place(td_body *body, const td_pose *pose) {
    body->at.rotation = td_quat_normalise(
        td_quat_make(pose->rotation[0], pose->rotation[1], pose->rotation[2], pose->rotation[3]));
    body->at.position = td_add(td_vec3_from(pose->position),
                               td_mat3_apply(td_quat_matrix(body->at.rotation), body->surface->centre));
    td_sample(body, body->at);
}

static td_result td_fill_body(td_body *body, td_world *world, const td_body_def *def, const char *name) {
    TD_TRY(td_get_surface(&body->surface, world, def->mesh));
    body->name_bytes = strlen(name) + 1;
    body->name = TD_NEW(world->context, char, body->name_bytes);
    if (body->name == NULL) {
        return TD_ERROR_MEMORY;
    }
    memcpy(body->name, name, body->name_bytes);
    TD_TRY(td_fill_mass(body, def));
    if (td_is_soft(body)) {
        return TD_OK;
    }
    const bool moves = def->kind != TD_BODY_STATIC;
    body->velocity = moves ? td_vec3_from(def->velocity) : td_vec3_make(0, 0, 0);
    body->spin = moves ? td_vec3_from(def->spin) : td_vec3_make(0, 0, 0);
    td_place(body, &def->pose);
    body->bounds = td_bounds_at(body, &body->at);
    return TD_OK;
}

static td_result td_enter_body(uint32_t *index, td_world *world, const td_body *body,
                               const td_body_def *def) {
    TD_TRY(td_array_reserve(world->context, &world->bodies, 1));
    // Soft bodies find whom they meet by themselves: in the broad phase they meet nobody.
    const bool soft = td_is_soft(body);
    const td_proxy_def proxy = {.box = body->bounds,
                                .group = soft ? 0 : def->group,
                                .collides_with = soft ? 0 : def->collides_with,
                                .still = soft || def->kind == TD_BODY_STATIC};
    return td_broad_add(index, world->broad, &proxy);
}

td_result td_add_body(td_body_id *out, td_world *world, const td_body_def *def) {
    *out = (td_body_id){0};
    char unnamed[32];
    (void)snprintf(unnamed, sizeof unnamed, "%" PRIu32, world->body_count);
    const char *name = def->name == NULL ? unnamed : def->name;
    TD_TRY(td_check_body_def(def, name));
    if (def->kind == TD_BODY_SOFT && def->soft != NULL) {
        TD_TRY(td_check_soft_def(def->soft, name));
    }
    td_body body = {.alive = true,
                    .kind = def->kind,
                    .user = def->user,
                    .friction = def->friction,
                    .restitution = def->restitution,
                    .gravity_scale = def->gravity_scale,
                    .linear_damping = def->linear_damping,
                    .angular_damping = def->angular_damping,
                    .group = def->group,
                    .collides_with = def->collides_with,
                    .may_sleep = def->may_sleep,
                    .awake = def->kind != TD_BODY_STATIC,
                    .placed = true};
    uint32_t index = 0;
    td_result result = td_fill_body(&body, world, def, name);
    result = result == TD_OK ? td_enter_body(&index, world, &body, def) : result;
    if (result == TD_OK && td_is_soft(&body)) {
        result = td_add_soft(&body.soft, world, &body, def, index);
        if (result != TD_OK) {
            (void)td_broad_remove(world->broad, index); // asks for no memory
        }
    }
    if (result != TD_OK) {
        if (body.name != NULL) {
            TD_DELETE(world->context, char, body.name, body.name_bytes);
        }
        td_drop_unused_surface(world, body.surface);
        return result;
    }
    if (index == world->bodies.count) { // the lowest free number: at most one beyond the last
        world->bodies.items[world->bodies.count++] = (td_body){0};
    }
    body.generation = world->bodies.items[index].generation + 1;
    ++body.surface->users;
    world->bodies.items[index] = body;
    ++world->body_count;
    *out = td_id_of(world, index);
    return TD_OK;
}

// ---------------------------------------------------------------------------------------------------------
// Finding, removing

td_body *td_world_body(const td_world *world, td_body_id id) {
    const uint32_t index = id.index - 1; // 0 becomes the largest number
    if (index < world->bodies.count && world->bodies.items[index].alive &&
        world->bodies.items[index].generation == id.generation) {
        return &world->bodies.items[index];
    }
    (void)td_fail(TD_ERROR_ARGUMENT, "there is no body of index %" PRIu32 " and generation %" PRIu32,
                  id.index, id.generation);
    return NULL;
}

bool td_body_exists(const td_world *world, td_body_id id) {
    const uint32_t index = id.index - 1;
    return index < world->bodies.count && world->bodies.items[index].alive &&
           world->bodies.items[index].generation == id.generation;
}

uint32_t td_body_count(const td_world *world) {
    return world->body_count;
}

td_body_id td_body_at(const td_world *world, uint32_t place) {
    if (world->body_count == world->bodies.count) {
        return place < world->body_count ? td_id_of(world, place) : (td_body_id){0};
    }
    for (uint32_t i = 0; i < world->bodies.count; ++i) {
        if (world->bodies.items[i].alive && place-- == 0) {
            return td_id_of(world, i);
        }
    }
    return (td_body_id){0};
}

void td_wake(td_world *world, uint32_t index) {
    td_body *body = &world->bodies.items[index];
    if (td_is_dynamic(body)) {
        body->awake = true;
        body->still_time = 0;
    } else if (td_is_soft(body)) {
        td_softs_wake(world->softs, body->soft);
        body->awake = true;
    }
}

static void td_wake_neighbours(td_world *world, uint32_t index) {
    for (size_t i = 0; i < world->links.count; ++i) {
        const td_link *link = &world->links.items[i];
        if (link->touching && (link->a == index || link->b == index)) {
            td_wake(world, link->a == index ? link->b : link->a);
        }
    }
    const td_body *body = &world->bodies.items[index];
    td_wake_softs_near(world, td_is_soft(body) ? td_soft_bounds(world, body->soft) : body->bounds);
}

td_result td_remove_body(td_world *world, td_body_id id) {
    td_body *body = td_world_body(world, id);
    if (body == NULL) {
        return TD_ERROR_ARGUMENT;
    }
    const uint32_t index = id.index - 1;
    TD_TRY(td_broad_remove(world->broad, index));
    td_wake_neighbours(world, index);
    if (td_is_soft(body)) {
        td_softs_remove(world->softs, body->soft);
    }
    --body->surface->users;
    td_drop_unused_surface(world, body->surface);
    TD_DELETE(world->context, char, body->name, body->name_bytes);
    *body = (td_body){.generation = body->generation};
    --world->body_count;
    return TD_OK;
}

// ---------------------------------------------------------------------------------------------------------
// Looking

td_result td_get_body(td_body_state *out, const td_world *world, td_body_id id) {
    const td_body *body = td_world_body(world, id);
    if (body == NULL) {
        return TD_ERROR_ARGUMENT;
    }
    const td_mat3 turn = td_quat_matrix(body->at.rotation);
    const td_vec3 p = td_frame_position(body, &body->at, turn), c = body->at.position;
    const td_vec3 v = body->velocity, w = body->spin, m = td_scale(v, body->mass);
    const td_quat q = body->at.rotation;
    const td_vec3 spin = td_mat3_unapply(turn, w), turning = td_sym3_apply(body->inertia, spin);
    const td_vec3 l = td_mat3_apply(turn, turning);
    *out = (td_body_state){
        .kind = body->kind,
        .mesh = body->surface->mesh,
        .name = body->name,
        .user = body->user,
        .pose = {{p.x, p.y, p.z}, {q.x, q.y, q.z, q.w}},
        .centre = {c.x, c.y, c.z},
        .velocity = {v.x, v.y, v.z},
        .spin = {w.x, w.y, w.z},
        .mass = body->mass,
        .momentum = {m.x, m.y, m.z},
        .angular_momentum = {l.x, l.y, l.z},
        .kinetic_energy = 0.5 * td_dot(v, m) + 0.5 * td_dot(spin, turning),
        .radius = body->surface->radius,
        .awake = body->awake,
    };
    if (td_is_soft(body)) {
        td_describe_soft(out, world, body);
    }
    return TD_OK;
}

// ---------------------------------------------------------------------------------------------------------
// Pushing

static td_result td_check_vector(const double v[3], const char *what) {
    for (int k = 0; k < 3; ++k) {
        if (!(fabs(v[k]) <= 1e30)) {
            return td_fail(TD_ERROR_ARGUMENT, "%s: coordinate %d is %g: expected a finite number", what, k,
                           v[k]);
        }
    }
    return TD_OK;
}

td_result td_set_body_pose(td_world *world, td_body_id id, const td_pose *pose) {
    td_body *body = td_world_body(world, id);
    if (body == NULL) {
        return TD_ERROR_ARGUMENT;
    }
    TD_TRY(td_check_pose(pose));
    TD_TRY(td_check_vector(pose->position, "position"));
    if (td_is_soft(body)) {
        return td_place_soft(world, id.index - 1, pose);
    }
    td_body moved = *body;
    td_place(&moved, pose);
    moved.bounds = td_bounds_at(&moved, &moved.at);
    moved.placed = true;
    TD_TRY(td_broad_move(world->broad, id.index - 1, moved.bounds));
    *body = moved;
    td_wake(world, id.index - 1);
    td_wake_neighbours(world, id.index - 1);
    return TD_OK;
}

td_result td_set_body_velocity(td_world *world, td_body_id id, const double velocity[3],
                               const double spin[3]) {
    td_body *body = td_world_body(world, id);
    if (body == NULL) {
        return TD_ERROR_ARGUMENT;
    }
    if (body->kind == TD_BODY_STATIC) {
        return td_fail(TD_ERROR_ARGUMENT, "body '%s' is static: it has no velocity", body->name);
    }
    TD_TRY(td_check_vector(velocity, "velocity"));
    TD_TRY(td_check_vector(spin, "spin"));
    if (td_is_soft(body)) {
        td_softs_set_velocity(world->softs, body->soft, td_vec3_from(velocity), td_vec3_from(spin));
    } else {
        body->velocity = td_vec3_from(velocity);
        body->spin = td_vec3_from(spin);
    }
    td_wake(world, id.index - 1);
    return TD_OK;
}

td_result td_apply_force(td_world *world, td_body_id id, const double force[3], const double *point) {
    td_body *body = td_world_body(world, id);
    if (body == NULL) {
        return TD_ERROR_ARGUMENT;
    }
    TD_TRY(td_check_vector(force, "force"));
    TD_TRY(point == NULL ? TD_OK : td_check_vector(point, "point"));
    if (td_is_soft(body)) {
        return td_force_soft(world, id.index - 1, td_vec3_from(force), point);
    }
    body->force = td_add(body->force, td_vec3_from(force));
    if (point != NULL) {
        const td_vec3 arm = td_sub(td_vec3_from(point), body->at.position);
        body->torque = td_add(body->torque, td_cross(arm, td_vec3_from(force)));
    }
    td_wake(world, id.index - 1);
    return TD_OK;
}

td_result td_apply_torque(td_world *world, td_body_id id, const double torque[3]) {
    td_body *body = td_world_body(world, id);
    if (body == NULL) {
        return TD_ERROR_ARGUMENT;
    }
    TD_TRY(td_check_vector(torque, "torque"));
    if (td_is_soft(body)) {
        return td_fail(TD_ERROR_ARGUMENT, "body '%s' is soft: a torque has nothing to hold it by",
                       body->name);
    }
    body->torque = td_add(body->torque, td_vec3_from(torque));
    td_wake(world, id.index - 1);
    return TD_OK;
}

td_result td_apply_impulse(td_world *world, td_body_id id, const double impulse[3], const double *point) {
    td_body *body = td_world_body(world, id);
    if (body == NULL) {
        return TD_ERROR_ARGUMENT;
    }
    TD_TRY(td_check_vector(impulse, "impulse"));
    TD_TRY(point == NULL ? TD_OK : td_check_vector(point, "point"));
    const td_vec3 p = td_vec3_from(impulse);
    if (td_is_soft(body)) {
        return td_impel_soft(world, id.index - 1, p, point);
    }
    body->velocity = td_add(body->velocity, td_scale(p, body->inverse_mass));
    if (point != NULL) {
        const td_vec3 twist = td_cross(td_sub(td_vec3_from(point), body->at.position), p);
        const td_mat3 turn = td_quat_matrix(body->at.rotation);
        body->spin = td_add(body->spin, td_sym3_apply(td_sym3_rotate(body->inverse_inertia, turn), twist));
    }
    td_wake(world, id.index - 1);
    return TD_OK;
}

td_result td_wake_body(td_world *world, td_body_id id) {
    if (td_world_body(world, id) == NULL) {
        return TD_ERROR_ARGUMENT;
    }
    td_wake(world, id.index - 1);
    return TD_OK;
}
