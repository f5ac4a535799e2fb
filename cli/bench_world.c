#include "bench_world.h"

#include "load.h"
#include "math/quat.h"
#include "message.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool td_bench_world_open(td_scene **out, td_cli_session *session, const td_bench_world_def *def) {
    char n[32], subdivide[32], mesh[4096];
    snprintf(n, sizeof n, "n=%u", def->n);
    snprintf(subdivide, sizeof subdivide, "subdivide=%u", def->subdivide);
    const char *const parameters[] = {n, subdivide}, *const meshes[] = {mesh};
    td_scene_def scene = td_default_scene_def();
    scene.parameters = parameters;
    scene.parameter_count = 2;
    if (def->mesh) {
        if ((size_t)snprintf(mesh, sizeof mesh, "cow=%s", def->mesh) >= sizeof mesh) {
            td_cli_error("--mesh: the path is too long");
            return false;
        }
        scene.meshes = meshes;
        scene.mesh_count = 1;
    }
    scene.strategy = def->strategy;
    scene.volume = def->volume;
    scene.descent = def->descent;
    scene.device = def->device;
    scene.read_mesh = td_cli_read_arrays;
    scene.read_mesh_user = session;
    scene.progress = td_cli_progress_function(&session->progress);
    scene.progress_user = &session->progress;
    td_cli_progress_stage(&session->progress, "loading %s", def->scene);
    if (td_load_scene(out, session->context, def->scene, &scene) != TD_OK) {
        td_cli_library_error(NULL);
        return false;
    }
    return true;
}

bool td_bench_world_step(td_step_report *out, td_scene *scene) {
    if (td_step_scene(out, scene) != TD_OK) {
        td_cli_library_error(td_scene_name(scene));
        return false;
    }
    return true;
}

bool td_bench_world_settle(td_cli_session *session, td_scene *scene, uint32_t steps) {
    td_cli_progress_stage(&session->progress, "settling %.40s, %u bodies", td_scene_name(scene),
                          td_body_count(td_scene_world(scene)));
    for (uint32_t i = 0; i < steps; ++i) {
        td_step_report report;
        if (!td_bench_world_step(&report, scene)) {
            return false;
        }
        td_cli_progress_count(&session->progress, i + 1, steps, "steps");
    }
    return true;
}

// ---------------------------------------------------------------------------------------------------------
// The bodies of a scene

static const td_world *td_world_of(const td_scene *scene) {
    return td_scene_world((td_scene *)(uintptr_t)scene); // nothing below changes it
}

static td_body_state td_state_at(const td_world *world, uint32_t place) {
    td_body_state state = {0};
    td_get_body(&state, world, td_body_at(world, place)); // the body is there: it was just listed
    return state;
}

uint64_t td_bench_world_triangles(const td_scene *scene) {
    const td_world *world = td_world_of(scene);
    uint64_t triangles = 0;
    for (uint32_t i = 0; i < td_body_count(world); ++i) {
        triangles += td_mesh_triangle_count(td_state_at(world, i).mesh);
    }
    return triangles;
}

const td_mesh *td_bench_world_mesh(const td_scene *scene) {
    const td_world *world = td_world_of(scene);
    const td_mesh *most = NULL;
    uint32_t most_bodies = 0;
    for (uint32_t k = 0; k < td_scene_mesh_count(scene); ++k) {
        uint32_t bodies = 0;
        for (uint32_t i = 0; i < td_body_count(world); ++i) {
            bodies += td_state_at(world, i).mesh == td_scene_mesh(scene, k);
        }
        if (bodies > most_bodies) {
            most = td_scene_mesh(scene, k);
            most_bodies = bodies;
        }
    }
    return most;
}

// ---------------------------------------------------------------------------------------------------------
// Object pairs, by a sweep along x

typedef struct td_placed_body {
    double lower[3], upper[3];
    const td_mesh *mesh;
    td_quat rotation;
    td_vec3 position;
    uint32_t place; // in the world: settles ties of the sweep
    bool dynamic;
} td_placed_body;

static td_placed_body td_place_body(const td_body_state *state, uint32_t place) {
    const double *q = state->pose.rotation, *p = state->pose.position;
    td_placed_body body = {.mesh = state->mesh,
                           .rotation = td_quat_normalise(td_quat_make(q[0], q[1], q[2], q[3])),
                           .position = td_vec3_make(p[0], p[1], p[2]),
                           .place = place,
                           .dynamic = state->kind == TD_BODY_DYNAMIC};
    double lower[3], upper[3];
    td_mesh_bounds(lower, upper, state->mesh);
    const td_vec3 low = td_vec3_make(lower[0], lower[1], lower[2]);
    const td_vec3 high = td_vec3_make(upper[0], upper[1], upper[2]);
    const td_vec3 half = td_scale(td_sub(high, low), 0.5);
    const td_mat3 turn = td_quat_matrix(body.rotation);
    const td_vec3 centre = td_add(td_mat3_apply(turn, td_scale(td_add(high, low), 0.5)), body.position);
    const td_vec3 rows[3] = {turn.row0, turn.row1, turn.row2};
    const double centres[3] = {centre.x, centre.y, centre.z};
    for (int k = 0; k < 3; ++k) {
        const double reach = fabs(rows[k].x) * half.x + fabs(rows[k].y) * half.y + fabs(rows[k].z) * half.z;
        body.lower[k] = centres[k] - reach;
        body.upper[k] = centres[k] + reach;
    }
    return body;
}

static int td_compare_placed(const void *a, const void *b) {
    const td_placed_body *x = a, *y = b;
    const int by_lower = (x->lower[0] > y->lower[0]) - (x->lower[0] < y->lower[0]);
    return by_lower ? by_lower : (x->place > y->place) - (x->place < y->place);
}

static td_object_pair td_pair_of(const td_placed_body *a, const td_placed_body *b) {
    const td_vec3 t = td_mat3_unapply(td_quat_matrix(a->rotation), td_sub(b->position, a->position));
    const td_quat q = td_quat_normalise(td_quat_mul(td_quat_conjugate(a->rotation), b->rotation));
    return (td_object_pair){a->mesh, b->mesh, {{t.x, t.y, t.z}, {q.x, q.y, q.z, q.w}}};
}

static bool td_may_meet(const td_placed_body *a, const td_placed_body *b) {
    return (a->dynamic || b->dynamic) && a->lower[1] <= b->upper[1] && b->lower[1] <= a->upper[1] &&
           a->lower[2] <= b->upper[2] && b->lower[2] <= a->upper[2];
}

// `pairs` may be null: counts only. The bodies are sorted by their lower end.
static uint32_t td_sweep(td_object_pair *pairs, const td_placed_body *bodies, uint32_t count) {
    uint32_t found = 0;
    for (uint32_t i = 0; i < count; ++i) {
        for (uint32_t k = i + 1; k < count && bodies[k].lower[0] <= bodies[i].upper[0]; ++k) {
            if (!td_may_meet(&bodies[i], &bodies[k])) {
                continue;
            }
            if (pairs) {
                pairs[found] = td_pair_of(&bodies[i], &bodies[k]);
            }
            ++found;
        }
    }
    return found;
}

bool td_bench_world_pairs(td_bench_pairs *out, const td_scene *scene) {
    const td_world *world = td_world_of(scene);
    const uint32_t count = td_body_count(world);
    *out = (td_bench_pairs){0};
    td_placed_body *bodies = malloc((count + (size_t)1) * sizeof *bodies);
    if (bodies) {
        for (uint32_t i = 0; i < count; ++i) {
            const td_body_state state = td_state_at(world, i);
            bodies[i] = td_place_body(&state, i);
        }
        qsort(bodies, count, sizeof *bodies, td_compare_placed);
        out->count = td_sweep(NULL, bodies, count);
        out->pairs = malloc((out->count + (size_t)1) * sizeof *out->pairs);
        if (out->pairs) {
            td_sweep(out->pairs, bodies, count);
        }
    }
    free(bodies);
    if (!out->pairs) {
        td_cli_error("out of memory for the object pairs of %u bodies", count);
        return false;
    }
    return true;
}
