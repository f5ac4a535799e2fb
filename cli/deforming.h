// The deforming scenes of paper 001, Fig. 6, made by formula: the same on every run, and no files needed.
#ifndef TD_CLI_DEFORMING_H
#define TD_CLI_DEFORMING_H

#include "sequence.h"

// A full sequence has so many steps. Of fewer, the last ones are taken, at the same pace; more cut it finer.
enum { TD_DEFORMING_STEPS = 96 };

// A sheet of 90,738 triangles comes down on a sphere of 1,280 and drapes over it. Its hem hangs in folds that
// meet at the end. `steps` steps, one frame more. False: the error was told.
bool td_deforming_cloth(td_cli_sequence *out, td_cli_session *session, uint32_t steps);

// 114 balls of 1,280 triangles that fly on crossing straight lines and turn, as one mesh.
bool td_deforming_balls(td_cli_sequence *out, td_cli_session *session, uint32_t steps);

#endif
