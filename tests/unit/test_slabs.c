// What refitting makes of a quad in float32: slabs that hold their triangles and little more, normals of
// length 1, lengths that are no less than the edges, on meshes from plain to nasty, by every instruction set.
// Judged in long double, by the corners in local coordinates.
#include "test_refit_support.h"

#include <stdio.h>

// Half a unit in the last place of float32 numbers from 1 to 2.
static const long double test_u = 0x1p-24L;

// How near the bounds come, over all that was tested.
typedef struct test_extremes {
    long double slack;  // least of half minus what was needed, in u times the size
    long double excess; // greatest of it
    long double scale;  // least of scale / edge - 1, in u
    uint32_t quads;
} test_extremes;

static long double test_length(const float edge[3][4], uint32_t lane) {
    long double square = 0;
    for (int k = 0; k < 3; ++k) {
        square += (long double)edge[k][lane] * (long double)edge[k][lane];
    }
    return sqrtl(square);
}

static void test_check_scale(test_extremes *extremes, const td_quad *quad, uint32_t lane, const char *what) {
    const long double a = test_length(quad->edge0, lane), b = test_length(quad->edge1, lane);
    const long double longest = a > b ? a : b, scale = (long double)quad->scale[lane];
    if (scale < longest || scale > longest * 1.000002L + 0x1p-59L) {
        fail_msg("%s: scale %Lg, the longest edge has %Lg", what, scale, longest);
    }
    if (longest > 0x1p-50L && (scale / longest - 1) / test_u < extremes->scale) {
        extremes->scale = (scale / longest - 1) / test_u;
    }
}

// The float32 forms of a triangle against its corners.
static void test_check_triangle(const td_quad *quad, uint32_t lane, const td_vec3 corner[3],
                                const char *what) {
    const double x[3][3] = {{corner[0].x, corner[0].y, corner[0].z},
                            {corner[1].x, corner[1].y, corner[1].z},
                            {corner[2].x, corner[2].y, corner[2].z}};
    for (int k = 0; k < 3; ++k) {
        const long double origin = (long double)x[0][k] - (long double)quad->center[k],
                          edge0 = (long double)x[1][k] - (long double)x[0][k],
                          edge1 = (long double)x[2][k] - (long double)x[0][k];
        if (fabsl((long double)quad->origin[k][lane] - origin) >
                1.001L * test_u * fabsl(origin) + 0x1p-149L ||
            fabsl((long double)quad->edge0[k][lane] - edge0) > 1.001L * test_u * fabsl(edge0) + 0x1p-149L ||
            fabsl((long double)quad->edge1[k][lane] - edge1) > 1.001L * test_u * fabsl(edge1) + 0x1p-149L) {
            fail_msg("%s: lane %u is not the triangle", what, lane);
        }
    }
}

// Of a quad, lane `q` of its block.
static void test_check_quad(test_extremes *extremes, const td_mesh *mesh, const td_quad *quad,
                            const td_slabs *slabs, uint32_t q, const char *what) {
    const long double n[3] = {(long double)slabs->normal[0][q], (long double)slabs->normal[1][q],
                              (long double)slabs->normal[2][q]};
    const long double length = sqrtl(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    if (length != 0 && fabsl(length - 1) > 2 * test_u) {
        fail_msg("%s: a normal of length %Lg", what, length);
    }
    long double low = INFINITY, high = -INFINITY;
    for (uint32_t lane = 0; lane < 4; ++lane) {
        if (quad->triangle[lane] == TD_NONE) {
            assert_true(quad->scale[lane] == -1);
            continue;
        }
        const td_triangle t = td_trimesh_triangle(&mesh->triangles, quad->triangle[lane]);
        const td_vec3 corner[3] = {td_to_local(&mesh->hierarchy, t.p0), td_to_local(&mesh->hierarchy, t.p1),
                                   td_to_local(&mesh->hierarchy, t.p2)};
        test_check_triangle(quad, lane, corner, what);
        test_check_scale(extremes, quad, lane, what);
        for (int i = 0; i < 3; ++i) {
            const long double height = n[0] * ((long double)corner[i].x - (long double)quad->center[0]) +
                                       n[1] * ((long double)corner[i].y - (long double)quad->center[1]) +
                                       n[2] * ((long double)corner[i].z - (long double)quad->center[2]);
            low = height < low ? height : low;
            high = height > high ? height : high;
        }
    }
    const long double middle = (long double)slabs->middle[q], half = (long double)slabs->half[q];
    const long double needed = high - middle > middle - low ? high - middle : middle - low;
    const long double slack = (half - needed) / (test_u * (long double)quad->size);
    if (!(slack >= 0 && slack <= 48)) { // 24 are added, and roundings take or give 15 at most
        fail_msg("%s: a slab goes %Lg u beyond its triangles", what, slack);
    }
    extremes->slack = slack < extremes->slack ? slack : extremes->slack;
    extremes->excess = slack > extremes->excess ? slack : extremes->excess;
    extremes->quads++;
}

static void test_check_mesh(test_extremes *extremes, const td_mesh *mesh, const char *what) {
    const td_blocked *blocked = &mesh->hierarchy;
    for (uint32_t b = 0; b < blocked->block_count; ++b) {
        const td_block *block = &blocked->blocks[b];
        for (uint32_t q = 0; q < block->node_count && block->leaf; ++q) {
            test_check_quad(extremes, mesh, &blocked->quads[block->child[q]], &blocked->slabs[block->slabs],
                            q, what);
        }
    }
    test_validate(mesh, what);
}

// ---------------------------------------------------------------------------------------------------------

// Triangles down to what float32 has no squares of, about the centre of the mesh, where float64 can tell
// their corners from each other.
static test_mesh test_dwindling(uint32_t count) {
    test_mesh a = test_progression(count, 0.5), b = test_progression(count, 0.5);
    test_mesh_scale(&b, -1);
    const test_mesh both = test_join(&a, &b);
    test_mesh_free(&a);
    test_mesh_free(&b);
    return both;
}

static test_mesh test_made(int kind, test_random *random) {
    const uint32_t count = 1 + (uint32_t)test_random_int(random, 0, 200);
    switch (kind) {
    case 0:
        return test_soup(random, count);
    case 1:
        return test_grid_soup(random, count);
    case 2:
        return test_flat_soup(random, count);
    case 3:
        return test_thin_soup(random, count);
    case 4:
        return test_strip(random, count);
    case 5:
        return test_sheet(1 + count / 20, 1e-3);
    case 6:
        return test_dwindling(count);
    case 7:
        return test_one_point(count);
    default:
        return test_repeated_triangle(count);
    }
}
enum { TEST_KINDS = 9 };

static void test_refitted_quads(void **state) {
    const test_variants *variants = *state;
    test_random random = {11};
    test_extremes extremes = {INFINITY, -INFINITY, INFINITY, 0};
    for (int round = 0; round < test_rounds(4 * TEST_KINDS); ++round) {
        test_mesh rest = test_made(round % TEST_KINDS, &random);
        for (int d = 0; d < TEST_DEFORMATIONS; ++d) {
            test_mesh now = test_deformed(&rest, &test_deformations[d]);
            for (int v = 0; v < variants->count; ++v) {
                char what[128];
                snprintf(what, sizeof what, "kind %d, %s, %s", round % TEST_KINDS, test_deformations[d].name,
                         variants->items[v].name);
                td_mesh *mesh = test_build_deformable(variants->items[v].context, &rest, TD_BUILDER_LINEAR);
                test_set(mesh, now.positions, TD_REBUILD_NEVER);
                test_check_mesh(&extremes, mesh, what);
                td_destroy_mesh(mesh);
            }
            test_mesh_free(&now);
        }
        test_mesh_free(&rest);
    }
    print_message("%u quads: slabs reach %.1Lf to %.1Lf u beyond, scales %.1Lf u at least\n", extremes.quads,
                  extremes.slack, extremes.excess, extremes.scale);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_refitted_quads)};
    return cmocka_run_group_tests(tests, test_setup_native, test_teardown_variants);
}
