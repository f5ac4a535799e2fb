// The tracer: what it keeps from step to step, and a step as its stages see it.
//
// A pair has two *sides*: rays of a at b, and rays of b at a. Rays of a side are numbered by start and face
// (td_ray_number); stages hand each other lists of rays, in the order of sides and numbers.
#ifndef TD_RAYS_TRACER_H
#define TD_RAYS_TRACER_H

#include "../core/array.h"
#include "shape.h"
#include "walk.h"

#include <tandem/traced.h>

#define TD_COOKIE_TRACER 0x7d000050u

// What is kept about one ray of a side that came near its target.
typedef struct td_track {
    td_course course; // of rigid sides only its memory
    uint32_t ray;
} td_track;

typedef TD_ARRAY(td_track) td_track_list;

// A ray that has hit: all that a contact is made of.
typedef struct td_side_hit {
    uint32_t ray, triangle;
    double t;
} td_side_hit;

// What is kept about a side.
typedef struct td_side_memory {
    td_track_list tracks;       // ascending by ray
    TD_ARRAY(td_side_hit) hits; // of the last step, ascending by ray
    td_rigid reference;         // where the source was in the target's frame when tracks were made: rigid
    td_rigid last;              // ... in the last step
    bool tracked;               // tracks were made at `reference`: rigid
    bool known;                 // there was a last step
    uint32_t slot; // on a device: where its rays' memories or courses begin; TD_TRACE_NONE: nowhere
    uint32_t slot_count, pool; // pool: which of both
} td_side_memory;

typedef struct td_pair_memory {
    uint64_t key[2];
    uint64_t shape[2]; // identities of the meshes
    uint32_t record;   // on a device; TD_TRACE_NONE: none
    td_side_memory side[2];
} td_pair_memory;

typedef enum td_side_class { TD_SIDE_STILL, TD_SIDE_SMALL, TD_SIDE_HIGH, TD_SIDE_DEFORMABLE } td_side_class;

// An object of the step.
typedef struct td_ray_object {
    const td_ray_shape *shape;
    const td_mesh *mesh;
    td_rigid rigid;
    double around; // half the thickness of a sheet; 0: a solid
} td_ray_object;

// One side in this step.
typedef struct td_side {
    td_pair_memory *pair;
    td_side_memory *memory;
    const td_ray_shape *source, *target;
    const td_mesh *source_mesh, *target_mesh;
    uint32_t source_object, target_object;
    double source_around, target_around;
    td_rigid rigid; // the source in the target's frame
    td_target at;
    double margin;
    double touch;  // m: a vertex whose ray enters a solid target within it counts as inside
    double reach;  // m: rays go so far, even out of their own object
    double radius; // of the source, with the margin around it
    td_side_class class;
    td_traced_algorithm full;
    bool tracked; // full casts make temporal data
    bool walkable;
    // Rays in the lists, by algorithm: where they begin and how many there are; and of the worker that filled
    // them.
    bool missed; // some of its rays are not cast
    uint32_t worker;
    size_t from[TD_TRACED_ALGORITHMS], first[TD_TRACED_ALGORITHMS], count[TD_TRACED_ALGORITHMS];
    td_track_list fresh; // tracks that replace the old ones, unless SMALL
} td_side;

// A ray to be cast.
typedef struct td_cast {
    td_trace_ray ray;
    uint32_t side, number;
    uint32_t track; // of fresh, or of the memory's tracks if SMALL; TD_TRACE_NONE: none
    uint32_t spare;
    td_memory memory; // where to begin
    td_trace_hit hit; // what came out
} td_cast;

typedef TD_ARRAY(td_cast) td_cast_list;

// Of one worker, summed up at the end.
typedef struct td_ray_worker {
    td_cast_list lists[TD_TRACED_ALGORITHMS];
    uint64_t vertices, dropped_bounds, dropped_temporal, open, fallbacks;
    td_result result;
} td_ray_worker;

typedef struct td_trace_device td_trace_device;

struct td_tracer {
    td_context *context;
    td_tracer_def def;
    td_query *query;
    TD_ARRAY(td_ray_shape *) shapes;
    TD_ARRAY(td_pair_memory *) pairs;     // of the last step, ascending by keys
    TD_ARRAY(td_pair_memory *) new_pairs; // ... of this step
    TD_ARRAY(td_pair_memory *) spare;     // of pairs that are gone
    TD_ARRAY(td_ray_object) objects;
    TD_ARRAY(td_side) sides;                  // two per pair of the step, in the order of the caller's pairs
    td_cast_list lists[TD_TRACED_ALGORITHMS]; // append buffers
    td_ray_worker *workers;
    uint32_t worker_count;
    TD_ARRAY(td_traced_contact) contacts;
    TD_ARRAY(td_traced_crossing) crossings;
    TD_ARRAY(td_object_pair) asked;
    TD_ARRAY(td_collide_result) answers;
    uint64_t step;
    uint64_t last_count[TD_TRACED_ALGORITHMS]; // of rays, in the last step
    uint64_t last_pairs;
    bool has_last; // a step to predict from
    td_traced_report report;
    td_trace_device *device; // null: native
};

// A ray's number within its side.
static inline uint32_t td_rays_of(const td_ray_shape *shape, double around) {
    return around > 0 ? 2 * shape->start_count : shape->start_count;
}

// Stages of a step, in their order. Each leaves its counts and times in tracer->report.
td_result td_prepare_step(td_tracer *tracer, const td_traced_object *objects, size_t object_count,
                          const td_traced_pair *pairs, size_t pair_count); // memory.c
void td_run_pair_step(td_tracer *tracer);                                  // per_pair.c
td_result td_run_vertex_step(td_tracer *tracer);                           // per_vertex.c
void td_run_ray_step(td_tracer *tracer);                                   // per_ray.c

td_result td_run_finish(td_tracer *tracer);      // finish.c
td_result td_trace_crossings(td_tracer *tracer); // crossings.c

// How many rays are expected of an algorithm; 0 if nothing can be said.
uint64_t td_predict_count(const td_tracer *tracer, td_traced_algorithm algorithm,
                          uint64_t pairs); // predict.c

// The pairs of the last step are forgotten.
void td_forget_pairs(td_tracer *tracer);

// Device.
td_result td_create_trace_device(td_tracer *tracer);
void td_destroy_trace_device(td_tracer *tracer);
void td_forget_trace_device(td_tracer *tracer);
void td_release_slots(td_tracer *tracer, td_pair_memory *pair);
td_result td_run_on_trace_device(td_tracer *tracer);

// A ray in full, on the calling thread: what a device could not decide.
td_trace_hit td_cast_alone(const td_side *side, const td_trace_ray *ray); // per_ray.c
// A solid that is entered within the side's touch counts as if the ray had begun inside: *hit becomes the
// next one.
void td_pass_entry(const td_tracer *tracer, const td_side *side, uint32_t number,
                   td_trace_hit *hit); // finish.c
// Whether a hit is one that counts: of a solid, the ray leaves it; and it has not left its own object before.
bool td_hit_counts(const td_side *side, uint32_t number, const td_trace_hit *hit); // finish.c

#endif
