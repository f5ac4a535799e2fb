// What the tests of devices share: a context with a log that is kept and a heap that is watched, the first
// device, and a cache folder of their own.
#ifndef TD_TESTS_DEVICE_SUPPORT_H
#define TD_TESTS_DEVICE_SUPPORT_H

#include "support/cmocka_all.h"
#include "support/heap.h"
#include "support/results.h"

#include "device/state.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TEST_NOTES = 256 };

typedef struct test_world {
    test_heap heap;
    td_context *context;
    td_device *device; // with a cache folder of its own
    char folder[256];
    int note_count;
    char notes[TEST_NOTES][512];
} test_world;

static inline void test_note(td_log_level level, const char *message, void *user) {
    (void)level;
    test_world *world = user;
    if (world->note_count < TEST_NOTES) {
        snprintf(world->notes[world->note_count++], sizeof world->notes[0], "%s", message);
    }
}

static inline bool test_was_noted(const test_world *world, const char *part) {
    for (int i = 0; i < world->note_count; ++i) {
        if (strstr(world->notes[i], part) != NULL) {
            return true;
        }
    }
    return false;
}

// A simulated device takes a millisecond for what others do in a microsecond.
static inline bool test_is_slow(void) {
    return getenv("TD_TEST_SIMULATED") != NULL;
}

static inline td_device_def test_def(const test_world *world) {
    td_device_def def = td_default_device_def();
    def.index = 0;
    def.cache_folder = world->folder;
    return def;
}

static inline int test_open(void **state) {
    test_world *world = calloc(1, sizeof *world);
    assert_non_null(world);
    const char *base = getenv("TMPDIR");
    snprintf(world->folder, sizeof world->folder, "%s/tandem-device-XXXXXX", base != NULL ? base : "/tmp");
    assert_non_null(mkdtemp(world->folder));
    td_context_def def = td_default_context_def();
    def.thread_count = 1;
    def.allocator = test_heap_allocator(&world->heap);
    def.log = test_note;
    def.log_user = world;
    test_ok(td_create_context(&world->context, &def));
    td_device_info info;
    uint32_t count = 0;
    const td_result result = td_list_devices(&info, 1, &count, world->context);
    if (result == TD_OK && info.usable) {
        const td_device_def device_def = test_def(world);
        test_ok(td_create_device(&world->device, world->context, &device_def));
        print_message("device: %s\n", info.name);
    } else {
        print_message("no usable OpenCL device, most is skipped: %s\n", td_error_message());
    }
    *state = world;
    return 0;
}

static inline void test_empty_folder(const char *folder) {
    DIR *directory = opendir(folder);
    assert_non_null(directory);
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        char path[600];
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (entry->d_name[0] != '.') {
            assert_int_equal(unlink(path), 0);
        }
    }
    closedir(directory);
}

static inline int test_close(void **state) {
    test_world *world = *state;
    td_destroy_device(world->device);
    td_destroy_context(world->context);
    assert_int_equal(atomic_load(&world->heap.blocks), 0);
    assert_int_equal(atomic_load(&world->heap.mistakes), 0);
    test_empty_folder(world->folder);
    assert_int_equal(rmdir(world->folder), 0);
    free(world);
    return 0;
}

#define TEST_NEEDS_DEVICE(world)                                                                             \
    if ((world)->device == NULL) {                                                                           \
        skip();                                                                                              \
    }

#endif
