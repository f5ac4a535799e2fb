#include "render_report.h"

#include "json.h"
#include "table.h"

#include <inttypes.h>

static const char *const td_kinds[] = {"picture", "pictures", "film"};

static uint64_t td_all_rays(const td_render_totals *totals) {
    return totals->rays.camera_rays + totals->rays.sun_rays + totals->rays.sky_rays;
}

// Millions per second.
static double td_ray_rate(const td_render_totals *totals) {
    return totals->rays.ms > 0 ? 1e-3 * (double)td_all_rays(totals) / totals->rays.ms : 0;
}

static void td_json_point(td_cli_json *json, const char *key, const double point[3]) {
    td_cli_json_array(json, key, TD_JSON_INLINE);
    for (int k = 0; k < 3; ++k) {
        td_cli_json_number(json, NULL, point[k]);
    }
    td_cli_json_end(json);
}

static void td_json_camera(td_cli_json *json, const td_camera *camera) {
    td_cli_json_object(json, "camera", TD_JSON_INLINE);
    td_json_point(json, "eye", camera->eye);
    td_json_point(json, "look_at", camera->look_at);
    td_cli_json_number(json, "fov", camera->field_of_view * 57.29577951308232);
    td_cli_json_end(json);
}

static void td_json_rays(td_cli_json *json, const td_render_totals *totals) {
    td_cli_json_object(json, "rays", TD_JSON_INLINE);
    td_cli_json_count(json, "camera", totals->rays.camera_rays);
    td_cli_json_count(json, "sun", totals->rays.sun_rays);
    td_cli_json_count(json, "sky", totals->rays.sky_rays);
    td_cli_json_count(json, "all", td_all_rays(totals));
    td_cli_json_end(json);
    td_cli_json_number(json, "million_rays_per_s", td_ray_rate(totals));
}

static void td_render_as_json(td_cli_session *session, const td_render_options *options,
                              const td_render_source *source, const td_render_totals *totals) {
    td_cli_json json = td_cli_json_begin(session->output);
    td_cli_json_object(&json, NULL, TD_JSON_LINES);
    td_cli_json_text(&json, "file", options->path);
    td_cli_json_text(&json, "kind", td_kinds[options->output]);
    td_cli_json_count(&json, "bytes", totals->bytes);
    td_cli_json_count(&json, "width", options->def.width);
    td_cli_json_count(&json, "height", options->def.height);
    td_cli_json_count(&json, "pictures", totals->pictures);
    td_cli_json_count(&json, "first_frame", totals->first_frame);
    td_cli_json_count(&json, "last_frame", totals->last_frame);
    if (totals->rate > 0) {
        td_cli_json_number(&json, "fps", totals->rate);
    }
    td_cli_json_count(&json, "bodies", source->body_count);
    td_cli_json_count(&json, "triangles", source->triangles);
    td_json_camera(&json, &options->def.camera);
    td_cli_json_count(&json, "samples", options->def.samples);
    td_json_rays(&json, totals);
    td_cli_json_object(&json, "ms", TD_JSON_INLINE);
    td_cli_json_number(&json, "render", totals->rays.ms);
    if (source->names || source->soft_count > 0) {
        td_cli_json_number(&json, "refit", source->refit_ms);
    }
    td_cli_json_number(&json, "all", totals->ms);
    td_cli_json_end(&json);
    td_cli_json_end(&json);
}

static void td_render_as_csv(td_cli_session *session, const td_render_options *options,
                             const td_render_source *source, const td_render_totals *totals) {
    td_cli_output *output = session->output;
    td_cli_put(output, "file,kind,bytes,width,height,pictures,first_frame,last_frame,fps,bodies,triangles,"
                       "samples,camera_rays,sun_rays,sky_rays,million_rays_per_s,render_ms,ms\n");
    td_cli_put_csv(output, options->path);
    td_cli_print(output, ",%s,%" PRIu64 ",%u,%u,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%.9g,%u,%" PRIu64 ",%u",
                 td_kinds[options->output], totals->bytes, options->def.width, options->def.height,
                 totals->pictures, totals->first_frame, totals->last_frame, totals->rate, source->body_count,
                 source->triangles, options->def.samples);
    td_cli_print(output, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%.6g,%.6g,%.6g\n", totals->rays.camera_rays,
                 totals->rays.sun_rays, totals->rays.sky_rays, td_ray_rate(totals), totals->rays.ms,
                 totals->ms);
}

static void td_render_as_text(td_cli_session *session, const td_render_options *options,
                              const td_render_totals *totals) {
    char pictures[TD_CLI_NUMBER_SIZE], size[TD_CLI_NUMBER_SIZE], rays[TD_CLI_NUMBER_SIZE],
        time[TD_CLI_NUMBER_SIZE];
    td_cli_table table = td_cli_table_begin("l");
    if (options->output == TD_RENDER_STILL) {
        td_cli_table_cell(&table, "%s: %u x %u pixels, %s", options->path, options->def.width,
                          options->def.height, td_cli_bytes(size, totals->bytes));
    } else {
        td_cli_table_cell(&table, "%s: %s pictures of %u x %u pixels, %s", options->path,
                          td_cli_grouped(pictures, totals->pictures), options->def.width, options->def.height,
                          td_cli_bytes(size, totals->bytes));
    }
    td_cli_table_cell(&table, "%s rays in %s: %.1f million per second",
                      td_cli_grouped(rays, td_all_rays(totals)), td_cli_time(time, totals->rays.ms),
                      td_ray_rate(totals));
    td_cli_table_end(&table, session->output, 0);
}

void td_render_tell(td_cli_session *session, const td_render_options *options, const td_render_source *source,
                    const td_render_totals *totals) {
    if (session->format == TD_CLI_JSON) {
        td_render_as_json(session, options, source, totals);
    } else if (session->format == TD_CLI_CSV) {
        td_render_as_csv(session, options, source, totals);
    } else if (!session->quiet) {
        td_render_as_text(session, options, totals);
    }
}
