// Worlds from bytes: bodies come, are pushed about and go, and steps are made in between. Whatever happens, a
// step succeeds or says that a state is beyond all numbers and changes nothing; what can be looked at is
// finite.
#include "contexts.h"

#include <tandem/world.h>

#include <stdbool.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { FUZZ_MESHES = 4, FUZZ_BODIES = 6, FUZZ_STEPS = 24 };

static td_mesh *meshes[FUZZ_MESHES];

static void fuzz_open(void) {
    static const char *const shapes[FUZZ_MESHES] = {"box", "tetrahedron", "octahedron", "icosahedron"};
    if (meshes[0] != NULL) {
        return;
    }
    for (int i = 0; i < FUZZ_MESHES; ++i) {
        fuzz_require(td_create_shape(&meshes[i], fuzz_context(), shapes[i], 0) == TD_OK, "no mesh");
    }
}

static void fuzz_vector(double out[3], fuzz_input *input, int mode) {
    for (int k = 0; k < 3; ++k) {
        out[k] = fuzz_coordinate(input, mode);
    }
}

// Half and quarter turns and none: faces end up in one plane.
static void fuzz_rotation(double out[4], uint8_t byte) {
    const double s = sqrt(0.5);
    const double turns[4][4] = {{0, 0, 0, 1}, {s, 0, 0, s}, {0, s, 0, s}, {0.5, 0.5, 0.5, 0.5}};
    memcpy(out, turns[byte % 4], sizeof turns[0]);
}

static void fuzz_add(td_world *world, fuzz_input *input) {
    if (td_body_count(world) >= FUZZ_BODIES) {
        return;
    }
    const uint8_t choice = fuzz_byte(input);
    td_body_def def = td_default_body_def();
    def.mesh = meshes[choice % FUZZ_MESHES];
    def.kind = (td_body_kind)(choice / FUZZ_MESHES % 3);
    def.restitution = choice >> 7;
    fuzz_rotation(def.pose.rotation, fuzz_byte(input));
    fuzz_vector(def.pose.position, input, choice % FUZZ_MODES);
    fuzz_vector(def.velocity, input, choice % 4);
    td_body_id id;
    const td_result result = td_add_body(&id, world, &def);
    fuzz_require(td_body_exists(world, id) == (result == TD_OK), "a body that is there and is not");
}

static void fuzz_push(td_world *world, fuzz_input *input) {
    if (td_body_count(world) == 0) {
        return;
    }
    const uint8_t choice = fuzz_byte(input);
    const td_body_id id = td_body_at(world, choice % td_body_count(world));
    double v[3], w[3];
    fuzz_vector(v, input, choice % FUZZ_MODES);
    fuzz_vector(w, input, choice % FUZZ_MODES);
    td_pose pose = td_pose_identity();
    memcpy(pose.position, v, sizeof v);
    switch (choice / 8 % 6) {
    case 0:
        (void)td_apply_impulse(world, id, v, w);
        break;
    case 1:
        (void)td_apply_force(world, id, v, w);
        break;
    case 2:
        (void)td_apply_torque(world, id, v);
        break;
    case 3:
        (void)td_set_body_velocity(world, id, v, w);
        break;
    case 4:
        (void)td_set_body_pose(world, id, &pose);
        break;
    default:
        fuzz_require(td_remove_body(world, id) == TD_OK && !td_body_exists(world, id), "a body that stays");
        break;
    }
}

static bool fuzz_step(td_world *world) {
    const uint64_t hash = td_hash_world(world);
    td_step_report report;
    const td_result result = td_step_world(&report, world);
    if (result != TD_OK) {
        fuzz_require(result == TD_ERROR_NUMBERS, td_error_message());
        fuzz_require(td_hash_world(world) == hash, "a failed step that changed something");
        return false;
    }
    fuzz_require(report.contacts == td_contact_count(world), "contacts that are not counted");
    for (size_t i = 0; i < td_contact_count(world); ++i) {
        const td_contact c = td_get_contact(world, i);
        const double square =
            c.normal[0] * c.normal[0] + c.normal[1] * c.normal[1] + c.normal[2] * c.normal[2];
        fuzz_require(fabs(square - 1) < 1e-9 && isfinite(c.depth) && isfinite(c.impulse), "an odd contact");
    }
    for (uint32_t i = 0; i < td_body_count(world); ++i) {
        td_body_state body;
        fuzz_require(td_get_body(&body, world, td_body_at(world, i)) == TD_OK, "a body that is not there");
        fuzz_require(isfinite(body.centre[0] + body.centre[1] + body.centre[2]), "a body that is nowhere");
    }
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_open();
    fuzz_input input = {data, size};
    const td_world_def def = td_default_world_def();
    td_world *world;
    fuzz_require(td_create_world(&world, fuzz_context(), &def) == TD_OK, "no world");
    for (int steps = 0; steps < FUZZ_STEPS && input.size > 0;) {
        switch (fuzz_byte(&input) % 4) {
        case 0:
            fuzz_add(world, &input);
            break;
        case 1:
            fuzz_push(world, &input);
            break;
        default:
            ++steps;
            (void)fuzz_step(world);
            break;
        }
    }
    td_destroy_world(world);
    return 0;
}
