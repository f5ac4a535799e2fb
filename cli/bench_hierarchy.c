#include "bench_hierarchy.h"

#include "message.h"

#include <stdlib.h>

bool td_hierarchy_check_options(const td_cli_session *session, const char *bench) {
    if (session->strategy || session->volume || session->descent) {
        td_cli_error("'%s' measures all hierarchies: expected no --strategy, --volume or --descent", bench);
        return false;
    }
    return true;
}

bool td_hierarchy_subject_open(td_hierarchy_subject *out, td_cli_session *session, const char *name) {
    td_cli_mesh loaded = {0};
    *out = (td_hierarchy_subject){.name = name ? name : "shape:cow:4"};
    if (!td_cli_load(&loaded, session, out->name, false)) {
        return false;
    }
    out->vertex_count = td_mesh_vertex_count(loaded.mesh);
    out->triangle_count = td_mesh_triangle_count(loaded.mesh);
    out->positions = calloc(3 * (size_t)out->vertex_count, sizeof *out->positions);
    out->triangles = calloc(3 * (size_t)out->triangle_count, sizeof *out->triangles);
    const bool success = out->positions && out->triangles;
    for (uint32_t v = 0; success && v < out->vertex_count; ++v) {
        td_mesh_vertex(out->positions + 3 * (size_t)v, loaded.mesh, v);
    }
    for (uint32_t t = 0; success && t < out->triangle_count; ++t) {
        td_mesh_triangle(out->triangles + 3 * (size_t)t, loaded.mesh, t);
    }
    td_cli_unload(&loaded);
    if (!success) {
        td_cli_error("out of memory");
        td_hierarchy_subject_close(out);
    }
    return success;
}

void td_hierarchy_subject_close(td_hierarchy_subject *subject) {
    free(subject->positions);
    free(subject->triangles);
    subject->positions = NULL;
    subject->triangles = NULL;
}

td_mesh_def td_hierarchy_mesh_def(const td_hierarchy_subject *subject) {
    td_mesh_def def = td_default_mesh_def();
    def.name = subject->name;
    def.positions = subject->positions;
    def.vertex_count = subject->vertex_count;
    def.triangles = subject->triangles;
    def.triangle_count = subject->triangle_count;
    def.borrow = true;
    return def;
}

uint32_t td_hierarchy_workers_open(td_hierarchy_worker out[TD_HIERARCHY_WORKERS],
                                   const td_cli_session *session) {
    td_cli_session one = *session;
    uint32_t count = 1;
    one.threads = 1;
    out[0] = (td_hierarchy_worker){.threads = 1};
    if (!td_cli_create_context(&out[0].context, &one, td_context_isa(session->context))) {
        return 0;
    }
    out[1] = (td_hierarchy_worker){.threads = td_context_thread_count(session->context)};
    if (out[1].threads > 1) {
        if (!td_cli_create_context(&out[1].context, session, td_context_isa(session->context))) {
            td_destroy_context(out[0].context);
            return 0;
        }
        ++count;
    }
    if (session->opened_device) {
        td_device_info info;
        td_device_describe(&info, session->opened_device);
        out[count++] = (td_hierarchy_worker){session->context, info.compute_units, session->opened_device};
    }
    return count;
}

void td_hierarchy_workers_close(td_hierarchy_worker *workers, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) {
        if (!workers[i].device) {
            td_destroy_context(workers[i].context);
        }
    }
}
