#include "deforming.h"

#include "message.h"

#include <math.h>
#include <stdio.h>

static const double td_pi = 3.141592653589793;

// Where in the motion a frame is, 0 to 1.
static double td_time_of(uint32_t frame, uint32_t steps) {
    return steps < TD_DEFORMING_STEPS ? (double)(TD_DEFORMING_STEPS - steps + frame) / TD_DEFORMING_STEPS
                                      : (double)frame / steps;
}

static double *td_vertex_of(const td_cli_sequence *sequence, uint32_t frame, uint32_t vertex) {
    return sequence->positions + 3 * ((size_t)frame * sequence->vertex_count + vertex);
}

static bool td_make_ball(td_mesh **out, td_cli_session *session) {
    if (td_create_shape(out, session->context, "sphere", 1) != TD_OK) {
        td_cli_library_error(NULL);
        return false;
    }
    return true;
}

static void td_put_ball_triangles(uint32_t *next, const td_mesh *ball, uint32_t first_vertex) {
    for (uint32_t t = 0; t < td_mesh_triangle_count(ball); ++t) {
        td_mesh_triangle(next + 3 * (size_t)t, ball, t);
        for (size_t k = 0; k < 3; ++k) {
            next[3 * (size_t)t + k] += first_vertex;
        }
    }
}

// ---------------------------------------------------------------------------------------------------------
// The cloth

enum { TD_SHEET_SIDE = 213, TD_SHEET_FOLDS = 16 };

// A sheet of side 4 over the unit sphere. Up to the polar angle `wrapped` it lies on the sphere, a hair off;
// beyond it leaves along the tangent, and what is too much of its circumference goes into folds. They are
// meanders: with growing depth their flanks lean over until neighbours touch.
static void td_drape(double out[3], double x, double z, double time) {
    const double radius = 1.01, wrapped = fmax(0.0, time - 0.1) / 0.9 * 0.5 * td_pi;
    const double height = time < 0.1 ? 2 * (0.1 - time) : 0; // before it is touched it falls
    const double length = sqrt(x * x + z * z), angle = atan2(z, x), free = length - radius * wrapped;
    if (free <= 0) {
        const double polar = length / radius;
        const double around = length > 0 ? radius * sin(polar) / length : 0;
        out[0] = around * x;
        out[1] = height + radius * cos(polar);
        out[2] = around * z;
        return;
    }
    const double from_axis = radius * sin(wrapped) + free * cos(wrapped);
    const double excess = length / from_axis - 1, grown = fmin(1.0, free / 0.6);
    const double uneven = 1 + 0.15 * sin(3 * angle + 5 * time);
    const double phase = TD_SHEET_FOLDS * angle + 0.3 * sin(6 * time + 2 * angle);
    const double depth = 0.13 * grown * excess * uneven * from_axis, lean = 2 * grown * excess * uneven;
    const double turned = angle - lean / TD_SHEET_FOLDS * sin(2 * phase);
    const double away = from_axis + depth * (1 + sin(phase)) * sin(wrapped);
    out[0] = away * cos(turned);
    out[1] = height + radius * cos(wrapped) - free * sin(wrapped) + depth * sin(phase) * cos(wrapped);
    out[2] = away * sin(turned);
}

static void td_put_sheet_triangles(uint32_t *next) {
    const uint32_t side = TD_SHEET_SIDE + 1;
    for (uint32_t i = 0; i < TD_SHEET_SIDE * TD_SHEET_SIDE; ++i) {
        const uint32_t v = i / TD_SHEET_SIDE * side + i % TD_SHEET_SIDE;
        const uint32_t corners[6] = {v, v + 1, v + side, v + 1, v + side + 1, v + side};
        for (int k = 0; k < 6; ++k) {
            *next++ = corners[k];
        }
    }
}

bool td_deforming_cloth(td_cli_sequence *out, td_cli_session *session, uint32_t steps) {
    const uint32_t side = TD_SHEET_SIDE + 1, sheet_triangles = 2 * TD_SHEET_SIDE * TD_SHEET_SIDE;
    td_mesh *ball = NULL;
    *out = (td_cli_sequence){.frame_count = steps + 1};
    snprintf(out->name, sizeof out->name, "cloth");
    if (!td_make_ball(&ball, session)) {
        return false;
    }
    out->vertex_count = side * side + td_mesh_vertex_count(ball);
    out->triangle_count = sheet_triangles + td_mesh_triangle_count(ball);
    const bool room = td_sequence_make_room(out);
    if (room) {
        td_put_sheet_triangles(out->triangles);
        td_put_ball_triangles(out->triangles + 3 * (size_t)sheet_triangles, ball, side * side);
    }
    for (uint32_t f = 0; room && f <= steps; ++f) {
        for (uint32_t v = 0; v < side * side; ++v) {
            const double x = 4.0 * (v % side) / TD_SHEET_SIDE - 2, z = 4.0 * (v / side) / TD_SHEET_SIDE - 2;
            td_drape(td_vertex_of(out, f, v), x, z, td_time_of(f, steps));
        }
        for (uint32_t v = side * side; v < out->vertex_count; ++v) {
            td_mesh_vertex(td_vertex_of(out, f, v), ball, v - side * side);
        }
    }
    td_destroy_mesh(ball);
    return room;
}

// ---------------------------------------------------------------------------------------------------------
// The balls

enum { TD_BALLS = 114 };

typedef struct td_ball_course {
    double from[3], to[3], turns;
} td_ball_course;

// 0 to 1, by splitmix64.
static double td_random(uint64_t *state) {
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

// From somewhere in a cube whose side is eight diameters to somewhere else in it: so that in every frame 47
// to 110 pairs of balls are in each other.
static td_ball_course td_choose_course(uint64_t *state) {
    td_ball_course course;
    for (int k = 0; k < 3; ++k) {
        course.from[k] = 8 * td_random(state);
        course.to[k] = 8 * td_random(state);
    }
    course.turns = 2 * td_random(state) - 1;
    return course;
}

static void td_put_ball(double *next, const td_mesh *ball, const td_ball_course *course, double time) {
    const double cosine = cos(2 * td_pi * course->turns * time);
    const double sine = sin(2 * td_pi * course->turns * time);
    for (uint32_t v = 0; v < td_mesh_vertex_count(ball); ++v) {
        double unit[3];
        td_mesh_vertex(unit, ball, v);
        const double turned[3] = {cosine * unit[0] - sine * unit[2], unit[1],
                                  sine * unit[0] + cosine * unit[2]};
        for (int k = 0; k < 3; ++k) {
            *next++ = 0.5 * turned[k] + course->from[k] + time * (course->to[k] - course->from[k]);
        }
    }
}

bool td_deforming_balls(td_cli_sequence *out, td_cli_session *session, uint32_t steps) {
    td_mesh *ball = NULL;
    uint64_t state = 1;
    *out = (td_cli_sequence){.frame_count = steps + 1};
    snprintf(out->name, sizeof out->name, "balls");
    if (!td_make_ball(&ball, session)) {
        return false;
    }
    const uint32_t vertices = td_mesh_vertex_count(ball), triangles = td_mesh_triangle_count(ball);
    out->vertex_count = TD_BALLS * vertices;
    out->triangle_count = TD_BALLS * triangles;
    const bool room = td_sequence_make_room(out);
    for (uint32_t i = 0; room && i < TD_BALLS; ++i) {
        const td_ball_course course = td_choose_course(&state);
        td_put_ball_triangles(out->triangles + 3 * (size_t)i * triangles, ball, i * vertices);
        for (uint32_t f = 0; f <= steps; ++f) {
            td_put_ball(td_vertex_of(out, f, i * vertices), ball, &course, td_time_of(f, steps));
        }
    }
    td_destroy_mesh(ball);
    return room;
}
