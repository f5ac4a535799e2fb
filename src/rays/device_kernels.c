// The kernels of a step (kernels/traced.cl, kernels/traced_naive.cl), and how they are started.
#include "device.h"

#include "../core/clock.h"
#include "../core/error.h"

enum {
    TD_RAY_GROUP = 64,
    TD_PAIR_GROUP = 64,
    TD_CPU_LANES = 8 // TD_RAY_LANES of lanes.h
};

static const char *const td_kernel_names[TD_TRACE_KERNELS] = {
    "td_trace_pairs",     "td_trace_vertices", "td_trace_bvh",   "td_trace_basic",
    "td_trace_iterative", "td_trace_naive",    "td_trace_commit"};

td_result td_choose_trace_kernels(td_tracer *tracer, bool alone) {
    td_trace_device *on = tracer->device;
    on->chunk_items = alone ? 1 : TD_STEP_GROUP;
    on->lanes = alone ? TD_CPU_LANES : 1;
    for (int i = 0; i < TD_TRACE_KERNELS; ++i) {
        if (i == TD_TRACE_NAIVE) { // the same everywhere
            TD_TRY(td_find_kernel(&on->kernels[i], on->device, "traced_naive", NULL, td_kernel_names[i]));
        } else {
            TD_TRY(td_find_kernel(&on->kernels[i], on->device, "traced", alone ? "-DTD_ALONE" : NULL,
                                  td_kernel_names[i]));
        }
    }
    return TD_OK;
}

// A kernel has the meshes, if it needs them, the rules, these buffers, and, if it has a work-group per chunk,
// room for the tallies of one.
typedef struct td_launch {
    td_trace_kernel kernel;
    size_t items, group;
    const td_trace_buffer *buffers;
    uint32_t buffer_count;
} td_launch;

enum { TD_MOST_ARGUMENTS = TD_MESH_BUFFERS + 12 };

static td_result td_start(td_tracer *tracer, td_step_rules rules, const td_launch *launch, double *ms) {
    td_trace_device *on = tracer->device;
    const bool by_chunks = launch->kernel == TD_TRACE_VERTICES || launch->kernel == TD_TRACE_NAIVE;
    td_kernel_argument arguments[TD_MOST_ARGUMENTS];
    uint32_t count = 0;
    for (int i = 0; i < TD_MESH_BUFFERS && launch->kernel != TD_TRACE_COMMIT; ++i) {
        arguments[count++] = TD_ARG_BUFFER(&on->buffers[i]);
    }
    arguments[count++] = TD_ARG_VALUE(rules);
    for (uint32_t i = 0; i < launch->buffer_count; ++i) {
        arguments[count++] = TD_ARG_BUFFER(&on->buffers[launch->buffers[i]]);
    }
    if (by_chunks) {
        arguments[count++] = TD_ARG_LOCAL(4 * sizeof(uint32_t));
    }
    if (launch->items == 0) {
        return TD_OK;
    }
    const double start = td_clock_ms();
    ++on->launches;
    TD_TRY(td_run_kernel(on->device, on->kernels[launch->kernel], launch->items, launch->group, arguments,
                         count, TD_STAGE_OTHER));
    if (tracer->def.measure) {
        TD_TRY(td_device_finish(on->device));
        *ms += td_clock_ms() - start;
    }
    return TD_OK;
}

#define TD_BUFFERS(list) list, sizeof(list) / sizeof *(list)

td_result td_launch_pairs(td_tracer *tracer, td_step_rules rules) {
    static const td_trace_buffer buffers[] = {TD_BUFFER_PAIRS,   TD_BUFFER_RECORDS, TD_BUFFER_SIDES,
                                              TD_BUFFER_CLASSES, TD_BUFFER_CHUNKS,  TD_BUFFER_COUNTS};
    const td_launch launch = {TD_TRACE_PAIRS, rules.pair_count, TD_PAIR_GROUP, TD_BUFFERS(buffers)};
    return td_start(tracer, rules, &launch, &tracer->report.pair_ms);
}

td_result td_launch_vertices(td_tracer *tracer, td_step_rules rules, uint32_t chunks) {
    static const td_trace_buffer buffers[] = {TD_BUFFER_SIDES,     TD_BUFFER_CHUNKS, TD_BUFFER_MEMORIES,
                                              TD_BUFFER_COURSES,   TD_BUFFER_BVH,    TD_BUFFER_BASIC,
                                              TD_BUFFER_ITERATIVE, TD_BUFFER_COUNTS};
    const size_t items = tracer->device->chunk_items;
    const td_launch launch = {TD_TRACE_VERTICES, chunks * items, items, TD_BUFFERS(buffers)};
    return td_start(tracer, rules, &launch, &tracer->report.vertex_ms);
}

td_result td_launch_naive(td_tracer *tracer, td_step_rules rules, uint32_t chunks) {
    static const td_trace_buffer buffers[] = {TD_BUFFER_SIDES,   TD_BUFFER_CHUNKS, TD_BUFFER_MEMORIES,
                                              TD_BUFFER_COURSES, TD_BUFFER_HITS,   TD_BUFFER_COUNTS};
    const td_launch launch = {TD_TRACE_NAIVE, (size_t)chunks * TD_STEP_GROUP, TD_STEP_GROUP,
                              TD_BUFFERS(buffers)};
    return td_start(tracer, rules, &launch, &tracer->report.vertex_ms);
}

td_result td_launch_iterative(td_tracer *tracer, td_step_rules rules, uint32_t rays) {
    static const td_trace_buffer buffers[] = {TD_BUFFER_SIDES, TD_BUFFER_MEMORIES, TD_BUFFER_COURSES,
                                              TD_BUFFER_BVH,   TD_BUFFER_BASIC,    TD_BUFFER_ITERATIVE,
                                              TD_BUFFER_HITS,  TD_BUFFER_COUNTS};
    const td_launch launch = {TD_TRACE_CAST_ITERATIVE, rays, TD_RAY_GROUP, TD_BUFFERS(buffers)};
    return td_start(tracer, rules, &launch, &tracer->report.ray_ms[TD_TRACED_ITERATIVE]);
}

td_result td_launch_full(td_tracer *tracer, td_step_rules rules, td_traced_algorithm algorithm,
                         uint32_t rays) {
    const td_trace_buffer buffers[] = {TD_BUFFER_SIDES,           TD_BUFFER_MEMORIES, TD_BUFFER_COURSES,
                                       TD_BUFFER_BVH + algorithm, TD_BUFFER_HITS,     TD_BUFFER_COUNTS};
    const uint32_t lanes = algorithm == TD_TRACED_BVH ? tracer->device->lanes : 1;
    const td_launch launch = {TD_TRACE_CAST_BVH + algorithm, ((size_t)rays + lanes - 1) / lanes,
                              TD_RAY_GROUP / lanes, TD_BUFFERS(buffers)};
    return td_start(tracer, rules, &launch, &tracer->report.ray_ms[algorithm]);
}

td_result td_launch_commit(td_tracer *tracer, td_step_rules rules) {
    static const td_trace_buffer buffers[] = {TD_BUFFER_PAIRS, TD_BUFFER_RECORDS, TD_BUFFER_SIDES};
    const td_launch launch = {TD_TRACE_COMMIT, rules.pair_count, TD_PAIR_GROUP, TD_BUFFERS(buffers)};
    double unused = 0;
    return td_start(tracer, rules, &launch, &unused);
}
