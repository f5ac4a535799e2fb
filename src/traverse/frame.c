#include "frame.h"

#include <float.h>

// Meshes whose sizes differ by more than this are not filtered: float32 products could underflow.
enum { TD_MAX_RATIO_EXPONENT = 30 };

// A margin of so many times both meshes leaves nothing out; larger ones could overflow float32.
enum { TD_MOST_MARGIN = 8 };

// Error of coordinates, absolute, in A's unscaled coordinates: of x' = fl(R x + p) against the true R x + p,
// of the local coordinates of both meshes and of the shift. Each is a handful of float64 roundings of numbers
// no larger than the sum below; 2^-49 are 16 of them. Products that underflow are off by up to half
// the smallest denormal however small they are: 2^-1068 is more than 64 of those.
static double td_float64_error(const td_trimesh *mesh_a, const td_trimesh *mesh_b, const td_rigid *rigid) {
    const double p =
        td_larger(fabs(rigid->position.x), td_larger(fabs(rigid->position.y), fabs(rigid->position.z)));
    return 0x1p-49 * (2 * mesh_b->largest + p + mesh_a->largest) + 0x1p-1068;
}

static void td_frame_round(td_frame *frame) {
    const double unit = 1 / frame->ratio; // a power of two, as the ratio is
    for (int k = 0; k < 9; ++k) {
        frame->rotation_f[k] = (float)frame->rotation[k];
        frame->reach[k] = fabsf(frame->rotation_f[k]);
        frame->unit[k] = (float)(frame->rotation[k] * unit);
        frame->unit_reach[k] = fabsf(frame->unit[k]);
    }
    for (int k = 0; k < 3; ++k) {
        frame->shift_f[k] = (float)frame->shift[k];
    }
}

// Whether the boxes around the meshes are apart by more than `margin`, on an axis of either.
static bool td_boxes_apart(const td_frame *frame, const double half_a[3], const double half_b[3],
                           double margin) {
    const double *r = frame->rotation, *shift = frame->shift;
    for (int k = 0; k < 3; ++k) {
        const double *row = r + 3 * k;
        const double reach =
            half_a[k] + fabs(row[0]) * half_b[0] + fabs(row[1]) * half_b[1] + fabs(row[2]) * half_b[2];
        if (fabs(shift[k]) > reach + margin) {
            return true;
        }
    }
    for (int k = 0; k < 3; ++k) { // axes of B, `ratio` long
        const double reach = half_b[k] * frame->ratio * frame->ratio + fabs(r[k]) * half_a[0] +
                             fabs(r[3 + k]) * half_a[1] + fabs(r[6 + k]) * half_a[2];
        const double along = r[k] * shift[0] + r[3 + k] * shift[1] + r[6 + k] * shift[2];
        if (fabs(along) > reach + margin * frame->ratio) {
            return true;
        }
    }
    return false;
}

// `margin` in A's local units, with what a later pose may add: moved by less than the margin, B's origin is
// less than margin + 2 sqrt(3) largest coordinates of B from where it was, so `error`, at that pose, is at
// most 3 times that here (but for 2^-49 of the margin); coordinates of both meshes move by it, here and
// there.
static double td_local_margin(const td_blocked *a, double margin, double error) {
    return margin > 0 ? margin * a->scale[0] * a->scale[1] * (1 + 0x1p-18) + 32 * error : 0;
}

void td_frame_fill(td_frame *out, const td_trimesh *mesh_a, const td_blocked *a, const td_trimesh *mesh_b,
                   const td_blocked *b, const td_rigid *rigid, double margin) {
    out->rigid = *rigid;
    out->identity = out->apart = out->usable = false;
    out->ratio = 0;
    const int exponent = a->exponent - b->exponent;
    if (exponent < -TD_MAX_RATIO_EXPONENT || exponent > TD_MAX_RATIO_EXPONENT) {
        return;
    }
    const double ratio = exponent == 0 ? 1 : ldexp(1.0, exponent); // most often meshes are of about one size
    const double rows[9] = {rigid->row0.x, rigid->row0.y, rigid->row0.z, rigid->row1.x, rigid->row1.y,
                            rigid->row1.z, rigid->row2.x, rigid->row2.y, rigid->row2.z};
    for (int k = 0; k < 9; ++k) {
        out->rotation[k] = rows[k] * ratio;
    }
    const td_vec3 shift = td_to_local(a, td_rigid_apply(*rigid, b->origin));
    out->ratio = ratio;
    out->shift[0] = shift.x;
    out->shift[1] = shift.y;
    out->shift[2] = shift.z;

    // In A's local units: A lies within [-1, 1], B within this radius of its shifted origin.
    const double radius_b = 1.7320509 * ratio;
    const double distance = td_larger(fabs(shift.x), td_larger(fabs(shift.y), fabs(shift.z)));
    const double error =
        td_float64_error(mesh_a, mesh_b, rigid) * a->scale[0] * a->scale[1] + 0x1p-48 * (1 + radius_b);
    if (!(error < 0x1p-12)) {
        return; // coordinates so large that float64 itself leaves little of the mesh
    }
    const double slack = 0x1p-18 * (1 + radius_b + distance) + 8 * error;
    const double near_by = td_local_margin(a, margin, error);
    if (distance > 2 * (1 + radius_b) + near_by || td_boxes_apart(out, a->half, b->half, slack + near_by)) {
        out->apart = true;
        return;
    }
    if (!(near_by < TD_MOST_MARGIN * (1 + radius_b))) {
        return;
    }
    out->usable = true;
    td_frame_round(out);
    out->slack = (float)slack;
    out->margin = (float)(near_by * (1 + 0x1p-20)); // rounded up
    out->grain = (float)(0x1p24 * error);
}

td_frame td_frame_within(const td_trimesh *mesh_a, const td_blocked *a, const td_trimesh *mesh_b,
                         const td_blocked *b, const td_rigid *rigid, double margin) {
    td_frame frame = {0};
    td_frame_fill(&frame, mesh_a, a, mesh_b, b, rigid, margin);
    return frame;
}

td_frame td_frame_make(const td_trimesh *mesh_a, const td_blocked *a, const td_trimesh *mesh_b,
                       const td_blocked *b, const td_rigid *rigid) {
    return td_frame_within(mesh_a, a, mesh_b, b, rigid, 0);
}

td_frame td_frame_self(const td_trimesh *mesh, const td_blocked *blocked) {
    const td_rigid rigid = td_rigid_make(td_vec3_make(0, 0, 0), 0, 0, 0, 1);
    td_frame frame = td_frame_make(mesh, blocked, mesh, blocked, &rigid);
    frame.identity = true;
    return frame;
}
