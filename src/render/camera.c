#include "camera.h"

#include "../core/error.h"
#include "../math/quat.h"
#include "set.h"

static td_vec3 td_from_array(const double v[3]) {
    return td_vec3_make(v[0], v[1], v[2]);
}

static td_result td_check_place(const double place[3], const char *what) {
    for (int k = 0; k < 3; ++k) {
        if (!(fabs(place[k]) < TD_RENDER_FARTHEST)) {
            return td_fail(TD_ERROR_ARGUMENT, "camera: %c of %s is %g; expected a number of size below %g",
                           "xyz"[k], what, place[k], TD_RENDER_FARTHEST);
        }
    }
    return TD_OK;
}

td_result td_make_lens(td_lens *out, const td_camera *camera, uint32_t width, uint32_t height) {
    TD_TRY(td_check_place(camera->eye, "the eye"));
    TD_TRY(td_check_place(camera->look_at, "the point looked at"));
    TD_TRY(td_check_place(camera->up, "up"));
    const double angle = camera->field_of_view;
    if (!(angle > 0 && angle < 3.14)) {
        return td_fail(TD_ERROR_ARGUMENT,
                       "camera: the field of view is %g rad; expected more than 0 and less "
                       "than 3.14",
                       angle);
    }
    const td_vec3 eye = td_from_array(camera->eye), way = td_sub(td_from_array(camera->look_at), eye);
    const double distance = td_length(way), length = td_length(td_from_array(camera->up));
    if (!(distance > 0)) {
        return td_fail(TD_ERROR_ARGUMENT, "camera: the eye is the point that is looked at");
    }
    const td_vec3 forward = td_scale(way, 1 / distance);
    const td_vec3 across = td_cross(forward, td_scale(td_from_array(camera->up), 1 / length));
    if (!(length > 0 && td_length(across) > 1e-9)) {
        return td_fail(TD_ERROR_ARGUMENT, "camera: it looks along its own up");
    }
    const td_vec3 right = td_scale(across, 1 / td_length(across));
    const double slope = tan(0.5 * angle);
    *out = (td_lens){.eye = eye,
                     .forward = forward,
                     .right = right,
                     .up = td_cross(right, forward),
                     .right_slope = slope * width / height,
                     .up_slope = slope,
                     .width = width,
                     .height = height,
                     .distance = distance};
    return TD_OK;
}

td_ray td_camera_ray(const td_lens *lens, double x, double y) {
    const double across = (2 * x / lens->width - 1) * lens->right_slope;
    const double upwards = (1 - 2 * y / lens->height) * lens->up_slope;
    const td_vec3 d =
        td_add(lens->forward, td_add(td_scale(lens->right, across), td_scale(lens->up, upwards)));
    return (td_ray){
        .origin = {lens->eye.x, lens->eye.y, lens->eye.z}, .direction = {d.x, d.y, d.z}, .t_max = INFINITY};
}
