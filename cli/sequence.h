// A deforming mesh, frame by frame: files of one mesh each, one mesh and a file of raw positions, or a
// built-in cloth.
#ifndef TD_CLI_SEQUENCE_H
#define TD_CLI_SEQUENCE_H

#include "load.h"

enum { TD_SEQUENCE_FRAMES_MOST = 100000 };

typedef struct td_cli_sequence {
    char name[96];       // "horse00.obj and 47 more"
    double *positions;   // x y z per vertex, frame behind frame
    uint32_t *triangles; // three per triangle, the same in every frame
    uint32_t vertex_count, triangle_count, frame_count;
} td_cli_sequence;

// Files with the same connectivity; of one file and `raw` (may be null), the positions of all frames are in
// `raw`, float32, little-endian. No file: a sheet of about 18 thousand triangles that rolls up, in
// `cloth_frames` frames. False: the error was told, with the file and the element.
bool td_sequence_open(td_cli_sequence *out, td_cli_session *session, char **files, int file_count,
                      const char *raw, uint32_t cloth_frames);
void td_sequence_close(td_cli_sequence *sequence); // fine on a zeroed one

// For what makes sequences itself (deforming.h): arrays of zeros for the counts that `sequence` has. False:
// the error was told.
bool td_sequence_make_room(td_cli_sequence *sequence);

// A definition that borrows the first frame, deformable.
td_mesh_def td_sequence_mesh_def(const td_cli_sequence *sequence);

static inline const double *td_sequence_frame(const td_cli_sequence *sequence, uint32_t frame) {
    return sequence->positions + 3 * (size_t)frame * sequence->vertex_count;
}

#endif
