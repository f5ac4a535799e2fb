// The sums that guard a recording: CRC-32 for what a disk or a wire may damage, FNV-1a for telling two runs
// apart. The same on every processor.
#ifndef TD_IO_RECORD_CHECKSUM_H
#define TD_IO_RECORD_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

enum { TD_CRC_SLICES = 8 };

// Filled in a few microseconds by whoever opens a file, and kept beside it: the library has no global state.
typedef struct td_crc_tables {
    uint32_t slices[TD_CRC_SLICES][256];
} td_crc_tables;

void td_fill_crc_tables(td_crc_tables *out);

// CRC-32 as zlib, PNG and Ethernet have it (polynomial 0x04c11db7, reflected). Starts with 0; that of two
// pieces in a row is td_crc32(tables, td_crc32(tables, 0, first ...), second ...).
uint32_t td_crc32(const td_crc_tables *tables, uint32_t sum, const void *bytes, size_t size);

// FNV-1a, 64 bits, over the eight bytes of a number, least significant first. Starts with TD_FNV_START.
#define TD_FNV_START UINT64_C(0xcbf29ce484222325)
uint64_t td_fnv_add(uint64_t sum, uint64_t number);

#endif
