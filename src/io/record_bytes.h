// Numbers and texts as the bytes of a recording, little-endian whatever the machine: put at the end of an
// array that grows, taken from one that ends. Both remember the first failure, so that a row of puts or takes
// is followed by one check.
#ifndef TD_IO_RECORD_BYTES_H
#define TD_IO_RECORD_BYTES_H

#include "../core/array.h"

#include <string.h>

typedef TD_ARRAY(uint8_t) td_record_bytes;

// ---------------------------------------------------------------------------------------------------------
// Putting

typedef struct td_byte_writer {
    td_context *context;
    td_record_bytes bytes;
    td_result result; // TD_ERROR_MEMORY once an allocation failed: what is put afterwards is left out
} td_byte_writer;

static inline void td_put_bytes(td_byte_writer *writer, const void *bytes, size_t size) {
    if (writer->result != TD_OK) {
        return;
    }
    writer->result = td_array_reserve(writer->context, &writer->bytes, size);
    if (writer->result == TD_OK && size > 0) {
        memcpy(writer->bytes.items + writer->bytes.count, bytes, size);
        writer->bytes.count += size;
    }
}

static inline void td_store_little(uint8_t *at, uint64_t number, int size) {
    for (int i = 0; i < size; ++i) {
        at[i] = (uint8_t)(number >> 8 * i);
    }
}

static inline void td_put_u8(td_byte_writer *writer, uint8_t number) {
    td_put_bytes(writer, &number, 1);
}

static inline void td_put_u16(td_byte_writer *writer, uint16_t number) {
    uint8_t bytes[2];
    td_store_little(bytes, number, 2);
    td_put_bytes(writer, bytes, 2);
}

static inline void td_put_u32(td_byte_writer *writer, uint32_t number) {
    uint8_t bytes[4];
    td_store_little(bytes, number, 4);
    td_put_bytes(writer, bytes, 4);
}

static inline void td_put_u64(td_byte_writer *writer, uint64_t number) {
    uint8_t bytes[8];
    td_store_little(bytes, number, 8);
    td_put_bytes(writer, bytes, 8);
}

static inline void td_put_f32(td_byte_writer *writer, float number) {
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    td_put_u32(writer, bits);
}

static inline void td_put_f64(td_byte_writer *writer, double number) {
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    td_put_u64(writer, bits);
}

// Its length, its bytes, and a zero, so that a reader can point into what it read.
static inline void td_put_text(td_byte_writer *writer, const char *text, size_t length) {
    td_put_u64(writer, length);
    td_put_bytes(writer, text, length);
    td_put_u8(writer, 0);
}

// Seven bits per byte, the lowest first; the highest bit of a byte says that more follow. Numbers are kept
// below 2^56, which is eight bytes: a program whose numbers are float64 can read nearly all of them.
enum { TD_VARINT_MOST = 8 };

static inline void td_put_varint(td_byte_writer *writer, uint64_t number) {
    uint8_t bytes[10];
    size_t size = 0;
    for (; number >= 0x80u; number >>= 7) {
        bytes[size++] = (uint8_t)(number | 0x80u);
    }
    bytes[size++] = (uint8_t)number;
    td_put_bytes(writer, bytes, size);
}

// Signs go to the lowest bit, so that small numbers of either sign are short.
static inline void td_put_signed(td_byte_writer *writer, int64_t number) {
    td_put_varint(writer, (uint64_t)number << 1 ^ (number < 0 ? UINT64_MAX : 0));
}

// ---------------------------------------------------------------------------------------------------------
// Taking

typedef struct td_byte_reader {
    const uint8_t *at, *end;
    bool failed; // more was asked for than there is, or it was no number: zeros follow
} td_byte_reader;

static inline td_byte_reader td_read_bytes_of(const td_record_bytes *bytes) {
    return (td_byte_reader){.at = bytes->items, .end = bytes->items + bytes->count};
}

static inline size_t td_bytes_left(const td_byte_reader *reader) {
    return (size_t)(reader->end - reader->at);
}

// The next `size` bytes, or null.
static inline const uint8_t *td_take_bytes(td_byte_reader *reader, size_t size) {
    if (reader->failed || td_bytes_left(reader) < size) {
        reader->failed = true;
        return NULL;
    }
    const uint8_t *bytes = reader->at;
    reader->at += size;
    return bytes;
}

// The next `size` bytes as a reader of their own; empty, and failed, if there are not as many.
static inline td_byte_reader td_take_part(td_byte_reader *reader, size_t size) {
    const uint8_t *bytes = td_take_bytes(reader, size);
    return bytes == NULL ? (td_byte_reader){reader->end, reader->end, true}
                         : (td_byte_reader){.at = bytes, .end = bytes + size};
}

static inline uint64_t td_load_little(const uint8_t *at, int size) {
    uint64_t number = 0;
    for (int i = 0; i < size; ++i) {
        number |= (uint64_t)at[i] << 8 * i;
    }
    return number;
}

static inline uint64_t td_take_little(td_byte_reader *reader, int size) {
    const uint8_t *bytes = td_take_bytes(reader, (size_t)size);
    return bytes == NULL ? 0 : td_load_little(bytes, size);
}

static inline uint8_t td_take_u8(td_byte_reader *reader) {
    return (uint8_t)td_take_little(reader, 1);
}

static inline uint16_t td_take_u16(td_byte_reader *reader) {
    return (uint16_t)td_take_little(reader, 2);
}

static inline uint32_t td_take_u32(td_byte_reader *reader) {
    return (uint32_t)td_take_little(reader, 4);
}

static inline uint64_t td_take_u64(td_byte_reader *reader) {
    return td_take_little(reader, 8);
}

static inline float td_take_f32(td_byte_reader *reader) {
    const uint32_t bits = td_take_u32(reader);
    float number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

static inline double td_take_f64(td_byte_reader *reader) {
    const uint64_t bits = td_take_u64(reader);
    double number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

// Points into the bytes; "" where there is no text of that length that ends with its only zero.
static inline const char *td_take_text(td_byte_reader *reader, size_t *length) {
    const uint64_t size = td_take_u64(reader);
    *length = 0;
    if (reader->failed || size >= td_bytes_left(reader) ||
        memchr(reader->at, 0, (size_t)size + 1) != reader->at + size) {
        reader->failed = true;
        return "";
    }
    *length = (size_t)size;
    return (const char *)td_take_bytes(reader, (size_t)size + 1);
}

static inline uint64_t td_take_varint(td_byte_reader *reader) {
    uint64_t number = 0;
    for (int i = 0; i < TD_VARINT_MOST; ++i) {
        const uint8_t byte = td_take_u8(reader);
        number |= (uint64_t)(byte & 0x7fu) << 7 * i;
        if ((byte & 0x80u) == 0) {
            return number;
        }
    }
    reader->failed = true;
    return 0;
}

static inline int64_t td_take_signed(td_byte_reader *reader) {
    const uint64_t number = td_take_varint(reader);
    return (int64_t)(number >> 1) ^ -(int64_t)(number & 1u);
}

#endif
