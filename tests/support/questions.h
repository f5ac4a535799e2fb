// Questions for every strategy: two small meshes of every kind (cases.h), sizes around those of quads and
// blocks, all magnitudes, and some poses each.
#ifndef TD_TESTS_QUESTIONS_H
#define TD_TESTS_QUESTIONS_H

#include "cases.h"

enum { TEST_QUESTION_POSES = 8, TEST_KINDS = 12, TEST_MAGNITUDES = 15 };

typedef struct test_question {
    char name[160];
    uint32_t most; // triangles that a mesh may have
    test_mesh a, b;
    td_pose poses[TEST_QUESTION_POSES];
} test_question;

// The same for the same seed. Kinds and magnitudes are counted from 0; magnitude 0 is the plain one.
test_question test_make_question(int kind, int magnitude, uint64_t seed);
void test_question_free(test_question *question);

const char *test_kind_name(int kind);

#endif
