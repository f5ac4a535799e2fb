// Rays against a mesh: the closest hit, or whether there is one.
//
// What is promised:
//   - Whether the line of a ray meets a triangle is decided exactly for the float64 numbers given. Triangles
//   are
//     closed sets: a ray through an edge or a corner meets every triangle that has it, so none slips through
//     a closed mesh. Triangles without area and rays in the plane of a triangle are no exception.
//   - t is float64. It lies between the t of the triangle's nearest and farthest corner along the ray's
//   largest
//     axis, whatever the angle, and errs by no more than 2^-48 (T + S C): T is the largest |t| of these
//     corners, S their spread, and C, about the square of the triangle's distance over the area that the ray
//     sees of it, the condition of the question (in full: the sum of the permanents of the three determinants
//     of src/predicates/ray_tri.h over the sum of these). Unless t itself over- or underflows. The sign of t
//     is exact: 0 only if the origin lies on the triangle, negative only if the triangle lies behind it.
//   - t_min <= t <= t_max is decided on that t. So with t_min = 0 and t_max = INFINITY everything is exact.
//   - The closest hit is the one with the least t; of several with the same, that of the lowest triangle
//   number.
//   - Answers are the same for every instruction set, number of threads and device.
#ifndef TANDEM_RAY_H
#define TANDEM_RAY_H

#include "query.h"

#ifdef __cplusplus
extern "C" {
#endif

// The points origin + t direction with t_min <= t <= t_max. The direction need not be of length 1. Where
// t_min > t_max there are none, and nothing is hit.
typedef struct td_ray {
    double origin[3];
    double direction[3];
    double t_min, t_max; // may be infinite
} td_ray;

#define TD_NO_TRIANGLE 0xffffffffu

typedef struct td_ray_hit {
    uint32_t triangle; // TD_NO_TRIANGLE if nothing is hit, and in TD_RAY_ANY
    bool hit;
    int8_t side; // +1: the triangle is seen counterclockwise, -1: from behind, 0: the ray lies in its plane
    double t;    // a ray in a triangle's plane hits at its first point that is in range
    double u, v; // the point is (1 - u - v) p0 + u p1 + v p2
} td_ray_hit;

typedef enum td_ray_mode {
    TD_RAY_CLOSEST, //
    TD_RAY_ANY      // only whether: of the answer, `hit` alone is set
} td_ray_mode;

typedef struct td_ray_def {
    uint32_t cookie;
    td_ray_mode mode;
    bool one_thread; // work on the calling thread only, e.g. because it runs as one of many tasks
    bool brute;      // without the hierarchy, triangle by triangle: slow, to compare with
    // Where to cast them; null: native. A device must have float64 (else TD_ERROR_UNSUPPORTED), and needs a
    // query of its context, and of the mesh's, whose memory on the device it uses and which keeps the mesh
    // there. Rays through edges and corners, and in planes, are answered by the host. Hits are the same, to
    // the bit. One thread at a time may use a device and a query.
    td_device *device;
    td_query *query;
} td_ray_def;

TD_API td_ray_def td_default_ray_def(void);

// out[i] answers rays[i], for the mesh placed at `pose` (null: as it is). With a pose the ray is taken back
// into the mesh's own coordinates, once, by a fixed sequence of float64 operations; the promises are about
// that ray. Rays are shared out over the threads of the mesh's context, and any number of threads may ask
// about one mesh at the same time. Rays that start near each other and go much the same way are best given
// one after the other, as they are then cast together; any others are cast one by one, as if by calls
// with one ray. Nothing is allocated, but for a mesh at which many rays are cast one by one: then, once for
// its positions, nodes that suit such rays (at most 448 bytes for each block of its hierarchy, mostly much
// less). Where memory is short such rays go without, and are answered all the same.
//
// TD_ERROR_ARGUMENT if a number of a ray is NaN, its origin or direction is not finite or its direction is
// zero: the message names the first such ray. `out` is worthless then.
TD_API td_result td_cast_rays(td_ray_hit *out, const td_mesh *mesh, const td_pose *pose, const td_ray *rays,
                              size_t count, const td_ray_def *def);

#ifdef __cplusplus
}
#endif
#endif
