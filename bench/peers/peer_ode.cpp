// ODE: two trimesh geoms and dCollide, with the OPCODE that ODE carries. OPCODE works in float32; vertices
// are given to it as float32, which is a little faster than letting it convert.
//
// Two rows. "ode" is what a caller of ODE gets: dCollide with the largest number of contacts it takes
// (65535). "ode-opcode" asks for one unimportant contact: OPCODE still finds every pair, the contact stage is
// left after the first; so it is the time of OPCODE's search for all pairs, though the caller cannot see
// them. In first-hit mode both are the same: ODE does not let OPCODE stop early.
//
// ODE has no call that tells the pairs: contacts are merged when they are close. But the contact stage calls
// one exported function per pair of OPCODE. It is wrapped here to count the calls. (An ODE that lacks it
// would show zero pairs in the comparison, not a wrong time.)
#include "peer.h"

#include <ode/ode.h>

#include <dlfcn.h>
#include <memory>
#include <vector>

namespace {

uint64_t pairs_seen;

} // namespace

struct LineContactSet; // ODE's own; only passed on

// Interposed: libode finds this definition in the program before its own.
dReal FindTriangleTriangleCollision(const dVector3 *first, const dVector3 *second, dReal *normal,
                                    LineContactSet &points);

dReal FindTriangleTriangleCollision(const dVector3 *first, const dVector3 *second, dReal *normal,
                                    LineContactSet &points) {
    using Function = dReal(const dVector3 *, const dVector3 *, dReal *, LineContactSet &);
    static auto *const original = reinterpret_cast<Function *>(
        dlsym(RTLD_NEXT, "_Z29FindTriangleTriangleCollisionPA4_KdS1_PdR14LineContactSet"));
    ++pairs_seen;
    return original(first, second, normal, points);
}

namespace {

constexpr int most_contacts = 65535; // dCollide keeps the number in 16 bits

struct Geom {
    std::vector<float> vertices; // ODE refers to both arrays
    std::vector<dTriIndex> indices;
    dTriMeshDataID data = nullptr;
    dGeomID geom = nullptr;

    explicit Geom(const td_peer_mesh &mesh)
        : vertices(mesh.positions, mesh.positions + 3 * size_t{mesh.vertex_count}),
          indices(mesh.triangles, mesh.triangles + 3 * size_t{mesh.triangle_count}),
          data(dGeomTriMeshDataCreate()) {
        dGeomTriMeshDataBuildSingle(data, vertices.data(), 3 * sizeof(float),
                                    static_cast<int>(mesh.vertex_count), indices.data(),
                                    static_cast<int>(indices.size()), 3 * sizeof(dTriIndex));
        geom = dCreateTriMesh(nullptr, data, nullptr, nullptr, nullptr);
    }
    ~Geom() {
        dGeomDestroy(geom);
        dGeomTriMeshDataDestroy(data);
    }
    Geom(const Geom &) = delete;
    Geom &operator=(const Geom &) = delete;
};

struct Instance {
    Geom a, b;
    std::vector<dContactGeom> contacts;
};

// The build reports each overflow of its contact table on standard error, which would be timed, too.
void ignore_message(int, const char *, va_list) {}

void *create(const td_peer_mesh *a, const td_peer_mesh *b) {
    dInitODE2(0);
    dAllocateODEDataForThread(dAllocateMaskAll);
    dSetMessageHandler(ignore_message);
    return new Instance{Geom(*a), Geom(*b), std::vector<dContactGeom>(most_contacts)};
}

void place(const Instance &instance, const td_peer_pose &pose) {
    const double *r = pose.rotation;
    const dMatrix3 rotation = {r[0], r[1], r[2], 0, r[3], r[4], r[5], 0, r[6], r[7], r[8], 0};
    dGeomSetPosition(instance.b.geom, pose.position[0], pose.position[1], pose.position[2]);
    dGeomSetRotation(instance.b.geom, rotation);
}

int collide(Instance &instance, const td_peer_pose &pose, int flags) {
    place(instance, pose);
    return dCollide(instance.a.geom, instance.b.geom, flags, instance.contacts.data(), sizeof(dContactGeom));
}

constexpr int one_unimportant = static_cast<int>(CONTACTS_UNIMPORTANT | 1u);

uint64_t query(void *data, const td_peer_pose *pose, td_peer_mode mode, td_peer_pairs *) {
    auto &instance = *static_cast<Instance *>(data);
    if (mode == TD_PEER_FIRST) {
        return collide(instance, *pose, one_unimportant) > 0;
    }
    pairs_seen = 0;
    collide(instance, *pose, most_contacts);
    return pairs_seen;
}

uint64_t query_opcode(void *data, const td_peer_pose *pose, td_peer_mode, td_peer_pairs *) {
    return collide(*static_cast<Instance *>(data), *pose, one_unimportant) > 0;
}

void destroy(void *data) {
    delete static_cast<Instance *>(data);
    dCloseODE();
}

const char *version() {
    return TD_ODE_VERSION;
}

} // namespace

extern "C" const td_peer td_peer_ode = {
    "ode",
    version,
    "trimesh against trimesh (OPCODE, float32), dCollide with all contacts; pairs of OPCODE",
    TD_PEER_COLLIDES,
    create,
    query,
    destroy,
    nullptr,
    nullptr};

extern "C" const td_peer td_peer_ode_opcode = {
    "ode-opcode",
    version,
    "the same with one unimportant contact: OPCODE's search for all pairs alone",
    TD_PEER_COLLIDES | TD_PEER_HIDES_PAIRS,
    create,
    query_opcode,
    destroy,
    nullptr,
    nullptr};
