// The writers of mesh formats: the whole mesh to a stream, which keeps its errors until it is committed.
#ifndef TD_IO_MESH_WRITER_H
#define TD_IO_MESH_WRITER_H

#include <stdio.h>

#include <tandem/mesh.h>

// TD_ERROR_MESH if the format cannot hold the mesh; errors of the stream are left to the caller.
typedef td_result td_write_format_fn(FILE *file, const td_mesh *mesh);

td_result td_write_obj(FILE *file, const td_mesh *mesh);
td_result td_write_ply(FILE *file, const td_mesh *mesh); // binary little-endian, float64
td_result td_write_off(FILE *file, const td_mesh *mesh);
td_result td_write_stl(FILE *file, const td_mesh *mesh); // binary, float32

// Room for one vertex as text: "PREFIX x y z\n", the prefix of at most 8 bytes.
#define TD_VERTEX_LINE_BYTES 112
size_t td_format_vertex_line(char out[TD_VERTEX_LINE_BYTES], const char *prefix, const td_mesh *mesh,
                             uint32_t vertex);

// The low `size` bytes of `bits`, little-endian whatever the host is. Returns behind them.
unsigned char *td_store_little(unsigned char *out, uint64_t bits, size_t size);

#endif
