// A world to put things into: what tests of dynamics share.
#ifndef TD_TESTS_STAGE_H
#define TD_TESTS_STAGE_H

#include <tandem/world.h>

enum { TEST_STAGE_MESHES = 16 };

typedef struct test_stage {
    td_context *context;
    td_world *world;
    td_mesh *meshes[TEST_STAGE_MESHES];
    int mesh_count;
    td_step_report report; // of the last step
} test_stage;

// Aborts where something cannot be made: nothing could be tested then.
// The narrow phase that the environment asks for (TD_TEST_NARROW): tests of worlds are run again with rays.
// Null: none; the default is meant.
const char *test_narrow(void);

test_stage test_stage_make(const td_world_def *def, uint32_t threads, td_isa isa);
void test_stage_clear(test_stage *stage);

// The stage keeps them.
td_mesh *test_stage_box(test_stage *stage, double x, double y, double z);
// Several boxes in one mesh: each as centre x, y, z and size x, y, z.
td_mesh *test_stage_boxes(test_stage *stage, const double (*boxes)[6], int count);
td_mesh *test_stage_shape(test_stage *stage, const char *name, uint32_t subdivide);
td_mesh *test_stage_keep(test_stage *stage, td_mesh *mesh);

// A body of the default kind at a place.
td_body_def test_body(const td_mesh *mesh, double x, double y, double z);
td_body_id test_stage_add(test_stage *stage, const td_body_def *def);
td_body_id test_stage_add_static(test_stage *stage, const td_mesh *mesh, double x, double y, double z);

void test_stage_run(test_stage *stage, int steps); // fails the test if a step does
td_body_state test_stage_body(const test_stage *stage, td_body_id id);

// Of all dynamic bodies.
typedef struct test_sums {
    double momentum[3];         // kg m/s
    double angular_momentum[3]; // kg m^2/s, about the origin
    double kinetic_energy;      // J
    double potential_energy;    // J
    // Sums of absolute values: what differences are compared with.
    double momentum_scale, angular_scale;
} test_sums;

test_sums test_stage_sums(const test_stage *stage, const double gravity[3]);

// A quaternion for a turn about an axis of unit length.
void test_turn(double out[4], double x, double y, double z, double degrees);

#endif
