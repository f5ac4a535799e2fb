// Every way to ask a question that must not change the answer: each instruction set this processor has, with
// one, two and three threads. Strategies are a parameter of the question itself.
#ifndef TD_TESTS_VARIANTS_H
#define TD_TESTS_VARIANTS_H

#include "cases.h"

#include <tandem/query.h>

enum { TEST_MOST_THREADS = 3, TEST_MOST_VARIANTS = TD_ISA_COUNT * TEST_MOST_THREADS };

typedef struct test_variant {
    char name[32]; // "avx2 x 3"
    td_context *context;
    td_query *query;
} test_variant;

typedef struct test_variants {
    test_variant items[TEST_MOST_VARIANTS];
    int count;
} test_variants;

// Aborts if a context cannot be made: nothing could be tested then.
void test_variants_create(test_variants *out);
void test_variants_destroy(test_variants *variants);

// ---------------------------------------------------------------------------------------------------------
// Answers

// The pairs that a question should give, sorted.
typedef struct test_pairs {
    td_pair *items;
    size_t count, capacity;
} test_pairs;

void test_pairs_add(test_pairs *pairs, uint32_t a, uint32_t b);
void test_pairs_sort(test_pairs *pairs);
void test_pairs_free(test_pairs *pairs);
bool test_pairs_hold(const test_pairs *pairs, td_pair pair); // sorted pairs only

// What triangle pairs of two meshes intersect, b placed at `pose`: every pair by GMP. Pairs whose bounding
// boxes, compared exactly, are apart are not asked about.
test_pairs test_exact_pairs(const test_mesh *a, const test_mesh *b, const td_pose *pose);

// The same for one mesh, by the rules of td_self_collide.
test_pairs test_exact_self_pairs(const test_mesh *mesh, bool keep_degenerate);

// Fails the running test with `what` in the message unless the answer says just this, in the way of `mode`.
void test_expect_answer(const td_collide_result *answer, const test_pairs *expected, td_mode mode,
                        const char *what);

#endif
