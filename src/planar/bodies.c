// From the caller's definitions to shapes, corners and motions, each checked: messages name the object.
#include "planar.h"

#include <math.h>

static td_result td_refuse_object(uint32_t i, const char *what, double value, const char *expected) {
    return td_fail(TD_ERROR_ARGUMENT, "object %u: %s %g: expected %s", i, what, value, expected);
}

static td_result td_check_numbers(uint32_t i, const td_planar_body_def *body) {
    const double numbers[] = {body->position[0], body->position[1], body->velocity[0],
                              body->velocity[1], body->angle,       body->spin,
                              body->radius,      body->mass,        body->density};
    static const char *const names[] = {"position x", "position y", "velocity x", "velocity y", "angle",
                                        "spin",       "radius",     "mass",       "density"};
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; ++k) {
        if (!isfinite(numbers[k]) || fabs(numbers[k]) > 1e12) {
            return td_refuse_object(i, names[k], numbers[k], "a finite number of a magnitude up to 1e12");
        }
    }
    if (body->kind != TD_PLANAR_POLYGON && !(body->radius > 0)) {
        return td_refuse_object(i, "radius", body->radius, "a number > 0");
    }
    if (body->mass < 0) {
        return td_refuse_object(i, "mass", body->mass, "a number > 0, or 0 for one from the density");
    }
    if (body->mass == 0 && !(body->density > 0) && !body->is_static) {
        return td_refuse_object(i, "density", body->density, "a number > 0");
    }
    if (body->is_static && (body->velocity[0] != 0 || body->velocity[1] != 0 || body->spin != 0)) {
        return td_fail(TD_ERROR_ARGUMENT, "object %u: is static and has a velocity: expected none", i);
    }
    return TD_OK;
}

// ---------------------------------------------------------------------------------------------------------
// Polygons

typedef struct td_outline {
    td_planar_vector corner[TD_PLANAR_CORNERS_MOST];
    uint32_t count;
    double area;
    td_planar_vector centre;
} td_outline;

static td_result td_read_outline(td_outline *out, uint32_t i, const td_planar_body_def *body) {
    out->count = body->corner_count;
    if (out->count < 3 || out->count > TD_PLANAR_CORNERS_MOST) {
        return td_fail(TD_ERROR_ARGUMENT, "object %u: a polygon of %u corners: expected 3 to %d", i,
                       out->count, TD_PLANAR_CORNERS_MOST);
    }
    if (body->kind == TD_PLANAR_POLYGON && body->corners == NULL) {
        return td_fail(TD_ERROR_ARGUMENT, "object %u: a polygon without corners", i);
    }
    for (uint32_t k = 0; k < out->count; ++k) {
        if (body->kind == TD_PLANAR_POLYGON) {
            out->corner[k] = td_planar_make(body->corners[2 * k], body->corners[2 * k + 1]);
        } else {
            const td_planar_turn turn = td_planar_turn_of(2 * TD_PLANAR_PI * k / out->count);
            out->corner[k] = td_planar_make(body->radius * turn.c, body->radius * turn.s);
        }
        if (!isfinite(out->corner[k].x) || !isfinite(out->corner[k].y) ||
            fmax(fabs(out->corner[k].x), fabs(out->corner[k].y)) > 1e12) {
            return td_fail(TD_ERROR_ARGUMENT, "object %u: corner %u is (%g, %g): expected finite numbers", i,
                           k, out->corner[k].x, out->corner[k].y);
        }
    }
    return TD_OK;
}

static td_planar_vector td_minus(td_planar_vector a, td_planar_vector b) {
    return td_planar_make(a.x - b.x, a.y - b.y);
}

// Every corner is on the left of every edge that it is not on: convex, counter-clockwise, going round once.
static td_result td_check_outline(uint32_t i, const td_outline *outline) {
    double twice = 0;
    for (uint32_t k = 0; k < outline->count; ++k) {
        twice += td_planar_cross(outline->corner[k], outline->corner[(k + 1) % outline->count]);
    }
    if (twice < 0) {
        return td_fail(TD_ERROR_ARGUMENT,
                       "object %u: the corners of its polygon go clockwise: expected counter-clockwise", i);
    }
    for (uint32_t k = 0; k < outline->count; ++k) {
        const uint32_t end = (k + 1) % outline->count;
        const td_planar_vector edge = td_minus(outline->corner[end], outline->corner[k]);
        for (uint32_t other = 0; other < outline->count; ++other) {
            if (other != k && other != end &&
                !(td_planar_cross(edge, td_minus(outline->corner[other], outline->corner[k])) > 0)) {
                return td_fail(
                    TD_ERROR_ARGUMENT,
                    "object %u: its polygon is not convex: corner %u is not on the left of the edge from "
                    "corner %u to %u",
                    i, other, k, end);
            }
        }
    }
    return TD_OK;
}

static void td_centre_outline(td_outline *outline) {
    double twice = 0, x = 0, y = 0;
    const td_planar_vector origin = outline->corner[0];
    for (uint32_t k = 1; k + 1 < outline->count; ++k) {
        const td_planar_vector p = td_minus(outline->corner[k], origin);
        const td_planar_vector q = td_minus(outline->corner[k + 1], origin);
        const double cross = td_planar_cross(p, q);
        twice += cross;
        x += cross * (p.x + q.x) / 3;
        y += cross * (p.y + q.y) / 3;
    }
    outline->area = 0.5 * twice;
    outline->centre = td_planar_make(origin.x + x / twice, origin.y + y / twice);
    for (uint32_t k = 0; k < outline->count; ++k) {
        outline->corner[k] = td_minus(outline->corner[k], outline->centre);
    }
}

// About the centre of mass, per mass.
static double td_inertia_of_outline(const td_outline *outline) {
    double sum = 0, twice = 0;
    for (uint32_t k = 0; k < outline->count; ++k) {
        const td_planar_vector p = outline->corner[k], q = outline->corner[(k + 1) % outline->count];
        const double cross = td_planar_cross(p, q);
        twice += cross;
        sum += cross * (td_planar_dot(p, p) + td_planar_dot(p, q) + td_planar_dot(q, q));
    }
    return sum / (6 * twice);
}

static void td_keep_corners(td_planar *planar, td_planar_shape *shape, const td_outline *outline) {
    for (uint32_t k = 0; k < outline->count; ++k) {
        const td_planar_vector p = outline->corner[k], q = outline->corner[(k + 1) % outline->count];
        const td_planar_vector edge = td_minus(q, p);
        const double length = sqrt(td_planar_dot(edge, edge));
        td_planar_corner *corner = &planar->corners[shape->first + k];
        *corner = (td_planar_corner){p.x, p.y, edge.y / length, -edge.x / length, 0, length};
        corner->height = corner->nx * p.x + corner->ny * p.y;
        shape->radius = fmax(shape->radius, sqrt(td_planar_dot(p, p)) * (1 + 1e-15));
    }
}

static td_result td_take_polygon(td_planar *planar, uint32_t i, const td_planar_body_def *body,
                                 uint32_t first_corner) {
    td_outline outline = {0};
    TD_TRY(td_read_outline(&outline, i, body));
    TD_TRY(td_check_outline(i, &outline));
    td_centre_outline(&outline);
    td_planar_shape *shape = &planar->shapes[i];
    *shape = (td_planar_shape){.kind = TD_SHAPE_POLYGON, .first = first_corner, .count = outline.count};
    td_keep_corners(planar, shape, &outline);
    const double mass = body->mass > 0 ? body->mass : body->density * outline.area;
    if (!body->is_static) {
        shape->inverse_mass = 1 / mass;
        shape->inverse_inertia = 1 / (mass * td_inertia_of_outline(&outline));
    }
    const td_planar_vector centre =
        td_planar_rotate(td_planar_turn_of(planar->motions[i].angle), outline.centre);
    planar->motions[i].x += centre.x;
    planar->motions[i].y += centre.y;
    return TD_OK;
}

// A circle keeps its spin: without friction nothing turns it, and nothing of its inertia is needed.
static void td_take_circle(td_planar *planar, uint32_t i, const td_planar_body_def *body) {
    const double mass =
        body->mass > 0 ? body->mass : body->density * TD_PLANAR_PI * body->radius * body->radius;
    planar->shapes[i] = (td_planar_shape){
        .kind = TD_SHAPE_CIRCLE, .radius = body->radius, .inverse_mass = body->is_static ? 0 : 1 / mass};
}

static void td_add_walls(td_planar *planar, uint32_t first_corner) {
    const double normals[TD_PLANAR_WALLS][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}};
    const double offsets[TD_PLANAR_WALLS] = {0, -planar->def.room[0], 0, -planar->def.room[1]};
    for (uint32_t k = 0; k < TD_PLANAR_WALLS; ++k) {
        planar->shapes[planar->count + k] = (td_planar_shape){
            .kind = TD_SHAPE_WALL, .first = first_corner + k, .count = 1, .offset = offsets[k]};
        planar->corners[first_corner + k] = (td_planar_corner){.nx = normals[k][0], .ny = normals[k][1]};
    }
}

static void td_set_rules(td_planar *planar) {
    double smallest = TD_PLANAR_FAR;
    for (uint32_t i = 0; i < planar->count; ++i) {
        smallest = fmin(smallest, planar->shapes[i].radius);
    }
    const td_planar_def *def = &planar->def;
    const double skin = def->skin > 0 ? def->skin : 1e-6 * smallest;
    planar->rules = (td_planar_rules){.step = def->step,
                                      .skin = skin,
                                      .margin = 2 * skin,
                                      .restitution = def->restitution,
                                      .size = planar->size,
                                      .bodies = planar->count,
                                      .halvings = (uint32_t)ceil(-log2(def->epsilon)),
                                      .algebraic = def->hit_times == TD_PLANAR_ALGEBRAIC};
}

td_result td_take_planar_bodies(td_planar *planar, const td_planar_body_def *bodies) {
    uint32_t corner = 0;
    for (uint32_t i = 0; i < planar->count; ++i) {
        const td_planar_body_def *body = &bodies[i];
        TD_TRY(td_check_cookie(body->cookie, TD_COOKIE_FLATBODY, "td_default_planar_body_def"));
        TD_TRY(td_check_numbers(i, body));
        planar->motions[i] = td_planar_forward((td_planar_motion){.x = body->position[0],
                                                                  .y = body->position[1],
                                                                  .vx = body->velocity[0],
                                                                  .vy = body->velocity[1],
                                                                  .angle = body->angle,
                                                                  .spin = body->spin},
                                               0);
        if (body->kind == TD_PLANAR_CIRCLE) {
            td_take_circle(planar, i, body);
        } else {
            TD_TRY(td_take_polygon(planar, i, body, corner));
            corner += body->corner_count;
        }
    }
    td_add_walls(planar, corner);
    td_set_rules(planar);
    return TD_OK;
}
