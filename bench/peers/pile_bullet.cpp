// Bullet: GIMPACT, its answer to moving concave meshes, in a btDiscreteDynamicsWorld as its manual sets one
// up: dynamic AABB tree, sequential impulses (10 iterations), one step without interpolation, bodies that
// come to rest are deactivated. The ground is Bullet's static plane, which GIMPACT has a routine of its own
// for. Single precision.
//
// Bullet multiplies the coefficients of the two bodies. Its bodies have principal moments of inertia only, so
// the mesh is turned to its principal axes here, and bodies are turned back when they are read.
#include "pile.h"

extern "C" {
#include "core/clock.h"
}
#include "math/quat.h"

#include <BulletCollision/CollisionShapes/btTriangleIndexVertexArray.h>
#include <BulletCollision/Gimpact/btGImpactCollisionAlgorithm.h>
#include <BulletCollision/Gimpact/btGImpactShape.h>
#include <btBulletDynamicsCommon.h>

#include <cmath>
#include <cstdio>
#include <memory>
#include <vector>

namespace {

btScalar scalar(double value) {
    return static_cast<btScalar>(value);
}

// Tells how long collision detection took: Bullet does it in the middle of a step.
class TimedWorld : public btDiscreteDynamicsWorld {
  public:
    using btDiscreteDynamicsWorld::btDiscreteDynamicsWorld;

    void performDiscreteCollisionDetection() override {
        const double start = td_clock_ms();
        btDiscreteDynamicsWorld::performDiscreteCollisionDetection();
        collision_ms = td_clock_ms() - start;
    }

    double collision_ms = 0;
};

struct Pile {
    double step;
    td_quat axes; // from the principal frame, Bullet's, to that of the mesh
    std::vector<btScalar> vertices;
    std::vector<int> indices;
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher{&configuration};
    btDbvtBroadphase broadphase;
    btSequentialImpulseConstraintSolver solver;
    TimedWorld world{&dispatcher, &broadphase, &solver, &configuration};
    std::unique_ptr<btTriangleIndexVertexArray> arrays;
    std::unique_ptr<btGImpactMeshShape> shape;
    btStaticPlaneShape plane{btVector3(0, 1, 0), 0};
    std::unique_ptr<btRigidBody> ground;
    std::vector<std::unique_ptr<btRigidBody>> bodies;

    explicit Pile(const td_pile_scene &scene);
    ~Pile();
    Pile(const Pile &) = delete;
    Pile &operator=(const Pile &) = delete;

    void make_shape(const td_peer_mesh &mesh);
    std::unique_ptr<btRigidBody> add_body(const td_pile_scene &scene, btCollisionShape *form, double mass,
                                          const btTransform &start);
};

Pile::Pile(const td_pile_scene &scene)
    : step(scene.step), axes(td_quat_make(scene.axes[0], scene.axes[1], scene.axes[2], scene.axes[3])),
      indices(scene.mesh.triangles, scene.mesh.triangles + 3 * size_t{scene.mesh.triangle_count}) {
    btGImpactCollisionAlgorithm::registerAlgorithm(&dispatcher);
    world.setGravity(btVector3(0, scalar(-scene.gravity), 0));
    make_shape(scene.mesh);
    ground = add_body(scene, &plane, 0, btTransform::getIdentity());
    const btQuaternion turned(scalar(axes.x), scalar(axes.y), scalar(axes.z), scalar(axes.w));
    for (size_t i = 0; i < scene.body_count; ++i) {
        const double *p = scene.starts + 3 * i;
        const btTransform start(turned, btVector3(scalar(p[0]), scalar(p[1]), scalar(p[2])));
        bodies.push_back(add_body(scene, shape.get(), scene.mass, start));
    }
}

Pile::~Pile() {
    for (const auto &body : bodies) {
        world.removeRigidBody(body.get());
    }
    world.removeRigidBody(ground.get());
}

void Pile::make_shape(const td_peer_mesh &mesh) {
    const td_mat3 turn = td_quat_matrix(axes);
    for (size_t i = 0; i < 3 * size_t{mesh.vertex_count}; i += 3) {
        const double *p = mesh.positions + i;
        const td_vec3 v = td_mat3_unapply(turn, td_vec3_make(p[0], p[1], p[2]));
        vertices.insert(vertices.end(), {scalar(v.x), scalar(v.y), scalar(v.z)});
    }
    arrays = std::make_unique<btTriangleIndexVertexArray>(
        static_cast<int>(mesh.triangle_count), indices.data(), static_cast<int>(3 * sizeof(int)),
        static_cast<int>(mesh.vertex_count), vertices.data(), static_cast<int>(3 * sizeof(btScalar)));
    shape = std::make_unique<btGImpactMeshShape>(arrays.get());
    shape->updateBound();
}

std::unique_ptr<btRigidBody> Pile::add_body(const td_pile_scene &scene, btCollisionShape *form, double mass,
                                            const btTransform &start) {
    const double *m = scene.moments;
    const btVector3 inertia =
        mass > 0 ? btVector3(scalar(m[0]), scalar(m[1]), scalar(m[2])) : btVector3(0, 0, 0);
    btRigidBody::btRigidBodyConstructionInfo info(scalar(mass), nullptr, form, inertia);
    info.m_startWorldTransform = start;
    info.m_friction = scalar(std::sqrt(scene.friction));
    auto body = std::make_unique<btRigidBody>(info);
    world.addRigidBody(body.get());
    return body;
}

td_result create(void **out, const td_pile_scene *scene, uint32_t) {
    *out = new Pile(*scene);
    return TD_OK;
}

td_result advance(void *data) {
    auto &pile = *static_cast<Pile *>(data);
    pile.world.stepSimulation(scalar(pile.step), 0);
    return TD_OK;
}

void count(td_pile_step *out, void *data) {
    auto &pile = *static_cast<Pile *>(data);
    *out = {};
    for (int i = 0; i < pile.dispatcher.getNumManifolds(); ++i) {
        const int points = pile.dispatcher.getManifoldByIndexInternal(i)->getNumContacts();
        out->contacts += static_cast<uint64_t>(points);
        out->touching += points > 0;
    }
    for (const auto &body : pile.bodies) {
        out->awake += body->isActive();
    }
    out->collision_ms = pile.world.collision_ms;
}

td_result read(td_pile_body *out, void *data, uint32_t index) {
    const auto &pile = *static_cast<const Pile *>(data);
    const btRigidBody &body = *pile.bodies[index];
    const btTransform &placed = body.getCenterOfMassTransform();
    const btQuaternion turned = placed.getRotation();
    const td_quat q = td_quat_normalise(td_quat_mul(
        td_quat_make(turned.x(), turned.y(), turned.z(), turned.w()), td_quat_conjugate(pile.axes)));
    const btVector3 &position = placed.getOrigin();
    const btVector3 &velocity = body.getLinearVelocity();
    const btVector3 &spin = body.getAngularVelocity();
    *out = {{{position.x(), position.y(), position.z()}, {q.x, q.y, q.z, q.w}},
            {velocity.x(), velocity.y(), velocity.z()},
            {spin.x(), spin.y(), spin.z()}};
    return TD_OK;
}

void destroy(void *data) {
    delete static_cast<Pile *>(data);
}

const char *version() {
    static char text[16];
    std::snprintf(text, sizeof text, "%d.%02d", btGetVersion() / 100, btGetVersion() % 100);
    return text;
}

} // namespace

extern "C" const td_pile_library td_pile_bullet = {
    "bullet", version, "btDiscreteDynamicsWorld of btGImpactMeshShape on a btStaticPlaneShape, float32",
    false,    create,  advance,
    count,    read,    destroy};
