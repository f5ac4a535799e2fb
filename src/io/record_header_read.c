#include "../core/error.h"
#include "record_header.h"

#include <math.h>

// "chunk MESH at byte 1234": what messages name.
typedef struct td_chunk_place {
    const td_chunk_source *source;
    const char *kind;
    uint64_t offset;
} td_chunk_place;

static td_result td_refuse_chunk(const td_chunk_place *place, const char *what) {
    return td_fail(TD_ERROR_FORMAT, "%s: chunk %s at byte %llu %s", place->source->path, place->kind,
                   (unsigned long long)place->offset, what);
}

// Reads the chunk of this kind that the header goes on with.
static td_result td_read_header_chunk(td_chunk_place *place, td_record_bytes *payload, td_context *context,
                                      td_record_header *header, const td_chunk_source *source, uint32_t kind,
                                      const char *name) {
    *place = (td_chunk_place){source, name, header->bytes};
    td_chunk chunk;
    TD_TRY(td_read_chunk(&chunk, payload, context, source, header->bytes));
    switch (chunk.state) {
    case TD_CHUNK_ABSENT:
        return td_refuse_chunk(place, "is missing: the file ends before it");
    case TD_CHUNK_CUT:
        return td_refuse_chunk(place, "is not whole: the file ends within it, or its size is damaged");
    case TD_CHUNK_DAMAGED:
        return td_refuse_chunk(place, "is damaged: its checksum is wrong");
    case TD_CHUNK_WHOLE:
        break;
    }
    if (chunk.kind != kind) {
        return td_refuse_chunk(place, "is missing: a chunk of another kind is there");
    }
    header->bytes = chunk.next;
    return TD_OK;
}

static td_result td_read_start(td_record_header *header, const td_chunk_source *source) {
    uint8_t start[TD_RECORD_START_BYTES];
    size_t got;
    TD_TRY(td_read_file_at(&got, source, 0, start, sizeof start));
    const size_t magic = got < TD_RECORD_MAGIC_BYTES ? got : TD_RECORD_MAGIC_BYTES;
    if (magic == 0 || memcmp(start, TD_RECORD_MAGIC, magic) != 0) {
        return td_fail(TD_ERROR_FORMAT, "%s: is no recording: expected a file that 'tandem simulate' wrote",
                       source->path);
    }
    if (got < sizeof start) {
        return td_fail(TD_ERROR_FORMAT, "%s: ends within its first %d bytes, expected a recording",
                       source->path, TD_RECORD_START_BYTES);
    }
    const uint64_t version = td_load_little(start + TD_RECORD_MAGIC_BYTES, 4);
    if (version != TD_RECORD_RIGID && version != TD_RECORD_SOFT) {
        return td_fail(TD_ERROR_FORMAT,
                       "%s: is a recording of version %llu; this program reads versions %d and %d (%s)",
                       source->path, (unsigned long long)version, TD_RECORD_RIGID, TD_RECORD_SOFT,
                       version < TD_RECORD_RIGID ? "record it again" : "a newer one wrote it");
    }
    header->format = (uint32_t)version;
    header->bytes = sizeof start;
    return TD_OK;
}

static td_result td_read_info(td_record_header *header, td_context *context, const td_chunk_source *source) {
    td_chunk_place place;
    TD_TRY(td_read_header_chunk(&place, &header->info_bytes, context, header, source, TD_CHUNK_INFO, "INFO"));
    td_byte_reader reader = td_read_bytes_of(&header->info_bytes);
    header->step = td_take_f64(&reader);
    bool finite = isfinite(header->step) && header->step > 0;
    for (int k = 0; k < 3; ++k) {
        header->grid.origin[k] = td_take_f64(&reader);
        finite = finite && isfinite(header->grid.origin[k]);
    }
    header->grid.unit = td_take_f64(&reader);
    finite = finite && isnormal(header->grid.unit) && header->grid.unit > 0;
    header->mesh_count = td_take_u32(&reader);
    header->body_count = td_take_u32(&reader);
    size_t length;
    header->version = td_take_text(&reader, &length);
    header->scene = td_take_text(&reader, &length);
    // A bit of the version that flipped must not make one of the other: it stands here again, guarded.
    if (header->format == TD_RECORD_SOFT && td_take_u32(&reader) != header->format) {
        return td_refuse_chunk(&place, "is not of the version that the file begins with");
    }
    if (reader.failed || td_bytes_left(&reader) > 0) {
        return td_refuse_chunk(&place, "has not the size that its counts and texts tell");
    }
    if (!finite) {
        return td_refuse_chunk(&place, "has a step or a grid that is not positive and finite");
    }
    return TD_OK;
}

static td_result td_read_text(td_record_header *header, td_context *context, const td_chunk_source *source) {
    td_chunk_place place;
    TD_TRY(
        td_read_header_chunk(&place, &header->text_bytes, context, header, source, TD_CHUNK_SCENE, "SCEN"));
    td_byte_reader reader = td_read_bytes_of(&header->text_bytes);
    size_t length;
    header->text = td_take_text(&reader, &length);
    if (reader.failed || td_bytes_left(&reader) > 0) {
        return td_refuse_chunk(&place, "has not the size of its text");
    }
    return TD_OK;
}

// ---------------------------------------------------------------------------------------------------------
// Meshes

static const char *td_take_positions(td_mesh_arrays *arrays, td_byte_reader *reader) {
    for (size_t i = 0; i < 3 * (size_t)arrays->vertex_count; ++i) {
        arrays->positions[i] = arrays->single_precision ? (double)td_take_f32(reader) : td_take_f64(reader);
        if (!isfinite(arrays->positions[i])) {
            return "has a coordinate that is not finite";
        }
    }
    return NULL;
}

static const char *td_take_triangles(td_mesh_arrays *arrays, td_byte_reader *reader) {
    for (size_t i = 0; i < 3 * (size_t)arrays->triangle_count; ++i) {
        arrays->triangles[i] = td_take_u32(reader);
        if (arrays->triangles[i] >= arrays->vertex_count) {
            return "has a triangle with a vertex that is not there";
        }
    }
    return NULL;
}

static td_result td_take_mesh(td_mesh_arrays *arrays, td_record_bytes *name, td_context *context,
                              td_byte_reader reader, const td_chunk_place *place) {
    size_t length;
    const char *text = td_take_text(&reader, &length);
    const uint32_t scalar = td_take_u32(&reader);
    const uint32_t vertices = td_take_u32(&reader), triangles = td_take_u32(&reader);
    const uint64_t vertex_bytes = scalar == TD_FLOAT32 ? 12 : 24;
    if (reader.failed || scalar > TD_FLOAT32 || triangles == 0 ||
        td_bytes_left(&reader) != vertices * vertex_bytes + 12 * (uint64_t)triangles) {
        return td_refuse_chunk(place, "has not the size that its counts and its name tell");
    }
    TD_TRY(td_array_reserve(context, name, length + 1));
    memcpy(name->items, text, length + 1);
    *arrays = (td_mesh_arrays){.vertex_count = vertices, .triangle_count = triangles};
    arrays->single_precision = scalar == TD_FLOAT32;
    arrays->positions = TD_NEW(context, double, 3 * (size_t)vertices);
    arrays->triangles = TD_NEW(context, uint32_t, 3 * (size_t)triangles);
    if (arrays->positions == NULL || arrays->triangles == NULL) {
        return TD_ERROR_MEMORY;
    }
    const char *wrong = td_take_positions(arrays, &reader);
    wrong = wrong != NULL ? wrong : td_take_triangles(arrays, &reader);
    return wrong != NULL ? td_refuse_chunk(place, wrong) : TD_OK;
}

static td_result td_make_room_for_meshes(td_record_header *header, td_context *context,
                                         const td_chunk_source *source) {
    // A count that the file cannot hold is not believed: it would cost memory before its first mesh is found
    // missing.
    if (header->mesh_count > (source->size - header->bytes) / TD_CHUNK_EXTRA_BYTES) {
        const td_chunk_place place = {source, "INFO", TD_RECORD_START_BYTES};
        return td_refuse_chunk(&place, "announces more meshes than the rest of the file has room for");
    }
    header->meshes = TD_NEW(context, td_mesh_arrays, header->mesh_count);
    header->mesh_names = TD_NEW(context, td_record_bytes, header->mesh_count);
    for (uint32_t i = 0; i < header->mesh_count; ++i) {
        if (header->meshes != NULL) {
            header->meshes[i] = (td_mesh_arrays){0};
        }
        if (header->mesh_names != NULL) {
            header->mesh_names[i] = (td_record_bytes){0};
        }
    }
    return header->meshes == NULL || header->mesh_names == NULL ? TD_ERROR_MEMORY : TD_OK;
}

static td_result td_read_meshes(td_record_header *header, td_context *context,
                                const td_chunk_source *source) {
    TD_TRY(td_make_room_for_meshes(header, context, source));
    td_record_bytes payload = {0};
    td_result result = TD_OK;
    for (uint32_t i = 0; i < header->mesh_count && result == TD_OK; ++i) {
        td_chunk_place place;
        result = td_read_header_chunk(&place, &payload, context, header, source, TD_CHUNK_MESH, "MESH");
        if (result == TD_OK) {
            result = td_take_mesh(&header->meshes[i], &header->mesh_names[i], context,
                                  td_read_bytes_of(&payload), &place);
        }
    }
    td_array_release(context, &payload);
    return result;
}

// ---------------------------------------------------------------------------------------------------------
// Bodies

// Frames have positions if there are soft bodies: so the versions must not be mixed up.
static td_result td_check_softness(const td_record_header *header, const td_chunk_place *place) {
    for (uint32_t i = 0; i < header->body_count; ++i) {
        if (header->bodies[i].kind == TD_BODY_SOFT) {
            return TD_OK;
        }
    }
    return header->format == TD_RECORD_SOFT
               ? td_refuse_chunk(place, "has no soft body, which recordings of version 3 have")
               : TD_OK;
}

static td_result td_read_bodies(td_record_header *header, td_context *context,
                                const td_chunk_source *source) {
    const size_t least_bytes = 1 + 4 + 8 + 1; // of a body without a name
    td_chunk_place place;
    TD_TRY(
        td_read_header_chunk(&place, &header->body_bytes, context, header, source, TD_CHUNK_BODIES, "BODY"));
    td_byte_reader reader = td_read_bytes_of(&header->body_bytes);
    if (header->body_count > td_bytes_left(&reader) / least_bytes) {
        return td_refuse_chunk(&place, "has less room than its bodies need");
    }
    header->bodies = TD_NEW(context, td_recorded_body, header->body_count);
    if (header->bodies == NULL) {
        return TD_ERROR_MEMORY;
    }
    for (uint32_t i = 0; i < header->body_count; ++i) {
        const uint8_t kind = td_take_u8(&reader);
        const uint32_t mesh = td_take_u32(&reader);
        size_t length;
        const char *name = td_take_text(&reader, &length);
        const double unit = kind == TD_BODY_SOFT ? td_take_f64(&reader) : 0;
        if (reader.failed || kind > (header->format == TD_RECORD_SOFT ? TD_BODY_SOFT : TD_BODY_DYNAMIC) ||
            mesh >= header->mesh_count) {
            return td_refuse_chunk(&place, "has a body of no known kind, without its mesh or its name");
        }
        if (kind == TD_BODY_SOFT && !(unit >= TD_UNIT_LEAST && unit <= TD_UNIT_MOST)) {
            return td_refuse_chunk(&place, "has a soft body whose unit is not positive and finite");
        }
        header->bodies[i] =
            (td_recorded_body){.kind = (td_body_kind)kind, .mesh = mesh, .name = name, .unit = unit};
    }
    if (td_bytes_left(&reader) > 0) {
        return td_refuse_chunk(&place, "goes on behind its last body");
    }
    return td_check_softness(header, &place);
}

td_result td_read_header(td_record_header *out, td_context *context, const td_chunk_source *source) {
    *out = (td_record_header){.version = "", .scene = "", .text = ""};
    TD_TRY(td_read_start(out, source));
    TD_TRY(td_read_info(out, context, source));
    TD_TRY(td_read_text(out, context, source));
    TD_TRY(td_read_meshes(out, context, source));
    return td_read_bodies(out, context, source);
}

void td_release_header(td_record_header *header, td_context *context) {
    td_array_release(context, &header->info_bytes);
    td_array_release(context, &header->text_bytes);
    td_array_release(context, &header->body_bytes);
    for (uint32_t i = 0; header->mesh_names != NULL && i < header->mesh_count; ++i) {
        td_array_release(context, &header->mesh_names[i]);
    }
    for (uint32_t i = 0; header->meshes != NULL && i < header->mesh_count; ++i) {
        td_release_mesh_arrays(&header->meshes[i], context);
    }
    TD_DELETE(context, td_record_bytes, header->mesh_names, header->mesh_count);
    TD_DELETE(context, td_mesh_arrays, header->meshes, header->mesh_count);
    TD_DELETE(context, td_recorded_body, header->bodies, header->body_count);
    header->mesh_names = NULL;
    header->meshes = NULL;
    header->bodies = NULL;
}
