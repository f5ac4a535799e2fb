#include "record_chunk.h"

#include "../core/error.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

// ---------------------------------------------------------------------------------------------------------
// Writing

size_t td_begin_chunk(td_byte_writer *writer, uint32_t kind) {
    const size_t begin = writer->bytes.count;
    td_put_u32(writer, kind);
    td_put_u64(writer, 0); // the size, told by td_end_chunk
    return begin;
}

void td_end_chunk(td_byte_writer *writer, size_t begin, const td_crc_tables *tables) {
    if (writer->result != TD_OK) {
        return;
    }
    uint8_t *chunk = writer->bytes.items + begin;
    const size_t size = writer->bytes.count - begin;
    td_store_little(chunk + 4, size - TD_CHUNK_HEAD_BYTES, 8);
    td_put_u32(writer, td_crc32(tables, 0, chunk, size));
}

td_result td_write_file(int file, const char *path, const void *bytes, size_t size) {
    const uint8_t *at = bytes;
    while (size > 0) {
        const ssize_t written = write(file, at, size);
        if (written > 0) {
            at += written;
            size -= (size_t)written;
        } else if (written == 0 || errno != EINTR) {
            return td_fail(TD_ERROR_FILE, "%s: could not be written: %s", path,
                           written == 0 ? "nothing was taken" : strerror(errno));
        }
    }
    return TD_OK;
}

// ---------------------------------------------------------------------------------------------------------
// Reading

td_result td_read_file_at(size_t *got, const td_chunk_source *source, uint64_t offset, void *bytes,
                          size_t size) {
    *got = 0;
    while (*got < size) {
        const ssize_t more =
            pread(source->file, (uint8_t *)bytes + *got, size - *got, (off_t)(offset + *got));
        if (more == 0) {
            break;
        }
        if (more > 0) {
            *got += (size_t)more;
        } else if (errno != EINTR) {
            return td_fail(TD_ERROR_FILE, "%s: cannot be read: %s", source->path, strerror(errno));
        }
    }
    return TD_OK;
}

// The size that a chunk announces is believed only as far as the file goes.
static td_chunk_state td_check_size(const td_chunk_source *source, uint64_t offset, uint64_t size) {
    const uint64_t left = source->size - offset; // holds the head at least
    const bool cut = left < TD_CHUNK_EXTRA_BYTES || size > left - TD_CHUNK_EXTRA_BYTES;
    return cut ? TD_CHUNK_CUT : TD_CHUNK_WHOLE;
}

td_result td_read_chunk(td_chunk *out, td_record_bytes *payload, td_context *context,
                        const td_chunk_source *source, uint64_t offset) {
    *out = (td_chunk){.state = TD_CHUNK_ABSENT};
    payload->count = 0;
    if (offset >= source->size) {
        return TD_OK;
    }
    uint8_t head[TD_CHUNK_HEAD_BYTES];
    size_t got;
    TD_TRY(td_read_file_at(&got, source, offset, head, sizeof head));
    if (got < sizeof head || source->size - offset < sizeof head) {
        out->state = TD_CHUNK_CUT;
        return TD_OK;
    }
    out->kind = (uint32_t)td_load_little(head, 4);
    const uint64_t size = td_load_little(head + 4, 8);
    out->state = td_check_size(source, offset, size);
    if (out->state != TD_CHUNK_WHOLE) {
        return TD_OK;
    }
    const size_t wanted = (size_t)size + TD_CHUNK_SUM_BYTES;
    TD_TRY(td_array_reserve(context, payload, wanted));
    TD_TRY(td_read_file_at(&got, source, offset + sizeof head, payload->items, wanted));
    if (got < wanted) { // by somebody, since the file was opened
        out->state = TD_CHUNK_CUT;
        return TD_OK;
    }
    const uint32_t sum = td_crc32(source->tables, td_crc32(source->tables, 0, head, sizeof head),
                                  payload->items, (size_t)size);
    if (sum != td_load_little(payload->items + size, TD_CHUNK_SUM_BYTES)) {
        out->state = TD_CHUNK_DAMAGED;
        return TD_OK;
    }
    payload->count = (size_t)size;
    out->next = offset + size + TD_CHUNK_EXTRA_BYTES;
    return TD_OK;
}
