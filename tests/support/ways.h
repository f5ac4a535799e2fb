// How to ask a question without changing the answer: every strategy with every volume it knows, natively or
// on a device; if wanted, with every descent rule, and with one work-item per object pair.
#ifndef TD_TESTS_WAYS_H
#define TD_TESTS_WAYS_H

#include <tandem/query.h>

enum {
    TEST_MOST_WAYS = 64,
    // What to add to strategies and volumes:
    TEST_WAYS_BRUTE = 1,    // brute force, which is slow
    TEST_WAYS_DESCENTS = 2, // descent rules
    TEST_WAYS_ONE_ITEM = 4  // one work-item per object pair
};

typedef struct test_way {
    char name[64]; // "binary, obb, alternate"
    td_collide_def def;
} test_way;

typedef struct test_ways {
    test_way items[TEST_MOST_WAYS];
    int count;
} test_ways;

// `device` null: natively. `more`: a sum of TEST_WAYS_x. Aborts if there are more than TEST_MOST_WAYS.
void test_ways_list(test_ways *out, td_device *device, int more);

// Fails the running test, with `what` in the message, if a traversal remembered more than it may: `binary`
// two node indices and (height A + height B) bits, `stack` what Eq. 1 of paper 000 says
// (src/traverse/storage.h). The meshes have been asked by this strategy before.
void test_expect_state_bits(const td_collide_result *answer, const td_collide_def *def, const td_mesh *a,
                            const td_mesh *b, const char *what);

#endif
