// Soft bodies of a recording as they are drawn: each on a mesh of its own, whose hierarchy is refitted from
// frame to frame.
#ifndef TD_CLI_RENDER_SOFT_H
#define TD_CLI_RENDER_SOFT_H

#include "render_source.h"

struct td_soft_model {
    uint32_t body;
    td_drawn_mesh drawn,
        extent;                // as it is in the frame, and a box around it in the frames that were looked at
    double lower[3], upper[3]; // of that box
};

// One per soft body of the recording, with the rest shape, on which creases are looked for; its bodies are
// then made of these. False: the error was told.
bool td_make_soft_models(td_render_source *source);
void td_release_soft_models(td_render_source *source);

// As they are in a frame.
bool td_set_soft_frame(td_render_source *source, uint64_t frame);

// Boxes around what they were in all frames that were set since, for the camera.
void td_forget_soft_extents(td_render_source *source);
bool td_make_soft_extents(td_render_source *source);

#endif
