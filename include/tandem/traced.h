// Ray-traced contacts between many objects, step after step: a narrow phase of its own, beside td_collide.
//
// From every vertex of each object of a pair a ray goes inward, against the vertex' normal. If it leaves the
// other object before it leaves its own, the vertex is inside the other object, and the way it went is its
// depth. Paper 003 (docs/methods/ray-traced.md); rays and objects as there:
//
//   - A *solid* is a closed mesh whose triangles agree on what is inside. Its rays start at its vertices, go
//     against the area-weighted normal, and end where they leave it. As a target it counts if the first of
//     its triangles that the ray meets is met from behind.
//   - A *sheet* is any other mesh, with a thickness: the points within half of it of the surface, along the
//     normals. From each of its vertices two rays start, one on each face, and go through it to the other
//     face. As a target it is met from either side, from half its thickness before the ray's start on.
//   - A ray whose start lies outside the bounds of its target (of a sheet, half its thickness farther out)
//     does not count.
//
// What is promised: whether a ray meets a triangle, and which one first, is decided as td_cast_rays does it;
// so triangle and depth of every contact are the same, to the bit, for every algorithm, instruction set,
// number of threads and device, and those of brute force. Temporal data only ever saves work: it is used
// where it is proven to give the same answer.
#ifndef TANDEM_TRACED_H
#define TANDEM_TRACED_H

#include "ray.h"

#ifdef __cplusplus
extern "C" {
#endif

// One object of a step.
typedef struct td_traced_object {
    uint64_t key;        // the same object has the same key in every step, and no other has it
    const td_mesh *mesh; // if deformable, at its positions of this step
    td_pose pose;
    double thickness; // m; of meshes that are not solids. 0: the mesh has to be one
} td_traced_object;

// Two objects of a step, by their place in its list.
typedef struct td_traced_pair {
    uint32_t a, b;
} td_traced_pair;

typedef struct td_traced_contact {
    uint32_t pair;     // of the step's list
    uint32_t side;     // 0: a vertex of a in b, 1: a vertex of b in a
    uint32_t vertex;   // whose ray it is
    uint32_t face;     // of a sheet's vertex: 0 the ray from the face that its normal points to, 1 the other
    uint32_t triangle; // of the other object
    double depth;      // m: from the ray's start to where it leaves the other object
    double point[3];   // where that is
    double normal[3];  // there, out of the other object; of length 1, or 0 if the triangle has no area
} td_traced_contact;

// How rays are cast.
typedef enum td_traced_algorithm {
    TD_TRACED_BVH,      // through a hierarchy: on a device without a stack
    TD_TRACED_BASIC,    // at every triangle of the target
    TD_TRACED_ITERATIVE // from triangle to triangle, beginning where the last step's ray ended
} td_traced_algorithm;

#define TD_TRACED_ALGORITHMS 3

TD_API const char *td_traced_algorithm_name(td_traced_algorithm algorithm); // "bvh", "basic", "iterative"

// How many rays there will be is predicted, so that nobody waits for the exact number (paper 003, section 4).
typedef enum td_prediction {
    TD_PREDICT_EXACT, // not at all: the number is waited for
    TD_PREDICT_PAIRS, // the last step's number times the growth of the number of pairs times confidence: Eq.
                      // 1
    TD_PREDICT_LAST   // the last step's number times confidence: Eq. 2
} td_prediction;

typedef enum td_shortfall {
    TD_SHORTFALL_BACKTRACK, // if there are more rays than predicted, the step is made again with room for all
    TD_SHORTFALL_IGNORE     // what is beyond the prediction is missed, and counted
} td_shortfall;

typedef struct td_tracer_def {
    uint32_t cookie;
    bool naive;                            // no steps: one pass, or kernel, with a switch for all algorithms
    bool iterative;                        // temporal data is used; default true
    td_traced_algorithm rigid, deformable; // the full algorithm for targets of this kind; default BVH
    td_prediction prediction;              // default TD_PREDICT_PAIRS
    double confidence;                     // at least 1; default 1.25
    td_shortfall shortfall;
    double margin; // how far objects may move, in parts of the smaller radius, before temporal data is made
                   // anew; default 0.01
    double touch;  // how far a ray may go before it enters a solid, in parts of the smaller radius, for its
                   // vertex to count as inside all the same: vertices that lie on the other's side or edge,
                   // but for rounding; default 0
    double reach;  // how far rays of solids go at least, in parts of the smaller radius, even if they leave
                   // their own object before: those of thin parts (horns, ears); default 0
    bool brute;    // no temporal data, no hierarchy, no bounds of tests: the oracle. Native
    bool edges;    // report edges that cross, too (td_traced_crossing)
    bool measure;  // on a device: wait behind every kernel to take its time
    td_device *device; // null: native. Must have float64 and be of the tracer's context
} td_tracer_def;

TD_API td_tracer_def td_default_tracer_def(void);

// What a step did. Times in milliseconds by the host's clock; on a device those of single steps only with
// `measure`.
typedef struct td_traced_report {
    uint64_t pairs_still;                     // rigid, and not moved at all: the last answer stands
    uint64_t pairs_small;                     // rigid, moved by less than the margin
    uint64_t pairs_high;                      // rigid, moved by more, or met for the first time
    uint64_t pairs_deformable;                // with at least one deformable object
    uint64_t vertices;                        // looked at in the per-vertex step: one per ray that may start
    uint64_t dropped_bounds;                  // of these, outside the other object's bounds
    uint64_t dropped_temporal;                // ... without temporal data: proven not to meet anything
    uint64_t rays[TD_TRACED_ALGORITHMS];      // the others, by algorithm
    uint64_t predicted[TD_TRACED_ALGORITHMS]; // how many were expected; 0 if not at all
    uint64_t missed;                          // rays that were not cast (TD_SHORTFALL_IGNORE)
    uint64_t retries;   // how often the step, or what of it was beyond the prediction, was made again
    uint64_t fallbacks; // iterative rays that did not end in a triangle and were cast anew, in full
    uint64_t open;      // rays cast in full though little moved: their temporal data proves nothing
    uint64_t handed;    // on a device: rays that doubles could not decide, answered by the host
    uint64_t waits;     // of the host for the device
    uint64_t launches;  // kernels started
    uint64_t contacts;
    double prepare_ms; // meshes: normals, own lengths, hierarchies
    double pair_ms, vertex_ms;
    double ray_ms[TD_TRACED_ALGORITHMS]; // casting and proving
    double copy_ms, finish_ms;           // to and from a device; contacts out of hits
    double total_ms;
} td_traced_report;

// Two edges that pass each other inside both objects: what rays from vertices cannot see. Of triangles that
// intersect so that each has an edge through the other, where both edges are sharp and the way between them
// leads out.
typedef struct td_traced_crossing {
    uint32_t pair;
    uint32_t triangle_a, triangle_b;
    uint32_t edge_a, edge_b; // 0: from corner 0 to 1, 1: from 1 to 2, 2: from 2 to 0
    double depth;            // m: between the two edges where they are nearest
    double point[3];         // half way between
    double normal[3];        // the way b is to go
} td_traced_crossing;

typedef struct td_traced_result {
    const td_traced_contact *contacts; // by pair, side, vertex, face; valid until the tracer is used again
    size_t contact_count;
    const td_traced_crossing *crossings; // by pair, triangles; only with def.edges
    size_t crossing_count;
    td_traced_report report;
} td_traced_result;

// Keeps meshes prepared and temporal data from step to step. One thread at a time; spreads its work over the
// context's threads.
typedef struct td_tracer td_tracer;

TD_API td_result td_create_tracer(td_tracer **out, td_context *context, const td_tracer_def *def);
TD_API void td_destroy_tracer(td_tracer *tracer); // null is fine

// The contacts of a step. Pairs are those of a broad phase: each at most once, of two different objects.
// Meshes may be destroyed between steps; a mesh that stays must stay where it is.
//
// TD_ERROR_MESH if a mesh is neither a solid nor has a thickness: the message names the object, the mesh and
// what is wrong with it. TD_ERROR_ARGUMENT for pairs and objects that are none. After an error temporal data
// is forgotten; the next step is made in full.
TD_API td_result td_trace(td_traced_result *out, td_tracer *tracer, const td_traced_object *objects,
                          size_t object_count, const td_traced_pair *pairs, size_t pair_count);

// Forgets all temporal data, and what was predicted.
TD_API void td_forget_traced(td_tracer *tracer);

#ifdef __cplusplus
}
#endif
#endif
