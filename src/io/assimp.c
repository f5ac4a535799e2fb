// Mesh formats through assimp's C API. Its post-processing is left off: that would join or reorder. Polygons
// are fanned here as for the formats of our own.
#include <tandem/assimp.h>

#include "../core/context.h"
#include "file.h"
#include "mesh_reader.h"
#include "path.h"

#include <assimp/cimport.h>
#include <assimp/mesh.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>

#include <math.h>
#include <pthread.h>
#include <string.h>

// Rows of an affine map, in float64: a chain of nodes should not lose more than the file's float32 did.
typedef struct td_affine {
    double row[3][4];
} td_affine;

static td_affine td_affine_from_assimp(const struct aiMatrix4x4 *m) {
    return (td_affine){{{(double)m->a1, (double)m->a2, (double)m->a3, (double)m->a4},
                        {(double)m->b1, (double)m->b2, (double)m->b3, (double)m->b4},
                        {(double)m->c1, (double)m->c2, (double)m->c3, (double)m->c4}}};
}

static td_affine td_affine_compose(const td_affine *outer, const td_affine *inner) {
    td_affine result;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 4; ++j) {
            double sum = j == 3 ? outer->row[i][3] : 0.0;
            for (int k = 0; k < 3; ++k) {
                sum += outer->row[i][k] * inner->row[k][j];
            }
            result.row[i][j] = sum;
        }
    }
    return result;
}

static const td_affine td_affine_identity = {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}};

static bool td_affine_is_identity(const td_affine *map) {
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 4; ++j) {
            if (map->row[i][j] != td_affine_identity.row[i][j]) {
                return false;
            }
        }
    }
    return true;
}

// ---------------------------------------------------------------------------------------------------------

static td_result td_add_assimp_vertices(td_mesh_reader *reader, const struct aiMesh *mesh,
                                        const td_affine *map) {
    const bool moved = !td_affine_is_identity(map);
    reader->single_precision &= !moved;
    for (unsigned v = 0; v < mesh->mNumVertices; ++v) {
        const struct aiVector3D *p = &mesh->mVertices[v];
        const double given[3] = {(double)p->x, (double)p->y, (double)p->z};
        double placed[3];
        for (int i = 0; i < 3; ++i) {
            const double *row = map->row[i];
            placed[i] = moved ? row[0] * given[0] + row[1] * given[1] + row[2] * given[2] + row[3] : given[i];
            if (!isfinite(placed[i])) {
                return td_fail(TD_ERROR_FORMAT, "%s: vertex %u of mesh '%.80s': %c is not a finite number",
                               reader->name, v, mesh->mName.data, "xyz"[i]);
            }
        }
        TD_TRY(td_reader_add_vertex(reader, placed));
    }
    return TD_OK;
}

static td_result td_add_assimp_faces(td_mesh_reader *reader, const struct aiMesh *mesh, size_t first) {
    for (unsigned f = 0; f < mesh->mNumFaces; ++f) {
        const struct aiFace *face = &mesh->mFaces[f];
        if (face->mNumIndices < 3) {
            continue; // points and lines have no surface
        }
        td_fan fan = {0};
        for (unsigned k = 0; k < face->mNumIndices; ++k) {
            if (face->mIndices[k] >= mesh->mNumVertices) {
                return td_fail(TD_ERROR_FORMAT, "%s: face %u of mesh '%.80s' names vertex %u of %u",
                               reader->name, f, mesh->mName.data, face->mIndices[k], mesh->mNumVertices);
            }
            TD_TRY(td_fan_add(&fan, reader, (uint32_t)(first + face->mIndices[k])));
        }
    }
    return TD_OK;
}

static td_result td_add_assimp_node(td_mesh_reader *reader, const struct aiScene *scene,
                                    const struct aiNode *node, const td_affine *map) {
    for (unsigned m = 0; m < node->mNumMeshes; ++m) {
        if (node->mMeshes[m] >= scene->mNumMeshes) {
            return td_fail(TD_ERROR_FORMAT, "%s: node '%.80s' names mesh %u of %u", reader->name,
                           node->mName.data, node->mMeshes[m], scene->mNumMeshes);
        }
        const struct aiMesh *mesh = scene->mMeshes[node->mMeshes[m]];
        const size_t first = td_reader_vertex_count(reader);
        TD_TRY(td_add_assimp_vertices(reader, mesh, map));
        TD_TRY(td_add_assimp_faces(reader, mesh, first));
    }
    return TD_OK;
}

// A node that waits for its turn, with the placement of its parent.
typedef struct td_waiting_node {
    const struct aiNode *node;
    td_affine parent;
} td_waiting_node;

typedef TD_ARRAY(td_waiting_node) td_waiting_nodes;

// Depth first, a node before its children, children in order. Not by recursion: files can be deep.
static td_result td_add_assimp_nodes(td_mesh_reader *reader, td_waiting_nodes *stack,
                                     const struct aiScene *scene) {
    TD_TRY(td_array_reserve(reader->context, stack, 1));
    stack->items[stack->count++] = (td_waiting_node){scene->mRootNode, td_affine_identity};
    while (stack->count > 0) {
        const td_waiting_node next = stack->items[--stack->count];
        const td_affine own = td_affine_from_assimp(&next.node->mTransformation);
        const td_affine map = td_affine_compose(&next.parent, &own);
        TD_TRY(td_add_assimp_node(reader, scene, next.node, &map));
        TD_TRY(td_array_reserve(reader->context, stack, next.node->mNumChildren));
        for (unsigned c = next.node->mNumChildren; c-- > 0;) {
            stack->items[stack->count++] = (td_waiting_node){next.node->mChildren[c], map};
        }
    }
    return TD_OK;
}

static td_result td_add_assimp_scene(td_mesh_reader *reader, const struct aiScene *scene) {
    if (scene->mRootNode == NULL) {
        return td_fail(TD_ERROR_FORMAT, "%s: no triangles", reader->name);
    }
    td_waiting_nodes stack = {0};
    reader->single_precision = true;
    const td_result result = td_add_assimp_nodes(reader, &stack, scene);
    td_array_release(reader->context, &stack);
    return result;
}

// assimp keeps the message of its last failure in one place for all threads.
static pthread_mutex_t td_assimp_lock = PTHREAD_MUTEX_INITIALIZER;

static const struct aiScene *td_import(const char *path) {
    pthread_mutex_lock(&td_assimp_lock);
    const struct aiScene *scene = aiImportFile(path, 0);
    if (scene == NULL) {
        td_fail(TD_ERROR_FORMAT, "%s: %s", path, aiGetErrorString());
    }
    pthread_mutex_unlock(&td_assimp_lock);
    return scene;
}

bool td_assimp_format_known(const char *path) {
    const char *extension = td_path_extension(path);
    return extension[0] != '\0' && aiIsExtensionSupported(extension) == AI_TRUE;
}

td_result td_assimp_read_mesh_file(td_mesh_arrays *out, td_context *context, const char *path,
                                   const td_load_def *def) {
    if (out == NULL || context == NULL || path == NULL || def == NULL) {
        return td_fail(TD_ERROR_ARGUMENT,
                       "reading a mesh needs an output, a context, a path and a td_load_def");
    }
    TD_TRY(td_check_cookie(def->cookie, TD_COOKIE_LOAD, "td_default_load_def"));
    *out = (td_mesh_arrays){0};
    TD_TRY(td_check_input_file(path));
    if (!td_assimp_format_known(path)) {
        return td_fail(TD_ERROR_UNSUPPORTED, "%s: unknown mesh format", path);
    }
    td_mesh_reader reader = {.context = context, .def = def, .name = path, .size = 1};
    TD_TRY(td_reader_report(&reader, 0)); // 0 of 1: assimp cannot tell more
    const struct aiScene *scene = td_import(path);
    if (scene == NULL) {
        return TD_ERROR_FORMAT;
    }
    td_result result = td_add_assimp_scene(&reader, scene);
    aiReleaseImport(scene);
    if (result == TD_OK) {
        result = td_reader_report(&reader, reader.size);
    }
    if (result != TD_OK) {
        td_reader_release(&reader);
        return result;
    }
    return td_reader_finish(out, &reader);
}
