// Embree: a dynamic scene of one triangle mesh with the build quality "refit"; rtcCommitScene is measured.
#include "refits.h"

#include <embree3/rtcore.h>
#include <tbb/global_control.h>

#include <chrono>
#include <cstring>
#include <memory>
#include <string>

namespace {

struct Instance {
    RTCDevice device;
    RTCGeometry geometry;
    RTCScene scene;
    float *vertices;
    size_t vertex_count;
    uint32_t thread_count;
};

void set_vertices(const Instance &instance, const double *positions) {
    for (size_t i = 0; i < 3 * instance.vertex_count; ++i) {
        instance.vertices[i] = static_cast<float>(positions[i]);
    }
}

void *create(const td_peer_mesh *mesh, uint32_t thread_count) {
    const tbb::global_control threads(tbb::global_control::max_allowed_parallelism, thread_count);
    auto instance = std::make_unique<Instance>();
    instance->thread_count = thread_count;
    instance->vertex_count = mesh->vertex_count;
    instance->device = rtcNewDevice(("threads=" + std::to_string(thread_count)).c_str());
    instance->geometry = rtcNewGeometry(instance->device, RTC_GEOMETRY_TYPE_TRIANGLE);
    instance->vertices = static_cast<float *>(
        rtcSetNewGeometryBuffer(instance->geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3,
                                3 * sizeof(float), mesh->vertex_count));
    void *indices = rtcSetNewGeometryBuffer(instance->geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3,
                                            3 * sizeof(uint32_t), mesh->triangle_count);
    set_vertices(*instance, mesh->positions);
    std::memcpy(indices, mesh->triangles, 3 * sizeof(uint32_t) * size_t{mesh->triangle_count});
    // Only all three together make Embree refit; otherwise it rebuilds.
    rtcSetGeometryBuildQuality(instance->geometry, RTC_BUILD_QUALITY_REFIT);
    rtcCommitGeometry(instance->geometry);
    instance->scene = rtcNewScene(instance->device);
    rtcSetSceneFlags(instance->scene, RTC_SCENE_FLAG_DYNAMIC);
    rtcSetSceneBuildQuality(instance->scene, RTC_BUILD_QUALITY_LOW);
    rtcAttachGeometry(instance->scene, instance->geometry);
    rtcCommitScene(instance->scene);
    return instance.release();
}

double refit(void *data, const double *positions) {
    const auto &instance = *static_cast<const Instance *>(data);
    const tbb::global_control threads(tbb::global_control::max_allowed_parallelism, instance.thread_count);
    set_vertices(instance, positions);
    rtcUpdateGeometryBuffer(instance.geometry, RTC_BUFFER_TYPE_VERTEX, 0);
    rtcCommitGeometry(instance.geometry);
    const auto start = std::chrono::steady_clock::now();
    rtcCommitScene(instance.scene);
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

void destroy(void *data) {
    auto *instance = static_cast<Instance *>(data);
    rtcReleaseScene(instance->scene);
    rtcReleaseGeometry(instance->geometry);
    rtcReleaseDevice(instance->device);
    delete instance;
}

const char *version() {
    return RTC_VERSION_STRING;
}

} // namespace

extern "C" const td_refit_peer td_refits_embree = {"embree", "aabb", version, true, create, destroy, refit};
