// The chunks that a recording is made of:
//
//     kind  size  payload  sum
//     4     8     size     4    bytes
//
// The sum is the CRC-32 of kind, size and payload, so that a flipped bit anywhere in the chunk shows.
#ifndef TD_IO_RECORD_CHUNK_H
#define TD_IO_RECORD_CHUNK_H

#include "record_bytes.h"
#include "record_checksum.h"

// What a recording begins with. The first byte is no text and the line ends are of both kinds, so that a
// transfer that takes it for text shows at once.
#define TD_RECORD_MAGIC "\x89TNDM\r\n\x1a"
enum { TD_RECORD_MAGIC_BYTES = 8, TD_RECORD_START_BYTES = 12 };

// Without and with soft bodies.
enum { TD_RECORD_RIGID = 2, TD_RECORD_SOFT = 3 };

// Four letters, as a little-endian number.
#define TD_CHUNK_KIND(a, b, c, d)                                                                            \
    ((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16 | (uint32_t)(d) << 24)

#define TD_CHUNK_INFO   TD_CHUNK_KIND('I', 'N', 'F', 'O')
#define TD_CHUNK_SCENE  TD_CHUNK_KIND('S', 'C', 'E', 'N')
#define TD_CHUNK_MESH   TD_CHUNK_KIND('M', 'E', 'S', 'H')
#define TD_CHUNK_BODIES TD_CHUNK_KIND('B', 'O', 'D', 'Y')
#define TD_CHUNK_KEY    TD_CHUNK_KIND('K', 'E', 'Y', 'F') // a frame that stands alone
#define TD_CHUNK_FRAME                                                                                       \
    TD_CHUNK_KIND('F', 'R', 'A', 'M')                   // a frame that says what changed since the one before
#define TD_CHUNK_TIME TD_CHUNK_KIND('T', 'I', 'M', 'E') // how long the step to the frame before it took
#define TD_CHUNK_END  TD_CHUNK_KIND('E', 'N', 'D', '.')

enum { TD_CHUNK_HEAD_BYTES = 12, TD_CHUNK_SUM_BYTES = 4, TD_CHUNK_EXTRA_BYTES = 16 };

// ---------------------------------------------------------------------------------------------------------
// Writing: into memory, then with one call to the file.

// Returns where the chunk begins, for td_end_chunk.
size_t td_begin_chunk(td_byte_writer *writer, uint32_t kind);
void td_end_chunk(td_byte_writer *writer, size_t begin, const td_crc_tables *tables);

// Writes all of it. TD_ERROR_FILE names the path.
td_result td_write_file(int file, const char *path, const void *bytes, size_t size);

// ---------------------------------------------------------------------------------------------------------
// Reading: from anywhere in the file, which may be larger than memory.

typedef struct td_chunk_source {
    int file;
    uint64_t size; // of the file when it was opened
    const char *path;
    const td_crc_tables *tables;
} td_chunk_source;

typedef enum td_chunk_state {
    TD_CHUNK_WHOLE,
    TD_CHUNK_ABSENT, // the file ends before it
    TD_CHUNK_CUT,    // the file ends within it, or its size is damaged
    TD_CHUNK_DAMAGED // its sum is not that of its bytes
} td_chunk_state;

typedef struct td_chunk {
    td_chunk_state state;
    uint32_t kind;
    uint64_t next; // offset behind it, if it is whole
} td_chunk;

// Reads the chunk at `offset`, its payload into `payload`, whose memory is kept from call to call. Fails only
// if the file cannot be read or memory is short.
td_result td_read_chunk(td_chunk *out, td_record_bytes *payload, td_context *context,
                        const td_chunk_source *source, uint64_t offset);

// As many bytes as there are, at most `size`.
td_result td_read_file_at(size_t *got, const td_chunk_source *source, uint64_t offset, void *bytes,
                          size_t size);

#endif
