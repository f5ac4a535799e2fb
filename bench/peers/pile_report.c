#include "pile_report.h"

#include "core/error.h"
#include "report.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static const td_pile_entrant *td_reference_pile(const td_pile_report *report) {
    for (uint32_t i = 0; i < report->count; ++i) {
        if (strcmp(report->entrants[i].library->name, "tandem") == 0 && report->entrants[i].threads == 1) {
            return &report->entrants[i];
        }
    }
    return NULL;
}

// How many times as long as `reference` over the steps that both made; 0 if there are none.
static double td_pile_ratio(const td_pile_entrant *entrant, const td_pile_entrant *reference, bool cpu) {
    if (reference == NULL) {
        return 0.0;
    }
    double sum = 0.0, reference_sum = 0.0;
    for (uint32_t i = 0; i < entrant->done && i < reference->done; ++i) {
        sum += cpu ? entrant->samples[i].cpu_ms : entrant->samples[i].wall_ms;
        reference_sum += cpu ? reference->samples[i].cpu_ms : reference->samples[i].wall_ms;
    }
    return reference_sum > 0.0 ? sum / reference_sum : 0.0;
}

td_pile_summary td_summarise_pile(const td_pile_report *report, const td_pile_entrant *entrant) {
    static double wall[TD_MOST_PILE_STEPS], cpu[TD_MOST_PILE_STEPS]; // too large for some stacks
    td_pile_summary summary = {0};
    double collision = 0.0, detection = 0.0;
    for (uint32_t i = 0; i < entrant->done; ++i) {
        const td_pile_sample *sample = &entrant->samples[i];
        wall[i] = sample->wall_ms;
        cpu[i] = sample->cpu_ms;
        collision += sample->collision_ms;
        detection += sample->detection_ms;
        summary.wall_mean += sample->wall_ms / entrant->done;
        summary.cpu_mean += sample->cpu_ms / entrant->done;
        summary.wall_worst = fmax(summary.wall_worst, sample->wall_ms);
        summary.contacts += (double)sample->contacts / entrant->done;
        summary.touching += (double)sample->touching / entrant->done;
        summary.peak_kinetic = fmax(summary.peak_kinetic, sample->kinetic);
        if (sample->contacts > summary.most_contacts) {
            summary.most_contacts = sample->contacts;
        }
    }
    summary.wall_median = td_median(wall, entrant->done);
    summary.cpu_median = td_median(cpu, entrant->done);
    summary.collision = entrant->done > 0 ? collision / (summary.wall_mean * entrant->done) : 0.0;
    summary.detection = entrant->done > 0 ? detection / (summary.wall_mean * entrant->done) : 0.0;
    const td_pile_entrant *reference = td_reference_pile(report);
    summary.wall_ratio = td_pile_ratio(entrant, reference, false);
    summary.cpu_ratio = td_pile_ratio(entrant, reference, true);
    return summary;
}

static void td_print_times(const td_pile_report *report) {
    printf("%-8s %-8s %3s %6s %10s %10s %10s %10s %10s %10s %9s %9s %9s\n", "library", "version", "thr",
           "steps", "wall mean", "median", "worst", "cpu mean", "collision", "detection", "contacts",
           "x wall", "x cpu");
    for (uint32_t i = 0; i < report->count; ++i) {
        const td_pile_entrant *entrant = &report->entrants[i];
        const td_pile_summary s = td_summarise_pile(report, entrant);
        char detection[16] = "-";
        if (s.detection > 0.0) {
            snprintf(detection, sizeof detection, "%.0f%%", 100.0 * s.detection);
        }
        printf("%-8s %-8s %3" PRIu32 " %6" PRIu32 " %10.3f %10.3f %10.3f %10.3f %9.0f%% %10s %9.0f",
               entrant->library->name, entrant->library->version(), entrant->threads, entrant->done,
               s.wall_mean, s.wall_median, s.wall_worst, s.cpu_mean, 100.0 * s.collision, detection,
               s.contacts);
        if (s.wall_ratio > 0.0) {
            printf(" %9.2f %9.2f\n", s.wall_ratio, s.cpu_ratio);
        } else {
            printf(" %9s %9s\n", "-", "-");
        }
    }
    printf(
        "Times in milliseconds per step. Collision: all before the equations of motion are solved; of it,\n"
        "detection: until it is known which triangles intersect. x: how many times tandem's on one thread,\n"
        "by wall-clock and by processor time, over the same steps.\n\n");
}

static void td_print_outcomes(const td_pile_report *report) {
    printf("%-8s %3s %8s %8s %8s %5s %8s %11s %9s %8s %6s %12s\n", "library", "thr", "lowest", "highest",
           "sunk", "fell", "escaped", "overlapping", "faces", "kinetic", "peak", "of the peak");
    for (uint32_t i = 0; i < report->count; ++i) {
        const td_pile_entrant *entrant = &report->entrants[i];
        const td_pile_outcome *o = &entrant->outcome;
        const double peak = td_summarise_pile(report, entrant).peak_kinetic;
        printf("%-8s %3" PRIu32 " %8.3f %8.3f %8.4f %5" PRIu32 " %8" PRIu32 " %11" PRIu64 " %9" PRIu64
               " %8.4g %6.4g %11.3g%%\n",
               entrant->library->name, entrant->threads, o->lowest, o->highest, o->sunk, o->fell, o->escaped,
               o->overlapping, o->face_pairs, o->kinetic, peak, peak > 0.0 ? 100.0 * o->kinetic / peak : 0.0);
    }
    printf(
        "At the end. Lowest and highest centre of mass, and how far a vertex is below the ground, in m;\n"
        "bodies that fell through the ground or flew off; pairs of bodies and of triangles that intersect;\n"
        "mean kinetic energy of a body, in J.\n\n");
}

// The sentence of the comparison: how many times as fast as one thread are more.
static void td_print_threads(const td_pile_report *report) {
    for (uint32_t i = 0; i < report->count; ++i) {
        const td_pile_entrant *entrant = &report->entrants[i];
        const double ratio = td_pile_ratio(entrant, td_reference_pile(report), false);
        if (entrant->threads > 1 && ratio > 0.0) {
            printf("%s: %" PRIu32 " threads are %.2f times as fast as one\n", entrant->library->name,
                   entrant->threads, 1.0 / ratio);
        }
    }
}

void td_print_piles(const td_pile_report *report) {
    td_print_times(report);
    td_print_outcomes(report);
    td_print_threads(report);
}

static td_result td_close_csv(FILE *file, const char *path) {
    const bool failed = ferror(file) != 0;
    if (fclose(file) != 0 || failed) {
        return td_fail(TD_ERROR_FILE, "%s: could not be written", path);
    }
    return TD_OK;
}

static void td_write_pile_row(FILE *file, const td_pile_report *report, const td_pile_entrant *entrant) {
    const td_pile_scene *scene = report->race->scene;
    const td_pile_summary s = td_summarise_pile(report, entrant);
    const td_pile_outcome *o = &entrant->outcome;
    const bool ours = strcmp(entrant->library->name, "tandem") == 0;
    fprintf(file, "\"%s\",%s,%s,%" PRIu32 ",%" PRIu32 ",%.6g,%.6g,%s,%s,%" PRIu32 ",%" PRIu32 ",%" PRIu32,
            td_processor_name(), ours ? report->isa : "", report->mesh, scene->mesh.triangle_count,
            scene->body_count, scene->step, scene->friction, entrant->library->name,
            entrant->library->version(), entrant->threads, entrant->done, report->race->rounds);
    fprintf(file, ",%.6g,%.6g,%.6g,%.6g,%.6g,%.4g", s.wall_mean, s.wall_median, s.wall_worst, s.cpu_mean,
            s.cpu_median, s.collision);
    if (s.detection > 0.0) {
        fprintf(file, ",%.4g", s.detection);
    } else {
        fputs(",", file);
    }
    fprintf(file, ",%.6g,%.6g,%" PRIu64, s.touching, s.contacts, s.most_contacts);
    if (s.wall_ratio > 0.0) {
        fprintf(file, ",%.4g,%.4g", s.wall_ratio, s.cpu_ratio);
    } else {
        fputs(",,", file);
    }
    fprintf(file, ",%.6g,%.6g,%.6g,%" PRIu32 ",%" PRIu32 ",%" PRIu64 ",%" PRIu64 ",%.6g,%.6g,%" PRIu32 "\n",
            o->lowest, o->highest, o->sunk, o->fell, o->escaped, o->overlapping, o->face_pairs, o->kinetic,
            s.peak_kinetic, entrant->done > 0 ? entrant->samples[entrant->done - 1].awake : 0);
}

td_result td_append_pile_csv(const char *path, const td_pile_report *report) {
    FILE *file = fopen(path, "a");
    if (file == NULL) {
        return td_fail(TD_ERROR_FILE, "%s: %s", path, strerror(errno));
    }
    struct stat status;
    if (fstat(fileno(file), &status) == 0 && status.st_size == 0) {
        fputs("cpu,isa,mesh,triangles,bodies,step_s,friction,library,version,threads,steps,rounds,"
              "wall_ms_mean,wall_ms_median,wall_ms_worst,cpu_ms_mean,cpu_ms_median,collision_part,"
              "detection_part,touching,contacts,most_contacts,wall_ratio,cpu_ratio,lowest_m,highest_m,sunk_m,"
              "fell,escaped,overlapping,"
              "face_pairs,kinetic_j,peak_kinetic_j,awake\n",
              file);
    }
    for (uint32_t i = 0; i < report->count; ++i) {
        td_write_pile_row(file, report, &report->entrants[i]);
    }
    return td_close_csv(file, path);
}

td_result td_write_pile_steps(const char *path, const td_pile_report *report) {
    FILE *file = fopen(path, "w");
    if (file == NULL) {
        return td_fail(TD_ERROR_FILE, "%s: %s", path, strerror(errno));
    }
    fputs("library,threads,step,wall_ms,cpu_ms,collision_ms,detection_ms,touching,contacts,awake,kinetic_j\n",
          file);
    for (uint32_t i = 0; i < report->count; ++i) {
        const td_pile_entrant *entrant = &report->entrants[i];
        for (uint32_t k = 0; k < entrant->done; ++k) {
            const td_pile_sample *s = &entrant->samples[k];
            fprintf(file,
                    "%s,%" PRIu32 ",%" PRIu32 ",%.5g,%.5g,%.5g,%.5g,%" PRIu64 ",%" PRIu64 ",%" PRIu32
                    ",%.5g\n",
                    entrant->library->name, entrant->threads, k, s->wall_ms, s->cpu_ms, s->collision_ms,
                    s->detection_ms, s->touching, s->contacts, s->awake, s->kinetic);
        }
    }
    return td_close_csv(file, path);
}
