// tandem bench paper 001: its Figs. 7 to 9, hierarchy operations on deforming meshes.
//
// Based on: paper 001, section 6. A cloth that drapes over a sphere and a swarm of balls stand for the
// paper's scenes of that kind; they are made by formula (deforming.h). Its sequences themselves were never
// printed.
#include "bench_paper_001.h"
#include "bench_sides.h"
#include "command.h"
#include "deforming.h"
#include "message.h"
#include "names.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TD_OPERATION_OPTIONS = 5, TD_OPERATION_ROUNDS_MOST = 100 };

static const char *const td_scene_names[TD_OPERATION_SCENES] = {"cloth", "balls", "horse"};

typedef struct td_operation_command {
    td_cli_session session;
    const char *scenes, *mesh, *positions;
    uint32_t steps;
    td_operations all;
} td_operation_command;

static void td_adapt_help(td_cli_session *session) {
    for (int i = 0; i < TD_CLI_COMMON_OPTIONS; ++i) {
        td_cli_option *option = &session->common[i];
        if (option->number == &session->threads) {
            option->help = "native threads; default 1, 0: one per processor";
        } else if (option->text == &session->device) {
            option->help = "beside native: opencl, opencl:N; default: all; native: none";
        }
    }
}

static bool td_check_operations(const td_operation_command *command) {
    const td_cli_session *session = &command->session;
    if (session->strategy || session->volume || session->descent) {
        td_cli_error(
            "'bench paper 001' has rows of every strategy: expected no --strategy, --volume or --descent");
        return false;
    }
    if (!command->mesh != !command->positions) {
        td_cli_error("%s: expected --mesh and --positions together, the scene 'horse'",
                     command->mesh ? "--mesh without --positions" : "--positions without --mesh");
        return false;
    }
    return true;
}

static td_cli_parsed td_parse_operations(td_operation_command *command, int argc, char **argv) {
    const td_cli_option own[TD_OPERATION_OPTIONS] = {
        {.name = "--scenes",
         .argument = "LIST",
         .text = &command->scenes,
         .help = "of these only: cloth, balls, horse; default: all there are"},
        {.name = "--mesh",
         .argument = "FILE",
         .text = &command->mesh,
         .help = "of the scene 'horse': its triangles; goes with --positions"},
        {.name = "--positions",
         .argument = "FILE",
         .text = &command->positions,
         .help = "... all its frames: float32 x y z per vertex, little-endian"},
        {.name = "--frames",
         .argument = "N",
         .number = &command->steps,
         .least = 1,
         .most = TD_OPERATION_STEPS_MOST,
         .help = "that are measured; default 12"},
        {.name = "--rounds",
         .argument = "N",
         .number = &command->all.rounds,
         .least = 1,
         .most = TD_OPERATION_ROUNDS_MOST,
         .help = "through all frames, of which medians are taken; default 3"},
    };
    const td_cli_syntax syntax = {
        .command = "bench paper 001",
        .usage = "[options]",
        .about =
            "Repeats Figs. 7 to 9 of paper 001: how long hierarchies of deforming meshes take to be built,\n"
            "to be refitted and to be asked for self-collisions, discrete and continuous, from the root and\n"
            "from a front; and where the time goes. On one thread natively, and on the OpenCL devices there\n"
            "are. The scenes are a cloth that drapes over a sphere (92,018 triangles), 114 balls that cross\n"
            "each other's ways (145,920), and a sequence from files. All ways must find the same.\n",
        .example = "  tandem bench paper 001 --scenes cloth --frames 24\n",
        .groups = {{"Options", own, TD_OPERATION_OPTIONS}, td_cli_common_group(&command->session)},
        .operands = "no operand",
    };
    td_adapt_help(&command->session);
    char **operands;
    int count;
    const td_cli_parsed parsed = td_cli_parse(&syntax, argc, argv, &operands, &count);
    return parsed == TD_CLI_RUN && !td_check_operations(command) ? TD_CLI_REFUSED : parsed;
}

// ---------------------------------------------------------------------------------------------------------

td_operation_row *td_add_operation(td_operation_scene *scene, const char *operation, const char *way,
                                   td_volume volume, const td_bench_place *place) {
    td_operation_row *row = &scene->rows[scene->row_count++];
    *row = (td_operation_row){.operation = operation,
                              .way = way,
                              .volume = volume,
                              .place = place,
                              .ms = NAN,
                              .cpu_ms = NAN,
                              .stages = {NAN, NAN, NAN},
                              .found = NAN,
                              .box_tests = NAN,
                              .triangle_tests = NAN};
    return row;
}

static void td_add_published(td_operation_scene *scene, const char *operation, const char *way,
                             td_volume volume, int hardware, double ms) {
    if (ms > 0) {
        td_operation_row *row = td_add_operation(scene, operation, way, volume, NULL);
        row->hardware = td_published_001_hardware[hardware];
        row->ms = ms;
    }
}

static void td_add_paper(td_operation_scene *scene) {
    static const char *const builds[2] = {"compaction", "balanced"}, *const ways[2] = {"standard", "front"};
    const td_published_model *model = scene->published;
    for (int volume = 0; volume < 2; ++volume) {
        const td_volume boxes = volume == 0 ? TD_VOLUME_AABB : TD_VOLUME_OBB;
        for (int i = 0; i < 2; ++i) {
            td_add_published(scene, "build", builds[i], boxes, 0, model->build[volume][i]);
        }
        td_add_published(scene, "refit", "levels", boxes, 0, model->refit[volume]);
        for (int i = 0; i < 2; ++i) {
            td_add_published(scene, "discrete", ways[i], boxes, 0, model->collide[i][volume]);
            td_add_published(scene, "continuous", ways[i], boxes, 0, model->collide[i][2 + volume]);
        }
    }
    td_add_published(scene, "refit", "subtrees", TD_VOLUME_AABB, 1, model->refit[2]);
}

// As many frames of the files as are asked for, and the one before them.
static bool td_open_horse(td_cli_sequence *out, td_operation_command *command) {
    char *files[1] = {(char *)(uintptr_t)command->mesh};
    if (!td_sequence_open(out, &command->session, files, 1, command->positions, 0)) {
        return false;
    }
    if (out->frame_count < 2) {
        td_cli_error("%s has one frame: expected two or more", command->positions);
        return false;
    }
    out->frame_count = out->frame_count > command->steps ? command->steps + 1 : out->frame_count;
    return true;
}

static bool td_open_scene(td_operation_scene *scene, td_operation_command *command, int index) {
    scene->name = td_scene_names[index];
    for (int i = 0; i < TD_PUBLISHED_MODELS; ++i) {
        scene->published =
            strcmp(td_published_001[i].name, scene->name) == 0 ? &td_published_001[i] : scene->published;
    }
    if (scene->published) {
        td_add_paper(scene);
    }
    return index == 0   ? td_deforming_cloth(&scene->sequence, &command->session, command->steps)
           : index == 1 ? td_deforming_balls(&scene->sequence, &command->session, command->steps)
                        : td_open_horse(&scene->sequence, command);
}

static bool td_choose_scenes(bool wanted[TD_OPERATION_SCENES], const td_operation_command *command) {
    for (int i = 0; i < TD_OPERATION_SCENES; ++i) {
        wanted[i] = !command->scenes && (i != 2 || command->mesh);
    }
    if (!td_cli_find_names(wanted, &(td_cli_names){"scene", td_scene_names, TD_OPERATION_SCENES},
                           command->scenes, "--scenes")) {
        return false;
    }
    if (wanted[2] != (command->mesh != NULL)) {
        td_cli_error(wanted[2] ? "--scenes: 'horse' comes from files, expected --mesh and --positions"
                               : "--mesh is of the scene 'horse', which --scenes leaves out");
        return false;
    }
    return true;
}

static bool td_run_operations(td_operation_command *command) {
    td_operations *all = &command->all;
    bool wanted[TD_OPERATION_SCENES];
    if (!td_choose_scenes(wanted, command) || !td_bench_sides_open(&all->places, &command->session)) {
        return false;
    }
    for (int i = 0; i < TD_OPERATION_SCENES; ++i) {
        if (wanted[i]) {
            td_operation_scene *scene = &all->scenes[all->count++];
            if (!td_open_scene(scene, command, i) || !td_operations_build(scene, all, &command->session) ||
                !td_operations_collide(scene, all, &command->session)) {
                return false;
            }
        }
    }
    td_operations_write(&command->session, all);
    return true;
}

int td_bench_paper_001(int argc, char **argv) {
    static td_operation_command command; // many rows: not on the stack
    command = (td_operation_command){.session.threads = 1, .steps = 12, .all.rounds = 3};
    const td_cli_parsed parsed = td_parse_operations(&command, argc, argv);
    if (parsed != TD_CLI_RUN) {
        return parsed == TD_CLI_ANSWERED ? TD_EXIT_DONE : TD_EXIT_ERROR;
    }
    if (!td_cli_session_open(&command.session, true)) {
        return TD_EXIT_ERROR;
    }
    const bool success = td_run_operations(&command);
    for (uint32_t i = 0; i < command.all.count; ++i) {
        td_sequence_close(&command.all.scenes[i].sequence);
    }
    td_bench_rows_close(&command.all.places);
    return td_cli_session_close(&command.session, success) ? TD_EXIT_DONE : TD_EXIT_ERROR;
}
