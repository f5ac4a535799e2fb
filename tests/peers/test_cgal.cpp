// tandem's pairs against CGAL's, pair for pair. CGAL is independent of us in every part (tree, predicates,
// arithmetic), and exact on the same float64 coordinates: B's vertices placed by td_pose_apply.
//
// Three kinds of pose: near and touching ones as in the benchmarks, and the mesh upon itself at the identity,
// where each triangle meets its own copy in a plane and its neighbours in edges and corners.
#include "cgal_pairs.h"

extern "C" {
#include "poses.h"
}

#include <tandem/tandem.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <tuple>
#include <vector>

namespace {

struct Mesh {
    std::string name;
    td_mesh *mesh = nullptr;
    std::vector<double> positions;
    std::vector<uint32_t> triangles;

    td_peer_mesh arrays() const {
        return {positions.data(), triangles.data(), static_cast<uint32_t>(positions.size() / 3),
                static_cast<uint32_t>(triangles.size() / 3)};
    }
};

int failures = 0;

void require(td_result result, const char *what) {
    if (result != TD_OK) {
        std::fprintf(stderr, "%s: %s\n", what, td_error_message());
        std::exit(1);
    }
}

Mesh adopt(td_mesh *mesh, const std::string &name) {
    Mesh out;
    out.name = name;
    out.mesh = mesh;
    out.positions.resize(3 * size_t{td_mesh_vertex_count(mesh)});
    out.triangles.resize(3 * size_t{td_mesh_triangle_count(mesh)});
    for (uint32_t i = 0; i < td_mesh_vertex_count(mesh); ++i) {
        td_mesh_vertex(&out.positions[3 * size_t{i}], mesh, i);
    }
    for (uint32_t i = 0; i < td_mesh_triangle_count(mesh); ++i) {
        td_mesh_triangle(&out.triangles[3 * size_t{i}], mesh, i);
    }
    return out;
}

bool less(const td_pair &x, const td_pair &y) {
    return std::tie(x.a, x.b) < std::tie(y.a, y.b);
}

bool equal(const td_pair &x, const td_pair &y) {
    return x.a == y.a && x.b == y.b;
}

std::vector<td_pair> pairs_of_cgal(td_cgal::PairFinder &finder, const Mesh &b, const td_pose &pose) {
    std::vector<td_cgal::Point> placed;
    for (size_t i = 0; i < b.positions.size(); i += 3) {
        double p[3];
        td_pose_apply(p, &pose, &b.positions[i]);
        placed.emplace_back(p[0], p[1], p[2]);
    }
    std::vector<td_pair> pairs;
    finder.find(placed, false, [&](uint32_t x, uint32_t y) { pairs.push_back({x, y}); });
    std::sort(pairs.begin(), pairs.end(), less);
    return pairs;
}

void report_difference(const std::vector<td_pair> &from, const std::vector<td_pair> &without,
                       const char *text) {
    std::vector<td_pair> extra;
    std::set_difference(from.begin(), from.end(), without.begin(), without.end(), std::back_inserter(extra),
                        less);
    if (!extra.empty()) {
        std::printf("    %zu pairs %s, the first is (%u, %u)\n", extra.size(), text, extra[0].a, extra[0].b);
    }
}

// The three modes at one pose; returns the number of pairs.
size_t check_pose(td_query *query, td_cgal::PairFinder &finder, const Mesh &a, const Mesh &b,
                  const td_pose &pose) {
    const std::vector<td_pair> expected = pairs_of_cgal(finder, b, pose);
    td_collide_def def = td_default_collide_def();
    td_collide_result result;
    def.mode = TD_MODE_PAIRS;
    require(td_collide(&result, query, a.mesh, b.mesh, &pose, &def), "td_collide");
    const std::vector<td_pair> actual(result.pairs, result.pairs + result.pair_count);
    bool same =
        actual.size() == expected.size() && std::equal(actual.begin(), actual.end(), expected.begin(), equal);
    if (!same) {
        std::printf("  FAILED: tandem has %zu pairs, CGAL %zu\n", actual.size(), expected.size());
        report_difference(expected, actual, "of CGAL are missing");
        report_difference(actual, expected, "are not CGAL's");
    }
    def.mode = TD_MODE_COUNT;
    require(td_collide(&result, query, a.mesh, b.mesh, &pose, &def), "td_collide, count");
    if (result.pair_count != expected.size()) {
        std::printf("  FAILED: tandem counts %llu pairs, CGAL %zu\n",
                    static_cast<unsigned long long>(result.pair_count), expected.size());
        same = false;
    }
    def.mode = TD_MODE_FIRST;
    require(td_collide(&result, query, a.mesh, b.mesh, &pose, &def), "td_collide, first");
    if (result.colliding != !expected.empty()) {
        std::printf("  FAILED: tandem %s a first pair, CGAL has %zu\n",
                    result.colliding ? "finds" : "finds no", expected.size());
        same = false;
    }
    failures += same ? 0 : 1;
    return expected.size();
}

struct Probe {
    td_query *query;
    const td_mesh *a, *b;
};

bool probe_collides(const td_pose *pose, void *user) {
    const auto *probe = static_cast<const Probe *>(user);
    td_collide_def def = td_default_collide_def();
    def.mode = TD_MODE_FIRST;
    td_collide_result result;
    require(td_collide(&result, probe->query, probe->a, probe->b, pose, &def), "td_collide, touching set");
    return result.colliding;
}

std::vector<td_pose> make_poses(td_query *query, const Mesh &a, const Mesh &b, td_pose_set set,
                                uint32_t count) {
    Probe probe = {query, a.mesh, b.mesh};
    td_pose_source source = {};
    source.positions_a = a.positions.data();
    source.vertex_count_a = a.arrays().vertex_count;
    source.positions_b = b.positions.data();
    source.vertex_count_b = b.arrays().vertex_count;
    source.seed = 2;
    source.collides = probe_collides;
    source.collides_user = &probe;
    std::vector<td_pose> poses(count);
    if (!td_make_poses(poses.data(), count, set, &source)) {
        std::printf("  FAILED: no direction leads to a contact\n");
        ++failures;
        poses.clear();
    }
    return poses;
}

// CGAL's triangle test wants triangles of some area.
bool has_degenerate_triangles(td_context *context, const Mesh &mesh) {
    td_mesh_report report;
    require(td_inspect_mesh(&report, context, mesh.mesh), mesh.name.c_str());
    return report.repeated_vertex > 0 || report.zero_area > 0;
}

void check_meshes(td_context *context, const Mesh &a, const Mesh &b, uint32_t near, uint32_t touching) {
    if (has_degenerate_triangles(context, a) || has_degenerate_triangles(context, b)) {
        std::printf("skipped: %s, %s: degenerate triangles, which CGAL does not take\n", a.name.c_str(),
                    b.name.c_str());
        return;
    }
    td_query *query;
    require(td_create_query(&query, context), "td_create_query");
    td_cgal::PairFinder finder(a.arrays(), b.arrays());
    const td_pose_set sets[2] = {TD_POSES_NEAR, TD_POSES_TOUCHING};
    const uint32_t counts[2] = {near, touching};
    for (int i = 0; i < 2; ++i) {
        size_t pairs = 0;
        for (const td_pose &pose : make_poses(query, a, b, sets[i], counts[i])) {
            pairs += check_pose(query, finder, a, b, pose);
        }
        std::printf("%s, %s: %u %s poses, %zu pairs\n", a.name.c_str(), b.name.c_str(), counts[i],
                    td_pose_set_name(sets[i]), pairs);
    }
    if (&a == &b && a.arrays().triangle_count <= 8000) {
        std::printf("%s upon itself: %zu pairs\n", a.name.c_str(),
                    check_pose(query, finder, a, a, td_pose_identity()));
    }
    td_destroy_query(query);
}

void check_shapes(td_context *context) {
    std::vector<Mesh> shapes;
    for (uint32_t i = 0; i < td_shape_count(); ++i) {
        td_mesh *mesh;
        require(td_create_shape(&mesh, context, td_shape_name(i), 0), td_shape_name(i));
        shapes.push_back(adopt(mesh, std::string("shape ") + td_shape_name(i)));
    }
    for (size_t i = 0; i < shapes.size(); ++i) {
        check_meshes(context, shapes[i], shapes[i], 3, 2);
        if (i > 0) {
            check_meshes(context, shapes[i - 1], shapes[i], 3, 2);
        }
    }
    for (const Mesh &shape : shapes) {
        td_destroy_mesh(shape.mesh);
    }
}

void check_files(td_context *context) {
    std::vector<Mesh> meshes;
    for (const char *name : {"cow", "spot", "bunny-7k", "armadillo-52k"}) {
        const std::string path = std::string(TD_TEST_DATA "/meshes/") + name + ".obj";
        if (std::FILE *file = std::fopen(path.c_str(), "r")) {
            std::fclose(file);
            const td_load_def def = td_default_load_def();
            td_mesh *mesh;
            require(td_load_mesh(&mesh, context, path.c_str(), &def), name);
            meshes.push_back(adopt(mesh, name));
        } else {
            std::printf("skipped: %s: no such file\n", path.c_str());
        }
    }
    for (size_t i = 0; i < meshes.size(); ++i) {
        check_meshes(context, meshes[i], meshes[i], 8, 6);
        check_meshes(context, meshes[i], meshes[(i + 1) % meshes.size()], 4, 3);
    }
    for (const Mesh &mesh : meshes) {
        td_destroy_mesh(mesh.mesh);
    }
}

} // namespace

int main() {
    const td_context_def def = td_default_context_def();
    td_context *context;
    require(td_create_context(&context, &def), "td_create_context");
    check_shapes(context);
    check_files(context);
    td_destroy_context(context);
    if (failures > 0) {
        std::printf("%d poses differ from CGAL\n", failures);
        return 1;
    }
    std::printf("all poses agree with CGAL\n");
    return 0;
}
