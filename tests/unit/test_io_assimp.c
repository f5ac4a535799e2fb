// Formats through assimp: scenes made by hand and by assimp's own exporters, read back.
#include "test_io_support.h"

#include <tandem/assimp.h>

#include <assimp/cexport.h>
#include <assimp/cimport.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>

typedef struct test_place {
    td_context *context;
    char folder[256];
    char path[512];
} test_place;

static int test_setup(void **state) {
    test_place *place = calloc(1, sizeof *place);
    assert_non_null(place);
    place->context = test_context();
    test_make_folder(place->folder);
    *state = place;
    return 0;
}

static int test_teardown(void **state) {
    test_place *place = *state;
    unlink(place->path);
    rmdir(place->folder);
    td_destroy_context(place->context);
    free(place);
    return 0;
}

static const char *test_at(test_place *place, const char *name) {
    snprintf(place->path, sizeof place->path, "%s/%s", place->folder, name);
    return place->path;
}

static td_mesh_arrays test_read(test_place *place, const char *path) {
    const td_load_def def = td_default_load_def();
    td_mesh_arrays arrays;
    if (td_assimp_read_mesh_file(&arrays, place->context, path, &def) != TD_OK) {
        fail_msg("%s", td_error_message());
    }
    return arrays;
}

// A root with two children that share one mesh, a triangle; the second child is moved and has a child of its
// own that is scaled. The positions (0,0,0), (1,0,0), (0,1,0) are in the data URI, the indices 0 1 2 behind.
static const char test_gltf[] =
    "{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[0]}],"
    "\"nodes\":[{\"children\":[1,2]},{\"mesh\":0},{\"mesh\":0,\"translation\":[10,0,0],\"children\":[3]},"
    "{\"mesh\":0,\"scale\":[2,2,2]}],"
    "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"indices\":1}]}],"
    "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\",\"min\":[0,0,0],"
    "\"max\":[1,1,0]},{\"bufferView\":1,\"componentType\":5123,\"count\":3,\"type\":\"SCALAR\"}],"
    "\"bufferViews\":[{\"buffer\":0,\"byteOffset\":0,\"byteLength\":36},{\"buffer\":0,\"byteOffset\":36,"
    "\"byteLength\":6}],"
    "\"buffers\":[{\"byteLength\":44,\"uri\":\"data:application/octet-stream;base64,"
    "AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAAAAABAAIAAAA=\"}]}";

static void test_node_transforms(void **state) {
    test_place *place = *state;
    const char *path = test_at(place, "scene.gltf");
    test_write_file(path, test_gltf, strlen(test_gltf));
    td_mesh_arrays arrays = test_read(place, path);
    // Depth first, in order; (10,0,0) is there twice and became one.
    const double positions[][3] = {{0, 0, 0},  {1, 0, 0},  {0, 1, 0},  {10, 0, 0},
                                   {11, 0, 0}, {10, 1, 0}, {12, 0, 0}, {10, 2, 0}};
    const uint32_t triangles[][3] = {{0, 1, 2}, {3, 4, 5}, {3, 6, 7}};
    test_expect_positions(&arrays, 8, positions);
    test_expect_triangles(&arrays, 3, triangles);
    assert_false(arrays.single_precision); // placed in float64
    td_release_mesh_arrays(&arrays, place->context);
}

// A cube of quads in our own OBJ, converted by assimp: the triangles of both readers run over the same
// positions in the same order.
static const char test_cube[] = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n"
                                "f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";

static void test_same_triangles(const td_mesh_arrays *a, const td_mesh_arrays *b) {
    assert_int_equal(a->triangle_count, b->triangle_count);
    assert_int_equal(a->vertex_count, b->vertex_count);
    for (size_t i = 0; i < 3 * (size_t)a->triangle_count; ++i) {
        const double *p = a->positions + 3 * (size_t)a->triangles[i];
        const double *q = b->positions + 3 * (size_t)b->triangles[i];
        assert_true(p[0] == q[0] && p[1] == q[1] && p[2] == q[2]);
    }
}

static void test_exported(void **state) {
    test_place *place = *state;
    td_mesh_arrays cube = test_read_text(place->context, "cube.obj", test_cube);
    const char *source = test_at(place, "cube.obj");
    test_write_file(source, test_cube, strlen(test_cube));
    const struct aiScene *scene = aiImportFile(source, 0);
    assert_non_null(scene);
    unlink(source);
    // assimp's 3MF writer knows only triangles and must be given them.
    static const struct {
        const char *format, *name;
        unsigned processing;
    } cases[] = {
        {"collada", "cube.dae", 0}, {"glb2", "cube.glb", 0}, {"3mf", "cube.3mf", aiProcess_Triangulate}};
    int tested = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        const char *path = test_at(place, cases[i].name);
        if (!td_assimp_format_known(path) ||
            aiExportScene(scene, cases[i].format, path, cases[i].processing) != aiReturn_SUCCESS) {
            print_message("skipped: this assimp does not write and read %s\n", cases[i].name);
            continue;
        }
        td_mesh_arrays arrays = test_read(place, path);
        test_same_triangles(&cube, &arrays);
        td_release_mesh_arrays(&arrays, place->context);
        unlink(path);
        ++tested;
    }
    assert_true(tested >= 2);
    aiReleaseImport(scene);
    td_release_mesh_arrays(&cube, place->context);
}

static void test_refused(void **state) {
    test_place *place = *state;
    const td_load_def def = td_default_load_def();
    td_mesh_arrays arrays;
    const char *path = test_at(place, "absent.glb");
    test_expect_sentence(td_assimp_read_mesh_file(&arrays, place->context, path, &def), TD_ERROR_FILE,
                         "absent.glb: cannot be opened");
    test_expect_sentence(td_assimp_read_mesh_file(&arrays, place->context, place->folder, &def),
                         TD_ERROR_FILE, "is a folder");
    test_write_file(path, "", 0);
    test_expect_sentence(td_assimp_read_mesh_file(&arrays, place->context, path, &def), TD_ERROR_FORMAT,
                         "absent.glb: the file is empty");
    test_write_file(path, "glTF, or so it says", 19);
    test_expect_sentence(td_assimp_read_mesh_file(&arrays, place->context, path, &def), TD_ERROR_FORMAT,
                         "absent.glb: ");
    assert_true(strlen(td_error_message()) > strlen(path) + 5);
    unlink(path);
    path = test_at(place, "a.unheard");
    test_write_file(path, "x", 1);
    test_expect_sentence(td_assimp_read_mesh_file(&arrays, place->context, path, &def), TD_ERROR_UNSUPPORTED,
                         "a.unheard: unknown mesh format");
    assert_true(td_assimp_format_known("a.glb"));
    assert_false(td_assimp_format_known("a.unheard") || td_assimp_format_known("glb") ||
                 td_assimp_format_known(""));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, test_setup, test_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {TEST(test_node_transforms), TEST(test_exported), TEST(test_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
