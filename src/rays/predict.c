// How many elements an append buffer will hold: paper 003, section 4.1.
#include "tracer.h"

// p(N_t) = N_(t-1) nbPairs_t / nbPairs_(t-1) confidence (Eq. 1), or without the pairs (Eq. 2).
uint64_t td_predict_count(const td_tracer *tracer, td_traced_algorithm algorithm, uint64_t pairs) {
    if (!tracer->has_last || tracer->def.prediction == TD_PREDICT_EXACT) {
        return 0;
    }
    double expected = (double)tracer->last_count[algorithm] * tracer->def.confidence;
    if (tracer->def.prediction == TD_PREDICT_PAIRS && tracer->last_pairs > 0) {
        expected *= (double)pairs / (double)tracer->last_pairs;
    }
    return expected < 4e9 ? (uint64_t)ceil(expected) : 4000000000u;
}
