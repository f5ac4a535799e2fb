#include "render_soft.h"

#include "message.h"

#include <math.h>
#include <stdlib.h>

static bool td_make_drawn(td_drawn_mesh *out, td_render_source *source, const td_mesh_def *def) {
    if (td_create_mesh(&out->mesh, source->session->context, def) != TD_OK ||
        td_create_render_mesh(&out->model, source->session->context, out->mesh) != TD_OK) {
        td_cli_library_error(NULL);
        return false;
    }
    return true;
}

static void td_release_drawn(td_drawn_mesh *drawn) {
    td_destroy_render_mesh(drawn->model);
    td_destroy_mesh(drawn->mesh);
    *drawn = (td_drawn_mesh){0};
}

static bool td_make_soft_model(td_render_source *source, td_soft_model *model) {
    const td_recorded_body body = td_recording_body(source->recording, model->body);
    const td_mesh_arrays *arrays = td_recording_mesh(source->recording, body.mesh);
    td_mesh_def def = td_default_mesh_def();
    def.positions = arrays->positions;
    def.vertex_count = arrays->vertex_count;
    def.triangles = arrays->triangles;
    def.triangle_count = arrays->triangle_count;
    def.deformable = true;
    def.name = body.name;
    if (!td_make_drawn(&model->drawn, source, &def)) {
        return false;
    }
    source->bodies[model->body].mesh = model->drawn.model;
    return true;
}

bool td_make_soft_models(td_render_source *source) {
    size_t most = 0;
    source->soft = calloc(source->body_count ? source->body_count : 1, sizeof *source->soft);
    for (uint32_t i = 0; source->soft && i < source->body_count; ++i) {
        const td_recorded_body body = td_recording_body(source->recording, i);
        if (body.kind == TD_BODY_SOFT) {
            const size_t numbers = 3 * (size_t)td_recording_mesh(source->recording, body.mesh)->vertex_count;
            most = numbers > most ? numbers : most;
            source->soft[source->soft_count].body = i;
            if (!td_make_soft_model(source, &source->soft[source->soft_count++])) {
                return false;
            }
        }
    }
    source->positions = malloc((most ? most : 1) * sizeof *source->positions);
    if (!source->soft || !source->positions) {
        td_cli_error("out of memory for %u bodies", source->body_count);
        return false;
    }
    td_forget_soft_extents(source);
    return true;
}

void td_release_soft_models(td_render_source *source) {
    for (uint32_t i = 0; source->soft && i < source->soft_count; ++i) {
        td_release_drawn(&source->soft[i].drawn);
        td_release_drawn(&source->soft[i].extent);
    }
    free(source->soft);
    free(source->positions);
}

bool td_set_soft_frame(td_render_source *source, uint64_t frame) {
    for (uint32_t i = 0; i < source->soft_count; ++i) {
        td_soft_model *model = &source->soft[i];
        td_refit_report report;
        if (td_read_positions(source->positions, source->recording, frame, model->body) != TD_OK ||
            td_set_positions(&report, model->drawn.mesh, TD_FLOAT64, source->positions, 0, TD_REBUILD_AUTO) !=
                TD_OK) {
            td_cli_library_error(NULL);
            return false;
        }
        td_update_render_mesh(model->drawn.model);
        source->rebuilds += report.rebuilt;
        source->refit_ms += report.read_ms + report.refit_ms + report.rebuild_ms;
        const size_t numbers = 3 * (size_t)td_mesh_vertex_count(model->drawn.mesh);
        for (size_t n = 0; n < numbers; ++n) {
            model->lower[n % 3] = fmin(model->lower[n % 3], source->positions[n]);
            model->upper[n % 3] = fmax(model->upper[n % 3], source->positions[n]);
        }
    }
    return true;
}

void td_forget_soft_extents(td_render_source *source) {
    for (uint32_t i = 0; i < source->soft_count; ++i) {
        for (int k = 0; k < 3; ++k) {
            source->soft[i].lower[k] = INFINITY;
            source->soft[i].upper[k] = -INFINITY;
        }
    }
}

bool td_make_soft_extents(td_render_source *source) {
    for (uint32_t i = 0; i < source->soft_count; ++i) {
        td_soft_model *model = &source->soft[i];
        td_release_drawn(&model->extent);
        if (!td_render_make_box(&model->extent, source, model->lower, model->upper)) {
            return false;
        }
    }
    return true;
}
