#include "ray_device.h"

#include "../core/context.h"
#include "../core/error.h"
#include "../core/tasks.h"
#include "blocked_device.h"
#include "ray_lane.h"
#include "ray_sheet.h"

#include <stdatomic.h>
#include <string.h>

enum {
    TD_RAYS_AT_ONCE = 1 << 16, // per launch, unless memory is short
    TD_LEAST_RAYS = 1 << 8,
    TD_RAY_GROUP = 64,
    TD_RAYS_OF_CHUNK = 1024 // per task of the host
};

// Some rays of a batch, on their way.
typedef struct td_ray_flight {
    td_device_state *state;
    const td_ray_batch *batch;
    td_ray_run_fn *native;
    size_t first; // of the batch
    uint32_t count;
    td_ray_form *forms; // per ray
    uint8_t *ways;      // per ray, a td_ray_way
    td_lane_hit *hits;  // per ray
    atomic_size_t bad;  // lowest ray that is no good; SIZE_MAX: none
} td_ray_flight;

// ---------------------------------------------------------------------------------------------------------
// Setting out

static void td_put_form(td_ray_form *out, const td_ray_sheet *sheet, int i) {
    *out = (td_ray_form){
        .origin = td_vec3_make(sheet->origin[0][i], sheet->origin[1][i], sheet->origin[2][i]),
        .direction = td_vec3_make(sheet->direction[0][i], sheet->direction[1][i], sheet->direction[2][i]),
        .t_min = sheet->t_min[i],
        .t_max = sheet->t_max[i],
        .rate = sheet->rate[i],
        .start = sheet->start[i],
        .slack = sheet->slack[i],
        .side_slack = sheet->side_slack[i],
        .depth_slack = sheet->depth_slack[i],
        // A ray that misses is sent, too: it meets no box, as it ends before it begins.
        .t_end = sheet->way[i] == TD_RAY_WALK ? sheet->t_end[i] : -1.0f,
    };
    for (int k = 0; k < 3; ++k) {
        out->at[k] = sheet->at[k][i];
        out->unit[k] = sheet->unit[k][i];
        out->inverse[k] = sheet->inverse[k][i];
        out->near[k] = sheet->near[k][i];
        out->far[k] = sheet->far[k][i];
    }
}

static void td_keep_lowest(atomic_size_t *lowest, size_t value) {
    size_t old = atomic_load(lowest);
    while (value < old && !atomic_compare_exchange_weak(lowest, &old, value)) {
    }
}

static void td_set_out_chunk(uint32_t item, void *payload) {
    td_ray_flight *flight = payload;
    const uint32_t begin = item * TD_RAYS_OF_CHUNK;
    const uint32_t end = flight->count - begin < TD_RAYS_OF_CHUNK ? flight->count : begin + TD_RAYS_OF_CHUNK;
    td_ray_sheet sheet;
    for (uint32_t from = begin; from < end; from += TD_SHEET) {
        const uint32_t some = end - from < TD_SHEET ? end - from : TD_SHEET;
        td_begin_rays(&sheet, flight->batch, flight->first + from, some);
        for (uint32_t i = 0; i < some; ++i) {
            flight->ways[from + i] = (uint8_t)sheet.way[i];
            td_put_form(&flight->forms[from + i], &sheet, (int)i);
            if (sheet.way[i] == TD_RAY_BAD) {
                td_keep_lowest(&flight->bad, flight->first + from + i);
            }
        }
    }
}

// ---------------------------------------------------------------------------------------------------------
// Coming back

static void td_take_hit(td_ray_hit *out, const td_lane_hit *hit, td_ray_mode mode) {
    if (mode == TD_RAY_ANY || hit->state == TD_RAY_LANE_NOTHING) {
        *out = td_some_hit(hit->state == TD_RAY_LANE_HIT);
        return;
    }
    *out = (td_ray_hit){hit->triangle, true, (int8_t)hit->side, hit->t, hit->u, hit->v};
}

static void td_come_back_chunk(uint32_t item, void *payload) {
    td_ray_flight *flight = payload;
    const uint32_t begin = item * TD_RAYS_OF_CHUNK;
    const uint32_t end = flight->count - begin < TD_RAYS_OF_CHUNK ? flight->count : begin + TD_RAYS_OF_CHUNK;
    for (uint32_t i = begin; i < end; ++i) {
        const size_t ray = flight->first + i;
        if (flight->ways[i] == TD_RAY_UNUSABLE || flight->hits[i].state == TD_RAY_LANE_HANDED) {
            flight->native(flight->batch, ray, ray + 1);
        } else {
            td_take_hit(&flight->batch->out[ray], &flight->hits[i], flight->batch->mode);
        }
    }
}

// ---------------------------------------------------------------------------------------------------------
// The flight

static td_result td_launch_rays(const td_ray_flight *flight, const td_arena_entry *entry) {
    td_device_state *state = flight->state;
    const uint32_t any = flight->batch->mode == TD_RAY_ANY;
    const td_kernel *kernel;
    TD_TRY(td_find_kernel(&kernel, state->device, "rays", NULL, "td_cast_rays"));
    const double grain = td_ray_grain(flight->batch->hierarchy);
    const td_kernel_argument arguments[13] = {
        TD_ARG_BUFFER(&state->arena[TD_ARENA_BLOCKS]),
        TD_ARG_VALUE(entry->extents[TD_ARENA_BLOCKS].first),
        TD_ARG_BUFFER(&state->arena[TD_ARENA_QUADS]),
        TD_ARG_VALUE(entry->extents[TD_ARENA_QUADS].first),
        TD_ARG_BUFFER(&state->arena[TD_ARENA_CORNERS]),
        TD_ARG_VALUE(entry->extents[TD_ARENA_CORNERS].first),
        TD_ARG_BUFFER(&state->arena[TD_ARENA_TRIANGLES]),
        TD_ARG_VALUE(entry->extents[TD_ARENA_TRIANGLES].first),
        TD_ARG_BUFFER(&state->buffers[TD_USE_RAYS]),
        TD_ARG_VALUE(flight->count),
        TD_ARG_VALUE(any),
        TD_ARG_VALUE(grain),
        TD_ARG_BUFFER(&state->buffers[TD_USE_RAY_HITS]),
    };
    TD_TRY(td_buffer_write(state->device, &state->buffers[TD_USE_RAYS], 0, flight->forms,
                           flight->count * sizeof(td_ray_form)));
    TD_TRY(td_run_kernel(state->device, kernel, flight->count, TD_RAY_GROUP, arguments, 13, TD_STAGE_BOXES));
    return td_buffer_read(state->device, flight->hits, &state->buffers[TD_USE_RAY_HITS], 0,
                          flight->count * sizeof(td_lane_hit));
}

static td_result td_fly(td_ray_flight *flight, const td_arena_entry *entry) {
    td_context *context = flight->state->context;
    const uint32_t chunks = (flight->count + TD_RAYS_OF_CHUNK - 1) / TD_RAYS_OF_CHUNK;
    td_run_tasks(context, td_set_out_chunk, chunks, flight);
    if (atomic_load(&flight->bad) != SIZE_MAX) {
        return TD_OK;
    }
    TD_TRY(td_launch_rays(flight, entry));
    td_run_tasks(context, td_come_back_chunk, chunks, flight);
    return TD_OK;
}

// The mesh, in the arena of all meshes.
static td_result td_bring_mesh(td_device_state *state, const td_ray_batch *batch, td_mesh_stamp stamp) {
    const td_device_question question = {.traversal = {.context = state->context,
                                                       .mesh_a = batch->mesh,
                                                       .mesh_b = batch->mesh,
                                                       .a = batch->hierarchy,
                                                       .b = batch->hierarchy},
                                         .frame = {.usable = true},
                                         .stamp_a = stamp,
                                         .stamp_b = stamp};
    td_device_batch meshes = {.state = state, .questions = &question, .count = 1};
    const td_result result = td_device_load_meshes(&meshes, &td_strategy_blocked);
    if (result != TD_ERROR_DEVICE || !td_device_is_short(state->device)) {
        return result;
    }
    td_device_forget_meshes(state); // what earlier calls left there
    return td_device_load_meshes(&meshes, &td_strategy_blocked);
}

static td_result td_fly_all(size_t *bad, td_ray_flight *flight, size_t count, uint32_t room,
                            td_mesh_stamp stamp) {
    const td_device_state *state = flight->state;
    const td_arena_entry *entry = td_arena_find(state, stamp.mesh);
    for (flight->first = 0; flight->first < count; flight->first += flight->count) {
        const size_t rest = count - flight->first;
        flight->count = rest < room ? (uint32_t)rest : room;
        TD_TRY(td_fly(flight, entry));
        if (atomic_load(&flight->bad) != SIZE_MAX) {
            *bad = atomic_load(&flight->bad);
            return TD_OK;
        }
    }
    return TD_OK;
}

td_result td_ray_run_on_device(size_t *bad, td_device_state *state, const td_ray_batch *batch,
                               td_mesh_stamp stamp, size_t count) {
    td_context *context = state->context;
    uint32_t room, hit_room;
    *bad = count;
    TD_TRY(td_bring_mesh(state, batch, stamp));
    const size_t wanted = count < TD_RAYS_AT_ONCE ? count : TD_RAYS_AT_ONCE;
    TD_TRY(td_device_room_up_to(state, TD_USE_RAYS, wanted, TD_LEAST_RAYS, sizeof(td_ray_form), &room));
    TD_TRY(td_device_room_up_to(state, TD_USE_RAY_HITS, room, TD_LEAST_RAYS, sizeof(td_lane_hit), &hit_room));
    room = hit_room < room ? hit_room : room;
    td_ray_flight flight = {.state = state,
                            .batch = batch,
                            .native = td_ray_run_for(context->isa),
                            .forms = TD_NEW(context, td_ray_form, room),
                            .ways = TD_NEW(context, uint8_t, room),
                            .hits = TD_NEW(context, td_lane_hit, room)};
    atomic_init(&flight.bad, SIZE_MAX);
    const bool enough = flight.forms != NULL && flight.ways != NULL && flight.hits != NULL;
    const td_result result = enough ? td_fly_all(bad, &flight, count, room, stamp) : TD_ERROR_MEMORY;
    TD_DELETE(context, td_ray_form, flight.forms, room);
    TD_DELETE(context, uint8_t, flight.ways, room);
    TD_DELETE(context, td_lane_hit, flight.hits, room);
    return result;
}
