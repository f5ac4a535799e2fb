#include "variants.h"

#include "cmocka_all.h"
#include "exact_oracle.h"

#include <stdio.h>
#include <stdlib.h>

static void test_variant_create(test_variant *out, td_isa isa, uint32_t threads) {
    td_context_def def = td_default_context_def();
    def.isa = isa;
    def.thread_count = threads;
    out->device = NULL;
    snprintf(out->name, sizeof out->name, "%s x %u", td_isa_name(isa), threads);
    if (td_create_context(&out->context, &def) != TD_OK ||
        td_create_query(&out->query, out->context) != TD_OK) {
        fprintf(stderr, "%s: %s\n", out->name, td_error_message());
        abort();
    }
}

void test_variants_create(test_variants *out) {
    out->count = 0;
    for (int isa = TD_ISA_AUTO + 1; isa < TD_ISA_COUNT; ++isa) {
        for (uint32_t threads = 1; threads <= TEST_MOST_THREADS && td_isa_available((td_isa)isa); ++threads) {
            test_variant_create(&out->items[out->count++], (td_isa)isa, threads);
        }
    }
}

void test_variants_create_widest(test_variants *out) {
    test_variant_create(&out->items[0], TD_ISA_AUTO, 2);
    out->count = 1;
}

static td_device_def test_device_def(bool without_float64, uint64_t limit) {
    td_device_def def = td_default_device_def();
    def.without_float64 = without_float64;
    def.memory_limit = limit;
    return def;
}

td_device *test_open_device(td_context *context, bool without_float64, uint64_t limit) {
    const td_device_def def = test_device_def(without_float64, limit);
    td_device *device = NULL;
    if (td_create_device(&device, context, &def) == TD_OK) {
        return device;
    }
    if (getenv("TD_TEST_NEED_DEVICE") != NULL) {
        fprintf(stderr, "TD_TEST_NEED_DEVICE is set, but: %s\n", td_error_message());
        abort();
    }
    print_message("skipped: no device: %s\n", td_error_message());
    return NULL;
}

bool test_variants_add_devices(test_variants *variants) {
    for (int kind = 0; kind < TEST_DEVICE_KINDS; ++kind) {
        test_variant *variant = &variants->items[variants->count];
        test_variant_create(variant, TD_ISA_AUTO, 2);
        variant->device = test_open_device(variant->context, kind == 1, 0);
        snprintf(variant->name, sizeof variant->name, "%s", kind == 0 ? "opencl" : "opencl without float64");
        if (variant->device == NULL) {
            td_destroy_query(variant->query);
            td_destroy_context(variant->context);
            return false;
        }
        variants->count++;
    }
    return true;
}

void test_variants_destroy(test_variants *variants) {
    for (int i = 0; i < variants->count; ++i) {
        td_destroy_device(variants->items[i].device);
        td_destroy_query(variants->items[i].query);
        td_destroy_context(variants->items[i].context);
    }
    variants->count = 0;
}

static test_variants test_fixture;

int test_setup_native(void **state) {
    test_variants_create(&test_fixture);
    *state = &test_fixture;
    return 0;
}

int test_setup_with_devices(void **state) {
    test_setup_native(state);
    test_variants_add_devices(&test_fixture);
    return 0;
}

int test_setup_widest_with_devices(void **state) {
    test_variants_create_widest(&test_fixture);
    test_variants_add_devices(&test_fixture);
    *state = &test_fixture;
    return 0;
}

int test_teardown_variants(void **state) {
    test_variants_destroy(*state);
    return 0;
}

// ---------------------------------------------------------------------------------------------------------
// Pairs

void test_pairs_add(test_pairs *pairs, uint32_t a, uint32_t b) {
    if (pairs->count == pairs->capacity) {
        pairs->capacity = 2 * pairs->capacity + 16;
        pairs->items = realloc(pairs->items, pairs->capacity * sizeof *pairs->items);
        if (pairs->items == NULL) {
            abort();
        }
    }
    pairs->items[pairs->count++] = (td_pair){a, b};
}

static int test_compare_pairs(const void *left, const void *right) {
    const td_pair *p = left, *q = right;
    if (p->a != q->a) {
        return p->a < q->a ? -1 : 1;
    }
    return p->b < q->b ? -1 : p->b > q->b;
}

void test_pairs_sort(test_pairs *pairs) {
    if (pairs->count > 1) {
        qsort(pairs->items, pairs->count, sizeof *pairs->items, test_compare_pairs);
    }
}

void test_pairs_free(test_pairs *pairs) {
    free(pairs->items);
    *pairs = (test_pairs){0};
}

test_pairs test_pairs_copy(const td_collide_result *answer) {
    test_pairs pairs = {0};
    for (size_t i = 0; i < answer->pair_count; ++i) {
        test_pairs_add(&pairs, answer->pairs[i].a, answer->pairs[i].b);
    }
    return pairs;
}

bool test_pairs_hold(const test_pairs *pairs, td_pair pair) {
    return pairs->count > 0 &&
           bsearch(&pair, pairs->items, pairs->count, sizeof pair, test_compare_pairs) != NULL;
}

// ---------------------------------------------------------------------------------------------------------
// The oracle

static double test_lowest(double a, double b, double c) {
    const double low = a < b ? a : b;
    return low < c ? low : c;
}

static bool test_intervals_meet(const double a[3], const double b[3]) {
    return test_lowest(a[0], a[1], a[2]) <= -test_lowest(-b[0], -b[1], -b[2]) &&
           test_lowest(b[0], b[1], b[2]) <= -test_lowest(-a[0], -a[1], -a[2]);
}

static bool test_boxes_meet(td_triangle a, td_triangle b) {
    return test_intervals_meet((double[3]){a.p0.x, a.p1.x, a.p2.x}, (double[3]){b.p0.x, b.p1.x, b.p2.x}) &&
           test_intervals_meet((double[3]){a.p0.y, a.p1.y, a.p2.y}, (double[3]){b.p0.y, b.p1.y, b.p2.y}) &&
           test_intervals_meet((double[3]){a.p0.z, a.p1.z, a.p2.z}, (double[3]){b.p0.z, b.p1.z, b.p2.z});
}

test_pairs test_exact_pairs(const test_mesh *a, const test_mesh *b, const td_pose *pose) {
    test_oracle *oracle = test_oracle_create();
    test_pairs pairs = {0};
    for (uint32_t i = 0; i < a->triangle_count; ++i) {
        const td_triangle p = test_mesh_triangle(a, i);
        for (uint32_t j = 0; j < b->triangle_count; ++j) {
            const td_triangle q = test_placed(pose, test_mesh_triangle(b, j));
            if (test_boxes_meet(p, q) && test_oracle_intersect(oracle, p, q)) {
                test_pairs_add(&pairs, i, j);
            }
        }
    }
    test_oracle_destroy(oracle);
    return pairs;
}

static bool test_share_a_corner(td_triangle a, td_triangle b) {
    const td_vec3 p[3] = {a.p0, a.p1, a.p2}, q[3] = {b.p0, b.p1, b.p2};
    for (int i = 0; i < 9; ++i) {
        if (td_same_point(p[i / 3], q[i % 3])) {
            return true;
        }
    }
    return false;
}

test_pairs test_exact_self_pairs(const test_mesh *mesh, bool keep_degenerate) {
    test_oracle *oracle = test_oracle_create();
    test_pairs pairs = {0};
    for (uint32_t i = 0; i < mesh->triangle_count; ++i) {
        const td_triangle p = test_mesh_triangle(mesh, i);
        if (!keep_degenerate && test_oracle_degenerate(oracle, p)) {
            continue;
        }
        for (uint32_t j = i + 1; j < mesh->triangle_count; ++j) {
            const td_triangle q = test_mesh_triangle(mesh, j);
            if (!test_share_a_corner(p, q) && test_boxes_meet(p, q) && test_oracle_intersect(oracle, p, q) &&
                (keep_degenerate || !test_oracle_degenerate(oracle, q))) {
                test_pairs_add(&pairs, i, j);
            }
        }
    }
    test_oracle_destroy(oracle);
    return pairs;
}

// ---------------------------------------------------------------------------------------------------------

void test_expect_answer(const td_collide_result *answer, const test_pairs *expected, td_mode mode,
                        const char *what) {
    const uint64_t count = mode == TD_MODE_FIRST ? expected->count > 0 : expected->count;
    if (answer->pair_count != count) {
        fail_msg("%s: %llu pairs, should be %llu", what, (unsigned long long)answer->pair_count,
                 (unsigned long long)count);
    }
    if (answer->colliding != (expected->count > 0)) {
        fail_msg("%s: colliding is %d with %zu pairs expected", what, answer->colliding, expected->count);
    }
    if (answer->colliding && answer->inside != TD_INSIDE_NONE) {
        fail_msg("%s: colliding and yet inside: %s", what, td_inside_name(answer->inside));
    }
    if ((answer->pairs != NULL) != (mode != TD_MODE_COUNT && count > 0)) {
        fail_msg("%s: pairs is %s with %llu of them", what, answer->pairs == NULL ? "null" : "not null",
                 (unsigned long long)count);
    }
    for (size_t i = 0; answer->pairs != NULL && i < count; ++i) {
        const td_pair found = answer->pairs[i];
        if (mode == TD_MODE_FIRST ? !test_pairs_hold(expected, found)
                                  : test_compare_pairs(&found, &expected->items[i]) != 0) {
            fail_msg("%s: pair %zu is (%u, %u), should be (%u, %u)", what, i, found.a, found.b,
                     expected->items[i].a, expected->items[i].b);
        }
    }
}
