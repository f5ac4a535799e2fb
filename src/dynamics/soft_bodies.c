// Soft bodies of a world: what td_add_body and its like do if a body is soft, and their part of a step.
#include "../core/context.h"
#include "../core/error.h"
#include "world.h"

#include <math.h>
#include <stdio.h>

td_soft_def td_default_soft_def(void) {
    return (td_soft_def){.cookie = TD_COOKIE_SOFT,
                         .thickness = 0.005,
                         .stretch = 2000,
                         .shear = 200,
                         .bend = 0.001,
                         .pressure = 1e5,
                         .damping = 0.5};
}

typedef struct td_soft_range {
    const char *field;
    double value, least;
    bool more; // than the least
} td_soft_range;

td_result td_check_soft_def(const td_soft_def *def, const char *name) {
    TD_TRY(td_check_cookie(def->cookie, TD_COOKIE_SOFT, "td_default_soft_def"));
    const td_soft_range ranges[] = {
        {"thickness (m)", def->thickness, 0, true}, {"stretch (N/m)", def->stretch, 0, true},
        {"shear (N/m)", def->shear, 0, false},      {"bend (N m)", def->bend, 0, false},
        {"pressure (Pa)", def->pressure, 0, false}, {"damping (1/s)", def->damping, 0, false},
    };
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; ++i) {
        const td_soft_range *r = &ranges[i];
        if (!(r->value >= r->least && r->value <= 1e15) || (r->more && r->value == r->least)) {
            return td_fail(TD_ERROR_ARGUMENT,
                           "body '%s': soft: %s is %g: expected a number %s 0, at most 1e15", name, r->field,
                           r->value, r->more ? ">" : ">=");
        }
    }
    if (def->pin_count > 0 && def->pins == NULL) {
        return td_fail(TD_ERROR_ARGUMENT, "body '%s': soft: pins is null, but there are %zu", name,
                       def->pin_count);
    }
    return TD_OK;
}

// A closed mesh is filled with the density, a sheet has its thickness of it.
static td_result td_soft_mass(double *out, const td_body *body, const td_body_def *def, double thickness) {
    const td_surface *surface = body->surface;
    if (def->mass > 0) {
        *out = def->mass;
    } else if (surface->is_solid) {
        *out = def->density * surface->solid.volume;
    } else if (surface->is_shell) {
        *out = def->density * surface->shell.area * thickness;
    } else {
        return td_fail(TD_ERROR_MESH,
                       "body '%s': mesh '%s' has no area: expected a surface that can carry mass", body->name,
                       surface->mesh->triangles.name);
    }
    return isfinite(*out) && *out > 0
               ? TD_OK
               : td_fail(TD_ERROR_MESH, "body '%s': a mass of %g kg is beyond what can be computed with",
                         body->name, *out);
}

td_result td_add_soft(td_soft **out, td_world *world, const td_body *body, const td_body_def *def,
                      uint32_t index) {
    const td_soft_def usual = td_default_soft_def();
    const double *p = def->pose.position, *q = def->pose.rotation;
    td_soft_start start = {
        .body = index,
        .mesh = def->mesh,
        .def = def->soft == NULL ? &usual : def->soft,
        .frame = {td_vec3_make(p[0], p[1], p[2]), td_quat_normalise(td_quat_make(q[0], q[1], q[2], q[3]))},
        .velocity = td_vec3_make(def->velocity[0], def->velocity[1], def->velocity[2]),
        .spin = td_vec3_make(def->spin[0], def->spin[1], def->spin[2]),
        .friction = def->friction,
        .gravity_scale = def->gravity_scale,
        .linear_damping = def->linear_damping,
        .group = def->group,
        .collides_with = def->collides_with,
        .may_sleep = def->may_sleep};
    if (def->angular_damping > 0) {
        return td_fail(
            TD_ERROR_ARGUMENT,
            "body '%s': angular_damping is %g: a soft body has none; expected 0, and `damping` of its "
            "td_soft_def for motion within it",
            body->name, def->angular_damping);
    }
    TD_TRY(td_soft_mass(&start.mass, body, def, start.def->thickness));
    const td_result result = td_softs_add(out, world->softs, &start);
    if (result != TD_OK && result != TD_ERROR_MEMORY) {
        char trouble[512];
        (void)snprintf(trouble, sizeof trouble, "%s", td_error_message());
        return td_fail(result, "body '%s': %s", body->name, trouble);
    }
    return result;
}

td_box td_soft_bounds(const td_world *world, const td_soft *soft) {
    const td_vec3 *x = td_softs_positions(world->softs, soft);
    td_box box = {x[0], x[0]};
    for (uint32_t i = 0; i < soft->form->vertex_count; ++i) {
        box.lower.x = x[i].x < box.lower.x ? x[i].x : box.lower.x;
        box.lower.y = x[i].y < box.lower.y ? x[i].y : box.lower.y;
        box.lower.z = x[i].z < box.lower.z ? x[i].z : box.lower.z;
        box.upper.x = x[i].x > box.upper.x ? x[i].x : box.upper.x;
        box.upper.y = x[i].y > box.upper.y ? x[i].y : box.upper.y;
        box.upper.z = x[i].z > box.upper.z ? x[i].z : box.upper.z;
    }
    return box;
}

static void td_put(double out[3], td_vec3 v) {
    out[0] = v.x;
    out[1] = v.y;
    out[2] = v.z;
}

void td_describe_soft(td_body_state *out, const td_world *world, const td_body *body) {
    const td_soft_sums sums = td_softs_sum(world->softs, body->soft);
    out->pose = td_pose_identity();
    out->mass = body->soft->mass;
    td_put(out->centre, sums.centre);
    td_put(out->velocity, td_scale(sums.momentum, 1 / body->soft->mass));
    td_put(out->spin, sums.spin);
    td_put(out->momentum, sums.momentum);
    td_put(out->angular_momentum, sums.angular_momentum);
    out->kinetic_energy = sums.kinetic_energy;
    out->radius = sums.radius;
    out->awake = body->soft->awake;
}

td_result td_get_positions(const double **out, uint32_t *vertex_count, const td_world *world, td_body_id id) {
    *out = NULL;
    const td_body *body = td_world_body(world, id);
    if (body == NULL) {
        return TD_ERROR_ARGUMENT;
    }
    if (!td_is_soft(body)) {
        return td_fail(TD_ERROR_ARGUMENT, "body '%s' is %s: only soft bodies have positions of their own",
                       body->name, td_body_kind_name(body->kind));
    }
    *out = &td_softs_positions(world->softs, body->soft)->x;
    if (vertex_count != NULL) {
        *vertex_count = body->soft->form->vertex_count;
    }
    return TD_OK;
}

// ---------------------------------------------------------------------------------------------------------
// Pushing

void td_wake_softs_near(td_world *world, td_box box) {
    for (size_t i = 0; i < world->softs->list.count; ++i) {
        td_soft *soft = world->softs->list.items[i];
        const td_box own = td_soft_bounds(world, soft);
        const double by = 2 * soft->thickness;
        if (own.lower.x - by <= box.upper.x && box.lower.x <= own.upper.x + by &&
            own.lower.y - by <= box.upper.y && box.lower.y <= own.upper.y + by &&
            own.lower.z - by <= box.upper.z && box.lower.z <= own.upper.z + by) {
            td_wake(world, soft->body);
        }
    }
}

td_result td_place_soft(td_world *world, uint32_t index, const td_pose *pose) {
    const double *p = pose->position, *q = pose->rotation;
    const td_stand frame = {td_vec3_make(p[0], p[1], p[2]),
                            td_quat_normalise(td_quat_make(q[0], q[1], q[2], q[3]))};
    td_soft *soft = world->bodies.items[index].soft;
    td_wake_softs_near(world, td_soft_bounds(world, soft));
    td_softs_place(world->softs, soft, frame);
    td_wake_softs_near(world, td_soft_bounds(world, soft));
    td_wake(world, index);
    return TD_OK;
}

static uint32_t td_nearest_vertex(const td_world *world, const td_soft *soft, const double point[3]) {
    const td_vec3 *x = td_softs_positions(world->softs, soft);
    const td_vec3 to = td_vec3_make(point[0], point[1], point[2]);
    uint32_t best = 0;
    double least = INFINITY;
    for (uint32_t i = 0; i < soft->form->vertex_count; ++i) {
        const td_vec3 d = td_sub(x[i], to);
        if (td_dot(d, d) < least) {
            least = td_dot(d, d);
            best = i;
        }
    }
    return soft->first + best;
}

// At a point: on the vertex that is nearest. Else on all alike.
td_result td_impel_soft(td_world *world, uint32_t index, td_vec3 impulse, const double *point) {
    td_soft *soft = world->bodies.items[index].soft;
    td_wake(world, index);
    td_vec3 *v = world->softs->v.items;
    const double *weight = world->softs->weight.items;
    if (point != NULL) {
        const uint32_t at = td_nearest_vertex(world, soft, point);
        v[at] = td_add(v[at], td_scale(impulse, weight[at]));
        return TD_OK;
    }
    for (uint32_t i = soft->first; i < soft->first + soft->form->vertex_count; ++i) {
        v[i] = weight[i] > 0 ? td_add(v[i], td_scale(impulse, 1 / soft->mass)) : v[i];
    }
    return TD_OK;
}

td_result td_force_soft(td_world *world, uint32_t index, td_vec3 force, const double *point) {
    td_soft *soft = world->bodies.items[index].soft;
    if (point != NULL) { // as what it gives within the step, at its beginning
        return td_impel_soft(world, index, td_scale(force, world->def.step), point);
    }
    td_wake(world, index);
    soft->force = td_add(soft->force, force);
    return TD_OK;
}

// ---------------------------------------------------------------------------------------------------------
// A step

// A body that falls gets faster all the way, and so it must meet soft ones: else it would have, at the end of
// the step, more speed than they took from it. It is what gravity does, at most: contacts stop bodies at
// once.
static td_vec3 td_bend_of(const td_world *world, const td_body *body, const td_solver_body *solved) {
    const double *g = world->def.gravity, time = world->pass_time;
    const td_vec3 way = td_sub(solved->position, body->at.position);
    const td_vec3 bend = td_sub(td_scale(solved->velocity, time), way);
    const double most = td_length(td_vec3_make(g[0], g[1], g[2])) * fabs(body->gravity_scale) * time * time;
    const double length = td_length(bend);
    return length > most ? td_scale(bend, most / length) : bend;
}

static td_obstacle td_obstacle_of(const td_world *world, uint32_t index) {
    const td_body *body = &world->bodies.items[index];
    const td_solver_body *solved = &world->solver_bodies.items[index];
    td_obstacle o = {.generation = body->generation};
    if (!body->alive || td_is_soft(body)) {
        o.soft = body->alive ? body->soft : NULL;
        return o;
    }
    const bool moved = td_is_dynamic(body) && body->awake;
    o.there = true;
    o.mesh = body->surface->mesh;
    o.centre = body->surface->centre;
    o.radius = body->surface->radius;
    o.start = (td_stand){body->at.position, body->at.rotation};
    o.end = (td_stand){solved->position, solved->rotation};
    o.bend = moved ? td_bend_of(world, body, solved) : td_vec3_make(0, 0, 0);
    o.inverse_mass = moved ? body->inverse_mass : 0;
    o.inverse_inertia = moved ? body->inverse_inertia : (td_sym3){0};
    o.friction = body->friction;
    o.group = body->group;
    o.collides_with = body->collides_with;
    o.stubborn = body->kind == TD_BODY_KINEMATIC;
    o.asleep = td_is_dynamic(body) && !body->awake;
    o.still = td_is_dynamic(body) && body->still_time > 0;
    o.newcomer = !(body->leaning > 0);
    return o;
}

static void td_take_back(td_world *world, uint32_t index, const td_obstacle *o) {
    td_solver_body *solved = &world->solver_bodies.items[index];
    if (o->woken) {
        td_wake(world, index);
    }
    if (!o->there || !o->touched) {
        return;
    }
    world->bodies.items[index].leaning = world->def.sleep_time;
    solved->position = o->at.position;
    solved->rotation = o->at.rotation;
    solved->velocity = td_scale(td_add(solved->velocity, o->gained), o->kept);
    solved->spin = td_scale(td_add(solved->spin, o->gained_spin), o->kept);
}

static void td_report_softs(td_step_report *out, const td_soft_report *report) {
    out->soft_laps = report->laps;
    out->soft_near = report->candidates;
    out->soft_contacts = report->contacts;
    out->soft_held = report->held;
    out->soft_passed = report->passed;
    out->soft_search_ms = report->search_ms;
    out->soft_elements_ms = report->elements_ms;
    out->soft_contacts_ms = report->contacts_ms;
    out->soft_exact_ms = report->certain_ms;
}

static td_result td_list_grips(td_world *world) {
    world->grips.count = 0;
    TD_TRY(td_array_reserve(world->context, &world->grips, world->points.count));
    for (size_t i = 0; i < world->constraints.count; ++i) {
        const td_constraint *constraint = &world->constraints.items[i];
        for (uint32_t k = constraint->first; k < constraint->first + constraint->count; ++k) {
            const td_contact_point *point = &world->points.items[k];
            if (point->total_impulse > 0) {
                world->grips.items[world->grips.count++] = (td_grip){.a = constraint->a,
                                                                     .b = constraint->b,
                                                                     .at_a = point->anchor_a,
                                                                     .at_b = point->anchor_b,
                                                                     .normal = point->normal,
                                                                     .pressed = point->total_impulse,
                                                                     .rubbed = point->total_friction,
                                                                     .friction = constraint->friction};
            }
        }
    }
    return TD_OK;
}

td_result td_step_soft_bodies(td_world *world) {
    td_softs *softs = world->softs;
    if (softs->list.count == 0) {
        return TD_OK;
    }
    const uint32_t count = (uint32_t)world->bodies.count;
    world->obstacles.count = 0;
    TD_TRY(td_array_reserve(world->context, &world->obstacles, count));
    for (uint32_t i = 0; i < count; ++i) {
        world->obstacles.items[i] = td_obstacle_of(world, i);
    }
    world->obstacles.count = count;
    TD_TRY(td_list_grips(world));
    const double *g = world->def.gravity;
    const double share = world->pass_time / world->def.step;
    const td_soft_settings settings = {.gravity = td_vec3_make(g[0], g[1], g[2]),
                                       .time = world->pass_time,
                                       .substeps = (uint32_t)ceil(world->def.soft_substeps * share),
                                       .sleep_speed = world->def.sleep_speed,
                                       .sleep_time = world->def.sleep_time,
                                       .grips = world->grips.items,
                                       .grip_count = (uint32_t)world->grips.count};
    td_soft_report report;
    const td_result result = td_softs_step(&report, softs, world->obstacles.items, count, &settings);
    if (result != TD_OK) {
        return result == TD_ERROR_NUMBERS ? td_fail_numbers(world, softs->failed_body) : result;
    }
    for (uint32_t i = 0; i < count; ++i) {
        td_take_back(world, i, &world->obstacles.items[i]);
    }
    for (size_t i = 0; i < softs->list.count; ++i) {
        const td_soft *soft = softs->list.items[i];
        td_body *body = &world->bodies.items[soft->body];
        body->awake = soft->awake;
        body->still_time = soft->still_time;
    }
    td_report_softs(&world->report, &report);
    return TD_OK;
}
