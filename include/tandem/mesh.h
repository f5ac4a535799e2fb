// Triangle meshes: from arrays, from files (io.h) or built in; what they are made of, and what is odd about
// them.
#ifndef TANDEM_MESH_H
#define TANDEM_MESH_H

#include "device.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum td_scalar { TD_FLOAT64, TD_FLOAT32 } td_scalar;

// A mesh is a set of closed triangles: its surface, in float64 (float32 input is widened, which is exact).
// It is immutable, unless it is deformable, and may be shared by any number of queries and threads. Creating
// it builds its hierarchy.
typedef struct td_mesh td_mesh;

// How hierarchies are built. The linear builder is several times as fast; its hierarchies cost queries more.
typedef enum td_builder { TD_BUILDER_SAH, TD_BUILDER_LINEAR } td_builder;

typedef struct td_mesh_def {
    uint32_t cookie;
    td_scalar scalar;       // of `positions`
    const void *positions;  // x y z per vertex
    size_t position_stride; // bytes from vertex to vertex; 0: packed
    uint32_t vertex_count;
    const uint32_t *triangles; // three vertex indices per triangle
    uint32_t triangle_count;
    bool borrow;           // true: the arrays are not copied and must outlive the mesh, unchanged
    bool deformable;       // true: td_set_positions may be called; positions are copied even if borrowed
    td_builder builder;    // of this mesh's hierarchy, whenever it is built
    td_device *device;     // null: built natively. Else there, the same hierarchy; needs float64 there, and a
                           // device of the mesh's context. The mesh holds it, for when it is built anew
    bool device_by_levels; // on a device, TD_BUILDER_SAH: all nodes of a level at once with compaction in
                           // between, instead of queues that are balanced (paper 001, section 3.3)
    const char *name;      // for messages; copied; may be null
    td_progress_fn *progress; // of the build; may be null
    void *progress_user;
} td_mesh_def;

TD_API td_mesh_def td_default_mesh_def(void);

// TD_ERROR_MESH if an index is out of range, a coordinate is not finite or there is no triangle: the message
// names the mesh and the element. Degenerate triangles, duplicates, holes and the like are no error: see
// td_inspect_mesh.
TD_API td_result td_create_mesh(td_mesh **out, td_context *context, const td_mesh_def *def);
TD_API void td_destroy_mesh(td_mesh *mesh); // null is fine

TD_API const char *td_mesh_name(const td_mesh *mesh); // "" if none was given
TD_API uint32_t td_mesh_vertex_count(const td_mesh *mesh);
TD_API uint32_t td_mesh_triangle_count(const td_mesh *mesh);
TD_API void td_mesh_vertex(double out[3], const td_mesh *mesh, uint32_t vertex);
TD_API void td_mesh_triangle(uint32_t out[3], const td_mesh *mesh, uint32_t triangle);
TD_API void td_mesh_bounds(double lower[3], double upper[3], const td_mesh *mesh);

// Every edge is used by an even number of triangles, so that inside and outside are defined. Edges are
// between positions as they were at creation; a deformable mesh in which vertices have come apart that
// coincided then is not closed.
TD_API bool td_mesh_is_closed(const td_mesh *mesh);

// ---------------------------------------------------------------------------------------------------------
// Deformable meshes

// When td_set_positions builds the hierarchy anew instead of refitting it.
typedef enum td_rebuild {
    TD_REBUILD_AUTO,  // when refits have made it cost TD_REBUILD_DECAY times what it cost when built
    TD_REBUILD_NEVER, //
    TD_REBUILD_ALWAYS //
} td_rebuild;

#define TD_REBUILD_DECAY 1.5

typedef struct td_refit_report {
    bool rebuilt;
    double decay;      // cost by the surface area heuristic relative to when built; 1 if rebuilt
    double read_ms;    // positions: checked and copied
    double refit_ms;   // the hierarchy
    double rebuild_ms; // 0 if not
    double post_ms;    // the post-order hierarchies of the strategies that use them, if these have been used
} td_refit_report;

// New positions for all vertices of a deformable mesh, as in td_mesh_def; connectivity stays. All queries
// that follow answer exactly for these; none may run meanwhile, and a mesh that a world holds must not be
// changed. Who is whose neighbour in td_self_collide stays as it was at creation: vertices that coincided
// then remain one corner, others that come to coincide touch. Copies of the hierarchies that queries keep on
// devices are refitted there when they are next asked about.
//
// TD_ERROR_MESH if a coordinate is not finite: the message names the vertex. TD_ERROR_ARGUMENT if the mesh is
// not deformable. On any error the mesh is as it was before. If a hierarchy that should be rebuilt by
// TD_REBUILD_AUTO cannot be for want of memory, it stays refitted, and the log says so. `out` may be null.
TD_API td_result td_set_positions(td_refit_report *out, td_mesh *mesh, td_scalar scalar,
                                  const void *positions, size_t position_stride, td_rebuild rebuild);

// ---------------------------------------------------------------------------------------------------------
// Reports

// What is merely noted. Edges are between distinct positions: vertices at the same place count as one.
typedef struct td_mesh_report {
    uint32_t vertices;
    uint32_t distinct_positions;
    uint32_t triangles;
    uint32_t boundary_edges;        // used by one triangle
    uint32_t nonmanifold_edges;     // used by more than two
    uint32_t misoriented_edges;     // used by two triangles that run along it in the same direction
    uint32_t repeated_vertex;       // triangles that name one position twice
    uint32_t zero_area;             // triangles of three distinct positions on one line (exact test)
    uint32_t duplicate_triangles;   // triangles beyond the first on the same three positions
    uint32_t unreferenced_vertices; // used by no triangle
    uint32_t components;            // connected through shared positions
    bool closed;                    // as td_mesh_is_closed
    double lower[3], upper[3];
    double area;
    double volume; // signed; meaningful if closed and consistently oriented
} td_mesh_report;

TD_API td_result td_inspect_mesh(td_mesh_report *out, td_context *context, const td_mesh *mesh);

// The hierarchy over the mesh, as built.
typedef struct td_hierarchy_report {
    uint32_t blocks;          // of four nodes
    uint32_t leaf_blocks;     // blocks whose nodes are quads of triangles
    uint32_t quads;           // leaves: up to four triangles each
    uint32_t imaginary_nodes; // nodes that only fill a block
    uint32_t height;          // blocks from the root to the deepest leaf block
    double sah_cost;          // expected box and triangle tests of a random line, relative to the root's area
    uint64_t mesh_bytes;      // what the mesh holds: positions, indices (0 if borrowed), adjacency
    uint64_t hierarchy_bytes;
    double build_ms;
    double tree_ms;  // of these, until it was known who stands where; on a device with the way there and back
    uint32_t rounds; // on a device: how often it was asked to cut nodes
} td_hierarchy_report;

TD_API td_result td_inspect_hierarchy(td_hierarchy_report *out, td_context *context, const td_mesh *mesh);

// ---------------------------------------------------------------------------------------------------------
// Built-in shapes, closed and outward oriented but for the sheet, which is open, about the origin, of size
// about 1 to 2.

TD_API uint32_t td_shape_count(void);
TD_API const char *td_shape_name(uint32_t index);        // "box", "sphere", "torus", "knot", "cow", ...
TD_API const char *td_shape_description(uint32_t index); // one line

// `subdivide` times each triangle is split in four (1:4, at the edge midpoints; curved shapes are put back on
// their surface). TD_ERROR_ARGUMENT if there is no shape of that name, or too many triangles would come out.
TD_API td_result td_create_shape(td_mesh **out, td_context *context, const char *name, uint32_t subdivide);

#ifdef __cplusplus
}
#endif
#endif
