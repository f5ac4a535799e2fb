// Impacts: what would pass through each other in a lap is pushed apart, inelastically, before anything is
// held back. Contacts are solved one after the other, and only once in a sub-step, so where many layers lie
// upon each other some are left; a few rounds for just these are enough for nearly all.
//
// based on: Bridson, Fedkiw and Anderson, Robust Treatment of Collisions, Contact and Friction for Cloth
// Animation, 2002, section 7.4. Rigid bodies stand as they are here.
#include "closest.h"
#include "softs.h"

#include <math.h>

// In thicknesses: what is between the two afterwards, at least; and how far the one may be beyond the other
// to be pushed back. More than that has been missed, not left over, and pushing would tear at the bodies.
static const double td_left_apart = 0.02, td_most_beyond = 0.5;

static td_vec3 td_hit_point(const td_softs *softs, const td_soft_hit *hit, int i, double time) {
    const uint32_t v = hit->pair.point[i];
    td_path path = {{softs->start.items[hit->pair.rigid >> i & 1 ? 0 : v],
                     softs->x.items[hit->pair.rigid >> i & 1 ? 0 : v]}};
    if (hit->pair.rigid >> i & 1) {
        const td_obstacle *o = &softs->obstacles[hit->pair.obstacle];
        path.at[0] = td_obstacle_point(o, o->lap[0].position, o->turn[0], v);
        path.at[1] = td_obstacle_point(o, o->at.position, o->turn[1], v);
    }
    return td_path_at(&path, time);
}

// The direction in which the first is to go, of length 1; false: there is none.
static bool td_impact_normal(td_vec3 *normal, const td_soft_hit *hit, const td_vec3 p[4], td_vec3 way) {
    const bool edges = hit->pair.kind == TD_EDGE_EDGE;
    td_vec3 n = edges ? td_cross(td_sub(p[1], p[0]), td_sub(p[3], p[2]))
                      : td_cross(td_sub(p[2], p[1]), td_sub(p[3], p[1]));
    double length = td_length(n);
    if (!(length > 1e-12)) {
        n = way;
        length = td_length(n);
    }
    if (!(length > 0)) {
        return false;
    }
    *normal = td_scale(n, (td_dot(n, way) > 0 ? -1 : 1) / length);
    return true;
}

static td_vec3 td_weigh(const td_vec3 p[4], const double weight[4]) {
    return td_add(td_add(td_scale(p[0], weight[0]), td_scale(p[1], weight[1])),
                  td_add(td_scale(p[2], weight[2]), td_scale(p[3], weight[3])));
}

// How fast points of the two near each other along the normal; what is rigid moves as it did in the lap.
static td_vec3 td_hit_velocity(const td_softs *softs, const td_soft_hit *hit, int i, double time) {
    if (!(hit->pair.rigid >> i & 1)) {
        return softs->v.items[hit->pair.point[i]];
    }
    return td_scale(td_sub(td_hit_point(softs, hit, i, 1), td_hit_point(softs, hit, i, 0)), 1 / time);
}

static bool td_push_hit(td_softs *softs, const td_soft_hit *hit, double time) {
    td_vec3 p[4], way[4], v[4];
    for (int i = 0; i < 4; ++i) {
        p[i] = td_hit_point(softs, hit, i, hit->time);
        way[i] = td_sub(td_hit_point(softs, hit, i, 1), td_hit_point(softs, hit, i, 0));
        v[i] = td_hit_velocity(softs, hit, i, time);
    }
    const td_closest near = hit->pair.kind == TD_EDGE_EDGE ? td_closest_edges(p[0], p[1], p[2], p[3])
                                                           : td_closest_vertex_face(p[0], p[1], p[2], p[3]);
    double weights = 0;
    for (int i = 0; i < 4; ++i) {
        weights += hit->pair.rigid >> i & 1
                       ? 0
                       : near.weight[i] * near.weight[i] * softs->weight.items[hit->pair.point[i]];
    }
    td_vec3 n;
    if (!(weights > 0) || !td_impact_normal(&n, hit, p, td_weigh(way, near.weight))) {
        return false;
    }
    const double beyond = td_dot(n, td_weigh(way, near.weight)) * (1 - hit->time);
    if (-beyond > td_most_beyond * hit->thickness) {
        return false;
    }
    const double left = fmax(td_left_apart * hit->thickness, hit->distance);
    const double push = (left - beyond) / weights;
    // What still goes apart may; all else that the two do relative to each other ends here, or light vertices
    // between layers would go to and fro.
    const td_vec3 nears = td_weigh(v, near.weight);
    const td_vec3 stop = td_scale(td_sub(td_scale(n, fmax(0, td_dot(n, nears))), nears), 1 / weights);
    for (int i = 0; i < 4 && push > 0; ++i) {
        if (!(hit->pair.rigid >> i & 1)) {
            const uint32_t k = hit->pair.point[i];
            const double part = near.weight[i] * softs->weight.items[k];
            softs->x.items[k] = td_add(softs->x.items[k], td_scale(n, push * part));
            softs->v.items[k] = td_add(softs->v.items[k], td_scale(stop, part));
        }
    }
    return true;
}

size_t td_push_hits(td_softs *softs, double time) {
    size_t pushed = 0;
    for (size_t i = 0; i < softs->hits.count; ++i) {
        pushed += td_push_hit(softs, &softs->hits.items[i], time);
    }
    return pushed;
}
