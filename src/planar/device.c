// The paper's step on a device. All state lives there; steps are put into its queue one behind the other, and
// nothing is read back until it is asked for. Which of the paper's kernels has anything to do, the kernels
// find out by themselves: how the last reduction came out is never told to the host.
#include "../device/device.h"
#include "../core/clock.h"
#include "planar.h"

typedef enum td_planar_kernel {
    TD_KERNEL_UPDATE,
    TD_KERNEL_OVERLAP,
    TD_KERNEL_BEGIN,
    TD_KERNEL_HALVE,
    TD_KERNEL_REDUCE_FIRST,
    TD_KERNEL_REDUCE_CLASSIC,
    TD_KERNEL_REDUCE_SIX,
    TD_KERNEL_REDUCE_FOUR,
    TD_KERNEL_REDUCE_DIAGONAL,
    TD_KERNEL_IMPULSE,
    TD_KERNEL_FORWARD,
    TD_KERNEL_COUNT
} td_planar_kernel;

static const char *const td_kernel_names[TD_KERNEL_COUNT] = {
    "td_planar_update",          "td_planar_overlap",        "td_planar_begin",      "td_planar_halve",
    "td_planar_reduce_first",    "td_planar_reduce_classic", "td_planar_reduce_six", "td_planar_reduce_four",
    "td_planar_reduce_diagonal", "td_planar_impulse",        "td_planar_forward_all"};

enum { TD_PLANAR_GROUP = 64 };

struct td_planar_on_device {
    td_device *device;
    const td_kernel *kernels[TD_KERNEL_COUNT];
    td_device_buffer shapes, corners, motions, struck, tallies, marks, clock;
    td_device_buffer boxes, flags, times, reduced[2];
    td_device_ticket reading[3]; // of motions, tallies and the clock
    uint64_t waits_before;       // of the device, when this simulation began
    uint64_t launches;
};

// ---------------------------------------------------------------------------------------------------------
// Memory

static td_result td_send(td_planar_on_device *on, td_device_buffer *buffer, const void *source, size_t size) {
    TD_TRY(td_buffer_reserve(on->device, buffer, size, 0));
    return td_buffer_write(on->device, buffer, 0, source, size);
}

static td_result td_send_state(td_planar_on_device *on, const td_planar *planar) {
    const size_t size = planar->size;
    TD_TRY(td_send(on, &on->shapes, planar->shapes, size * sizeof *planar->shapes));
    TD_TRY(td_send(on, &on->corners, planar->corners, planar->corner_count * sizeof *planar->corners));
    TD_TRY(td_send(on, &on->motions, planar->motions, size * sizeof *planar->motions));
    TD_TRY(td_send(on, &on->tallies, planar->tallies, size * sizeof *planar->tallies));
    TD_TRY(td_send(on, &on->marks, planar->marks, size * sizeof *planar->marks));
    return td_send(on, &on->clock, &planar->clock, sizeof planar->clock);
}

static td_result td_reserve_pairs(td_planar_on_device *on, const td_planar *planar) {
    const size_t size = planar->size, pairs = td_triangle_count(planar->size), next = (size + 1) / 2;
    TD_TRY(td_buffer_reserve(on->device, &on->struck, size * sizeof(td_planar_motion), 0));
    TD_TRY(td_buffer_reserve(on->device, &on->boxes, 4 * size * sizeof(double), 0));
    TD_TRY(td_buffer_reserve(on->device, &on->flags, pairs, 0));
    TD_TRY(td_buffer_reserve(on->device, &on->times, pairs * sizeof(double), 0));
    TD_TRY(td_buffer_reserve(on->device, &on->reduced[0], next * next * sizeof(double), 0));
    return td_buffer_reserve(on->device, &on->reduced[1], next * next * sizeof(double), 0);
}

td_result td_create_planar_device(td_planar *planar) {
    td_device *device = planar->def.device;
    if (!td_device_has_float64(device)) {
        return td_fail(TD_ERROR_UNSUPPORTED, "the planar simulator needs a device with float64");
    }
    td_planar_on_device *on = TD_NEW(planar->context, td_planar_on_device, 1);
    if (on == NULL) {
        return TD_ERROR_MEMORY;
    }
    *on = (td_planar_on_device){.device = td_device_retain(device)};
    planar->device = on;
    for (int i = 0; i < TD_KERNEL_COUNT; ++i) {
        TD_TRY(td_find_kernel(&on->kernels[i], device, "planar", NULL, td_kernel_names[i]));
    }
    TD_TRY(td_send_state(on, planar));
    TD_TRY(td_reserve_pairs(on, planar));
    on->waits_before = td_device_sum_times(device).waits;
    return TD_OK;
}

void td_destroy_planar_device(td_planar *planar) {
    td_planar_on_device *on = planar->device;
    if (on == NULL) {
        return;
    }
    for (int i = 0; i < 3; ++i) {
        (void)td_buffer_read_end(on->device, &on->reading[i]);
    }
    td_device_buffer *const buffers[] = {&on->shapes,  &on->corners, &on->motions,    &on->struck,
                                         &on->tallies, &on->marks,   &on->clock,      &on->boxes,
                                         &on->flags,   &on->times,   &on->reduced[0], &on->reduced[1]};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; ++i) {
        td_buffer_release(on->device, buffers[i]);
    }
    td_destroy_device(on->device);
    TD_DELETE(planar->context, td_planar_on_device, on, 1);
    planar->device = NULL;
}

// ---------------------------------------------------------------------------------------------------------
// Phases

static td_result td_launch(td_planar_on_device *on, td_planar_kernel kernel, size_t items,
                           const td_kernel_argument *arguments, uint32_t count) {
    ++on->launches;
    return td_run_kernel(on->device, on->kernels[kernel], items, TD_PLANAR_GROUP, arguments, count,
                         TD_STAGE_OTHER);
}

static td_result td_launch_update(td_planar *planar) {
    td_planar_on_device *on = planar->device;
    const td_kernel_argument arguments[] = {TD_ARG_BUFFER(&on->boxes), TD_ARG_BUFFER(&on->shapes),
                                            TD_ARG_BUFFER(&on->motions), TD_ARG_BUFFER(&on->corners),
                                            TD_ARG_VALUE(planar->rules)};
    return td_launch(on, TD_KERNEL_UPDATE, planar->size, arguments, 5);
}

static td_result td_launch_overlap(td_planar *planar) {
    td_planar_on_device *on = planar->device;
    const td_kernel_argument arguments[] = {TD_ARG_BUFFER(&on->flags), TD_ARG_BUFFER(&on->boxes),
                                            TD_ARG_VALUE(planar->size)};
    return td_launch(on, TD_KERNEL_OVERLAP, td_triangle_count(planar->size), arguments, 3);
}

static td_result td_launch_halve(td_planar *planar, uint32_t questions) {
    td_planar_on_device *on = planar->device;
    const td_kernel_argument arguments[] = {TD_ARG_BUFFER(&on->times),   TD_ARG_BUFFER(&on->flags),
                                            TD_ARG_VALUE(questions),     TD_ARG_BUFFER(&on->shapes),
                                            TD_ARG_BUFFER(&on->motions), TD_ARG_BUFFER(&on->corners),
                                            TD_ARG_VALUE(planar->rules)};
    return td_launch(on, TD_KERNEL_HALVE, td_triangle_count(planar->size), arguments, 7);
}

static td_result td_launch_hits(td_planar *planar) {
    td_planar_on_device *on = planar->device;
    const td_kernel_argument arguments[] = {TD_ARG_BUFFER(&on->times),   TD_ARG_BUFFER(&on->flags),
                                            TD_ARG_BUFFER(&on->shapes),  TD_ARG_BUFFER(&on->motions),
                                            TD_ARG_BUFFER(&on->corners), TD_ARG_VALUE(planar->rules)};
    TD_TRY(td_launch(on, TD_KERNEL_BEGIN, td_triangle_count(planar->size), arguments, 6));
    const uint32_t questions = TD_QUESTIONS_PER_HALVING * planar->rules.halvings;
    if (!planar->def.halve_outside) {
        return td_launch_halve(planar, questions);
    }
    for (uint32_t i = 0; i < questions; ++i) {
        TD_TRY(td_launch_halve(planar, 1));
    }
    return TD_OK;
}

static td_result td_launch_reduction(td_planar_on_device *on, td_planar_kernel kernel, uint32_t items,
                                     const td_device_buffer *out, const td_device_buffer *in, uint32_t size,
                                     uint32_t next) {
    const td_kernel_argument arguments[] = {TD_ARG_BUFFER(out), TD_ARG_BUFFER(in), TD_ARG_VALUE(size),
                                            TD_ARG_VALUE(next)};
    return td_launch(on, kernel, items, arguments, 4);
}

// All passes; *out is the buffer whose first element is the least of all.
static td_result td_launch_reductions(const td_device_buffer **out, td_planar *planar) {
    td_planar_on_device *on = planar->device;
    const td_planar_reduction reduction = planar->def.reduction;
    const td_device_buffer *in = &on->times;
    uint32_t size = planar->size;
    for (int pass = 0; size > (reduction == TD_PLANAR_CLASSIC ? 1u : 2u); ++pass) {
        const uint32_t next = (size + 1) / 2;
        const td_device_buffer *to = &on->reduced[pass % 2];
        if (reduction == TD_PLANAR_CLASSIC) {
            TD_TRY(td_launch_reduction(on, pass == 0 ? TD_KERNEL_REDUCE_FIRST : TD_KERNEL_REDUCE_CLASSIC,
                                       next * next, to, in, size, next));
        } else if (reduction == TD_PLANAR_SIX) {
            TD_TRY(
                td_launch_reduction(on, TD_KERNEL_REDUCE_SIX, td_triangle_count(next), to, in, size, next));
        } else {
            TD_TRY(td_launch_reduction(on, TD_KERNEL_REDUCE_FOUR, td_triangle_count(next - 1), to, in, size,
                                       next));
            TD_TRY(td_launch_reduction(on, TD_KERNEL_REDUCE_DIAGONAL, next - 1, to, in, size, next));
        }
        in = to;
        size = next;
    }
    *out = in;
    return TD_OK;
}

static td_result td_launch_impulse(td_planar *planar, const td_device_buffer *first) {
    td_planar_on_device *on = planar->device;
    const td_kernel_argument arguments[] = {TD_ARG_BUFFER(&on->struck),  TD_ARG_BUFFER(&on->marks),
                                            TD_ARG_BUFFER(&on->times),   TD_ARG_BUFFER(first),
                                            TD_ARG_BUFFER(&on->shapes),  TD_ARG_BUFFER(&on->motions),
                                            TD_ARG_BUFFER(&on->corners), TD_ARG_VALUE(planar->rules)};
    return td_launch(on, TD_KERNEL_IMPULSE, td_triangle_count(planar->size), arguments, 8);
}

static td_result td_launch_forward(td_planar *planar, const td_device_buffer *first) {
    td_planar_on_device *on = planar->device;
    const td_kernel_argument arguments[] = {TD_ARG_BUFFER(&on->motions), TD_ARG_BUFFER(&on->tallies),
                                            TD_ARG_BUFFER(&on->clock),   TD_ARG_BUFFER(&on->marks),
                                            TD_ARG_BUFFER(&on->struck),  TD_ARG_BUFFER(first),
                                            TD_ARG_BUFFER(&on->shapes),  TD_ARG_VALUE(planar->rules)};
    return td_launch(on, TD_KERNEL_FORWARD, planar->count, arguments, 8);
}

// With times wanted, waits for the phase and adds what it took.
static td_result td_end_phase(td_planar *planar, td_planar_phase phase, double *at) {
    if (planar->def.timed) {
        TD_TRY(td_device_finish(planar->device->device));
        const double now = td_clock_ms();
        planar->ms[phase] += now - *at;
        *at = now;
    }
    return TD_OK;
}

static td_result td_launch_step(td_planar *planar) {
    double at = td_clock_ms();
    const td_device_buffer *first;
    TD_TRY(td_launch_update(planar));
    TD_TRY(td_end_phase(planar, TD_PHASE_UPDATE, &at));
    TD_TRY(td_launch_overlap(planar));
    TD_TRY(td_end_phase(planar, TD_PHASE_OVERLAP, &at));
    TD_TRY(td_launch_hits(planar));
    TD_TRY(td_end_phase(planar, TD_PHASE_HITS, &at));
    TD_TRY(td_launch_reductions(&first, planar));
    TD_TRY(td_end_phase(planar, TD_PHASE_REDUCTION, &at));
    TD_TRY(td_launch_impulse(planar, first));
    TD_TRY(td_end_phase(planar, TD_PHASE_IMPULSE, &at));
    TD_TRY(td_launch_forward(planar, first));
    return td_end_phase(planar, TD_PHASE_FORWARD, &at);
}

td_result td_step_planar_device(td_planar *planar, uint32_t steps) {
    td_device *device = planar->device->device;
    td_device_time_kernels(device, false);
    td_result result = TD_OK;
    for (uint32_t i = 0; i < steps && result == TD_OK; ++i) {
        result = td_launch_step(planar);
    }
    td_device_time_kernels(device, true);
    return result;
}

// ---------------------------------------------------------------------------------------------------------
// Reading back

td_result td_begin_planar_read(td_planar *planar) {
    td_planar_on_device *on = planar->device;
    TD_TRY(td_end_planar_read(planar)); // of one that was asked for before
    TD_TRY(td_buffer_read_begin(&on->reading[0], on->device, planar->motions, &on->motions, 0,
                                planar->count * sizeof *planar->motions));
    TD_TRY(td_buffer_read_begin(&on->reading[1], on->device, planar->tallies, &on->tallies, 0,
                                planar->count * sizeof *planar->tallies));
    return td_buffer_read_begin(&on->reading[2], on->device, &planar->clock, &on->clock, 0,
                                sizeof planar->clock);
}

td_result td_end_planar_read(td_planar *planar) {
    td_planar_on_device *on = planar->device;
    td_result result = TD_OK;
    for (int i = 0; i < 3; ++i) {
        const td_result ended = td_buffer_read_end(on->device, &on->reading[i]);
        result = result == TD_OK ? ended : result;
    }
    return result;
}

void td_count_planar_device(td_planar_report *out, const td_planar *planar) {
    const td_planar_on_device *on = planar->device;
    if (on != NULL) {
        out->waits = td_device_sum_times(on->device).waits - on->waits_before;
        out->launches = on->launches;
    }
}
