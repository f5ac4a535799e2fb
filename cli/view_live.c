#include "view_live.h"

#include "io/record_chunk.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

td_view_live td_view_live_path(const char *path) {
    td_view_live live = {.path = path, .file = -1};
    td_fill_crc_tables(&live.tables);
    return live;
}

td_view_live td_view_live_file(int file) {
    td_view_live live = {.file = file};
    td_fill_crc_tables(&live.tables);
    return live;
}

// `size` bytes that end at `end`. False: they are not there.
static bool td_read_before(int file, uint64_t end, uint8_t *bytes, size_t size) {
    size_t done = 0;
    while (done < size) {
        const ssize_t got = pread(file, bytes + done, size - done, (off_t)(end - size + done));
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            return false;
        }
        done += (size_t)got;
    }
    return true;
}

// Whether this is still the file that was seen last, with all that it had then.
static bool td_is_same(const td_view_live *live, int file, const struct stat *now) {
    uint8_t tail[TD_LIVE_TAIL];
    return now->st_dev == live->device && now->st_ino == live->inode &&
           (uint64_t)now->st_size >= live->size && td_read_before(file, live->size, tail, live->tail_size) &&
           memcmp(tail, live->tail, live->tail_size) == 0;
}

// The end mark is a chunk of known size at the end of the file.
static bool td_ends_with_mark(const td_view_live *live, int file) {
    enum { TD_END_PAYLOAD = 16, TD_END_BYTES = TD_END_PAYLOAD + TD_CHUNK_EXTRA_BYTES };
    uint8_t end[TD_END_BYTES];
    if (live->size < TD_RECORD_START_BYTES + TD_END_BYTES ||
        !td_read_before(file, live->size, end, sizeof end)) {
        return false;
    }
    const size_t summed = TD_END_BYTES - TD_CHUNK_SUM_BYTES;
    return td_load_little(end, 4) == TD_CHUNK_END && td_load_little(end + 4, 8) == TD_END_PAYLOAD &&
           td_load_little(end + summed, TD_CHUNK_SUM_BYTES) == td_crc32(&live->tables, 0, end, summed);
}

static void td_forget(td_view_live *live) {
    live->generation += live->exists;
    live->exists = false;
    live->size = 0;
    live->tail_size = 0;
}

// -1 and errno if it cannot be read. A pipe has no offsets, and opening one must not wait for its writer.
static int td_open_live(const td_view_live *live, struct stat *status) {
    const int file = live->path ? open(live->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
                                : fcntl(live->file, F_DUPFD_CLOEXEC, 0);
    if (file < 0) {
        return -1;
    }
    if (fstat(file, status) == 0 && S_ISREG(status->st_mode)) {
        return file;
    }
    close(file);
    errno = EINVAL;
    return -1;
}

td_live_sight td_view_look(td_view_live *live) {
    struct stat status;
    td_live_sight sight = {.file = td_open_live(live, &status)};
    if (sight.file < 0) {
        sight.reason = errno;
        td_forget(live);
        return sight;
    }
    if (live->exists && !td_is_same(live, sight.file, &status)) {
        td_forget(live);
    }
    live->exists = true;
    live->device = status.st_dev;
    live->inode = status.st_ino;
    live->size = (uint64_t)status.st_size;
    live->tail_size = live->size < TD_LIVE_TAIL ? (size_t)live->size : TD_LIVE_TAIL;
    if (!td_read_before(sight.file, live->size, live->tail, live->tail_size)) {
        live->tail_size = 0; // cut since then: the next look will tell
    }
    sight.complete = td_ends_with_mark(live, sight.file);
    return sight;
}

bool td_view_starts_well(const char *path) {
    uint8_t start[TD_RECORD_START_BYTES], rigid[TD_RECORD_START_BYTES] = TD_RECORD_MAGIC,
                                          soft[TD_RECORD_START_BYTES] = TD_RECORD_MAGIC;
    td_store_little(rigid + TD_RECORD_MAGIC_BYTES, TD_RECORD_RIGID, 4);
    td_store_little(soft + TD_RECORD_MAGIC_BYTES, TD_RECORD_SOFT, 4);
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    const ssize_t got = file >= 0 ? pread(file, start, sizeof start, 0) : 0;
    const bool absent = file < 0 && errno == ENOENT;
    if (file >= 0) {
        close(file);
    }
    return absent || (file >= 0 && got >= 0 &&
                      (memcmp(start, rigid, (size_t)got) == 0 || memcmp(start, soft, (size_t)got) == 0));
}
