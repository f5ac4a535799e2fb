// Ray-traced pictures of meshes: sun, sky, shadows, colours by body.
//
// Every ray is one of ray.h: nothing slips through an edge, and surfaces that touch do not bleed. What is
// random in a picture (where in a pixel a ray goes, where on the sun, where in the sky) is a fixed pattern,
// so the same scene gives the same bytes for every number of threads and instruction set.
#ifndef TANDEM_RENDER_H
#define TANDEM_RENDER_H

#include "query.h"

#ifdef __cplusplus
extern "C" {
#endif

// A mesh as it is drawn: with its normals, smooth but for creases of more than 40 degrees. Shared by all
// bodies that are made of it. The mesh must outlive it.
typedef struct td_render_mesh td_render_mesh;

TD_API td_result td_create_render_mesh(td_render_mesh **out, td_context *context, const td_mesh *mesh);
TD_API void td_destroy_render_mesh(td_render_mesh *mesh); // null is fine

// To be called after td_set_positions: normals follow, creases stay where they were at creation, so that
// none flickers.
TD_API void td_update_render_mesh(td_render_mesh *mesh);

typedef struct td_render_body {
    const td_render_mesh *mesh;
    td_pose pose;
    float colour[3];        // sRGB, 0 to 1
    bool fades;             // far away, into the background: for floors
    const uint32_t *marked; // triangles in a signal colour: ascending numbers; may be null
    uint32_t marked_count;
} td_render_body;

typedef struct td_camera {
    double eye[3];
    double look_at[3];
    double up[3];         // need not be at right angles to the view
    double field_of_view; // rad, from the lower edge of the picture to the upper
} td_camera;

typedef enum td_render_colours {
    TD_COLOUR_BODY,  // of each body, in the light of sun and sky
    TD_COLOUR_NORMAL // (1 + n) / 2 of the normal n that is seen, as red, green and blue without any light
} td_render_colours;

typedef struct td_render_def {
    uint32_t cookie;
    td_camera camera;
    uint32_t width, height; // pixels, 1 to 16384 each
    uint32_t samples;       // per pixel, 1 to 4096; 1 is the middle of the pixel and of the sun
    uint32_t sky_rays;      // per sample, 0 to 64; 0: the sky is seen from everywhere
    td_render_colours colours;
    bool flat;   // triangles as they are, without smooth normals
    bool ground; // a plane, of the colour of the background, that takes shadows; seen from above only
    double height_of_ground;  // m, its y
    double sun[3];            // towards it; of any length but 0
    bool brute;               // every ray against every triangle: slow, to compare with
    td_progress_fn *progress; // in tiles of the picture; may be null
    void *progress_user;
} td_render_def;

// 960 x 540 pixels of 16 samples with 4 rays to the sky each.
TD_API td_render_def td_default_render_def(void);

typedef struct td_render_report {
    uint64_t camera_rays, sun_rays, sky_rays;
    double ms;
} td_render_report;

// Writes `height` rows of `width` pixels, three bytes each: red, green, blue as sRGB, from the top left on.
// `report` may be null.
//
// TD_ERROR_ARGUMENT for what is no camera, size or number of samples, TD_ERROR_POSE for a pose that is none,
// TD_ERROR_UNSUPPORTED for what lies farther than 1e100 m from the origin, TD_ERROR_CANCELLED if `progress`
// says so: the pixels are worthless then.
TD_API td_result td_render_picture(uint8_t *pixels, td_render_report *report, td_context *context,
                                   const td_render_body *bodies, size_t count, const td_render_def *def);

// Puts the camera where the bodies fill a picture of these proportions (width over height), as seen from
// `direction` (from them to the camera; null: from the front right, a little above). Bodies far from nearly
// all others are left out. Keeps the camera's field of view.
TD_API td_result td_frame_bodies(td_camera *camera, td_context *context, const td_render_body *bodies,
                                 size_t count, double proportions, const double direction[3]);

// The y of the lowest point of the bodies: where the ground may be. 0 if there are none.
TD_API double td_lowest_height(const td_render_body *bodies, size_t count);

// Colours, sRGB: of the body of a number, neighbours in number well apart; of what stands still while others
// move; on a scale from dark blue (0) to yellow (1).
TD_API void td_body_colour(float out[3], uint32_t body);
TD_API void td_still_colour(float out[3]);
TD_API void td_scale_colour(float out[3], double share);

#ifdef __cplusplus
}
#endif
#endif
