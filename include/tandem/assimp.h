// The mesh formats that the library does not read itself (glTF, GLB, 3MF, DAE, FBX, ...), through assimp. A
// library of its own, libtandem-assimp, so that the core needs only libc, libm and threads.
#ifndef TANDEM_ASSIMP_H
#define TANDEM_ASSIMP_H

#include "io.h"

#ifdef __cplusplus
extern "C" {
#endif

// All meshes of the file, placed by its node transforms, concatenated in node order. assimp holds float32.
TD_API td_result td_assimp_read_mesh_file(td_mesh_arrays *out, td_context *context, const char *path,
                                          const td_load_def *def);

// Whether assimp knows the extension of this path.
TD_API bool td_assimp_format_known(const char *path);

#ifdef __cplusplus
}
#endif
#endif
