// ODE: trimesh geoms in a hash space, contact joints, dWorldQuickStep (20 iterations) with the world's own
// error reduction; the loop of ODE's demos and manual. The ground is ODE's plane. OPCODE works in float32 and
// is given float32 vertices, which is a little faster than letting it convert; the rest is float64.
//
// A pair of bodies may have 64 contact points, as in ODE's own demos of trimeshes. Debian's build writes a
// message for each overflow of the table of contacts, which would be timed: it is silenced.
#include "pile.h"

extern "C" {
#include "core/clock.h"
}
#include "math/quat.h"

#include <ode/ode.h>

#include <vector>

namespace {

constexpr int most_contacts = 64;

void ignore_message(int, const char *, va_list) {}

struct Pile {
    double step;
    double friction;
    std::vector<float> vertices; // ODE refers to both arrays
    std::vector<dTriIndex> indices;
    dTriMeshDataID data;
    dWorldID world;
    dSpaceID space;
    dJointGroupID joints;
    std::vector<dBodyID> bodies;
    td_pile_step last = {};

    explicit Pile(const td_pile_scene &scene);
    ~Pile();
    Pile(const Pile &) = delete;
    Pile &operator=(const Pile &) = delete;

    void add_body(const td_pile_scene &scene, const double *position);
};

Pile::Pile(const td_pile_scene &scene)
    : step(scene.step), friction(scene.friction),
      vertices(scene.mesh.positions, scene.mesh.positions + 3 * size_t{scene.mesh.vertex_count}),
      indices(scene.mesh.triangles, scene.mesh.triangles + 3 * size_t{scene.mesh.triangle_count}),
      data(dGeomTriMeshDataCreate()), world(dWorldCreate()), space(dHashSpaceCreate(nullptr)),
      joints(dJointGroupCreate(0)) {
    dGeomTriMeshDataBuildSingle(data, vertices.data(), 3 * sizeof(float),
                                static_cast<int>(scene.mesh.vertex_count), indices.data(),
                                static_cast<int>(indices.size()), 3 * sizeof(dTriIndex));
    dWorldSetGravity(world, 0, -scene.gravity, 0);
    dCreatePlane(space, 0, 1, 0, 0);
    for (size_t i = 0; i < scene.body_count; ++i) {
        add_body(scene, scene.starts + 3 * i);
    }
}

Pile::~Pile() {
    dJointGroupDestroy(joints);
    dSpaceDestroy(space); // and the geoms in it
    dWorldDestroy(world); // and its bodies
    dGeomTriMeshDataDestroy(data);
}

void Pile::add_body(const td_pile_scene &scene, const double *position) {
    dBodyID body = dBodyCreate(world);
    dMass mass;
    dMassSetParameters(&mass, scene.mass, 0, 0, 0, scene.inertia[0][0], scene.inertia[1][1],
                       scene.inertia[2][2], scene.inertia[0][1], scene.inertia[0][2], scene.inertia[1][2]);
    dBodySetMass(body, &mass);
    dGeomSetBody(dCreateTriMesh(space, data, nullptr, nullptr, nullptr), body);
    dBodySetPosition(body, position[0], position[1], position[2]);
    bodies.push_back(body);
}

void meet(void *user, dGeomID first, dGeomID second) {
    auto &pile = *static_cast<Pile *>(user);
    dContact contacts[most_contacts];
    const int found = dCollide(first, second, most_contacts, &contacts[0].geom, sizeof(dContact));
    for (int i = 0; i < found; ++i) {
        contacts[i].surface.mode = dContactApprox1;
        contacts[i].surface.mu = pile.friction;
        dJointID joint = dJointCreateContact(pile.world, pile.joints, &contacts[i]);
        dJointAttach(joint, dGeomGetBody(first), dGeomGetBody(second));
    }
    pile.last.contacts += static_cast<uint64_t>(found);
    pile.last.touching += found > 0;
}

td_result create(void **out, const td_pile_scene *scene, uint32_t) {
    dInitODE2(0);
    dAllocateODEDataForThread(dAllocateMaskAll);
    dSetMessageHandler(ignore_message);
    dRandSetSeed(0); // quickstep shuffles its rows
    *out = new Pile(*scene);
    return TD_OK;
}

td_result advance(void *user) {
    auto &pile = *static_cast<Pile *>(user);
    pile.last = {};
    const double start = td_clock_ms();
    dSpaceCollide(pile.space, &pile, meet);
    pile.last.collision_ms = td_clock_ms() - start;
    dWorldQuickStep(pile.world, pile.step);
    dJointGroupEmpty(pile.joints);
    return TD_OK;
}

void count(td_pile_step *out, void *user) {
    const auto &pile = *static_cast<const Pile *>(user);
    *out = pile.last;
    for (dBodyID body : pile.bodies) {
        out->awake += dBodyIsEnabled(body) != 0;
    }
}

td_result read(td_pile_body *out, void *user, uint32_t index) {
    dBodyID body = static_cast<const Pile *>(user)->bodies[index];
    const dReal *position = dBodyGetPosition(body);
    const dReal *turned = dBodyGetQuaternion(body); // w first
    const dReal *velocity = dBodyGetLinearVel(body);
    const dReal *spin = dBodyGetAngularVel(body);
    const td_quat q = td_quat_normalise(td_quat_make(turned[1], turned[2], turned[3], turned[0]));
    *out = {{{position[0], position[1], position[2]}, {q.x, q.y, q.z, q.w}},
            {velocity[0], velocity[1], velocity[2]},
            {spin[0], spin[1], spin[2]}};
    return TD_OK;
}

void destroy(void *user) {
    delete static_cast<Pile *>(user);
    dCloseODE();
}

const char *version() {
    return TD_ODE_VERSION;
}

} // namespace

extern "C" const td_pile_library td_pile_ode = {
    "ode", version, "trimesh geoms in a hash space on a plane, 64 contacts per pair, dWorldQuickStep",
    false, create,  advance,
    count, read,    destroy};
