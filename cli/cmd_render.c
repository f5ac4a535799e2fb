// tandem render: a ray-traced picture, or a film, of a recording or of meshes.
#include "command.h"
#include "message.h"
#include "render_report.h"
#include "render_write.h"

#include <math.h>
#include <string.h>
#include <sys/stat.h>

enum { TD_RENDER_MESHES_MOST = 100000, TD_SAMPLES_MOST = 4096, TD_SKY_RAYS_MOST = 64 };

typedef struct td_render_command {
    td_cli_session session;
    td_render_options options;
    td_render_source source;
    td_render_totals totals;
} td_render_command;

// ---------------------------------------------------------------------------------------------------------
// The command line

static bool td_check_command(td_render_command *command) {
    const td_cli_session *session = &command->session;
    const td_view_wish *wish = &command->options.wish;
    if (session->strategy || session->volume || session->descent || session->device) {
        td_cli_error("'render' casts rays on the native backend only: expected no --strategy, --volume, "
                     "--descent or --device");
        return false;
    }
    if (wish->mesh_count == 0 && !wish->result) {
        td_cli_error("'render' needs a recording, or meshes, or --result: 'tandem render --help' shows how");
        return false;
    }
    return td_render_check_options(&command->options);
}

static td_cli_parsed td_parse_render(td_render_command *command, int argc, char **argv) {
    td_render_options *options = &command->options;
    const td_cli_option own[] = {
        {.name = "--size", .argument = "WxH", .text = &options->size, .help = "pixels; default 1280x720"},
        {.name = "--samples",
         .argument = "N",
         .number = &options->samples,
         .least = 1,
         .most = TD_SAMPLES_MOST,
         .help = "per pixel, for smooth edges and soft light; default 16"},
        {.name = "--sky",
         .argument = "N",
         .number = &options->sky_rays,
         .most = TD_SKY_RAYS_MOST,
         .help = "rays to the sky per sample; 0: no occlusion; default 4"},
        {.name = "--eye",
         .argument = "POINT",
         .text = &options->eye,
         .help = "where the camera is, 'x y z'; default: where all is seen"},
        {.name = "--look-at",
         .argument = "POINT",
         .text = &options->look_at,
         .help = "what it looks at, 'x y z'"},
        {.name = "--fov",
         .argument = "DEGREES",
         .text = &options->field_of_view,
         .help = "from the lower edge of the picture to the upper; default 38"},
        {.name = "--colour",
         .argument = "NAME",
         .text = &options->colour,
         .help = "by body, speed or normal; default body"},
        {.name = "--flat", .flag = &options->flat, .help = "triangles as they are, without smooth shading"},
        {.name = "--ground",
         .argument = "HEIGHT",
         .text = &options->ground,
         .help = "metres, or none; default: below everything"},
        {.name = "--result",
         .argument = "FILE",
         .text = &options->wish.result,
         .help = "highlight triangles: output of collide or self with --json"},
        {.name = "--pose",
         .argument = "NUMBERS",
         .text = &options->wish.poses.text,
         .help = "place the second of two meshes, as in 'tandem collide'"},
        {.name = "--poses",
         .argument = "FILE",
         .text = &options->wish.poses.file,
         .help = "the same, a frame per line of FILE"},
        {.name = "--frame",
         .argument = "N",
         .number = &options->frame,
         .most = TD_NOT_GIVEN - 1,
         .help = "of a picture; default: the last"},
        {.name = "--from",
         .argument = "N",
         .number = &options->from,
         .most = TD_NOT_GIVEN - 1,
         .help = "the first frame of a film"},
        {.name = "--to",
         .argument = "N",
         .number = &options->to,
         .most = TD_NOT_GIVEN - 1,
         .help = "the last frame of a film"},
        {.name = "--every",
         .argument = "N",
         .number = &options->every,
         .least = 1,
         .most = TD_NOT_GIVEN - 1,
         .help = "every Nth frame; default: as many as --fps needs"},
        {.name = "--fps",
         .argument = "RATE",
         .text = &options->rate,
         .help = "pictures per second; default: as fast as it happened"},
    };
    td_cli_session *session = &command->session;
    const td_cli_syntax syntax = {
        .command = "render",
        .usage = "REC | MESH... | --result FILE -o PICTURE.png | FILM.mp4 [options]",
        .about = "Draws a picture of meshes, or of a frame of the recording REC, which 'tandem simulate'\n"
                 "wrote, by ray tracing: sun, sky and their shadows. The same input gives the same bytes.\n"
                 "\n"
                 "  -o picture.png      one picture\n"
                 "  -o film.mp4         a film; the program ffmpeg must be there\n"
                 "  -o frame-%04d.png   the pictures of a film\n"
                 "\n"
                 "Several meshes are one picture; for a film they are the frames of a mesh that deforms,\n"
                 "and have the same triangles.\n",
        .example = "  tandem render cows.rec -o cows.png --frame 300 --size 1920x1080\n"
                   "  tandem render cows.rec -o cows.mp4 --fps 30\n"
                   "  tandem render gallop-*.obj -o gallop.mp4\n",
        .groups = {{"Options", own, sizeof own / sizeof own[0]}, td_cli_common_group(session)},
        .operands = "a recording, or meshes",
        .operands_least = 0,
        .operands_most = TD_RENDER_MESHES_MOST,
    };
    char **operands;
    int count;
    const td_cli_parsed parsed = td_cli_parse(&syntax, argc, argv, &operands, &count);
    if (parsed != TD_CLI_RUN) {
        return parsed;
    }
    options->path = session->output_path;
    options->wish.meshes = operands;
    options->wish.mesh_count = (uint32_t)count;
    return td_check_command(command) ? TD_CLI_RUN : TD_CLI_REFUSED;
}

// ---------------------------------------------------------------------------------------------------------
// What is drawn

static bool td_check_recording_alone(const td_render_options *options, const char *recording) {
    const td_view_wish *wish = &options->wish;
    const char *other = wish->mesh_count > 1 ? "another operand"
                        : wish->result       ? "--result"
                        : wish->poses.text   ? "--pose"
                        : wish->poses.file   ? "--poses"
                                             : NULL;
    if (other) {
        td_cli_error("%s is a recording, and %s was given: expected a recording alone, or meshes", recording,
                     other);
    }
    return !other;
}

// A film of meshes is made of poses, or each mesh is a frame.
static bool td_open_mesh_source(td_render_command *command) {
    td_render_options *options = &command->options;
    td_view_wish *wish = &options->wish;
    const bool posed = wish->result || wish->poses.text || wish->poses.file;
    if (options->look == TD_LOOK_SPEED) {
        td_cli_error("--colour speed: meshes have none: expected a recording");
        return false;
    }
    if (options->output == TD_RENDER_STILL || posed) {
        return td_render_open_meshes(&command->source, &command->session, wish);
    }
    if (wish->mesh_count < 2) {
        td_cli_error("%s: one mesh is no film: expected a recording, --poses, or the frames of a mesh",
                     options->path);
        return false;
    }
    return td_render_open_sequence(&command->source, &command->session, wish->meshes, wish->mesh_count);
}

static bool td_open_render_source(td_render_command *command) {
    const td_view_wish *wish = &command->options.wish;
    for (uint32_t i = 0; i < wish->mesh_count; ++i) {
        const char *name = wish->meshes[i];
        if (td_view_is_recording(name, false)) {
            return td_check_recording_alone(&command->options, name) &&
                   td_render_open_recording(&command->source, &command->session, name, command->options.look);
        }
    }
    return td_open_mesh_source(command);
}

// The picture must not take the place of what it is made from.
static bool td_check_overwriting(const td_render_options *options) {
    const td_view_wish *wish = &options->wish;
    struct stat written, read;
    if (stat(options->path, &written) != 0 || !S_ISREG(written.st_mode)) {
        return true;
    }
    for (uint32_t i = 0; i <= wish->mesh_count; ++i) {
        const char *name = i < wish->mesh_count ? wish->meshes[i] : wish->result;
        if (name && stat(name, &read) == 0 && read.st_dev == written.st_dev &&
            read.st_ino == written.st_ino) {
            td_cli_error("%s would replace %s: expected another name with -o", options->path, name);
            return false;
        }
    }
    return true;
}

static void td_keep_point(double to[3], const double from[3]) {
    memcpy(to, from, 3 * sizeof *to);
}

// Straight down or up: y is no direction of the picture then.
static bool td_looks_upright(const td_camera *camera) {
    const double x = camera->look_at[0] - camera->eye[0], z = camera->look_at[2] - camera->eye[2];
    return hypot(x, z) <= 1e-6 * fabs(camera->look_at[1] - camera->eye[1]);
}

// What was not said follows from the scene.
static bool td_set_camera(td_render_command *command, const td_render_range *range) {
    td_render_options *options = &command->options;
    td_render_def *def = &options->def;
    td_camera found = {.up = {0, 1, 0}, .field_of_view = def->camera.field_of_view};
    double ground = 0;
    if (!td_render_frame_camera(&found, &ground, &command->source, range, (double)def->width / def->height)) {
        return false;
    }
    if (!options->has_eye) {
        td_keep_point(def->camera.eye, found.eye);
    }
    if (!options->has_look_at) {
        td_keep_point(def->camera.look_at, found.look_at);
    }
    td_keep_point(def->camera.up, found.up);
    if (td_looks_upright(&def->camera)) {
        td_keep_point(def->camera.up, (const double[3]){0, 0, -1});
    }
    if (!options->has_ground) {
        def->height_of_ground = ground;
    }
    return true;
}

// ---------------------------------------------------------------------------------------------------------

static bool td_run_render(td_render_command *command) {
    td_cli_session *session = &command->session;
    td_render_options *options = &command->options;
    td_render_source *source = &command->source;
    td_render_totals *totals = &command->totals;
    td_render_range range;
    if (!td_check_overwriting(options) || !td_open_render_source(command) ||
        !td_render_find_range(&range, &totals->rate, options, source->frames, source->step) ||
        !td_set_camera(command, &range)) {
        return false;
    }
    const bool written = td_render_write(totals, session, options, source, &range);
    td_cli_progress_end(&session->progress);
    if (written) {
        td_render_tell(session, options, source, totals);
    }
    return written;
}

int td_cmd_render(int argc, char **argv) {
    td_render_command command = {.options = {.samples = 16,
                                             .sky_rays = 4,
                                             .frame = TD_NOT_GIVEN,
                                             .from = TD_NOT_GIVEN,
                                             .to = TD_NOT_GIVEN,
                                             .every = TD_NOT_GIVEN,
                                             .def = td_default_render_def()}};
    command.options.def.width = 1280;
    command.options.def.height = 720;
    const td_cli_parsed parsed = td_parse_render(&command, argc, argv);
    if (parsed != TD_CLI_RUN) {
        return parsed == TD_CLI_ANSWERED ? TD_EXIT_DONE : TD_EXIT_ERROR;
    }
    // The session's output is the summary, on standard output.
    command.session.output_path = NULL;
    if (!td_cli_session_open(&command.session, true)) {
        return TD_EXIT_ERROR;
    }
    const bool success = td_run_render(&command);
    td_render_close(&command.source);
    return td_cli_session_close(&command.session, success) ? TD_EXIT_DONE : TD_EXIT_ERROR;
}
