// Animations: read back and played, they show what was recorded, within what was promised. What else is in
// them is in test_export_parts.c.
#include "test_export_support.h"

// ---------------------------------------------------------------------------------------------------------
// Playing

typedef struct test_track {
    double *times, *values; // null: none
    size_t count;
} test_track;

typedef struct test_node {
    double position[3], rotation[4];
    test_track translation, turning;
} test_node;

typedef struct test_player {
    test_glb glb;
    test_node nodes[TEST_BODIES];
    double origin[3]; // of the node above
    size_t time_lists;
} test_player;

static void test_read_tracks(test_player *player) {
    const cJSON *animations = cJSON_GetObjectItemCaseSensitive(player->glb.json, "animations");
    if (animations == NULL) {
        return;
    }
    assert_int_equal(cJSON_GetArraySize(animations), 1);
    const cJSON *animation = cJSON_GetArrayItem(animations, 0), *channel;
    cJSON_ArrayForEach(channel, test_member(animation, "channels")) {
        const cJSON *sampler =
            cJSON_GetArrayItem(test_member(animation, "samplers"), (int)test_number(channel, "sampler", -1));
        const cJSON *target = test_member(channel, "target");
        const int node = (int)test_number(target, "node", -1);
        const bool turns = strcmp(test_member(target, "path")->valuestring, "rotation") == 0;
        assert_in_range(node, 0, TEST_BODIES - 1);
        assert_string_equal(test_member(sampler, "interpolation")->valuestring, "LINEAR");
        test_track *track = turns ? &player->nodes[node].turning : &player->nodes[node].translation;
        size_t values;
        track->times =
            test_read_accessor(&player->glb, (int)test_number(sampler, "input", -1), 1, &track->count);
        track->values =
            test_read_accessor(&player->glb, (int)test_number(sampler, "output", -1), turns ? 4 : 3, &values);
        assert_int_equal(values, track->count);
        assert_true(track->count >= 2);
        for (size_t i = 1; i < track->count; ++i) {
            assert_true(track->times[i] > track->times[i - 1]);
        }
    }
}

static test_player test_play(const char *path, uint32_t bodies) {
    test_player player = {.glb = test_open_glb(path)};
    for (uint32_t i = 0; i < bodies; ++i) {
        const cJSON *node = test_entry(&player.glb, "nodes", (int)i);
        test_read_numbers(player.nodes[i].position, test_member(node, "translation"), 3);
        test_read_numbers(player.nodes[i].rotation, test_member(node, "rotation"), 4);
    }
    // The scene has one node, above all others.
    const cJSON *roots = test_member(test_entry(&player.glb, "scenes", 0), "nodes");
    assert_int_equal(cJSON_GetArraySize(roots), 1);
    const cJSON *root = test_entry(&player.glb, "nodes", cJSON_GetArrayItem(roots, 0)->valueint);
    assert_int_equal(cJSON_GetArraySize(test_member(root, "children")), bodies + 1); // and the camera
    test_read_numbers(player.origin, test_member(root, "translation"), 3);
    test_read_tracks(&player);
    return player;
}

static void test_stop(test_player *player) {
    for (uint32_t i = 0; i < TEST_BODIES; ++i) {
        free(player->nodes[i].translation.times);
        free(player->nodes[i].translation.values);
        free(player->nodes[i].turning.times);
        free(player->nodes[i].turning.values);
    }
    test_close_glb(&player->glb);
}

// As the specification says in its appendix C, in float64: `size` numbers, slerp if they are four.
static void test_sample(double *out, const test_track *track, const double *still, size_t size, double time) {
    if (track->times == NULL) {
        memcpy(out, still, size * sizeof *out);
        return;
    }
    size_t next = 0;
    while (next < track->count && track->times[next] <= time) {
        ++next;
    }
    if (next == 0 || next == track->count) {
        memcpy(out, track->values + size * (next == 0 ? 0 : next - 1), size * sizeof *out);
        return;
    }
    const double *from = track->values + size * (next - 1), *to = from + size;
    double share = (time - track->times[next - 1]) / (track->times[next] - track->times[next - 1]);
    double rest = 1 - share;
    if (size == 4) {
        const double dot = from[0] * to[0] + from[1] * to[1] + from[2] * to[2] + from[3] * to[3];
        const double angle = acos(fmin(1, fabs(dot)));
        if (angle > 1e-6) {
            rest = sin(rest * angle) / sin(angle);
            share = (dot < 0 ? -1 : 1) * sin(share * angle) / sin(angle);
        }
    }
    for (size_t k = 0; k < size; ++k) {
        out[k] = rest * from[k] + share * to[k];
    }
}

static td_pose test_node_at(const test_player *player, uint32_t body, double time) {
    const test_node *node = &player->nodes[body];
    td_pose pose;
    test_sample(pose.position, &node->translation, node->position, 3, time);
    test_sample(pose.rotation, &node->turning, node->rotation, 4, time);
    for (int k = 0; k < 3; ++k) {
        pose.position[k] += player->origin[k];
    }
    return pose;
}

// ---------------------------------------------------------------------------------------------------------
// Comparing

// How far the numbers of two poses are apart, a rotation being the same as its negative.
static double test_pose_distance(const td_pose *a, const td_pose *b) {
    double off = 0, dot = 0;
    for (int k = 0; k < 4; ++k) {
        dot += a->rotation[k] * b->rotation[k];
    }
    for (int k = 0; k < 4; ++k) {
        off = fmax(off, fabs(a->rotation[k] - (dot < 0 ? -1 : 1) * b->rotation[k]));
    }
    for (int k = 0; k < 3; ++k) {
        off = fmax(off, fabs(a->position[k] - b->position[k]));
    }
    return off;
}

static double test_vertex_distance(const td_mesh_arrays *mesh, const td_pose *a, const td_pose *b) {
    double largest = 0;
    for (size_t v = 0; v < mesh->vertex_count; ++v) {
        double one[3], other[3];
        td_pose_apply(one, a, mesh->positions + 3 * v);
        td_pose_apply(other, b, mesh->positions + 3 * v);
        largest = fmax(
            largest, sqrt(pow(one[0] - other[0], 2) + pow(one[1] - other[1], 2) + pow(one[2] - other[2], 2)));
    }
    return largest;
}

typedef struct test_distance {
    double pose, vertex;
} test_distance;

// The largest of all bodies in all frames that were exported.
static test_distance test_compare(td_recording *recording, const char *path, const td_export_def *def) {
    const td_recording_info info = td_recording_about(recording);
    test_player player = test_play(path, info.bodies);
    test_distance largest = {0, 0};
    const uint64_t last = def->last == UINT64_MAX ? info.frames - 1 : def->last;
    for (uint64_t frame = def->first; frame <= last; frame += def->every) {
        td_pose poses[TEST_BODIES];
        assert_int_equal(td_read_frame(poses, NULL, recording, frame), TD_OK);
        const double time = (double)(float)((double)frame * test_step - (double)def->first * test_step);
        for (uint32_t body = 0; body < info.bodies; ++body) {
            const td_pose played = test_node_at(&player, body, time);
            const td_mesh_arrays *mesh =
                td_recording_mesh(recording, td_recording_body(recording, body).mesh);
            largest.pose = fmax(largest.pose, test_pose_distance(&played, &poses[body]));
            largest.vertex = fmax(largest.vertex, test_vertex_distance(mesh, &played, &poses[body]));
        }
    }
    test_stop(&player);
    return largest;
}

static td_export_report test_export(test_desk *desk, td_recording *recording, const td_export_def *def) {
    td_export_report report;
    if (td_export_recording(&report, recording, desk->written, def) != TD_OK) {
        fail_msg("%s", td_error_message());
    }
    return report;
}

// ---------------------------------------------------------------------------------------------------------
// The tests

static void test_every_frame(void **state) {
    test_desk *desk = *state;
    td_recording *recording = test_recorded(desk, &(test_plan){.frames = 150});
    td_export_def def = td_default_export_def();
    def.tolerance = 0;
    const td_export_report report = test_export(desk, recording, &def);
    assert_int_equal(report.format, TD_EXPORT_GLB);
    assert_int_equal(report.frames, 150);
    assert_int_equal(report.bodies, TEST_BODIES);
    assert_int_equal(report.meshes, 2);
    assert_int_equal(report.moving_bodies, TEST_BODIES - 1);
    assert_int_equal(report.triangles, 4 * 12 + 2);
    assert_int_equal(report.jumps, 3);
    // The ground stands still; what slides does not turn, what turns stays on its place.
    assert_int_equal(report.sampled_keys, 6 * 150 + 2 * 3);
    assert_int_equal(report.keys, report.sampled_keys);
    assert_true(report.largest_error < 1e-5);
    const test_distance off = test_compare(recording, desk->written, &def);
    assert_true(off.pose < 1e-5);
    assert_true(off.vertex <= report.largest_error);
    td_close_recording(recording);
}

static void test_default_tolerance(void **state) {
    test_desk *desk = *state;
    td_recording *recording = test_recorded(desk, &(test_plan){.frames = 150});
    td_export_report report;
    assert_int_equal(td_export_recording(&report, recording, desk->written, NULL), TD_OK);
    const td_export_def def = td_default_export_def();
    const test_distance off = test_compare(recording, desk->written, &def);
    assert_true(off.pose <= 1e-5 && off.vertex <= report.largest_error);
    assert_true(report.keys < report.sampled_keys); // what slides comes to rest
    td_close_recording(recording);
}

static void test_tolerances(void **state) {
    test_desk *desk = *state;
    td_recording *recording = test_recorded(desk, &(test_plan){.frames = 400});
    static const double tolerances[] = {1e-4, 1e-3, 1e-2, 0.1};
    uint64_t keys = UINT64_MAX;
    for (size_t i = 0; i < sizeof tolerances / sizeof *tolerances; ++i) {
        td_export_def def = td_default_export_def();
        def.tolerance = tolerances[i];
        const td_export_report report = test_export(desk, recording, &def);
        const test_distance off = test_compare(recording, desk->written, &def);
        assert_true(report.keys < keys);
        keys = report.keys;
        // float32 adds its own: times to 2^-22 s, at speeds of 60 m/s, and places of 200 m at the end.
        assert_true(report.largest_error <= def.tolerance + 4e-5);
        assert_true(off.vertex <= report.largest_error);
        assert_true(off.pose <= def.tolerance + 4e-5);
    }
    assert_true(keys < 300);
    td_close_recording(recording);
}

static void test_ranges(void **state) {
    test_desk *desk = *state;
    td_recording *recording = test_recorded(desk, &(test_plan){.frames = 150});
    static const uint64_t ranges[][4] = {// first, last, every, frames
                                         {10, 90, 1, 81}, {0, 149, 7, 22},  {35, 45, 10, 2},
                                         {39, 40, 1, 2},  {149, 149, 1, 1}, {0, UINT64_MAX, 1000, 1}};
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; ++i) {
        td_export_def def = td_default_export_def();
        def.first = ranges[i][0];
        def.last = ranges[i][1];
        def.every = ranges[i][2];
        const td_export_report report = test_export(desk, recording, &def);
        assert_int_equal(report.frames, ranges[i][3]);
        const test_distance off = test_compare(recording, desk->written, &def);
        assert_true(off.pose <= 1e-5);
        test_glb glb = test_open_glb(desk->written);
        assert_int_equal(cJSON_HasObjectItem(glb.json, "animations"), report.frames > 1);
        test_close_glb(&glb);
    }
    td_close_recording(recording);
}

// Between the frames before and behind a jump, a body is at the one or at the other.
static void test_jumps(void **state) {
    test_desk *desk = *state;
    td_recording *recording = test_recorded(desk, &(test_plan){.frames = 100});
    static const uint64_t every[] = {1, 3};
    for (int i = 0; i < 4; ++i) {
        td_export_def def = td_default_export_def();
        def.every = every[i % 2];
        def.tolerance = i < 2 ? 0 : 1e-3;
        assert_int_equal(test_export(desk, recording, &def).jumps, 2);
        test_player player = test_play(desk->written, TEST_BODIES);
        const double low = 50 - 3 * test_step * (TEST_JUMP_FRAMES - 1) + 0.01, first = sin(0.5) - 0.01;
        for (int step = 0; step < 600; ++step) { // never within the float32 step of the jump itself
            const td_pose pose = test_node_at(&player, TEST_JUMPER, (36.005 + 0.01 * step) * test_step);
            const double share = (pose.position[1] - low) / (50 - low);
            assert_true(share < 0.1 || share > 0.75);
            assert_true(share < 0.1 || fabs(pose.rotation[1]) < first + 0.1); // with its rotation
        }
        test_stop(&player);
    }
    td_close_recording(recording);
}

// Far from the origin of the world, where float32 has steps of half a metre.
static void test_far_away(void **state) {
    test_desk *desk = *state;
    td_recording *recording = test_recorded(desk, &(test_plan){.frames = 60, .offset = 6.4e6});
    const td_export_def def = td_default_export_def();
    const td_export_report report = test_export(desk, recording, &def);
    const test_distance off = test_compare(recording, desk->written, &def);
    assert_true(off.pose <= 1e-5 && off.vertex <= report.largest_error + 1e-8);
    test_player player = test_play(desk->written, TEST_BODIES);
    assert_true(fabs(player.origin[0] - 6.4e6) < 10 && fabs(player.nodes[0].position[0]) < 10);
    test_stop(&player);
    td_close_recording(recording);
    // Close to it, nodes stand where the bodies are.
    recording = test_recorded(desk, &(test_plan){.frames = 2, .offset = 90});
    test_export(desk, recording, &def);
    player = test_play(desk->written, TEST_BODIES);
    assert_true(player.origin[0] == 0 && player.origin[1] == 0 && player.origin[2] == 0);
    test_stop(&player);
    td_close_recording(recording);
}

static void test_little(void **state) {
    test_desk *desk = *state;
    // One body that never moves: no animation, but a picture of it.
    td_recording *recording = test_recorded(desk, &(test_plan){.frames = 50, .bodies = 1});
    const td_export_def def = td_default_export_def();
    const td_export_report report = test_export(desk, recording, &def);
    assert_int_equal(report.keys, 0);
    assert_int_equal(report.moving_bodies, 0);
    test_player player = test_play(desk->written, 1);
    assert_false(cJSON_HasObjectItem(player.glb.json, "animations"));
    test_stop(&player);
    td_close_recording(recording);
    // Nothing but the start.
    recording = test_recorded(desk, &(test_plan){.frames = 1});
    assert_int_equal(test_export(desk, recording, &def).frames, 1);
    assert_true(test_compare(recording, desk->written, &def).pose < 1e-9);
    td_close_recording(recording);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_every_frame, test_make_desk, test_drop_desk),
        cmocka_unit_test_setup_teardown(test_default_tolerance, test_make_desk, test_drop_desk),
        cmocka_unit_test_setup_teardown(test_tolerances, test_make_desk, test_drop_desk),
        cmocka_unit_test_setup_teardown(test_ranges, test_make_desk, test_drop_desk),
        cmocka_unit_test_setup_teardown(test_jumps, test_make_desk, test_drop_desk),
        cmocka_unit_test_setup_teardown(test_far_away, test_make_desk, test_drop_desk),
        cmocka_unit_test_setup_teardown(test_little, test_make_desk, test_drop_desk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
