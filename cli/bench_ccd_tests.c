// Elementary tests: read from files whose answers are known, or made at random.
#include "bench_ccd.h"
#include "core/clock.h"
#include "median.h"
#include "message.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TD_CCDQ_HEADER = 64, TD_CCDQ_RECORD = 216 };

static bool td_reserve_set(td_ccd_set *set, uint32_t count, bool known) {
    set->count = count;
    set->positions = malloc((24 * (size_t)count + 1) * sizeof(double));
    set->out = malloc(((size_t)count + 1) * sizeof *set->out);
    set->lower = known ? malloc(((size_t)count + 1) * sizeof(double)) : NULL;
    set->upper = known ? malloc(((size_t)count + 1) * sizeof(double)) : NULL;
    if (!set->positions || !set->out || (known && (!set->lower || !set->upper))) {
        td_cli_error("out of memory for the %u tests of %s", count, set->name);
        return false;
    }
    return true;
}

// ---------------------------------------------------------------------------------------------------------
// Files: a header of 64 bytes (magic, kind, count, zeros), then records: 24 positions, the bracket of the
// first contact, whether there is one, and flags. Little-endian, as are the machines this is built for.

static bool td_read_records(td_ccd_set *set, FILE *stream) {
    for (uint32_t i = 0; i < set->count; ++i) {
        unsigned char record[TD_CCDQ_RECORD];
        if (fread(record, sizeof record, 1, stream) != 1) {
            td_cli_error("%s: ends in query %u: expected %u", set->name, i, set->count);
            return false;
        }
        double *positions = set->positions + 24 * (size_t)i;
        uint32_t hit;
        memcpy(positions, record, 24 * sizeof(double));
        memcpy(&set->lower[i], record + 192, sizeof(double));
        memcpy(&set->upper[i], record + 200, sizeof(double));
        memcpy(&hit, record + 208, sizeof hit);
        for (int k = 0; k < 24; ++k) {
            if (!isfinite(positions[k])) {
                td_cli_error("%s: query %u has the coordinate %g: expected finite ones", set->name, i,
                             positions[k]);
                return false;
            }
        }
        if (hit > 1 || (hit == 1) != (set->upper[i] >= 0 && set->upper[i] <= 1)) {
            td_cli_error("%s: query %u: hit is %u, but the first contact at %g", set->name, i, hit,
                         set->upper[i]);
            return false;
        }
    }
    if (fgetc(stream) != EOF) {
        td_cli_error("%s: goes on behind query %u, the last: expected its end", set->name, set->count);
        return false;
    }
    return true;
}

static bool td_read_stream(td_ccd_set *set, FILE *stream) {
    unsigned char header[TD_CCDQ_HEADER];
    uint32_t kind, count;
    if (fread(header, sizeof header, 1, stream) != 1 || memcmp(header, "CCDQ1\0\0", 8) != 0) {
        td_cli_error("%s: expected a file of queries, which begins with CCDQ1", set->name);
        return false;
    }
    memcpy(&kind, header + 8, sizeof kind);
    memcpy(&count, header + 12, sizeof count);
    if (kind > 1) {
        td_cli_error("%s: the kind of its queries is %u: expected 0, edge-edge, or 1, vertex-face", set->name,
                     kind);
        return false;
    }
    // So that a count that lies asks for no memory.
    if (fseek(stream, 0, SEEK_END) != 0 ||
        ftell(stream) < (long)(TD_CCDQ_HEADER + (uint64_t)count * TD_CCDQ_RECORD) ||
        fseek(stream, TD_CCDQ_HEADER, SEEK_SET) != 0) {
        td_cli_error("%s: is too short for its %u queries of %d bytes", set->name, count, TD_CCDQ_RECORD);
        return false;
    }
    set->pair = kind == 0 ? TD_PAIR_EDGE_EDGE : TD_PAIR_VERTEX_FACE;
    return td_reserve_set(set, count, true) && td_read_records(set, stream);
}

static bool td_read_set(td_ccd_set *set) {
    FILE *stream = fopen(set->name, "rb");
    if (!stream) {
        td_cli_error("%s: %s", set->name, strerror(errno));
        return false;
    }
    const bool success = td_read_stream(set, stream);
    fclose(stream);
    return success;
}

// ---------------------------------------------------------------------------------------------------------

// SplitMix64: the same numbers on every machine.
static double td_random_coordinate(uint64_t *state) {
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-52 - 1.0;
}

// Four points in [-1, 1]^3, and where they go, by half as much: what is left when boxes have met.
static bool td_make_set(td_ccd_set *set, td_feature_pair pair, const td_ccd_command *command) {
    set->name = pair == TD_PAIR_VERTEX_FACE ? "random vertex-face" : "random edge-edge";
    set->pair = pair;
    if (!td_reserve_set(set, command->random, false)) {
        return false;
    }
    uint64_t state = (uint64_t)command->seed << 1 | (uint64_t)pair;
    for (size_t i = 0; i < set->count; ++i) {
        double *start = set->positions + 24 * i, *end = start + 12;
        for (int k = 0; k < 12; ++k) {
            start[k] = td_random_coordinate(&state);
            end[k] = start[k] + 0.5 * td_random_coordinate(&state);
        }
    }
    return true;
}

// ---------------------------------------------------------------------------------------------------------

// That the answers are those that are known: none missed, none invented, no time later than the contact.
static bool td_check_set(const td_ccd_set *set) {
    for (uint32_t i = 0; set->upper && i < set->count; ++i) {
        const td_moving_contact *contact = &set->out[i];
        const bool hit = set->upper[i] <= 1;
        if (contact->touching != hit || !contact->certain || (hit && !(contact->time <= set->lower[i]))) {
            td_cli_error("%s: query %u: %s at %.17g, but the first contact is at %.17g", set->name, i,
                         contact->touching ? "touching" : "apart", contact->time, set->lower[i]);
            return false;
        }
    }
    return true;
}

static bool td_measure_set(td_ccd_command *command, td_ccd_set *set) {
    double times[TD_CCD_REPEATS_MOST];
    const td_moving_def def = td_default_moving_def();
    for (uint32_t round = 0; round < command->repeats; ++round) {
        const double start = td_clock_ms();
        if (td_test_moving_batch(set->out, command->session.context, &def, set->pair, set->positions,
                                 set->count) != TD_OK) {
            td_cli_library_error(set->name);
            return false;
        }
        times[round] = td_clock_ms() - start;
    }
    set->ns = set->count > 0 ? 1e6 * td_cli_median(times, command->repeats) / set->count : 0;
    for (uint32_t i = 0; i < set->count; ++i) {
        set->touching += set->out[i].touching;
    }
    return td_check_set(set);
}

bool td_ccd_measure_tests(td_ccd_command *command) {
    command->set_count = command->file_count > 0 ? command->file_count : 2;
    command->sets = calloc(command->set_count, sizeof *command->sets);
    if (!command->sets) {
        td_cli_error("out of memory");
        return false;
    }
    td_cli_progress_stage(&command->session.progress, "elementary tests");
    for (uint32_t i = 0; i < command->set_count; ++i) {
        td_ccd_set *set = &command->sets[i];
        set->name = command->files[i];
        const bool made =
            command->file_count > 0 ? td_read_set(set) : td_make_set(set, (td_feature_pair)i, command);
        if (!made || !td_measure_set(command, set)) {
            return false;
        }
        td_cli_progress_count(&command->session.progress, i + 1, command->set_count, "sets");
    }
    return true;
}

void td_ccd_release_tests(td_ccd_command *command) {
    for (uint32_t i = 0; command->sets && i < command->set_count; ++i) {
        td_ccd_set *set = &command->sets[i];
        free(set->positions);
        free(set->lower);
        free(set->upper);
        free(set->out);
    }
    free(command->sets);
}
