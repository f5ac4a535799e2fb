// The other narrow phase: contacts of pairs whose triangles intersect, by rays (docs/methods/ray-traced.md).
//
// Rays start at the vertices of either body and go inward; where they leave the other body tells how deep the
// vertex is, and which way it is pushed: along the normal of the triangle. What vertices cannot see, edges
// that go through the other body, comes from the exact triangle pairs, each with a ray of its own. Points
// that are pushed the same way make up a manifold.
#ifndef TD_DYNAMICS_NARROW_RAYS_H
#define TD_DYNAMICS_NARROW_RAYS_H

#include "contacts.h"

#include <tandem/traced.h>
#include <tandem/world.h>

// A point of one mesh inside the other, in a's frame.
typedef struct td_traced_point {
    td_vec3 point;
    td_vec3 normal; // unit, from a to b
    double depth;   // m, along the normal
    uint64_t feature;
    uint32_t side; // whose point it is
    bool vertex;
} td_traced_point;

typedef TD_ARRAY(td_traced_point) td_traced_points;

// Buffers of one worker.
typedef struct td_ray_bench {
    td_traced_points points;
    TD_ARRAY(double) depths;
    TD_ARRAY(uint32_t) order;
    TD_ARRAY(uint8_t) taken;
    uint64_t rays; // from edges
    uint64_t untraced;
} td_ray_bench;

typedef struct td_ray_narrow {
    td_tracer *tracer;
    TD_ARRAY(td_traced_object) objects; // two per traced pair: a, and b in its frame
    TD_ARRAY(td_traced_pair) pairs;
    TD_ARRAY(uint32_t) place; // per question + 1: its first contact; equal to the next: none, or not traced
    TD_ARRAY(uint8_t) traced; // per question
    td_traced_result result;
    td_ray_bench *benches;
    uint32_t bench_count;
} td_ray_narrow;

td_result td_ray_narrow_create(td_ray_narrow **out, td_context *context, const td_world_def *def);
void td_ray_narrow_destroy(td_ray_narrow *rays, td_context *context); // null is fine

// Traces the questions of the step whose triangles intersect.
td_result td_trace_questions(td_world *world);

// Adds up what workers counted.
void td_report_rays(td_world *world);

// As td_find_contacts, of a question that was traced, if rays can tell.
td_result td_find_contacts_by_rays(const td_ray_narrow *rays, size_t question, uint32_t worker,
                                   td_contact_finder *finder, td_context *context, const td_meeting *meeting,
                                   const td_pair *pairs, size_t pair_count, td_vec3 way);

// edge_rays.c: adds points of edges that go through the other mesh. Leaves the finder's crossings joined.
td_result td_trace_edges(td_ray_bench *bench, td_contact_finder *finder, td_context *context,
                         const td_meeting *meeting, const td_pair *pairs, size_t pair_count);

// manifold.c: contacts out of the points, appended to the finder's.
td_result td_make_manifolds(td_ray_bench *bench, td_contact_finder *finder, td_context *context,
                            const td_meeting *meeting);

#endif
