// A small recording with soft bodies, without a world behind it: a sheet that waves and comes to rest, a soft
// tetrahedron that flies off and comes back, and rigid bodies that touch them.
#ifndef TD_TESTS_SOFT_SUPPORT_H
#define TD_TESTS_SOFT_SUPPORT_H

#include "test_record_support.h"

enum {
    SOFT_SIDE = 15, // vertices along a side of the sheet: 225, two blocks
    SOFT_VERTICES = SOFT_SIDE * SOFT_SIDE,
    SOFT_TRIANGLES = 2 * (SOFT_SIDE - 1) * (SOFT_SIDE - 1),
    SOFT_BODIES = 4,
    SOFT_REST = 90,  // from this frame on the sheet sleeps
    SOFT_AWAY = 20,  // the tetrahedron is away ...
    SOFT_BACK = 24,  // ... until this frame
    SOFT_GROUND = 0, // bodies
    SOFT_SHEET = 1,  //
    SOFT_JELLY = 2,  //
    SOFT_BALL = 3,   //
    SOFT_SIZE = 2    // m, of the sheet
};

// The sheet lies in the plane of x and z, 3 m above its place in the world.
static inline void soft_rest_vertex(double out[3], uint32_t vertex) {
    out[0] = SOFT_SIZE * (vertex % SOFT_SIDE) / (SOFT_SIDE - 1.0);
    out[1] = 0;
    out[2] = SOFT_SIZE * (vertex / SOFT_SIDE) / (SOFT_SIDE - 1.0);
}

static inline td_mesh *soft_sheet(td_context *context) {
    static double positions[SOFT_VERTICES][3];
    static uint32_t triangles[SOFT_TRIANGLES][3];
    size_t count = 0;
    for (uint32_t i = 0; i < SOFT_VERTICES; ++i) {
        soft_rest_vertex(positions[i], i);
        if (i % SOFT_SIDE + 1 < SOFT_SIDE && i / SOFT_SIDE + 1 < SOFT_SIDE) {
            const uint32_t a = i, b = i + 1, c = i + SOFT_SIDE, d = i + SOFT_SIDE + 1;
            memcpy(triangles[count++], (uint32_t[]){a, c, b}, sizeof triangles[0]);
            memcpy(triangles[count++], (uint32_t[]){b, c, d}, sizeof triangles[0]);
        }
    }
    td_mesh_def def = td_default_mesh_def();
    def.positions = positions;
    def.vertex_count = SOFT_VERTICES;
    def.triangles = triangles[0];
    def.triangle_count = SOFT_TRIANGLES;
    td_mesh *mesh = NULL;
    assert_int_equal(td_create_mesh(&mesh, context, &def), TD_OK);
    return mesh;
}

typedef struct soft_frame {
    td_pose poses[SOFT_BODIES];
    td_recorded_motion motions[SOFT_BODIES];
    double sheet[SOFT_VERTICES][3], jelly[4][3];
    const double *positions[SOFT_BODIES];
    td_recorded_contact contacts[3];
} soft_frame;

static inline void soft_make_frame(soft_frame *out, uint64_t frame) {
    const double t = 0.02 * (double)(frame < SOFT_REST ? frame : SOFT_REST);
    *out = (soft_frame){0};
    for (int body = 0; body < SOFT_BODIES; ++body) {
        out->poses[body] = td_pose_identity();
    }
    out->poses[SOFT_BALL].position[1] = 4 - 0.3 * t;
    out->motions[SOFT_SHEET] = (td_recorded_motion){frame < SOFT_REST ? 1 : 0, frame < SOFT_REST};
    out->motions[SOFT_JELLY] = (td_recorded_motion){2, true};
    out->motions[SOFT_BALL] = (td_recorded_motion){0.3, true};
    for (uint32_t i = 0; i < SOFT_VERTICES; ++i) {
        double *at = out->sheet[i];
        soft_rest_vertex(at, i);
        at[1] = 3 - 0.4 * t + 0.25 * sin(3 * at[0] + 5 * t) * cos(2 * at[2] - t);
        at[0] += 0.1 * sin(4 * t + at[2]);
    }
    const bool away = frame >= SOFT_AWAY && frame < SOFT_BACK;
    for (uint32_t i = 0; i < 4; ++i) {
        out->jelly[i][0] = 5 + (i == 1) + 0.1 * sin(7 * t + i);
        out->jelly[i][1] = (away ? 1e9 + 1e3 * (double)frame : 1) + (i == 2);
        out->jelly[i][2] = (i == 3) * (1 + 0.2 * sin(9 * t));
    }
    out->positions[SOFT_SHEET] = out->sheet[0];
    out->positions[SOFT_JELLY] = out->jelly[0];
    // At the smaller of two bodies, or the first.
    out->contacts[0] = (td_recorded_contact){.a = SOFT_SHEET, .b = SOFT_JELLY, .normal = {1}, .impulse = 1};
    out->contacts[1] = (td_recorded_contact){.a = SOFT_SHEET, .b = SOFT_BALL, .normal = {1}, .impulse = 2};
    out->contacts[2] = (td_recorded_contact){.a = SOFT_JELLY, .b = SOFT_BALL, .normal = {1}, .impulse = 3};
    for (int k = 0; k < 3; ++k) {
        out->contacts[0].point[k] = out->jelly[1][k];
        out->contacts[1].point[k] = out->poses[SOFT_BALL].position[k] + 0.05;
        out->contacts[2].point[k] = out->jelly[2][k];
    }
}

static inline td_recorded_state soft_state(const soft_frame *frame) {
    return (td_recorded_state){.poses = frame->poses,
                               .motions = frame->motions,
                               .positions = frame->positions,
                               .contacts = frame->contacts,
                               .contact_count = 3};
}

// Two meshes: a tetrahedron of rigid and soft bodies alike, and the sheet.
typedef struct soft_stage {
    td_mesh *tetrahedron, *sheet;
    td_record_mesh meshes[2];
    td_record_body bodies[SOFT_BODIES];
    td_record_content content;
} soft_stage;

static inline void soft_set_stage(soft_stage *out, td_context *context) {
    *out = (soft_stage){.tetrahedron = test_tetrahedron(context), .sheet = soft_sheet(context)};
    out->meshes[0] = (td_record_mesh){"tetrahedron", out->tetrahedron};
    out->meshes[1] = (td_record_mesh){"sheet", out->sheet};
    out->bodies[SOFT_GROUND] = (td_record_body){TD_BODY_STATIC, 0, "ground"};
    out->bodies[SOFT_SHEET] = (td_record_body){TD_BODY_SOFT, 1, "sheet"};
    out->bodies[SOFT_JELLY] = (td_record_body){TD_BODY_SOFT, 0, "jelly"};
    out->bodies[SOFT_BALL] = (td_record_body){TD_BODY_DYNAMIC, 0, "ball"};
    out->content = (td_record_content){.scene = "soft",
                                       .text = "{}",
                                       .step = 0.02,
                                       .meshes = out->meshes,
                                       .mesh_count = 2,
                                       .bodies = out->bodies,
                                       .body_count = SOFT_BODIES};
}

static inline void soft_clear_stage(soft_stage *stage) {
    td_destroy_mesh(stage->tetrahedron);
    td_destroy_mesh(stage->sheet);
}

static inline td_result soft_try_record(td_context *context, const soft_stage *stage, const char *path,
                                        uint64_t frames) {
    static soft_frame made;
    td_recorder *recorder = NULL;
    soft_make_frame(&made, 0);
    const td_recorded_state start = soft_state(&made);
    td_result result = td_begin_recorder(&recorder, context, path, &stage->content, &start, test_hash(0));
    for (uint64_t frame = 1; frame < frames && result == TD_OK; ++frame) {
        soft_make_frame(&made, frame);
        const td_recorded_state state = soft_state(&made);
        const td_frame_numbers numbers = {
            .steps = frame, .hash = test_hash(frame), .time = 0.02 * (double)frame};
        result = td_record_state(recorder, &state, &numbers);
    }
    if (recorder != NULL) {
        const td_result closed = td_close_recorder(recorder, NULL);
        result = result == TD_OK ? closed : result;
    }
    return result;
}

static inline void soft_record(td_context *context, const char *path, uint64_t frames) {
    soft_stage stage;
    soft_set_stage(&stage, context);
    if (soft_try_record(context, &stage, path, frames) != TD_OK) {
        fail_msg("%s", td_error_message());
    }
    soft_clear_stage(&stage);
}

#endif
