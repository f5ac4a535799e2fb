#include "load.h"

#include "core/clock.h"
#include "core/nearest.h"
#include "message.h"

#ifdef TANDEM_HAVE_ASSIMP
#include <tandem/assimp.h>
#endif

#include <stdio.h>
#include <string.h>

static const char td_shape_prefix[] = "shape:";

bool td_cli_create_shape(td_mesh **out, td_cli_session *session, const char *shape, uint32_t subdivide) {
    td_nearest nearest = td_nearest_to(shape);
    bool known = false;
    for (uint32_t i = 0; i < td_shape_count(); ++i) {
        td_nearest_offer(&nearest, td_shape_name(i));
        known = known || strcmp(shape, td_shape_name(i)) == 0;
    }
    if (!known) {
        td_cli_error("unknown shape '%s': %s%s%s'tandem gen --list' lists the shapes", shape,
                     nearest.best ? "did you mean " : "", nearest.best ? nearest.best : "",
                     nearest.best ? "? " : "expected a built-in one; ");
        return false;
    }
    if (td_create_shape(out, session->context, shape, subdivide) != TD_OK) {
        td_cli_library_error(NULL);
        return false;
    }
    return true;
}

static bool td_parse_subdivisions(uint32_t *out, const char *digits) {
    const size_t count = strspn(digits, "0123456789");
    if (count == 0 || count > 2 || digits[count]) {
        return false;
    }
    for (size_t i = 0; i < count; ++i) {
        *out = 10 * *out + (uint32_t)(digits[i] - '0');
    }
    return *out <= TD_CLI_SUBDIVIDE_MOST;
}

// "cow" or "cow:2", behind the prefix.
static bool td_load_shape(td_mesh **out, td_cli_session *session, const char *text) {
    char shape[64];
    const size_t length = strcspn(text, ":");
    if (length >= sizeof shape) {
        td_cli_error("unknown shape '%s': 'tandem gen --list' lists the shapes", text);
        return false;
    }
    memcpy(shape, text, length);
    shape[length] = 0;
    uint32_t subdivide = 0;
    if (text[length] && !td_parse_subdivisions(&subdivide, text + length + 1)) {
        td_cli_error("'%s%s': expected shape:NAME or shape:NAME:N with a number N of subdivisions, 0 to %d",
                     td_shape_prefix, text, TD_CLI_SUBDIVIDE_MOST);
        return false;
    }
    return td_cli_create_shape(out, session, shape, subdivide);
}

#ifdef TANDEM_HAVE_ASSIMP
static bool td_wants_assimp(const char *path) {
    return !td_mesh_format_known(path) && td_assimp_format_known(path);
}

static td_result td_load_with_assimp(td_mesh **out, td_cli_session *session, const char *path,
                                     const td_load_def *load_def) {
    td_mesh_arrays arrays = {0};
    const td_result read = td_assimp_read_mesh_file(&arrays, session->context, path, load_def);
    if (read != TD_OK) {
        return read;
    }
    td_mesh_def def = td_default_mesh_def();
    def.positions = arrays.positions;
    def.vertex_count = arrays.vertex_count;
    def.triangles = arrays.triangles;
    def.triangle_count = arrays.triangle_count;
    def.name = path;
    def.progress = load_def->progress;
    def.progress_user = load_def->progress_user;
    const td_result result = td_create_mesh(out, session->context, &def);
    td_release_mesh_arrays(&arrays, session->context);
    return result;
}
#endif

td_result td_cli_read_file(td_mesh_arrays *out, td_cli_session *session, const char *source, bool weld) {
    td_context *context = session->context;
    td_load_def def = td_default_load_def();
    def.weld = weld;
    def.progress = td_cli_progress_function(&session->progress);
    def.progress_user = &session->progress;
    td_cli_progress_stage(&session->progress, "reading %s", source);
#ifdef TANDEM_HAVE_ASSIMP
    if (td_wants_assimp(source)) {
        return td_assimp_read_mesh_file(out, context, source, &def);
    }
#endif
    return td_read_mesh_file(out, context, source, &def);
}

td_result td_cli_read_arrays(td_mesh_arrays *out, td_context *context, const char *source, void *user) {
    (void)context; // the session's
    return td_cli_read_file(out, user, source, true);
}

static bool td_load_file(td_mesh **out, td_cli_session *session, const char *path, bool weld) {
    td_load_def def = td_default_load_def();
    def.weld = weld;
    def.progress = td_cli_progress_function(&session->progress);
    def.progress_user = &session->progress;
    td_result result;
#ifdef TANDEM_HAVE_ASSIMP
    if (td_wants_assimp(path)) {
        result = td_load_with_assimp(out, session, path, &def);
    } else
#endif
    {
        result = td_load_mesh(out, session->context, path, &def);
    }
    if (result != TD_OK) {
        td_cli_library_error(NULL);
    }
    return result == TD_OK;
}

bool td_cli_load(td_cli_mesh *out, td_cli_session *session, const char *name, bool weld) {
    *out = (td_cli_mesh){.name = name};
    td_cli_progress_stage(&session->progress, "reading %s", name);
    const double began = td_clock_ms();
    const size_t prefix = strlen(td_shape_prefix);
    const bool loaded = strncmp(name, td_shape_prefix, prefix) == 0
                            ? td_load_shape(&out->mesh, session, name + prefix)
                            : td_load_file(&out->mesh, session, name, weld);
    if (!loaded) {
        return false;
    }
    const double total = td_clock_ms() - began;
    td_hierarchy_report report;
    if (td_inspect_hierarchy(&report, session->context, out->mesh) != TD_OK) {
        td_cli_library_error(name);
        td_cli_unload(out);
        return false;
    }
    out->build_ms = report.build_ms < total ? report.build_ms : total;
    out->load_ms = total - out->build_ms;
    return true;
}

void td_cli_unload(td_cli_mesh *mesh) {
    td_destroy_mesh(mesh->mesh);
    mesh->mesh = NULL;
}
