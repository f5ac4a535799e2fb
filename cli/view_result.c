#include "view_result.h"

#include "core/error.h"
#include "message.h"

#include <stdio.h>
#include <stdlib.h>

static const char *const td_mesh_keys[2] = {"a", "b"};

static td_json td_result_root(const td_view_result *result) {
    return (td_json){.document = &result->document, .item = result->root};
}

static td_result td_fail_shape(const td_json *value, const char *missing) {
    return td_json_fail(
        value, "\"%s\" is missing: expected what 'tandem collide' or 'tandem self' prints with --json",
        missing);
}

// A member that must be there.
static td_result td_need(td_json *out, const td_json *object, const char *key) {
    if (!cJSON_IsObject(object->item)) {
        return td_json_fail(object,
                            "expected the object that 'tandem collide' or 'tandem self' prints with --json");
    }
    return td_json_get(out, object, key) ? TD_OK : td_fail_shape(object, key);
}

// ---------------------------------------------------------------------------------------------------------
// Reading

static td_result td_read_names(td_view_result *result, const td_json *root) {
    td_json mesh = {0}, name = {0};
    result->mesh_count = 1;
    TD_TRY(td_need(&mesh, root, td_mesh_keys[0]));
    TD_TRY(td_need(&name, &mesh, "name"));
    TD_TRY(td_json_text(&result->names[0], &name));
    if (td_json_get(&mesh, root, td_mesh_keys[1])) {
        result->mesh_count = 2;
        TD_TRY(td_need(&name, &mesh, "name"));
        TD_TRY(td_json_text(&result->names[1], &name));
    }
    return TD_OK;
}

static td_result td_read_pose(td_pose *out, const td_json *answer) {
    td_json value = {0};
    double numbers[7] = {0};
    TD_TRY(td_need(&value, answer, "pose"));
    TD_TRY(td_json_numbers(numbers, 7, &value, &td_json_any));
    for (int k = 0; k < 7; ++k) {
        *(k < 3 ? &out->position[k] : &out->rotation[k - 3]) = numbers[k];
    }
    const td_result result = td_check_pose(out);
    return result == TD_OK ? TD_OK : td_json_fail_within(&value, result);
}

static td_result td_read_answers(td_view_result *result, const td_json *root) {
    td_json poses = {0};
    result->batch = td_json_get(&poses, root, "poses");
    result->count = 1;
    if (result->batch) {
        TD_TRY(td_json_check_array(&poses));
        result->count = (size_t)cJSON_GetArraySize(poses.item);
        if (result->count == 0) {
            return td_json_fail(&poses, "is empty: expected an answer per pose");
        }
    }
    if (result->mesh_count == 1) {
        return TD_OK; // a mesh against itself has no pose
    }
    result->poses = calloc(result->count, sizeof *result->poses);
    if (!result->poses) {
        return td_fail(TD_ERROR_MEMORY, "%s: out of memory for its poses", result->document.name);
    }
    if (!result->batch) {
        return td_read_pose(&result->poses[0], root);
    }
    td_json answer = {0};
    while (td_json_next(&answer, &poses)) {
        TD_TRY(td_read_pose(&result->poses[answer.index], &answer));
    }
    return TD_OK;
}

static td_result td_read_document(td_view_result *result, const char *path) {
    td_file_bytes bytes = {0};
    TD_TRY(td_read_whole_file(&bytes, result->context, path, NULL, NULL));
    const td_result parsed = td_json_read(&result->root, bytes.items, bytes.count, path);
    td_array_release(result->context, &bytes);
    TD_TRY(parsed);
    const td_json root = td_result_root(result);
    TD_TRY(td_read_names(result, &root));
    return td_read_answers(result, &root);
}

bool td_view_read_result(td_view_result *out, td_context *context, const char *path) {
    *out = (td_view_result){.context = context, .document = {.name = path}};
    if (td_read_document(out, path) != TD_OK) {
        td_cli_library_error(NULL);
        return false;
    }
    return true;
}

void td_view_release_result(td_view_result *result) {
    cJSON_Delete(result->root);
    free(result->poses);
    *result = (td_view_result){0};
}

// ---------------------------------------------------------------------------------------------------------
// Marks

// A mesh of another size is another mesh: the numbers of its triangles mean something else.
static td_result td_check_mesh(const td_view_result *result, uint32_t index, const td_cli_mesh *mesh) {
    const td_json root = td_result_root(result);
    td_json described = {0}, value = {0};
    uint32_t count = 0;
    TD_TRY(td_need(&described, &root, td_mesh_keys[index]));
    TD_TRY(td_need(&value, &described, "triangles"));
    TD_TRY(td_json_count(&count, &value, 1, UINT32_MAX));
    if (count != td_mesh_triangle_count(mesh->mesh)) {
        return td_json_fail(&value, "is %u, but %s has %u: expected the mesh that the result is about", count,
                            mesh->name, td_mesh_triangle_count(mesh->mesh));
    }
    return TD_OK;
}

static td_result td_check_meshes(const td_view_result *result, const td_cli_mesh *meshes) {
    for (uint32_t i = 0; i < 2 && i < result->mesh_count; ++i) {
        TD_TRY(td_check_mesh(result, i, &meshes[i]));
    }
    return TD_OK;
}

static int td_compare_triangles(const void *a, const void *b) {
    const uint32_t first = *(const uint32_t *)a, second = *(const uint32_t *)b;
    return (first > second) - (first < second);
}

// Of a mesh against itself both triangles of a pair are the same body's.
static td_result td_take_pair(td_view_marks *marks, const td_view_result *result, const td_cli_mesh *meshes,
                              const td_json *pair) {
    if (!cJSON_IsArray(pair->item) || cJSON_GetArraySize(pair->item) != 2) {
        return td_json_fail(pair, "expected a pair of triangles: [a, b]");
    }
    td_json number = {0};
    while (td_json_next(&number, pair)) {
        const size_t body = result->mesh_count == 1 ? 0 : number.index;
        uint32_t *next = &marks->triangles[body][marks->counts[body]++];
        TD_TRY(td_json_count(next, &number, 0, td_mesh_triangle_count(meshes[body].mesh) - 1));
    }
    return TD_OK;
}

static void td_sort_marks(uint32_t *triangles, size_t *count) {
    size_t kept = 0;
    qsort(triangles, *count, sizeof *triangles, td_compare_triangles);
    for (size_t i = 0; i < *count; ++i) {
        if (i == 0 || triangles[i] != triangles[i - 1]) {
            triangles[kept++] = triangles[i];
        }
    }
    *count = kept;
}

static td_result td_find_pairs(td_json *triangles, const td_json *answer) {
    if (cJSON_IsObject(answer->item) && !td_json_get(triangles, answer, "triangles") &&
        td_json_get(triangles, answer, "pairs")) {
        return td_json_fail(answer,
                            "the pairs were only counted, and there is nothing to highlight: expected "
                            "\"triangles\"; run 'tandem' without --count");
    }
    TD_TRY(td_need(triangles, answer, "triangles"));
    return td_json_check_array(triangles);
}

static td_result td_collect_marks(td_view_marks *out, const td_view_result *result, const td_cli_mesh *meshes,
                                  const td_json *answer) {
    td_json triangles = {0}, pair = {0};
    TD_TRY(td_find_pairs(&triangles, answer));
    const size_t pairs = (size_t)cJSON_GetArraySize(triangles.item);
    for (int body = 0; body < 2; ++body) {
        out->triangles[body] = malloc((2 * pairs + 1) * sizeof *out->triangles[body]);
        if (!out->triangles[body]) {
            return td_fail(TD_ERROR_MEMORY, "out of memory");
        }
    }
    while (td_json_next(&pair, &triangles)) {
        TD_TRY(td_take_pair(out, result, meshes, &pair));
    }
    for (int body = 0; body < 2; ++body) {
        td_sort_marks(out->triangles[body], &out->counts[body]);
    }
    return TD_OK;
}

void td_view_release_marks(td_view_marks *marks) {
    free(marks->triangles[0]);
    free(marks->triangles[1]);
    *marks = (td_view_marks){0};
}

// The answer of a number.
static td_json td_find_answer(const td_view_result *result, size_t index) {
    const td_json root = td_result_root(result);
    td_json poses = {0}, answer = {0};
    if (!result->batch) {
        return root;
    }
    td_json_get(&poses, &root, "poses");
    while (td_json_next(&answer, &poses) && answer.index < index) {
    }
    return answer;
}

bool td_view_read_marks(td_view_marks *out, const td_view_result *result, const td_cli_mesh *meshes,
                        size_t index) {
    *out = (td_view_marks){0};
    td_result outcome = td_check_meshes(result, meshes);
    if (outcome == TD_OK) {
        const td_json answer = td_find_answer(result, index);
        outcome = td_collect_marks(out, result, meshes, &answer);
    }
    if (outcome != TD_OK) {
        td_cli_library_error(NULL);
        td_view_release_marks(out);
    }
    return outcome == TD_OK;
}

// ---------------------------------------------------------------------------------------------------------
// Highlights of the page

typedef struct td_highlighting {
    FILE *out;
    const td_cli_mesh *meshes;
    uint64_t total;
} td_highlighting;

static void td_put_triangles(td_highlighting *highlighting, const td_view_marks *marks, size_t body) {
    fputs(body ? ",[" : "[", highlighting->out);
    for (size_t i = 0; i < marks->counts[body]; ++i) {
        fprintf(highlighting->out, i ? ",%u" : "%u", marks->triangles[body][i]);
    }
    fputs("]", highlighting->out);
    highlighting->total += marks->counts[body];
}

static td_result td_put_answer(td_highlighting *highlighting, const td_view_result *result,
                               const td_json *answer) {
    td_view_marks marks = {0};
    const td_result outcome = td_collect_marks(&marks, result, highlighting->meshes, answer);
    for (size_t body = 0; outcome == TD_OK && body < result->mesh_count; ++body) {
        td_put_triangles(highlighting, &marks, body);
    }
    td_view_release_marks(&marks);
    return outcome;
}

static td_result td_put_answers(td_highlighting *highlighting, const td_view_result *result) {
    const td_json root = td_result_root(result);
    td_json poses = {0}, answer = {0};
    if (!result->batch) {
        fputs("[", highlighting->out);
        TD_TRY(td_put_answer(highlighting, result, &root));
        fputs("]", highlighting->out);
        return TD_OK;
    }
    td_json_get(&poses, &root, "poses");
    while (td_json_next(&answer, &poses)) {
        fputs(answer.index ? ",[" : "[", highlighting->out);
        TD_TRY(td_put_answer(highlighting, result, &answer));
        fputs("]", highlighting->out);
    }
    return TD_OK;
}

static td_result td_highlight(td_highlighting *highlighting, const td_view_result *result) {
    TD_TRY(td_check_meshes(result, highlighting->meshes));
    // Nothing in it needs to be escaped: numbers, and a title of letters.
    fputs("<script id=\"tandem-highlights\" type=\"application/json\">"
          "{\"title\":\"intersecting triangles\",\"frames\":[",
          highlighting->out);
    TD_TRY(td_put_answers(highlighting, result));
    fputs("]}</script>", highlighting->out);
    return TD_OK;
}

char *td_view_highlights(const td_view_result *result, const td_cli_mesh *meshes, uint64_t *triangles) {
    char *text = NULL;
    size_t size = 0;
    td_highlighting highlighting = {.out = open_memstream(&text, &size), .meshes = meshes};
    if (!highlighting.out) {
        td_cli_error("out of memory");
        return NULL;
    }
    const td_result outcome = td_highlight(&highlighting, result);
    const bool written = fclose(highlighting.out) == 0;
    *triangles = highlighting.total;
    if (outcome == TD_OK && written) {
        return text;
    }
    if (outcome != TD_OK) {
        td_cli_library_error(NULL);
    } else {
        td_cli_error("out of memory");
    }
    free(text);
    return NULL;
}
