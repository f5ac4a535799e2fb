// FCL: a hierarchy of OBBRSS over each mesh (what its documentation recommends for collision), in double.
// Contacts without normals and depths (enable_contact = false): the pairs of triangles and nothing more.
#include "peer.h"

#include <fcl/config.h>
#include <fcl/fcl.h>

#include <limits>
#include <memory>
#include <utility>
#include <vector>

namespace {

using Model = fcl::BVHModel<fcl::OBBRSSd>;

struct Instance {
    std::unique_ptr<Model> a, b;
};

std::unique_ptr<Model> build_model(const td_peer_mesh &mesh) {
    std::vector<fcl::Vector3d> vertices;
    std::vector<fcl::Triangle> triangles;
    vertices.reserve(mesh.vertex_count);
    triangles.reserve(mesh.triangle_count);
    for (size_t i = 0; i < mesh.vertex_count; ++i) {
        vertices.emplace_back(mesh.positions[3 * i], mesh.positions[3 * i + 1], mesh.positions[3 * i + 2]);
    }
    for (size_t i = 0; i < mesh.triangle_count; ++i) {
        triangles.emplace_back(mesh.triangles[3 * i], mesh.triangles[3 * i + 1], mesh.triangles[3 * i + 2]);
    }
    auto model = std::make_unique<Model>();
    model->beginModel(static_cast<int>(mesh.triangle_count), static_cast<int>(mesh.vertex_count));
    model->addSubModel(vertices, triangles);
    if (model->endModel() != fcl::BVH_OK) {
        model.reset();
    }
    return model;
}

void *create(const td_peer_mesh *a, const td_peer_mesh *b) {
    auto model_a = build_model(*a);
    auto model_b = build_model(*b);
    if (!model_a || !model_b) {
        return nullptr;
    }
    return new Instance{std::move(model_a), std::move(model_b)};
}

uint64_t query(void *data, const td_peer_pose *pose, td_peer_mode mode, td_peer_pairs *list) {
    const auto *instance = static_cast<const Instance *>(data);
    fcl::Transform3d placed = fcl::Transform3d::Identity();
    for (int row = 0; row < 3; ++row) {
        for (int column = 0; column < 3; ++column) {
            placed.linear()(row, column) = pose->rotation[3 * row + column];
        }
        placed.translation()(row) = pose->position[row];
    }
    const size_t most = mode == TD_PEER_FIRST ? 1 : std::numeric_limits<size_t>::max();
    const fcl::CollisionRequestd request(most, false);
    fcl::CollisionResultd result;
    fcl::collide<double>(instance->a.get(), fcl::Transform3d::Identity(), instance->b.get(), placed, request,
                         result);
    if (list != nullptr) {
        list->count = result.numContacts();
        for (size_t i = 0; i < list->count && i < list->capacity; ++i) {
            const auto &contact = result.getContact(i);
            list->pairs[i] = {static_cast<uint32_t>(contact.b1), static_cast<uint32_t>(contact.b2)};
        }
    }
    return result.numContacts();
}

void destroy(void *data) {
    delete static_cast<Instance *>(data);
}

const char *version() {
    return FCL_VERSION;
}

} // namespace

extern "C" const td_peer td_peer_fcl = {
    "fcl",
    version,
    "BVHModel<OBBRSS>, double, all contacts without normals; first hit: one contact",
    TD_PEER_COLLIDES | TD_PEER_LISTS,
    create,
    query,
    destroy,
    nullptr,
    nullptr};
