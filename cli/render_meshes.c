// What meshes look like: at their places, the last one at poses, with the triangles of a result marked.
#include "render_source.h"

// Nearer to grey, so that what is marked stands out.
static void td_pale(float colour[3]) {
    float grey[3];
    td_still_colour(grey);
    for (int k = 0; k < 3; ++k) {
        colour[k] += 0.65f * (grey[k] - colour[k]);
    }
}

static bool td_set_posed_frame(td_render_source *source, uint64_t frame) {
    const td_view_parts *parts = &source->parts;
    if (parts->poses) {
        source->bodies[source->body_count - 1].pose = parts->poses[frame];
    }
    if (!parts->wish->result) {
        return true;
    }
    td_view_release_marks(&source->marks);
    if (!td_view_read_marks(&source->marks, &parts->result, parts->meshes, (size_t)frame)) {
        return false;
    }
    for (uint32_t i = 0; i < source->body_count && i < 2; ++i) {
        source->bodies[i].marked = source->marks.triangles[i];
        source->bodies[i].marked_count = (uint32_t)source->marks.counts[i];
    }
    return true;
}

bool td_render_open_meshes(td_render_source *out, td_cli_session *session, td_view_wish *wish) {
    *out = (td_render_source){.session = session, .set_frame = td_set_posed_frame};
    if (!td_view_gather_parts(&out->parts, session, wish)) {
        return false;
    }
    const uint32_t count = out->parts.mesh_count;
    if (!td_render_reserve(out, count, count)) {
        return false;
    }
    for (uint32_t i = 0; i < count; ++i) {
        const td_mesh *mesh = out->parts.meshes[i].mesh;
        if (!td_render_add_model(out, i, mesh)) {
            return false;
        }
        out->bodies[i] = (td_render_body){.mesh = out->meshes[i].model, .pose = td_pose_identity()};
        td_body_colour(out->bodies[i].colour, i);
        if (wish->result) {
            td_pale(out->bodies[i].colour);
        }
        out->framed[i] = true;
        out->triangles += td_mesh_triangle_count(mesh);
    }
    out->frames = out->parts.pose_count > 0 ? out->parts.pose_count : 1;
    return true;
}
