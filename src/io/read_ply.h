// The two bodies that a PLY header can announce.
#ifndef TD_IO_READ_PLY_H
#define TD_IO_READ_PLY_H

#include "mesh_reader.h"
#include "ply_header.h"

// `scan` stands behind the header, and behind what was read when it succeeds.
td_result td_ply_read_ascii(td_mesh_reader *reader, const td_ply_header *header, td_scan *scan);
td_result td_ply_read_binary(td_mesh_reader *reader, const td_ply_header *header, td_scan *scan);

#endif
