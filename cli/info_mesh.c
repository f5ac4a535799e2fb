#include "info_mesh.h"

#include "json.h"
#include "message.h"
#include "table.h"

bool td_cli_inspect_mesh(td_cli_mesh_info *out, td_cli_session *session, const char *name) {
    td_cli_mesh loaded;
    if (!td_cli_load(&loaded, session, name, false)) {
        return false;
    }
    *out = (td_cli_mesh_info){.name = name, .load_ms = loaded.load_ms, .build_ms = loaded.build_ms};
    const bool inspected = td_inspect_mesh(&out->mesh, session->context, loaded.mesh) == TD_OK &&
                           td_inspect_hierarchy(&out->hierarchy, session->context, loaded.mesh) == TD_OK;
    if (!inspected) {
        td_cli_library_error(name);
    }
    td_cli_unload(&loaded);
    return inspected;
}

// What is merely noted about a mesh: the same list for people and for programs.
enum { TD_NOTES = 7 };
typedef struct td_note {
    const char *key, *one, *many;
    uint32_t count;
} td_note;

static void td_gather_notes(td_note notes[TD_NOTES], const td_mesh_report *mesh) {
    const td_note all[TD_NOTES] = {
        {"boundary_edges", "boundary edge (used by one triangle)", "boundary edges (used by one triangle)",
         mesh->boundary_edges},
        {"nonmanifold_edges", "non-manifold edge (used by more than two triangles)",
         "non-manifold edges (used by more than two triangles)", mesh->nonmanifold_edges},
        {"misoriented_edges", "edge between triangles of opposite orientation",
         "edges between triangles of opposite orientation", mesh->misoriented_edges},
        {"repeated_vertex", "triangle that names one position twice",
         "triangles that name one position twice", mesh->repeated_vertex},
        {"zero_area", "triangle of zero area on three distinct positions",
         "triangles of zero area on three distinct positions", mesh->zero_area},
        {"duplicate_triangles", "duplicate triangle", "duplicate triangles", mesh->duplicate_triangles},
        {"unreferenced_vertices", "vertex that no triangle uses", "vertices that no triangle uses",
         mesh->unreferenced_vertices},
    };
    for (int i = 0; i < TD_NOTES; ++i) {
        notes[i] = all[i];
    }
}

static double td_per_triangle(const td_cli_mesh_info *info, uint64_t bytes) {
    return (double)bytes / (double)info->mesh.triangles;
}

// ---------------------------------------------------------------------------------------------------------
// For programs

static void td_json_vector(td_cli_json *json, const char *key, const double vector[3]) {
    td_cli_json_array(json, key, TD_JSON_INLINE);
    for (int k = 0; k < 3; ++k) {
        td_cli_json_number(json, NULL, vector[k]);
    }
    td_cli_json_end(json);
}

static void td_json_hierarchy(td_cli_json *json, const td_cli_mesh_info *info) {
    const td_hierarchy_report *hierarchy = &info->hierarchy;
    td_cli_json_object(json, "hierarchy", TD_JSON_INLINE);
    td_cli_json_count(json, "blocks", hierarchy->blocks);
    td_cli_json_count(json, "leaf_blocks", hierarchy->leaf_blocks);
    td_cli_json_count(json, "quads", hierarchy->quads);
    td_cli_json_count(json, "imaginary_nodes", hierarchy->imaginary_nodes);
    td_cli_json_count(json, "height", hierarchy->height);
    td_cli_json_number(json, "sah_cost", hierarchy->sah_cost);
    td_cli_json_count(json, "mesh_bytes", hierarchy->mesh_bytes);
    td_cli_json_count(json, "hierarchy_bytes", hierarchy->hierarchy_bytes);
    td_cli_json_number(json, "bytes_per_triangle",
                       td_per_triangle(info, hierarchy->mesh_bytes + hierarchy->hierarchy_bytes));
    td_cli_json_end(json);
}

static void td_json_info(td_cli_json *json, const td_cli_mesh_info *info) {
    const td_mesh_report *mesh = &info->mesh;
    td_note notes[TD_NOTES];
    td_gather_notes(notes, mesh);
    td_cli_json_object(json, NULL, TD_JSON_LINES);
    td_cli_json_text(json, "name", info->name);
    td_cli_json_count(json, "vertices", mesh->vertices);
    td_cli_json_count(json, "distinct_positions", mesh->distinct_positions);
    td_cli_json_count(json, "triangles", mesh->triangles);
    td_cli_json_count(json, "components", mesh->components);
    td_cli_json_bool(json, "closed", mesh->closed);
    for (int i = 0; i < TD_NOTES; ++i) {
        td_cli_json_count(json, notes[i].key, notes[i].count);
    }
    td_json_vector(json, "lower", mesh->lower);
    td_json_vector(json, "upper", mesh->upper);
    td_cli_json_number(json, "area", mesh->area);
    td_cli_json_number(json, "volume", mesh->volume);
    td_json_hierarchy(json, info);
    td_cli_json_object(json, "ms", TD_JSON_INLINE);
    td_cli_json_number(json, "load", info->load_ms);
    td_cli_json_number(json, "build", info->build_ms);
    td_cli_json_end(json);
    td_cli_json_end(json);
}

static void td_infos_as_json(td_cli_output *output, const td_cli_mesh_info *infos, size_t count) {
    td_cli_json json = td_cli_json_begin(output);
    td_cli_json_object(&json, NULL, TD_JSON_LINES);
    td_cli_json_array(&json, "meshes", TD_JSON_LINES);
    for (size_t i = 0; i < count; ++i) {
        td_json_info(&json, &infos[i]);
    }
    td_cli_json_end(&json);
    td_cli_json_end(&json);
}

static void td_csv_info(td_cli_output *output, const td_cli_mesh_info *info) {
    const td_mesh_report *mesh = &info->mesh;
    const td_hierarchy_report *hierarchy = &info->hierarchy;
    td_note notes[TD_NOTES];
    td_gather_notes(notes, mesh);
    td_cli_put_csv(output, info->name);
    td_cli_print(output, ",%u,%u,%u,%u,%s", mesh->vertices, mesh->distinct_positions, mesh->triangles,
                 mesh->components, mesh->closed ? "true" : "false");
    for (int i = 0; i < TD_NOTES; ++i) {
        td_cli_print(output, ",%u", notes[i].count);
    }
    for (int k = 0; k < 3; ++k) {
        td_cli_print(output, ",%.17g", mesh->lower[k]);
    }
    for (int k = 0; k < 3; ++k) {
        td_cli_print(output, ",%.17g", mesh->upper[k]);
    }
    td_cli_print(output, ",%.17g,%.17g,%u,%u,%.17g,%.6g,%.6g,%.6g\n", mesh->area, mesh->volume,
                 hierarchy->blocks, hierarchy->height, hierarchy->sah_cost,
                 td_per_triangle(info, hierarchy->mesh_bytes + hierarchy->hierarchy_bytes), info->load_ms,
                 info->build_ms);
}

static void td_infos_as_csv(td_cli_output *output, const td_cli_mesh_info *infos, size_t count) {
    td_note notes[TD_NOTES];
    td_gather_notes(notes, &infos[0].mesh);
    td_cli_put(output, "name,vertices,distinct_positions,triangles,components,closed");
    for (int i = 0; i < TD_NOTES; ++i) {
        td_cli_print(output, ",%s", notes[i].key);
    }
    td_cli_put(output, ",lower_x,lower_y,lower_z,upper_x,upper_y,upper_z,area,volume,blocks,height,sah_cost,"
                       "bytes_per_triangle,load_ms,build_ms\n");
    for (size_t i = 0; i < count; ++i) {
        td_csv_info(output, &infos[i]);
    }
}

// ---------------------------------------------------------------------------------------------------------
// For people

static void td_table_counts(td_cli_table *table, const td_mesh_report *mesh) {
    char first[TD_CLI_NUMBER_SIZE], second[TD_CLI_NUMBER_SIZE];
    td_cli_table_cell(table, "triangles");
    td_cli_table_cell(table, "%s", td_cli_grouped(first, mesh->triangles));
    td_cli_table_cell(table, "vertices");
    td_cli_table_cell(table, "%s, at %s distinct position%s", td_cli_grouped(first, mesh->vertices),
                      td_cli_grouped(second, mesh->distinct_positions),
                      mesh->distinct_positions == 1 ? "" : "s");
    td_cli_table_cell(table, "components");
    td_cli_table_cell(table, "%s", td_cli_grouped(first, mesh->components));
}

// "closed" and then everything that is odd, in words; all of them keys of one column.
static void td_table_notes(td_cli_table *table, const td_mesh_report *mesh) {
    td_note notes[TD_NOTES];
    char number[TD_CLI_NUMBER_SIZE];
    td_gather_notes(notes, mesh);
    td_cli_table_cell(table, "notes");
    td_cli_table_cell(table, "%s", mesh->closed ? "closed" : "open: inside and outside are not defined");
    for (int i = 0; i < TD_NOTES; ++i) {
        if (notes[i].count > 0) {
            td_cli_table_cell(table, "%s", "");
            td_cli_table_cell(table, "%s %s", td_cli_grouped(number, notes[i].count),
                              notes[i].count == 1 ? notes[i].one : notes[i].many);
        }
    }
}

static void td_table_geometry(td_cli_table *table, const td_mesh_report *mesh) {
    td_cli_table_cell(table, "bounds");
    td_cli_table_cell(table, "(%.6g, %.6g, %.6g) to (%.6g, %.6g, %.6g)", mesh->lower[0], mesh->lower[1],
                      mesh->lower[2], mesh->upper[0], mesh->upper[1], mesh->upper[2]);
    td_cli_table_cell(table, "area");
    td_cli_table_cell(table, "%.6g", mesh->area);
    td_cli_table_cell(table, "volume");
    if (!mesh->closed) {
        td_cli_table_cell(table, "none: the mesh is open");
    } else if (mesh->misoriented_edges > 0) {
        td_cli_table_cell(table, "none: the mesh is not consistently oriented");
    } else {
        td_cli_table_cell(table, "%.6g%s", mesh->volume, mesh->volume < 0 ? " (turned inside out)" : "");
    }
}

static void td_table_hierarchy(td_cli_table *table, const td_cli_mesh_info *info) {
    const td_hierarchy_report *hierarchy = &info->hierarchy;
    char first[TD_CLI_NUMBER_SIZE], second[TD_CLI_NUMBER_SIZE];
    td_cli_table_cell(table, "hierarchy");
    td_cli_table_cell(
        table, "%s block%s, %s of them leaves, height %u, %.1f%% of the nodes imaginary, SAH cost %.4g",
        td_cli_grouped(first, hierarchy->blocks), hierarchy->blocks == 1 ? "" : "s",
        td_cli_grouped(second, hierarchy->leaf_blocks), hierarchy->height,
        25.0 * hierarchy->imaginary_nodes / hierarchy->blocks, hierarchy->sah_cost);
    td_cli_table_cell(table, "memory");
    td_cli_table_cell(table, "%.1f bytes per triangle: mesh %.1f, hierarchy %.1f",
                      td_per_triangle(info, hierarchy->mesh_bytes + hierarchy->hierarchy_bytes),
                      td_per_triangle(info, hierarchy->mesh_bytes),
                      td_per_triangle(info, hierarchy->hierarchy_bytes));
    td_cli_table_cell(table, "time");
    td_cli_table_cell(table, "load %s, build %s", td_cli_time(first, info->load_ms),
                      td_cli_time(second, info->build_ms));
}

static void td_infos_as_table(td_cli_output *output, const td_cli_mesh_info *infos, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        if (i > 0) {
            td_cli_put(output, "\n");
        }
        td_cli_table title = td_cli_table_begin("l");
        td_cli_table_cell(&title, "%s", infos[i].name);
        td_cli_table_end(&title, output, 0);
        td_cli_table table = td_cli_table_begin("ll");
        td_table_counts(&table, &infos[i].mesh);
        td_table_notes(&table, &infos[i].mesh);
        td_table_geometry(&table, &infos[i].mesh);
        td_table_hierarchy(&table, &infos[i]);
        td_cli_table_end(&table, output, 2);
    }
}

void td_cli_write_mesh_infos(td_cli_session *session, const td_cli_mesh_info *infos, size_t count) {
    if (session->format == TD_CLI_JSON) {
        td_infos_as_json(session->output, infos, count);
    } else if (session->format == TD_CLI_CSV) {
        td_infos_as_csv(session->output, infos, count);
    } else {
        td_infos_as_table(session->output, infos, count);
    }
}
