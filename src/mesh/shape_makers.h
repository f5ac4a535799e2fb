// The generators behind the table of shapes.c. Units: metres, y up, about the origin.
#ifndef TD_MESH_SHAPE_MAKERS_H
#define TD_MESH_SHAPE_MAKERS_H

#include "../math/vec3.h"

#include <tandem/io.h>

// shape_solids.c: flat faces, and the sphere that grows out of one of them
td_result td_make_box(td_mesh_arrays *out, td_context *context);
td_result td_make_tetrahedron(td_mesh_arrays *out, td_context *context);
td_result td_make_octahedron(td_mesh_arrays *out, td_context *context);
td_result td_make_icosahedron(td_mesh_arrays *out, td_context *context);
td_result td_make_sphere(td_mesh_arrays *out, td_context *context);
td_vec3 td_sphere_edge_point(td_vec3 a, td_vec3 b);

// shape_round.c: surfaces of revolution
td_result td_make_cylinder(td_mesh_arrays *out, td_context *context);
td_vec3 td_cylinder_edge_point(td_vec3 a, td_vec3 b);
td_result td_make_cone(td_mesh_arrays *out, td_context *context);
td_vec3 td_cone_edge_point(td_vec3 a, td_vec3 b);
td_result td_make_capsule(td_mesh_arrays *out, td_context *context);
td_vec3 td_capsule_edge_point(td_vec3 a, td_vec3 b);
td_result td_make_torus(td_mesh_arrays *out, td_context *context);
td_vec3 td_torus_edge_point(td_vec3 a, td_vec3 b);
td_result td_make_ring(td_mesh_arrays *out, td_context *context);
td_vec3 td_ring_edge_point(td_vec3 a, td_vec3 b);
td_result td_make_bowl(td_mesh_arrays *out, td_context *context);
td_vec3 td_bowl_edge_point(td_vec3 a, td_vec3 b);

// shape_knot.c
td_result td_make_knot(td_mesh_arrays *out, td_context *context);
td_vec3 td_knot_edge_point(td_vec3 a, td_vec3 b);

// shape_cow.c
td_result td_make_cow(td_mesh_arrays *out, td_context *context);
td_vec3 td_cow_edge_point(td_vec3 a, td_vec3 b);

// shape_tubes.c
td_result td_make_hoop(td_mesh_arrays *out, td_context *context);
td_result td_make_clover(td_mesh_arrays *out, td_context *context);
td_result td_make_wave(td_mesh_arrays *out, td_context *context);
td_result td_make_pretzel(td_mesh_arrays *out, td_context *context);

// shape_ground.c
td_result td_make_sheet(td_mesh_arrays *out, td_context *context);
td_result td_make_cells(td_mesh_arrays *out, td_context *context, uint32_t cells); // a sheet of n x n cells
td_result td_make_terrain(td_mesh_arrays *out, td_context *context);

#endif
