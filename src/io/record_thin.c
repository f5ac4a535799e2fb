#include "record_thin.h"

static bool td_same_pair(const td_recorded_contact *x, const td_recorded_contact *y) {
    return (x->a == y->a && x->b == y->b) || (x->a == y->b && x->b == y->a);
}

static td_recorded_contact td_join_run(const td_recorded_contact *contacts, size_t count) {
    size_t strongest = 0;
    double impulse = 0;
    for (size_t i = 0; i < count; ++i) {
        strongest = contacts[i].impulse > contacts[strongest].impulse ? i : strongest;
        impulse += contacts[i].impulse;
    }
    td_recorded_contact joined = contacts[strongest];
    joined.impulse = impulse;
    return joined;
}

size_t td_thin_contacts(td_recorded_contact *contacts, size_t count, const bool *soft) {
    size_t left = 0;
    for (size_t first = 0, end; first < count; first = end) {
        for (end = first + 1; end < count && td_same_pair(&contacts[first], &contacts[end]);) {
            ++end;
        }
        const size_t size = end - first;
        const bool thin = size > TD_SOFT_CONTACTS && (soft[contacts[first].a] || soft[contacts[first].b]);
        const size_t runs = thin ? TD_SOFT_CONTACTS : size;
        for (size_t run = 0; run < runs; ++run) {
            const size_t begin = first + run * size / runs, behind = first + (run + 1) * size / runs;
            contacts[left++] = td_join_run(&contacts[begin], behind - begin);
        }
    }
    return left;
}
