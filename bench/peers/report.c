#include "report.h"

#include "core/error.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static int td_compare_doubles(const void *a, const void *b) {
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x > y) - (x < y);
}

double td_median(double *values, uint32_t count) {
    if (count == 0) {
        return 0.0;
    }
    qsort(values, count, sizeof *values, td_compare_doubles);
    const uint32_t middle = count / 2;
    return count % 2 == 1 ? values[middle] : 0.5 * (values[middle - 1] + values[middle]);
}

const char *td_processor_name(void) {
    static char name[128] = "unknown";
    FILE *file = fopen("/proc/cpuinfo", "r");
    if (file == NULL) {
        return name;
    }
    char line[512];
    while (fgets(line, sizeof line, file) != NULL) {
        const char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) == 0 && colon != NULL) {
            snprintf(name, sizeof name, "%.*s", (int)strcspn(colon + 2, "\n"), colon + 2);
            break;
        }
    }
    fclose(file);
    return name;
}

td_result td_append_csv(const char *path, const td_report_row *rows, uint32_t count) {
    FILE *file = fopen(path, "a");
    if (file == NULL) {
        return td_fail(TD_ERROR_FILE, "%s: %s", path, strerror(errno));
    }
    struct stat status;
    if (fstat(fileno(file), &status) == 0 && status.st_size == 0) {
        fprintf(file, "cpu,isa,mesh,triangles,set,mode,library,version,threads,poses,pairs,differing_poses,"
                      "repeats,ms_per_pose,ratio\n");
    }
    const char *processor = td_processor_name();
    for (uint32_t i = 0; i < count; ++i) {
        const td_report_row *row = &rows[i];
        fprintf(file, "\"%s\",%s,%s,%" PRIu32 ",%s,%s,%s,%s,%" PRIu32 ",%" PRIu32 ",", processor, row->isa,
                row->mesh, row->triangles, row->set, row->mode, row->library, row->version, row->threads,
                row->poses);
        if (!row->pairs_hidden) {
            fprintf(file, "%" PRIu64, row->pairs);
        }
        fprintf(file, ",%" PRIu32 ",%" PRIu32 ",%.6g,%.4g\n", row->differing, row->repeats, row->ms,
                row->ratio);
    }
    const bool failed = ferror(file) != 0;
    if (fclose(file) != 0 || failed) {
        return td_fail(TD_ERROR_FILE, "%s: could not be written", path);
    }
    return TD_OK;
}
