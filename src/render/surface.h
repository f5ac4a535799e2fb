// What a ray of the camera meets: the point, its normals and its colour.
#ifndef TD_RENDER_SURFACE_H
#define TD_RENDER_SURFACE_H

#include "camera.h"
#include "stream.h"

typedef enum td_surface_kind { TD_SEES_NOTHING, TD_SEES_BODY, TD_SEES_GROUND } td_surface_kind;

typedef struct td_surface {
    td_surface_kind kind;
    td_vec3 point;  // from which rays leave: a hair above the surface, and where that is bent, above the
                    // triangle as well
    td_vec3 facing; // the triangle's normal, towards the eye
    td_vec3 normal; // the one that light falls on; may be tilted away from `facing`
    td_vec3 to_eye; // of length 1
    td_vec3 colour; // linear
    double fade;    // 1: nothing but background
} td_surface;

// What is the same for all surfaces of a picture.
typedef struct td_view {
    const td_set *set;
    td_lens lens;
    bool flat;
    bool ground; // and the eye is above it
    double height_of_ground;
} td_view;

// Ray `ray` of the stream, whose answers are closest hits.
td_surface td_find_surface(const td_view *view, const td_stream *stream, size_t ray);

#endif
