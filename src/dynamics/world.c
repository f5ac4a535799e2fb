// Worlds come and go; a step is the sequence of its parts.
#include "world.h"

#include "../core/clock.h"
#include "../core/context.h"
#include "../core/error.h"
#include "../device/device.h"

#include <math.h>
#include <string.h>

td_world_def td_default_world_def(void) {
    return (td_world_def){
        .cookie = TD_COOKIE_WORLD,
        .gravity = {0, -9.81, 0},
        .step = 1.0 / 60,
        .substeps = 4,
        .soft_substeps = 10,
        .iterations = 1,
        .relaxations = 1,
        .slop = 0.00025,
        .push_speed = 3,
        .bounce_speed = 0.5,
        .sleep_speed = 0.05,
        .sleep_time = 0.5,
        .continuous = true,
        .keep_lists = true,
    };
}

// ---------------------------------------------------------------------------------------------------------
// Creation

static td_result td_check_range(double value, double least, double most, const char *name) {
    return value >= least && value <= most
               ? TD_OK
               : td_fail(TD_ERROR_ARGUMENT, "world: %s is %g: expected %g to %g", name, value, least, most);
}

static td_result td_check_count(uint32_t value, uint32_t least, uint32_t most, const char *name) {
    return value >= least && value <= most
               ? TD_OK
               : td_fail(TD_ERROR_ARGUMENT, "world: %s is %u: expected %u to %u", name, value, least, most);
}

static td_result td_check_world_def(const td_world_def *def) {
    TD_TRY(td_check_cookie(def->cookie, TD_COOKIE_WORLD, "td_default_world_def"));
    for (int k = 0; k < 3; ++k) {
        TD_TRY(td_check_range(def->gravity[k], -1e6, 1e6, "gravity (m/s^2)"));
    }
    TD_TRY(td_check_range(def->step, 1e-7, 1, "step (s)"));
    TD_TRY(td_check_count(def->substeps, 1, 1000, "substeps"));
    TD_TRY(td_check_count(def->soft_substeps, 1, 1000, "soft_substeps"));
    TD_TRY(td_check_count(def->iterations, 1, 100000, "iterations"));
    TD_TRY(td_check_count(def->relaxations, 0, 100000, "relaxations"));
    if (def->narrow != TD_NARROW_TRIANGLES && def->narrow != TD_NARROW_RAYS) {
        return td_fail(TD_ERROR_ARGUMENT, "world: narrow is %d: expected TD_NARROW_TRIANGLES or _RAYS",
                       (int)def->narrow);
    }
    TD_TRY(td_check_range(def->slop, 0, 0.1, "slop"));
    TD_TRY(td_check_range(def->push_speed, 0, 1e6, "push_speed (m/s)"));
    TD_TRY(td_check_range(def->bounce_speed, 0, 1e6, "bounce_speed (m/s)"));
    TD_TRY(td_check_range(def->sleep_speed, 0, 1e6, "sleep_speed (m/s)"));
    return td_check_range(def->sleep_time, 0, 1e6, "sleep_time (s)");
}

static td_result td_copy_text(char **out, td_context *context, const char *text) {
    *out = NULL;
    if (text == NULL) {
        return TD_OK;
    }
    const size_t size = strlen(text) + 1;
    *out = TD_NEW(context, char, size);
    if (*out == NULL) {
        return TD_ERROR_MEMORY;
    }
    memcpy(*out, text, size);
    return TD_OK;
}

static void td_release_text(char *text, td_context *context) {
    if (text != NULL) {
        TD_DELETE(context, char, text, strlen(text) + 1);
    }
}

static td_result td_fill_world(td_world *world, const td_world_def *def) {
    td_context *context = world->context;
    TD_TRY(td_copy_text(&world->strategy, context, def->strategy));
    TD_TRY(td_copy_text(&world->broad_kind, context, def->broad));
    world->def.strategy = world->strategy;
    world->def.broad = world->broad_kind;
    world->def.device = def->device == NULL ? NULL : td_device_retain(def->device);
    TD_TRY(td_broad_create(&world->broad, context, def->broad));
    TD_TRY(td_create_query(&world->query, context));
    if (def->exact_ways) {
        TD_TRY(td_create_continuous(&world->continuous, context));
    }
    if (def->narrow == TD_NARROW_RAYS) {
        TD_TRY(td_ray_narrow_create(&world->rays, context, def));
    }
    const td_collide_def narrow = td_narrow_def(world);
    const td_object_pair none = {NULL, NULL, td_pose_identity()};
    TD_TRY(td_collide_pairs(NULL, world->query, &none, 0, &narrow)); // an unknown strategy is told at once
    TD_TRY(td_solver_create(&world->solver, context));
    TD_TRY(td_softs_create(&world->softs, context));
    world->finders = TD_NEW(context, td_contact_finder, context->worker_count);
    if (world->finders == NULL) {
        return TD_ERROR_MEMORY;
    }
    world->finder_count = context->worker_count;
    for (uint32_t i = 0; i < world->finder_count; ++i) {
        world->finders[i] = (td_contact_finder){0};
    }
    return TD_OK;
}

td_result td_create_world(td_world **out, td_context *context, const td_world_def *def) {
    *out = NULL;
    TD_TRY(td_check_world_def(def));
    td_world *world = TD_NEW(context, td_world, 1);
    if (world == NULL) {
        return TD_ERROR_MEMORY;
    }
    *world = (td_world){.context = context, .def = *def, .next_contact_id = 1};
    world->def.device = NULL;
    const td_result result = td_fill_world(world, def);
    if (result != TD_OK) {
        td_destroy_world(world);
        return result;
    }
    *out = world;
    return TD_OK;
}

static void td_release_links(td_world *world) {
    td_context *context = world->context;
    for (size_t i = 0; i < world->pasts.count; ++i) {
        td_near_release(&world->pasts.items[i].list, context);
    }
    td_array_release(context, &world->pasts);
    td_array_release(context, &world->free_pasts);
    td_array_release(context, &world->links);
    td_array_release(context, &world->old_links);
}

void td_destroy_world(td_world *world) {
    if (world == NULL) {
        return;
    }
    td_context *context = world->context;
    for (size_t i = 0; i < world->bodies.count; ++i) {
        const td_body *body = &world->bodies.items[i];
        if (body->alive) {
            TD_DELETE(context, char, body->name, body->name_bytes);
        }
    }
    for (size_t i = 0; i < world->surfaces.count; ++i) {
        td_surface_destroy(world->surfaces.items[i].surface);
    }
    for (uint32_t i = 0; i < world->finder_count; ++i) {
        td_contact_finder_release(&world->finders[i], context);
    }
    TD_DELETE(context, td_contact_finder, world->finders, world->finder_count);
    td_release_links(world);
    td_array_release(context, &world->bodies);
    td_array_release(context, &world->surfaces);
    td_array_release(context, &world->points);
    td_array_release(context, &world->old_points);
    td_array_release(context, &world->before);
    td_array_release(context, &world->sweeps);
    td_array_release(context, &world->near_pairs);
    td_array_release(context, &world->object_pairs);
    td_array_release(context, &world->answers);
    td_array_release(context, &world->questions);
    td_array_release(context, &world->solver_bodies);
    td_array_release(context, &world->constraints);
    td_array_release(context, &world->movers);
    td_array_release(context, &world->parents);
    td_array_release(context, &world->stillness);
    td_array_release(context, &world->began);
    td_array_release(context, &world->ended);
    td_array_release(context, &world->overlaps);
    td_array_release(context, &world->obstacles);
    td_array_release(context, &world->grips);
    td_softs_destroy(world->softs);
    td_ray_narrow_destroy(world->rays, context);
    td_solver_destroy(world->solver);
    td_destroy_query(world->query);
    td_destroy_continuous(world->continuous);
    td_broad_destroy(world->broad);
    td_destroy_device(world->def.device);
    td_release_text(world->strategy, context);
    td_release_text(world->broad_kind, context);
    TD_DELETE(context, td_world, world, 1);
}

// ---------------------------------------------------------------------------------------------------------
// Steps

static void td_sum_energy(td_step_report *report, const td_world *world) {
    const td_vec3 gravity = td_vec3_make(world->def.gravity[0], world->def.gravity[1], world->def.gravity[2]);
    for (size_t i = 0; i < world->bodies.count; ++i) {
        const td_body *body = &world->bodies.items[i];
        if (!body->alive) {
            continue;
        }
        ++report->bodies;
        report->awake += td_is_dynamic(body) && body->awake;
        if (td_is_dynamic(body)) {
            const td_vec3 spin = td_mat3_unapply(td_quat_matrix(body->at.rotation), body->spin);
            report->kinetic_energy += 0.5 * body->mass * td_dot(body->velocity, body->velocity) +
                                      0.5 * td_dot(spin, td_sym3_apply(body->inertia, spin));
            report->potential_energy -= body->mass * body->gravity_scale * td_dot(gravity, body->at.position);
        }
        if (td_is_soft(body)) {
            const td_soft_sums sums = td_softs_sum(world->softs, body->soft);
            ++report->soft_bodies;
            report->soft_awake += body->awake;
            report->kinetic_energy += sums.kinetic_energy;
            report->potential_energy -= body->soft->mass * body->gravity_scale * td_dot(gravity, sums.centre);
        }
    }
}

static td_result td_run_pass(td_world *world) {
    td_step_report *report = &world->report;
    const double begin = td_clock_ms();
    TD_TRY(td_predict(world));
    TD_TRY(td_update_links(world));
    const double broad = td_clock_ms();
    report->broad_ms = broad - begin;
    TD_TRY(td_sweep_ahead(world));
    TD_TRY(td_ask_triangles(world));
    const double traversal = td_clock_ms();
    report->traversal_ms = traversal - broad;
    TD_TRY(td_make_contacts(world));
    const double contacts = td_clock_ms();
    report->contacts_ms = contacts - traversal;
    TD_TRY(td_find_islands(world));
    TD_TRY(td_solve_step(world));
    const double solved = td_clock_ms();
    TD_TRY(td_sweep_behind(world));
    const double swept = td_clock_ms();
    report->traversal_ms += swept - solved;
    TD_TRY(td_step_soft_bodies(world));
    const double softened = td_clock_ms();
    report->soft_ms = softened - swept;
    td_commit_step(world);
    td_put_to_sleep(world);
    report->solver_ms = (solved - contacts) + (td_clock_ms() - softened);
    return TD_OK;
}

// Counts are those of the last pass; times and what happened on the way are of all.
static void td_add_report(td_step_report *sum, const td_step_report *pass) {
    const td_step_report before = *sum;
    *sum = *pass;
    sum->broad_ms += before.broad_ms;
    sum->traversal_ms += before.traversal_ms;
    sum->contacts_ms += before.contacts_ms;
    sum->solver_ms += before.solver_ms;
    sum->copy_ms += before.copy_ms;
    sum->kernel_ms += before.kernel_ms;
    sum->soft_ms += before.soft_ms;
    sum->soft_search_ms += before.soft_search_ms;
    sum->soft_elements_ms += before.soft_elements_ms;
    sum->soft_contacts_ms += before.soft_contacts_ms;
    sum->soft_exact_ms += before.soft_exact_ms;
    sum->soft_laps += before.soft_laps;
    sum->soft_held += before.soft_held;
    sum->soft_passed += before.soft_passed;
    sum->swept_pairs += before.swept_pairs;
    sum->stopped_bodies += before.stopped_bodies;
    sum->penetration = fmax(sum->penetration, before.penetration);
}

static td_result td_save_motions(td_world *world) {
    world->before.count = 0;
    TD_TRY(td_array_reserve(world->context, &world->before, world->bodies.count));
    for (size_t i = 0; i < world->bodies.count; ++i) {
        const td_body *body = &world->bodies.items[i];
        world->before.items[world->before.count++] = (td_motion){
            body->at, body->velocity, body->spin, body->awake, body->still_time, body->rested, body->leaning};
    }
    return td_softs_save(world->softs);
}

static void td_restore_motions(td_world *world) {
    for (size_t i = 0; i < world->before.count; ++i) {
        td_body *body = &world->bodies.items[i];
        const td_motion *motion = &world->before.items[i];
        body->at = motion->at;
        body->velocity = motion->velocity;
        body->spin = motion->spin;
        body->awake = motion->awake;
        body->still_time = motion->still_time;
        body->rested = motion->rested;
        body->leaning = motion->leaning;
    }
    td_softs_restore(world->softs);
}

static td_result td_run_passes(td_step_report *sum, td_world *world) {
    const uint32_t passes = td_count_passes(world);
    world->pass_time = world->def.step / passes;
    world->pass_substeps = (world->def.substeps + passes - 1) / passes;
    world->before.count = world->began.count = world->ended.count = 0;
    TD_TRY(td_save_motions(world));
    for (uint32_t i = 0; i < passes; ++i) {
        world->report = (td_step_report){0};
        TD_TRY(td_run_pass(world));
        td_add_report(sum, &world->report);
    }
    sum->passes = passes;
    return TD_OK;
}

static void td_clear_forces(td_world *world) {
    for (size_t i = 0; i < world->bodies.count; ++i) {
        world->bodies.items[i].force = world->bodies.items[i].torque = td_vec3_make(0, 0, 0);
    }
}

// After a step that failed: what was under way about contacts may hold anything. They are found anew.
static void td_forget_contacts(td_world *world) {
    world->points.count = world->old_points.count = 0;
    for (size_t i = 0; i < world->links.count; ++i) {
        td_link *link = &world->links.items[i];
        link->first = link->count = 0;
        link->touching = link->asked = false;
        link->margin = -1;
    }
}

td_result td_step_world(td_step_report *out, td_world *world) {
    const double begin = td_clock_ms();
    td_step_report report = {0};
    const td_result result = td_run_passes(&report, world);
    if (result != TD_OK) {
        td_restore_motions(world);
        td_forget_contacts(world);
        return result;
    }
    td_clear_forces(world);
    td_sum_energy(&report, world);
    report.step = world->step_count++;
    report.time = (double)world->step_count * world->def.step;
    report.total_ms = td_clock_ms() - begin;
    if (out != NULL) {
        *out = report;
    }
    return TD_OK;
}

// ---------------------------------------------------------------------------------------------------------
// What a caller may look at

td_touches td_last_touches(const td_world *world) {
    return (td_touches){world->began.items, world->ended.items, world->began.count, world->ended.count};
}

size_t td_contact_count(const td_world *world) {
    return world->points.count;
}

static bool td_is_gone(const td_body *body, uint32_t generation) {
    return !body->alive || body->generation != generation;
}

td_contact td_get_contact(const td_world *world, size_t index) {
    // The link whose points hold the index: they are in the order of the links.
    size_t low = 0, high = world->links.count;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (world->links.items[middle].first <= index) {
            low = middle;
        } else {
            high = middle;
        }
    }
    const td_link *link = &world->links.items[low];
    const td_body *a = &world->bodies.items[link->a];
    const td_body *b = &world->bodies.items[link->b];
    const td_contact_point *p = &world->points.items[index];
    td_vec3 at_a = td_add(a->at.position, td_mat3_apply(td_quat_matrix(a->at.rotation), p->anchor_a));
    td_vec3 at_b = td_add(b->at.position, td_mat3_apply(td_quat_matrix(b->at.rotation), p->anchor_b));
    // Of a body that was removed since, all that is left is what it touched.
    at_a = td_is_gone(a, link->generations[0]) ? at_b : at_a;
    at_b = td_is_gone(b, link->generations[1]) ? at_a : at_b;
    const td_vec3 middle = td_scale(td_add(at_a, at_b), 0.5);
    return (td_contact){.a = {link->a + 1, link->generations[0]},
                        .b = {link->b + 1, link->generations[1]},
                        .point = {middle.x, middle.y, middle.z},
                        .normal = {p->normal.x, p->normal.y, p->normal.z},
                        .depth = -(p->separation + td_dot(p->normal, td_sub(at_b, at_a))),
                        .impulse = p->total_impulse,
                        .friction = {p->total_friction.x, p->total_friction.y, p->total_friction.z},
                        .region = p->region,
                        .id = p->id};
}

static uint64_t td_hash_number(uint64_t hash, double number) {
    union {
        double value;
        uint64_t bits;
    } u = {number};
    return td_mix(hash ^ u.bits) + 0x9e3779b97f4a7c15u;
}

static uint64_t td_hash_vec3(uint64_t hash, td_vec3 v) {
    return td_hash_number(td_hash_number(td_hash_number(hash, v.x), v.y), v.z);
}

uint64_t td_hash_world(const td_world *world) {
    uint64_t hash = 0x74616e64656du;
    for (size_t i = 0; i < world->bodies.count; ++i) {
        const td_body *body = &world->bodies.items[i];
        if (!body->alive) {
            continue;
        }
        hash = td_hash_vec3(td_mix(hash ^ i), body->at.position);
        const td_quat q = body->at.rotation;
        hash = td_hash_number(td_hash_vec3(hash, td_vec3_make(q.x, q.y, q.z)), q.w);
        hash = td_hash_vec3(td_hash_vec3(hash, body->velocity), body->spin);
        for (uint32_t v = 0; td_is_soft(body) && v < body->soft->form->vertex_count; ++v) {
            hash = td_hash_vec3(hash, world->softs->x.items[body->soft->first + v]);
            hash = td_hash_vec3(hash, world->softs->v.items[body->soft->first + v]);
        }
    }
    return hash;
}
