// Embree: rtcIntersect1 and rtcOccluded1 over a hierarchy of medium quality, as its own tutorials cast single
// rays. Twice: as it is by default, and with RTC_SCENE_FLAG_ROBUST, its watertight way.
#include "rays.h"

#include <embree3/rtcore.h>

#include <cmath>
#include <vector>

namespace {

struct Instance {
    RTCDevice device = nullptr;
    RTCGeometry geometry = nullptr;
    RTCScene scene = nullptr;
    std::vector<RTCRay> rays;
};

void *create(const td_peer_mesh *mesh, bool robust) {
    auto *instance = new Instance;
    instance->device = rtcNewDevice("threads=1");
    instance->geometry = rtcNewGeometry(instance->device, RTC_GEOMETRY_TYPE_TRIANGLE);
    auto *vertices = static_cast<float *>(rtcSetNewGeometryBuffer(instance->geometry, RTC_BUFFER_TYPE_VERTEX,
                                                                  0, RTC_FORMAT_FLOAT3, 3 * sizeof(float),
                                                                  mesh->vertex_count));
    auto *indices = static_cast<uint32_t *>(rtcSetNewGeometryBuffer(instance->geometry, RTC_BUFFER_TYPE_INDEX,
                                                                    0, RTC_FORMAT_UINT3, 3 * sizeof(uint32_t),
                                                                    mesh->triangle_count));
    for (size_t i = 0; i < 3 * size_t{mesh->vertex_count}; ++i) {
        vertices[i] = static_cast<float>(mesh->positions[i]);
    }
    for (size_t i = 0; i < 3 * size_t{mesh->triangle_count}; ++i) {
        indices[i] = mesh->triangles[i];
    }
    rtcCommitGeometry(instance->geometry);
    instance->scene = rtcNewScene(instance->device);
    if (robust) {
        rtcSetSceneFlags(instance->scene, RTC_SCENE_FLAG_ROBUST);
    }
    rtcAttachGeometry(instance->scene, instance->geometry);
    rtcCommitScene(instance->scene);
    return instance;
}

void *create_fast(const td_peer_mesh *mesh) {
    return create(mesh, false);
}

void *create_robust(const td_peer_mesh *mesh) {
    return create(mesh, true);
}

void destroy(void *data) {
    auto *instance = static_cast<Instance *>(data);
    rtcReleaseScene(instance->scene);
    rtcReleaseGeometry(instance->geometry);
    rtcReleaseDevice(instance->device);
    delete instance;
}

void take(void *data, const td_ray *rays, size_t count) {
    auto &instance = *static_cast<Instance *>(data);
    instance.rays.resize(count);
    for (size_t i = 0; i < count; ++i) {
        RTCRay &ray = instance.rays[i];
        ray = RTCRay{};
        ray.org_x = static_cast<float>(rays[i].origin[0]);
        ray.org_y = static_cast<float>(rays[i].origin[1]);
        ray.org_z = static_cast<float>(rays[i].origin[2]);
        ray.dir_x = static_cast<float>(rays[i].direction[0]);
        ray.dir_y = static_cast<float>(rays[i].direction[1]);
        ray.dir_z = static_cast<float>(rays[i].direction[2]);
        ray.tnear = static_cast<float>(rays[i].t_min);
        ray.tfar = static_cast<float>(rays[i].t_max);
        ray.mask = 0xffffffffu;
    }
}

void closest(void *data, td_peer_hit *out) {
    auto &instance = *static_cast<Instance *>(data);
    RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    for (size_t i = 0; i < instance.rays.size(); ++i) {
        RTCRayHit query;
        query.ray = instance.rays[i];
        query.hit.geomID = RTC_INVALID_GEOMETRY_ID;
        rtcIntersect1(instance.scene, &context, &query);
        const bool hit = query.hit.geomID != RTC_INVALID_GEOMETRY_ID;
        out[i] = {hit ? query.hit.primID : TD_NO_TRIANGLE, query.ray.tfar};
    }
}

void any(void *data, bool *out) {
    auto &instance = *static_cast<Instance *>(data);
    RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    for (size_t i = 0; i < instance.rays.size(); ++i) {
        RTCRay ray = instance.rays[i];
        rtcOccluded1(instance.scene, &context, &ray);
        out[i] = ray.tfar < 0; // so it says "occluded": minus infinity
    }
}

const char *version() {
    return RTC_VERSION_STRING;
}

} // namespace

extern "C" const td_ray_peer td_rays_embree = {
    "embree", version, "rtcIntersect1, rtcOccluded1", create_fast, destroy, take, closest, any};
extern "C" const td_ray_peer td_rays_embree_robust = {
    "embree-robust", version, "the same with RTC_SCENE_FLAG_ROBUST", create_robust, destroy, take,
    closest,         any};
