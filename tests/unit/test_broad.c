// The kinds of broad phase against an oracle of this file's own, which knows proxies by an identity that is
// never reused, while boxes are added, moved and removed.
#include "broad/box_tree.h"
#include "broad/broad.h"
#include "support/cmocka_all.h"
#include "support/heap.h"
#include "support/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TEST_KINDS = 3, TEST_MAX = 160 };

static int test_make_context(void **state) {
    td_context_def def = td_default_context_def();
    def.thread_count = 1;
    return td_create_context((td_context **)state, &def) == TD_OK ? 0 : 1;
}

static int test_drop_context(void **state) {
    td_destroy_context(*state);
    return 0;
}

static td_box test_box(double x0, double y0, double z0, double x1, double y1, double z1) {
    return (td_box){{x0, y0, z0}, {x1, y1, z1}};
}

static td_proxy_def test_def(td_box box) {
    return (td_proxy_def){.box = box, .user = 7, .group = 1, .collides_with = 1};
}

// ---------------------------------------------------------------------------------------------------------
// The oracle

typedef struct test_proxy {
    bool alive;
    uint64_t identity; // never used twice
    td_proxy_def def;
} test_proxy;

// met[a][b]: the identities that met at the last update; 0, 0: they did not.
typedef struct test_meeting {
    uint64_t a, b;
} test_meeting;

typedef struct test_world {
    td_broad *kinds[TEST_KINDS];
    test_proxy proxies[TEST_MAX];
    uint64_t next_identity;
    test_meeting met[TEST_MAX][TEST_MAX];
    bool replayed[TEST_MAX][TEST_MAX]; // the pairs as the lists of beginnings and ends tell
} test_world;

static test_world *test_make_world(td_context *context) {
    test_world *world = calloc(1, sizeof *world);
    assert_non_null(world);
    for (uint32_t k = 0; k < TEST_KINDS; ++k) {
        assert_int_equal(td_broad_create(&world->kinds[k], context, td_broad_kind_name(k)), TD_OK);
    }
    return world;
}

static void test_drop_world(test_world *world) {
    for (int k = 0; k < TEST_KINDS; ++k) {
        td_broad_destroy(world->kinds[k]);
    }
    free(world);
}

static void test_add(test_world *world, td_proxy_def def) {
    uint32_t expected = 0;
    while (world->proxies[expected].alive) {
        ++expected;
    }
    for (int k = 0; k < TEST_KINDS; ++k) {
        uint32_t number = UINT32_MAX;
        assert_int_equal(td_broad_add(&number, world->kinds[k], &def), TD_OK);
        assert_int_equal(number, expected);
        assert_int_equal(td_broad_user(world->kinds[k], number), def.user);
    }
    world->proxies[expected] = (test_proxy){true, ++world->next_identity, def};
}

static void test_move(test_world *world, uint32_t number, td_box box) {
    for (int k = 0; k < TEST_KINDS; ++k) {
        assert_int_equal(td_broad_move(world->kinds[k], number, box), TD_OK);
        const td_box kept = td_broad_box(world->kinds[k], number);
        assert_memory_equal(&kept, &box, sizeof box);
    }
    world->proxies[number].def.box = box;
}

static void test_remove(test_world *world, uint32_t number) {
    for (int k = 0; k < TEST_KINDS; ++k) {
        assert_int_equal(td_broad_remove(world->kinds[k], number), TD_OK);
        assert_false(td_broad_has(world->kinds[k], number));
    }
    world->proxies[number].alive = false;
}

// By what keeps them apart, unlike the function under test.
static bool test_meet(const test_proxy *a, const test_proxy *b) {
    const td_box *p = &a->def.box, *q = &b->def.box;
    const bool apart = p->upper.x < q->lower.x || q->upper.x < p->lower.x || p->upper.y < q->lower.y ||
                       q->upper.y < p->lower.y || p->upper.z < q->lower.z || q->upper.z < p->lower.z;
    const bool filtered = !(a->def.group & b->def.collides_with) || !(b->def.group & a->def.collides_with) ||
                          (a->def.still && b->def.still);
    return a->alive && b->alive && !apart && !filtered;
}

typedef struct test_expected {
    td_pair pairs[TEST_MAX * TEST_MAX], began[TEST_MAX * TEST_MAX], ended[TEST_MAX * TEST_MAX];
    size_t pair_count, began_count, ended_count;
} test_expected;

static void test_ask_oracle(test_world *world, test_expected *expected) {
    expected->pair_count = expected->began_count = expected->ended_count = 0;
    for (uint32_t a = 0; a < TEST_MAX; ++a) {
        for (uint32_t b = a + 1; b < TEST_MAX; ++b) {
            test_meeting now = {0, 0};
            if (test_meet(&world->proxies[a], &world->proxies[b])) {
                now = (test_meeting){world->proxies[a].identity, world->proxies[b].identity};
                expected->pairs[expected->pair_count++] = (td_pair){a, b};
            }
            const test_meeting last = world->met[a][b];
            if (now.a != last.a || now.b != last.b) {
                if (last.a != 0) {
                    expected->ended[expected->ended_count++] = (td_pair){a, b};
                }
                if (now.a != 0) {
                    expected->began[expected->began_count++] = (td_pair){a, b};
                }
            }
            world->met[a][b] = now;
        }
    }
}

static void test_same_pairs(td_broad_pairs found, const td_pair *pairs, size_t count) {
    assert_int_equal(found.count, count);
    if (count > 0) {
        assert_memory_equal(found.items, pairs, count * sizeof *pairs);
    }
}

static void test_replay(test_world *world, const td_broad_report *report) {
    for (size_t i = 0; i < report->ended.count; ++i) {
        bool *there = &world->replayed[report->ended.items[i].a][report->ended.items[i].b];
        assert_true(*there);
        *there = false;
    }
    for (size_t i = 0; i < report->began.count; ++i) {
        bool *there = &world->replayed[report->began.items[i].a][report->began.items[i].b];
        assert_false(*there);
        *there = true;
    }
    size_t count = 0;
    for (uint32_t a = 0; a < TEST_MAX; ++a) {
        for (uint32_t b = 0; b < TEST_MAX; ++b) {
            count += world->replayed[a][b];
        }
    }
    assert_int_equal(count, report->pairs.count);
    for (size_t i = 0; i < report->pairs.count; ++i) {
        assert_true(world->replayed[report->pairs.items[i].a][report->pairs.items[i].b]);
    }
}

// Returns the number of pairs.
static size_t test_update(test_world *world) {
    static test_expected expected;
    test_ask_oracle(world, &expected);
    uint32_t alive = 0;
    for (int i = 0; i < TEST_MAX; ++i) {
        alive += world->proxies[i].alive;
    }
    for (int k = 0; k < TEST_KINDS; ++k) {
        assert_int_equal(td_broad_update(world->kinds[k]), TD_OK);
        const td_broad_report report = td_broad_last_report(world->kinds[k]);
        test_same_pairs(report.pairs, expected.pairs, expected.pair_count);
        test_same_pairs(report.began, expected.began, expected.began_count);
        test_same_pairs(report.ended, expected.ended, expected.ended_count);
        assert_int_equal(td_broad_proxy_count(world->kinds[k]), alive);
        if (k == 0) {
            assert_int_equal(report.tests, (uint64_t)alive * (alive > 0 ? alive - 1 : 0) / 2);
            test_replay(world, &report);
        }
    }
    return expected.pair_count;
}

// ---------------------------------------------------------------------------------------------------------
// Random scenes

typedef td_box test_box_fn(test_random *random);

static td_box test_about(test_random *random, double spread, double low, double high) {
    td_vec3 p = td_vec3_make(test_random_range(random, 0, spread), test_random_range(random, 0, spread),
                             test_random_range(random, 0, spread));
    td_vec3 s = td_vec3_make(test_random_range(random, low, high), test_random_range(random, low, high),
                             test_random_range(random, low, high));
    return (td_box){p, td_add(p, s)};
}

static td_box test_scattered(test_random *random) {
    return test_about(random, 6, 0.2, 1.5);
}

// Corners on a small grid: most boxes touch, coincide, or are flat.
static td_box test_gridded(test_random *random) {
    double lower[3], upper[3];
    for (int k = 0; k < 3; ++k) {
        lower[k] = test_random_int(random, -4, 4);
        upper[k] = lower[k] + test_random_int(random, 0, 2);
    }
    return test_box(lower[0], lower[1], lower[2], upper[0], upper[1], upper[2]);
}

// Half-spaces, planes, rods, everything, points at infinity, sizes from nothing to almost overflow.
static td_box test_wild(test_random *random) {
    static const double ends[] = {-INFINITY, -1e308, -1e150, -1e9, -3,        -1,    -1e-300, -0.0,
                                  0,         5e-324, 1e-9,   1,    1 + 1e-15, 1e140, 1.7e308, INFINITY};
    const td_box box = test_gridded(random);
    double lower[3] = {box.lower.x, box.lower.y, box.lower.z};
    double upper[3] = {box.upper.x, box.upper.y, box.upper.z};
    for (int k = 0; k < 3; ++k) {
        if (test_random_int(random, 0, 2) == 0) {
            const int i = test_random_int(random, 0, 15), j = test_random_int(random, 0, 15);
            lower[k] = ends[i < j ? i : j];
            upper[k] = ends[i < j ? j : i];
        }
    }
    return test_box(lower[0], lower[1], lower[2], upper[0], upper[1], upper[2]);
}

// Far from the origin, where float32 would put many boxes into one.
static td_box test_far(test_random *random) {
    td_box box = test_about(random, 5, 0.1, 1);
    const td_vec3 far = td_vec3_make(4.5e8, -6.2e9, 120);
    return (td_box){td_add(box.lower, far), td_add(box.upper, far)};
}

static td_box test_shifted(td_box box, double x, double y, double z) {
    const td_vec3 by = td_vec3_make(x, y, z);
    return (td_box){td_add(box.lower, by), td_add(box.upper, by)};
}

static td_proxy_def test_random_def(test_random *random, test_box_fn *make) {
    static const uint64_t groups[] = {1, 1, 1, 2, 3, 1ull << 63, 0};
    td_proxy_def def = test_def(make(random));
    def.user = test_random_bits(random);
    def.group = groups[test_random_int(random, 0, 6)];
    def.collides_with =
        test_random_int(random, 0, 3) == 0 ? groups[test_random_int(random, 0, 6)] : UINT64_MAX;
    def.still = test_random_int(random, 0, 4) == 0;
    return def;
}

// Some creep, some jump, some come, some go; now and then everything goes, and comes back with new numbers.
static void test_disturb(test_world *world, test_random *random, test_box_fn *make) {
    const int event = test_random_int(random, 0, 99);
    for (uint32_t i = 0; i < TEST_MAX; ++i) {
        const test_proxy *proxy = &world->proxies[i];
        const int what = test_random_int(random, 0, 99);
        if (!proxy->alive) {
            continue;
        }
        if (what == 0 || event == 0) {
            test_remove(world, i);
        } else if (what < 3) {
            test_move(world, i, make(random));
        } else if (what < 60 && !proxy->def.still) {
            const double far = what < 6 ? 0.5 : 0.03;
            test_move(world, i,
                      test_shifted(proxy->def.box, test_random_range(random, -far, far),
                                   test_random_range(random, -far, far),
                                   test_random_range(random, -far, far)));
        }
    }
    uint32_t alive = td_broad_proxy_count(world->kinds[0]);
    for (int i = test_random_int(random, 0, event == 1 ? TEST_MAX : 3); i > 0 && alive < TEST_MAX; --i) {
        test_add(world, test_random_def(random, make));
        ++alive;
    }
}

static void test_scene(td_context *context, test_box_fn *make, uint64_t seed) {
    test_random random = {seed};
    test_world *world = test_make_world(context);
    assert_int_equal(test_update(world), 0);
    for (int i = 0; i < 100; ++i) {
        test_add(world, test_random_def(&random, make));
    }
    size_t pairs = 0;
    for (int step = 0; step < 1000; ++step) {
        pairs += test_update(world);
        test_disturb(world, &random, make);
    }
    assert_true(pairs > 10000);
    test_drop_world(world);
}

static void test_scattered_scene(void **state) {
    test_scene(*state, test_scattered, 1);
}

static void test_gridded_scene(void **state) {
    test_scene(*state, test_gridded, 2);
}

static void test_wild_scene(void **state) {
    test_scene(*state, test_wild, 3);
}

static void test_far_scene(void **state) {
    test_scene(*state, test_far, 4);
}

// ---------------------------------------------------------------------------------------------------------
// Chosen cases

static void test_touching(void **state) {
    test_world *world = test_make_world(*state);
    test_add(world, test_def(test_box(0, 0, 0, 1, 1, 1)));
    test_add(world, test_def(test_box(1, 1, 1, 2, 2, 2))); // a corner
    test_add(world,
             test_def(test_box(1 + 0x1p-52, 0, 0, 2, 1, 1 - 0x1p-53))); // next to the first, not touching
    test_add(world, test_def(test_box(-INFINITY, -INFINITY, -INFINITY, INFINITY, 0, INFINITY))); // the ground
    test_add(world, test_def(test_box(0.5, 0, 0.5, 0.5, 0, 0.5))); // a point on it
    assert_int_equal(test_update(world), 5);
    test_move(world, 0, test_box(0, 0x1p-1074, 0, 1, 1, 1)); // lifted by the least there is
    assert_int_equal(test_update(world), 3);
    test_drop_world(world);
}

static void test_identical(void **state) {
    test_world *world = test_make_world(*state);
    for (int i = 0; i < TEST_MAX; ++i) {
        test_add(world, test_def(test_box(3, 3, 3, 4, 4, 4)));
    }
    assert_int_equal(test_update(world), TEST_MAX * (TEST_MAX - 1) / 2);
    for (uint32_t i = 0; i < TEST_MAX; i += 2) {
        test_remove(world, i);
    }
    assert_int_equal(test_update(world), TEST_MAX / 2 * (TEST_MAX / 2 - 1) / 2);
    test_drop_world(world);
}

static void test_filters(void **state) {
    test_world *world = test_make_world(*state);
    td_proxy_def def = test_def(test_box(0, 0, 0, 1, 1, 1));
    def.group = 2, def.collides_with = 4;
    test_add(world, def);
    def.group = 4, def.collides_with = 1; // wants none of the first, which wants it
    test_add(world, def);
    assert_int_equal(test_update(world), 0);
    def.collides_with = 2;
    def.still = true;
    test_add(world, def);
    def.group = 2, def.collides_with = 4; // still, too: meets no still one
    test_add(world, def);
    assert_int_equal(test_update(world), 1);
    test_drop_world(world);
}

// A number that changes hands between two updates: the same two numbers end and begin.
static void test_reused_number(void **state) {
    test_world *world = test_make_world(*state);
    for (int i = 0; i < 4; ++i) {
        test_add(world, test_def(test_box(0, 0, 0, 1, 1, 1)));
    }
    test_update(world);
    test_remove(world, 2);
    test_remove(world, 1);
    td_proxy_def other = test_def(test_box(0, 0, 0, 1, 1, 1));
    other.still = true;
    test_add(world, other); // as 1
    test_add(world, other); // as 2
    test_update(world);
    for (int k = 0; k < TEST_KINDS; ++k) {
        const td_broad_report report = td_broad_last_report(world->kinds[k]);
        assert_int_equal(report.pairs.count, 5); // not 1 with 2
        assert_int_equal(report.ended.count, 5);
        assert_int_equal(report.began.count, 4);
        assert_int_equal(report.moved, 2);
    }
    test_update(world);
    for (int k = 0; k < TEST_KINDS; ++k) {
        const td_broad_report report = td_broad_last_report(world->kinds[k]);
        assert_int_equal(report.began.count + report.ended.count + report.moved, 0);
    }
    // Added and removed without ever being seen.
    test_add(world, test_def(test_box(0, 0, 0, 1, 1, 1)));
    test_remove(world, 4);
    test_update(world);
    test_drop_world(world);
}

static void test_bad_arguments(void **state) {
    td_broad *broad = NULL;
    assert_int_equal(td_broad_create(&broad, *state, "grid"), TD_ERROR_ARGUMENT);
    assert_null(broad);
    assert_string_equal(td_error_message(),
                        "'grid' is no kind of broad phase: expected one of auto, all, sweep, tree");
    assert_string_equal(td_broad_kind_name(3), "");
    assert_int_equal(td_broad_kind_count(), TEST_KINDS);
    assert_int_equal(td_broad_create(&broad, *state, NULL), TD_OK);
    uint32_t number = 77;
    td_proxy_def def = test_def(test_box(0, 0, 0, 1, -1, 1));
    assert_int_equal(td_broad_add(&number, broad, &def), TD_ERROR_ARGUMENT);
    assert_non_null(strstr(td_error_message(), "lower y, 0, is above its upper y, -1"));
    assert_int_equal(number, 77);
    def.box = test_box(0, 0, 0, 1, 1, 1);
    assert_int_equal(td_broad_add(&number, broad, &def), TD_OK);
    assert_int_equal(number, 0);
    for (int k = 0; k < 6; ++k) {
        td_box box = def.box;
        (k < 3 ? &box.lower.x : &box.upper.x)[k % 3] = NAN;
        assert_int_equal(td_broad_move(broad, 0, box), TD_ERROR_ARGUMENT);
        assert_non_null(strstr(td_error_message(), "proxy 0: "));
        box = td_broad_box(broad, 0);
        assert_memory_equal(&box, &def.box, sizeof box);
    }
    assert_int_equal(td_broad_move(broad, 1, def.box), TD_ERROR_ARGUMENT);
    assert_int_equal(td_broad_remove(broad, 1), TD_ERROR_ARGUMENT);
    assert_int_equal(td_broad_remove(broad, 0), TD_OK);
    assert_int_equal(td_broad_remove(broad, 0), TD_ERROR_ARGUMENT);
    assert_int_equal(td_broad_move(broad, 0, def.box), TD_ERROR_ARGUMENT);
    assert_non_null(strstr(td_error_message(), "no proxy 0"));
    td_broad_destroy(broad);
    td_broad_destroy(NULL);
}

// ---------------------------------------------------------------------------------------------------------
// The tree by itself

static uint32_t test_leaves[2000];

static void test_tree_of(td_context *context, td_box (*box)(uint32_t), uint32_t most_depth) {
    enum { COUNT = 2000 };
    td_box_tree tree;
    td_tree_start(&tree);
    assert_true(td_tree_is_valid(&tree, 0));
    assert_int_equal(td_tree_reserve(&tree, context, COUNT), TD_OK);
    for (uint32_t i = 0; i < COUNT; ++i) {
        test_leaves[i] = td_tree_insert(&tree, box(i), i);
    }
    assert_true(td_tree_is_valid(&tree, COUNT));
    assert_false(td_tree_is_valid(&tree, COUNT - 1));
    assert_in_range(td_tree_depth(&tree), 12, most_depth);
    for (uint32_t i = 0; i < COUNT; i += 2) {
        td_tree_remove(&tree, test_leaves[i]);
    }
    assert_true(td_tree_is_valid(&tree, COUNT / 2));
    for (uint32_t i = 1; i < COUNT; i += 2) {
        assert_int_equal(tree.nodes.items[test_leaves[i]].right, i);
        td_tree_remove(&tree, test_leaves[i]);
    }
    assert_true(td_tree_is_valid(&tree, 0));
    td_tree_release(&tree, context);
}

static td_box test_same_box(uint32_t i) {
    (void)i;
    return test_box(1, 2, 3, 4, 5, 6);
}

static td_box test_nested_box(uint32_t i) {
    return test_box(-1.0 - i, -1.0 - i, -1.0 - i, 1.0 + i, 1.0 + i, 1.0 + i);
}

static td_box test_shrinking_box(uint32_t i) {
    return test_nested_box(1999 - i);
}

// Each twice as large as the last, the sizes of 200 over and over.
static td_box test_doubling_box(uint32_t i) {
    const double size = ldexp(1, (int)(i % 200));
    return test_box(0, -size, -size, size, size, size);
}

static td_box test_box_in_row(uint32_t i) {
    return test_box(i, 0, 0, i + 1.0, 1, 1);
}

static void test_trees(void **state) {
    test_tree_of(*state, test_same_box, 18);
    // By surface alone these would be lists.
    test_tree_of(*state, test_nested_box, 40);
    test_tree_of(*state, test_shrinking_box, 40);
    test_tree_of(*state, test_doubling_box, 40);
    test_tree_of(*state, test_box_in_row, 40);
}

// ---------------------------------------------------------------------------------------------------------
// Memory

static td_context *test_heap_context(test_heap *heap) {
    td_context_def def = td_default_context_def();
    def.thread_count = 1;
    def.allocator = test_heap_allocator(heap);
    td_context *context = NULL;
    assert_int_equal(td_create_context(&context, &def), TD_OK);
    return context;
}

static td_box test_orbiting(int i, int step) {
    const double phase = 0.37 * i + 0.05 * step;
    const int cell[3] = {i % 10, i / 10 % 10, i / 100};
    const double x = cell[0] + 0.6 * sin(phase), y = cell[1] + 0.6 * cos(phase);
    const double z = cell[2] + 0.5 * sin(phase / 2);
    return test_box(x, y, z, x + 0.9, y + 0.9, z + 0.9);
}

// What is allowed to fail is tried again until it does not.
static td_result test_insist(test_heap *heap, long *failures, td_result result) {
    if (result != TD_OK) {
        assert_int_equal(result, TD_ERROR_MEMORY);
        ++*failures;
        test_heap_recover(heap);
    }
    return result;
}

// Two broad phases side by side, one of which has its `n`th allocation refused: once that call is repeated
// both are the same. Returns whether there was an `n`th allocation.
static bool test_with_refusal(test_heap *heap, td_context *context, const char *kind, long n) {
    td_broad *tried = NULL, *sound = NULL;
    long failures = 0;
    assert_int_equal(td_broad_create(&sound, context, "all"), TD_OK);
    test_heap_fail(heap, n, n + 1);
    while (test_insist(heap, &failures, td_broad_create(&tried, context, kind)) != TD_OK) {
    }
    for (int step = 0; step < 6; ++step) {
        const long calls = atomic_load(&heap->calls), until = atomic_load(&heap->fail_to);
        test_heap_recover(heap); // the other one is spared
        for (int i = 60 * step; i < 60 * step + 60; ++i) {
            uint32_t number = 0;
            const td_proxy_def def = test_def(test_orbiting(i, step));
            assert_int_equal(td_broad_add(&number, sound, &def), TD_OK);
        }
        for (uint32_t i = 0; i < 60u * (uint32_t)step; ++i) {
            assert_int_equal(td_broad_move(sound, i, test_orbiting((int)i, 3 * step)), TD_OK);
        }
        assert_int_equal(td_broad_update(sound), TD_OK);
        test_heap_fail(heap, until == 0 ? 0 : until - 1, until);
        atomic_store(&heap->calls, calls);
        for (int i = 60 * step; i < 60 * step + 60; ++i) {
            uint32_t number = 0;
            const td_proxy_def def = test_def(test_orbiting(i, step));
            while (test_insist(heap, &failures, td_broad_add(&number, tried, &def)) != TD_OK) {
            }
            assert_int_equal(number, i);
        }
        for (uint32_t i = 0; i < 60u * (uint32_t)step; ++i) {
            assert_int_equal(td_broad_move(tried, i, test_orbiting((int)i, 3 * step)), TD_OK);
        }
        const size_t before = td_broad_last_report(tried).pairs.count;
        while (test_insist(heap, &failures, td_broad_update(tried)) != TD_OK) {
            assert_int_equal(td_broad_last_report(tried).pairs.count, before);
        }
        const td_broad_report a = td_broad_last_report(sound), b = td_broad_last_report(tried);
        test_same_pairs(b.pairs, a.pairs.items, a.pairs.count);
        test_same_pairs(b.began, a.began.items, a.began.count);
        test_same_pairs(b.ended, a.ended.items, a.ended.count);
        assert_int_equal(a.moved, b.moved);
    }
    test_heap_recover(heap);
    td_broad_destroy(tried);
    td_broad_destroy(sound);
    return failures > 0;
}

static void test_refused_memory(void **state) {
    (void)state;
    test_heap heap = {0};
    td_context *context = test_heap_context(&heap);
    const long blocks = atomic_load(&heap.blocks);
    for (uint32_t k = 0; k < TEST_KINDS; ++k) {
        long n = 0;
        while (test_with_refusal(&heap, context, td_broad_kind_name(k), n)) {
            ++n;
            assert_int_equal(atomic_load(&heap.blocks), blocks);
        }
        assert_true(n > 10);
    }
    assert_int_equal(atomic_load(&heap.mistakes), 0);
    td_destroy_context(context);
    assert_int_equal(atomic_load(&heap.blocks), 0);
}

// The second time round the same orbits nothing is allocated.
static void test_warm(void **state) {
    (void)state;
    enum { COUNT = 400, STEPS = 252 }; // of 0.05: twice round, once for the slowest term
    test_heap heap = {0};
    td_context *context = test_heap_context(&heap);
    for (uint32_t k = 0; k < TEST_KINDS; ++k) {
        td_broad *broad = NULL;
        assert_int_equal(td_broad_create(&broad, context, td_broad_kind_name(k)), TD_OK);
        for (int i = 0; i < COUNT; ++i) {
            uint32_t number = 0;
            const td_proxy_def def = test_def(test_orbiting(i, 0));
            assert_int_equal(td_broad_add(&number, broad, &def), TD_OK);
        }
        for (int step = 0; step < 2 * STEPS; ++step) {
            if (step == STEPS) {
                test_heap_recover(&heap);
            }
            for (uint32_t i = 0; i < COUNT; ++i) {
                assert_int_equal(td_broad_move(broad, i, test_orbiting((int)i, step)), TD_OK);
            }
            assert_int_equal(td_broad_update(broad), TD_OK);
        }
        assert_int_equal(atomic_load(&heap.calls), 0);
        td_broad_destroy(broad);
    }
    td_destroy_context(context);
}

// ---------------------------------------------------------------------------------------------------------

// Ten thousand boxes above a ground: the two fast kinds agree, and do far less than compare all 50 million.
static void test_large(void **state) {
    enum { COUNT = 10000 };
    td_broad *sweep = NULL, *tree = NULL;
    assert_int_equal(td_broad_create(&sweep, *state, "sweep"), TD_OK);
    assert_int_equal(td_broad_create(&tree, *state, "tree"), TD_OK);
    td_proxy_def ground = test_def(test_box(-INFINITY, -INFINITY, -INFINITY, INFINITY, 0, INFINITY));
    ground.still = true;
    uint32_t number = 0;
    assert_int_equal(td_broad_add(&number, sweep, &ground), TD_OK);
    assert_int_equal(td_broad_add(&number, tree, &ground), TD_OK);
    for (int step = 0; step < 20; ++step) {
        for (int i = 0; i < COUNT; ++i) {
            td_proxy_def def = test_def(test_orbiting(i, step / 2));
            if (step == 0) {
                assert_int_equal(td_broad_add(&number, sweep, &def), TD_OK);
                assert_int_equal(td_broad_add(&number, tree, &def), TD_OK);
            } else {
                assert_int_equal(td_broad_move(sweep, (uint32_t)i + 1, def.box), TD_OK);
                assert_int_equal(td_broad_move(tree, (uint32_t)i + 1, def.box), TD_OK);
            }
        }
        assert_int_equal(td_broad_update(sweep), TD_OK);
        assert_int_equal(td_broad_update(tree), TD_OK);
        const td_broad_report a = td_broad_last_report(sweep), b = td_broad_last_report(tree);
        test_same_pairs(b.pairs, a.pairs.items, a.pairs.count);
        test_same_pairs(b.began, a.began.items, a.began.count);
        test_same_pairs(b.ended, a.ended.items, a.ended.count);
        assert_int_equal(a.moved, step == 0       ? COUNT + 1
                                  : step % 2 == 1 ? 0
                                                  : COUNT); // rests every other step
        assert_true(a.pairs.count > COUNT);
        assert_true(a.tests < 400u * COUNT);
        assert_true(b.tests < 150u * COUNT);
        if (step % 2 == 1) { // only the candidates are left to compare
            assert_true(b.tests < 15u * COUNT);
        }
    }
    td_broad_destroy(sweep);
    td_broad_destroy(tree);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scattered_scene), cmocka_unit_test(test_gridded_scene),
        cmocka_unit_test(test_wild_scene),      cmocka_unit_test(test_far_scene),
        cmocka_unit_test(test_touching),        cmocka_unit_test(test_identical),
        cmocka_unit_test(test_filters),         cmocka_unit_test(test_reused_number),
        cmocka_unit_test(test_bad_arguments),   cmocka_unit_test(test_trees),
        cmocka_unit_test(test_refused_memory),  cmocka_unit_test(test_warm),
        cmocka_unit_test(test_large),
    };
    return cmocka_run_group_tests(tests, test_make_context, test_drop_context);
}
