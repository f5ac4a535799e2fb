// Contacts of soft bodies that are solved side by side: what one of them moves no other one touches.
#include "support/cmocka_all.h"
#include "support/stage.h"

#include "dynamics/world.h"

#include <stdlib.h>
#include <string.h>

enum { TEST_STAGES = 4, TEST_NOBODY = 0xff };

// Of the groups that act: slabs, seams after even and after odd slabs, and the rest, one after the other.
static int test_stage_of(uint8_t group) {
    return group < TD_SLABS ? 0 : group == TD_TURN_GROUPS - 1 ? 3 : 1 + (group - TD_SLABS) % 2;
}

typedef struct test_tally {
    uint32_t groups[TEST_STAGES]; // that had contacts, at most
    uint64_t contacts, heavy;     // near something heavy that can be moved
} test_tally;

// Whose each vertex is in each stage.
typedef struct test_claims {
    uint8_t *group[TEST_STAGES];
} test_claims;

static test_claims test_claims_of(const td_softs *softs) {
    test_claims claims;
    for (int s = 0; s < TEST_STAGES; ++s) {
        claims.group[s] = malloc(softs->vertex_count);
        assert_non_null(claims.group[s]);
        memset(claims.group[s], TEST_NOBODY, softs->vertex_count);
    }
    return claims;
}

static void test_claim(test_claims *claims, const td_softs *softs, const td_acting *acting, uint8_t group) {
    uint8_t *of = claims->group[test_stage_of(group)];
    for (uint32_t i = 0; i < acting->points; ++i) {
        const uint32_t v = acting->point[i];
        if (softs->weight.items[v] > 0) {
            assert_true(of[v] == TEST_NOBODY || of[v] == group);
            of[v] = group;
        }
    }
}

// As the last sub-step of the last step had it: each contact in one group, at its place, in the order of all.
static void test_look_at_turns(test_tally *tally, const td_softs *softs) {
    const td_turns *turns = &softs->turns;
    test_claims claims = test_claims_of(softs);
    uint32_t found[TEST_STAGES] = {0}, acting = 0;
    for (uint32_t b = 0; b < turns->block_count; ++b) {
        acting += turns->counts.items[b];
    }
    uint32_t listed = 0;
    for (int g = 0; g < TD_TURN_GROUPS; ++g) {
        assert_int_equal(turns->first[g], listed);
        for (uint32_t i = 0; i < turns->counted[g]; ++i, ++listed) {
            const uint32_t place = turns->places.items[listed];
            assert_int_equal(turns->groups.items[place], g);
            assert_true(i == 0 || turns->places.items[listed - 1] < place);
            test_claim(&claims, softs, &turns->acting.items[place], (uint8_t)g);
        }
        found[test_stage_of((uint8_t)g)] += turns->counted[g] > 0;
    }
    assert_int_equal(listed, acting);
    for (int s = 0; s < TEST_STAGES; ++s) {
        tally->groups[s] = found[s] > tally->groups[s] ? found[s] : tally->groups[s];
        free(claims.group[s]);
    }
    tally->contacts += listed;
    if (turns->weighty) { // what that touches it moves as one
        assert_int_equal(turns->counted[0], listed);
        tally->heavy += listed;
    }
}

static void test_add_sheet(test_stage *stage, double y) {
    td_soft_def soft = td_default_soft_def();
    soft.thickness = 0.01;
    td_body_def def = test_body(test_stage_shape(stage, "sheet", 6), 0.1, y, 0.05);
    def.kind = TD_BODY_SOFT;
    def.mass = 1;
    def.soft = &soft;
    test_stage_add(stage, &def);
}

static test_tally test_fall(bool heavy) {
    const td_world_def def = td_default_world_def();
    test_stage stage = test_stage_make(&def, 2, TD_ISA_AUTO);
    test_stage_add_static(&stage, test_stage_box(&stage, 20, 2, 20), 0, -1, 0);
    test_stage_add_static(&stage, test_stage_box(&stage, 0.4, 0.4, 0.4), 0, 0.2, 0);
    test_add_sheet(&stage, 0.43);
    test_add_sheet(&stage, 0.45);
    if (heavy) {
        const td_body_def box = test_body(test_stage_box(&stage, 0.3, 0.3, 0.3), 0, 0.65, 0);
        test_stage_add(&stage, &box);
    }
    test_tally tally = {0};
    for (int i = 0; i < 40; ++i) {
        test_stage_run(&stage, 1);
        test_look_at_turns(&tally, stage.world->softs);
    }
    test_stage_clear(&stage);
    return tally;
}

// Two sheets over a block: in as many slabs as there are, and across their seams.
static void test_slabs_share_nothing(void **state) {
    (void)state;
    const test_tally tally = test_fall(false);
    print_message("%llu contacts; at most %u slabs, %u and %u seams\n", (unsigned long long)tally.contacts,
                  tally.groups[0], tally.groups[1], tally.groups[2]);
    assert_true(tally.groups[0] == TD_SLABS && tally.groups[1] > 4 && tally.groups[2] > 4);
}

// A heavy box upon them: nothing is cut then.
static void test_one_by_weight(void **state) {
    (void)state;
    assert_true(test_fall(true).heavy > 1000);
    assert_true(test_fall(false).heavy == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slabs_share_nothing),
        cmocka_unit_test(test_one_by_weight),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
