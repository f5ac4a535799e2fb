// Compiled programs on disk, so that kernels are compiled once per machine and driver.
//
// A file is named by a 128-bit hash of its key: everything the result of the compiler depends on. It holds
//
//   8 bytes "tandemcl", uint32 version, uint32 0, uint64 size of key, uint64 size of binary,
//   uint64 checksum of binary (FNV-1a), the key, the binary
//
// in the byte order of the machine. The key is compared as a whole, so that a collision of hashes cannot
// hurt. A file that is not like this is as good as none. Files appear complete, by renaming.
#ifndef TD_DEVICE_PROGRAM_CACHE_H
#define TD_DEVICE_PROGRAM_CACHE_H

#include <tandem/base.h>

typedef struct td_bytes {
    unsigned char *data;
    size_t size;
} td_bytes;

// The folder to use: `wanted`, or for null $XDG_CACHE_HOME/tandem or $HOME/.cache/tandem; *out is null if
// there is none ("" is wanted, or neither variable is set). The caller releases *size bytes at *out.
td_result td_find_cache_folder(char **out, size_t *size, td_context *context, const char *wanted);

// The binary kept for the key, or {0}. TD_ERROR_MEMORY is the only failure: a file that cannot be read or is
// damaged is a note in the log. The caller releases out->size bytes at out->data.
td_result td_load_cached_program(td_bytes *out, td_context *context, const char *folder, td_bytes key);

// What cannot be written is a note in the log, not a failure, but for TD_ERROR_MEMORY. Makes the folder.
td_result td_save_cached_program(td_context *context, const char *folder, td_bytes key, td_bytes binary);

#endif
