// The cache of compiled programs, and memory of the host that runs out while a device is opened and used.
#include "test_device_support.h"

#include <limits.h>
#include <sys/stat.h>

// ---------------------------------------------------------------------------------------------------------
// The cache of programs

static int test_count_files(const char *folder, char first[600]) {
    DIR *directory = opendir(folder);
    assert_non_null(directory);
    int count = 0;
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        if (entry->d_name[0] != '.') {
            ++count;
            assert_non_null(strstr(entry->d_name, ".bin")); // no temporary file stays
            snprintf(first, 600, "%s/%s", folder, entry->d_name);
        }
    }
    closedir(directory);
    return count;
}

static void test_reopen(test_world *world, const char *folder) {
    td_device_def def = test_def(world);
    def.cache_folder = folder;
    td_device *device = NULL;
    world->note_count = 0;
    test_ok(td_create_device(&device, world->context, &def));
    td_destroy_device(device);
}

// Opens with every byte range of interest spoilt in all files; the files must be whole again afterwards.
static void test_spoil(test_world *world, const char *folder, long offset, bool cut) {
    DIR *directory = opendir(folder);
    assert_non_null(directory);
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        char path[600];
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        struct stat status;
        if (entry->d_name[0] == '.' || stat(path, &status) != 0) {
            continue;
        }
        const long at = offset >= 0 ? offset : (long)status.st_size + offset;
        if (cut) {
            assert_int_equal(truncate(path, at), 0);
            continue;
        }
        FILE *file = fopen(path, "r+b");
        assert_non_null(file);
        fseek(file, at, SEEK_SET);
        const int byte = fgetc(file);
        fseek(file, at, SEEK_SET);
        fputc(byte ^ 0x55, file);
        fclose(file);
    }
    closedir(directory);
    test_reopen(world, folder);
    assert_true(test_was_noted(world, "compiling again"));
    test_reopen(world, folder);
    assert_false(test_was_noted(world, "compiling again"));
}

static void test_cache(void **state) {
    test_world *world = *state;
    TEST_NEEDS_DEVICE(world);
    char folder[300], path[600];
    snprintf(folder, sizeof folder, "%s-cache/of/kernels", world->folder);
    test_reopen(world, folder);
    struct stat status;
    assert_int_equal(stat(folder, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0700);
    const int files = test_count_files(folder, path);
    assert_true(files >= 3);
    assert_int_equal(stat(path, &status), 0);
    const ino_t inode = status.st_ino;
    test_reopen(world, folder);
    assert_int_equal(test_count_files(folder, path), files);
    assert_int_equal(stat(path, &status), 0);
    assert_true(status.st_ino == inode); // read, not written again
    assert_int_equal(world->note_count, 0);
    test_spoil(world, folder, 0, false);  // no such file
    test_spoil(world, folder, 60, false); // another key
    test_spoil(world, folder, -1, false); // the binary
    test_spoil(world, folder, 0, true);   // nothing left
    test_spoil(world, folder, 100, true); // the key is not whole
    test_spoil(world, folder, -10, true); // the binary is not whole
    test_empty_folder(folder);
    for (int i = 0; i < 3; ++i) {
        assert_int_equal(rmdir(folder), 0);
        *strrchr(folder, '/') = 0;
    }
}

// A file that is whole but whose binary the driver does not take.
static void test_refused_binary(void **state) {
    test_world *world = *state;
    TEST_NEEDS_DEVICE(world);
    char folder[300], path[600];
    snprintf(folder, sizeof folder, "%s-cache", world->folder);
    test_reopen(world, folder);
    test_count_files(folder, path);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    static unsigned char content[1 << 21];
    const size_t size = fread(content, 1, sizeof content, file);
    fclose(file);
    uint64_t sizes[2], hash = 0xcbf29ce484222325u;
    memcpy(sizes, content + 16, sizeof sizes);
    const size_t start = 40 + (size_t)sizes[0];
    assert_int_equal(start + sizes[1], size);
    for (size_t i = start; i < size; ++i) {
        content[i] = (unsigned char)(i * 7);
        hash = (hash ^ content[i]) * 0x100000001b3u;
    }
    memcpy(content + 32, &hash, sizeof hash);
    file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(content, 1, size, file), size);
    fclose(file);
    test_reopen(world, folder);
    assert_true(test_was_noted(world, "refuses the kept"));
    test_reopen(world, folder);
    assert_false(test_was_noted(world, "refuses the kept"));
    test_empty_folder(folder);
    assert_int_equal(rmdir(folder), 0);
}

static void test_cache_folders(void **state) {
    test_world *world = *state;
    TEST_NEEDS_DEVICE(world);
    test_reopen(world, "/dev/null/tandem"); // not even the administrator makes a folder there
    assert_true(test_was_noted(world, "not kept"));
    test_reopen(world, "");
    assert_int_equal(world->note_count, 0);
    const char *before = getenv("XDG_CACHE_HOME");
    char *kept = before != NULL ? strdup(before) : NULL;
    char folder[300], below[320], path[600];
    snprintf(folder, sizeof folder, "%s-xdg", world->folder);
    snprintf(below, sizeof below, "%s/tandem", folder);
    setenv("XDG_CACHE_HOME", folder, 1);
    test_reopen(world, NULL);
    assert_true(test_count_files(below, path) >= 3);
    test_empty_folder(below);
    assert_int_equal(rmdir(below), 0);
    assert_int_equal(rmdir(folder), 0);
    unsetenv("XDG_CACHE_HOME");
    if (kept != NULL) {
        setenv("XDG_CACHE_HOME", kept, 1);
        free(kept);
    }
}

// ---------------------------------------------------------------------------------------------------------
// Memory of the host runs out

static td_result test_use(test_world *world, const char *folder) {
    td_device_def def = test_def(world);
    def.cache_folder = folder;
    td_device *device = (td_device *)world;
    td_result result = td_create_device(&device, world->context, &def);
    assert_true((device != NULL) == (result == TD_OK));
    if (result == TD_OK) {
        td_device_buffer buffer = {0};
        const uint32_t words[4] = {1, 2, 3, 4};
        result = td_buffer_reserve(device, &buffer, sizeof words, 0);
        result = result != TD_OK ? result : td_buffer_write(device, &buffer, 0, words, sizeof words);
        result = result != TD_OK ? result : td_device_scan(device, &buffer, 4, NULL);
        result = result != TD_OK ? result : td_device_finish(device);
        td_buffer_release(device, &buffer);
        td_destroy_device(device);
    }
    return result;
}

static void test_fail_each(test_world *world, const char *folder) {
    long at = 0;
    for (int all = 0; all < 2; ++all) {
        for (at = 0;; ++at) {
            const long blocks = atomic_load(&world->heap.blocks);
            if (folder != world->folder) {
                test_empty_folder(folder);
            }
            test_heap_fail(&world->heap, at, all != 0 ? LONG_MAX : at + 1);
            const td_result result = test_use(world, folder);
            const long failures = atomic_load(&world->heap.failures);
            test_heap_recover(&world->heap);
            assert_int_equal(atomic_load(&world->heap.blocks), blocks);
            assert_int_equal(atomic_load(&world->heap.mistakes), 0);
            if (failures == 0) {
                test_ok(result);
                break;
            }
            if (result != TD_OK) {
                test_fails(result, TD_ERROR_MEMORY, "out of memory");
            }
        }
    }
    assert_true(at > 10);
    print_message("%ld allocations\n", at);
}

static void test_allocation(void **state) {
    test_world *world = *state;
    TEST_NEEDS_DEVICE(world);
    test_fail_each(world, world->folder); // with programs from the cache
    if (getenv("TD_TEST_QUICK") == NULL && !test_is_slow()) {
        char folder[300];
        snprintf(folder, sizeof folder, "%s-empty", world->folder);
        assert_int_equal(mkdir(folder, 0700), 0);
        test_fail_each(world, folder); // compiling, and writing to the cache
        test_empty_folder(folder);
        assert_int_equal(rmdir(folder), 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cache),
        cmocka_unit_test(test_refused_binary),
        cmocka_unit_test(test_cache_folders),
        cmocka_unit_test(test_allocation),
    };
    return cmocka_run_group_tests(tests, test_open, test_close);
}
