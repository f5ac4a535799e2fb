#include "compare.h"

#include "core/error.h"
#include "pile.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char td_usage[] =
    "usage: tandem-peers [collide] A [B] [options]   pairs of triangles over a set of poses\n"
    "       tandem-peers self A [options]            self-intersections, the build included\n"
    "       tandem-peers build A [options]           speed of hierarchy builders\n"
    "       tandem-peers refit A [options]           speed of refits\n"
    "       tandem-peers rays A [options]            speed of rays, camera's and diffuse ones\n"
    "       tandem-peers pile A [options]            a pile of bodies; see tandem-peers pile --help\n"
    "       tandem-peers list                        the libraries of this build\n"
    "\n"
    "A and B are mesh files or built-in shapes (\"cow\", subdivided: \"cow:2\"); without B, A meets itself.\n"
    "\n"
    "  --set near|far|touching  how B is placed against A (near)\n"
    "  --mode all|first         every pair, or whether there is one (all)\n"
    "  --poses N                number of poses (200)\n"
    "  --repeats R              rounds, of which the median is taken (7)\n"
    "  --budget SECONDS         a library that has used as much does no further round (20)\n"
    "  --peers NAME,...         only these libraries (all)\n"
    "  --isa NAME,...           tandem's instruction sets; ratios refer to the first (auto)\n"
    "  --threads N              of tandem's additional row; 1: none (2)\n"
    "  --clock wall|cpu         cpu: on a busy machine, time of the one thread that works (collide, rays; "
    "wall)\n"
    "  --csv FILE               append the rows to FILE\n"
    "  --write-poses FILE       the poses, as `tandem collide A B --poses FILE` reads them\n"
    "\n"
    "Exit status: 0 done, 1 an exact library's answers are not tandem's, 2 error.\n";

td_result td_open_context(td_context **out, const char *isa_name, uint32_t threads) {
    td_context_def def = td_default_context_def();
    TD_TRY(td_isa_from_name(&def.isa, isa_name));
    def.thread_count = threads;
    return td_create_context(out, &def);
}

td_result td_first_isa(char *out, size_t capacity, const td_compare_options *options) {
    const size_t length = strcspn(options->isas, ",");
    if (length >= capacity) {
        return td_fail(TD_ERROR_ARGUMENT, "%s: expected names of instruction sets", options->isas);
    }
    memcpy(out, options->isas, length);
    out[length] = '\0';
    return TD_OK;
}

bool td_list_has(const char *list, const char *name) {
    const size_t length = strlen(name);
    for (const char *at = list; *at != '\0';) {
        const size_t part = strcspn(at, ",");
        if (part == length && strncmp(at, name, length) == 0) {
            return true;
        }
        at += part + (at[part] == ',');
    }
    return false;
}

bool td_peer_is_chosen(const td_compare_options *options, const td_peer *peer) {
    return options->peers == NULL || td_list_has(options->peers, peer->name);
}

static td_result td_check_peer_names(const char *list) {
    for (const char *at = list; at != NULL && *at != '\0';) {
        char name[32];
        const size_t part = strcspn(at, ",");
        snprintf(name, sizeof name, "%.*s", (int)(part < sizeof name ? part : sizeof name - 1), at);
        if (td_find_peer(name) == NULL && strcmp(name, "none") != 0) {
            return td_fail(TD_ERROR_ARGUMENT, "--peers: %s is not in this build (see tandem-peers list)",
                           name);
        }
        at += part + (at[part] == ',');
    }
    return TD_OK;
}

td_result td_parse_count(uint32_t *out, const char *option, const char *text, uint32_t most) {
    char *end;
    const unsigned long value = strtoul(text, &end, 10);
    if (end == text || *end != '\0' || value < 1 || value > most) {
        return td_fail(TD_ERROR_ARGUMENT, "--%s %s: expected a number from 1 to %u", option, text, most);
    }
    *out = (uint32_t)value;
    return TD_OK;
}

static td_result td_parse_mode(td_peer_mode *out, const char *text) {
    if (strcmp(text, "all") != 0 && strcmp(text, "first") != 0) {
        return td_fail(TD_ERROR_ARGUMENT, "--mode %s: expected all or first", text);
    }
    *out = strcmp(text, "first") == 0 ? TD_PEER_FIRST : TD_PEER_ALL;
    return TD_OK;
}

static td_result td_parse_clock(bool *cpu_clock, const char *text) {
    if (strcmp(text, "wall") != 0 && strcmp(text, "cpu") != 0) {
        return td_fail(TD_ERROR_ARGUMENT, "--clock %s: expected wall or cpu", text);
    }
    *cpu_clock = strcmp(text, "cpu") == 0;
    return TD_OK;
}

static td_result td_parse_budget(double *out, const char *text) {
    char *end;
    *out = strtod(text, &end);
    if (end == text || *end != '\0' || !(*out >= 0.0)) {
        return td_fail(TD_ERROR_ARGUMENT, "--budget %s: expected a number of seconds", text);
    }
    return TD_OK;
}

enum {
    TD_OPTION_SET = 256,
    TD_OPTION_MODE,
    TD_OPTION_POSES,
    TD_OPTION_REPEATS,
    TD_OPTION_BUDGET,
    TD_OPTION_PEERS,
    TD_OPTION_ISA,
    TD_OPTION_THREADS,
    TD_OPTION_CLOCK,
    TD_OPTION_CSV,
    TD_OPTION_WRITE_POSES
};

static const struct option td_long_options[] = {
    {"set", required_argument, NULL, TD_OPTION_SET},
    {"mode", required_argument, NULL, TD_OPTION_MODE},
    {"poses", required_argument, NULL, TD_OPTION_POSES},
    {"repeats", required_argument, NULL, TD_OPTION_REPEATS},
    {"budget", required_argument, NULL, TD_OPTION_BUDGET},
    {"peers", required_argument, NULL, TD_OPTION_PEERS},
    {"isa", required_argument, NULL, TD_OPTION_ISA},
    {"threads", required_argument, NULL, TD_OPTION_THREADS},
    {"clock", required_argument, NULL, TD_OPTION_CLOCK},
    {"csv", required_argument, NULL, TD_OPTION_CSV},
    {"write-poses", required_argument, NULL, TD_OPTION_WRITE_POSES},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0}};

// `word`: the argument that was read, for messages.
static td_result td_apply_option(td_compare_options *options, int option, const char *word) {
    switch (option) {
    case TD_OPTION_SET:
        return td_pose_set_from_name(&options->set, optarg)
                   ? TD_OK
                   : td_fail(TD_ERROR_ARGUMENT, "--set %s: expected near, far or touching", optarg);
    case TD_OPTION_MODE:
        return td_parse_mode(&options->mode, optarg);
    case TD_OPTION_POSES:
        return td_parse_count(&options->pose_count, "poses", optarg, 1000000);
    case TD_OPTION_REPEATS:
        return td_parse_count(&options->repeats, "repeats", optarg, TD_MAX_REPEATS);
    case TD_OPTION_BUDGET:
        return td_parse_budget(&options->budget_s, optarg);
    case TD_OPTION_PEERS:
        options->peers = optarg;
        return td_check_peer_names(optarg);
    case TD_OPTION_ISA:
        options->isas = optarg;
        return TD_OK;
    case TD_OPTION_THREADS:
        return td_parse_count(&options->threads, "threads", optarg, 1024);
    case TD_OPTION_CLOCK:
        return td_parse_clock(&options->cpu_clock, optarg);
    case TD_OPTION_CSV:
        options->csv = optarg;
        return TD_OK;
    case TD_OPTION_WRITE_POSES:
        options->write_poses = optarg;
        return TD_OK;
    default:
        return td_fail(TD_ERROR_ARGUMENT,
                       "%s: no such option, or its value is missing (see tandem-peers --help)", word);
    }
}

static td_result td_run_command(bool *agreed, const char *command, const td_compare_options *options) {
    if (options->source_a == NULL) {
        return td_fail(TD_ERROR_ARGUMENT, "expected a mesh; see tandem-peers --help");
    }
    if (options->source_b != NULL && strcmp(command, "collide") != 0) {
        return td_fail(TD_ERROR_ARGUMENT, "%s takes one mesh", command);
    }
    if (strcmp(command, "self") == 0) {
        return td_compare_self(agreed, options);
    }
    if (strcmp(command, "refit") == 0) {
        return td_compare_refit(options);
    }
    if (strcmp(command, "rays") == 0) {
        return td_compare_rays(options);
    }
    return strcmp(command, "build") == 0 ? td_compare_build(options) : td_compare_collide(agreed, options);
}

static int td_list_peers(void) {
    for (uint32_t i = 0; i < td_peer_count(); ++i) {
        const td_peer *peer = td_peer_at(i);
        printf("%-11s %-8s %s\n", peer->name, peer->version(), peer->what);
    }
    for (uint32_t i = 0; i < td_pile_library_count(); ++i) {
        const td_pile_library *library = td_pile_library_at(i);
        printf("%-11s %-8s pile: %s\n", library->name, library->version(), library->what);
    }
    return 0;
}

static int td_report_failure(void) {
    fprintf(stderr, "tandem-peers: %s\n", td_error_message());
    return 2;
}

int main(int count, char **arguments) {
    td_compare_options options = {.set = TD_POSES_NEAR,
                                  .mode = TD_PEER_ALL,
                                  .pose_count = 200,
                                  .repeats = 7,
                                  .budget_s = 20.0,
                                  .threads = 2,
                                  .isas = "auto"};
    if (count > 1 && strcmp(arguments[1], "pile") == 0) {
        return td_compare_pile(count - 1, arguments + 1);
    }
    int option;
    opterr = 0; // the messages are ours
    while ((option = getopt_long(count, arguments, "h", td_long_options, NULL)) != -1) {
        if (option == 'h') {
            fputs(td_usage, stdout);
            return 0;
        }
        if (td_apply_option(&options, option, arguments[optind - 1]) != TD_OK) {
            return td_report_failure();
        }
    }
    const char *command = "collide";
    if (optind < count) {
        const char *word = arguments[optind];
        if (strcmp(word, "list") == 0) {
            return td_list_peers();
        }
        if (strcmp(word, "collide") == 0 || strcmp(word, "self") == 0 || strcmp(word, "build") == 0 ||
            strcmp(word, "refit") == 0 || strcmp(word, "rays") == 0) {
            command = word;
            ++optind;
        }
    }
    options.source_a = optind < count ? arguments[optind++] : NULL;
    options.source_b = optind < count ? arguments[optind++] : NULL;
    if (optind < count) {
        fprintf(stderr, "tandem-peers: %s: one mesh too many\n", arguments[optind]);
        return 2;
    }
    bool agreed = true;
    if (td_run_command(&agreed, command, &options) != TD_OK) {
        return td_report_failure();
    }
    if (!agreed) {
        fprintf(stderr, "tandem-peers: an exact library's answers are not tandem's\n");
    }
    return agreed ? 0 : 1;
}
