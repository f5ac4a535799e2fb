// From hits to contacts, and what is kept for the next step.
#include "../core/context.h"
#include "../core/error.h"
#include "../core/tasks.h"
#include "../traverse/ray.h"
#include "per_vertex.h"

#include <stdatomic.h>

enum { TD_SIDES_OF_TASK = 64, TD_MOST_ENTRIES = 8 };

typedef struct td_finish_job {
    td_tracer *tracer;
    atomic_size_t next;
    _Atomic(td_result) result;
} td_finish_job;

// The ray of a deformable solid must not have left it before.
static bool td_leaves_own_first(const td_side *side, uint32_t number, double t) {
    const td_ray_shape *source = side->source;
    if (!source->deformable || side->source_around > 0) {
        return false;
    }
    const double *p = source->corners + 3 * (size_t)source->starts[number],
                 *d = source->inward + 3 * (size_t)source->starts[number];
    const td_ray ray = {{p[0], p[1], p[2]}, {d[0], d[1], d[2]}, 0x1p-1074, t};
    td_ray_hit hit;
    const td_ray_batch batch = {.mesh = &side->source_mesh->triangles,
                                .hierarchy = &side->source_mesh->hierarchy,
                                .grain = td_ray_grain(&side->source_mesh->hierarchy),
                                .mode = TD_RAY_CLOSEST,
                                .rays = &ray,
                                .out = &hit};
    td_ray_run_for(source->context->isa)(&batch, 0, 1);
    return hit.hit && hit.t < t;
}

void td_pass_entry(const td_tracer *tracer, const td_side *side, uint32_t number, td_trace_hit *hit) {
    // Through an edge or a vertex several triangles are entered at one place, but for rounding.
    for (int k = 0; k < TD_MOST_ENTRIES && side->touch > 0; ++k) {
        if (hit->state != TD_TRACE_HIT || hit->side == -side->at.outward || hit->t >= side->touch) {
            return;
        }
        td_trace_ray ray = td_ray_of_side(side, number);
        ray.t_min = nextafter(hit->t, INFINITY);
        *hit = tracer->def.brute ? td_cast_basic(side->at, ray) : td_cast_alone(side, &ray);
    }
}

bool td_hit_counts(const td_side *side, uint32_t number, const td_trace_hit *hit) {
    if (hit->state != TD_TRACE_HIT || (side->target_around == 0 && hit->side != -side->at.outward)) {
        return false;
    }
    return !td_leaves_own_first(side, number, hit->t);
}

// The hits of a side's lists, merged by the numbers of rays.
static td_result td_keep_hits(td_tracer *tracer, td_side *side) {
    td_side_memory *memory = side->memory;
    size_t at[TD_TRACED_ALGORITHMS] = {0};
    memory->hits.count = 0;
    for (;;) {
        const td_cast *next = NULL;
        int from = 0;
        for (int k = 0; k < TD_TRACED_ALGORITHMS; ++k) {
            const td_cast *cast = tracer->lists[k].items + side->first[k] + at[k];
            if (at[k] < side->count[k] && (next == NULL || cast->number < next->number)) {
                next = cast;
                from = k;
            }
        }
        if (next == NULL) {
            return TD_OK;
        }
        ++at[from];
        td_trace_hit hit = next->hit;
        td_pass_entry(tracer, side, next->number, &hit);
        if (td_hit_counts(side, next->number, &hit)) {
            TD_TRY(td_array_reserve(tracer->context, &memory->hits, 1));
            memory->hits.items[memory->hits.count++] = (td_side_hit){next->number, hit.triangle, hit.t};
        }
    }
}

static void td_keep_tracks(td_side *side) {
    td_side_memory *memory = side->memory;
    if (side->class != TD_SIDE_SMALL) {
        const td_track_list old = memory->tracks;
        memory->tracks = side->fresh;
        side->fresh = old;
        side->fresh.count = 0;
        memory->reference = side->rigid;
        memory->tracked = side->tracked;
    }
    memory->last = side->rigid;
    memory->known = !side->missed;
}

static void td_finish_task(uint32_t item, void *payload) {
    td_finish_job *job = payload;
    td_tracer *tracer = job->tracer;
    (void)item;
    for (;;) {
        const size_t first = atomic_fetch_add(&job->next, TD_SIDES_OF_TASK);
        for (size_t i = first; i < first + TD_SIDES_OF_TASK; ++i) {
            if (i >= tracer->sides.count) {
                return;
            }
            td_side *side = &tracer->sides.items[i];
            if (side->class == TD_SIDE_STILL) {
                continue;
            }
            const td_result result = td_keep_hits(tracer, side);
            if (result != TD_OK) {
                atomic_store(&job->result, result);
                return;
            }
            td_keep_tracks(side);
        }
    }
}

// ---------------------------------------------------------------------------------------------------------
// Contacts

static void td_store(double out[3], td_vec3 v) {
    out[0] = v.x;
    out[1] = v.y;
    out[2] = v.z;
}

// Out of the target: of a sheet, the way the ray goes.
static td_vec3 td_normal_of(const td_side *side, uint32_t triangle, td_vec3 direction) {
    const td_triangle t = td_target_triangle(side->at, triangle);
    const td_vec3 n = td_cross(td_sub(t.p1, t.p0), td_sub(t.p2, t.p0));
    const double length = sqrt(td_dot(n, n));
    if (!(length > 0 && length < INFINITY)) {
        return td_vec3_make(0, 0, 0);
    }
    const double way = side->target_around > 0 ? (td_dot(n, direction) < 0 ? -1 : 1) : side->at.outward;
    return td_scale(n, way / length);
}

static td_traced_contact td_contact_of(const td_tracer *tracer, const td_side *side, size_t index,
                                       const td_side_hit *hit) {
    const bool sheet = side->source_around > 0;
    const td_trace_ray ray = td_ray_of_side(side, hit->ray);
    const td_rigid *frame = &tracer->objects.items[side->target_object].rigid;
    const double depth = hit->t + side->target_around;
    td_traced_contact contact = {.pair = (uint32_t)(index / 2),
                                 .side = (uint32_t)(index % 2),
                                 .vertex = side->source->starts[sheet ? hit->ray / 2 : hit->ray],
                                 .face = sheet ? hit->ray % 2 : 0,
                                 .triangle = hit->triangle,
                                 .depth = depth};
    const td_vec3 normal = td_normal_of(side, hit->triangle, ray.direction);
    td_store(contact.point, td_rigid_apply(*frame, td_add(ray.origin, td_scale(ray.direction, depth))));
    td_store(contact.normal, td_vec3_make(td_dot(frame->row0, normal), td_dot(frame->row1, normal),
                                          td_dot(frame->row2, normal)));
    return contact;
}

static td_result td_make_traced_contacts(td_tracer *tracer) {
    tracer->contacts.count = 0;
    for (size_t i = 0; i < tracer->sides.count; ++i) {
        const td_side *side = &tracer->sides.items[i];
        TD_TRY(td_array_reserve(tracer->context, &tracer->contacts, side->memory->hits.count));
        for (size_t k = 0; k < side->memory->hits.count; ++k) {
            tracer->contacts.items[tracer->contacts.count++] =
                td_contact_of(tracer, side, i, &side->memory->hits.items[k]);
        }
    }
    return TD_OK;
}

td_result td_run_finish(td_tracer *tracer) {
    td_finish_job job = {.tracer = tracer};
    for (uint32_t i = 0; i < tracer->worker_count && tracer->device == NULL; ++i) {
        tracer->report.fallbacks += tracer->workers[i].fallbacks;
    }
    if (tracer->sides.count > 0 && tracer->device == NULL) { // a device's hits are kept already
        td_run_tasks(tracer->context, td_finish_task, tracer->worker_count, &job);
    }
    if (job.result != TD_OK) {
        return td_fail(job.result, "out of memory while contacts were made");
    }
    return td_make_traced_contacts(tracer);
}
