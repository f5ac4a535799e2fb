// CRC-32 as in zlib and PNG (polynomial 0x04c11db7, reflected), eight bytes at a time: table k has the sum of a
// byte with k zeros behind it, so that the sums of eight bytes are put together by exclusive or.
// Based on: Kounavis, Berry, "A systematic approach to building high performance software-based CRC generators",
// 2005.
const SLICES = 8;
const POLYNOMIAL = 0xedb88320;

function fillTables(): Int32Array {
    const tables = new Int32Array(SLICES * 256);
    for (let byte = 0; byte < 256; ++byte) {
        let sum = byte;
        for (let bit = 0; bit < 8; ++bit) {
            sum = sum & 1 ? (sum >>> 1) ^ POLYNOMIAL : sum >>> 1;
        }
        tables[byte] = sum;
    }
    for (let i = 256; i < tables.length; ++i) {
        const before = tables[i - 256];
        tables[i] = (before >>> 8) ^ tables[before & 0xff];
    }
    return tables;
}

const tables = fillTables();

export function crc32(bytes: Uint8Array, begin: number, end: number): number {
    const t = tables;
    let sum = -1;
    let i = begin;
    for (; i + SLICES <= end; i += SLICES) {
        const low = sum ^ (bytes[i] | (bytes[i + 1] << 8) | (bytes[i + 2] << 16) | (bytes[i + 3] << 24));
        sum =
            t[0x700 + (low & 0xff)] ^
            t[0x600 + ((low >>> 8) & 0xff)] ^
            t[0x500 + ((low >>> 16) & 0xff)] ^
            t[0x400 + (low >>> 24)] ^
            t[0x300 + bytes[i + 4]] ^
            t[0x200 + bytes[i + 5]] ^
            t[0x100 + bytes[i + 6]] ^
            t[bytes[i + 7]];
    }
    for (; i < end; ++i) {
        sum = (sum >>> 8) ^ t[(sum ^ bytes[i]) & 0xff];
    }
    return ~sum >>> 0;
}
