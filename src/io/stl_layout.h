// Where things are in a binary STL file, little-endian: 80 bytes of comment, the number of triangles, then
// per triangle a normal and three corners in float32 and two bytes of attributes.
#ifndef TD_IO_STL_LAYOUT_H
#define TD_IO_STL_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>

#define TD_STL_COUNT_OFFSET   80
#define TD_STL_HEADER_BYTES   84
#define TD_STL_TRIANGLE_BYTES 50
#define TD_STL_CORNER_OFFSET  12

// Whether the size is the one that the number of triangles in the header asks for.
bool td_stl_size_matches(const char *bytes, size_t size);

#endif
