// The camera: from a place in the picture to a ray.
#ifndef TD_RENDER_CAMERA_H
#define TD_RENDER_CAMERA_H

#include "../math/vec3.h"

#include <tandem/ray.h>
#include <tandem/render.h>

typedef struct td_lens {
    td_vec3 eye, forward, right, up; // of length 1, at right angles
    double right_slope, up_slope;    // at the edges of the picture
    double width, height;            // pixels
    double distance;                 // m, from the eye to what it looks at
} td_lens;

// TD_ERROR_ARGUMENT if it is none: the message says what is wrong.
td_result td_make_lens(td_lens *out, const td_camera *camera, uint32_t width, uint32_t height);

// The ray through a point of the picture, in pixels from its top left corner. Its direction is about of
// length 1, and t is the distance along the view's axis.
td_ray td_camera_ray(const td_lens *lens, double x, double y);

#endif
