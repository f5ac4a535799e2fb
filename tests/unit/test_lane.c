// The filters in lane form (src/traverse/lane.h), as a device runs them, on the host: certain where they
// decide, the same as the native tiles in one lane each, and as seldom undecided. Both ways of computing the
// offset between quads; with pairs of floats in test_lane_pairs.c.
#include "support/cmocka_all.h"
#include "support/variants.h"

#include "predicates/tri_tri.h"
#include "query/mesh.h"
#include "traverse/lane.h"
#include "traverse/tiles_wide.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

// Two meshes in the eyes of a device.
typedef struct test_lanes {
    td_mesh *a, *b;
    td_frame frame;
    td_lane_frame lane_frame;
} test_lanes;

typedef struct test_tally {
    uint64_t tests, sure, undecided; // of triangles
    uint64_t differ;                 // verdicts that are not those of the tile
} test_tally;

// td_pose_rigid belongs to the query room; this is what it does.
static td_rigid test_rigid(const td_pose *pose) {
    return td_rigid_make(td_vec3_make(pose->position[0], pose->position[1], pose->position[2]),
                         pose->rotation[0], pose->rotation[1], pose->rotation[2], pose->rotation[3]);
}

// False if no filter can be used on them, or none need be.
static bool test_lanes_open(test_lanes *out, td_context *context, const test_mesh *a, const test_mesh *b,
                            const td_pose *pose) {
    *out = (test_lanes){.a = test_mesh_build(context, a), .b = test_mesh_build(context, b)};
    assert_non_null(out->a);
    assert_non_null(out->b);
    const td_rigid rigid = test_rigid(pose);
    out->frame =
        td_frame_make(&out->a->triangles, &out->a->hierarchy, &out->b->triangles, &out->b->hierarchy, &rigid);
    if (out->frame.usable) {
        out->lane_frame = td_lane_frame_make(&out->frame);
    }
    return out->frame.usable;
}

static void test_lanes_close(test_lanes *lanes) {
    td_destroy_mesh(lanes->a);
    td_destroy_mesh(lanes->b);
}

// ---------------------------------------------------------------------------------------------------------
// Triangles

static bool test_intersect(const test_lanes *lanes, uint32_t a, uint32_t b) {
    const td_triangle ta = td_trimesh_triangle(&lanes->a->triangles, a);
    const td_triangle tb =
        td_rigid_apply_triangle(lanes->frame.rigid, td_trimesh_triangle(&lanes->b->triangles, b));
    return td_triangles_intersect(ta, tb);
}

typedef td_u32 test_verdict_fn(const td_quad *a, td_u32 lane_a, const td_quad *b, td_u32 lane_b,
                               const td_lane_frame *frame);

// The verdict of a device that flushes subnormal numbers, operands and results. Where the host cannot do
// that: the same as ever.
static td_u32 test_flushed_verdict(const td_quad *a, td_u32 lane_a, const td_quad *b, td_u32 lane_b,
                                   const td_lane_frame *frame) {
    test_verdict_fn *volatile verdict_fn = td_lane_triangles; // not to be moved out of here
#if defined(__SSE2__)
    const unsigned int mode = _mm_getcsr();
    _mm_setcsr(mode | 0x8040u); // flush to zero, denormals are zero
    const td_u32 verdict = verdict_fn(a, lane_a, b, lane_b, frame);
    _mm_setcsr(mode);
    return verdict;
#else
    return verdict_fn(a, lane_a, b, lane_b, frame);
#endif
}

static void test_verdict(test_tally *tally, const test_lanes *lanes, const td_quad *a, td_u32 lane_a,
                         const td_quad *b, td_u32 lane_b, td_u32 of_tile, const char *what) {
    const td_u32 verdict = td_lane_triangles(a, lane_a, b, lane_b, &lanes->lane_frame);
    if (a->triangle[lane_a] == TD_NONE || b->triangle[lane_b] == TD_NONE) {
        assert_int_equal(verdict, TD_LANE_APART);
        return;
    }
    tally->tests++;
    tally->sure += verdict == TD_LANE_SURE;
    tally->undecided += verdict == TD_LANE_UNDECIDED;
    tally->differ += verdict != of_tile;
    const bool truth = test_intersect(lanes, a->triangle[lane_a], b->triangle[lane_b]);
    const td_u32 wrong = truth ? TD_LANE_APART : TD_LANE_SURE;
    const td_u32 flushed = test_flushed_verdict(a, lane_a, b, lane_b, &lanes->lane_frame);
    if (verdict == wrong || flushed == wrong) {
        fail_msg("%s: triangles %u and %u %s, the lane says %u, without subnormal numbers %u", what,
                 a->triangle[lane_a], b->triangle[lane_b], truth ? "intersect" : "are apart", verdict,
                 flushed);
    }
}

// Every quad against every quad: in lanes, and in the tile of the scalar instruction set, which is given the
// grain of the lanes.
static void test_all_quads(test_tally *tally, const test_lanes *lanes, const char *what) {
    td_tile_visit visit; // some 50 kB
    td_frame frame = lanes->frame;
    frame.grain = lanes->lane_frame.grain;
    td_worker worker = {0};
    const td_traversal traversal = {.a = &lanes->a->hierarchy, .b = &lanes->b->hierarchy, .frame = &frame};
    td_prepare_tiles(&visit, &worker, &traversal);
    for (uint32_t i = 0; i < traversal.a->quad_count; ++i) {
        for (uint32_t j = 0; j < traversal.b->quad_count; ++j) {
            const td_quad *a = &traversal.a->quads[i], *b = &traversal.b->quads[j];
            const td_wide_verdict tile = td_decide_tile(&visit, a, td_turned(&visit, j));
            for (td_u32 lane = 0; lane < TD_TILE; ++lane) {
                const td_u32 maybe = tile.maybe >> lane & 1u, of_tile = maybe + (maybe & tile.sure >> lane);
                test_verdict(tally, lanes, a, lane & 3u, b, lane >> 2, of_tile, what);
            }
        }
    }
}

// ---------------------------------------------------------------------------------------------------------
// Boxes

static bool test_meet_quads(const test_lanes *lanes, const td_quad *a, const td_quad *b) {
    for (int lane = 0; lane < TD_TILE; ++lane) {
        const uint32_t ta = a->triangle[lane & 3], tb = b->triangle[lane >> 2];
        if (ta != TD_NONE && tb != TD_NONE && test_intersect(lanes, ta, tb)) {
            return true;
        }
    }
    return false;
}

// Whether any triangles below the two nodes intersect, exactly. Small hierarchies only.
static bool test_meet_below(const test_lanes *lanes, const td_block *block_a, uint32_t i,
                            const td_block *block_b, uint32_t j) {
    const td_blocked *a = &lanes->a->hierarchy, *b = &lanes->b->hierarchy;
    if (i >= block_a->node_count || j >= block_b->node_count) {
        return false;
    }
    if (block_a->leaf && block_b->leaf) {
        return test_meet_quads(lanes, &a->quads[block_a->child[i]], &b->quads[block_b->child[j]]);
    }
    for (uint32_t k = 0; k < 4; ++k) {
        const bool meet = !block_a->leaf
                              ? test_meet_below(lanes, &a->blocks[block_a->child[i]], k, block_b, j)
                              : test_meet_below(lanes, block_a, i, &b->blocks[block_b->child[j]], k);
        if (meet) {
            return true;
        }
    }
    return false;
}

// Every block against every block.
static void test_all_blocks(const test_lanes *lanes, uint64_t *tests, uint64_t *apart, const char *what) {
    const td_blocked *a = &lanes->a->hierarchy, *b = &lanes->b->hierarchy;
    for (uint32_t i = 0; i < a->block_count; ++i) {
        for (uint32_t j = 0; j < b->block_count; ++j) {
            const td_block *x = &a->blocks[i], *y = &b->blocks[j];
            for (td_u32 lane = 0; lane < TD_TILE; ++lane) {
                const td_u32 meet = td_lane_boxes(x, a->slabs, y, b->slabs, lane, &lanes->lane_frame);
                if ((lane & 3u) >= x->node_count || lane >> 2 >= y->node_count) {
                    assert_int_equal(meet, 0); // imaginary
                    continue;
                }
                ++*tests;
                *apart += !meet;
                if (!meet && test_meet_below(lanes, x, lane & 3u, y, lane >> 2)) {
                    fail_msg("%s: lane %u of blocks %u and %u is told apart, but something below meets", what,
                             lane, i, j);
                }
            }
        }
    }
}

// ---------------------------------------------------------------------------------------------------------
// Cases

typedef enum test_kind {
    TEST_RANDOM,
    TEST_GRID,       // corners on integers: everything touches
    TEST_COPLANAR,   // all in one plane
    TEST_DEGENERATE, // segments and points
    TEST_NEAR,       // all but touching, down to the last place of float64
    TEST_TINY_B,     // B down to 2^-28 of A's size
    TEST_HUGE_B,     // B up to 2^28 of A's size
    TEST_TINY,       // both 1e-290 large
    TEST_HUGE,       // both 1e290 large
    TEST_FLAT_EDGES, // edges that are subnormal in float32 local units
    TEST_KINDS
} test_kind;

static const char *const test_kind_names[TEST_KINDS] = {"random", "grid",   "coplanar", "degenerate", "near",
                                                        "tiny B", "huge B", "tiny",     "huge",       "flat"};

static test_mesh test_side(test_kind kind, test_random *random, uint32_t count) {
    switch (kind) {
    case TEST_GRID:
        return test_grid_soup(random, count);
    case TEST_COPLANAR:
        return test_flat_soup(random, count);
    case TEST_DEGENERATE:
        return test_thin_soup(random, count);
    default:
        return test_soup(random, count);
    }
}

// z of every second triangle shrinks to subnormal sizes: they lie all but in the plane z = 0.
static void test_flatten(test_mesh *mesh, test_random *random) {
    for (uint32_t t = 0; t < mesh->triangle_count; ++t) {
        const double factor = t % 2 == 0 ? 1 : ldexp(1.0, -test_random_int(random, 60, 160));
        for (int c = 0; c < 3; ++c) {
            mesh->positions[3 * mesh->triangles[3 * t + (uint32_t)c] + 2] *= factor;
        }
    }
}

static td_vec3 test_middle(const test_mesh *mesh) {
    const td_triangle t = test_mesh_triangle(mesh, 0);
    return td_scale(td_add(t.p0, td_add(t.p1, t.p2)), 1.0 / 3);
}

// Makes B tiny, on a triangle of A, or huge, with A on a triangle of it.
static void test_put_on_triangle(const test_mesh *a, test_mesh *b, td_pose *pose, bool tiny,
                                 test_random *random) {
    const td_vec3 middle = test_middle(tiny ? a : b);
    const int exponent = test_random_int(random, 3, 28);
    if (tiny) {
        test_mesh_scale(b, ldexp(1.0, -exponent));
        pose->position[0] = middle.x;
        pose->position[1] = middle.y;
        pose->position[2] = middle.z;
    } else {
        test_mesh_shift(b, -middle.x, -middle.y, -middle.z);
        test_mesh_scale(b, ldexp(1.0, exponent));
    }
}

static void test_case(test_mesh *a, test_mesh *b, td_pose *pose, test_kind kind, test_random *random) {
    *a = test_side(kind, random, 24);
    *b = kind == TEST_NEAR ? test_near_soup(random, a, 200) : test_side(kind, random, 40);
    *pose = td_pose_identity();
    if (kind == TEST_GRID || kind == TEST_COPLANAR || kind == TEST_DEGENERATE) {
        *pose = test_exact_turn(kind == TEST_COPLANAR ? 0 : test_random_int(random, 0, TEST_EXACT_TURNS - 1));
        pose->position[0] = test_random_int(random, -1, 1);
    } else if (kind != TEST_FLAT_EDGES) {
        *pose = test_random_pose(random, 0.5);
        if (kind == TEST_NEAR) {
            test_mesh_unplace(b, pose);
        }
    }
    const double scale = kind == TEST_TINY ? 1e-290 : kind == TEST_HUGE ? 1e290 : 1;
    if (kind == TEST_TINY_B || kind == TEST_HUGE_B) {
        test_put_on_triangle(a, b, pose, kind == TEST_TINY_B, random);
    }
    if (kind == TEST_FLAT_EDGES) {
        test_flatten(a, random);
        test_flatten(b, random);
    }
    test_mesh_scale(a, scale);
    test_mesh_scale(b, scale);
    for (int k = 0; k < 3; ++k) {
        pose->position[k] *= scale;
    }
}

static void test_kinds(void **state) {
    td_context *context = *state;
    for (int kind = 0; kind < TEST_KINDS; ++kind) {
        test_tally tally = {0};
        uint64_t boxes = 0, apart = 0;
        for (int round = 0; round < test_rounds(40); ++round) {
            test_random random = {(uint64_t)(1000 * kind + round + 1)};
            test_mesh a, b;
            td_pose pose;
            test_case(&a, &b, &pose, (test_kind)kind, &random);
            test_lanes lanes;
            char what[64];
            snprintf(what, sizeof what, "%s, round %d", test_kind_names[kind], round);
            if (test_lanes_open(&lanes, context, &a, &b, &pose)) {
                test_all_quads(&tally, &lanes, what);
                test_all_blocks(&lanes, &boxes, &apart, what);
            }
            test_lanes_close(&lanes);
            test_mesh_free(&a);
            test_mesh_free(&b);
        }
        print_message("%-10s %7llu triangle tests: %6llu sure, %6llu undecided, %llu other than in a tile; "
                      "%llu box tests, %llu apart\n",
                      test_kind_names[kind], (unsigned long long)tally.tests, (unsigned long long)tally.sure,
                      (unsigned long long)tally.undecided, (unsigned long long)tally.differ,
                      (unsigned long long)boxes, (unsigned long long)apart);
        assert_true(tally.tests > 0 && boxes > 0);
        assert_true(tally.sure > 0 || kind == TEST_COPLANAR);
        // The offsets may differ in the last place where the pose has more than 48 bits.
        assert_true(tally.differ <= tally.tests / 1000);
    }
}

// Poses that the pairs of floats hold exactly: every verdict is that of the tile.
static void test_same_as_tiles(void **state) {
    td_context *context = *state;
    test_tally tally = {0};
    for (int round = 0; round < test_rounds(40); ++round) {
        test_random random = {(uint64_t)(77000 + round)};
        test_mesh a = test_soup(&random, 40), b = test_soup(&random, 40);
        td_pose pose = test_exact_turn(round % TEST_EXACT_TURNS);
        for (int k = 0; k < 3; ++k) {
            pose.position[k] = test_random_int(&random, -16, 16) * 0.0625;
        }
        for (uint32_t i = 0; i < 3 * a.vertex_count; ++i) { // bounds, and so the shift, of few bits
            a.positions[i] = rint(a.positions[i] * 4096) / 4096;
        }
        for (uint32_t i = 0; i < 3 * b.vertex_count; ++i) {
            b.positions[i] = rint(b.positions[i] * 4096) / 4096;
        }
        test_lanes lanes;
        if (test_lanes_open(&lanes, context, &a, &b, &pose)) {
            test_all_quads(&tally, &lanes, "short numbers");
        }
        test_lanes_close(&lanes);
        test_mesh_free(&a);
        test_mesh_free(&b);
    }
    print_message("%llu triangle tests, %llu sure, %llu undecided\n", (unsigned long long)tally.tests,
                  (unsigned long long)tally.sure, (unsigned long long)tally.undecided);
    assert_true(tally.sure > 0);
    assert_int_equal(tally.differ, 0);
}

// The way between two quads, against float64 and what docs/exactness.md grants it.
static void test_offsets(void **state) {
    (void)state;
    test_random random = {5};
    double worst = 0;
    for (int i = 0; i < test_rounds(100000); ++i) {
        td_frame frame = {.ratio = ldexp(1.0, test_random_int(&random, -30, 30)), .usable = true};
        const td_pose pose = test_random_pose(&random, 2 * (1 + 1.74 * frame.ratio));
        const td_rigid r = test_rigid(&pose);
        const double rows[9] = {r.row0.x, r.row0.y, r.row0.z, r.row1.x, r.row1.y,
                                r.row1.z, r.row2.x, r.row2.y, r.row2.z};
        for (int k = 0; k < 9; ++k) {
            frame.rotation[k] = rows[k] * frame.ratio;
        }
        float x[3], y[3];
        for (int k = 0; k < 3; ++k) {
            frame.shift[k] = pose.position[k];
            x[k] = (float)test_random_range(&random, -1, 1);
            y[k] = (float)test_random_range(&random, -1, 1);
        }
        if (i % 2 == 0) { // the centres all but coincide
            for (int k = 0; k < 3; ++k) {
                frame.shift[k] = (double)y[k] - frame.rotation[3 * k] * (double)x[0] -
                                 frame.rotation[3 * k + 1] * (double)x[1] -
                                 frame.rotation[3 * k + 2] * (double)x[2] +
                                 ldexp(test_random_range(&random, -1, 1), -test_random_int(&random, 10, 60));
            }
        }
        const td_lane_frame lanes = td_lane_frame_make(&frame);
        for (int k = 0; k < 3; ++k) {
            long double exact = (long double)frame.shift[k] - (long double)y[k];
            for (int l = 0; l < 3; ++l) {
                exact += (long double)frame.rotation[3 * k + l] * (long double)x[l];
            }
            const double error = fabs((double)((long double)td_lane_offset(&lanes, k, x, y[k]) - exact));
            const double unit = TD_LANE_ERROR * (1 + 1.74 * frame.ratio);
            const double rest = error - 0x1p-24 * fabs((double)exact);
            worst = fmax(worst, rest / unit);
            if (!(rest <= unit)) {
                fail_msg("ratio %g, exact %.17g: off by %g, of which %g are granted", frame.ratio,
                         (double)exact, error, unit);
            }
        }
    }
    print_message("at most %.3f of what is granted\n", worst);
}

// ---------------------------------------------------------------------------------------------------------
// Undecided

typedef struct test_shares {
    uint64_t tests, lanes, tiles; // undecided in lanes, and in tiles with td_frame's own grain
} test_shares;

static void test_share_of_tile(test_shares *shares, const td_quad *a, const td_quad *b, td_wide_verdict tile,
                               const td_lane_frame *frame) {
    for (td_u32 k = 0; k < TD_TILE; ++k) {
        if (a->triangle[k & 3u] == TD_NONE || b->triangle[k >> 2] == TD_NONE) {
            continue;
        }
        shares->tests++;
        shares->lanes += td_lane_triangles(a, k & 3u, b, k >> 2, frame) == TD_LANE_UNDECIDED;
        shares->tiles += (tile.maybe & ~tile.sure) >> k & 1u;
    }
}

// All tiles whose quads may meet.
static void test_share_of_pose(test_shares *shares, const td_mesh *mesh, const td_frame *frame) {
    td_tile_visit visit; // some 50 kB
    const td_blocked *h = &mesh->hierarchy;
    const td_lane_frame lane_frame = td_lane_frame_make(frame);
    td_worker worker = {0};
    const td_traversal traversal = {.a = h, .b = h, .frame = frame};
    td_prepare_tiles(&visit, &worker, &traversal);
    for (uint32_t i = 0; i < h->block_count; ++i) {
        for (uint32_t j = 0; j < h->block_count; ++j) {
            const td_block *x = &h->blocks[i], *y = &h->blocks[j];
            for (td_u32 box = 0; x->leaf && y->leaf && box < TD_TILE; ++box) {
                if (!td_lane_boxes(x, h->slabs, y, h->slabs, box, &lane_frame)) {
                    continue;
                }
                const td_quad *a = &h->quads[x->child[box & 3u]];
                const uint32_t b = y->child[box >> 2];
                const td_wide_verdict tile = td_decide_tile(&visit, a, td_turned(&visit, b));
                test_share_of_tile(shares, a, &h->quads[b], tile, &lane_frame);
            }
        }
    }
}

static void test_undecided_share(void **state) {
    td_context *context = *state;
    static const char *const shapes[] = {"cow", "knot", "torus"};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; ++s) {
        td_mesh *mesh = NULL;
        assert_int_equal(td_create_shape(&mesh, context, shapes[s], 0), TD_OK);
        test_shares shares = {0};
        test_random random = {91};
        for (int p = 0; p < 6; ++p) {
            const td_pose pose = test_random_pose(&random, 0.4);
            const td_rigid rigid = test_rigid(&pose);
            const td_frame frame =
                td_frame_make(&mesh->triangles, &mesh->hierarchy, &mesh->triangles, &mesh->hierarchy, &rigid);
            if (frame.usable) {
                test_share_of_pose(&shares, mesh, &frame);
            }
        }
        print_message("%-6s %8llu triangle tests: %llu undecided in lanes, %llu in tiles\n", shapes[s],
                      (unsigned long long)shares.tests, (unsigned long long)shares.lanes,
                      (unsigned long long)shares.tiles);
        assert_true(shares.tests > 0);
        assert_true((double)shares.lanes < 0.01 * (double)shares.tests);
        assert_true(shares.lanes <= shares.tiles + shares.tiles / 4 + 4);
        td_destroy_mesh(mesh);
    }
}

static int test_setup(void **state) {
    const td_context_def def = td_default_context_def();
    return td_create_context((td_context **)state, &def) == TD_OK ? 0 : -1;
}

static int test_teardown(void **state) {
    td_destroy_context(*state);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_same_as_tiles),
        cmocka_unit_test(test_offsets),
        cmocka_unit_test(test_undecided_share),
    };
    return cmocka_run_group_tests(tests, test_setup, test_teardown);
}
