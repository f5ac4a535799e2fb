// The per-pair step (paper 003, section 3.2): rigid pairs are split by how far they have moved; pairs with a
// deformable object go on as they are.
#include "start.h"
#include "tracer.h"

#include <string.h>

static td_side_class td_class_of(const td_tracer *tracer, const td_side *side) {
    const td_side_memory *memory = side->memory;
    if (side->source->deformable || side->target->deformable) {
        return TD_SIDE_DEFORMABLE;
    }
    if (!memory->known || !tracer->def.iterative || tracer->def.brute) {
        return TD_SIDE_HIGH;
    }
    if (memcmp(&memory->last, &side->rigid, sizeof side->rigid) == 0) {
        return TD_SIDE_STILL;
    }
    if (!memory->tracked) {
        return TD_SIDE_HIGH;
    }
    const td_shift shift =
        td_shift_between(memory->reference, side->rigid, side->source->centre, side->radius);
    return shift.distance <= TD_MARGIN_USED * side->margin && shift.turn <= TD_TUBE_TURN ? TD_SIDE_SMALL
                                                                                         : TD_SIDE_HIGH;
}

// Whether temporal data is worth making: it lasts for more than a few steps at the pace of this one.
static bool td_is_slow(const td_tracer *tracer, const td_side *side) {
    if (!tracer->def.iterative || tracer->def.brute) {
        return false;
    }
    if (side->class == TD_SIDE_DEFORMABLE) {
        return true; // told ray by ray
    }
    const td_side_memory *memory = side->memory;
    return memory->known &&
           td_shift_between(memory->last, side->rigid, side->source->centre, side->radius).distance <=
               TD_MARGIN_STEP * side->margin;
}

void td_run_pair_step(td_tracer *tracer) {
    uint64_t counts[4] = {0};
    for (size_t i = 0; i < tracer->sides.count; i += 2) {
        td_side *a = &tracer->sides.items[i], *b = a + 1;
        a->class = td_class_of(tracer, a);
        b->class = td_class_of(tracer, b);
        // One pair, one class: the larger displacement counts.
        a->class = b->class = a->class > b->class ? a->class : b->class;
        a->tracked = b->tracked = td_is_slow(tracer, a) && td_is_slow(tracer, b);
        ++counts[a->class];
    }
    td_traced_report *report = &tracer->report;
    report->pairs_still = counts[TD_SIDE_STILL];
    report->pairs_small = counts[TD_SIDE_SMALL];
    report->pairs_high = counts[TD_SIDE_HIGH];
    report->pairs_deformable = counts[TD_SIDE_DEFORMABLE];
}
