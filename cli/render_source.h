// What is drawn, frame by frame: a recording, meshes at poses, or a mesh that deforms from file to file.
#ifndef TD_CLI_RENDER_SOURCE_H
#define TD_CLI_RENDER_SOURCE_H

#include "view_parts.h"

#include <tandem/render.h>
#include <tandem/scene.h>

typedef enum td_render_look { TD_LOOK_BODY, TD_LOOK_SPEED, TD_LOOK_NORMAL } td_render_look;

typedef struct td_render_source td_render_source;
typedef struct td_soft_model td_soft_model;

typedef struct td_drawn_mesh {
    td_mesh *mesh; // null where the parts own it
    td_render_mesh *model;
} td_drawn_mesh;

struct td_render_source {
    td_cli_session *session;
    uint64_t frames;
    double step;        // s between them; 0: they have no time
    uint64_t triangles; // of all bodies
    td_render_look look;

    // Of the frame that was set last.
    td_render_body *bodies;
    bool *framed; // per body: the camera is to see it
    uint32_t body_count;
    bool has_floor; // some bodies fade, and so are never below others

    // False: the error was told.
    bool (*set_frame)(td_render_source *source, uint64_t frame);

    td_drawn_mesh *meshes;
    uint32_t mesh_count;

    // Of a recording.
    td_recording *recording;
    td_pose *poses;
    td_recorded_motion *motions;
    td_soft_model *soft; // its soft bodies (render_soft.h)
    uint32_t soft_count;
    double *positions; // of one of them
    double top_speed;  // m/s: the upper end of the scale

    // Of meshes.
    td_view_parts parts;
    td_view_marks marks;

    // Of a sequence.
    char **names;
    td_render_body extent; // a box around all frames; without a mesh: none
    td_drawn_mesh extent_mesh;

    // Of what deforms.
    uint64_t rebuilds;
    double refit_ms;
};

// All open one of the kinds; false: the error was told. The source is to be closed in any case.
bool td_render_open_recording(td_render_source *out, td_cli_session *session, const char *path,
                              td_render_look look);
bool td_render_open_meshes(td_render_source *out, td_cli_session *session, td_view_wish *wish);
bool td_render_open_sequence(td_render_source *out, td_cli_session *session, char **names, uint32_t count);
void td_render_close(td_render_source *source); // fine on a zeroed one

// A box of these bounds, to be looked at in place of what is within. False: the error was told.
bool td_render_make_box(td_drawn_mesh *out, td_render_source *source, const double lower[3],
                        const double upper[3]);

// Room for bodies and meshes; for the kinds' own use.
bool td_render_reserve(td_render_source *source, uint32_t body_count, uint32_t mesh_count);
bool td_render_add_model(td_render_source *source, uint32_t index, const td_mesh *mesh);

// Frames first, first + every, ... up to last.
typedef struct td_render_range {
    uint64_t first, last, every;
} td_render_range;

static inline uint64_t td_render_range_count(const td_render_range *range) {
    return (range->last - range->first) / range->every + 1;
}

// Where the camera stands so that it sees what happens in these frames, and how high the ground is.
bool td_render_frame_camera(td_camera *camera, double *ground, td_render_source *source,
                            const td_render_range *range, double proportions);

#endif
