#include "continuous_motion.h"

#include <string.h>

bool td_is_translation(const td_rigid_motion *motion) {
    return memcmp(motion->start.rotation, motion->end.rotation, sizeof motion->start.rotation) == 0;
}

static td_quat td_quat_of(const td_pose *pose) {
    const double *r = pose->rotation;
    return td_quat_normalise(td_quat_make(r[0], r[1], r[2], r[3]));
}

static td_vec3 td_position_of(const td_pose *pose) {
    return td_vec3_make(pose->position[0], pose->position[1], pose->position[2]);
}

static double td_quat_dot(td_quat a, td_quat b) {
    return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}

// The centre of a screw: with the turn w from start to end about the unit vector u, and the way d, of which e
// is what is across u, the point c = p + (e + cot(w / 2) u x e) / 2 is on the axis; cot(w / 2) is w / |v| of
// the quaternion. A turn of less than 2^-20 has an axis so far away that the course is as good as linear.
static void td_make_screw(td_body_motion *out) {
    const td_quat relative = td_quat_mul(out->turn[1], td_quat_conjugate(out->turn[0]));
    const td_vec3 axis = td_vec3_make(relative.x, relative.y, relative.z);
    const double sine = td_length(axis);
    if (sine < 0x1p-20) {
        return;
    }
    const td_vec3 u = td_scale(axis, 1.0 / sine);
    const td_vec3 along = td_scale(u, td_dot(u, out->way)), across = td_sub(out->way, along);
    const td_vec3 to_axis = td_scale(td_add(across, td_scale(td_cross(u, across), relative.w / sine)), 0.5);
    out->centre = td_add(out->centre, to_axis);
    out->way = along;
    out->offset = td_mat3_unapply(td_quat_matrix(out->turn[0]), td_scale(to_axis, -1.0));
}

static void td_take_pivot(td_body_motion *out, const td_rigid_motion *motion) {
    const td_vec3 pivot = td_vec3_make(motion->pivot[0], motion->pivot[1], motion->pivot[2]);
    const td_vec3 start = td_mat3_apply(td_quat_matrix(out->turn[0]), pivot);
    const td_vec3 end = td_mat3_apply(td_quat_matrix(out->turn[1]), pivot);
    out->centre = td_add(out->centre, start);
    out->way = td_add(out->way, td_sub(end, start));
    out->offset = td_scale(pivot, -1.0);
}

static double td_largest_of(td_vec3 v) {
    return fmax(fmax(fabs(v.x), fabs(v.y)), fabs(v.z));
}

td_body_motion td_body_motion_of(const td_rigid_motion *motion, const td_trimesh *mesh) {
    td_body_motion out = {.centre = td_position_of(&motion->start),
                          .way = td_sub(td_position_of(&motion->end), td_position_of(&motion->start)),
                          .turn = {td_quat_of(&motion->start), td_quat_of(&motion->end)}};
    if (td_quat_dot(out.turn[0], out.turn[1]) < 0.0) {
        const td_quat q = out.turn[1];
        out.turn[1] = td_quat_make(-q.x, -q.y, -q.z, -q.w);
    }
    if (motion->course == TD_COURSE_SCREW) {
        td_make_screw(&out);
    } else {
        td_take_pivot(&out, motion);
    }
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        out.radius = fmax(out.radius, td_largest_of(td_add(td_trimesh_vertex(mesh, v), out.offset)));
    }
    out.radius *= 1.7321; // from the largest coordinate to the length
    // Turns of pieces err by some 4 * 2^-53 per halving, of which there are fewer than 64: 2^-45, twice that
    // as an angle. Placing a vertex adds a few 2^-53 of what is added up.
    out.rounding = 0x1p-42 * (out.radius + td_largest_of(out.centre) + td_largest_of(out.way) +
                              td_largest_of(out.offset));
    return out;
}

td_motion_piece td_whole_motion(const td_body_motion *motion) {
    return (td_motion_piece){{0.0, 1.0}, {motion->turn[0], motion->turn[1]}};
}

td_motion_piece td_half_of_piece(const td_motion_piece *piece, int half) {
    const td_quat p = piece->turn[0], q = piece->turn[1];
    const td_quat middle = td_quat_normalise(td_quat_make(p.x + q.x, p.y + q.y, p.z + q.z, p.w + q.w));
    const double time = 0.5 * (piece->time[0] + piece->time[1]);
    return half == 0 ? (td_motion_piece){{piece->time[0], time}, {p, middle}}
                     : (td_motion_piece){{time, piece->time[1]}, {middle, q}};
}

double td_piece_deviation(const td_body_motion *motion, const td_motion_piece *piece) {
    const td_quat p = piece->turn[0], q = piece->turn[1];
    const td_quat apart = td_quat_make(q.x - p.x, q.y - p.y, q.z - p.z, q.w - p.w);
    const double angle =
        1.12 * sqrt(td_quat_dot(apart, apart)); // between quaternions: half of that of the turn
    return motion->radius * angle * angle * 0.5;
}

td_placement td_placement_at(const td_body_motion *motion, const td_motion_piece *piece, int end) {
    return (td_placement){td_quat_matrix(piece->turn[end]),
                          td_add(motion->centre, td_scale(motion->way, piece->time[end])), motion->offset};
}
