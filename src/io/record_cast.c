#include "record_cast.h"

#include <math.h>

td_result td_create_cast(td_cast *out, td_context *context, uint32_t body_count, uint32_t mesh_count) {
    *out = (td_cast){.body_count = body_count, .mesh_count = mesh_count};
    out->bodies = TD_NEW(context, td_cast_body, body_count);
    out->boxes = TD_NEW(context, td_cast_box, mesh_count);
    if (out->bodies == NULL || out->boxes == NULL) {
        return TD_ERROR_MEMORY;
    }
    for (uint32_t mesh = 0; mesh < mesh_count; ++mesh) {
        out->boxes[mesh] = (td_cast_box){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    }
    return TD_OK;
}

void td_release_cast(td_cast *cast, td_context *context) {
    TD_DELETE(context, td_cast_body, cast->bodies, cast->body_count);
    TD_DELETE(context, td_cast_box, cast->boxes, cast->mesh_count);
    TD_DELETE(context, td_cast_box, cast->soft_boxes, cast->soft_count);
    *cast = (td_cast){0};
}

td_result td_number_soft_bodies(td_cast *cast, td_context *context) {
    cast->soft_count = 0;
    for (uint32_t body = 0; body < cast->body_count; ++body) {
        if (cast->bodies[body].kind == TD_BODY_SOFT) {
            cast->bodies[body].soft = cast->soft_count++;
        }
    }
    cast->soft_boxes = TD_NEW(context, td_cast_box, cast->soft_count);
    return cast->soft_boxes != NULL ? TD_OK : TD_ERROR_MEMORY;
}

void td_extend_box(td_cast_box *box, const double vertex[3]) {
    for (int k = 0; k < 3; ++k) {
        box->lower[k] = fmin(box->lower[k], vertex[k]);
        box->upper[k] = fmax(box->upper[k], vertex[k]);
    }
}

double td_box_square(const td_cast_box *box) {
    double square = 0;
    for (int k = 0; k < 3; ++k) {
        const double side = fmax(0, box->upper[k] - box->lower[k]);
        square += side * side;
    }
    return square;
}

const td_cast_box *td_box_of(const td_cast *cast, uint32_t body) {
    return &cast->boxes[cast->bodies[body].mesh];
}
