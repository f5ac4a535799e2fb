// Two small meshes and a pose from bytes: every strategy on every instruction set must answer as brute force
// does, in every mode.
#include "contexts.h"

#include <tandem/query.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { FUZZ_MOST_TRIANGLES = 18 };

// Corners of their own, or shared with the triangle before; a unit for all coordinates. Null if it is no
// mesh.
static td_mesh *fuzz_mesh(fuzz_input *input, uint32_t *most) {
    static double positions[9 * FUZZ_MOST_TRIANGLES];
    static uint32_t triangles[3 * FUZZ_MOST_TRIANGLES];
    const uint8_t head = fuzz_byte(input), scale = fuzz_byte(input), place = fuzz_byte(input);
    const int strip = head % 2, mode = fuzz_byte(input) % FUZZ_MODES;
    *most = fuzz_most_triangles(mode, *most);
    const uint32_t count = 1 + head / 8 % *most;
    const double unit = scale < 128 ? 1 : ldexp(1, scale - 192);
    const double offset = place < 128 ? 0 : ldexp(1, place - 128);
    const uint32_t vertices = strip ? count + 2 : 3 * count;
    for (uint32_t i = 0; i < 3 * vertices; ++i) {
        positions[i] = fuzz_coordinate(input, mode) * unit + offset;
    }
    for (uint32_t i = 0; i < 3 * count; ++i) {
        triangles[i] = strip ? i / 3 + i % 3 : i;
    }
    td_mesh_def def = td_default_mesh_def();
    def.positions = positions;
    def.vertex_count = vertices;
    def.triangles = triangles;
    def.triangle_count = count;
    td_mesh *mesh = NULL;
    const td_result result = td_create_mesh(&mesh, fuzz_context(), &def);
    fuzz_require(result == TD_OK || result == TD_ERROR_MESH, "the wrong result for a mesh");
    return mesh;
}

// A quaternion: none, of small integers, of such at any power of two, or any bits, good or bad.
static td_pose fuzz_pose(fuzz_input *input) {
    td_pose pose = td_pose_identity();
    const uint8_t head = fuzz_byte(input), scale = fuzz_byte(input);
    const int kind = head % 4, mode = head / 4 % FUZZ_MODES;
    double norm = 0;
    for (int k = 0; k < 4 && kind != 0; ++k) {
        pose.rotation[k] = kind == 1   ? (int8_t)fuzz_byte(input)
                           : kind == 2 ? fuzz_coordinate(input, 4)
                                       : fuzz_bits(input);
        norm += pose.rotation[k] * pose.rotation[k];
    }
    for (int k = 0; k < 4 && norm > 0 && kind != 3; ++k) {
        pose.rotation[k] /= sqrt(norm);
    }
    for (int k = 0; k < 3; ++k) {
        pose.position[k] = fuzz_coordinate(input, mode) * (scale < 128 ? 1 : ldexp(1, scale - 192));
    }
    return pose;
}

typedef struct fuzz_question {
    td_mesh *a, *b;
    td_pose pose;
    td_mode mode; // beside TD_MODE_PAIRS
} fuzz_question;

typedef struct fuzz_answer {
    td_pair pairs[FUZZ_MOST_TRIANGLES * FUZZ_MOST_TRIANGLES];
    uint64_t count;
    td_inside inside;
} fuzz_answer;

static int fuzz_has(const fuzz_answer *answer, td_pair pair) {
    for (uint64_t i = 0; i < answer->count; ++i) {
        if (answer->pairs[i].a == pair.a && answer->pairs[i].b == pair.b) {
            return 1;
        }
    }
    return 0;
}

static void fuzz_compare(const td_collide_result *found, const fuzz_answer *expected, td_mode mode) {
    const uint64_t count = mode == TD_MODE_FIRST ? expected->count > 0 : expected->count;
    fuzz_require(found->pair_count == count, "another number of pairs than by brute force");
    fuzz_require(found->colliding == (count > 0), "colliding without pairs, or the other way round");
    fuzz_require(found->inside == expected->inside, "inside for one, not for the other");
    for (uint64_t i = 0; mode == TD_MODE_PAIRS && i < count; ++i) {
        fuzz_require(found->pairs[i].a == expected->pairs[i].a && found->pairs[i].b == expected->pairs[i].b,
                     "other pairs than by brute force");
    }
    if (mode == TD_MODE_FIRST && count > 0) {
        fuzz_require(fuzz_has(expected, found->pairs[0]), "a first pair that is none");
    }
}

// 0 if the question is refused.
static int fuzz_brute(fuzz_answer *out, const fuzz_question *question) {
    td_collide_def def = td_default_collide_def();
    def.strategy = "brute";
    td_collide_result answer;
    const td_result result =
        td_collide(&answer, fuzz_query(TD_ISA_SCALAR), question->a, question->b, &question->pose, &def);
    if (result != TD_OK) {
        const int known = result == TD_ERROR_POSE || result == TD_ERROR_UNSUPPORTED;
        fuzz_require(known && td_error_message()[0] != '\0', "the wrong result for a question");
        return 0;
    }
    out->count = answer.pair_count;
    out->inside = answer.inside;
    if (out->count > 0) {
        memcpy(out->pairs, answer.pairs, (size_t)out->count * sizeof *out->pairs);
    }
    return 1;
}

// One strategy, one instruction set, one mode.
static void fuzz_ask_once(const fuzz_question *question, const fuzz_answer *expected, int isa,
                          const char *strategy, td_volume volume, td_mode mode, td_pair *first) {
    td_collide_def def = td_default_collide_def();
    def.strategy = strategy;
    def.volume = volume;
    def.mode = mode;
    td_collide_result found;
    fuzz_require(
        td_collide(&found, fuzz_query((td_isa)isa), question->a, question->b, &question->pose, &def) == TD_OK,
        "a strategy failed");
    fuzz_compare(&found, expected, mode);
    if (mode == TD_MODE_FIRST && found.colliding) {
        *first = isa == TD_ISA_SCALAR ? found.pairs[0] : *first;
        fuzz_require(memcmp(first, found.pairs, sizeof *first) == 0,
                     "another first pair than on another instruction set");
    }
}

static void fuzz_ask(const fuzz_question *question) {
    static fuzz_answer expected;
    if (!fuzz_brute(&expected, question)) {
        return;
    }
    for (uint32_t s = 0; s < td_strategy_count(); ++s) {
        const char *strategy = td_strategy_name(s);
        const int last = fuzz_last_isa(strategy);
        td_pair first = {0, 0};
        for (int isa = TD_ISA_SCALAR; isa <= last && strcmp(strategy, "brute") != 0; ++isa) {
            if (fuzz_query((td_isa)isa) != NULL) {
                fuzz_ask_once(question, &expected, isa, strategy, TD_VOLUME_AABB, TD_MODE_PAIRS, &first);
                fuzz_ask_once(question, &expected, isa, strategy, TD_VOLUME_AABB, question->mode, &first);
            }
        }
        if (td_strategy_can(s).obb) {
            fuzz_ask_once(question, &expected, TD_ISA_SCALAR, strategy, TD_VOLUME_OBB, TD_MODE_PAIRS, &first);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_input input = {data, size};
    fuzz_question question = {.mode = size % 2 == 0 ? TD_MODE_COUNT : TD_MODE_FIRST};
    question.pose = fuzz_pose(&input);
    const double reach = fmax(fabs(question.pose.position[0]), fabs(question.pose.position[1]));
    uint32_t most = reach < 1e30 && (reach == 0 || reach > 1e-30) ? FUZZ_MOST_TRIANGLES : 3;
    question.a = fuzz_mesh(&input, &most);
    question.b = fuzz_mesh(&input, &most);
    if (question.a != NULL && question.b != NULL) {
        fuzz_ask(&question);
    }
    td_destroy_mesh(question.a);
    td_destroy_mesh(question.b);
    return 0;
}
