// CGAL: exact predicates. Pairs through an AABB tree of A, asked with every triangle of B (CGAL has no query
// of tree against tree that lists pairs), see cgal_pairs.h. Self-intersections through
// Polygon_mesh_processing::self_intersections, sequential.
#include "cgal_pairs.h"
#include "place.h"

#include <CGAL/Polygon_mesh_processing/self_intersections.h>
#include <CGAL/Surface_mesh.h>
#include <CGAL/version.h>

#include <chrono>
#include <utility>

namespace {

using td_cgal::PairFinder;
using SurfaceMesh = CGAL::Surface_mesh<td_cgal::Point>;

struct Instance {
    td_peer_mesh b;
    PairFinder finder;
    std::vector<td_cgal::Point> placed;
};

void *create(const td_peer_mesh *a, const td_peer_mesh *b) {
    return new Instance{*b, PairFinder(*a, *b), std::vector<td_cgal::Point>(b->vertex_count)};
}

uint64_t query(void *data, const td_peer_pose *pose, td_peer_mode mode, td_peer_pairs *list) {
    auto &instance = *static_cast<Instance *>(data);
    const td_rigid motion = td_peer_rigid(pose);
    for (size_t i = 0; i < instance.b.vertex_count; ++i) {
        const double *p = instance.b.positions + 3 * i;
        const td_vec3 q = td_rigid_apply(motion, td_vec3_make(p[0], p[1], p[2]));
        instance.placed[i] = td_cgal::Point(q.x, q.y, q.z);
    }
    uint64_t count = 0;
    instance.finder.find(instance.placed, mode == TD_PEER_FIRST, [&](uint32_t a, uint32_t b) {
        if (list != nullptr && count < list->capacity) {
            list->pairs[count] = {a, b};
        }
        ++count;
    });
    if (list != nullptr) {
        list->count = count;
    }
    return count;
}

void destroy(void *data) {
    delete static_cast<Instance *>(data);
}

bool fill_surface_mesh(SurfaceMesh &out, const td_peer_mesh &mesh) {
    for (size_t i = 0; i < mesh.vertex_count; ++i) {
        out.add_vertex({mesh.positions[3 * i], mesh.positions[3 * i + 1], mesh.positions[3 * i + 2]});
    }
    for (size_t i = 0; i < mesh.triangle_count; ++i) {
        const uint32_t *corner = mesh.triangles + 3 * i;
        const auto face =
            out.add_face(SurfaceMesh::Vertex_index(corner[0]), SurfaceMesh::Vertex_index(corner[1]),
                         SurfaceMesh::Vertex_index(corner[2]));
        if (face == SurfaceMesh::null_face()) {
            return false; // not an oriented manifold
        }
    }
    return true;
}

// The half-edge mesh is given to CGAL for free; what is timed is the call, which sorts boxes of its own.
bool self(double *ms, td_peer_pairs *list, const td_peer_mesh *source) {
    SurfaceMesh mesh;
    if (!fill_surface_mesh(mesh, *source)) {
        return false;
    }
    std::vector<std::pair<SurfaceMesh::Face_index, SurfaceMesh::Face_index>> pairs;
    const auto start = std::chrono::steady_clock::now();
    CGAL::Polygon_mesh_processing::self_intersections<CGAL::Sequential_tag>(mesh, std::back_inserter(pairs));
    *ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    list->count = pairs.size();
    for (size_t i = 0; i < pairs.size() && i < list->capacity; ++i) {
        list->pairs[i] = {static_cast<uint32_t>(pairs[i].first), static_cast<uint32_t>(pairs[i].second)};
    }
    return true;
}

const char *version() {
    return CGAL_STR(CGAL_VERSION);
}

} // namespace

extern "C" const td_peer td_peer_cgal = {
    "cgal",
    version,
    "AABB tree of A asked with each triangle of B, exact predicates on float64",
    TD_PEER_COLLIDES | TD_PEER_LISTS | TD_PEER_EXACT | TD_PEER_SELF,
    create,
    query,
    destroy,
    self,
    nullptr};
