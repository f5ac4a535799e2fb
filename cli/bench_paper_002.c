// tandem bench paper 002: its Figs. 6 to 8, contact area and speed-up over sizes.
//
// Based on: paper 002, section 3. A scene is simulated until it is the slide, the pile or the stack that is
// meant. Then the pairs of bodies whose boxes overlap are put to the blocked traversal, natively and on
// devices, and to the classic stack with oriented boxes, which is the method of RAPID, the paper's reference.
// All must find the same triangles.
#include "bench_paper_002.h"
#include "bench_measure.h"
#include "bench_sides.h"
#include "bench_world.h"
#include "command.h"
#include "message.h"
#include "names.h"

#include <stdlib.h>
#include <string.h>

enum { TD_AREA_OPTIONS = 4, TD_AREA_STEPS_MOST = 100000, TD_AREA_REPEATS_MOST = 1000 };

typedef struct td_area_command {
    td_cli_session session;
    const char *scenes;
    uint32_t steps; // UINT32_MAX: each scene's own
    uint32_t repeats;
    bool full;
    td_bench_rows rows;
    td_configurations all;
} td_area_command;

static td_cli_parsed td_parse_area(td_area_command *command, int argc, char **argv) {
    const td_cli_option own[TD_AREA_OPTIONS] = {
        {.name = "--scenes",
         .argument = "LIST",
         .text = &command->scenes,
         .help = "of these only: rockslide, pile, stack"},
        {.name = "--full", .flag = &command->full, .help = "all sizes of the paper, not the small ones only"},
        {.name = "--steps",
         .argument = "N",
         .number = &command->steps,
         .most = TD_AREA_STEPS_MOST,
         .help = "steps before a scene is measured; default: by scene"},
        {.name = "--repeats",
         .argument = "N",
         .number = &command->repeats,
         .least = 1,
         .most = TD_AREA_REPEATS_MOST,
         .help = "rounds, of which medians are taken; default 5"},
    };
    const td_cli_syntax syntax = {
        .command = "bench paper 002",
        .usage = "[options]",
        .about =
            "Repeats Figs. 6 to 8 of paper 002: contact area, and the speed-up of the strategy 'blocked'\n"
            "over a classic traversal with oriented boxes (there RAPID, here 'stack' with obb), for\n"
            "scenes of many sizes. On one thread natively, and on the OpenCL devices there are.\n",
        .example = "  tandem bench paper 002 --scenes pile,stack\n",
        .groups = {{"Options", own, TD_AREA_OPTIONS}, td_bench_sides_group(&command->session)},
        .operands = "no operand",
    };
    char **operands;
    int count;
    return td_cli_parse(&syntax, argc, argv, &operands, &count);
}

// ---------------------------------------------------------------------------------------------------------
// Which configurations

static bool td_is_wanted(const td_area_command *command, const td_published_scene *scene, uint32_t size,
                         uint32_t subdivide) {
    // Boxes have few triangles: all subdivisions are quick.
    const bool few_triangles = strcmp(scene->name, "stack") == 0;
    return command->full ||
           ((size == scene->small[0] || size == scene->small[1]) && (subdivide < 2 || few_triangles));
}

static bool td_choose_configurations(td_area_command *command) {
    const char *names[TD_PUBLISHED_SCENES];
    bool wanted[TD_PUBLISHED_SCENES] = {false};
    for (int i = 0; i < TD_PUBLISHED_SCENES; ++i) {
        names[i] = td_published_002[i].name;
        wanted[i] = !command->scenes;
    }
    if (!td_cli_find_names(wanted, &(td_cli_names){"scene", names, TD_PUBLISHED_SCENES}, command->scenes,
                           "--scenes")) {
        return false;
    }
    td_configurations *all = &command->all;
    const size_t most = (size_t)TD_PUBLISHED_SCENES * TD_PUBLISHED_SIZES * TD_PUBLISHED_SUBDIVISIONS;
    all->items = calloc(most, sizeof *all->items);
    if (!all->items) {
        td_cli_error("out of memory");
        return false;
    }
    all->repeats = command->repeats;
    for (int i = 0; i < TD_PUBLISHED_SCENES; ++i) {
        const td_published_scene *scene = &td_published_002[i];
        for (uint32_t size = 0; wanted[i] && size < TD_PUBLISHED_SIZES; ++size) {
            for (uint32_t subdivide = 0; subdivide < TD_PUBLISHED_SUBDIVISIONS; ++subdivide) {
                if (td_is_wanted(command, scene, size, subdivide)) {
                    all->items[all->count++] = (td_configuration){
                        .scene = scene,
                        .size = size,
                        .subdivide = subdivide,
                        .steps = command->steps == UINT32_MAX ? scene->steps : command->steps};
                }
            }
        }
    }
    return true;
}

// ---------------------------------------------------------------------------------------------------------
// Ways

static uint32_t td_strategy_index(const char *name) {
    uint32_t index = 0;
    while (index < td_strategy_count() && strcmp(td_strategy_name(index), name) != 0) {
        ++index;
    }
    return index; // of a name that the session has checked, or of our own
}

static void td_add_way(td_bench_rows *rows, const char *strategy, td_volume volume, td_descent descent,
                       const td_bench_place *place) {
    td_bench_row *row = &rows->rows[rows->count++];
    *row = (td_bench_row){.strategy = td_strategy_index(strategy), .place = place};
    row->def = td_default_collide_def();
    row->def.strategy = strategy;
    row->def.volume = volume;
    row->def.descent = descent;
    row->def.device = place->device;
}

// The reference first, then ours at every place.
static bool td_make_ways(td_area_command *command) {
    td_bench_rows *rows = &command->rows;
    const td_cli_session *session = &command->session;
    const char *strategy = td_cli_session_strategy(session);
    rows->rows = calloc(rows->place_count + (size_t)1, sizeof *rows->rows);
    if (!rows->rows) {
        td_cli_error("out of memory");
        return false;
    }
    rows->rounds = command->repeats;
    rows->reference = 0;
    td_add_way(rows, "stack", TD_VOLUME_OBB, TD_DESCENT_AUTO, &rows->places[0]);
    for (uint32_t i = 0; i < rows->place_count; ++i) {
        td_add_way(rows, strategy ? strategy : "blocked", session->bounding_volume, session->descent_rule,
                   &rows->places[i]);
    }
    return td_bench_rows_equip(rows);
}

// ---------------------------------------------------------------------------------------------------------
// Measuring

static void td_keep_answers(td_configuration *out, const td_bench_rows *rows) {
    out->colliding = rows->rows[0].colliding;
    out->faces = rows->rows[0].pairs;
    out->way_count = rows->count;
    for (uint32_t i = 0; i < rows->count; ++i) {
        const td_bench_row *row = &rows->rows[i];
        td_way *way = &out->ways[i];
        *way = (td_way){td_strategy_name(row->strategy), row->def.volume, row->place, {0}};
        memcpy(way->median, row->median, sizeof way->median);
    }
}

static bool td_measure_scene(td_area_command *command, td_configuration *configuration, td_scene *scene) {
    td_cli_session *session = &command->session;
    if (!td_bench_world_settle(session, scene, configuration->steps)) {
        return false;
    }
    const td_mesh *mesh = td_bench_world_mesh(scene);
    configuration->objects = td_body_count(td_scene_world(scene)) - 1; // without the ground
    configuration->object_triangles = td_mesh_triangle_count(mesh);
    configuration->triangles = td_bench_world_triangles(scene);
    td_bench_pairs pairs;
    if (!td_bench_world_pairs(&pairs, scene)) {
        return false;
    }
    configuration->object_pairs = pairs.count;
    td_bench_scene frozen = {.a = mesh, .b = mesh, .pairs = pairs.pairs, .pair_count = pairs.count};
    td_bench_storage storage;
    const bool measured =
        td_make_ways(command) && td_bench_measure(&command->rows, &storage, session, &frozen);
    if (measured) {
        td_keep_answers(configuration, &command->rows);
    }
    td_bench_rows_drop(&command->rows);
    td_bench_scene_close(&frozen);
    return measured;
}

static bool td_measure_configuration(td_area_command *command, td_configuration *configuration) {
    const td_bench_world_def def = {.scene = configuration->scene->name,
                                    .n = configuration->scene->sizes[configuration->size],
                                    .subdivide = configuration->subdivide};
    td_scene *scene = NULL;
    const bool measured = td_bench_world_open(&scene, &command->session, &def) &&
                          td_measure_scene(command, configuration, scene);
    td_destroy_scene(scene);
    return measured;
}

static bool td_run_area(td_area_command *command) {
    if (!td_choose_configurations(command) || !td_bench_sides_open(&command->rows, &command->session)) {
        return false;
    }
    for (uint32_t i = 0; i < command->all.count; ++i) {
        if (!td_measure_configuration(command, &command->all.items[i])) {
            return false;
        }
    }
    td_configurations_write(&command->session, &command->all);
    return true;
}

int td_bench_paper_002(int argc, char **argv) {
    td_area_command command = {
        .session = {.threads = 1, .strategy = "blocked"}, .steps = UINT32_MAX, .repeats = 5};
    const td_cli_parsed parsed = td_parse_area(&command, argc, argv);
    if (parsed != TD_CLI_RUN) {
        return parsed == TD_CLI_ANSWERED ? TD_EXIT_DONE : TD_EXIT_ERROR;
    }
    if (!td_cli_session_open(&command.session, true)) {
        return TD_EXIT_ERROR;
    }
    const bool success = td_run_area(&command);
    free(command.all.items);
    td_bench_rows_close(&command.rows);
    return td_cli_session_close(&command.session, success) ? TD_EXIT_DONE : TD_EXIT_ERROR;
}
