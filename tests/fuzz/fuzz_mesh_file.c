// Mesh files from bytes: the first says which name the file has and whether to weld, the rest is the file.
// What is read must be a mesh: indices in range, coordinates finite, nothing missing.
#include "contexts.h"

#include <tandem/io.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void fuzz_check(const td_mesh_arrays *arrays) {
    fuzz_require(arrays->triangle_count > 0 && arrays->vertex_count > 0, "a mesh without triangles");
    for (size_t i = 0; i < 3 * (size_t)arrays->vertex_count; ++i) {
        fuzz_require(isfinite(arrays->positions[i]), "a coordinate that is not finite");
        fuzz_require(!arrays->single_precision || (double)(float)arrays->positions[i] == arrays->positions[i],
                     "a coordinate that is no float32");
    }
    for (size_t i = 0; i < 3 * (size_t)arrays->triangle_count; ++i) {
        fuzz_require(arrays->triangles[i] < arrays->vertex_count, "an index out of range");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const names[] = {"a.obj", "a.ply", "a.off", "a.stl", "a"};
    if (size == 0) {
        return 0;
    }
    td_load_def def = td_default_load_def();
    def.weld = (data[0] & 0x80) == 0;
    const char *name = names[(data[0] & 0x7f) % (sizeof names / sizeof *names)];
    td_mesh_arrays arrays;
    const td_result result = td_read_mesh_memory(&arrays, fuzz_context(), data + 1, size - 1, name, &def);
    if (result == TD_OK) {
        fuzz_check(&arrays);
        td_release_mesh_arrays(&arrays, fuzz_context());
    } else {
        fuzz_require(td_error_message()[0] == 'a', "a message that does not name the file");
        fuzz_require(result == TD_ERROR_FORMAT || result == TD_ERROR_UNSUPPORTED, "an odd result");
    }
    return 0;
}
