// What a recording looks like.
#include "message.h"
#include "render_soft.h"

#include <inttypes.h>
#include <stdlib.h>

enum { TD_SPEEDS_MOST = 40000 };

static void td_paint_body(td_render_source *source, uint32_t body) {
    td_render_body *drawn = &source->bodies[body];
    const double speed = source->motions[body].speed;
    if (source->look == TD_LOOK_SPEED && !drawn->fades) {
        td_scale_colour(drawn->colour, source->top_speed > 0 ? speed / source->top_speed : 0);
    }
}

static bool td_set_recorded_frame(td_render_source *source, uint64_t frame) {
    uint64_t hash;
    if (td_read_frame(source->poses, &hash, source->recording, frame) != TD_OK ||
        td_read_motions(source->motions, source->recording, frame) != TD_OK) {
        td_cli_library_error(NULL);
        return false;
    }
    for (uint32_t i = 0; i < source->body_count; ++i) {
        source->bodies[i].pose = source->poses[i];
        td_paint_body(source, i);
    }
    return td_set_soft_frame(source, frame);
}

// ---------------------------------------------------------------------------------------------------------

static int td_compare_speeds(const void *a, const void *b) {
    const double first = *(const double *)a, second = *(const double *)b;
    return (first > second) - (first < second);
}

// Bodies that move, in some of the frames.
static bool td_gather_speeds(double *speeds, size_t *count, td_render_source *source) {
    const uint64_t bodies = source->body_count ? source->body_count : 1;
    const uint64_t every = source->frames * bodies / TD_SPEEDS_MOST + 1;
    *count = 0;
    for (uint64_t frame = 0; frame < source->frames; frame += every) {
        if (td_read_motions(source->motions, source->recording, frame) != TD_OK) {
            td_cli_library_error(NULL);
            return false;
        }
        for (uint32_t i = 0; i < source->body_count; ++i) {
            if (source->motions[i].speed > 0) {
                speeds[(*count)++] = source->motions[i].speed;
            }
        }
    }
    return true;
}

// The speed that 98 of 100 do not exceed.
static bool td_find_top_speed(td_render_source *source) {
    double *speeds = malloc((TD_SPEEDS_MOST + (size_t)source->body_count) * sizeof *speeds);
    size_t count = 0;
    if (!speeds) {
        td_cli_error("out of memory");
        return false;
    }
    const bool success = td_gather_speeds(speeds, &count, source);
    if (success && count > 0) {
        qsort(speeds, count, sizeof *speeds, td_compare_speeds);
        source->top_speed = speeds[(size_t)(0.98 * (double)(count - 1))];
    }
    free(speeds);
    return success;
}

// ---------------------------------------------------------------------------------------------------------

static bool td_make_recorded_meshes(td_render_source *source) {
    for (uint32_t i = 0; i < source->mesh_count; ++i) {
        const td_mesh_arrays *arrays = td_recording_mesh(source->recording, i);
        td_mesh_def def = td_default_mesh_def();
        def.positions = arrays->positions;
        def.vertex_count = arrays->vertex_count;
        def.triangles = arrays->triangles;
        def.triangle_count = arrays->triangle_count;
        def.borrow = true;
        def.name = td_recording_mesh_name(source->recording, i);
        if (td_create_mesh(&source->meshes[i].mesh, source->session->context, &def) != TD_OK) {
            td_cli_library_error(NULL);
            return false;
        }
        if (!td_render_add_model(source, i, source->meshes[i].mesh)) {
            return false;
        }
    }
    return true;
}

// The camera looks at what moves by itself; if nothing does, at what is moved; else at all.
static void td_find_framed(td_render_source *source, const td_body_kind *kinds) {
    bool has[3] = {false};
    for (uint32_t i = 0; i < source->body_count; ++i) {
        has[0] = has[0] || kinds[i] == TD_BODY_DYNAMIC || kinds[i] == TD_BODY_SOFT;
        has[1] = has[1] || kinds[i] == TD_BODY_KINEMATIC;
    }
    for (uint32_t i = 0; i < source->body_count; ++i) {
        const bool moves = kinds[i] != TD_BODY_STATIC;
        source->framed[i] = has[0]   ? kinds[i] == TD_BODY_DYNAMIC || kinds[i] == TD_BODY_SOFT
                            : has[1] ? moves
                                     : true;
        source->bodies[i].fades = !moves && (has[0] || has[1]);
        source->has_floor = source->has_floor || source->bodies[i].fades;
        if (source->bodies[i].fades) {
            td_still_colour(source->bodies[i].colour);
        } else {
            td_body_colour(source->bodies[i].colour, i);
        }
    }
}

static bool td_make_recorded_bodies(td_render_source *source) {
    const uint32_t count = source->body_count;
    source->poses = calloc(count ? count : 1, sizeof *source->poses);
    source->motions = calloc(count ? count : 1, sizeof *source->motions);
    td_body_kind *kinds = calloc(count ? count : 1, sizeof *kinds);
    if (!source->poses || !source->motions || !kinds) {
        free(kinds);
        td_cli_error("out of memory for %u bodies", count);
        return false;
    }
    for (uint32_t i = 0; i < count; ++i) {
        const td_recorded_body body = td_recording_body(source->recording, i);
        kinds[i] = body.kind;
        source->bodies[i].mesh = source->meshes[body.mesh].model;
        source->triangles += td_mesh_triangle_count(source->meshes[body.mesh].mesh);
    }
    td_find_framed(source, kinds);
    free(kinds);
    return true;
}

// A recording without its end is drawn as far as it is whole.
static void td_note_lost_frames(const td_render_source *source, const td_recording_info *info,
                                const char *path) {
    if (!info->complete && !source->session->quiet) {
        td_cli_note("%s: its end is missing, %" PRIu64
                    " bytes behind its last whole frame are lost: it has %" PRIu64 " frames",
                    path, info->lost_bytes, info->frames);
    }
}

bool td_render_open_recording(td_render_source *out, td_cli_session *session, const char *path,
                              td_render_look look) {
    *out = (td_render_source){.session = session, .look = look, .set_frame = td_set_recorded_frame};
    td_cli_progress_stage(&session->progress, "reading %.60s", path);
    if (td_open_recording(&out->recording, session->context, path) != TD_OK) {
        td_cli_library_error(NULL);
        return false;
    }
    const td_recording_info info = td_recording_about(out->recording);
    td_note_lost_frames(out, &info, path);
    out->frames = info.frames;
    out->step = info.step;
    if (info.bodies == 0) {
        td_cli_error("%s: has no bodies: expected something to draw", path);
        return false;
    }
    return td_render_reserve(out, info.bodies, info.meshes) && td_make_recorded_meshes(out) &&
           td_make_recorded_bodies(out) && td_make_soft_models(out) &&
           (look != TD_LOOK_SPEED || td_find_top_speed(out));
}
