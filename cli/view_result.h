// The --json output of `tandem collide` and `tandem self`, read again to be looked at: which meshes it is
// about, where the second one is placed, and which triangles intersect.
#ifndef TD_CLI_VIEW_RESULT_H
#define TD_CLI_VIEW_RESULT_H

#include "io/file.h"
#include "io/scene_json.h"
#include "load.h"

typedef struct td_view_result {
    td_context *context;
    td_json_document document;
    cJSON *root;
    uint32_t mesh_count; // 1 of `self`, 2 of `collide`
    const char *names[2];
    bool batch;
    size_t count;   // of answers: poses of a batch, else 1
    td_pose *poses; // as many; null: they are not told
} td_view_result;

// False: the error was told. To be released in any case.
bool td_view_read_result(td_view_result *out, td_context *context, const char *path);
void td_view_release_result(td_view_result *result);

// The triangles that intersect others, per mesh, ascending, each once.
typedef struct td_view_marks {
    uint32_t *triangles[2];
    size_t counts[2];
} td_view_marks;

// Those of the answer of this number, below `count`. `meshes` are those of the result, or others that stand
// for them: a triangle that they do not have is an error. False: the error was told.
bool td_view_read_marks(td_view_marks *out, const td_view_result *result, const td_cli_mesh *meshes,
                        size_t index);
void td_view_release_marks(td_view_marks *marks); // fine on zeroed ones

// The element that tells the page which triangles to point out, for free(). `meshes` as above. *triangles is
// how many are pointed out, over all frames. Null: the error was told.
char *td_view_highlights(const td_view_result *result, const td_cli_mesh *meshes, uint64_t *triangles);

#endif
