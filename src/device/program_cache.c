#include "program_cache.h"

#include "../core/context.h"
#include "../core/error.h"
#include "../core/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TD_CACHE_VERSION = 1 };

typedef struct td_cache_header {
    char magic[8];
    uint32_t version, zero;
    uint64_t key_size, binary_size, checksum;
} td_cache_header;

static const char td_cache_magic[8] = {'t', 'a', 'n', 'd', 'e', 'm', 'c', 'l'};

static uint64_t td_fnv1a(uint64_t start, td_bytes bytes) {
    uint64_t hash = start;
    for (size_t i = 0; i < bytes.size; ++i) {
        hash = (hash ^ bytes.data[i]) * 0x100000001b3u;
    }
    return hash;
}

static const uint64_t TD_FNV_BASIS = 0xcbf29ce484222325u;
static const uint64_t TD_OTHER_BASIS = 0x9e3779b97f4a7c15u; // any other number: a second, different hash

// ---------------------------------------------------------------------------------------------------------
// The folder

td_result td_find_cache_folder(char **out, size_t *size, td_context *context, const char *wanted) {
    *out = NULL;
    *size = 0;
    const char *base = wanted, *rest = "";
    if (wanted == NULL) {
        base = getenv("XDG_CACHE_HOME");
        rest = "/tandem";
        if (base == NULL || base[0] != '/') { // the XDG rules: a relative path is to be ignored
            base = getenv("HOME");
            rest = "/.cache/tandem";
        }
    }
    if (base == NULL || base[0] == 0) {
        return TD_OK;
    }
    const size_t length = strlen(base) + strlen(rest) + 1;
    *out = TD_NEW(context, char, length);
    if (*out == NULL) {
        return TD_ERROR_MEMORY;
    }
    *size = length;
    snprintf(*out, length, "%s%s", base, rest);
    return TD_OK;
}

// Makes the folder and those above it; what it makes is the user's alone.
static bool td_make_folder(const char *folder) {
    char path[PATH_MAX];
    const size_t length = strlen(folder);
    if (length >= sizeof path) {
        errno = ENAMETOOLONG;
        return false;
    }
    for (size_t i = 1; i <= length; ++i) {
        if (folder[i] != '/' && folder[i] != 0) {
            continue;
        }
        memcpy(path, folder, i);
        path[i] = 0;
        if (mkdir(path, 0700) != 0 && errno != EEXIST) {
            return false;
        }
    }
    return true;
}

enum { TD_FILE_NAME = 64 }; // bytes for "/", 32 digits and an ending

static char *td_new_path(td_context *context, size_t *size, const char *folder, td_bytes key,
                         const char *ending) {
    *size = strlen(folder) + TD_FILE_NAME;
    char *path = TD_NEW(context, char, *size);
    if (path != NULL) {
        snprintf(path, *size, "%s/%016llx%016llx%s", folder, (unsigned long long)td_fnv1a(TD_FNV_BASIS, key),
                 (unsigned long long)td_fnv1a(TD_OTHER_BASIS, key), ending);
    }
    return path;
}

// ---------------------------------------------------------------------------------------------------------
// Reading

static bool td_read_all(FILE *file, void *target, size_t size) {
    return size == 0 || fread(target, size, 1, file) == 1;
}

// Reads the header and checks that the file is as long as it says, so that nothing it claims is believed.
static bool td_read_header(td_cache_header *header, FILE *file, size_t key_size) {
    struct stat status;
    if (!td_read_all(file, header, sizeof *header) || fstat(fileno(file), &status) != 0) {
        return false;
    }
    const uint64_t size = (uint64_t)status.st_size;
    return memcmp(header->magic, td_cache_magic, sizeof td_cache_magic) == 0 &&
           header->version == TD_CACHE_VERSION && header->zero == 0 && header->key_size == key_size &&
           header->binary_size > 0 && header->binary_size <= size &&
           size - header->binary_size == sizeof *header + key_size;
}

static bool td_read_key(FILE *file, td_bytes key) {
    unsigned char part[4096];
    for (size_t at = 0; at < key.size; at += sizeof part) {
        const size_t size = key.size - at < sizeof part ? key.size - at : sizeof part;
        if (!td_read_all(file, part, size) || memcmp(part, key.data + at, size) != 0) {
            return false;
        }
    }
    return true;
}

static td_result td_read_cached(td_bytes *out, td_context *context, FILE *file, const char *path,
                                td_bytes key) {
    td_cache_header header;
    bool good = td_read_header(&header, file, key.size) && td_read_key(file, key);
    td_bytes binary = {0};
    if (good) {
        binary = (td_bytes){TD_NEW(context, unsigned char, (size_t)header.binary_size),
                            (size_t)header.binary_size};
        if (binary.data == NULL) {
            return TD_ERROR_MEMORY;
        }
        good =
            td_read_all(file, binary.data, binary.size) && td_fnv1a(TD_FNV_BASIS, binary) == header.checksum;
    }
    if (!good) {
        td_log(context, TD_LOG_NOTE, "%s: damaged, or of another program: compiling again", path);
        TD_DELETE(context, unsigned char, binary.data, binary.size);
        return TD_OK;
    }
    *out = binary;
    return TD_OK;
}

td_result td_load_cached_program(td_bytes *out, td_context *context, const char *folder, td_bytes key) {
    *out = (td_bytes){0};
    size_t path_size;
    char *path = td_new_path(context, &path_size, folder, key, ".bin");
    if (path == NULL) {
        return TD_ERROR_MEMORY;
    }
    td_result result = TD_OK;
    FILE *file = fopen(path, "rbe");
    if (file != NULL) {
        result = td_read_cached(out, context, file, path, key);
        fclose(file);
    } else if (errno != ENOENT) {
        td_log(context, TD_LOG_NOTE, "%s: not read: %s", path, strerror(errno));
    }
    TD_DELETE(context, char, path, path_size);
    return result;
}

// ---------------------------------------------------------------------------------------------------------
// Writing

static bool td_write_bytes(int fd, const void *bytes, size_t size) {
    const unsigned char *at = bytes;
    while (size > 0) {
        const ssize_t written = write(fd, at, size);
        if (written < 0 && errno == EINTR) {
            continue;
        }
        if (written <= 0) {
            return false;
        }
        at += written;
        size -= (size_t)written;
    }
    return true;
}

static bool td_write_cached(char *temporary, const char *path, td_bytes key, td_bytes binary) {
    td_cache_header header = {.version = TD_CACHE_VERSION,
                              .key_size = key.size,
                              .binary_size = binary.size,
                              .checksum = td_fnv1a(TD_FNV_BASIS, binary)};
    memcpy(header.magic, td_cache_magic, sizeof header.magic);
    const int fd = mkostemp(temporary, O_CLOEXEC);
    if (fd < 0) {
        return false;
    }
    bool good = td_write_bytes(fd, &header, sizeof header) && td_write_bytes(fd, key.data, key.size) &&
                td_write_bytes(fd, binary.data, binary.size);
    int error = errno;
    if (close(fd) != 0 && good) {
        error = errno;
        good = false;
    }
    if (good && rename(temporary, path) != 0) {
        error = errno;
        good = false;
    }
    if (!good) {
        unlink(temporary);
        errno = error;
    }
    return good;
}

td_result td_save_cached_program(td_context *context, const char *folder, td_bytes key, td_bytes binary) {
    size_t path_size, temporary_size;
    char *path = td_new_path(context, &path_size, folder, key, ".bin");
    char *temporary = path == NULL ? NULL : td_new_path(context, &temporary_size, folder, key, ".XXXXXX");
    if (temporary == NULL) {
        if (path != NULL) {
            TD_DELETE(context, char, path, path_size);
        }
        return TD_ERROR_MEMORY;
    }
    if (!td_make_folder(folder) || !td_write_cached(temporary, path, key, binary)) {
        td_log(context, TD_LOG_NOTE, "%s: compiled kernels are not kept: %s", folder, strerror(errno));
    }
    TD_DELETE(context, char, path, path_size);
    TD_DELETE(context, char, temporary, temporary_size);
    return TD_OK;
}
