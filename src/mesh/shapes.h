// The built-in shapes: a table of generators.
#ifndef TD_MESH_SHAPES_H
#define TD_MESH_SHAPES_H

#include "subdivide.h"

#include <tandem/io.h>

// Every shape but the sheet, which is open and faces up, is closed, manifold and oriented outward. None has
// self-intersections or degenerate triangles, and each is the same on every machine: its coordinates come
// from + - * / and square roots alone.
typedef struct td_shape {
    const char *name;
    const char *description; // one line
    td_result (*make)(td_mesh_arrays *out, td_context *context);
    td_edge_point_fn
        *edge_point; // puts a new vertex of the subdivision on the surface; null: the shape is flat
} td_shape;

// The shape of that name, each triangle split in four `subdivide` times. TD_ERROR_ARGUMENT if there is no
// such shape (the message lists those there are) or more than TD_SHAPE_MAX_TRIANGLES would come out.
td_result td_shape_arrays(td_mesh_arrays *out, td_context *context, const char *name, uint32_t subdivide);

// A sheet of cells x cells squares, two triangles each.
td_result td_sheet_arrays(td_mesh_arrays *out, td_context *context, uint32_t cells);

#define TD_SHAPE_MAX_TRIANGLES (1u << 28)

#endif
