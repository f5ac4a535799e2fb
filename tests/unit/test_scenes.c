// The scenes that come with the library do what they are for: the arch stands, the chain stays linked, rings
// stay on the peg, nothing leaves the bowl, dominoes fall if the first one is pushed, the stack rests.
#include "io/scene.h"
#include "support/cmocka_all.h"
#include "support/stage.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEST_MOST_BODIES = 256 };

typedef struct test_play {
    td_context *context;
    td_scene *scene;
    td_world *world;
    td_step_report report; // of the last step
} test_play;

static td_context *test_context(void) {
    td_context_def def = td_default_context_def();
    def.thread_count = 1;
    td_context *context = NULL;
    assert_int_equal(td_create_context(&context, &def), TD_OK);
    return context;
}

static test_play test_begin(const char *name) {
    test_play play = {.context = test_context()};
    td_scene_def def = td_default_scene_def();
    def.narrow = test_narrow();
    if (td_load_scene(&play.scene, play.context, name, &def) != TD_OK) {
        fail_msg("%s", td_error_message());
    }
    play.world = td_scene_world(play.scene);
    return play;
}

// The scene with the first `old` in its text replaced.
static test_play test_begin_changed(const char *name, const char *old, const char *by) {
    test_play play = {.context = test_context()};
    td_scene_def def = td_default_scene_def();
    def.narrow = test_narrow();
    uint32_t index = 0;
    while (strcmp(td_builtin_scenes[index].name, name) != 0) {
        ++index;
        assert_true(index < td_builtin_scenes_count);
    }
    const td_builtin_scene *builtin = &td_builtin_scenes[index];
    char *text = malloc(builtin->size + 1), *changed = malloc(builtin->size + strlen(by) + 1);
    assert_true(text != NULL && changed != NULL);
    memcpy(text, builtin->text, builtin->size);
    text[builtin->size] = 0;
    const char *at = strstr(text, old);
    assert_non_null(at);
    const int before = (int)(at - text);
    (void)snprintf(changed, builtin->size + strlen(by) + 1, "%.*s%s%s", before, text, by, at + strlen(old));
    if (td_parse_scene(&play.scene, play.context, changed, strlen(changed), name, NULL, &def) != TD_OK) {
        fail_msg("%s", td_error_message());
    }
    free(text);
    free(changed);
    play.world = td_scene_world(play.scene);
    return play;
}

static void test_end(test_play *play) {
    td_destroy_scene(play->scene);
    td_destroy_context(play->context);
}

static void test_step(test_play *play) {
    if (td_step_scene(&play->report, play->scene) != TD_OK) {
        fail_msg("%s", td_error_message());
    }
}

static void test_run(test_play *play, int steps) {
    for (int i = 0; i < steps; ++i) {
        test_step(play);
    }
}

static td_body_state test_body_at(const test_play *play, uint32_t place) {
    td_body_state body;
    assert_int_equal(td_get_body(&body, play->world, td_body_at(play->world, place)), TD_OK);
    return body;
}

static td_body_state test_find(const test_play *play, const char *name, td_body_id *id) {
    for (uint32_t i = 0; i < td_body_count(play->world); ++i) {
        const td_body_state body = test_body_at(play, i);
        if (strcmp(body.name, name) == 0) {
            *id = td_body_at(play->world, i);
            return body;
        }
    }
    fail_msg("the scene has no body \"%s\"", name);
    return (td_body_state){0};
}

// ---------------------------------------------------------------------------------------------------------
// Small geometry

static double test_dot(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static double test_distance(const double a[3], const double b[3]) {
    const double d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
    return sqrt(test_dot(d, d));
}

// A direction of the body, in the world: v + 2 q x (q x v + w v).
static void test_rotate(double out[3], const double q[4], const double v[3]) {
    double t[3];
    for (int k = 0; k < 3; ++k) {
        const int l = (k + 1) % 3, m = (k + 2) % 3;
        t[k] = q[l] * v[m] - q[m] * v[l] + q[3] * v[k];
    }
    for (int k = 0; k < 3; ++k) {
        const int l = (k + 1) % 3, m = (k + 2) % 3;
        out[k] = v[k] + 2 * (q[l] * t[m] - q[m] * t[l]);
    }
}

typedef struct test_places {
    double centre[TEST_MOST_BODIES][3];
    double turn[TEST_MOST_BODIES][4];
} test_places;

static void test_note(test_places *out, const test_play *play) {
    assert_true(td_body_count(play->world) <= TEST_MOST_BODIES);
    for (uint32_t i = 0; i < td_body_count(play->world); ++i) {
        const td_body_state body = test_body_at(play, i);
        memcpy(out->centre[i], body.centre, sizeof body.centre);
        memcpy(out->turn[i], body.pose.rotation, sizeof body.pose.rotation);
    }
}

typedef struct test_drift {
    double shift;   // m: the farthest that a centre went
    double degrees; // the most that a body turned
} test_drift;

static test_drift test_drift_since(const test_places *places, const test_play *play) {
    test_drift most = {0};
    for (uint32_t i = 0; i < td_body_count(play->world); ++i) {
        const td_body_state body = test_body_at(play, i);
        most.shift = fmax(most.shift, test_distance(body.centre, places->centre[i]));
        const double *p = places->turn[i], *q = body.pose.rotation;
        const double cosine = fabs(p[0] * q[0] + p[1] * q[1] + p[2] * q[2] + p[3] * q[3]);
        most.degrees = fmax(most.degrees, 360 / 3.141592653589793 * acos(fmin(cosine, 1)));
    }
    return most;
}

// ---------------------------------------------------------------------------------------------------------
// What stands

// Wedges give way a little until they bear each other, and then stay. Without sleep, which would hide
// creeping.
static void test_stand(const char *name, double settled, double crept, bool sleepless) {
    test_play play =
        sleepless ? test_begin_changed(name, "\"steps\"", "\"sleep_speed\": 0, \"steps\"") : test_begin(name);
    static test_places start, after;
    const int second = (int)lround(1 / td_scene_step(play.scene));
    test_note(&start, &play);
    test_run(&play, second);
    const test_drift settling = test_drift_since(&start, &play);
    test_note(&after, &play);
    test_run(&play, 59 * second);
    const test_drift creeping = test_drift_since(&after, &play);
    print_message(
        "%s%s: moved by %.5f m, %.3f degrees in the first second, %.5f m, %.3f degrees in the 59 after; "
        "%u awake, deepest %.5f m\n",
        name, sleepless ? " without sleep" : "", settling.shift, settling.degrees, creeping.shift,
        creeping.degrees, play.report.awake, play.report.penetration);
    assert_true(settling.shift < settled);
    assert_true(creeping.shift < crept);
    if (!sleepless) {
        assert_int_equal(play.report.awake, 0);
    }
    test_end(&play);
}

static void test_arch(void **state) {
    (void)state;
    // A voussoir is 0.6 m high. The arch is built with gaps of 0.8 mm, which close first.
    test_stand("arch", 0.03, 0.006, false);
}

static void test_sleepless_arch(void **state) {
    (void)state;
    test_stand("arch", 0.03, 0.012, true);
}

static void test_stack(void **state) {
    (void)state;
    test_stand("stack", 0.01, 0.01, false);
}

// ---------------------------------------------------------------------------------------------------------
// Rings

typedef struct test_ring {
    double centre[3], axis[3]; // in the world; the axis of unit length
    double radius, tube;       // m: of the circle in the middle of the tube, and of the tube
} test_ring;

// A torus is flat along its axis; its mesh is centred.
static test_ring test_ring_of(const td_body_state *body) {
    double lower[3], upper[3], axis[3] = {0};
    td_mesh_bounds(lower, upper, body->mesh);
    int flat = 0, wide = 0;
    for (int k = 1; k < 3; ++k) {
        flat = upper[k] - lower[k] < upper[flat] - lower[flat] ? k : flat;
        wide = upper[k] - lower[k] > upper[wide] - lower[wide] ? k : wide;
    }
    axis[flat] = 1;
    test_ring ring = {.tube = 0.5 * (upper[flat] - lower[flat])};
    ring.radius = 0.5 * (upper[wide] - lower[wide]) - ring.tube;
    memcpy(ring.centre, body->centre, sizeof ring.centre);
    test_rotate(ring.axis, body->pose.rotation, axis);
    return ring;
}

// Two circles are linked if one of them passes through the disc of the other just once. The circle of `b`
// meets the plane of `a` at up to two points: m + s u and m - s u, with m the point nearest to b's centre on
// the line in which the planes meet.
static bool test_linked(const test_ring *a, const test_ring *b) {
    double u[3], v[3], between[3];
    for (int k = 0; k < 3; ++k) {
        const int l = (k + 1) % 3, m = (k + 2) % 3;
        u[k] = a->axis[l] * b->axis[m] - a->axis[m] * b->axis[l];
        between[k] = a->centre[k] - b->centre[k];
    }
    const double sine = sqrt(test_dot(u, u));
    if (sine < 1e-9) {
        return false; // in planes that are parallel
    }
    for (int k = 0; k < 3; ++k) {
        const int l = (k + 1) % 3, m = (k + 2) % 3;
        v[k] = (b->axis[l] * u[m] - b->axis[m] * u[l]) / sine; // in b's plane, across the line
    }
    const double reach =
        test_dot(between, a->axis) / test_dot(v, a->axis); // from b's centre to the line, along v
    const double half = b->radius * b->radius - reach * reach;
    if (half <= 0) {
        return false;
    }
    int through = 0;
    for (int side = -1; side <= 1; side += 2) {
        double point[3];
        for (int k = 0; k < 3; ++k) {
            point[k] = b->centre[k] + reach * v[k] + side * sqrt(half) * u[k] / sine;
        }
        through += test_distance(point, a->centre) < a->radius;
    }
    return through == 1;
}

static void test_linked_by_hand(void **state) {
    (void)state;
    const test_ring a = {{0, 0, 0}, {0, 1, 0}, 1, 0.1};
    const test_ring linked[] = {{{1, 0, 0}, {0, 0, 1}, 1, 0.1},
                                {{1.9, 0, 0}, {0, 0.6, 0.8}, 1, 0.1},
                                {{0.5, 0.5, 0}, {0, 0, 1}, 1, 0.1}};
    const test_ring apart[] = {{{2.1, 0, 0}, {0, 0, 1}, 1, 0.1},
                               {{0, 0, 0}, {0, 0, 1}, 0.5, 0.1},
                               {{0, 0, 0}, {1, 0, 0}, 2, 0.1},
                               {{0.5, 0, 0}, {0, 1, 0}, 1, 0.1},
                               {{1, 1.1, 0}, {0, 0, 1}, 1, 0.1}};
    for (size_t i = 0; i < sizeof linked / sizeof *linked; ++i) {
        assert_true(test_linked(&a, &linked[i]) && test_linked(&linked[i], &a));
    }
    for (size_t i = 0; i < sizeof apart / sizeof *apart; ++i) {
        assert_false(test_linked(&a, &apart[i]) || test_linked(&apart[i], &a));
    }
}

static int test_by_height(const void *a, const void *b) {
    const double ya = ((const td_body_state *)a)->centre[1], yb = ((const td_body_state *)b)->centre[1];
    return ya < yb ? 1 : ya > yb ? -1 : 0;
}

typedef struct test_chain {
    test_play play;
    td_body_id links[TEST_MOST_BODIES]; // the hook first, then downwards
    uint32_t count;
    double stretch; // m: the most that two neighbours were apart, beyond what two rings that touch may be
} test_chain;

static test_chain test_hang(const char *old, const char *by) {
    test_chain chain = {.play = test_begin_changed("chain", old, by)};
    td_body_state bodies[TEST_MOST_BODIES];
    chain.count = td_body_count(chain.play.world);
    assert_int_equal(chain.count, 21);
    for (uint32_t i = 0; i < chain.count; ++i) {
        bodies[i] = test_body_at(&chain.play, i);
    }
    qsort(bodies, chain.count, sizeof *bodies, test_by_height);
    for (uint32_t i = 0; i < chain.count; ++i) {
        (void)test_find(&chain.play, bodies[i].name, &chain.links[i]);
    }
    return chain;
}

static void test_check_links(test_chain *chain) {
    test_ring above = {0};
    for (uint32_t i = 0; i < chain->count; ++i) {
        td_body_state body;
        assert_int_equal(td_get_body(&body, chain->play.world, chain->links[i]), TD_OK);
        const test_ring ring = test_ring_of(&body);
        if (i > 0) {
            const double apart = test_distance(ring.centre, above.centre);
            chain->stretch = fmax(chain->stretch, apart - 2 * (ring.radius - ring.tube));
            if (!test_linked(&ring, &above) || chain->stretch > ring.tube) {
                fail_msg("step %llu: %s is %g m from the link above, %s",
                         (unsigned long long)chain->play.report.step, body.name, apart,
                         test_linked(&ring, &above) ? "linked" : "no longer linked");
            }
        }
        above = ring;
    }
}

static void test_swing(test_chain *chain, double seconds, const char *how) {
    double deepest = 0, fastest = 0;
    const int steps = (int)lround(seconds / td_scene_step(chain->play.scene));
    test_check_links(chain);
    for (int i = 0; i < steps; ++i) {
        test_step(&chain->play);
        test_check_links(chain);
        deepest = fmax(deepest, chain->play.report.penetration);
    }
    for (uint32_t i = 0; i < chain->count; ++i) {
        const td_body_state body = test_body_at(&chain->play, i);
        fastest = fmax(fastest, sqrt(test_dot(body.velocity, body.velocity)));
    }
    print_message(
        "the chain, %s: linked for %g s, stretched by %.4f m a link at most, deepest %.4f m; fastest "
        "at the end %.2f m/s\n",
        how, seconds, chain->stretch, deepest, fastest);
}

static void test_chain_hangs(void **state) {
    (void)state;
    test_chain chain = test_hang("\"swing\": 1", "\"swing\": 0");
    test_swing(&chain, 60, "hanging");
    test_end(&chain.play);
}

static void test_chain_swings(void **state) {
    (void)state;
    test_chain chain = test_hang("\"swing\": 1", "\"swing\": 1");
    test_swing(&chain, 60, "swinging as in the scene");
    test_end(&chain.play);
}

static void test_chain_pushed(void **state) {
    (void)state;
    const double speeds[][3] = {{6, 0, 0}, {0, 0, -9}, {4, 12, 3}};
    test_chain chain = test_hang("\"swing\": 1", "\"swing\": 0");
    for (size_t s = 0; s < sizeof speeds / sizeof *speeds; ++s) {
        const double spin[3] = {0};
        for (uint32_t i = chain.count - 5; i < chain.count; ++i) {
            assert_int_equal(td_set_body_velocity(chain.play.world, chain.links[i], speeds[s], spin), TD_OK);
        }
        test_swing(&chain, 10, "lowest links pushed");
    }
    test_end(&chain.play);
}

static void test_chain_dragged(void **state) {
    (void)state;
    test_chain chain = test_hang("\"kind\": \"static\"", "\"kind\": \"kinematic\"");
    const double speeds[][3] = {{2, 0, 0}, {-2, 0, 1}, {0, 1, 0}, {0, -1, -1}, {0, 0, 0}}, spin[3] = {0};
    for (size_t s = 0; s < sizeof speeds / sizeof *speeds; ++s) {
        assert_int_equal(td_set_body_velocity(chain.play.world, chain.links[0], speeds[s], spin), TD_OK);
        test_swing(&chain, 3, "hook dragged about");
    }
    test_end(&chain.play);
}

// Whether the axis of the peg (x = z = 0, from the ground to its top) goes through the ring.
static bool test_on_peg(const test_ring *ring, double top) {
    const double lean = ring->axis[0] * ring->centre[0] + ring->axis[2] * ring->centre[2];
    const double through[3] = {0, ring->centre[1] + lean / ring->axis[1], 0};
    return ring->axis[1] != 0 && through[1] > 0 && through[1] < top &&
           test_distance(through, ring->centre) < ring->radius;
}

// How far a point is from the circle in the middle of the tube.
static double test_circle_distance(const test_ring *ring, const double point[3]) {
    double d[3];
    for (int k = 0; k < 3; ++k) {
        d[k] = point[k] - ring->centre[k];
    }
    const double height = test_dot(d, ring->axis);
    return hypot(sqrt(fmax(test_dot(d, d) - height * height, 0)) - ring->radius, height);
}

// How far two rings are inside each other, by the circles in the middle of their tubes: 0 if they are apart.
static double test_ring_overlap(const test_ring *a, const test_ring *b) {
    enum { TEST_POINTS = 720 };
    // Two directions across the axis.
    const int least = fabs(a->axis[0]) < fabs(a->axis[1]) ? 0 : 1;
    double u[3] = {0}, v[3], nearest = 1e9;
    for (int k = 0; k < 3; ++k) {
        u[k] = (k == least) - a->axis[least] * a->axis[k];
    }
    const double length = sqrt(test_dot(u, u));
    for (int k = 0; k < 3; ++k) {
        v[k] = (a->axis[(k + 1) % 3] * u[(k + 2) % 3] - a->axis[(k + 2) % 3] * u[(k + 1) % 3]) / length;
    }
    for (int i = 0; i < TEST_POINTS; ++i) {
        const double angle = 2 * 3.141592653589793 * i / TEST_POINTS;
        double point[3];
        for (int k = 0; k < 3; ++k) {
            point[k] = a->centre[k] + a->radius * (cos(angle) * u[k] / length + sin(angle) * v[k]);
        }
        nearest = fmin(nearest, test_circle_distance(b, point));
    }
    return fmax(a->tube + b->tube - nearest, 0);
}

typedef struct test_peg_rings {
    test_ring rings[TEST_MOST_BODIES];
    const char *names[TEST_MOST_BODIES];
    uint32_t count, on;
} test_peg_rings;

static void test_find_rings(test_peg_rings *out, const test_play *play, double top) {
    out->count = out->on = 0;
    for (uint32_t i = 0; i < td_body_count(play->world); ++i) {
        const td_body_state body = test_body_at(play, i);
        if (body.kind == TD_BODY_DYNAMIC) {
            out->rings[out->count] = test_ring_of(&body);
            out->names[out->count] = body.name;
            out->on += test_on_peg(&out->rings[out->count], top);
            ++out->count;
        }
    }
}

static double test_deepest_overlap(const test_peg_rings *rings) {
    double deepest = 0;
    for (uint32_t i = 0; i < rings->count; ++i) {
        for (uint32_t k = 0; k < i; ++k) {
            deepest = fmax(deepest, test_ring_overlap(&rings->rings[i], &rings->rings[k]));
        }
    }
    return deepest;
}

// Rings may bounce off the top again as long as they fall; none goes through the side of the peg, or the
// ground.
static void test_peg(void **state) {
    (void)state;
    test_play play = test_begin("peg");
    static test_peg_rings rings;
    double lower[3], upper[3], lowest = 1e9;
    td_body_id id;
    bool was_on[TEST_MOST_BODIES] = {0};
    td_mesh_bounds(lower, upper, test_find(&play, "peg", &id).mesh);
    for (uint64_t s = 0; s < td_scene_steps(play.scene); ++s) {
        test_step(&play);
        test_find_rings(&rings, &play, upper[1]);
        for (uint32_t i = 0; i < rings.count; ++i) {
            const test_ring *ring = &rings.rings[i];
            const bool on = test_on_peg(ring, upper[1]);
            if (was_on[i] && !on && ring->centre[1] + ring->radius < upper[1]) {
                fail_msg("step %llu: %s went through the peg at height %g m", (unsigned long long)s,
                         rings.names[i], ring->centre[1]);
            }
            was_on[i] = on;
            lowest = fmin(lowest, ring->centre[1] / ring->tube);
        }
    }
    const double overlap = test_deepest_overlap(&rings);
    print_message(
        "peg: %u of %u rings on it at the end, kinetic energy %.3g J, %u awake; rings are %.4f m inside each "
        "other, deepest contact %.4f m; a ring was %.2f of its tube above the ground at least\n",
        rings.on, rings.count, play.report.kinetic_energy, play.report.awake, overlap,
        play.report.penetration, lowest);
    assert_true(rings.on >= 1);
    assert_true(lowest > 0.5);
    // The rings are meshes, by up to 0.01 m thinner than the tubes that are measured here.
    const double size = rings.rings[0].radius + rings.rings[0].tube;
    assert_true(overlap < 0.02 * size + 0.01);
    assert_true(play.report.penetration < 0.02 * size);
    test_end(&play);
}

// ---------------------------------------------------------------------------------------------------------
// The bowl

// As the shape has it (src/mesh/shape_round.c), scaled by 5 and put 2.6 m up.
static const double test_bowl_centre[3] = {0, 5.1, 0};
static const double test_bowl_inner = 4.5, test_bowl_outer = 5;

static void test_bowl(void **state) {
    (void)state;
    test_play play = test_begin("bowl");
    double peak = 0; // J
    for (uint64_t s = 0; s < td_scene_steps(play.scene); ++s) {
        test_step(&play);
        peak = fmax(peak, play.report.kinetic_energy);
        for (uint32_t i = 0; i < td_body_count(play.world); ++i) {
            const td_body_state body = test_body_at(&play, i);
            if (body.kind == TD_BODY_DYNAMIC && body.centre[1] < test_bowl_centre[1] &&
                test_distance(body.centre, test_bowl_centre) > test_bowl_outer) {
                fail_msg("step %llu: %s is outside, at %g %g %g", (unsigned long long)s, body.name,
                         body.centre[0], body.centre[1], body.centre[2]);
            }
        }
    }
    double farthest = 0, lowest = test_bowl_centre[1];
    for (uint32_t i = 0; i < td_body_count(play.world); ++i) {
        const td_body_state body = test_body_at(&play, i);
        if (body.kind != TD_BODY_DYNAMIC) {
            continue;
        }
        assert_true(hypot(body.centre[0], body.centre[2]) < test_bowl_inner);
        lowest = fmin(lowest, body.centre[1]);
        for (uint32_t v = 0; v < td_mesh_vertex_count(body.mesh); ++v) {
            double at[3], point[3];
            td_mesh_vertex(at, body.mesh, v);
            test_rotate(point, body.pose.rotation, at);
            for (int k = 0; k < 3; ++k) {
                point[k] += body.pose.position[k];
            }
            if (point[1] < test_bowl_centre[1]) {
                farthest = fmax(farthest, test_distance(point, test_bowl_centre));
            }
        }
    }
    print_message(
        "bowl: all inside; farthest vertex %.4f m from the middle, lowest centre %.3f m, deepest %.4f m, "
        "%u awake\n",
        farthest, lowest, play.report.penetration, play.report.awake);
    assert_true(farthest < test_bowl_inner + 0.02);
    assert_true(play.report.penetration < 0.02);
    assert_true(play.report.kinetic_energy < 1e-3 * peak);
    test_end(&play);
}

// ---------------------------------------------------------------------------------------------------------
// Dominoes

// How many are tilted by more than 45 degrees, of `count`; the smallest and the largest tilt in degrees.
static uint32_t test_fallen(const test_play *play, uint32_t *count, double tilt[2]) {
    uint32_t fallen = 0;
    *count = 0;
    tilt[0] = 180;
    tilt[1] = 0;
    for (uint32_t i = 0; i < td_body_count(play->world); ++i) {
        const td_body_state body = test_body_at(play, i);
        if (body.kind == TD_BODY_DYNAMIC) {
            const double up[3] = {0, 1, 0};
            double axis[3];
            test_rotate(axis, body.pose.rotation, up);
            const double degrees = 180 / 3.141592653589793 * acos(fmin(axis[1], 1));
            tilt[0] = fmin(tilt[0], degrees);
            tilt[1] = fmax(tilt[1], degrees);
            fallen += degrees > 45;
            ++*count;
        }
    }
    return fallen;
}

static void test_dominoes(void **state) {
    (void)state;
    for (int pushed = 0; pushed < 2; ++pushed) {
        test_play play = test_begin("dominoes");
        td_body_id first = {0};
        (void)test_find(&play, "first", &first);
        if (!pushed) {
            const double still[3] = {0};
            assert_int_equal(td_set_body_velocity(play.world, first, still, still), TD_OK);
        }
        test_run(&play, (int)td_scene_steps(play.scene));
        uint32_t count;
        double tilt[2];
        const uint32_t fallen = test_fallen(&play, &count, tilt);
        print_message("dominoes, the first %s: %u of %u fell, tilted by %.2f to %.2f degrees, %u awake\n",
                      pushed ? "pushed" : "left alone", fallen, count, tilt[0], tilt[1], play.report.awake);
        assert_int_equal(fallen, pushed ? count : 0);
        assert_true(pushed || tilt[1] < 0.1);
        assert_int_equal(play.report.awake, 0);
        test_end(&play);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arch),         cmocka_unit_test(test_sleepless_arch),
        cmocka_unit_test(test_stack),        cmocka_unit_test(test_linked_by_hand),
        cmocka_unit_test(test_chain_hangs),  cmocka_unit_test(test_chain_swings),
        cmocka_unit_test(test_chain_pushed), cmocka_unit_test(test_chain_dragged),
        cmocka_unit_test(test_peg),          cmocka_unit_test(test_bowl),
        cmocka_unit_test(test_dominoes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
