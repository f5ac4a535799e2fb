#include "view_parts.h"

#include "message.h"

#include <stdlib.h>

// What the command line and the result say must fit together.
static bool td_check_parts(const td_view_parts *parts) {
    const td_view_wish *wish = parts->wish;
    if (wish->result && wish->mesh_count > 0 && wish->mesh_count != parts->result.mesh_count) {
        td_cli_error("%s is about %s, but %u were given: expected as many, or none", wish->result,
                     parts->result.mesh_count == 1 ? "one mesh" : "two meshes", wish->mesh_count);
        return false;
    }
    const uint32_t meshes = wish->result ? parts->result.mesh_count : wish->mesh_count;
    if (wish->poses.count > 0 && meshes != 2) {
        td_cli_error("%s places the second of two meshes, but there %s: expected two",
                     wish->poses.text ? "--pose" : "--poses", meshes == 1 ? "is one" : "are more");
        return false;
    }
    if (wish->result && wish->poses.count > 0 && wish->poses.count != parts->result.count) {
        td_cli_error("%s: poses: there are %zu, but %s has %zu: expected as many, or none", wish->result,
                     parts->result.count, wish->poses.text ? "--pose" : wish->poses.file, wish->poses.count);
        return false;
    }
    return true;
}

static bool td_load_meshes(td_view_parts *parts) {
    const td_view_wish *wish = parts->wish;
    const bool given = wish->mesh_count > 0;
    parts->mesh_count = given ? wish->mesh_count : parts->result.mesh_count;
    parts->meshes = parts->mesh_count > 0 ? calloc(parts->mesh_count, sizeof *parts->meshes) : NULL;
    if (!parts->meshes) {
        td_cli_error("out of memory");
        return false;
    }
    for (uint32_t i = 0; i < parts->mesh_count; ++i) {
        const char *name = given ? wish->meshes[i] : parts->result.names[i];
        if (!td_cli_load(&parts->meshes[i], parts->session, name, true)) {
            return false;
        }
    }
    return true;
}

bool td_view_gather_parts(td_view_parts *parts, td_cli_session *session, td_view_wish *wish) {
    *parts = (td_view_parts){.session = session, .wish = wish};
    td_context *context = session->context;
    if (!td_cli_read_poses(&wish->poses, context) ||
        (wish->result && !td_view_read_result(&parts->result, context, wish->result)) ||
        !td_check_parts(parts) || !td_load_meshes(parts)) {
        return false;
    }
    const bool given = wish->poses.count > 0;
    parts->poses = given ? wish->poses.poses : parts->result.poses;
    parts->pose_count = given ? wish->poses.count : parts->result.poses ? parts->result.count : 0;
    return true;
}

void td_view_release_parts(td_view_parts *parts) {
    for (uint32_t i = 0; parts->meshes && i < parts->mesh_count; ++i) {
        td_cli_unload(&parts->meshes[i]);
    }
    free(parts->meshes);
    td_view_release_result(&parts->result);
    if (parts->wish) {
        td_cli_release_poses(&parts->wish->poses, parts->session->context);
    }
    *parts = (td_view_parts){0};
}
