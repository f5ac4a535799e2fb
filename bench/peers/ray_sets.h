// The rays of benchmarks: those of a camera, which are coherent, and those that leave the surface it sees in
// random directions, which are not. All their numbers are float32, so that libraries which know nothing else
// are asked the same.
#ifndef TD_PEERS_RAY_SETS_H
#define TD_PEERS_RAY_SETS_H

#include <tandem/ray.h>

// side x side rays by rows, from a fixed direction at the box around the mesh.
void td_camera_rays(td_ray *out, uint32_t side, const td_mesh *mesh);

// One ray for each of the `count` rays that hit, from a little in front of where it did: at an angle to the
// normal whose cosine is its probability. Returns how many.
size_t td_diffuse_rays(td_ray *out, const td_ray *rays, const td_ray_hit *hits, size_t count,
                       const td_mesh *mesh);

// Puts rays into a random order, the same every time, so that none has to do with the one before.
void td_shuffle_rays(td_ray *rays, size_t count);

#endif
