#include "pile_outcome.h"

#include "core/error.h"
#include "math/quat.h"

#include <math.h>

static td_vec3 td_vector(const double v[3]) {
    return td_vec3_make(v[0], v[1], v[2]);
}

static td_quat td_rotation(const td_pose *pose) {
    const double *q = pose->rotation;
    return td_quat_make(q[0], q[1], q[2], q[3]);
}

double td_pile_kinetic_energy(const td_pile_scene *scene, const td_pile_body *body) {
    const td_vec3 velocity = td_vector(body->velocity);
    const td_vec3 spin = td_mat3_unapply(td_quat_matrix(td_rotation(&body->pose)), td_vector(body->spin));
    const double(*inertia)[3] = scene->inertia;
    const td_vec3 momentum =
        td_vec3_make(td_dot(td_vector(inertia[0]), spin), td_dot(td_vector(inertia[1]), spin),
                     td_dot(td_vector(inertia[2]), spin));
    return 0.5 * scene->mass * td_dot(velocity, velocity) + 0.5 * td_dot(spin, momentum);
}

static bool td_body_is_finite(const td_pile_body *body) {
    double sum = 0.0;
    for (int i = 0; i < 3; ++i) {
        sum += body->pose.position[i] + body->velocity[i] + body->spin[i];
    }
    return isfinite(sum) && td_check_pose(&body->pose) == TD_OK;
}

static bool td_body_escaped(const td_pile_scene *scene, const td_pile_body *body) {
    const double *p = body->pose.position;
    const double most = 3.0 * scene->width;
    return !td_body_is_finite(body) || fabs(p[0]) > most || fabs(p[2]) > most || p[1] > scene->height;
}

static double td_lowest_vertex(const td_pile_scene *scene, const td_pose *pose) {
    const td_vec3 up = td_quat_matrix(td_rotation(pose)).row1; // height above the origin of the mesh
    double lowest = INFINITY;
    for (size_t i = 0; i < scene->mesh.vertex_count; ++i) {
        lowest = fmin(lowest, td_dot(up, td_vector(scene->vertices + 3 * i)));
    }
    return lowest + pose->position[1];
}

// Where b stands in the frame of a.
static td_pose td_relative_pose(const td_pose *a, const td_pose *b) {
    const td_quat turn = td_rotation(a);
    const td_vec3 apart = td_sub(td_vector(b->position), td_vector(a->position));
    const td_vec3 p = td_mat3_unapply(td_quat_matrix(turn), apart);
    const td_quat q = td_quat_mul(td_quat_conjugate(turn), td_rotation(b));
    return (td_pose){{p.x, p.y, p.z}, {q.x, q.y, q.z, q.w}};
}

// Adds the partners of one body that come after it.
static td_result td_count_overlaps(td_pile_outcome *out, td_query *query, const td_mesh *mesh,
                                   const td_pile_scene *scene, const td_pile_body *bodies, uint32_t body) {
    td_collide_def def = td_default_collide_def();
    def.mode = TD_MODE_COUNT;
    for (uint32_t i = body + 1; i < scene->body_count; ++i) {
        const td_vec3 apart =
            td_sub(td_vector(bodies[i].pose.position), td_vector(bodies[body].pose.position));
        // Written so that what is not finite is left out, too.
        if (!(td_length(apart) <= 2.0 * scene->radius) || !td_body_is_finite(&bodies[i])) {
            continue;
        }
        const td_pose pose = td_relative_pose(&bodies[body].pose, &bodies[i].pose);
        td_collide_result result;
        TD_TRY(td_collide(&result, query, mesh, mesh, &pose, &def));
        out->overlapping += result.pair_count > 0;
        out->face_pairs += result.pair_count;
    }
    return TD_OK;
}

static td_result td_find_all_overlaps(td_pile_outcome *out, td_context *context, const td_pile_scene *scene,
                                      const td_pile_body *bodies) {
    td_mesh_def def = td_default_mesh_def();
    def.positions = scene->vertices;
    def.vertex_count = scene->mesh.vertex_count;
    def.triangles = scene->mesh.triangles;
    def.triangle_count = scene->mesh.triangle_count;
    def.borrow = true;
    td_mesh *mesh = NULL;
    td_query *query = NULL;
    TD_TRY(td_create_mesh(&mesh, context, &def));
    td_result result = td_create_query(&query, context);
    for (uint32_t i = 0; result == TD_OK && i < scene->body_count; ++i) {
        if (td_body_is_finite(&bodies[i])) {
            result = td_count_overlaps(out, query, mesh, scene, bodies, i);
        }
    }
    td_destroy_query(query);
    td_destroy_mesh(mesh);
    return result;
}

td_result td_judge_pile(td_pile_outcome *out, td_context *context, const td_pile_scene *scene,
                        const td_pile_body *bodies) {
    *out = (td_pile_outcome){.lowest = INFINITY, .highest = -INFINITY};
    for (uint32_t i = 0; i < scene->body_count; ++i) {
        const td_pile_body *body = &bodies[i];
        const double height = body->pose.position[1];
        out->lowest = fmin(out->lowest, height);
        out->highest = fmax(out->highest, height);
        out->sunk = fmax(out->sunk, -td_lowest_vertex(scene, &body->pose));
        out->fell += height < 0.0;
        out->escaped += td_body_escaped(scene, body);
        out->kinetic += td_pile_kinetic_energy(scene, body) / scene->body_count;
    }
    return td_find_all_overlaps(out, context, scene, bodies);
}
