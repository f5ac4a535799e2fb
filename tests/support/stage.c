#include "stage.h"

#include "cmocka_all.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void test_must(td_result result, const char *what) {
    if (result != TD_OK) {
        (void)fprintf(stderr, "%s: %s\n", what, td_error_message());
        abort();
    }
}

const char *test_narrow(void) {
    const char *name = getenv("TD_TEST_NARROW");
    return name != NULL && *name != 0 ? name : NULL;
}

test_stage test_stage_make(const td_world_def *def, uint32_t threads, td_isa isa) {
    test_stage stage = {0};
    td_context_def context = td_default_context_def();
    context.thread_count = threads;
    context.isa = isa;
    test_must(td_create_context(&stage.context, &context), "context");
    td_world_def world = def == NULL ? td_default_world_def() : *def;
    if (test_narrow() != NULL) {
        test_must(td_narrow_from_name(&world.narrow, test_narrow()), "TD_TEST_NARROW");
    }
    test_must(td_create_world(&stage.world, stage.context, &world), "world");
    return stage;
}

void test_stage_clear(test_stage *stage) {
    td_destroy_world(stage->world);
    for (int i = 0; i < stage->mesh_count; ++i) {
        td_destroy_mesh(stage->meshes[i]);
    }
    td_destroy_context(stage->context);
    *stage = (test_stage){0};
}

td_mesh *test_stage_keep(test_stage *stage, td_mesh *mesh) {
    if (stage->mesh_count == TEST_STAGE_MESHES) {
        (void)fprintf(stderr, "a stage has room for %d meshes\n", TEST_STAGE_MESHES);
        abort();
    }
    stage->meshes[stage->mesh_count++] = mesh;
    return mesh;
}

td_mesh *test_stage_boxes(test_stage *stage, const double (*boxes)[6], int count) {
    static const uint32_t corners[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                         2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
    enum { TEST_MOST_BOXES = 8 };
    double positions[TEST_MOST_BOXES * 24];
    uint32_t triangles[TEST_MOST_BOXES * 36];
    assert_true(count <= TEST_MOST_BOXES);
    for (int b = 0; b < count; ++b) {
        for (int v = 0; v < 8; ++v) {
            for (int k = 0; k < 3; ++k) {
                const double half = 0.5 * boxes[b][3 + k];
                positions[24 * b + 3 * v + k] = boxes[b][k] + (v >> k & 1 ? half : -half);
            }
        }
        for (int i = 0; i < 36; ++i) {
            triangles[36 * b + i] = corners[i] + 8 * (uint32_t)b;
        }
    }
    td_mesh_def def = td_default_mesh_def();
    def.positions = positions;
    def.vertex_count = 8 * (uint32_t)count;
    def.triangles = triangles;
    def.triangle_count = 12 * (uint32_t)count;
    def.name = "boxes";
    td_mesh *mesh;
    test_must(td_create_mesh(&mesh, stage->context, &def), "mesh");
    return test_stage_keep(stage, mesh);
}

td_mesh *test_stage_box(test_stage *stage, double x, double y, double z) {
    const double box[1][6] = {{0, 0, 0, x, y, z}};
    return test_stage_boxes(stage, box, 1);
}

td_mesh *test_stage_shape(test_stage *stage, const char *name, uint32_t subdivide) {
    td_mesh *mesh;
    test_must(td_create_shape(&mesh, stage->context, name, subdivide), name);
    return test_stage_keep(stage, mesh);
}

td_body_def test_body(const td_mesh *mesh, double x, double y, double z) {
    td_body_def def = td_default_body_def();
    def.mesh = mesh;
    def.pose.position[0] = x;
    def.pose.position[1] = y;
    def.pose.position[2] = z;
    return def;
}

td_body_id test_stage_add(test_stage *stage, const td_body_def *def) {
    td_body_id id;
    test_must(td_add_body(&id, stage->world, def), "body");
    return id;
}

td_body_id test_stage_add_static(test_stage *stage, const td_mesh *mesh, double x, double y, double z) {
    td_body_def def = test_body(mesh, x, y, z);
    def.kind = TD_BODY_STATIC;
    return test_stage_add(stage, &def);
}

void test_stage_run(test_stage *stage, int steps) {
    for (int i = 0; i < steps; ++i) {
        if (td_step_world(&stage->report, stage->world) != TD_OK) {
            fail_msg("step %d: %s", i, td_error_message());
        }
    }
}

td_body_state test_stage_body(const test_stage *stage, td_body_id id) {
    td_body_state state;
    if (td_get_body(&state, stage->world, id) != TD_OK) {
        fail_msg("%s", td_error_message());
    }
    return state;
}

static double test_norm(const double v[3]) {
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

test_sums test_stage_sums(const test_stage *stage, const double gravity[3]) {
    test_sums sums = {0};
    for (uint32_t i = 0; i < td_body_count(stage->world); ++i) {
        const td_body_state body = test_stage_body(stage, td_body_at(stage->world, i));
        if (body.kind != TD_BODY_DYNAMIC) {
            continue;
        }
        const double *c = body.centre, *p = body.momentum;
        const double orbit[3] = {c[1] * p[2] - c[2] * p[1], c[2] * p[0] - c[0] * p[2],
                                 c[0] * p[1] - c[1] * p[0]};
        for (int k = 0; k < 3; ++k) {
            sums.momentum[k] += p[k];
            sums.angular_momentum[k] += body.angular_momentum[k] + orbit[k];
            sums.potential_energy -= gravity == NULL ? 0 : body.mass * gravity[k] * c[k];
        }
        sums.kinetic_energy += body.kinetic_energy;
        sums.momentum_scale += test_norm(p);
        sums.angular_scale += test_norm(body.angular_momentum) + test_norm(orbit);
    }
    return sums;
}

void test_turn(double out[4], double x, double y, double z, double degrees) {
    const double half = degrees * 3.141592653589793 / 360;
    out[0] = x * sin(half);
    out[1] = y * sin(half);
    out[2] = z * sin(half);
    out[3] = cos(half);
}
