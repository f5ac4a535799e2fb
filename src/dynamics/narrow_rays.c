#include "narrow_rays.h"

#include "../core/context.h"
#include "../core/error.h"
#include "../query/pose.h"
#include "../rays/solid.h"
#include "world.h"

#include <string.h>

static const char *const td_narrow_names[] = {"triangles", "rays"};

enum { TD_NARROWS = 2 };

const char *td_narrow_name(td_narrow narrow) {
    return (unsigned)narrow < TD_NARROWS ? td_narrow_names[narrow] : "unknown";
}

td_result td_narrow_from_name(td_narrow *out, const char *name) {
    for (unsigned k = 0; k < TD_NARROWS; ++k) {
        if (strcmp(name, td_narrow_names[k]) == 0) {
            *out = (td_narrow)k;
            return TD_OK;
        }
    }
    return td_fail(TD_ERROR_ARGUMENT, "there is no narrow phase '%s': expected triangles or rays", name);
}

// Of the smaller radius: horns and ears are thinner than they may be pressed in.
static const double td_ray_reach = 0.1;

td_result td_ray_narrow_create(td_ray_narrow **out, td_context *context, const td_world_def *def) {
    td_ray_narrow *rays = TD_NEW(context, td_ray_narrow, 1);
    *out = rays;
    if (rays == NULL) {
        return TD_ERROR_MEMORY;
    }
    *rays = (td_ray_narrow){0};
    td_tracer_def tracer = td_default_tracer_def();
    // A world asks only about pairs that have moved, so there is nothing to go on from. Vertices that lie on
    // the other body's side, as those of boxes upon each other do, count: by the overlap of contacts at rest.
    tracer.iterative = false;
    tracer.prediction = TD_PREDICT_EXACT;
    tracer.touch = def->slop;
    tracer.reach = td_ray_reach;
    tracer.device = def->device;
    TD_TRY(td_create_tracer(&rays->tracer, context, &tracer));
    rays->benches = TD_NEW(context, td_ray_bench, context->worker_count);
    if (rays->benches == NULL) {
        return TD_ERROR_MEMORY;
    }
    rays->bench_count = context->worker_count;
    for (uint32_t i = 0; i < rays->bench_count; ++i) {
        rays->benches[i] = (td_ray_bench){0};
    }
    return TD_OK;
}

void td_ray_narrow_destroy(td_ray_narrow *rays, td_context *context) {
    if (rays == NULL) {
        return;
    }
    for (uint32_t i = 0; i < rays->bench_count; ++i) {
        td_array_release(context, &rays->benches[i].points);
        td_array_release(context, &rays->benches[i].depths);
        td_array_release(context, &rays->benches[i].order);
        td_array_release(context, &rays->benches[i].taken);
    }
    TD_DELETE(context, td_ray_bench, rays->benches, rays->bench_count);
    td_array_release(context, &rays->objects);
    td_array_release(context, &rays->pairs);
    td_array_release(context, &rays->place);
    td_array_release(context, &rays->traced);
    td_destroy_tracer(rays->tracer);
    TD_DELETE(context, td_ray_narrow, rays, 1);
}

// ---------------------------------------------------------------------------------------------------------
// Tracing

static td_result td_reserve_traces(td_ray_narrow *rays, td_context *context, size_t questions) {
    rays->objects.count = rays->pairs.count = rays->place.count = rays->traced.count = 0;
    TD_TRY(td_array_reserve(context, &rays->objects, 2 * questions));
    TD_TRY(td_array_reserve(context, &rays->pairs, questions));
    TD_TRY(td_array_reserve(context, &rays->place, questions + 1));
    return td_array_reserve(context, &rays->traced, questions);
}

static void td_add_traced_pair(td_ray_narrow *rays, const td_object_pair *pair) {
    const uint32_t at = (uint32_t)rays->objects.count;
    rays->objects.items[at] = (td_traced_object){.key = at, .mesh = pair->a, .pose = td_pose_identity()};
    rays->objects.items[at + 1] = (td_traced_object){.key = at + 1, .mesh = pair->b, .pose = pair->pose};
    rays->objects.count += 2;
    rays->pairs.items[rays->pairs.count++] = (td_traced_pair){at, at + 1};
}

// Where the contacts of each question begin.
static void td_place_contacts(td_ray_narrow *rays) {
    size_t contact = 0;
    uint32_t pair = 0;
    for (size_t i = 0; i < rays->traced.count; ++i) {
        rays->place.items[rays->place.count++] = (uint32_t)contact;
        if (rays->traced.items[i]) {
            while (contact < rays->result.contact_count && rays->result.contacts[contact].pair == pair) {
                ++contact;
            }
            ++pair;
        }
    }
    rays->place.items[rays->place.count++] = (uint32_t)contact;
}

td_result td_trace_questions(td_world *world) {
    td_ray_narrow *rays = world->rays;
    TD_TRY(td_reserve_traces(rays, world->context, world->questions.count));
    for (uint32_t i = 0; i < rays->bench_count; ++i) {
        rays->benches[i].rays = rays->benches[i].untraced = 0;
    }
    for (size_t i = 0; i < world->questions.count; ++i) {
        const td_object_pair *pair = &world->object_pairs.items[i];
        bool solid = world->answers.items[i].colliding;
        if (solid) {
            TD_TRY(td_traced_solid(&solid, rays->tracer, pair->a));
        }
        if (solid) {
            TD_TRY(td_traced_solid(&solid, rays->tracer, pair->b));
        }
        rays->traced.items[rays->traced.count++] = solid;
        if (solid) {
            td_add_traced_pair(rays, pair);
        }
    }
    TD_TRY(td_trace(&rays->result, rays->tracer, rays->objects.items, rays->objects.count, rays->pairs.items,
                    rays->pairs.count));
    td_place_contacts(rays);
    world->report.traced_pairs = rays->pairs.count;
    for (int k = 0; k < TD_TRACED_ALGORITHMS; ++k) {
        world->report.traced_rays += rays->result.report.rays[k];
    }
    return TD_OK;
}

void td_report_rays(td_world *world) {
    for (uint32_t i = 0; i < world->rays->bench_count; ++i) {
        world->report.traced_rays += world->rays->benches[i].rays;
        world->report.untraced_pairs += world->rays->benches[i].untraced;
    }
}

// ---------------------------------------------------------------------------------------------------------
// Points

static td_vec3 td_vec3_of(const double v[3]) {
    return td_vec3_make(v[0], v[1], v[2]);
}

static td_traced_point td_point_of(const td_traced_contact *contact, const td_meeting *meeting) {
    const td_vec3 v = td_trimesh_vertex(&meeting->surfaces[contact->side]->mesh->triangles, contact->vertex);
    const td_vec3 start = contact->side == 0 ? v : td_rigid_apply(meeting->rigid, v);
    const td_vec3 way = td_sub(td_vec3_of(contact->point), start);
    td_vec3 out = td_vec3_of(contact->normal);
    if (td_dot(out, out) == 0 && contact->depth > 0) {
        out = td_scale(way, 1 / contact->depth);
    }
    const double depth = td_dot(way, out);
    return (td_traced_point){.point = start,
                             .normal = td_scale(out, contact->side == 0 ? -1 : 1),
                             .depth = depth > 0 ? depth : 0,
                             .feature = (uint64_t)contact->side << 63 | contact->vertex,
                             .side = contact->side,
                             .vertex = true};
}

static td_result td_add_vertex_points(td_ray_bench *bench, td_context *context, const td_ray_narrow *rays,
                                      size_t question, const td_meeting *meeting) {
    const uint32_t first = rays->place.items[question], end = rays->place.items[question + 1];
    bench->points.count = 0;
    TD_TRY(td_array_reserve(context, &bench->points, end - first));
    for (uint32_t i = first; i < end; ++i) {
        const td_traced_point point = td_point_of(&rays->result.contacts[i], meeting);
        if (td_dot(point.normal, point.normal) > 0) {
            bench->points.items[bench->points.count++] = point;
        }
    }
    return TD_OK;
}

td_result td_find_contacts_by_rays(const td_ray_narrow *rays, size_t question, uint32_t worker,
                                   td_contact_finder *finder, td_context *context, const td_meeting *meeting,
                                   const td_pair *pairs, size_t pair_count, td_vec3 way) {
    td_ray_bench *bench = &rays->benches[worker];
    if (rays->traced.items[question]) {
        TD_TRY(td_add_vertex_points(bench, context, rays, question, meeting));
        TD_TRY(td_trace_edges(bench, finder, context, meeting, pairs, pair_count));
        if (bench->points.count > 0) {
            return td_make_manifolds(bench, finder, context, meeting);
        }
    }
    ++bench->untraced;
    return td_find_contacts(finder, context, meeting, pairs, pair_count, way);
}
