// Feeds every file of the folders and files named on the command line to a fuzzer's entry, in name order.
// Stands in for libFuzzer where the corpus is run as a plain test.
#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int test_fail(const char *what, const char *path) {
    fprintf(stderr, "replay: cannot %s %s: %s\n", what, path, strerror(errno));
    return -1;
}

// The number of inputs run (1), or -1. The input is held in a block of exactly its size, so that a read past
// its end is seen by a sanitizer.
static int test_replay_file(const char *path, size_t size) {
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        return test_fail("open", path);
    }
    uint8_t *data = malloc(size == 0 ? 1 : size);
    if (data == NULL || fread(data, 1, size, file) != size) {
        fclose(file);
        free(data);
        return test_fail("read", path);
    }
    fclose(file);
    printf("%s\n", path);
    fflush(stdout); // so that the log names the input that crashes
    LLVMFuzzerTestOneInput(data, size);
    free(data);
    return 1;
}

static int test_replay(const char *path);

static int test_replay_entry(const char *folder, const char *name) {
    const size_t length = strlen(folder) + strlen(name) + 2;
    char *path = malloc(length);
    if (path == NULL) {
        return test_fail("name a file of", folder);
    }
    snprintf(path, length, "%s/%s", folder, name);
    const int run = test_replay(path);
    free(path);
    return run;
}

static int test_replay_folder(const char *path) {
    struct dirent **entries = NULL;
    const int entry_count = scandir(path, &entries, NULL, alphasort);
    if (entry_count < 0) {
        return test_fail("list", path);
    }
    int total = 0;
    for (int i = 0; i < entry_count; ++i) {
        if (entries[i]->d_name[0] != '.' && total >= 0) {
            const int run = test_replay_entry(path, entries[i]->d_name);
            total = run < 0 ? -1 : total + run;
        }
        free(entries[i]);
    }
    free(entries);
    return total;
}

// The number of inputs run, or -1.
static int test_replay(const char *path) {
    struct stat status;
    if (stat(path, &status) != 0) {
        return test_fail("find", path);
    }
    return S_ISDIR(status.st_mode) ? test_replay_folder(path)
                                   : test_replay_file(path, (size_t)status.st_size);
}

int main(int argument_count, char **arguments) {
    int total = 0;
    for (int i = 1; i < argument_count; ++i) {
        int run = test_replay(arguments[i]);
        if (run < 0) {
            return 1;
        }
        total += run;
    }
    printf("replay: %d inputs\n", total);
    if (total == 0) {
        fprintf(stderr, "replay: no input was run; expected a corpus folder with files\n");
        return 1;
    }
    return 0;
}
