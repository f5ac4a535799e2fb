// {"pairs": n, "colliding": bool, "inside": "none|a_in_b|b_in_a", "pose": [tx, ty, tz, qx, qy, qz, qw],
// "triangles": [[a, b], ...], "counters": {...}, "ms": {...}, "a": {...}, "b": {...}}; of a batch {"poses":
// [these], ...totals}. "triangles" is left out where pairs were only counted, "pose" where a mesh was asked
// against itself. `tandem view --result` reads it again.
#include "answer.h"
#include "json.h"

static void td_json_counters(td_cli_json *json, const td_counters *counters) {
    td_cli_json_object(json, "counters", TD_JSON_INLINE);
    td_cli_json_count(json, "box_tests", counters->box_tests);
    td_cli_json_count(json, "triangle_tests", counters->triangle_tests);
    td_cli_json_count(json, "exact_tests", counters->exact_tests);
    td_cli_json_number(json, "undecided_share", td_cli_undecided_share(counters));
    td_cli_json_count(json, "bytes", counters->bytes);
    td_cli_json_count(json, "state_bits", counters->state_bits);
    td_cli_json_end(json);
}

static void td_json_pose(td_cli_json *json, const td_pose *pose) {
    td_cli_json_array(json, "pose", TD_JSON_INLINE);
    for (int k = 0; k < 3; ++k) {
        td_cli_json_number(json, NULL, pose->position[k]);
    }
    for (int k = 0; k < 4; ++k) {
        td_cli_json_number(json, NULL, pose->rotation[k]);
    }
    td_cli_json_end(json);
}

// What one pose and a single query have in common.
static void td_json_result(td_cli_json *json, const td_cli_answer *answer, size_t index) {
    const td_collide_result *result = &answer->results[index];
    td_cli_json_count(json, "pairs", result->pair_count);
    td_cli_json_bool(json, "colliding", result->colliding);
    td_cli_json_text(json, "inside", td_inside_name(result->inside));
    if (answer->b) {
        const td_pose pose = answer->poses ? answer->poses[index] : td_pose_identity();
        td_json_pose(json, &pose);
    }
    if (answer->mode != TD_MODE_COUNT) {
        td_cli_json_array(json, "triangles", TD_JSON_INLINE);
        for (uint64_t k = 0; k < result->pair_count && !td_cli_output_failed(json->output); ++k) {
            td_cli_json_pair(json, result->pairs[k].a, result->pairs[k].b);
        }
        td_cli_json_end(json);
    }
    td_json_counters(json, &result->counters);
}

static void td_json_poses(td_cli_json *json, const td_cli_answer *answer) {
    td_cli_json_array(json, "poses", TD_JSON_LINES);
    for (size_t i = 0; i < answer->count && !td_cli_output_failed(json->output); ++i) {
        td_cli_json_object(json, NULL, TD_JSON_INLINE);
        td_json_result(json, answer, i);
        td_cli_json_object(json, "ms", TD_JSON_INLINE);
        td_cli_json_number(json, "query", answer->results[i].ms);
        td_cli_json_end(json);
        td_cli_json_end(json);
    }
    td_cli_json_end(json);
    const td_cli_totals totals = td_cli_answer_totals(answer);
    td_cli_json_count(json, "pairs", totals.pairs);
    td_cli_json_bool(json, "colliding", totals.colliding > 0);
    td_cli_json_count(json, "colliding_poses", totals.colliding);
    td_json_counters(json, &totals.counters);
}

static void td_json_mesh(td_cli_json *json, const char *key, const td_cli_mesh *mesh) {
    td_cli_json_object(json, key, TD_JSON_INLINE);
    td_cli_json_text(json, "name", mesh->name);
    td_cli_json_count(json, "vertices", td_mesh_vertex_count(mesh->mesh));
    td_cli_json_count(json, "triangles", td_mesh_triangle_count(mesh->mesh));
    td_cli_json_end(json);
}

// Of the whole call. Where the time of a query went is known on a device only: natively, looking costs time.
static void td_json_times(td_cli_json *json, const td_cli_session *session, const td_cli_answer *answer) {
    td_cli_json_object(json, "ms", TD_JSON_INLINE);
    td_cli_json_number(json, "load", td_cli_answer_load_ms(answer));
    td_cli_json_number(json, "build", td_cli_answer_build_ms(answer));
    td_cli_json_number(json, "query", answer->query_ms);
    if (session->opened_device) {
        const td_query_times *times = &answer->times;
        td_cli_json_number(json, "boxes", times->boxes_ms);
        td_cli_json_number(json, "collect", times->collect_ms);
        td_cli_json_number(json, "triangles", times->triangles_ms);
        td_cli_json_number(json, "exact", times->exact_ms);
        td_cli_json_number(json, "copy_in", times->copy_in_ms);
        td_cli_json_number(json, "copy_out", times->copy_out_ms);
    }
    td_cli_json_end(json);
}

static void td_json_choices(td_cli_json *json, const td_cli_session *session) {
    char device[TD_CLI_DEVICE_LABEL];
    td_cli_json_text(json, "strategy", session->strategy ? session->strategy : "auto");
    td_cli_json_text(json, "volume", td_volume_name(session->bounding_volume));
    td_cli_json_text(json, "descent", td_descent_name(session->descent_rule));
    td_cli_json_text(json, "device", td_cli_device_label(device, session->opened_device));
    if (session->opened_device) {
        td_device_info info;
        td_device_describe(&info, session->opened_device);
        td_cli_json_text(json, "device_name", info.name);
    }
    td_cli_json_text(json, "isa", td_isa_name(td_context_isa(session->context)));
    td_cli_json_count(json, "threads", td_context_thread_count(session->context));
}

void td_cli_answer_as_json(td_cli_session *session, const td_cli_answer *answer) {
    td_cli_json json = td_cli_json_begin(session->output);
    td_cli_json_object(&json, NULL, TD_JSON_LINES);
    if (answer->batch) {
        td_json_poses(&json, answer);
    } else {
        td_json_result(&json, answer, 0);
    }
    td_json_times(&json, session, answer);
    td_cli_json_count(&json, "repeat", answer->repeat);
    td_json_mesh(&json, "a", answer->a);
    if (answer->b) {
        td_json_mesh(&json, "b", answer->b);
    }
    td_json_choices(&json, session);
    td_cli_json_end(&json);
}
