// What the tracer keeps on a device (device.c), and its meshes there (device_meshes.c).
#ifndef TD_RAYS_DEVICE_H
#define TD_RAYS_DEVICE_H

#include "../device/device.h"
#include "step.h"
#include "tracer.h"

typedef enum td_trace_buffer {
    TD_BUFFER_SHAPES, // in the order of the kernels' parameters
    TD_BUFFER_CORNERS,
    TD_BUFFER_INWARD,
    TD_BUFFER_OWN,
    TD_BUFFER_INDICES,
    TD_BUFFER_NEIGHBOURS,
    TD_BUFFER_STARTS,
    TD_BUFFER_NODES,
    TD_BUFFER_OBJECTS,
    TD_MESH_BUFFERS,
    TD_BUFFER_PAIRS = TD_MESH_BUFFERS,
    TD_BUFFER_RECORDS,
    TD_BUFFER_SIDES,
    TD_BUFFER_CLASSES,
    TD_BUFFER_CHUNKS,
    TD_BUFFER_MEMORIES,
    TD_BUFFER_COURSES,
    TD_BUFFER_BVH, // lists, in the order of td_traced_algorithm
    TD_BUFFER_BASIC,
    TD_BUFFER_ITERATIVE,
    TD_BUFFER_HITS,
    TD_BUFFER_COUNTS,
    TD_TRACE_BUFFERS
} td_trace_buffer;

typedef enum td_trace_kernel {
    TD_TRACE_PAIRS,
    TD_TRACE_VERTICES,
    TD_TRACE_CAST_BVH, // in the order of td_traced_algorithm
    TD_TRACE_CAST_BASIC,
    TD_TRACE_CAST_ITERATIVE,
    TD_TRACE_NAIVE,
    TD_TRACE_COMMIT,
    TD_TRACE_KERNELS
} td_trace_kernel;

// Where a shape is in the arrays of all.
typedef struct td_placed_shape {
    uint64_t identity, serial;
    size_t corner, triangle, node, start, node_count;
} td_placed_shape;

typedef struct td_free_slot {
    uint32_t slot, count;
} td_free_slot;

// Slots that are given out in blocks, one per side.
typedef struct td_slot_pool {
    TD_ARRAY(td_free_slot) free;
    uint32_t end;  // what has been given out
    uint64_t live; // slots in use
    size_t blocks; // in which they were given out, in use or free
} td_slot_pool;

enum { TD_POOL_MEMORIES, TD_POOL_COURSES, TD_POOLS };

struct td_trace_device {
    td_device *device;
    const td_kernel *kernels[TD_TRACE_KERNELS];
    td_device_buffer buffers[TD_TRACE_BUFFERS];
    TD_ARRAY(td_placed_shape) placed;
    TD_ARRAY(td_step_shape) shapes;
    TD_ARRAY(td_step_object) objects;
    TD_ARRAY(td_step_pair) pairs;
    TD_ARRAY(uint32_t) classes; // of pairs, as the device made them
    TD_ARRAY(td_step_hit) hits;
    TD_ARRAY(unsigned char) sent[TD_TRACE_BUFFERS]; // by td_send_array: what is there need not be sent again
    td_slot_pool pools[TD_POOLS];
    TD_ARRAY(uint32_t) free_records;
    uint32_t record_end;      // what has been given out
    uint32_t chunk_items;     // work-items of the per-vertex kernel per chunk
    uint32_t lanes;           // rays per work-item of the kernel through hierarchies
    uint32_t counts[TD_SUMS]; // of the last step
    // Of each list: as many rays as kernels are started for, and how many were by now.
    uint32_t work[TD_TRACED_ALGORITHMS], done[TD_TRACED_ALGORITHMS];
    uint64_t last_pairs;
    bool has_last; // counts are there
    bool distrust; // the last step missed rays: no pair is still
    uint64_t launches, waits;
};

// Kernels for work-items that go one after the other, as those of a processor (`alone`: one takes a whole
// chunk, or a ray per lane), or in step. By the kind of the device, unless a test asks for the others.
td_result td_choose_trace_kernels(td_tracer *tracer, bool alone);

// Puts a kernel into the queue; for as many chunks or rays. (device_kernels.c)
td_result td_launch_pairs(td_tracer *tracer, td_step_rules rules);
td_result td_launch_vertices(td_tracer *tracer, td_step_rules rules, uint32_t chunks);
td_result td_launch_naive(td_tracer *tracer, td_step_rules rules, uint32_t chunks);
td_result td_launch_iterative(td_tracer *tracer, td_step_rules rules, uint32_t rays);
td_result td_launch_full(td_tracer *tracer, td_step_rules rules, td_traced_algorithm algorithm,
                         uint32_t rays);
td_result td_launch_commit(td_tracer *tracer, td_step_rules rules);

// Meshes and objects of the step, as far as they are new or have changed.
td_result td_send_meshes(td_tracer *tracer);
td_result td_send_array(td_tracer *tracer, td_trace_buffer buffer, const void *items, size_t size);

// Room for the memories of all pairs that may have some.
td_result td_give_slots(td_tracer *tracer);

#endif
