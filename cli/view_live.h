// A recording that may still be written, or not be there yet, as the server sees it: how far it has come,
// whether it is complete, and whether it is still the one it was.
#ifndef TD_CLI_VIEW_LIVE_H
#define TD_CLI_VIEW_LIVE_H

#include "io/record_checksum.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { TD_LIVE_TAIL = 64 };

typedef struct td_view_live {
    const char *path; // null: `file`, which is complete
    int file;
    // Goes up when the file is replaced: its name gone or given to another file, cut, or written anew. What
    // was read before belongs to another recording then.
    uint64_t generation;
    // As it was last seen.
    bool exists;
    dev_t device;
    ino_t inode;
    uint64_t size;
    size_t tail_size;
    uint8_t tail[TD_LIVE_TAIL]; // its last bytes: checksums of what was recorded last are among them
    td_crc_tables tables;
} td_view_live;

td_view_live td_view_live_path(const char *path);
td_view_live td_view_live_file(int file);

// What there is by now.
typedef struct td_live_sight {
    int file;      // to be closed; -1: there is none
    int reason;    // errno why there is none: ENOENT if it is not there yet
    bool complete; // ends with its end mark
} td_live_sight;

// Looks at the file and brings `live` up to date.
td_live_sight td_view_look(td_view_live *live);

// Whether the file begins as a recording that can be read, or may still come to: what there is of its start
// is that of one.
bool td_view_starts_well(const char *path);

#endif
