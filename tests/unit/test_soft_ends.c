// The search of soft bodies against every pair of features asked one by one: what comes within reach at any
// time of an outlook is found, and after some have got other lines all that does so and has one of them; for
// every instruction set and number of threads the same, in the same order.
#include "deform/softs.h"
#include "support/cmocka_all.h"
#include "support/variants.h"
#include "test_continuous_support.h"

#include <math.h>
#include <stdio.h>

enum { TEST_SOFTS = 2, TEST_BODIES = 3 }; // the last is rigid

// Where everything is: at the beginning, where it is predicted to be, and where it comes.
typedef struct test_lap {
    test_mesh rest[TEST_BODIES];
    double *start[TEST_SOFTS], *predicted[TEST_SOFTS], *reached[TEST_SOFTS];
    uint8_t *marks[TEST_SOFTS];
    td_stand stands[3];
    double thickness[TEST_SOFTS];
    bool marked; // the rigid one
} test_lap;

// What was found, by pairs of bodies.
typedef struct test_find {
    uint32_t a, b, kind, first, second;
    double time;
} test_find;

typedef struct test_finds {
    test_find *items;
    size_t count;
} test_finds;

// ---------------------------------------------------------------------------------------------------------
// Asking

static void test_set(td_vec3 *out, const double *positions, uint32_t count) {
    for (uint32_t v = 0; v < count; ++v) {
        out[v] = td_vec3_make(positions[3 * v], positions[3 * v + 1], positions[3 * v + 2]);
    }
}

static td_soft *test_add_soft(td_softs *softs, const td_mesh *mesh, const test_lap *lap, uint32_t body) {
    td_soft_def def = td_default_soft_def();
    def.thickness = lap->thickness[body];
    const td_soft_start start = {.body = body,
                                 .mesh = mesh,
                                 .def = &def,
                                 .frame = {.rotation = {0, 0, 0, 1}},
                                 .mass = 1,
                                 .friction = 0.5,
                                 .gravity_scale = 1,
                                 .group = 1,
                                 .collides_with = 1};
    td_soft *soft = NULL;
    if (td_softs_add(&soft, softs, &start) != TD_OK) {
        fail_msg("%s", td_error_message());
    }
    td_vec3 to[4096];
    const uint32_t count = lap->rest[body].vertex_count;
    assert_true(count <= 4096);
    test_set(softs->x.items + soft->first, lap->start[body], count);
    test_set(softs->start.items + soft->first, lap->start[body], count);
    test_set(to, lap->predicted[body], count);
    for (uint32_t v = 0; v < count; ++v) {
        softs->v.items[soft->first + v] = td_sub(to[v], softs->x.items[soft->first + v]);
    }
    return soft;
}

static td_obstacle test_obstacle(const td_mesh *mesh, const test_lap *lap) {
    td_obstacle o = {.there = true,
                     .mesh = mesh,
                     .radius = 10,
                     .group = 1,
                     .collides_with = 1,
                     .generation = 1,
                     .start = lap->stands[0],
                     .end = lap->stands[1],
                     .at = lap->stands[0],
                     .lap = {lap->stands[0], lap->stands[1]}};
    o.turn[0] = o.turn[1] = td_quat_matrix(lap->stands[0].rotation);
    return o;
}

static test_finds test_take(const td_softs *softs) {
    size_t count = 0;
    for (size_t i = 0; i < softs->items.count; ++i) {
        count += softs->items.items[i].count;
    }
    test_finds out = {malloc((count + 1) * sizeof(test_find)), 0};
    assert_non_null(out.items);
    for (size_t i = 0; i < softs->items.count; ++i) {
        const td_walk_item *item = &softs->items.items[i];
        const td_soft_pair *pair = &softs->pairs.items[item->pair];
        for (size_t k = 0; k < item->count; ++k) {
            const td_near_found *found = &softs->workers[item->worker].found.items[item->first + k];
            out.items[out.count++] = (test_find){pair->a,     pair->b == TD_NONE ? TEST_SOFTS : pair->b,
                                                 found->kind, found->a,
                                                 found->b,    found->time};
        }
    }
    return out;
}

// Where lines end.
static double *test_ends_of(const td_soft *soft) {
    double *out = malloc(soft->form->vertex_count * 3 * sizeof(double));
    assert_non_null(out);
    for (uint32_t v = 0; v < soft->form->vertex_count; ++v) {
        const td_vec3 p = soft->side.paths.items[v].at[1];
        memcpy(out + 3 * (size_t)v, (double[]){p.x, p.y, p.z}, 3 * sizeof(double));
    }
    return out;
}

static int test_compare_points(const void *a, const void *b) {
    return memcmp(a, b, 5 * sizeof(uint32_t));
}

// After some have been dropped and others added, there are none twice, and those that are none are listed.
static void test_check_contacts(const td_softs *softs) {
    uint32_t(*points)[5] = malloc((softs->contacts.count + 1) * sizeof *points);
    assert_non_null(points);
    size_t count = 0;
    for (size_t i = 0; i < softs->contacts.count; ++i) {
        const td_four_points *pair = &softs->near_pairs.items[i];
        if (softs->rests.items[i] != TD_DEAD) {
            memcpy(points[count], pair->point, 4 * sizeof(uint32_t));
            points[count++][4] = (uint32_t)pair->kind << 8 | pair->rigid;
        }
    }
    assert_int_equal(count + softs->dead.count, softs->contacts.count);
    qsort(points, count, sizeof *points, test_compare_points);
    for (size_t i = 1; i < count; ++i) {
        assert_true(test_compare_points(points[i - 1], points[i]) != 0);
    }
    free(points);
}

typedef struct test_answer {
    bool marked; // the rigid one
    uint8_t *marks[TEST_SOFTS];
    test_finds near, again;
    double *predicted[TEST_SOFTS], *redrawn[TEST_SOFTS]; // ends of lines, as they were rounded
    td_line line[2];                                     // of the rigid one, at the end
} test_answer;

static void test_run(test_answer *out, td_context *context, const test_lap *lap) {
    td_mesh *meshes[TEST_BODIES];
    td_softs *softs;
    assert_int_equal(td_softs_create(&softs, context), TD_OK);
    td_soft *bodies[TEST_SOFTS];
    for (uint32_t i = 0; i < TEST_BODIES; ++i) {
        meshes[i] = test_mesh_build(context, &lap->rest[i]);
        assert_non_null(meshes[i]);
        if (i < TEST_SOFTS) {
            bodies[i] = test_add_soft(softs, meshes[i], lap, i);
        }
    }
    td_obstacle obstacle = test_obstacle(meshes[TEST_SOFTS], lap);
    softs->obstacles = &obstacle;
    softs->obstacle_count = 1;
    assert_int_equal(td_array_reserve(context, &softs->sides, 1), TD_OK);
    softs->sides.items[softs->sides.count++] = (td_obstacle_side){0};
    softs->lap_substeps = 1;
    softs->lap_end = softs->settings.time = 1;
    softs->thinnest = lap->thickness[0];
    assert_int_equal(td_softs_room_for_lines(softs), TD_OK);
    td_softs_draw_lines(softs, 0, 1);
    out->line[0] = obstacle.line[1];
    assert_int_equal(td_softs_search(softs), TD_OK);
    out->near = test_take(softs);
    assert_int_equal(out->near.count, softs->contacts.count);
    for (uint32_t i = 0; i < TEST_SOFTS; ++i) {
        out->predicted[i] = test_ends_of(bodies[i]);
        const uint32_t count = lap->rest[i].vertex_count, first = bodies[i]->first;
        test_set(softs->x.items + first, lap->reached[i], count);
        for (uint32_t v = 0; v < count; ++v) { // who is not marked keeps to its line
            softs->x.items[first + v] =
                lap->marks[i][v] ? softs->x.items[first + v] : bodies[i]->side.paths.items[v].at[1];
        }
    }
    obstacle.at = lap->marked ? lap->stands[2] : lap->stands[1];
    obstacle.turn[1] = td_quat_matrix(obstacle.at.rotation);
    td_softs_unmark(softs);
    if (td_softs_redraw_behind(softs)) {
        assert_int_equal(td_softs_search_marked(softs), TD_OK);
        out->again = test_take(softs);
    } else {
        out->again = (test_finds){malloc(sizeof(test_find)), 0};
    }
    test_check_contacts(softs);
    for (uint32_t i = 0; i < TEST_SOFTS; ++i) {
        const uint32_t count = lap->rest[i].vertex_count;
        out->redrawn[i] = test_ends_of(bodies[i]);
        out->marks[i] = malloc(count);
        assert_non_null(out->marks[i]);
        memcpy(out->marks[i], softs->marks.items + bodies[i]->first, count);
    }
    out->line[1] = obstacle.line[1];
    out->marked = obstacle.marked;
    td_softs_destroy(softs);
    for (int i = 0; i < TEST_BODIES; ++i) {
        td_destroy_mesh(meshes[i]);
    }
}

static void test_answer_free(test_answer *answer) {
    free(answer->near.items);
    free(answer->again.items);
    for (int i = 0; i < TEST_SOFTS; ++i) {
        free(answer->predicted[i]);
        free(answer->redrawn[i]);
        free(answer->marks[i]);
    }
}

// ---------------------------------------------------------------------------------------------------------
// Expecting

static int test_compare_finds(const void *a, const void *b) {
    const test_find *p = a, *q = b;
    const uint32_t u[5] = {p->a, p->b, p->kind, p->first, p->second};
    const uint32_t v[5] = {q->a, q->b, q->kind, q->first, q->second};
    for (int k = 0; k < 5; ++k) {
        if (u[k] != v[k]) {
            return u[k] < v[k] ? -1 : 1;
        }
    }
    return 0;
}

static test_finds test_sorted(const test_finds *finds, const char *what) {
    test_finds out = {malloc((finds->count + 1) * sizeof(test_find)), finds->count};
    assert_non_null(out.items);
    memcpy(out.items, finds->items, finds->count * sizeof(test_find));
    qsort(out.items, out.count, sizeof *out.items, test_compare_finds);
    for (size_t i = 1; i < out.count; ++i) {
        if (test_compare_finds(&out.items[i - 1], &out.items[i]) == 0) {
            fail_msg("%s: found twice", what);
        }
    }
    return out;
}

// The straight ways of a body; positions are freed by the caller.
static test_step test_ways(const test_lap *lap, uint32_t body, double *const ends[TEST_SOFTS],
                           const td_line *end) {
    test_step step = {lap->rest[body], lap->rest[body]};
    if (body < TEST_SOFTS) {
        step.start.positions = lap->start[body];
        step.end.positions = ends[body];
        return step;
    }
    const td_line lines[2] = {td_line_of(&lap->stands[0]), *end};
    test_mesh *sides[2] = {&step.start, &step.end};
    for (int t = 0; t < 2; ++t) {
        sides[t]->positions = malloc(lap->rest[body].vertex_count * 3 * sizeof(double));
        assert_non_null(sides[t]->positions);
        for (size_t v = 0; v < lap->rest[body].vertex_count; ++v) {
            const double *rest = lap->rest[body].positions + 3 * v;
            const td_vec3 p = td_add(lines[t].position,
                                     td_mat3_apply(lines[t].turn, td_vec3_make(rest[0], rest[1], rest[2])));
            memcpy(sides[t]->positions + 3 * v, (double[]){p.x, p.y, p.z}, 3 * sizeof(double));
        }
    }
    return step;
}

static bool test_edge_marked(const test_lap *lap, uint32_t body, const test_features *features,
                             uint32_t edge) {
    return body == TEST_SOFTS
               ? lap->marked
               : lap->marks[body][features->edges[edge].a] || lap->marks[body][features->edges[edge].b];
}

static bool test_face_marked(const test_lap *lap, uint32_t body, uint32_t face) {
    const uint32_t *v = lap->rest[body].triangles + 3 * (size_t)face;
    return body == TEST_SOFTS ? lap->marked
                              : lap->marks[body][v[0]] || lap->marks[body][v[1]] || lap->marks[body][v[2]];
}

static bool test_vertex_marked(const test_lap *lap, uint32_t body, uint32_t vertex) {
    return body == TEST_SOFTS ? lap->marked : lap->marks[body][vertex];
}

static bool test_find_marked(const test_lap *lap, const test_find *find, const test_features *a,
                             const test_features *b) {
    switch (find->kind) {
    case TD_CONTACT_EDGE_EDGE:
        return test_edge_marked(lap, find->a, a, find->first) ||
               test_edge_marked(lap, find->b, b, find->second);
    case TD_CONTACT_VERTEX_FACE:
        return test_vertex_marked(lap, find->a, find->first) || test_face_marked(lap, find->b, find->second);
    default:
        return test_face_marked(lap, find->a, find->first) || test_vertex_marked(lap, find->b, find->second);
    }
}

typedef struct test_tally {
    uint64_t expected, found;
} test_tally;

// What comes within reach is found; of `marked`, if it has something that is.
static void test_check_pair(test_tally *tally, td_context *context, const test_lap *marked, uint32_t body_a,
                            uint32_t body_b, const test_step *a, const test_step *b, const test_finds *sorted,
                            double reach, const char *what) {
    const td_moving_def def = {.cookie = td_default_moving_def().cookie, .separation = reach};
    test_contacts expected = test_expect(context, &def, a, b);
    test_features features_a = test_features_of(&a->start), features_b = test_features_of(&b->start);
    for (uint32_t kind = 0; kind < TD_CONTACT_KINDS; ++kind) {
        for (uint64_t i = 0; i < expected.count[kind]; ++i) {
            const td_feature_contact *c = &expected.items[kind][i];
            const test_find wanted = {body_a, body_b, kind, c->a, c->b, c->time};
            const test_find *found =
                bsearch(&wanted, sorted->items, sorted->count, sizeof wanted, test_compare_finds);
            const bool needed =
                c->certain && (marked == NULL || test_find_marked(marked, &wanted, &features_a, &features_b));
            tally->expected += needed;
            if (needed && found == NULL) {
                fail_msg("%s: bodies %u and %u, kind %u, %u and %u at %g: missed", what, body_a, body_b, kind,
                         c->a, c->b, c->time);
            }
        }
    }
    for (size_t i = 0; marked != NULL && i < sorted->count; ++i) {
        const test_find *found = &sorted->items[i];
        if (found->a == body_a && found->b == body_b) {
            assert_true(test_find_marked(marked, found, &features_a, &features_b));
        }
    }
    test_features_free(&features_a);
    test_features_free(&features_b);
    test_contacts_free(&expected);
}

static double test_reach(const test_lap *lap, uint32_t a, uint32_t b) {
    const double other = b < TEST_SOFTS ? lap->thickness[b] : lap->thickness[a];
    return TD_SOFT_REACH * (0.5 * (lap->thickness[a] + other));
}

static void test_check(td_context *context, const test_lap *lap, const test_lap *marked,
                       const test_finds *finds, double *const ends[TEST_SOFTS], const td_line *end,
                       test_tally *tally, const char *what) {
    test_finds sorted = test_sorted(finds, what);
    test_step steps[TEST_BODIES];
    for (uint32_t i = 0; i < TEST_BODIES; ++i) {
        steps[i] = test_ways(lap, i, ends, end);
    }
    for (uint32_t i = 0; i < TEST_SOFTS; ++i) {
        for (uint32_t j = i; j < TEST_BODIES; ++j) {
            const test_step *b = j == i ? &steps[i] : &steps[j];
            test_check_pair(tally, context, marked, i, j, &steps[i], b, &sorted, 0, what);
            test_check_pair(tally, context, marked, i, j, &steps[i], b, &sorted,
                            test_reach(lap, i, j) * (1 - 1e-9), what);
        }
    }
    tally->found += sorted.count;
    free(steps[TEST_SOFTS].start.positions);
    free(steps[TEST_SOFTS].end.positions);
    free(sorted.items);
}

static void test_same_finds(const test_finds *a, const test_finds *b, const char *what) {
    assert_int_equal(a->count, b->count);
    for (size_t i = 0; i < a->count; ++i) {
        if (test_compare_finds(&a->items[i], &b->items[i]) != 0 || a->items[i].time != b->items[i].time) {
            fail_msg("%s: the %zuth is another", what, i);
        }
    }
}

static void test_lap_everywhere(const test_variants *variants, const test_lap *lap, test_tally tally[2],
                                const char *name) {
    test_answer first = {0};
    for (int v = 0; v < variants->count; ++v) {
        test_answer answer;
        char what[128];
        test_run(&answer, variants->items[v].context, lap);
        snprintf(what, sizeof what, "%s on %s", name, variants->items[v].name);
        if (v == 0) {
            first = answer;
            test_lap marked = *lap;
            marked.marked = first.marked;
            memcpy(marked.marks, first.marks, sizeof marked.marks);
            test_check(variants->items[0].context, lap, NULL, &first.near, first.predicted, &first.line[0],
                       &tally[0], what);
            test_check(variants->items[0].context, lap, &marked, &first.again, first.redrawn, &first.line[1],
                       &tally[1], what);
            continue;
        }
        test_same_finds(&first.near, &answer.near, what);
        test_same_finds(&first.again, &answer.again, what);
        test_answer_free(&answer);
    }
    test_answer_free(&first);
}

// ---------------------------------------------------------------------------------------------------------
// Laps

// Where vertices are when a lap begins: as at rest; anywhere; at few places, so that many coincide and
// triangles have no area; the same in one plane; at one place; the second body upon the first.
enum { TEST_AT_REST, TEST_ANYWHERE, TEST_ON_GRID, TEST_IN_PLANE, TEST_AT_ONE_PLACE, TEST_UPON, TEST_SHAPES };
enum { TEST_STILL, TEST_RANDOMLY, TEST_BY_GRID, TEST_TOGETHER, TEST_FAST, TEST_MOTIONS };

static const char *const test_shape_names[] = {"rest", "anywhere", "grid", "plane", "one place", "upon"};
static const char *const test_motion_names[] = {"still", "random", "by grid", "together", "fast"};

static double test_place(test_random *random, int shape, double rest, int axis) {
    switch (shape) {
    case TEST_ANYWHERE:
        return test_random_range(random, -1, 1);
    case TEST_UPON: // of so few bits that parts of them are exact, and products are not
        return 0x1p-30 * test_random_int(random, -(1 << 30), 1 << 30);
    case TEST_ON_GRID:
        return test_random_int(random, -1, 1);
    case TEST_IN_PLANE:
        return axis == 2 ? 0 : test_random_int(random, -2, 2);
    case TEST_AT_ONE_PLACE:
        return 0.25;
    default:
        return rest;
    }
}

static double test_way(test_random *random, int motion, double together) {
    switch (motion) {
    case TEST_RANDOMLY:
        return test_random_range(random, -0.5, 0.5);
    case TEST_BY_GRID:
        return test_random_int(random, -1, 1);
    case TEST_TOGETHER:
        return together;
    case TEST_FAST:
        return test_random_range(random, -100, 100);
    default:
        return 0;
    }
}

static double *test_numbers(uint32_t vertex_count) {
    double *out = malloc(vertex_count * 3 * sizeof(double));
    assert_non_null(out);
    return out;
}

// Each vertex of the second body goes with a point of a triangle of the first, or of one of its edges.
static void test_put_upon(test_lap *lap, test_random *random) {
    for (uint32_t v = 0; v < lap->rest[1].vertex_count; ++v) {
        const int face = test_random_int(random, 0, (int)lap->rest[0].triangle_count - 1);
        const uint32_t *corner = lap->rest[0].triangles + 3 * (size_t)face;
        const int first = test_random_int(random, 0, 8), second = test_random_int(random, 0, 8 - first);
        const double weight[3] = {first / 8.0, (int)(v % 2) * second / 8.0,
                                  (8 - first - (int)(v % 2) * second) / 8.0};
        double *const ways[2][3] = {{lap->start[0], lap->predicted[0], lap->reached[0]},
                                    {lap->start[1], lap->predicted[1], lap->reached[1]}};
        for (uint32_t k = 0; k < 9; ++k) {
            const double *of = ways[0][k / 3];
            double sum = 0;
            for (int c = 0; c < 3; ++c) {
                sum += weight[c] * of[3 * corner[c] + k % 3];
            }
            ways[1][k / 3][3 * v + k % 3] = sum;
        }
    }
}

// Takes the meshes.
static test_lap test_make_lap(test_random *random, test_mesh a, test_mesh b, int shape, int motion,
                              double thickness) {
    const double corner[2][3] = {{-0.4, -0.3, -0.5}, {0.5, 0.6, 0}};
    test_lap lap = {.rest = {a, b, test_box(corner[0], corner[1])},
                    .thickness = {thickness, 1.5 * thickness},
                    .marked = test_random_int(random, 0, 3) == 0};
    for (uint32_t i = 0; i < TEST_SOFTS; ++i) {
        const uint32_t count = lap.rest[i].vertex_count;
        lap.start[i] = test_numbers(count);
        lap.predicted[i] = test_numbers(count);
        lap.reached[i] = test_numbers(count);
        lap.marks[i] = calloc(count, 1);
        assert_non_null(lap.marks[i]);
        const double together[3] = {test_random_range(random, -1, 1), 0.5, test_random_range(random, -1, 1)};
        for (uint32_t k = 0; k < 3 * count; ++k) {
            lap.start[i][k] = test_place(random, shape, lap.rest[i].positions[k], (int)(k % 3));
            lap.predicted[i][k] = lap.start[i][k] + test_way(random, motion, together[k % 3]);
            const bool off = test_random_int(random, 0, 3) == 0;
            lap.reached[i][k] = off ? lap.start[i][k] + test_way(random, motion, 0.1) : lap.predicted[i][k];
        }
        for (uint32_t v = 0; v < count; ++v) {
            lap.marks[i][v] = test_random_int(random, 0, 5) == 0;
        }
    }
    if (shape == TEST_UPON) {
        test_put_upon(&lap, random);
    }
    for (int t = 0; t < 3; ++t) {
        const bool still = motion == TEST_STILL && t > 0;
        const td_pose pose = test_random_pose(random, motion == TEST_FAST ? 5 : 0.5);
        const td_stand stand = {
            td_vec3_make(pose.position[0], pose.position[1], pose.position[2]),
            td_quat_make(pose.rotation[0], pose.rotation[1], pose.rotation[2], pose.rotation[3])};
        lap.stands[t] = still ? lap.stands[0] : stand;
    }
    if (shape != TEST_ANYWHERE && shape != TEST_UPON) { // upright, on the plane of what is flat
        lap.stands[0] = (td_stand){td_vec3_make(0, 0, 0), td_quat_make(0, 0, 0, 1)};
        lap.stands[1] = motion == TEST_STILL || motion == TEST_BY_GRID ? lap.stands[0] : lap.stands[1];
        lap.stands[2] = motion == TEST_STILL ? lap.stands[0] : lap.stands[2];
    }
    return lap;
}

static void test_lap_free(test_lap *lap) {
    for (int i = 0; i < TEST_BODIES; ++i) {
        test_mesh_free(&lap->rest[i]);
    }
    for (int i = 0; i < TEST_SOFTS; ++i) {
        free(lap->start[i]);
        free(lap->predicted[i]);
        free(lap->reached[i]);
        free(lap->marks[i]);
    }
}

static const double test_thicknesses[] = {0.2, 0.01, 1e-7, 1e-17, 1e-300, 30, 1e25};

static void test_every_kind(void **state) {
    test_random random = {0x50f7e4d5};
    uint64_t again = 0;
    for (int shape = 0; shape < TEST_SHAPES; ++shape) {
        for (int motion = 0; motion < TEST_MOTIONS; ++motion) {
            test_tally tally[2] = {{0}};
            for (size_t t = 0; t < sizeof test_thicknesses / sizeof *test_thicknesses; ++t) {
                test_mesh a = test_sheet(2, 0.3), b = test_soup(&random, 5);
                test_lap lap = test_make_lap(&random, a, b, shape, motion, test_thicknesses[t]);
                char name[96];
                snprintf(name, sizeof name, "%s, %s, %g m", test_shape_names[shape],
                         test_motion_names[motion], test_thicknesses[t]);
                test_lap_everywhere(*state, &lap, tally, name);
                test_lap_free(&lap);
            }
            // A motion in which nothing comes near anything would ask nothing.
            assert_true(tally[0].expected > 0);
            again += tally[1].expected;
        }
    }
    assert_true(again > 1000);
}

// So large that the walk has several parts, and blocks several levels.
static void test_folds(void **state) {
    test_random random = {0x50f7e4d6};
    test_tally tally[2] = {{0}};
    for (int motion = TEST_STILL; motion <= TEST_TOGETHER; ++motion) {
        test_lap lap =
            test_make_lap(&random, test_sheet(18, 0.05), test_sheet(4, 0.1), TEST_AT_REST, motion, 0.02);
        for (uint32_t v = 0; v < lap.rest[0].vertex_count; ++v) { // folded, and a wave through it
            double *p = lap.start[0] + 3 * (size_t)v, *q = lap.predicted[0] + 3 * (size_t)v;
            const double way[3] = {0.3 * (q[0] - p[0]), 0.3 * (q[1] - p[1]), 0.3 * (q[2] - p[2])};
            if (p[0] > 0.5) {
                p[2] += 0.04 + 0.02 * (p[0] - 0.5);
                p[0] = 1 - p[0];
            }
            for (int k = 0; k < 3; ++k) {
                q[k] = p[k] + way[k];
                lap.reached[0][3 * (size_t)v + (size_t)k] = p[k] - way[k];
            }
        }
        test_lap_everywhere(*state, &lap, tally, test_motion_names[motion]);
        test_lap_free(&lap);
    }
    assert_true(tally[0].expected > 1000 && tally[1].expected > 1000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_kind),
        cmocka_unit_test(test_folds),
    };
    return cmocka_run_group_tests(tests, test_setup_native, test_teardown_variants);
}
