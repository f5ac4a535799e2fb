#include "record_contact.h"

#include "record_half.h"

#include <math.h>

enum { TD_PLACE_BITS = 10, TD_PLACE_MOST = 1023 };

// ---------------------------------------------------------------------------------------------------------
// Where

// The box that places are steps of.
typedef struct td_place_box {
    double lower[3], side[3];
} td_place_box;

static td_place_box td_widen(const td_cast_box *box) {
    const double margin = 0.125 * sqrt(td_box_square(box));
    td_place_box out;
    for (int k = 0; k < 3; ++k) {
        out.lower[k] = box->lower[k] - margin;
        out.side[k] = box->upper[k] - box->lower[k] + 2 * margin;
    }
    return out;
}

static uint32_t td_smaller_body(const td_cast *cast, uint32_t a, uint32_t b) {
    return td_box_square(td_box_of(cast, b)) < td_box_square(td_box_of(cast, a)) ? b : a;
}

// What the place of a contact at a body is told by: the box in its frame, and where that frame is. Vertices
// of soft bodies are in the world.
static td_cast_box td_frame_of(td_pose *pose, const td_cast *cast, uint32_t body, const td_pose *poses) {
    if (cast->bodies[body].kind == TD_BODY_SOFT) {
        *pose = td_pose_identity();
        return cast->soft_boxes[cast->bodies[body].soft];
    }
    *pose = poses[body];
    return *td_box_of(cast, body);
}

static void td_unapply_pose(double out[3], const td_pose *pose, const double point[3]) {
    td_pose back = td_pose_identity(); // the rotation alone, the other way round
    double from_position[3];
    for (int k = 0; k < 3; ++k) {
        back.rotation[k] = -pose->rotation[k];
        from_position[k] = point[k] - pose->position[k];
    }
    back.rotation[3] = pose->rotation[3];
    td_pose_apply(out, &back, from_position);
}

static uint32_t td_place_to_grid(const double point[3], const td_cast_box *mesh_box) {
    const td_place_box box = td_widen(mesh_box);
    uint32_t where = 0;
    for (int k = 0; k < 3; ++k) {
        const double steps = (point[k] - box.lower[k]) / box.side[k] * TD_PLACE_MOST;
        const double inside = fmin(fmax(steps, 0), TD_PLACE_MOST); // 0 where there is no number
        where |= (uint32_t)rint(inside) << TD_PLACE_BITS * k;
    }
    return where;
}

static void td_place_from_grid(double out[3], uint32_t where, const td_cast_box *mesh_box) {
    const td_place_box box = td_widen(mesh_box);
    for (int k = 0; k < 3; ++k) {
        const uint32_t steps = where >> TD_PLACE_BITS * k & TD_PLACE_MOST;
        out[k] = box.lower[k] + steps * (box.side[k] / TD_PLACE_MOST);
    }
}

// ---------------------------------------------------------------------------------------------------------
// The normal

static double td_sign(double number) {
    return number < 0 ? -1 : 1;
}

// The octahedron |x| + |y| + |z| = 1, seen from above; its lower half is folded outwards.
static void td_normal_to_grid(uint8_t out[2], const double normal[3]) {
    const double sum = fabs(normal[0]) + fabs(normal[1]) + fabs(normal[2]);
    double uv[2] = {0, 0}; // of no normal
    if (sum > 0 && isfinite(sum)) {
        const double x = normal[0] / sum, y = normal[1] / sum;
        uv[0] = normal[2] >= 0 ? x : (1 - fabs(y)) * td_sign(x);
        uv[1] = normal[2] >= 0 ? y : (1 - fabs(x)) * td_sign(y);
    }
    for (int k = 0; k < 2; ++k) {
        const double steps = rint((uv[k] + 1) * (TD_NORMAL_MOST / 2));
        out[k] = (uint8_t)fmin(fmax(steps, 0), TD_NORMAL_MOST);
    }
}

static void td_normal_from_grid(double out[3], const uint8_t normal[2]) {
    const double u = normal[0] * (2.0 / TD_NORMAL_MOST) - 1, v = normal[1] * (2.0 / TD_NORMAL_MOST) - 1;
    const double z = 1 - fabs(u) - fabs(v);
    const double x = z >= 0 ? u : (1 - fabs(v)) * td_sign(u);
    const double y = z >= 0 ? v : (1 - fabs(u)) * td_sign(v);
    const double length = sqrt(x * x + y * y + z * z);
    out[0] = x / length;
    out[1] = y / length;
    out[2] = z / length;
}

// ---------------------------------------------------------------------------------------------------------
// One contact

td_grid_contact td_contact_to_grid(const td_recorded_contact *contact, const td_cast *cast,
                                   const td_pose *poses) {
    const bool swapped = contact->a > contact->b;
    td_grid_contact out = {.a = swapped ? contact->b : contact->a,
                           .b = swapped ? contact->a : contact->b,
                           .impulse = td_to_upper_half(contact->impulse)};
    double normal[3], point[3];
    for (int k = 0; k < 3; ++k) {
        normal[k] = swapped ? -contact->normal[k] : contact->normal[k];
    }
    td_normal_to_grid(out.normal, normal);
    const uint32_t smaller = td_smaller_body(cast, out.a, out.b);
    td_pose pose;
    const td_cast_box box = td_frame_of(&pose, cast, smaller, poses);
    td_unapply_pose(point, &pose, contact->point);
    out.where = td_place_to_grid(point, &box);
    return out;
}

td_recorded_contact td_contact_from_grid(const td_grid_contact *contact, const td_cast *cast,
                                         const td_pose *poses) {
    td_recorded_contact out = {
        .a = contact->a, .b = contact->b, .impulse = td_from_upper_half(contact->impulse)};
    td_normal_from_grid(out.normal, contact->normal);
    const uint32_t smaller = td_smaller_body(cast, contact->a, contact->b);
    double point[3];
    td_pose pose;
    const td_cast_box box = td_frame_of(&pose, cast, smaller, poses);
    td_place_from_grid(point, contact->where, &box);
    td_pose_apply(out.point, &pose, point);
    for (int k = 0; k < 3; ++k) { // of a mesh so large that its diagonal has no number
        out.point[k] = isfinite(out.point[k]) ? out.point[k] : pose.position[k];
    }
    return out;
}

int td_compare_contacts(const td_grid_contact *x, const td_grid_contact *y) {
    return x->a != y->a ? (x->a < y->a ? -1 : 1) : x->b != y->b ? (x->b < y->b ? -1 : 1) : 0;
}
