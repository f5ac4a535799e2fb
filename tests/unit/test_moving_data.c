// Queries with known answers: nothing missed, nothing invented, times never late and at most 1e-6 early.
#include "predicates/moving_decide.h"
#include "predicates/moving_exact.h"
#include "predicates/moving_filter.h"
#include "support/ccdq.h"
#include "support/cmocka_all.h"
#include "support/moving_cases.h"

#include <stdlib.h>

typedef struct test_state {
    td_context *context;
    long queries, hits, open;
} test_state;

static void test_check_query(test_state *s, const test_ccd_query *query, int kind, const char *name,
                             uint32_t i) {
    const td_moving_points points = test_ccd_points(query);
    td_moving_def def = td_default_moving_def();
    td_moving_contact contact, bounded;
    assert_int_equal(td_decide_moving(&contact, s->context, &points, kind, &def), TD_OK);
    def.budget = 2;
    assert_int_equal(td_decide_moving(&bounded, s->context, &points, kind, &def), TD_OK);
    const bool right =
        contact.certain && contact.touching == (query->hit != 0) &&
        (query->hit == 0 || (contact.time <= query->lower && contact.time >= query->upper - 1e-6));
    if (!right) {
        test_print_moving(&points, kind);
        fail_msg("%s, query %u: %s at %.17g, found %s at %.17g", name, i, query->hit ? "touching" : "apart",
                 query->lower, contact.touching ? "touching" : "apart", contact.time);
    }
    // With a budget nothing is missed and nothing is late; what is certain is right.
    assert_true(bounded.touching || query->hit == 0);
    assert_true(bounded.touching == (query->hit != 0) || !bounded.certain);
    assert_true(query->hit == 0 || bounded.time <= query->lower);
    s->open += td_moving_filter(&points, kind, TD_MOVING_MOST_STEPS).state == TD_MOVING_UNDECIDED;
    s->hits += query->hit != 0;
    ++s->queries;
}

static void test_check_file(const char *name, const test_ccd_file *file, void *user) {
    test_state *s = user;
    td_big_arena arena = {.limbs = calloc(TD_MOVING_EXACT_LIMBS, sizeof(td_limb)),
                          .size = TD_MOVING_EXACT_LIMBS};
    for (uint32_t i = 0; i < file->count; ++i) {
        test_check_query(s, &file->queries[i], file->kind, name, i);
        // Integers alone, of which the filter would leave few.
        const td_moving_points points = test_ccd_points(&file->queries[i]);
        const td_moving_result alone = td_moving_exact(&arena, &points, file->kind, td_moving_anywhere());
        assert_int_equal(alone.state, file->queries[i].hit ? TD_MOVING_TOUCHING : TD_MOVING_APART);
        if (alone.state == TD_MOVING_TOUCHING) {
            assert_true(alone.lower <= file->queries[i].lower && alone.upper >= file->queries[i].upper);
            assert_true(alone.upper - alone.lower <= 1e-6);
        }
    }
    assert_true(arena.most < TD_MOVING_STACK_LIMBS);
    free(arena.limbs);
}

static void test_known_queries(void **state) {
    (void)state;
    test_state s = {0};
    const td_context_def def = td_default_context_def();
    assert_int_equal(td_create_context(&s.context, &def), TD_OK);
    const int files = test_visit_ccd_files(test_check_file, &s);
    td_destroy_context(s.context);
    if (files == 0) {
        print_message(TD_TEST_DATA "/ccd/queries is not there\n");
        skip();
    }
    print_message("%d files, %ld queries, %ld contacts; %ld left open by the filter\n", files, s.queries,
                  s.hits, s.open);
    assert_true(s.open * 20 < s.queries);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_known_queries)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
