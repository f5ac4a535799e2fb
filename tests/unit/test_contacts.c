// Contacts from the triangles that intersect, against what geometry says: of boxes exactly, of round things
// nearly; whichever way the pair is turned, whoever of the two is asked first.
#include "test_contacts_support.h"

// The whole pair turned, and a and b swapped.
typedef struct test_view {
    td_pose turn;
    bool swapped;
    bool moved_meshes; // the turn is in the vertices, else in the pose of the second
} test_view;

static td_vec3 test_seen(const test_view *view, td_vec3 v) {
    return td_rigid_apply(td_pose_rigid(&view->turn), v);
}

static td_vec3 test_seen_normal(const test_view *view, td_vec3 v) {
    const td_vec3 n = td_sub(test_seen(view, v), test_seen(view, td_vec3_make(0, 0, 0)));
    return view->swapped ? td_scale(n, -1) : n;
}

// Contacts of `a`, which stands at the origin, and `b`, in a view. Points are in the frame of the view.
static test_found test_find_in_view(test_stage *stage, const test_view *view, const td_mesh *a,
                                    const td_mesh *b, const td_pose *pose) {
    const td_pose here = td_pose_identity();
    const td_pose b_pose = test_turned(&view->turn, pose);
    const td_mesh *turned_a = test_moved(stage, a, &view->turn, 1);
    if (view->swapped) {
        const td_mesh *turned_b = test_moved(stage, b, &b_pose, 1);
        return test_find(stage, turned_b, turned_a, &here);
    }
    if (view->moved_meshes) {
        const td_mesh *turned_b = test_moved(stage, b, &b_pose, 1);
        return test_find(stage, turned_a, turned_b, &here);
    }
    return test_find(stage, turned_a, b, &b_pose);
}

typedef void test_in_view(test_stage *stage, const test_view *view);

enum { TEST_TURNS = 24 };

static void test_from_all_sides(test_in_view *check) {
    test_random random = {71};
    for (int i = 0; i < TEST_TURNS; ++i) {
        test_view view = {.turn = i == 0 ? td_pose_identity() : test_random_pose(&random, 0.5)};
        for (int k = 0; k < 3; ++k) {
            test_stage stage = test_stage_make(NULL, 1, TD_ISA_AUTO);
            view.swapped = k == 1;
            view.moved_meshes = k == 2;
            check(&stage, &view);
            test_stage_clear(&stage);
        }
    }
}

// ---------------------------------------------------------------------------------------------------------
// A box on the face of a larger one, whose top is at y = 0

static const double test_overlap = 0.01;

static const td_mesh *test_ground(test_stage *stage) {
    const double box[1][6] = {{0, -0.5, 0, 4, 1, 4}};
    return test_stage_boxes(stage, box, 1);
}

static const td_vec3 test_up = {0, 1, 0};

static void test_face_in_view(test_stage *stage, const test_view *view) {
    const td_mesh *ground = test_ground(stage), *box = test_stage_box(stage, 1, 1, 1);
    const td_pose pose = test_place(0.1, 0.5 - test_overlap, 0.2);
    const test_found found = test_find_in_view(stage, view, ground, box, &pose);
    assert_int_equal(found.regions, 1);
    assert_int_equal(found.count, 4);
    test_normals_are(&found, test_seen_normal(view, test_up), 1e-12);
    td_vec3 corners[4];
    for (int i = 0; i < 4; ++i) {
        test_depth_is(found.contacts[i].depth, test_overlap, 1e-9);
        corners[i] = test_seen(
            view, td_vec3_make(0.1 + (i & 1 ? 0.5 : -0.5), -0.5 * test_overlap, 0.2 + (i & 2 ? 0.5 : -0.5)));
    }
    test_points_at(&found, corners, 4, 1e-9);
}

static void test_edge_in_view(test_stage *stage, const test_view *view) {
    const td_mesh *ground = test_ground(stage), *box = test_stage_box(stage, 1, 1, 1);
    td_pose pose = test_place(0.1, sqrt(0.5) - test_overlap, 0.2);
    test_turn(pose.rotation, 0, 0, 1, 45);
    const test_found found = test_find_in_view(stage, view, ground, box, &pose);
    assert_int_equal(found.regions, 1);
    assert_true(found.count >= 2);
    test_normals_are(&found, test_seen_normal(view, test_up), 1e-12);
    test_depth_is(test_deepest(&found), test_overlap, 1e-9);
    const td_vec3 ends[2] = {test_seen(view, td_vec3_make(0.1, -0.5 * test_overlap, 0.2 - 0.5)),
                             test_seen(view, td_vec3_make(0.1, -0.5 * test_overlap, 0.2 + 0.5))};
    test_points_at(&found, ends, 2, 1e-9);
}

static void test_corner_in_view(test_stage *stage, const test_view *view) {
    const td_mesh *ground = test_ground(stage), *box = test_stage_box(stage, 1, 1, 1);
    td_pose turn_x = td_pose_identity(), turn_z = td_pose_identity();
    test_turn(turn_x.rotation, 1, 0, 0, 40);
    test_turn(turn_z.rotation, 0, 0, 1, 35);
    td_pose pose = test_turned(&turn_x, &turn_z);
    // Its lowest corner goes to (0.1, -overlap, 0.2).
    double lowest[3] = {0, 1, 0};
    for (int i = 0; i < 8; ++i) {
        const double corner[3] = {i & 1 ? 0.5 : -0.5, i & 2 ? 0.5 : -0.5, i & 4 ? 0.5 : -0.5};
        double p[3];
        td_pose_apply(p, &pose, corner);
        if (p[1] < lowest[1]) {
            lowest[0] = p[0];
            lowest[1] = p[1];
            lowest[2] = p[2];
        }
    }
    const double depth = 0.005;
    pose.position[0] = 0.1 - lowest[0];
    pose.position[1] = -depth - lowest[1];
    pose.position[2] = 0.2 - lowest[2];
    const test_found found = test_find_in_view(stage, view, ground, box, &pose);
    assert_int_equal(found.regions, 1);
    test_normals_are(&found, test_seen_normal(view, test_up), 1e-12);
    test_depth_is(test_deepest(&found), depth, 1e-9);
    const td_vec3 corner = test_seen(view, td_vec3_make(0.1, -0.5 * depth, 0.2));
    test_points_at(&found, &corner, 1, 1e-9);
}

static void test_face(void **state) {
    (void)state;
    test_from_all_sides(test_face_in_view);
}

static void test_edge(void **state) {
    (void)state;
    test_from_all_sides(test_edge_in_view);
}

static void test_corner(void **state) {
    (void)state;
    test_from_all_sides(test_corner_in_view);
}

// ---------------------------------------------------------------------------------------------------------
// No vertex, or every face, in the way

// Equal boxes on each other: their sides are in one plane each.
static void test_aligned_boxes(void **state) {
    (void)state;
    static const double overlaps[] = {1e-6, 1e-5, 1e-4, 1e-3, 1e-2};
    for (int axis = 0; axis < 3; ++axis) {
        for (int i = 0; i < 5; ++i) {
            test_stage stage = test_stage_make(NULL, 1, TD_ISA_AUTO);
            const td_mesh *box = test_stage_box(&stage, 1, 1, 1);
            td_pose pose = td_pose_identity();
            pose.position[axis] = 1 - overlaps[i];
            const test_found found = test_find(&stage, box, box, &pose);
            const td_vec3 normal = td_vec3_make(axis == 0 ? 1 : 0, axis == 1 ? 1 : 0, axis == 2 ? 1 : 0);
            assert_int_equal(found.regions, 1);
            assert_int_equal(found.count, 4);
            test_normals_are(&found, normal, 0);
            for (int k = 0; k < 4; ++k) {
                double corner[3] = {0};
                test_depth_is(found.contacts[k].depth, overlaps[i], 1e-9);
                corner[axis] = 0.5 - 0.5 * overlaps[i];
                corner[(axis + 1) % 3] = k & 1 ? 0.5 : -0.5;
                corner[(axis + 2) % 3] = k & 2 ? 0.5 : -0.5;
                const td_vec3 place = td_vec3_make(corner[0], corner[1], corner[2]);
                test_points_at(&found, &place, 1, 0.06 * sqrt(0.5));
            }
            test_stage_clear(&stage);
        }
    }
}

// Faces that only touch, in one plane: whatever is found has no depth and pushes along the axis.
static void test_touching_boxes(void **state) {
    (void)state;
    test_stage stage = test_stage_make(NULL, 1, TD_ISA_AUTO);
    const td_mesh *box = test_stage_box(&stage, 1, 1, 1);
    const td_pose pose = test_place(0, 1, 0);
    const test_found found = test_find(&stage, box, box, &pose);
    assert_true(found.pairs > 0);
    test_normals_are(&found, test_up, 1e-12);
    assert_true(test_deepest(&found) <= 1e-12);
    test_stage_clear(&stage);
}

// Beams that lie across each other: no vertex is inside, and the overlap is the square where they cross.
static void test_beams_in_view(test_stage *stage, const test_view *view) {
    const td_mesh *along = test_stage_box(stage, 4, 1, 1), *across = test_stage_box(stage, 1, 1, 4);
    const td_pose pose = test_place(0, 1 - test_overlap, 0);
    const test_found found = test_find_in_view(stage, view, along, across, &pose);
    assert_int_equal(found.regions, 1);
    assert_int_equal(found.count, 4);
    test_normals_are(&found, test_seen_normal(view, test_up), 1e-12);
    td_vec3 corners[4];
    for (int i = 0; i < 4; ++i) {
        test_depth_is(found.contacts[i].depth, test_overlap, 1e-9);
        corners[i] =
            test_seen(view, td_vec3_make(i & 1 ? 0.5 : -0.5, 0.5 - 0.5 * test_overlap, i & 2 ? 0.5 : -0.5));
    }
    test_points_at(&found, corners, 4, 0.1);
}

static void test_beams(void **state) {
    (void)state;
    test_from_all_sides(test_beams_in_view);
}

// Two edges that cross at an angle: the normal is at right angles to both, the depth how far they are apart.
// Their faces lean to one side or the other.
static void test_roofs_in_view(test_stage *stage, const test_view *view) {
    static const double angles[] = {90, 60, 25}, leans[] = {0, 10, -20};
    const double radian = 3.141592653589793 / 180, reach = sqrt(0.5); // of a corner of the cross-section
    const td_mesh *box = test_stage_box(stage, 3, 1, 1);
    for (int i = 0; i < 9; ++i) {
        test_stage turned = test_stage_make(NULL, 1, TD_ISA_AUTO);
        const double lean = leans[i / 3], other_lean = i % 3 == 0 ? 10 : 0;
        td_pose roof = td_pose_identity(), about_y = td_pose_identity(), leaning = td_pose_identity();
        test_turn(roof.rotation, 1, 0, 0, 45 + lean);
        test_turn(about_y.rotation, 0, 1, 0, angles[i % 3]);
        test_turn(leaning.rotation, 1, 0, 0, 45 + other_lean);
        const td_mesh *lower = test_moved(&turned, box, &roof, 1); // its upper edge is along x
        td_pose pose = test_turned(&about_y, &leaning);
        pose.position[1] = reach * (cos(lean * radian) + cos(other_lean * radian)) - test_overlap;
        const test_found found = test_find_in_view(&turned, view, lower, box, &pose);
        assert_int_equal(found.regions, 1);
        test_normals_are(&found, test_seen_normal(view, test_up), 1e-9);
        test_depth_is(test_deepest(&found), test_overlap, 1e-9);
        test_stage_clear(&turned);
    }
}

static void test_roofs(void **state) {
    (void)state;
    test_from_all_sides(test_roofs_in_view);
}

// ---------------------------------------------------------------------------------------------------------
// Finer meshes, open ones, far ones

// The same box of 12 and of 192 triangles.
static void test_subdivided(void **state) {
    (void)state;
    test_stage stage = test_stage_make(NULL, 1, TD_ISA_AUTO);
    const td_mesh *ground = test_ground(&stage);
    const td_mesh *coarse = test_stage_shape(&stage, "box", 0), *fine = test_stage_shape(&stage, "box", 2);
    test_random random = {5};
    for (int i = 0; i < 50; ++i) {
        td_pose pose =
            test_place(test_random_range(&random, -1, 1), 0.5 - 0.01, test_random_range(&random, -1, 1));
        test_turn(pose.rotation, 0, 1, 0, test_random_range(&random, 0, 360));
        const test_found a = test_find(&stage, ground, coarse, &pose);
        const test_found b = test_find(&stage, ground, fine, &pose);
        assert_int_equal(a.count, 4);
        assert_int_equal(b.count, 4);
        assert_int_equal(b.regions, 1);
        test_normals_are(&b, test_up, 1e-12);
        for (int k = 0; k < 4; ++k) {
            test_depth_is(b.contacts[k].depth, a.contacts[k].depth, 1e-9);
            test_points_at(&b, &a.contacts[k].point, 1, 1e-9);
        }
    }
    test_stage_clear(&stage);
}

static td_mesh *test_floor(test_stage *stage) {
    static const double positions[12] = {-2, 0, -2, 2, 0, -2, 2, 0, 2, -2, 0, 2};
    static const uint32_t triangles[6] = {0, 2, 1, 0, 3, 2};
    td_mesh_def def = td_default_mesh_def();
    def.positions = positions;
    def.vertex_count = 4;
    def.triangles = triangles;
    def.triangle_count = 2;
    td_mesh *mesh;
    assert_int_equal(td_create_mesh(&mesh, stage->context, &def), TD_OK);
    return test_stage_keep(stage, mesh);
}

static void test_open_floor(void **state) {
    (void)state;
    test_stage stage = test_stage_make(NULL, 1, TD_ISA_AUTO);
    const td_mesh *floor_mesh = test_floor(&stage), *box = test_stage_box(&stage, 1, 1, 1);
    test_random random = {6};
    for (int i = 0; i < 50; ++i) {
        td_pose pose = test_place(test_random_range(&random, -1, 1), 0.49, test_random_range(&random, -1, 1));
        test_turn(pose.rotation, 0, 1, 0, test_random_range(&random, 0, 360));
        const test_found found = test_find(&stage, floor_mesh, box, &pose);
        assert_int_equal(found.regions, 1);
        assert_int_equal(found.count, 4);
        test_normals_are(&found, test_up, 1e-12);
        for (int k = 0; k < 4; ++k) {
            test_depth_is(found.contacts[k].depth, 0.01, 1e-9);
            const double corner[3] = {k & 1 ? 0.5 : -0.5, -0.5, k & 2 ? 0.5 : -0.5};
            double p[3];
            td_pose_apply(p, &pose, corner);
            const td_vec3 place = td_vec3_make(p[0], p[1] + 0.005, p[2]);
            test_points_at(&found, &place, 1, 1e-9);
        }
    }
    test_stage_clear(&stage);
}

// Meshes whose coordinates are all about 1e6: the same contacts, up to the rounding of these.
static void test_far(void **state) {
    (void)state;
    const test_view view = {.turn = test_place(1e6, -1e6, 1e6), .moved_meshes = true};
    test_stage stage = test_stage_make(NULL, 1, TD_ISA_AUTO);
    const td_mesh *ground = test_ground(&stage), *box = test_stage_box(&stage, 1, 1, 1);
    td_pose pose = test_place(0.1, 0.49, 0.2);
    test_turn(pose.rotation, 0, 1, 0, 20);
    const test_found here = test_find(&stage, ground, box, &pose);
    const test_found there = test_find_in_view(&stage, &view, ground, box, &pose);
    assert_int_equal(there.count, here.count);
    assert_int_equal(there.regions, here.regions);
    test_normals_are(&there, test_up, 1e-8);
    for (size_t i = 0; i < here.count; ++i) {
        const td_vec3 place = test_seen(&view, here.contacts[i].point);
        test_points_at(&there, &place, 1, 1e-8);
        test_depth_is(there.contacts[i].depth, 0.01, 1e-8);
    }
    test_stage_clear(&stage);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_face),           cmocka_unit_test(test_edge),
        cmocka_unit_test(test_corner),         cmocka_unit_test(test_aligned_boxes),
        cmocka_unit_test(test_touching_boxes), cmocka_unit_test(test_beams),
        cmocka_unit_test(test_roofs),          cmocka_unit_test(test_subdivided),
        cmocka_unit_test(test_open_floor),     cmocka_unit_test(test_far),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
