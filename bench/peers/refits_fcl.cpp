// FCL: BVHModel<OBB> and BVHModel<OBBRSS>, refitted bottom up (endReplaceModel). FCL has one thread.
#include "refits.h"

#include <fcl/config.h>
#include <fcl/fcl.h>

#include <chrono>
#include <memory>
#include <vector>

namespace {

template <class Volume> struct Instance {
    fcl::BVHModel<Volume> model;
    std::vector<fcl::Vector3d> vertices;
};

void set_vertices(std::vector<fcl::Vector3d> &vertices, const double *positions) {
    for (size_t i = 0; i < vertices.size(); ++i) {
        vertices[i] = {positions[3 * i], positions[3 * i + 1], positions[3 * i + 2]};
    }
}

template <class Volume> void *create(const td_peer_mesh *mesh, uint32_t) {
    auto instance = std::make_unique<Instance<Volume>>();
    instance->vertices.resize(mesh->vertex_count);
    set_vertices(instance->vertices, mesh->positions);
    std::vector<fcl::Triangle> triangles;
    triangles.reserve(mesh->triangle_count);
    for (size_t i = 0; i < mesh->triangle_count; ++i) {
        triangles.emplace_back(mesh->triangles[3 * i], mesh->triangles[3 * i + 1],
                               mesh->triangles[3 * i + 2]);
    }
    instance->model.beginModel(static_cast<int>(mesh->triangle_count), static_cast<int>(mesh->vertex_count));
    instance->model.addSubModel(instance->vertices, triangles);
    return instance->model.endModel() == fcl::BVH_OK ? instance.release() : nullptr;
}

template <class Volume> double refit(void *data, const double *positions) {
    auto &instance = *static_cast<Instance<Volume> *>(data);
    set_vertices(instance.vertices, positions);
    instance.model.beginReplaceModel();
    instance.model.replaceSubModel(instance.vertices);
    const auto start = std::chrono::steady_clock::now();
    instance.model.endReplaceModel(true, true);
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

template <class Volume> void destroy(void *data) {
    delete static_cast<Instance<Volume> *>(data);
}

const char *version() {
    return FCL_VERSION;
}

} // namespace

extern "C" const td_refit_peer td_refits_fcl_obb = {
    "fcl", "obb", version, false, create<fcl::OBBd>, destroy<fcl::OBBd>, refit<fcl::OBBd>};
extern "C" const td_refit_peer td_refits_fcl_obbrss = {
    "fcl", "obbrss", version, false, create<fcl::OBBRSSd>, destroy<fcl::OBBRSSd>, refit<fcl::OBBRSSd>};
