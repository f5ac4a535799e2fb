// Contacts that are looked at together in a sub-step.
#ifndef TD_DEFORM_EVALUATE_H
#define TD_DEFORM_EVALUATE_H

#include "gaps.h"
#include "softs.h"

// Those of one kind.
typedef struct td_looks {
    const td_gap_finder *finder;
    uint32_t count;
    uint32_t place[TD_GAPS_MOST]; // of the contact, ascending
    float pace[TD_GAPS_MOST];
    double wanted[TD_GAPS_MOST]; // m: how far apart they are to be
    td_gaps_asked asked;
    td_gaps_found found;
} td_looks;

typedef struct td_evaluation {
    const td_softs *softs;
    double part;    // of the lap
    double acting;  // what is nearer than so many times what is wanted acts
    uint32_t count; // that are to be looked at
    uint32_t places[TD_GAPS_MOST];
    td_looks looks[2]; // vertices and faces; edges
} td_evaluation;

void td_evaluation_begin(td_evaluation *evaluation, const td_softs *softs, double part);
// Contacts in their order. Returns whether there is room for no more.
bool td_evaluation_add(td_evaluation *evaluation, size_t place);
// Those that act, in their order; returns how many. The others are told for how many sub-steps they need not
// be looked at.
uint32_t td_evaluation_finish(td_acting *out, td_evaluation *evaluation);

#endif
