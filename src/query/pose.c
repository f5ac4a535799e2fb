// Poses: what is accepted, and what they mean.
#include "pose.h"

#include "../core/error.h"

#include <math.h>

static const double TD_POSE_TOLERANCE = 1e-6;

td_pose td_pose_identity(void) {
    return (td_pose){{0, 0, 0}, {0, 0, 0, 1}};
}

td_rigid td_pose_rigid(const td_pose *pose) {
    const double *p = pose->position, *q = pose->rotation;
    return td_rigid_make(td_vec3_make(p[0], p[1], p[2]), q[0], q[1], q[2], q[3]);
}

td_result td_check_pose(const td_pose *pose) {
    for (int k = 0; k < 3; ++k) {
        if (!isfinite(pose->position[k])) {
            return td_fail(TD_ERROR_POSE, "position %c of the pose is not finite", "xyz"[k]);
        }
    }
    double norm = 0;
    for (int k = 0; k < 4; ++k) {
        norm += pose->rotation[k] * pose->rotation[k];
    }
    norm = sqrt(norm);
    if (!(fabs(norm - 1) <= TD_POSE_TOLERANCE)) {
        return td_fail(TD_ERROR_POSE, "the quaternion of the pose has norm %.9g, expected 1 within 1e-6",
                       norm);
    }
    return TD_OK;
}

static double td_row_dot(const double *matrix, int i, int j) {
    return matrix[4 * i] * matrix[4 * j] + matrix[4 * i + 1] * matrix[4 * j + 1] +
           matrix[4 * i + 2] * matrix[4 * j + 2];
}

static td_result td_check_rotation(const double matrix[12]) {
    for (int k = 0; k < 12; ++k) {
        if (!isfinite(matrix[k])) {
            return td_fail(TD_ERROR_POSE, "entry %d of the matrix is not finite", k + 1);
        }
    }
    for (int i = 0; i < 3; ++i) {
        const double length = sqrt(td_row_dot(matrix, i, i));
        if (!(fabs(length - 1) <= TD_POSE_TOLERANCE)) {
            return td_fail(
                TD_ERROR_POSE,
                "row %d of the rotation has length %.9g, expected 1 within 1e-6: the matrix scales", i + 1,
                length);
        }
        for (int j = 0; j < i; ++j) {
            if (!(fabs(td_row_dot(matrix, i, j)) <= TD_POSE_TOLERANCE)) {
                return td_fail(TD_ERROR_POSE,
                               "rows %d and %d of the rotation are not perpendicular: the matrix shears",
                               j + 1, i + 1);
            }
        }
    }
    const td_vec3 r0 = td_vec3_make(matrix[0], matrix[1], matrix[2]);
    const td_vec3 r1 = td_vec3_make(matrix[4], matrix[5], matrix[6]);
    const td_vec3 r2 = td_vec3_make(matrix[8], matrix[9], matrix[10]);
    if (td_dot(td_cross(r0, r1), r2) < 0) {
        return td_fail(TD_ERROR_POSE, "the rotation has determinant -1: the matrix mirrors");
    }
    return TD_OK;
}

// Based on: Shepperd, Quaternion from rotation matrix, 1978: the largest component first, so that nothing
// cancels.
td_result td_pose_from_matrix(td_pose *out, const double matrix[12]) {
    TD_TRY(td_check_rotation(matrix));
    const double *m = matrix;
    const double xx = m[0], yy = m[5], zz = m[10];
    const double four[4] = {1 + xx - yy - zz, 1 - xx + yy - zz, 1 - xx - yy + zz, 1 + xx + yy + zz};
    int largest = 3;
    for (int k = 0; k < 3; ++k) {
        if (four[k] > four[largest]) {
            largest = k;
        }
    }
    const double sums[4][4] = {
        {four[0], m[1] + m[4], m[8] + m[2], m[9] - m[6]},
        {m[1] + m[4], four[1], m[6] + m[9], m[2] - m[8]},
        {m[8] + m[2], m[6] + m[9], four[2], m[4] - m[1]},
        {m[9] - m[6], m[2] - m[8], m[4] - m[1], four[3]},
    };
    double norm = 0;
    for (int k = 0; k < 4; ++k) {
        norm += sums[largest][k] * sums[largest][k];
    }
    norm = sqrt(norm);
    for (int k = 0; k < 4; ++k) {
        out->rotation[k] = sums[largest][k] / norm;
    }
    out->position[0] = m[3];
    out->position[1] = m[7];
    out->position[2] = m[11];
    return TD_OK;
}

void td_pose_apply(double out[3], const td_pose *pose, const double point[3]) {
    const td_vec3 v = td_rigid_apply(td_pose_rigid(pose), td_vec3_make(point[0], point[1], point[2]));
    out[0] = v.x;
    out[1] = v.y;
    out[2] = v.z;
}
