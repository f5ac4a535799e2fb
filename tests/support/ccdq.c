#include "ccdq.h"

#include "cmocka_all.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof(test_ccd_query) == 216, "the record of the format");

static test_ccd_file test_read_ccd_file(const char *path) {
    FILE *stream = fopen(path, "rb");
    uint32_t header[16] = {0}; // the magic, the kind, the count, zeros
    if (stream == NULL || fread(header, sizeof header, 1, stream) != 1 || memcmp(header, "CCDQ1", 6) != 0) {
        fail_msg("%s: not a file of queries", path);
    }
    test_ccd_file file = {.kind = header[2] == 0 ? TD_EDGE_EDGE : TD_VERTEX_FACE, .count = header[3]};
    file.queries = calloc((size_t)file.count + 1, sizeof *file.queries);
    if (file.queries == NULL || fread(file.queries, sizeof *file.queries, file.count, stream) != file.count) {
        fail_msg("%s: has fewer than %u queries", path, file.count);
    }
    fclose(stream);
    return file;
}

static int test_is_ccd_file(const struct dirent *entry) {
    const size_t length = strlen(entry->d_name);
    return length > 5 && strcmp(entry->d_name + length - 5, ".ccdq") == 0;
}

int test_visit_ccd_files(test_ccd_visitor *visit, void *user) {
    struct dirent **entries = NULL;
    const int count = scandir(TD_TEST_DATA "/ccd/queries", &entries, test_is_ccd_file, alphasort);
    if (count < 0) {
        return 0;
    }
    for (int i = 0; i < count; ++i) {
        char path[4096];
        snprintf(path, sizeof path, TD_TEST_DATA "/ccd/queries/%s", entries[i]->d_name);
        const test_ccd_file file = test_read_ccd_file(path);
        visit(entries[i]->d_name, &file, user);
        free(file.queries);
        free(entries[i]);
    }
    free(entries);
    return count;
}

td_moving_points test_ccd_points(const test_ccd_query *query) {
    td_moving_points points;
    for (int i = 0; i < 8; ++i) {
        const double *p = query->positions[i];
        points.at[i / 4][i % 4] = td_vec3_make(p[0], p[1], p[2]);
    }
    return points;
}
