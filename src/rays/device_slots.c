// Where the temporal data of pairs lies on a device: a slot per ray of a rigid pair, a record per pair.
#include "device.h"

#include "../core/context.h"
#include "../core/error.h"

enum { TD_SLOTS_LOOKED_AT = 64, TD_SLOTS_SPARE = 1 << 22 };

static td_result td_give_slot(td_trace_device *on, td_context *context, uint32_t *out, uint32_t count) {
    for (size_t i = on->free_slots.count; i-- > 0 && on->free_slots.count - i <= TD_SLOTS_LOOKED_AT;) {
        if (on->free_slots.items[i].count == count) {
            *out = on->free_slots.items[i].slot;
            on->free_slots.items[i] = on->free_slots.items[--on->free_slots.count];
            on->live += count;
            return TD_OK;
        }
    }
    if (count > UINT32_MAX - 2 - on->slot_end) {
        return td_fail(TD_ERROR_UNSUPPORTED, "more than 2^32 rays of rigid pairs");
    }
    // One entry for each that is in use, so that giving back cannot fail.
    TD_TRY(td_array_reserve(context, &on->free_slots, on->blocks + 1 - on->free_slots.count));
    ++on->blocks;
    *out = on->slot_end;
    on->slot_end += count;
    on->live += count;
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
            on->free_slots.items[on->free_slots.count++] = (td_free_slot){memory->slot, memory->slot_count};
            on->live -= memory->slot_count;
            memory->slot = TD_TRACE_NONE;
        }
    }
    if (on != NULL && pair->record != TD_TRACE_NONE) {
        on->free_records.items[on->free_records.count++] = pair->record;
        pair->record = TD_TRACE_NONE;
    }
}

// Holes are left where pairs have gone; when they are most of it, all is forgotten once.
static void td_forget_holes(td_tracer *tracer) {
    td_trace_device *on = tracer->device;
    if (on->slot_end < TD_SLOTS_SPARE || on->slot_end / 3 < on->live) {
        return;
    }
    for (size_t i = 0; i < tracer->pairs.count; ++i) {
        td_release_slots(tracer, tracer->pairs.items[i]);
        tracer->pairs.items[i]->side[0].known = tracer->pairs.items[i]->side[1].known = false;
    }
    on->free_slots.count = on->blocks = 0;
    on->slot_end = 0;
}

td_result td_give_slots(td_tracer *tracer) {
    td_trace_device *on = tracer->device;
    td_forget_holes(tracer);
    for (size_t i = 0; i < tracer->sides.count; ++i) {
        td_side *side = &tracer->sides.items[i];
        td_pair_memory *pair = side->pair;
        if (pair->record == TD_TRACE_NONE) {
            TD_TRY(td_give_record(on, tracer->context, &pair->record));
        }
        const bool wanted = tracer->def.iterative && !side->source->deformable && !side->target->deformable;
        if (wanted && side->memory->slot == TD_TRACE_NONE) {
            const uint32_t count = td_rays_of(side->source, side->source_around);
            TD_TRY(td_give_slot(on, tracer->context, &side->memory->slot, count));
            side->memory->slot_count = count;
            side->memory->known = false;
        }
    }
    TD_TRY(td_buffer_reserve(on->device, &on->buffers[TD_BUFFER_MEMORIES],
                             ((size_t)on->slot_end + 1) * sizeof(td_memory),
                             on->buffers[TD_BUFFER_MEMORIES].size));
    return td_buffer_reserve(on->device, &on->buffers[TD_BUFFER_RECORDS],
                             ((size_t)on->record_end + 1) * sizeof(td_step_record),
                             on->buffers[TD_BUFFER_RECORDS].size);
}
