#include "bench_scene.h"

#include "message.h"
#include "names.h"
#include "poses.h"

#include <stdio.h>
#include <stdlib.h>

static bool td_scene_load(td_bench_scene *scene, td_cli_session *session, const char *name) {
    if (!td_cli_load(&scene->loaded[scene->loaded_count], session, name, true)) {
        return false;
    }
    ++scene->loaded_count;
    return true;
}

bool td_bench_scene_open(td_bench_scene *out, td_cli_session *session, const char *name, uint32_t subdivide) {
    static const char *const names[] = {"cows"};
    size_t index;
    *out = (td_bench_scene){0};
    if (!td_cli_find_name(&index, &(td_cli_names){"scene", names, 1}, name, "--scene")) {
        return false;
    }
    snprintf(out->name, sizeof out->name, "%s", names[index]);
    snprintf(out->mesh_name, sizeof out->mesh_name, "shape:cow:%u", subdivide);
    if (!td_scene_load(out, session, out->mesh_name)) {
        return false;
    }
    out->a = out->b = out->loaded[0].mesh;
    return true;
}

bool td_bench_scene_open_files(td_bench_scene *out, td_cli_session *session, const char *a, const char *b) {
    *out = (td_bench_scene){.name = "files"};
    if (!td_scene_load(out, session, a) || !td_scene_load(out, session, b)) {
        td_bench_scene_close(out);
        return false;
    }
    out->a = out->loaded[0].mesh;
    out->b = out->loaded[1].mesh;
    return true;
}

// The vertices packed, x y z each; null: out of memory.
static double *td_pack_vertices(const td_mesh *mesh) {
    const uint32_t count = td_mesh_vertex_count(mesh);
    double *positions = malloc((size_t)count * 3 * sizeof *positions);
    for (uint32_t i = 0; positions && i < count; ++i) {
        td_mesh_vertex(positions + (size_t)3 * i, mesh, i);
    }
    return positions;
}

bool td_bench_scene_place(td_bench_scene *scene, uint32_t count, uint32_t seed) {
    double *positions_a = td_pack_vertices(scene->a), *positions_b = td_pack_vertices(scene->b);
    td_pose *poses = malloc(count * sizeof *poses);
    scene->pairs = malloc(count * sizeof *scene->pairs);
    const bool room = positions_a && positions_b && poses && scene->pairs;
    if (room) {
        const td_pose_source source = {.positions_a = positions_a,
                                       .vertex_count_a = td_mesh_vertex_count(scene->a),
                                       .positions_b = positions_b,
                                       .vertex_count_b = td_mesh_vertex_count(scene->b),
                                       .seed = seed};
        td_make_poses(poses, count, TD_POSES_NEAR, &source);
        for (uint32_t i = 0; i < count; ++i) {
            scene->pairs[i] = (td_object_pair){scene->a, scene->b, poses[i]};
        }
        scene->pair_count = count;
        scene->seed = seed;
    } else {
        td_cli_error("out of memory for %u object pairs", count);
    }
    free(poses);
    free(positions_b);
    free(positions_a);
    return room;
}

void td_bench_scene_close(td_bench_scene *scene) {
    free(scene->pairs);
    for (uint32_t i = 0; i < scene->loaded_count; ++i) {
        td_cli_unload(&scene->loaded[i]);
    }
    *scene = (td_bench_scene){0};
}

double td_bench_scene_brute_tests(const td_bench_scene *scene) {
    return (double)td_mesh_triangle_count(scene->a) * td_mesh_triangle_count(scene->b) * scene->pair_count;
}
