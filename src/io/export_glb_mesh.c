#include "../core/error.h"
#include "export_glb.h"
#include "export_shading.h"

#include <math.h>

// sRGB. Colours that are told apart on grey, by people who do not see all of them as well.
static const uint32_t td_palette[TD_GLB_COLOURS] = {0x9a9a96, 0x4477aa, 0xee8866, 0x44aa77, 0xddcc77,
                                                    0xaa4466, 0x77bbdd, 0x997755, 0xbbaaee};

// Grey for what never moves; the others in no order that a grid of bodies could repeat.
static uint32_t td_colour_of_body(const td_recorded_body *recorded, uint32_t body) {
    return recorded->kind == TD_BODY_STATIC ? 0 : 1 + (uint32_t)(body * 2654435761u >> 29);
}

static double td_linear_light(uint32_t srgb) {
    const double value = (double)srgb / 255;
    return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4);
}

static uint32_t td_glb_material(td_glb_meshes *meshes, td_gltf *gltf, uint32_t colour, bool both_sides) {
    uint32_t *place = &meshes->materials[colour][both_sides];
    if (*place > 0) {
        return *place - 1;
    }
    const double shade[4] = {td_linear_light(td_palette[colour] >> 16 & 255),
                             td_linear_light(td_palette[colour] >> 8 & 255),
                             td_linear_light(td_palette[colour] & 255), 1};
    cJSON *material = td_gltf_entry(gltf, TD_GLTF_MATERIALS);
    cJSON *surface = td_gltf_object(gltf, material, "pbrMetallicRoughness");
    td_gltf_numbers(gltf, surface, "baseColorFactor", shade, 4);
    td_gltf_number(gltf, surface, "metallicFactor", 0);
    td_gltf_number(gltf, surface, "roughnessFactor", 0.7);
    if (both_sides) {
        td_gltf_true(gltf, material, "doubleSided");
    }
    *place = gltf->counts[TD_GLTF_MATERIALS];
    return *place - 1;
}

// ---------------------------------------------------------------------------------------------------------
// Numbers

static td_result td_append_positions(uint32_t *out, td_gltf *gltf, const td_shaded_mesh *mesh) {
    double lower[3] = {INFINITY, INFINITY, INFINITY}, upper[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t i = 0; i < 3 * (size_t)mesh->vertex_count; ++i) {
        lower[i % 3] = fmin(lower[i % 3], (double)mesh->positions[i]);
        upper[i % 3] = fmax(upper[i % 3], (double)mesh->positions[i]);
    }
    const size_t start = gltf->bytes.count;
    TD_TRY(td_gltf_append_floats(gltf, mesh->positions, 3 * (size_t)mesh->vertex_count));
    const td_gltf_accessor accessor = {.view = td_gltf_view(gltf, start, TD_GLTF_VERTICES, 12),
                                       .component = TD_GLTF_FLOAT,
                                       .count = mesh->vertex_count,
                                       .type = "VEC3",
                                       .lower = lower,
                                       .upper = upper,
                                       .bounds = 3};
    *out = td_gltf_add_accessor(gltf, &accessor);
    return TD_OK;
}

static td_result td_append_normals(uint32_t *out, td_gltf *gltf, const td_shaded_mesh *mesh) {
    const size_t start = gltf->bytes.count;
    TD_TRY(td_gltf_append_floats(gltf, mesh->normals, 3 * (size_t)mesh->vertex_count));
    const td_gltf_accessor accessor = {.view = td_gltf_view(gltf, start, TD_GLTF_VERTICES, 12),
                                       .component = TD_GLTF_FLOAT,
                                       .count = mesh->vertex_count,
                                       .type = "VEC3"};
    *out = td_gltf_add_accessor(gltf, &accessor);
    return TD_OK;
}

// In 16 bits if all vertices can be named so: 65535 is kept for other uses.
td_result td_append_corners(uint32_t *out, td_gltf *gltf, const uint32_t *corners, uint32_t triangle_count,
                            uint32_t vertex_count) {
    const size_t start = gltf->bytes.count, count = 3 * (size_t)triangle_count;
    const bool small = vertex_count <= UINT16_MAX;
    TD_TRY(small ? td_gltf_append_shorts(gltf, corners, count) : td_gltf_append_ints(gltf, corners, count));
    const td_gltf_accessor accessor = {.view = td_gltf_view(gltf, start, TD_GLTF_CORNERS, 0),
                                       .component = small ? TD_GLTF_UNSIGNED_SHORT : TD_GLTF_UNSIGNED_INT,
                                       .count = count,
                                       .type = "SCALAR"};
    *out = td_gltf_add_accessor(gltf, &accessor);
    return TD_OK;
}

static td_result td_append_shape(td_glb_shape *shape, td_gltf *gltf, const td_shaded_mesh *mesh) {
    TD_TRY(td_append_positions(&shape->positions, gltf, mesh));
    TD_TRY(td_append_normals(&shape->normals, gltf, mesh));
    TD_TRY(td_append_corners(&shape->corners, gltf, mesh->corners, mesh->triangle_count, mesh->vertex_count));
    shape->closed = mesh->closed;
    shape->rounding = mesh->rounding;
    shape->written = true;
    return TD_OK;
}

static td_result td_write_shape(td_glb_shape *shape, td_gltf *gltf, td_export *task, uint32_t mesh) {
    td_shaded_mesh shaded;
    td_result result = td_shade_mesh(&shaded, task->context, td_recording_mesh(task->recording, mesh));
    if (result != TD_OK) {
        return td_fail_within(result, td_recording_mesh_name(task->recording, mesh));
    }
    result = td_append_shape(shape, gltf, &shaded);
    td_release_shaded_mesh(&shaded, task->context);
    ++task->report.meshes;
    return result;
}

// ---------------------------------------------------------------------------------------------------------

td_result td_begin_glb_meshes(td_glb_meshes *out, const td_export *task) {
    *out = (td_glb_meshes){.count = task->info.meshes};
    out->shapes = TD_NEW(task->context, td_glb_shape, out->count);
    for (uint32_t i = 0; out->shapes != NULL && i < out->count; ++i) {
        out->shapes[i] = (td_glb_shape){0};
    }
    for (uint32_t i = 0; out->shapes != NULL && i < out->count; ++i) {
        const char *name = td_recording_mesh_name(task->recording, i);
        TD_TRY(td_add_export_name(&out->names, task->context, name, "mesh"));
    }
    return out->shapes != NULL ? TD_OK : TD_ERROR_MEMORY;
}

void td_release_glb_meshes(td_glb_meshes *meshes, td_context *context) {
    TD_DELETE(context, td_glb_shape, meshes->shapes, meshes->count);
    td_release_export_names(&meshes->names, context);
    meshes->shapes = NULL;
}

cJSON *td_add_glb_primitive(uint32_t *out, td_glb_meshes *meshes, td_gltf *gltf,
                            const td_recorded_body *recorded, uint32_t body, bool closed) {
    const uint32_t material = td_glb_material(meshes, gltf, td_colour_of_body(recorded, body), !closed);
    *out = gltf->counts[TD_GLTF_MESHES];
    cJSON *mesh = td_gltf_entry(gltf, TD_GLTF_MESHES);
    td_gltf_text(gltf, mesh, "name", td_export_name(&meshes->names, recorded->mesh));
    cJSON *primitive = td_gltf_object(gltf, td_gltf_array(gltf, mesh, "primitives"), NULL);
    td_gltf_number(gltf, primitive, "material", material);
    return primitive;
}

td_result td_glb_mesh_of_body(uint32_t *out, td_glb_meshes *meshes, td_gltf *gltf, td_export *task,
                              uint32_t body) {
    const td_recorded_body recorded = td_recording_body(task->recording, body);
    const uint32_t colour = td_colour_of_body(&recorded, body);
    td_glb_shape *shape = &meshes->shapes[recorded.mesh];
    if (!shape->written) {
        TD_TRY(td_write_shape(shape, gltf, task, recorded.mesh));
    }
    if (shape->coloured[colour] == 0) {
        cJSON *primitive = td_add_glb_primitive(out, meshes, gltf, &recorded, body, shape->closed);
        cJSON *attributes = td_gltf_object(gltf, primitive, "attributes");
        td_gltf_number(gltf, attributes, "POSITION", shape->positions);
        td_gltf_number(gltf, attributes, "NORMAL", shape->normals);
        td_gltf_number(gltf, primitive, "indices", shape->corners);
        shape->coloured[colour] = *out + 1;
    }
    *out = shape->coloured[colour] - 1;
    return TD_OK;
}
