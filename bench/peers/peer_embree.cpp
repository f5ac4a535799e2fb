// Embree: rtcCollide, which meets the hierarchies of two scenes of user geometries and hands out the pairs
// whose boxes overlap; the triangle test (triangle_test.h, float64) is the caller's. Embree's scenes do not
// move: B's vertices are transformed and its hierarchy is refitted for every pose, within the measured time,
// as a user of rtcCollide has to. No early way out: the first hit costs as much as all of them.
//
// Also the times of Embree's builders over a triangle mesh, at medium and low quality.
#include "place.h"
#include "triangle_test.h"

#include <embree3/rtcore.h>
#include <tbb/global_control.h>

#include <chrono>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace {

struct Side {
    std::vector<td_vec3> rest, placed;
    const uint32_t *triangles;
    RTCGeometry geometry = nullptr;
    RTCScene scene = nullptr;
};

struct Instance {
    RTCDevice device = nullptr;
    Side a, b;
    uint64_t count = 0;
    td_peer_pairs *list = nullptr;
};

// Outwards to float32.
float below(double value) {
    const float rounded = static_cast<float>(value);
    return rounded > value ? std::nextafterf(rounded, -std::numeric_limits<float>::infinity()) : rounded;
}

float above(double value) {
    const float rounded = static_cast<float>(value);
    return rounded < value ? std::nextafterf(rounded, std::numeric_limits<float>::infinity()) : rounded;
}

void corners_of(td_vec3 out[3], const Side &side, uint32_t triangle) {
    const uint32_t *corner = side.triangles + 3 * size_t{triangle};
    for (int i = 0; i < 3; ++i) {
        out[i] = side.placed[corner[i]];
    }
}

void triangle_bounds(const RTCBoundsFunctionArguments *arguments) {
    td_vec3 p[3];
    corners_of(p, *static_cast<const Side *>(arguments->geometryUserPtr), arguments->primID);
    RTCBounds &bounds = *arguments->bounds_o;
    bounds.lower_x = below(td_least(p[0].x, p[1].x, p[2].x));
    bounds.lower_y = below(td_least(p[0].y, p[1].y, p[2].y));
    bounds.lower_z = below(td_least(p[0].z, p[1].z, p[2].z));
    bounds.upper_x = above(td_greatest(p[0].x, p[1].x, p[2].x));
    bounds.upper_y = above(td_greatest(p[0].y, p[1].y, p[2].y));
    bounds.upper_z = above(td_greatest(p[0].z, p[1].z, p[2].z));
}

void make_side(Side &side, RTCDevice device, const td_peer_mesh &mesh, bool moves) {
    side.triangles = mesh.triangles;
    for (size_t i = 0; i < mesh.vertex_count; ++i) {
        const double *p = mesh.positions + 3 * i;
        side.rest.push_back(td_vec3_make(p[0], p[1], p[2]));
    }
    side.placed = side.rest;
    side.geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_USER);
    rtcSetGeometryUserPrimitiveCount(side.geometry, mesh.triangle_count);
    rtcSetGeometryUserData(side.geometry, &side);
    rtcSetGeometryBoundsFunction(
        side.geometry, [](const RTCBoundsFunctionArguments *arguments) { triangle_bounds(arguments); },
        nullptr);
    if (moves) {
        rtcSetGeometryBuildQuality(side.geometry, RTC_BUILD_QUALITY_REFIT);
    }
    rtcCommitGeometry(side.geometry);
    side.scene = rtcNewScene(device);
    if (moves) { // Only all three together make Embree refit; otherwise it rebuilds, 5 times slower.
        rtcSetSceneFlags(side.scene, RTC_SCENE_FLAG_DYNAMIC);
        rtcSetSceneBuildQuality(side.scene, RTC_BUILD_QUALITY_LOW);
    }
    rtcAttachGeometry(side.scene, side.geometry);
    rtcCommitScene(side.scene);
}

void release_side(const Side &side) {
    rtcReleaseScene(side.scene);
    rtcReleaseGeometry(side.geometry);
}

void *create(const td_peer_mesh *a, const td_peer_mesh *b) {
    const tbb::global_control one_thread(tbb::global_control::max_allowed_parallelism, 1);
    auto instance = std::make_unique<Instance>();
    instance->device = rtcNewDevice("threads=1");
    make_side(instance->a, instance->device, *a, false);
    make_side(instance->b, instance->device, *b, true);
    const RTCError error = rtcGetDeviceError(instance->device);
    return error == RTC_ERROR_NONE ? instance.release() : nullptr;
}

void test_candidates(void *data, RTCCollision *candidates, unsigned int candidate_count) {
    auto &instance = *static_cast<Instance *>(data);
    for (unsigned int i = 0; i < candidate_count; ++i) {
        td_vec3 a[3], b[3];
        corners_of(a, instance.a, candidates[i].primID0);
        corners_of(b, instance.b, candidates[i].primID1);
        if (!td_triangles_overlap(a, b)) {
            continue;
        }
        if (instance.list != nullptr && instance.count < instance.list->capacity) {
            instance.list->pairs[instance.count] = {candidates[i].primID0, candidates[i].primID1};
        }
        ++instance.count;
    }
}

uint64_t query(void *data, const td_peer_pose *pose, td_peer_mode mode, td_peer_pairs *list) {
    const tbb::global_control one_thread(tbb::global_control::max_allowed_parallelism, 1);
    auto &instance = *static_cast<Instance *>(data);
    const td_rigid motion = td_peer_rigid(pose);
    for (size_t i = 0; i < instance.b.rest.size(); ++i) {
        instance.b.placed[i] = td_rigid_apply(motion, instance.b.rest[i]);
    }
    rtcCommitGeometry(instance.b.geometry);
    rtcCommitScene(instance.b.scene);
    instance.count = 0;
    instance.list = list;
    rtcCollide(instance.a.scene, instance.b.scene, test_candidates, &instance);
    if (list != nullptr) {
        list->count = instance.count;
    }
    return mode == TD_PEER_FIRST ? instance.count > 0 : instance.count;
}

void destroy(void *data) {
    auto *instance = static_cast<Instance *>(data);
    release_side(instance->a);
    release_side(instance->b);
    rtcReleaseDevice(instance->device);
    delete instance;
}

struct Quality {
    const char *name;
    RTCBuildQuality value;
};

const Quality qualities[] = {{"medium", RTC_BUILD_QUALITY_MEDIUM}, {"low", RTC_BUILD_QUALITY_LOW}};

bool build(double *ms, const char **quality_name, const td_peer_mesh *mesh, uint32_t quality,
           uint32_t thread_count) {
    if (quality >= sizeof qualities / sizeof qualities[0]) {
        return false;
    }
    *quality_name = qualities[quality].name;
    const tbb::global_control threads(tbb::global_control::max_allowed_parallelism, thread_count);
    auto *device = rtcNewDevice(("threads=" + std::to_string(thread_count)).c_str());
    auto *geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_TRIANGLE);
    auto *vertices = static_cast<float *>(rtcSetNewGeometryBuffer(
        geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3, 3 * sizeof(float), mesh->vertex_count));
    auto *indices = static_cast<uint32_t *>(rtcSetNewGeometryBuffer(
        geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, 3 * sizeof(uint32_t), mesh->triangle_count));
    for (size_t i = 0; i < 3 * size_t{mesh->vertex_count}; ++i) {
        vertices[i] = static_cast<float>(mesh->positions[i]);
    }
    for (size_t i = 0; i < 3 * size_t{mesh->triangle_count}; ++i) {
        indices[i] = mesh->triangles[i];
    }
    rtcSetGeometryBuildQuality(geometry, qualities[quality].value);
    rtcCommitGeometry(geometry);
    auto *scene = rtcNewScene(device);
    rtcSetSceneBuildQuality(scene, qualities[quality].value);
    rtcAttachGeometry(scene, geometry);
    const auto start = std::chrono::steady_clock::now();
    rtcCommitScene(scene);
    *ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    rtcReleaseScene(scene);
    rtcReleaseGeometry(geometry);
    rtcReleaseDevice(device);
    return true;
}

const char *version() {
    return RTC_VERSION_STRING;
}

} // namespace

extern "C" const td_peer td_peer_embree = {
    "embree",
    version,
    "rtcCollide and a float64 triangle test; transform and refit of B per pose included",
    TD_PEER_COLLIDES | TD_PEER_LISTS | TD_PEER_BUILDS,
    create,
    query,
    destroy,
    nullptr,
    build};
