// CRC-32 eight bytes at a time ("slicing by 8"): slice k holds what a byte contributes that has k more bytes
// behind it, so that eight look-ups which do not wait for each other replace eight that do.
//
// based on: M. E. Kounavis, F. L. Berry, "Novel table lookup-based algorithms for high-performance CRC
// generation", IEEE Transactions on Computers 57 (2008).
#include "record_checksum.h"

void td_fill_crc_tables(td_crc_tables *out) {
    for (uint32_t byte = 0; byte < 256; ++byte) {
        uint32_t rest = byte;
        for (int bit = 0; bit < 8; ++bit) {
            rest = (rest >> 1) ^ ((rest & 1u) != 0 ? 0xedb88320u : 0u);
        }
        out->slices[0][byte] = rest;
    }
    for (int slice = 1; slice < TD_CRC_SLICES; ++slice) {
        for (uint32_t byte = 0; byte < 256; ++byte) {
            const uint32_t before = out->slices[slice - 1][byte];
            out->slices[slice][byte] = (before >> 8) ^ out->slices[0][before & 0xffu];
        }
    }
}

// Four bytes as a number, whatever the byte order of the machine; one load where that is little-endian.
static uint32_t td_four_bytes(const uint8_t *at) {
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

uint32_t td_crc32(const td_crc_tables *tables, uint32_t sum, const void *bytes, size_t size) {
    const uint32_t(*slices)[256] = tables->slices;
    const uint8_t *at = bytes;
    uint32_t crc = ~sum;
    for (; size >= 8; size -= 8, at += 8) {
        const uint32_t low = td_four_bytes(at) ^ crc, high = td_four_bytes(at + 4);
        crc = slices[7][low & 0xffu] ^ slices[6][low >> 8 & 0xffu] ^ slices[5][low >> 16 & 0xffu] ^
              slices[4][low >> 24] ^ slices[3][high & 0xffu] ^ slices[2][high >> 8 & 0xffu] ^
              slices[1][high >> 16 & 0xffu] ^ slices[0][high >> 24];
    }
    for (; size > 0; --size, ++at) {
        crc = crc >> 8 ^ slices[0][(crc ^ *at) & 0xffu];
    }
    return ~crc;
}

uint64_t td_fnv_add(uint64_t sum, uint64_t number) {
    for (int byte = 0; byte < 8; ++byte) {
        sum = (sum ^ (number >> 8 * byte & 0xffu)) * UINT64_C(0x100000001b3);
    }
    return sum;
}
