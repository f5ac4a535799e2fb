#include "../core/error.h"
#include "record_header.h"

// Whether float32 holds every coordinate as it is: then half the bytes do.
static bool td_fits_single(const td_mesh *mesh) {
    for (uint32_t vertex = 0; vertex < td_mesh_vertex_count(mesh); ++vertex) {
        double at[3];
        td_mesh_vertex(at, mesh, vertex);
        for (int k = 0; k < 3; ++k) {
            // A number beyond float32 becomes infinite, which differs, too.
            if ((double)(float)at[k] != at[k]) {
                return false;
            }
        }
    }
    return true;
}

static void td_put_mesh(td_byte_writer *writer, const td_record_mesh *mesh) {
    td_put_text(writer, mesh->name, strlen(mesh->name));
    const uint32_t vertices = td_mesh_vertex_count(mesh->mesh);
    const uint32_t triangles = td_mesh_triangle_count(mesh->mesh);
    const bool single = td_fits_single(mesh->mesh);
    td_put_u32(writer, single ? TD_FLOAT32 : TD_FLOAT64);
    td_put_u32(writer, vertices);
    td_put_u32(writer, triangles);
    for (uint32_t vertex = 0; vertex < vertices; ++vertex) {
        double at[3];
        td_mesh_vertex(at, mesh->mesh, vertex);
        for (int k = 0; k < 3; ++k) {
            if (single) {
                td_put_f32(writer, (float)at[k]);
            } else {
                td_put_f64(writer, at[k]);
            }
        }
    }
    for (uint32_t triangle = 0; triangle < triangles; ++triangle) {
        uint32_t corners[3];
        td_mesh_triangle(corners, mesh->mesh, triangle);
        for (int k = 0; k < 3; ++k) {
            td_put_u32(writer, corners[k]);
        }
    }
}

static void td_put_info(td_byte_writer *writer, const td_record_content *content, const td_pose_grid *grid,
                        const td_soft_bodies *soft) {
    td_put_f64(writer, content->step);
    for (int k = 0; k < 3; ++k) {
        td_put_f64(writer, grid->origin[k]);
    }
    td_put_f64(writer, grid->unit);
    td_put_u32(writer, content->mesh_count);
    td_put_u32(writer, content->body_count);
    td_put_text(writer, td_version(), strlen(td_version()));
    td_put_text(writer, content->scene, strlen(content->scene));
    if (soft->count > 0) {
        td_put_u32(writer, td_version_with(soft));
    }
}

static void td_put_bodies(td_byte_writer *writer, const td_record_content *content,
                          const td_soft_bodies *soft) {
    uint32_t soft_count = 0;
    for (uint32_t body = 0; body < content->body_count; ++body) {
        const td_record_body *at = &content->bodies[body];
        td_put_u8(writer, (uint8_t)at->kind);
        td_put_u32(writer, at->mesh);
        td_put_text(writer, at->name, strlen(at->name));
        if (at->kind == TD_BODY_SOFT) {
            td_put_f64(writer, soft->items[soft_count++].unit);
        }
    }
}

// One mesh at a time is held: of a scene with many large ones, not all at once.
static td_result td_flush_writer(td_byte_writer *writer, int file, const char *path) {
    TD_TRY(writer->result);
    TD_TRY(td_write_file(file, path, writer->bytes.items, writer->bytes.count));
    writer->bytes.count = 0;
    return TD_OK;
}

static td_result td_write_chunks(td_byte_writer *writer, int file, const char *path,
                                 const td_crc_tables *tables, const td_record_content *content,
                                 const td_pose_grid *grid, const td_soft_bodies *soft) {
    td_put_bytes(writer, TD_RECORD_MAGIC, TD_RECORD_MAGIC_BYTES);
    td_put_u32(writer, td_version_with(soft));
    size_t chunk = td_begin_chunk(writer, TD_CHUNK_INFO);
    td_put_info(writer, content, grid, soft);
    td_end_chunk(writer, chunk, tables);
    chunk = td_begin_chunk(writer, TD_CHUNK_SCENE);
    td_put_text(writer, content->text, strlen(content->text));
    td_end_chunk(writer, chunk, tables);
    for (uint32_t mesh = 0; mesh < content->mesh_count; ++mesh) {
        TD_TRY(td_flush_writer(writer, file, path));
        chunk = td_begin_chunk(writer, TD_CHUNK_MESH);
        td_put_mesh(writer, &content->meshes[mesh]);
        td_end_chunk(writer, chunk, tables);
    }
    chunk = td_begin_chunk(writer, TD_CHUNK_BODIES);
    td_put_bodies(writer, content, soft);
    td_end_chunk(writer, chunk, tables);
    return td_flush_writer(writer, file, path);
}

td_result td_write_header(int file, const char *path, td_context *context, const td_crc_tables *tables,
                          const td_record_content *content, const td_pose_grid *grid,
                          const td_soft_bodies *soft) {
    td_byte_writer writer = {.context = context};
    const td_result result = td_write_chunks(&writer, file, path, tables, content, grid, soft);
    td_array_release(context, &writer.bytes);
    return result;
}
