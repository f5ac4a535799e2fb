// Bullet: GIMPACT, its answer to moving concave meshes. The box sets of the two mesh parts are met
// (btGImpactBoxSet::find_collision), then each candidate pair gets GIMPACT's own triangle test, in the order
// of btGImpactCollisionAlgorithm, with margin 0 and without the contact manifold. Single precision.
//
// find_collision has no early way out, so that the first hit costs nearly as much as all of them. The contact
// found by clipping is what GIMPACT takes for an intersection; near an edge it errs to either side.
#include "peer.h"

#include <BulletCollision/CollisionShapes/btTriangleIndexVertexArray.h>
#include <BulletCollision/Gimpact/btGImpactShape.h>
#include <BulletCollision/Gimpact/btTriangleShapeEx.h>

#include <cstdio>
#include <memory>
#include <vector>

namespace {

struct Shape {
    std::vector<btScalar> vertices; // Bullet refers to both arrays
    std::vector<int> indices;
    std::unique_ptr<btTriangleIndexVertexArray> arrays;
    std::unique_ptr<btGImpactMeshShape> mesh;

    explicit Shape(const td_peer_mesh &source)
        : vertices(source.positions, source.positions + 3 * size_t{source.vertex_count}),
          indices(source.triangles, source.triangles + 3 * size_t{source.triangle_count}) {
        arrays = std::make_unique<btTriangleIndexVertexArray>(
            static_cast<int>(source.triangle_count), indices.data(), static_cast<int>(3 * sizeof(int)),
            static_cast<int>(source.vertex_count), vertices.data(), static_cast<int>(3 * sizeof(btScalar)));
        mesh = std::make_unique<btGImpactMeshShape>(arrays.get());
        mesh->setMargin(0);
        mesh->updateBound();
        part()->lockChildShapes();
    }
    ~Shape() { part()->unlockChildShapes(); }
    Shape(const Shape &) = delete;
    Shape &operator=(const Shape &) = delete;

    btGImpactMeshShapePart *part() const { return mesh->getMeshPart(0); }
};

struct Instance {
    Shape a, b;
    btPairSet candidates;
};

void *create(const td_peer_mesh *a, const td_peer_mesh *b) {
    return new Instance{Shape(*a), Shape(*b), {}};
}

bool triangles_collide(const Instance &instance, const btTransform &placed, const GIM_PAIR &pair) {
    btPrimitiveTriangle first, second;
    instance.a.part()->getPrimitiveTriangle(pair.m_index1, first);
    instance.b.part()->getPrimitiveTriangle(pair.m_index2, second);
    second.applyTransform(placed);
    first.buildTriPlane();
    second.buildTriPlane();
    if (!first.overlap_test_conservative(second)) {
        return false;
    }
    GIM_TRIANGLE_CONTACT contact;
    return first.find_triangle_collision_clip_method(second, contact);
}

uint64_t query(void *data, const td_peer_pose *pose, td_peer_mode mode, td_peer_pairs *list) {
    auto &instance = *static_cast<Instance *>(data);
    const double *r = pose->rotation;
    const auto scalar = [](double value) { return static_cast<btScalar>(value); };
    const btTransform placed(
        btMatrix3x3(scalar(r[0]), scalar(r[1]), scalar(r[2]), scalar(r[3]), scalar(r[4]), scalar(r[5]),
                    scalar(r[6]), scalar(r[7]), scalar(r[8])),
        btVector3(scalar(pose->position[0]), scalar(pose->position[1]), scalar(pose->position[2])));
    instance.candidates.resizeNoInitialize(0); // keeps its memory
    btGImpactBoxSet::find_collision(instance.a.part()->getBoxSet(), btTransform::getIdentity(),
                                    instance.b.part()->getBoxSet(), placed, instance.candidates);
    uint64_t count = 0;
    for (int i = 0; i < instance.candidates.size(); ++i) {
        const GIM_PAIR &pair = instance.candidates[i];
        if (!triangles_collide(instance, placed, pair)) {
            continue;
        }
        if (list != nullptr && count < list->capacity) {
            list->pairs[count] = {static_cast<uint32_t>(pair.m_index1), static_cast<uint32_t>(pair.m_index2)};
        }
        ++count;
        if (mode == TD_PEER_FIRST) {
            break;
        }
    }
    if (list != nullptr) {
        list->count = count;
    }
    return count;
}

void destroy(void *data) {
    delete static_cast<Instance *>(data);
}

const char *version() {
    static char text[16];
    std::snprintf(text, sizeof text, "%d.%02d", btGetVersion() / 100, btGetVersion() % 100);
    return text;
}

} // namespace

extern "C" const td_peer td_peer_bullet = {
    "bullet",
    version,
    "GIMPACT box sets and triangle test by clipping, float32, margin 0, no manifold",
    TD_PEER_COLLIDES | TD_PEER_LISTS,
    create,
    query,
    destroy,
    nullptr,
    nullptr};
