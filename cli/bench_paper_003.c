// tandem bench paper 003: its Figs. 6 and 7 and Tables 1 and 2.
//
// Based on: paper 003, section 5. A scene is simulated; in every step all lanes trace the same object pairs,
// one after the other, and have to find the same contacts. Soft bodies of the scene are deformable objects.
// In scenes without, sheets can be made to wave, each vertex on a course of its own: deformable objects that
// need no simulation.
#include "bench_paper_003.h"
#include "bench_sides.h"
#include "bench_world.h"
#include "command.h"
#include "message.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TD_TRACE_OPTIONS = 7, TD_SHEET_SIDE = 64, TD_MOST_SHEETS = 64 };

typedef struct td_trace_command {
    td_cli_session session;
    const char *scene_name;
    uint32_t n, steps, settle, sheet_count, basic;
    bool awake;
    td_mesh **soft; // per body; null: rigid
    uint32_t soft_count;
    td_scene *scene;
    td_device *device;
    char device_name[160];
    td_mesh *sheets[TD_MOST_SHEETS];
    double *positions; // of one sheet
    td_traced_object *objects;
    bool *moves; // per object
    uint32_t object_count;
    td_traced_pair *pairs;
    size_t pair_count, pair_capacity;
    double (*bounds)[6]; // per object
    td_trace_figures figures;
} td_trace_command;

static td_cli_parsed td_parse_trace(td_trace_command *command, int argc, char **argv) {
    const td_cli_option own[TD_TRACE_OPTIONS] = {
        {.name = "--scene",
         .argument = "NAME",
         .text = &command->scene_name,
         .help = "a built-in scene; default rigid-objects"},
        {.name = "--n",
         .argument = "N",
         .number = &command->n,
         .least = 1,
         .most = 1000000,
         .help = "the scene's parameter n; default 2"},
        {.name = "--steps",
         .argument = "N",
         .number = &command->steps,
         .least = 4,
         .most = 100000,
         .help = "steps that are traced; default 240"},
        {.name = "--settle",
         .argument = "N",
         .number = &command->settle,
         .most = 100000,
         .help = "steps before these that are not; default 0"},
        {.name = "--sheets",
         .argument = "N",
         .number = &command->sheet_count,
         .most = TD_MOST_SHEETS,
         .help = "waving sheets of 8,192 triangles in the scene; default 0"},
        {.name = "--basic",
         .argument = "N",
         .number = &command->basic,
         .most = 1,
         .help = "1: rays at sheets go through every triangle, as in the paper"},
        {.name = "--awake",
         .flag = &command->awake,
         .help = "bodies do not sleep: what rests is moved a little by the solver all the time"},
    };
    const td_cli_syntax syntax = {
        .command = "bench paper 003",
        .usage = "[options]",
        .about =
            "Repeats Figs. 6 and 7 and Tables 1 and 2 of paper 003: ray-traced contacts by a pipeline of "
            "three\n"
            "steps, against one naive kernel; by full rays alone, and with iterative ones; with predicted\n"
            "numbers of rays, and with exact ones. All ways have to find the same contacts.\n",
        .example = "  tandem bench paper 003 --scene cows --n 6 --steps 120\n",
        .groups = {{"Options", own, TD_TRACE_OPTIONS}, td_bench_sides_group(&command->session)},
        .operands = "no operand",
    };
    char **operands;
    int count;
    const td_cli_parsed parsed = td_cli_parse(&syntax, argc, argv, &operands, &count);
    if (parsed == TD_CLI_RUN && (command->session.strategy || command->session.volume)) {
        td_cli_error("paper 003 casts rays: expected neither --strategy nor --volume");
        return TD_CLI_REFUSED;
    }
    return parsed;
}

// ---------------------------------------------------------------------------------------------------------
// Sheets

// Between -1 and 1, periodic in x with period 1: no sine, so that every machine has the same.
static double td_wave(double x) {
    const double part = x - floor(x), half = part < 0.5 ? part : 1 - part;
    return 16 * half * (0.5 - half) * (part < 0.5 ? 1 : -1);
}

// Hangs over the scene and comes down slowly; waves of its own.
static void td_place_sheet(double *positions, uint32_t sheet, uint32_t step, const double box[6]) {
    const double size = 0.5 * fmax(box[3] - box[0], box[5] - box[2]);
    const double x0 = box[0] + (0.37 * sheet - floor(0.37 * sheet)) * (box[3] - box[0]) - 0.5 * size;
    const double z0 = box[2] + (0.61 * sheet - floor(0.61 * sheet)) * (box[5] - box[2]) - 0.5 * size;
    const double height = box[1] + (box[4] - box[1]) * (0.9 - 0.6 * fmin(1, step / 200.0));
    for (uint32_t i = 0; i <= TD_SHEET_SIDE; ++i) {
        for (uint32_t k = 0; k <= TD_SHEET_SIDE; ++k) {
            double *p = positions + 3 * (i * (TD_SHEET_SIDE + 1) + k);
            const double u = (double)i / TD_SHEET_SIDE, v = (double)k / TD_SHEET_SIDE;
            const double slow = 0.2 * step / (step + 100.0); // comes to rest, nearly
            p[0] = x0 + u * size;
            p[1] = height + 0.05 * size * td_wave(u + 0.3 * v + slow + 0.2 * sheet);
            p[2] = z0 + v * size;
        }
    }
}

static bool td_make_sheets(td_trace_command *command, const double box[6]) {
    const uint32_t side = TD_SHEET_SIDE + 1, vertices = side * side,
                   triangles = 2 * TD_SHEET_SIDE * TD_SHEET_SIDE;
    uint32_t *indices = malloc(3 * (size_t)triangles * sizeof *indices);
    command->positions = malloc(3 * (size_t)vertices * sizeof *command->positions);
    bool success = indices && command->positions;
    uint32_t count = 0;
    for (uint32_t i = 0; success && i < TD_SHEET_SIDE; ++i) {
        for (uint32_t k = 0; k < TD_SHEET_SIDE; ++k) {
            const uint32_t a = i * side + k, corners[6] = {a, a + 1, a + side, a + 1, a + side + 1, a + side};
            memcpy(indices + count, corners, sizeof corners);
            count += 6;
        }
    }
    for (uint32_t s = 0; success && s < command->sheet_count; ++s) {
        td_place_sheet(command->positions, s, 0, box);
        td_mesh_def def = td_default_mesh_def();
        def.positions = command->positions;
        def.vertex_count = vertices;
        def.triangles = indices;
        def.triangle_count = triangles;
        def.deformable = true;
        def.name = "sheet";
        if (td_create_mesh(&command->sheets[s], command->session.context, &def) != TD_OK) {
            td_cli_library_error(NULL);
            success = false;
        }
    }
    free(indices);
    return success;
}

// ---------------------------------------------------------------------------------------------------------
// Objects and pairs of a step

static void td_grow_box(double box[6], const td_mesh *mesh, const td_pose *pose) {
    double lower[3], upper[3];
    td_mesh_bounds(lower, upper, mesh);
    for (int corner = 0; corner < 8; ++corner) {
        const double local[3] = {corner & 1 ? upper[0] : lower[0], corner & 2 ? upper[1] : lower[1],
                                 corner & 4 ? upper[2] : lower[2]};
        double p[3];
        td_pose_apply(p, pose, local);
        for (int k = 0; k < 3; ++k) {
            box[k] = fmin(box[k], p[k]);
            box[3 + k] = fmax(box[3 + k], p[k]);
        }
    }
}

static bool td_boxes_meet(const double a[6], const double b[6]) {
    return a[0] <= b[3] && b[0] <= a[3] && a[1] <= b[4] && b[1] <= a[4] && a[2] <= b[5] && b[2] <= a[5];
}

// A deformable mesh as the soft body is now.
static bool td_copy_soft(td_mesh **out, td_context *context, const td_mesh *mesh) {
    const uint32_t vertices = td_mesh_vertex_count(mesh), triangles = td_mesh_triangle_count(mesh);
    double *positions = malloc(3 * (size_t)vertices * sizeof *positions);
    uint32_t *indices = malloc(3 * (size_t)triangles * sizeof *indices);
    bool success = positions && indices;
    for (uint32_t i = 0; success && i < vertices; ++i) {
        td_mesh_vertex(positions + 3 * (size_t)i, mesh, i);
    }
    for (uint32_t i = 0; success && i < triangles; ++i) {
        td_mesh_triangle(indices + 3 * (size_t)i, mesh, i);
    }
    if (success) {
        td_mesh_def def = td_default_mesh_def();
        def.positions = positions;
        def.vertex_count = vertices;
        def.triangles = indices;
        def.triangle_count = triangles;
        def.deformable = true;
        def.name = td_mesh_name(mesh);
        success = td_create_mesh(out, context, &def) == TD_OK;
        if (!success) {
            td_cli_library_error(NULL);
        }
    } else {
        td_cli_error("out of memory");
    }
    free(positions);
    free(indices);
    return success;
}

static bool td_follow_soft(td_mesh *mesh, const td_world *world, td_body_id body) {
    const double *positions;
    uint32_t count;
    if (td_get_positions(&positions, &count, world, body) != TD_OK ||
        td_set_positions(NULL, mesh, TD_FLOAT64, positions, 3 * sizeof(double), TD_REBUILD_AUTO) != TD_OK) {
        td_cli_library_error(NULL);
        return false;
    }
    return true;
}

static bool td_copy_all_soft(td_trace_command *command) {
    const td_world *world = td_scene_world(command->scene);
    const uint32_t bodies = td_body_count(world);
    command->soft = calloc(bodies + 1, sizeof *command->soft);
    if (!command->soft) {
        td_cli_error("out of memory");
        return false;
    }
    for (uint32_t i = 0; i < bodies; ++i) {
        td_body_state state;
        td_get_body(&state, world, td_body_at(world, i));
        if (state.kind == TD_BODY_SOFT) {
            if (!td_copy_soft(&command->soft[i], command->session.context, state.mesh)) {
                return false;
            }
            ++command->soft_count;
        }
    }
    return true;
}

static bool td_collect_objects(td_trace_command *command) {
    const td_world *world = td_scene_world(command->scene);
    const uint32_t bodies = td_body_count(world);
    uint32_t count = 0;
    for (uint32_t i = 0; i < bodies; ++i) {
        td_body_state state;
        td_get_body(&state, world, td_body_at(world, i));
        if (state.kind == TD_BODY_SOFT) {
            continue;
        }
        const double size = 0.01; // m, of open meshes
        command->objects[count] = (td_traced_object){.key = i,
                                                     .mesh = state.mesh,
                                                     .pose = state.pose,
                                                     .thickness = td_mesh_is_closed(state.mesh) ? 0 : size};
        command->moves[count++] = state.kind == TD_BODY_DYNAMIC;
    }
    for (uint32_t i = 0; i < bodies && command->soft_count > 0; ++i) {
        if (command->soft[i]) {
            if (!td_follow_soft(command->soft[i], world, td_body_at(world, i))) {
                return false;
            }
            command->objects[count] = (td_traced_object){
                .key = i, .mesh = command->soft[i], .pose = td_pose_identity(), .thickness = 0.02};
            command->moves[count++] = true;
        }
    }
    for (uint32_t s = 0; s < command->sheet_count; ++s) {
        command->objects[count + s] = (td_traced_object){
            .key = bodies + s, .mesh = command->sheets[s], .pose = td_pose_identity(), .thickness = 0.02};
        command->moves[count + s] = true;
    }
    command->object_count = count + command->sheet_count;
    for (uint32_t i = 0; i < command->object_count; ++i) {
        const double nothing[6] = {INFINITY, INFINITY, INFINITY, -INFINITY, -INFINITY, -INFINITY};
        memcpy(command->bounds[i], nothing, sizeof nothing);
        td_grow_box(command->bounds[i], command->objects[i].mesh, &command->objects[i].pose);
    }
    return true;
}

static bool td_collect_pairs(td_trace_command *command) {
    // Soft bodies and sheets come last.
    const uint32_t bodies = command->object_count - command->sheet_count - command->soft_count;
    command->pair_count = 0;
    for (uint32_t a = 0; a < command->object_count; ++a) {
        for (uint32_t b = a + 1; b < command->object_count; ++b) {
            if ((!command->moves[a] && !command->moves[b]) || a >= bodies ||
                !td_boxes_meet(command->bounds[a], command->bounds[b])) {
                continue; // sheets do not meet each other
            }
            if (command->pair_count == command->pair_capacity) {
                command->pair_capacity = 2 * command->pair_capacity + 1024;
                td_traced_pair *more = realloc(command->pairs, command->pair_capacity * sizeof *more);
                if (!more) {
                    td_cli_error("out of memory");
                    return false;
                }
                command->pairs = more;
            }
            command->pairs[command->pair_count++] = (td_traced_pair){a, b};
        }
    }
    return true;
}

// ---------------------------------------------------------------------------------------------------------
// Lanes

static void td_add_lane(td_trace_figures *figures, td_trace_lane lane) {
    figures->lanes[figures->lane_count++] = lane;
}

static void td_plan_lanes(td_trace_command *command) {
    td_trace_figures *figures = &command->figures;
    for (int place = 0; place < 2; ++place) {
        for (int iterative = 0; iterative < 2; ++iterative) {
            for (int naive = 1; naive >= 0; --naive) {
                td_add_lane(figures, (td_trace_lane){.name = naive ? "naive" : "pipeline",
                                                     .naive = naive,
                                                     .iterative = iterative,
                                                     .on_device = place,
                                                     .prediction = TD_PREDICT_PAIRS,
                                                     .confidence = 1.25});
            }
            if (place == 1) {
                td_add_lane(figures, (td_trace_lane){.name = "pipeline, exact counts",
                                                     .iterative = iterative,
                                                     .on_device = true,
                                                     .prediction = TD_PREDICT_EXACT,
                                                     .confidence = 1.25});
            }
        }
    }
    for (int equation = 1; equation <= 2; ++equation) {
        td_add_lane(figures, (td_trace_lane){.name = equation == 1 ? "ignore, Eq. 1" : "ignore, Eq. 2",
                                             .iterative = true,
                                             .lossy = true,
                                             .prediction = equation == 1 ? TD_PREDICT_PAIRS : TD_PREDICT_LAST,
                                             .confidence = 1.02});
    }
}

static bool td_open_lanes(td_trace_command *command) {
    td_trace_figures *figures = &command->figures;
    for (uint32_t i = 0; i < figures->lane_count; ++i) {
        td_trace_lane *lane = &figures->lanes[i];
        td_tracer_def def = td_default_tracer_def();
        def.naive = lane->naive;
        def.iterative = lane->iterative;
        def.prediction = lane->prediction;
        def.confidence = lane->confidence;
        def.shortfall = lane->lossy ? TD_SHORTFALL_IGNORE : TD_SHORTFALL_BACKTRACK;
        def.deformable = command->basic ? TD_TRACED_BASIC : TD_TRACED_BVH;
        def.device = lane->on_device ? command->device : NULL;
        if (lane->on_device && !command->device) {
            continue;
        }
        if (td_create_tracer(&lane->tracer, command->session.context, &def) != TD_OK) {
            td_cli_library_error(NULL);
            return false;
        }
    }
    return true;
}

// FNV-1a over what contacts are compared by.
static uint64_t td_hash_contacts(const td_traced_result *result) {
    uint64_t hash = 1469598103934665603u;
    for (size_t i = 0; i < result->contact_count; ++i) {
        const td_traced_contact *c = &result->contacts[i];
        uint64_t depth;
        memcpy(&depth, &c->depth, sizeof depth);
        const uint64_t words[] = {c->pair, c->side, c->vertex, c->face, c->triangle, depth};
        for (size_t k = 0; k < sizeof words / sizeof words[0]; ++k) {
            hash = (hash ^ words[k]) * 1099511628211u;
        }
    }
    return hash;
}

static void td_add_report(td_trace_lane *lane, const td_traced_report *report, bool counted, bool late) {
    for (int k = 0; k < TD_TRACED_ALGORITHMS; ++k) {
        lane->rays[k] += report->rays[k];
    }
    lane->missed += report->missed;
    lane->retries += report->retries;
    lane->fallbacks += report->fallbacks;
    lane->open += report->open;
    lane->waits += report->waits;
    lane->handed += report->handed;
    const double ray_ms = report->ray_ms[0] + report->ray_ms[1] + report->ray_ms[2];
    lane->all_ray_ms += ray_ms;
    for (int part = 0; part < 2; ++part) {
        if (part == 0 ? counted : late) {
            lane->ms[part] += report->total_ms - report->prepare_ms;
            lane->vertex_ms[part] += report->vertex_ms;
            lane->ray_ms[part] += ray_ms;
        }
    }
}

static bool td_trace_step(td_trace_command *command, uint32_t step) {
    td_trace_figures *figures = &command->figures;
    const bool counted = step > 0, late = 4 * step >= 3 * command->steps;
    uint64_t first = 0;
    bool known = false;
    for (uint32_t i = 0; i < figures->lane_count; ++i) {
        td_trace_lane *lane = &figures->lanes[(i + step) % figures->lane_count];
        td_traced_result result;
        if (!lane->tracer) {
            continue;
        }
        if (td_trace(&result, lane->tracer, command->objects, command->object_count, command->pairs,
                     command->pair_count) != TD_OK) {
            td_cli_library_error(command->scene_name);
            return false;
        }
        td_add_report(lane, &result.report, counted, late);
        const uint64_t hash = td_hash_contacts(&result);
        if (lane->lossy) {
            continue;
        }
        if (!known) {
            first = hash;
            known = true;
            figures->contacts += (double)result.contact_count;
        } else if (hash != first) {
            td_cli_error("step %u: %s %s%s finds other contacts", step, lane->on_device ? "device" : "native",
                         lane->name, lane->iterative ? ", full and iterative" : ", full only");
            return false;
        }
    }
    figures->counted[0] += counted;
    figures->counted[1] += late;
    figures->most_pairs =
        command->pair_count > figures->most_pairs ? command->pair_count : figures->most_pairs;
    return true;
}

// ---------------------------------------------------------------------------------------------------------

static bool td_open_scene(td_trace_command *command) {
    char n[32];
    snprintf(n, sizeof n, "n=%u", command->n);
    const char *const parameters[] = {n};
    td_scene_def def = td_default_scene_def();
    def.parameters = parameters;
    def.parameter_count = 1;
    td_cli_progress_stage(&command->session.progress, "loading %s", command->scene_name);
    if (td_load_scene(&command->scene, command->session.context, command->scene_name, &def) != TD_OK) {
        td_cli_library_error(NULL);
        return false;
    }
    if (!td_scene_world(command->scene)) {
        td_cli_error("%s is planar: expected a scene of meshes", command->scene_name);
        return false;
    }
    if (!td_copy_all_soft(command) ||
        !td_bench_world_settle(&command->session, command->scene, command->settle)) {
        return false;
    }
    const size_t most = td_body_count(td_scene_world(command->scene)) + (size_t)command->sheet_count + 1;
    command->objects = calloc(most, sizeof *command->objects);
    command->moves = calloc(most, sizeof *command->moves);
    command->bounds = calloc(most, sizeof *command->bounds);
    if (!command->objects || !command->moves || !command->bounds) {
        td_cli_error("out of memory");
        return false;
    }
    return true;
}

// Around what moves.
static void td_bound_scene(double out[6], const td_trace_command *command) {
    const double nothing[6] = {INFINITY, INFINITY, INFINITY, -INFINITY, -INFINITY, -INFINITY};
    memcpy(out, nothing, sizeof nothing);
    for (uint32_t i = 0; i < command->object_count; ++i) {
        if (command->moves[i]) {
            td_grow_box(out, command->objects[i].mesh, &command->objects[i].pose);
        }
    }
}

static bool td_keep_awake(const td_trace_command *command) {
    td_world *world = td_scene_world(command->scene);
    for (uint32_t i = 0; command->awake && i < td_body_count(world); ++i) {
        td_body_state state;
        td_get_body(&state, world, td_body_at(world, i));
        if (state.kind == TD_BODY_DYNAMIC && td_wake_body(world, td_body_at(world, i)) != TD_OK) {
            td_cli_library_error(NULL);
            return false;
        }
    }
    return true;
}

static bool td_run_trace(td_trace_command *command) {
    double box[6];
    const uint32_t sheets = command->sheet_count;
    if (!td_bench_device_open(&command->device, command->device_name, sizeof command->device_name,
                              &command->session) ||
        !td_open_scene(command)) {
        return false;
    }
    command->sheet_count = 0;
    if (!td_collect_objects(command)) {
        return false;
    }
    td_bound_scene(box, command);
    command->sheet_count = sheets;
    if (!td_make_sheets(command, box)) {
        return false;
    }
    td_plan_lanes(command);
    if (!td_open_lanes(command)) {
        return false;
    }
    td_cli_progress_stage(&command->session.progress, "tracing");
    for (uint32_t step = 0; step < command->steps; ++step) {
        td_step_report report;
        if (!td_keep_awake(command) || !td_bench_world_step(&report, command->scene)) {
            return false;
        }
        for (uint32_t s = 0; s < sheets; ++s) {
            td_place_sheet(command->positions, s, step, box);
            if (td_set_positions(NULL, command->sheets[s], TD_FLOAT64, command->positions, 3 * sizeof(double),
                                 TD_REBUILD_AUTO) != TD_OK) {
                td_cli_library_error(NULL);
                return false;
            }
        }
        if (!td_collect_objects(command) || !td_collect_pairs(command) || !td_trace_step(command, step)) {
            return false;
        }
        td_cli_progress_count(&command->session.progress, step + 1, command->steps, "steps");
    }
    td_cli_progress_end(&command->session.progress);
    td_trace_figures *figures = &command->figures;
    figures->scene = command->scene_name;
    figures->objects = command->object_count - sheets - command->soft_count;
    figures->sheets = sheets + command->soft_count;
    figures->steps = command->steps;
    figures->settle = command->settle;
    figures->awake = command->awake;
    figures->contacts /= command->steps;
    figures->device = command->device_name;
    td_trace_figures_write(&command->session, figures);
    return true;
}

int td_bench_paper_003(int argc, char **argv) {
    static td_trace_command command; // large: not on the stack
    command =
        (td_trace_command){.scene_name = "rigid-objects", .n = 2, .steps = 240, .session = {.threads = 1}};
    const td_cli_parsed parsed = td_parse_trace(&command, argc, argv);
    if (parsed != TD_CLI_RUN) {
        return parsed == TD_CLI_ANSWERED ? TD_EXIT_DONE : TD_EXIT_ERROR;
    }
    if (!td_cli_session_open(&command.session, true)) {
        return TD_EXIT_ERROR;
    }
    const bool success = td_run_trace(&command);
    for (uint32_t i = 0; i < command.figures.lane_count; ++i) {
        td_destroy_tracer(command.figures.lanes[i].tracer);
    }
    for (uint32_t i = 0; i < TD_MOST_SHEETS; ++i) {
        td_destroy_mesh(command.sheets[i]);
    }
    for (uint32_t i = 0; command.soft && command.scene && i < td_scene_body_count(command.scene); ++i) {
        td_destroy_mesh(command.soft[i]);
    }
    free(command.soft);
    td_destroy_scene(command.scene);
    td_destroy_device(command.device);
    free(command.positions);
    free(command.objects);
    free(command.moves);
    free(command.bounds);
    free(command.pairs);
    return td_cli_session_close(&command.session, success) ? TD_EXIT_DONE : TD_EXIT_ERROR;
}
