// tandem-peers pile: how long a step of a pile of meshes takes each library, and what becomes of the pile.
#include "compare.h"

#include "core/error.h"
#include "pile_report.h"
#include "pile_scene.h"

#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char td_pile_usage[] =
    "usage: tandem-peers pile MESH [options]   a pile of copies of a closed mesh, step by step\n"
    "\n"
    "MESH is a mesh file or a built-in shape (\"cow\", subdivided: \"cow:2\"). Its copies, 2 m long, fall\n"
    "from a grid onto the ground. The libraries make their steps by turns.\n"
    "\n"
    "  --count N          bodies (512)\n"
    "  --steps N          (400)\n"
    "  --step SECONDS     (1/60; a fraction may be written as such)\n"
    "  --friction MU      (0.5)\n"
    "  --gap PART         between bodies at the start, in parts of their size (0.25)\n"
    "  --slice N          steps in a row of one library (20)\n"
    "  --rounds N         the whole race N times; the median of each step's times is taken (1)\n"
    "  --budget SECONDS   a library that has used as much in a round is stopped; 0: none is (0)\n"
    "  --threads N        of tandem's additional row; 1: none (2)\n"
    "  --without NAME,... libraries to leave out: tandem, ode, bullet\n"
    "  --csv FILE         append a row per library to FILE\n"
    "  --steps-csv FILE   write a row per library and step to FILE\n"
    "\n"
    "Exit status: 0 done; 1 tandem lost a body, or ends differently on one thread and on more; 2 error.\n";

typedef struct td_pile_options {
    const char *source;
    td_pile_settings settings;
    td_pile_race race;
    uint32_t threads;
    const char *without; // names separated by commas, or null
    const char *csv, *steps_csv;
} td_pile_options;

static td_result td_parse_number(double *out, const char *option, const char *text, double least,
                                 double most) {
    char *end;
    double value = strtod(text, &end);
    if (end != text && *end == '/') {
        const char *below = end + 1;
        const double divisor = strtod(below, &end);
        value = end == below ? NAN : value / divisor;
    }
    if (end == text || *end != '\0' || !(value >= least && value <= most)) {
        return td_fail(TD_ERROR_ARGUMENT, "--%s %s: expected a number from %g to %g", option, text, least,
                       most);
    }
    *out = value;
    return TD_OK;
}

static td_result td_check_pile_names(const char *list) {
    for (const char *at = list; *at != '\0';) {
        char name[32];
        const size_t part = strcspn(at, ",");
        snprintf(name, sizeof name, "%.*s", (int)(part < sizeof name ? part : sizeof name - 1), at);
        if (td_find_pile_library(name) == NULL) {
            return td_fail(TD_ERROR_ARGUMENT, "--without %s: no such library in this build", name);
        }
        at += part + (at[part] == ',');
    }
    return TD_OK;
}

enum {
    TD_PILE_COUNT = 256,
    TD_PILE_STEPS,
    TD_PILE_STEP,
    TD_PILE_FRICTION,
    TD_PILE_GAP,
    TD_PILE_SLICE,
    TD_PILE_ROUNDS,
    TD_PILE_BUDGET,
    TD_PILE_THREADS,
    TD_PILE_WITHOUT,
    TD_PILE_CSV,
    TD_PILE_STEPS_CSV
};

static const struct option td_pile_long_options[] = {
    {"count", required_argument, NULL, TD_PILE_COUNT},
    {"steps", required_argument, NULL, TD_PILE_STEPS},
    {"step", required_argument, NULL, TD_PILE_STEP},
    {"friction", required_argument, NULL, TD_PILE_FRICTION},
    {"gap", required_argument, NULL, TD_PILE_GAP},
    {"slice", required_argument, NULL, TD_PILE_SLICE},
    {"rounds", required_argument, NULL, TD_PILE_ROUNDS},
    {"budget", required_argument, NULL, TD_PILE_BUDGET},
    {"threads", required_argument, NULL, TD_PILE_THREADS},
    {"without", required_argument, NULL, TD_PILE_WITHOUT},
    {"csv", required_argument, NULL, TD_PILE_CSV},
    {"steps-csv", required_argument, NULL, TD_PILE_STEPS_CSV},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0}};

static td_result td_apply_pile_option(td_pile_options *options, int option, const char *word) {
    switch (option) {
    case TD_PILE_COUNT:
        return td_parse_count(&options->settings.count, "count", optarg, 1000000);
    case TD_PILE_STEPS:
        return td_parse_count(&options->race.steps, "steps", optarg, TD_MOST_PILE_STEPS);
    case TD_PILE_STEP:
        return td_parse_number(&options->settings.step, "step", optarg, 1e-6, 1.0);
    case TD_PILE_FRICTION:
        return td_parse_number(&options->settings.friction, "friction", optarg, 0.0, 100.0);
    case TD_PILE_GAP:
        return td_parse_number(&options->settings.gap, "gap", optarg, 1e-3, 100.0);
    case TD_PILE_SLICE:
        return td_parse_count(&options->race.slice, "slice", optarg, TD_MOST_PILE_STEPS);
    case TD_PILE_ROUNDS:
        return td_parse_count(&options->race.rounds, "rounds", optarg, TD_MOST_ROUNDS);
    case TD_PILE_BUDGET:
        return td_parse_number(&options->race.budget_s, "budget", optarg, 0.0, 1e9);
    case TD_PILE_THREADS:
        return td_parse_count(&options->threads, "threads", optarg, 1024);
    case TD_PILE_WITHOUT:
        options->without = optarg;
        return td_check_pile_names(optarg);
    case TD_PILE_CSV:
        options->csv = optarg;
        return TD_OK;
    case TD_PILE_STEPS_CSV:
        options->steps_csv = optarg;
        return TD_OK;
    default:
        return td_fail(TD_ERROR_ARGUMENT,
                       "%s: no such option, or its value is missing (see tandem-peers pile --help)", word);
    }
}

static uint32_t td_enter_piles(td_pile_entrant *entrants, const td_pile_options *options) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < td_pile_library_count(); ++i) {
        const td_pile_library *library = td_pile_library_at(i);
        if (options->without != NULL && td_list_has(options->without, library->name)) {
            continue;
        }
        entrants[count++] = (td_pile_entrant){.library = library, .threads = 1};
        if (library->threads && options->threads > 1) {
            entrants[count++] = (td_pile_entrant){.library = library, .threads = options->threads};
        }
    }
    return count;
}

// tandem must keep every body, and end in the same state on any number of threads.
static bool td_check_tandem_piles(const td_pile_entrant *entrants, uint32_t count, uint32_t body_count) {
    bool good = true;
    const td_pile_entrant *first = NULL;
    for (uint32_t i = 0; i < count; ++i) {
        const td_pile_entrant *entrant = &entrants[i];
        if (strcmp(entrant->library->name, "tandem") != 0) {
            continue;
        }
        if (entrant->outcome.fell > 0 || entrant->outcome.escaped > 0) {
            fprintf(stderr, "tandem-peers: tandem lost bodies\n");
            good = false;
        }
        if (first != NULL && first->done == entrant->done &&
            memcmp(first->bodies, entrant->bodies, body_count * sizeof *first->bodies) != 0) {
            fprintf(stderr, "tandem-peers: tandem on %" PRIu32 " threads does not end as it does on one\n",
                    entrant->threads);
            good = false;
        }
        first = first != NULL ? first : entrant;
    }
    return good;
}

static td_result td_report_race(const td_pile_options *options, const td_pile_race *race, const char *mesh,
                                const char *isa, const td_pile_entrant *entrants, uint32_t count) {
    const td_pile_report report = {mesh, isa, race, entrants, count};
    td_print_piles(&report);
    if (options->csv != NULL) {
        TD_TRY(td_append_pile_csv(options->csv, &report));
    }
    return options->steps_csv != NULL ? td_write_pile_steps(options->steps_csv, &report) : TD_OK;
}

static td_result td_run_pile(bool *good, const td_pile_options *options, td_context *context,
                             const td_subject *subject) {
    td_pile_scene scene;
    TD_TRY(td_make_pile_scene(&scene, context, subject, &options->settings));
    td_pile_race race = options->race;
    race.scene = &scene;
    td_pile_entrant entrants[TD_MOST_PILES];
    const uint32_t count = td_enter_piles(entrants, options);
    printf("%" PRIu32 " bodies, %s of %" PRIu32
           " triangles each, %.0f kg, radius %.2f m; step %.6g s, friction "
           "%g\n",
           scene.body_count, subject->name, scene.mesh.triangle_count, scene.mass, scene.radius, scene.step,
           scene.friction);
    td_result result = td_race_piles(entrants, count, context, &race);
    if (result == TD_OK) {
        result = td_report_race(options, &race, subject->name, td_isa_name(td_context_isa(context)), entrants,
                                count);
        *good = td_check_tandem_piles(entrants, count, scene.body_count);
    }
    td_release_piles(entrants, count, context, &race);
    td_release_pile_scene(&scene, context);
    return result;
}

static td_result td_open_pile(bool *good, const td_pile_options *options) {
    td_context *context;
    TD_TRY(td_open_context(&context, "auto", 1));
    td_subject subject;
    td_result result = td_load_subject(&subject, context, options->source);
    if (result == TD_OK) {
        result = td_run_pile(good, options, context, &subject);
        td_release_subject(&subject, context);
    }
    td_destroy_context(context);
    return result;
}

static td_result td_read_pile_options(td_pile_options *options, bool *help, int count, char **arguments) {
    int option;
    opterr = 0; // the messages are ours
    while ((option = getopt_long(count, arguments, "h", td_pile_long_options, NULL)) != -1) {
        if (option == 'h') {
            *help = true;
            return TD_OK;
        }
        TD_TRY(td_apply_pile_option(options, option, arguments[optind - 1]));
    }
    if (count - optind != 1) {
        return td_fail(TD_ERROR_ARGUMENT, "expected one mesh; see tandem-peers pile --help");
    }
    options->source = arguments[optind];
    td_pile_entrant entrants[TD_MOST_PILES];
    return td_enter_piles(entrants, options) > 0
               ? TD_OK
               : td_fail(TD_ERROR_ARGUMENT, "--without %s leaves no library", options->without);
}

int td_compare_pile(int count, char **arguments) {
    td_pile_options options = {.settings = td_default_pile_settings(),
                               .race = {.steps = 400, .slice = 20, .rounds = 1},
                               .threads = 2};
    bool help = false, good = true;
    td_result result = td_read_pile_options(&options, &help, count, arguments);
    if (help) {
        fputs(td_pile_usage, stdout);
        return 0;
    }
    if (result == TD_OK) {
        result = td_open_pile(&good, &options);
    }
    if (result != TD_OK) {
        fprintf(stderr, "tandem-peers: %s\n", td_error_message());
        return 2;
    }
    return good ? 0 : 1;
}
