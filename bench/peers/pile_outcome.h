// What became of the bodies, by one yardstick for all libraries: a fast wrong answer is no answer.
#ifndef TD_BENCH_PILE_OUTCOME_H
#define TD_BENCH_PILE_OUTCOME_H

#include "pile.h"

typedef struct td_pile_outcome {
    double lowest, highest; // m: of the centres of mass
    double sunk;            // m: how far the lowest vertex of all is below the ground, 0 if none is
    uint32_t fell;          // bodies whose centre of mass is below the ground
    uint32_t escaped;       // bodies that flew off: above all starts, or more than three widths of the
                            // grid away; or that are nowhere (not finite)
    uint64_t overlapping;   // pairs of bodies whose surfaces intersect
    uint64_t face_pairs;    // triangles that do, found exactly
    double kinetic;         // J: mean kinetic energy of a body
} td_pile_outcome;

// Of a body. 0.5 m v^2 + 0.5 w I w.
double td_pile_kinetic_energy(const td_pile_scene *scene, const td_pile_body *body);

td_result td_judge_pile(td_pile_outcome *out, td_context *context, const td_pile_scene *scene,
                        const td_pile_body *bodies);

#endif
