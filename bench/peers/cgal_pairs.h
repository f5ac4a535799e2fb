// CGAL's exact answer to "which triangles of A and of B at a pose intersect": an AABB tree over A's
// triangles, asked for each triangle of B, with exact predicates on float64 coordinates. Used by the
// comparison and, as an independent oracle, by the tests.
#ifndef TD_BENCH_CGAL_PAIRS_H
#define TD_BENCH_CGAL_PAIRS_H

#include "peer.h"

#include <CGAL/AABB_traits.h>
#include <CGAL/AABB_tree.h>
#include <CGAL/AABB_triangle_primitive.h>
#include <CGAL/Exact_predicates_inexact_constructions_kernel.h>

#include <iterator>
#include <vector>

namespace td_cgal {

using Kernel = CGAL::Exact_predicates_inexact_constructions_kernel;
using Point = Kernel::Point_3;
using Triangle = Kernel::Triangle_3;
using Primitive = CGAL::AABB_triangle_primitive<Kernel, std::vector<Triangle>::const_iterator>;
using Tree = CGAL::AABB_tree<CGAL::AABB_traits<Kernel, Primitive>>;

class PairFinder {
  public:
    PairFinder(const td_peer_mesh &a, const td_peer_mesh &b) : b_(b) {
        triangles_.reserve(a.triangle_count);
        for (size_t i = 0; i < a.triangle_count; ++i) {
            const auto corner = [&](size_t k) {
                const double *p = a.positions + 3 * size_t{a.triangles[3 * i + k]};
                return Point(p[0], p[1], p[2]);
            };
            triangles_.emplace_back(corner(0), corner(1), corner(2));
        }
        tree_.insert(triangles_.cbegin(), triangles_.cend());
        tree_.build();
    }
    PairFinder(const PairFinder &) = delete;
    PairFinder &operator=(const PairFinder &) = delete;

    // `placed`: B's vertices where they are now. Calls visit(a, b) for each pair, or for the first one found.
    template <class Visit> void find(const std::vector<Point> &placed, bool first_only, Visit visit) {
        for (uint32_t i = 0; i < b_.triangle_count; ++i) {
            const uint32_t *corner = b_.triangles + 3 * size_t{i};
            const Triangle triangle(placed[corner[0]], placed[corner[1]], placed[corner[2]]);
            if (first_only) {
                if (const auto hit = tree_.any_intersected_primitive(triangle)) {
                    visit(index_of(*hit), i);
                    return;
                }
                continue;
            }
            hits_.clear();
            tree_.all_intersected_primitives(triangle, std::back_inserter(hits_));
            for (const auto &hit : hits_) {
                visit(index_of(hit), i);
            }
        }
    }

  private:
    uint32_t index_of(std::vector<Triangle>::const_iterator hit) const {
        return static_cast<uint32_t>(hit - triangles_.cbegin());
    }

    td_peer_mesh b_;
    std::vector<Triangle> triangles_;
    Tree tree_;
    std::vector<std::vector<Triangle>::const_iterator> hits_;
};

} // namespace td_cgal

#endif
