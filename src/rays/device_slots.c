// Where the temporal data of pairs lies on a device: a slot per ray, of memories for rigid pairs and of
// courses for others, and a record per pair.
#include "device.h"

#include "../core/context.h"
#include "../core/error.h"

enum { TD_SLOTS_LOOKED_AT = 64, TD_SLOTS_SPARE = 1 << 20 };

static td_result td_give_slot(td_slot_pool *pool, td_context *context, uint32_t *out, uint32_t count) {
    for (size_t i = pool->free.count; i-- > 0 && pool->free.count - i <= TD_SLOTS_LOOKED_AT;) {
        if (pool->free.items[i].count == count) {
            *out = pool->free.items[i].slot;
            pool->free.items[i] = pool->free.items[--pool->free.count];
            pool->live += count;
            return TD_OK;
        }
    }
    if (count > UINT32_MAX - 2 - pool->end) {
        return td_fail(TD_ERROR_UNSUPPORTED, "more than 2^32 rays with temporal data");
    }
    // One entry for each that is in use, so that giving back cannot fail.
    TD_TRY(td_array_reserve(context, &pool->free, pool->blocks + 1 - pool->free.count));
    ++pool->blocks;
    *out = pool->end;
    pool->end += count;
    pool->live += count;
    return TD_OK;
}

static td_result td_give_record(td_trace_device *on, td_context *context, uint32_t *out) {
    if (on->free_records.count > 0) {
        *out = on->free_records.items[--on->free_records.count];
        return TD_OK;
    }
    TD_TRY(td_array_reserve(context, &on->free_records, (size_t)on->record_end + 1 - on->free_records.count));
    *out = on->record_end++;
    return TD_OK;
}

void td_release_slots(td_tracer *tracer, td_pair_memory *pair) {
    td_trace_device *on = tracer->device;
    for (int s = 0; s < 2 && on != NULL; ++s) {
        td_side_memory *memory = &pair->side[s];
        if (memory->slot != TD_TRACE_NONE) {
            td_slot_pool *pool = &on->pools[memory->pool];
            pool->free.items[pool->free.count++] = (td_free_slot){memory->slot, memory->slot_count};
            pool->live -= memory->slot_count;
            memory->slot = TD_TRACE_NONE;
        }
    }
    if (on != NULL && pair->record != TD_TRACE_NONE) {
        on->free_records.items[on->free_records.count++] = pair->record;
        pair->record = TD_TRACE_NONE;
    }
}

static bool td_has_holes(const td_slot_pool *pool) {
    return pool->end >= TD_SLOTS_SPARE && pool->end / 3 >= pool->live;
}

// Holes are left where pairs have gone; when they are most of it, all is forgotten once.
static void td_forget_holes(td_tracer *tracer) {
    td_trace_device *on = tracer->device;
    if (!td_has_holes(&on->pools[TD_POOL_MEMORIES]) && !td_has_holes(&on->pools[TD_POOL_COURSES])) {
        return;
    }
    for (size_t i = 0; i < tracer->pairs.count; ++i) {
        td_release_slots(tracer, tracer->pairs.items[i]);
        tracer->pairs.items[i]->side[0].known = tracer->pairs.items[i]->side[1].known = false;
    }
    for (int p = 0; p < TD_POOLS; ++p) {
        on->pools[p].free.count = on->pools[p].blocks = 0;
        on->pools[p].end = 0;
    }
}

static td_result td_give_to_side(td_trace_device *on, td_context *context, const td_side *side) {
    td_side_memory *memory = side->memory;
    if (memory->slot == TD_TRACE_NONE) {
        memory->pool =
            side->source->deformable || side->target->deformable ? TD_POOL_COURSES : TD_POOL_MEMORIES;
        memory->slot_count = td_rays_of(side->source, side->source_around);
        memory->known = false;
        return td_give_slot(&on->pools[memory->pool], context, &memory->slot, memory->slot_count);
    }
    return TD_OK;
}

static td_result td_reserve_kept(td_trace_device *on, td_trace_buffer buffer, size_t count, size_t size) {
    return td_buffer_reserve(on->device, &on->buffers[buffer], (count + 1) * size, on->buffers[buffer].size);
}

td_result td_give_slots(td_tracer *tracer) {
    td_trace_device *on = tracer->device;
    td_forget_holes(tracer);
    for (size_t i = 0; i < tracer->sides.count; ++i) {
        td_side *side = &tracer->sides.items[i];
        if (side->pair->record == TD_TRACE_NONE) {
            TD_TRY(td_give_record(on, tracer->context, &side->pair->record));
        }
        if (tracer->def.iterative) {
            TD_TRY(td_give_to_side(on, tracer->context, side));
        }
    }
    TD_TRY(td_reserve_kept(on, TD_BUFFER_MEMORIES, on->pools[TD_POOL_MEMORIES].end, sizeof(td_memory)));
    TD_TRY(td_reserve_kept(on, TD_BUFFER_COURSES, on->pools[TD_POOL_COURSES].end, sizeof(td_course)));
    return td_reserve_kept(on, TD_BUFFER_RECORDS, on->record_end, sizeof(td_step_record));
}
