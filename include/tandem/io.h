// Mesh files and pose files. OBJ, PLY (ascii and binary, both endiannesses), OFF and STL (ascii and binary)
// are read and written by the library itself, in float64, triangles in file order. Other formats: see
// assimp.h.
#ifndef TANDEM_IO_H
#define TANDEM_IO_H

#include "query.h"

#ifdef __cplusplus
extern "C" {
#endif

// Plain arrays, as a file has them after fan triangulation of its polygons. Owned by the caller.
typedef struct td_mesh_arrays {
    double *positions; // x y z per vertex
    uint32_t *triangles;
    uint32_t vertex_count;
    uint32_t triangle_count;
    bool single_precision; // the file held float32
} td_mesh_arrays;

typedef struct td_load_def {
    uint32_t cookie;
    bool weld;                // vertices at exactly the same position become one; triangles keep their order
    td_progress_fn *progress; // of reading; may be null
    void *progress_user;
} td_load_def;

TD_API td_load_def td_default_load_def(void);

// The format is told by the content where it has a signature, else by the file name's extension. Errors name
// the file and the line (text) or the element and byte (binary) and what was expected.
TD_API td_result td_read_mesh_file(td_mesh_arrays *out, td_context *context, const char *path,
                                   const td_load_def *def);

// As above from memory; `name` stands for the path in messages and its extension tells the format.
TD_API td_result td_read_mesh_memory(td_mesh_arrays *out, td_context *context, const void *bytes, size_t size,
                                     const char *name, const td_load_def *def);
TD_API void td_release_mesh_arrays(td_mesh_arrays *arrays, td_context *context);

// Reads and builds in one call.
TD_API td_result td_load_mesh(td_mesh **out, td_context *context, const char *path, const td_load_def *def);

// Whether td_read_mesh_file knows the extension of this path.
TD_API bool td_mesh_format_known(const char *path);

// The format follows the extension: .obj, .ply (binary little-endian, float64), .off, .stl (binary, float32).
// The file appears under its name only when it is complete.
TD_API td_result td_save_mesh(td_context *context, const td_mesh *mesh, const char *path);

// Poses, one per line: 7 numbers (tx ty tz qx qy qz qw) or 12 (a row-major 3x4 matrix), separated by blanks
// or commas. Empty lines and what follows '#' are skipped. *out is to be released with td_release_poses.
TD_API td_result td_read_pose_file(td_pose **out, size_t *count, td_context *context, const char *path);
TD_API td_result td_read_pose_memory(td_pose **out, size_t *count, td_context *context, const char *text,
                                     size_t size, const char *name);
TD_API void td_release_poses(td_pose *poses, size_t count, td_context *context);

#ifdef __cplusplus
}
#endif
#endif
