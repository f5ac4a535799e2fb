// What a soft body of a scene is made of, and which of its vertices stay where they are.
#include "../core/error.h"
#include "../mesh/edges.h"
#include "../query/mesh.h"
#include "scene.h"

static const char *const td_soft_keys[] = {"thickness", "stretch", "shear", "bend",
                                           "pressure",  "damping", "pins",  NULL};
static const char *const td_pin_keys[] = {"vertices", "box", "corners", "border", NULL};

static td_result td_add_pin(td_scene_pins *pins, td_context *context, uint32_t vertex) {
    TD_TRY(td_array_reserve(context, pins, 1));
    pins->items[pins->count++] = vertex;
    return TD_OK;
}

static td_result td_pin_vertices(td_scene_pins *pins, td_context *context, const td_json *list,
                                 uint32_t vertex_count) {
    TD_TRY(td_json_check_array(list));
    td_json item = {0};
    while (td_json_next(&item, list)) {
        uint32_t vertex;
        TD_TRY(td_json_count(&vertex, &item, 0, vertex_count - 1));
        TD_TRY(td_add_pin(pins, context, vertex));
    }
    return TD_OK;
}

// Lower and upper corner, in the coordinates of the mesh.
static td_result td_pin_box(td_scene_pins *pins, td_context *context, const td_json *box,
                            const td_trimesh *mesh) {
    double corners[2][3];
    if (!cJSON_IsArray(box->item) || cJSON_GetArraySize(box->item) != 2) {
        return td_json_fail(box, "expected two corners of a box, three numbers each");
    }
    td_json corner = {0};
    while (td_json_next(&corner, box)) {
        TD_TRY(td_json_numbers(corners[corner.index], 3, &corner, &td_json_any));
    }
    const size_t before = pins->count;
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        const td_vec3 p = td_trimesh_vertex(mesh, v);
        const double at[3] = {p.x, p.y, p.z};
        bool within = true;
        for (int k = 0; k < 3; ++k) {
            within = within && corners[0][k] <= at[k] && at[k] <= corners[1][k];
        }
        TD_TRY(within ? td_add_pin(pins, context, v) : TD_OK);
    }
    return pins->count > before ? TD_OK : td_json_fail(box, "no vertex of the mesh is in this box");
}

// Those at the end of the mesh's box in every direction in which it has an extent.
static td_result td_pin_corners(td_scene_pins *pins, td_context *context, const td_json *corners,
                                const td_trimesh *mesh) {
    const size_t before = pins->count;
    const double lower[3] = {mesh->lower.x, mesh->lower.y, mesh->lower.z},
                 upper[3] = {mesh->upper.x, mesh->upper.y, mesh->upper.z};
    double size = 0;
    for (int k = 0; k < 3; ++k) {
        size = upper[k] - lower[k] > size ? upper[k] - lower[k] : size;
    }
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        const td_vec3 p = td_trimesh_vertex(mesh, v);
        const double at[3] = {p.x, p.y, p.z}, near = 1e-9 * size;
        bool corner = true;
        for (int k = 0; k < 3; ++k) {
            corner = corner && (at[k] - lower[k] <= near || upper[k] - at[k] <= near);
        }
        TD_TRY(corner ? td_add_pin(pins, context, v) : TD_OK);
    }
    return pins->count > before ? TD_OK
                                : td_json_fail(corners, "no vertex of the mesh is at a corner of its box");
}

// Both ends of every edge that one triangle uses.
static td_result td_pin_border(td_scene_pins *pins, td_context *context, const td_json *border,
                               const td_trimesh *mesh) {
    td_edge_table table;
    const size_t before = pins->count;
    TD_TRY(
        td_edge_table_create(&table, context, mesh->indices, mesh->triangle_count, NULL, mesh->vertex_count));
    td_result result = TD_OK;
    for (uint32_t v = 0; result == TD_OK && v < mesh->vertex_count; ++v) {
        for (uint32_t i = table.first[v]; result == TD_OK && i < table.first[v + 1]; ++i) {
            uint32_t uses = 0;
            for (uint32_t k = table.first[v]; k < table.first[v + 1]; ++k) {
                uses += table.uses[k] / 2 == table.uses[i] / 2;
            }
            if (uses == 1) {
                result = td_add_pin(pins, context, v);
                result = result == TD_OK ? td_add_pin(pins, context, table.uses[i] / 2) : result;
            }
        }
    }
    td_edge_table_destroy(&table, context);
    TD_TRY(result);
    return pins->count > before ? TD_OK : td_json_fail(border, "the mesh is closed: it has no border");
}

static td_result td_read_pins(td_scene_pins *pins, td_context *context, const td_json *value,
                              const td_mesh *mesh) {
    const td_trimesh *triangles = &mesh->triangles;
    if (cJSON_IsArray(value->item)) {
        return td_pin_vertices(pins, context, value, triangles->vertex_count);
    }
    TD_TRY(td_json_check_object(value, td_pin_keys));
    td_json item;
    if (td_json_get(&item, value, "vertices")) {
        TD_TRY(td_pin_vertices(pins, context, &item, triangles->vertex_count));
    }
    if (td_json_get(&item, value, "box")) {
        TD_TRY(td_pin_box(pins, context, &item, triangles));
    }
    bool corners = false, border = false;
    TD_TRY(td_json_optional_bool(&corners, value, "corners"));
    TD_TRY(td_json_optional_bool(&border, value, "border"));
    if (corners && td_json_get(&item, value, "corners")) {
        TD_TRY(td_pin_corners(pins, context, &item, triangles));
    }
    if (border && td_json_get(&item, value, "border")) {
        TD_TRY(td_pin_border(pins, context, &item, triangles));
    }
    return TD_OK;
}

td_result td_read_soft(td_body_def *out, td_soft_def *soft, td_scene_pins *pins, td_context *context,
                       const td_json *body) {
    td_json value;
    const bool given = td_json_get(&value, body, "soft");
    if (given && out->kind != TD_BODY_SOFT) {
        return td_json_fail(&value, "expected it of a body of the kind \"soft\" only");
    }
    *soft = td_default_soft_def();
    if (out->kind != TD_BODY_SOFT) {
        return TD_OK;
    }
    out->soft = soft;
    if (!given) {
        return TD_OK;
    }
    TD_TRY(td_json_check_object(&value, td_soft_keys));
    TD_TRY(td_json_optional_number(&soft->thickness, &value, "thickness", &td_json_positive));
    TD_TRY(td_json_optional_number(&soft->stretch, &value, "stretch", &td_json_positive));
    TD_TRY(td_json_optional_number(&soft->shear, &value, "shear", &td_json_not_negative));
    TD_TRY(td_json_optional_number(&soft->bend, &value, "bend", &td_json_not_negative));
    TD_TRY(td_json_optional_number(&soft->pressure, &value, "pressure", &td_json_not_negative));
    TD_TRY(td_json_optional_number(&soft->damping, &value, "damping", &td_json_not_negative));
    td_json held;
    if (td_json_get(&held, &value, "pins")) {
        TD_TRY(td_read_pins(pins, context, &held, out->mesh));
    }
    soft->pins = pins->items;
    soft->pin_count = pins->count;
    return TD_OK;
}
