#include "ray_report.h"

#include "core/error.h"
#include "report.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void td_print_differences(const char *library, const td_ray_differences *d) {
    printf("  %s beside tandem: %zu missed, %zu invented, %zu as near by another triangle, %zu farther, %zu "
           "nearer; any hit: %zu differ\n",
           library, d->missed, d->invented, d->as_near, d->farther, d->nearer, d->any);
}

void td_print_ray_row(const td_ray_row *row, double best_rate) {
    printf("  %-8s %-8s %-14s %10.3f million rays/s (best %.3f)   tandem's rate is %.2f of it\n", row->set,
           row->mode, row->library, row->rate, best_rate, row->ratio);
}

td_result td_append_ray_csv(const char *path, const td_ray_row *rows, uint32_t count) {
    FILE *file = fopen(path, "a");
    if (file == NULL) {
        return td_fail(TD_ERROR_FILE, "%s: %s", path, strerror(errno));
    }
    fseek(file, 0, SEEK_END);
    if (ftell(file) == 0) {
        fprintf(file,
                "cpu,isa,mesh,triangles,set,mode,library,version,threads,rays,differing,as_near,repeats,"
                "million_rays_per_s,ratio\n");
    }
    const char *processor = td_processor_name();
    for (uint32_t i = 0; i < count; ++i) {
        const td_ray_row *row = &rows[i];
        fprintf(file, "\"%s\",%s,%s,%" PRIu32 ",%s,%s,%s,%s,1,%zu,%zu,%zu,%" PRIu32 ",%.4g,%.3g\n", processor,
                row->isa, row->mesh, row->triangles, row->set, row->mode, row->library, row->version,
                row->rays, row->differing, row->as_near, row->repeats, row->rate, row->ratio);
    }
    const bool failed = ferror(file) != 0;
    if (fclose(file) != 0 || failed) {
        return td_fail(TD_ERROR_FILE, "%s: could not be written", path);
    }
    return TD_OK;
}
