// Mesh arrays from bytes: any counts, strides, scalars, indices and coordinates. What is no mesh must be
// refused for the right reason; over what is one the hierarchy must be valid, and every strategy must find
// the same pairs in it.
#include "contexts.h"
#include "query/mesh.h"

#include <tandem/query.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { FUZZ_MOST_VERTICES = 32, FUZZ_MOST_TRIANGLES = 34 };

typedef struct fuzz_arrays {
    td_mesh_def def;
    void *positions;     // exactly as long as the definition says
    uint32_t *triangles; // the same
    int finite, in_range;
} fuzz_arrays;

static void fuzz_read_positions(fuzz_arrays *arrays, fuzz_input *input, int mode) {
    const size_t scalar = arrays->def.scalar == TD_FLOAT32 ? sizeof(float) : sizeof(double);
    const size_t stride = arrays->def.position_stride != 0 ? arrays->def.position_stride : 3 * scalar;
    const size_t count = arrays->def.vertex_count;
    // The last vertex ends with its z: what a stride leaves behind it is not ours to read.
    const size_t bytes = count == 0 ? 0 : (count - 1) * stride + 3 * scalar;
    arrays->positions = malloc(bytes + 1);
    fuzz_require(arrays->positions != NULL, "no memory");
    memset(arrays->positions, 0xff, bytes); // NaN in the gaps
    for (size_t i = 0; i < 3 * count && stride >= 3 * scalar; ++i) {
        const double x = fuzz_coordinate(input, mode);
        const float narrow = (float)x;
        unsigned char *at = (unsigned char *)arrays->positions + i / 3 * stride + i % 3 * scalar;
        memcpy(at, scalar == sizeof(float) ? (const void *)&narrow : (const void *)&x, scalar);
        arrays->finite &= scalar == sizeof(float) ? isfinite(narrow) != 0 : isfinite(x) != 0;
    }
}

static void fuzz_read_triangles(fuzz_arrays *arrays, fuzz_input *input, int wild) {
    const size_t count = 3 * (size_t)arrays->def.triangle_count;
    arrays->triangles = malloc(count * sizeof *arrays->triangles + 1);
    fuzz_require(arrays->triangles != NULL, "no memory");
    for (size_t i = 0; i < count; ++i) {
        const uint32_t vertices = arrays->def.vertex_count, byte = fuzz_byte(input);
        uint32_t index = vertices == 0 ? byte : byte % vertices;
        if (wild && byte >= 0xf0) {
            index = byte == 0xff ? UINT32_MAX : byte == 0xfe ? 0x80000000u : vertices + (byte & 7u);
        }
        arrays->triangles[i] = index;
        arrays->in_range &= index < vertices;
    }
}

static fuzz_arrays fuzz_read(fuzz_input *input) {
    const uint8_t flags = fuzz_byte(input), stride = fuzz_byte(input);
    fuzz_arrays arrays = {.def = td_default_mesh_def(), .finite = 1, .in_range = 1};
    arrays.def.scalar = (flags & 1) != 0 ? TD_FLOAT32 : TD_FLOAT64;
    arrays.def.borrow = (flags & 2) != 0;
    arrays.def.name = (flags & 4) != 0 ? "fuzz" : NULL;
    arrays.def.position_stride = stride < 128 ? 0 : stride - 128u;
    arrays.def.vertex_count = fuzz_byte(input) % (FUZZ_MOST_VERTICES + 1);
    const uint8_t triangles = fuzz_byte(input);
    const int mode = fuzz_byte(input) % FUZZ_MODES;
    arrays.def.triangle_count = triangles % (fuzz_most_triangles(mode, FUZZ_MOST_TRIANGLES) + 1);
    fuzz_read_positions(&arrays, input, mode);
    fuzz_read_triangles(&arrays, input, (flags & 8) != 0);
    arrays.def.positions = arrays.positions;
    arrays.def.triangles = arrays.triangles;
    return arrays;
}

static td_result fuzz_expected(const fuzz_arrays *arrays) {
    const size_t scalar = arrays->def.scalar == TD_FLOAT32 ? sizeof(float) : sizeof(double);
    const size_t stride = arrays->def.position_stride;
    if (stride != 0 && (stride < 3 * scalar || stride % scalar != 0)) {
        return TD_ERROR_ARGUMENT;
    }
    return arrays->def.triangle_count == 0 || !arrays->finite || !arrays->in_range ? TD_ERROR_MESH : TD_OK;
}

static void fuzz_self_collide(const td_mesh *mesh, bool keep_degenerate) {
    static td_pair expected[FUZZ_MOST_TRIANGLES * FUZZ_MOST_TRIANGLES];
    td_collide_def def = td_default_collide_def();
    def.keep_degenerate = keep_degenerate;
    def.strategy = "brute";
    td_collide_result answer;
    fuzz_require(td_self_collide(&answer, fuzz_query(TD_ISA_SCALAR), mesh, &def) == TD_OK, "brute failed");
    const size_t count = (size_t)answer.pair_count;
    if (count > 0) {
        memcpy(expected, answer.pairs, count * sizeof *expected);
    }
    for (uint32_t s = 0; s < td_strategy_count(); ++s) {
        def.strategy = td_strategy_name(s);
        if (!td_strategy_can(s).self) {
            continue;
        }
        const int last = fuzz_last_isa(def.strategy);
        for (int isa = TD_ISA_SCALAR; isa <= last && strcmp(def.strategy, "brute") != 0; ++isa) {
            if (fuzz_query((td_isa)isa) == NULL) {
                continue;
            }
            fuzz_require(td_self_collide(&answer, fuzz_query((td_isa)isa), mesh, &def) == TD_OK,
                         "a strategy failed");
            fuzz_require(answer.pair_count == count, "another number of pairs than by brute force");
            fuzz_require(count == 0 || memcmp(expected, answer.pairs, count * sizeof *expected) == 0,
                         "other pairs than by brute force");
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_input input = {data, size};
    fuzz_arrays arrays = fuzz_read(&input);
    td_mesh *mesh = NULL;
    const td_result result = td_create_mesh(&mesh, fuzz_context(), &arrays.def);
    fuzz_require(result == fuzz_expected(&arrays), "the wrong result");
    fuzz_require((mesh != NULL) == (result == TD_OK), "a mesh without success, or the other way round");
    if (mesh != NULL) {
        fuzz_require(td_blocked_validate(&mesh->hierarchy, &mesh->triangles) == TD_OK, td_error_message());
        td_mesh_report report;
        fuzz_require(td_inspect_mesh(&report, fuzz_context(), mesh) == TD_OK, "inspection failed");
        fuzz_require(report.triangles == arrays.def.triangle_count, "triangles were lost");
        fuzz_self_collide(mesh, size % 2 == 0);
        td_destroy_mesh(mesh);
    }
    free(arrays.positions);
    free(arrays.triangles);
    return 0;
}
