#include "export_glb.h"

#include <math.h>

static const double td_camera_angle = 0.7;   // rad, from the lower edge of the picture to the upper
static const double td_camera_yaw = 0.6;     // rad, about y: to the right of the front
static const double td_camera_pitch = -0.35; // rad, about x: from above

typedef struct td_extent {
    double lower[3], upper[3];
} td_extent;

// The box around the bodies; of those that may move only, if `moving`. False if there are none.
static bool td_find_extent(td_extent *out, const td_export *task, const td_pose *poses,
                           const td_mesh_ball *balls, bool moving) {
    bool found = false;
    for (int k = 0; k < 3; ++k) {
        out->lower[k] = INFINITY;
        out->upper[k] = -INFINITY;
    }
    for (uint32_t body = 0; body < task->info.bodies; ++body) {
        const td_recorded_body recorded = td_recording_body(task->recording, body);
        if (moving && recorded.kind == TD_BODY_STATIC) {
            continue;
        }
        const td_mesh_ball *ball = &balls[recorded.mesh];
        double centre[3];
        const double none[3] = {0, 0, 0}; // a soft body is about its position
        td_pose_apply(centre, &poses[body], recorded.kind == TD_BODY_SOFT ? none : ball->centre);
        for (int k = 0; k < 3; ++k) {
            out->lower[k] = fmin(out->lower[k], centre[k] - ball->radius);
            out->upper[k] = fmax(out->upper[k], centre[k] + ball->radius);
        }
        found = true;
    }
    return found;
}

uint32_t td_add_glb_camera(td_gltf *gltf, const td_export *task, const td_pose *poses,
                           const td_mesh_ball *balls, const double origin[3], const char *name) {
    td_extent extent;
    if (!td_find_extent(&extent, task, poses, balls, true) &&
        !td_find_extent(&extent, task, poses, balls, false)) {
        extent = (td_extent){{-1, -1, -1}, {1, 1, 1}};
    }
    double size = 0, eye[3];
    for (int k = 0; k < 3; ++k) {
        size = hypot(size, 0.5 * extent.upper[k] - 0.5 * extent.lower[k]);
    }
    size = size > 0 ? size : 1;
    const double distance = 1.2 * size / sin(0.5 * td_camera_angle);
    const double direction[3] = {sin(td_camera_yaw) * cos(td_camera_pitch), -sin(td_camera_pitch),
                                 cos(td_camera_yaw) * cos(td_camera_pitch)};
    for (int k = 0; k < 3; ++k) {
        eye[k] = 0.5 * extent.lower[k] + 0.5 * extent.upper[k] - origin[k] + distance * direction[k];
    }
    const double sy = sin(0.5 * td_camera_yaw), cy = cos(0.5 * td_camera_yaw);
    const double sx = sin(0.5 * td_camera_pitch), cx = cos(0.5 * td_camera_pitch);
    const double rotation[4] = {cy * sx, sy * cx, -sy * sx, cy * cx}; // about y after about x

    cJSON *camera = td_gltf_entry(gltf, TD_GLTF_CAMERAS);
    td_gltf_text(gltf, camera, "type", "perspective");
    cJSON *perspective = td_gltf_object(gltf, camera, "perspective");
    td_gltf_number(gltf, perspective, "yfov", td_camera_angle);
    td_gltf_number(gltf, perspective, "znear", 0.01 * distance);
    td_gltf_number(gltf, perspective, "zfar", 100 * distance);
    cJSON *node = td_gltf_entry(gltf, TD_GLTF_NODES);
    td_gltf_text(gltf, node, "name", name);
    td_gltf_number(gltf, node, "camera", gltf->counts[TD_GLTF_CAMERAS] - 1);
    td_gltf_numbers(gltf, node, "translation", eye, 3);
    td_gltf_numbers(gltf, node, "rotation", rotation, 4);
    return gltf->counts[TD_GLTF_NODES] - 1;
}
