// The linear builder on a device (kernels/build_linear.cl), from the positions of the vertices to the tree;
// crowded cells are built natively, when the rest of the tree is back.
#include "../core/error.h"
#include "../core/memory.h"
#include "build_device.h"
#include "build_linear.h"
#include "build_unit.h"
#include "morton.h"
#include "refit.h"

#include <stdio.h>

enum {
    TD_GROUP = 64,
    TD_DIGIT_BITS = 4, // per pass of the sort: a work-item counts 16 digits in its own memory
    TD_DIGITS = 1 << TD_DIGIT_BITS,
    TD_RUN = 64 // items in the run of a work-item
};

typedef struct td_linear_on_device {
    td_build_on_device *build;
    td_device *device;
    td_tree_rules rules;
    uint32_t count;
    td_device_buffer corners, triangles; // three double per vertex, three indices per triangle
    td_device_buffer codes, spare, counts, nodes;
    td_device_buffer units, next; // of this level, and of the one below
} td_linear_on_device;

static td_result td_run_linear(const td_linear_on_device *linear, const char *name, uint32_t items,
                               const td_kernel_argument *arguments, uint32_t argument_count) {
    char options[64];
    const td_kernel *kernel;
    snprintf(options, sizeof options, "-DTD_DIGIT_BITS=%d -DTD_RUN=%d", TD_DIGIT_BITS, TD_RUN);
    TD_TRY(td_find_kernel(&kernel, linear->device, "build_linear", options, name));
    return td_run_kernel(linear->device, kernel, items, TD_GROUP, arguments, argument_count,
                         TD_STAGE_HIERARCHY);
}

// ---------------------------------------------------------------------------------------------------------
// Codes

static td_result td_write_corners(td_linear_on_device *linear, const td_trimesh *mesh) {
    const size_t bytes = mesh->vertex_count * sizeof(td_vec3);
    td_vec3 *corners = TD_NEW(mesh->context, td_vec3, mesh->vertex_count);
    if (corners == NULL) {
        return TD_ERROR_MEMORY;
    }
    for (uint32_t i = 0; i < mesh->vertex_count; ++i) {
        corners[i] = td_trimesh_vertex(mesh, i);
    }
    td_result result = td_buffer_reserve(linear->device, &linear->corners, bytes, 0);
    if (result == TD_OK) {
        result = td_buffer_write(linear->device, &linear->corners, 0, corners, bytes);
    }
    TD_DELETE(mesh->context, td_vec3, corners, mesh->vertex_count);
    return result;
}

static td_result td_code(td_linear_on_device *linear, const td_blocked *frame, const td_trimesh *mesh) {
    const size_t bytes = 3 * (size_t)linear->count * sizeof *mesh->indices;
    const td_morton morton = td_choose_morton(frame->half);
    const td_local_frame local = td_local_frame_of(frame);
    TD_TRY(td_write_corners(linear, mesh));
    TD_TRY(td_buffer_reserve(linear->device, &linear->triangles, bytes, 0));
    TD_TRY(td_buffer_write(linear->device, &linear->triangles, 0, mesh->indices, bytes));
    const td_kernel_argument arguments[6] = {TD_ARG_BUFFER(&linear->codes),
                                             TD_ARG_BUFFER(&linear->triangles),
                                             TD_ARG_BUFFER(&linear->corners),
                                             TD_ARG_VALUE(linear->count),
                                             TD_ARG_VALUE(local),
                                             TD_ARG_VALUE(morton)};
    return td_run_linear(linear, "td_code_triangles", linear->count, arguments, 6);
}

static td_result td_sort(td_linear_on_device *linear) {
    const uint32_t runs = linear->count / TD_RUN + (linear->count % TD_RUN != 0);
    if (runs > UINT32_MAX / TD_DIGITS) {
        return td_fail(TD_ERROR_UNSUPPORTED, "%u triangles are more than a device sorts", linear->count);
    }
    TD_TRY(td_buffer_reserve(linear->device, &linear->counts, (size_t)runs * TD_DIGITS * sizeof runs, 0));
    for (uint32_t shift = 0; shift < TD_MORTON_BITS; shift += TD_DIGIT_BITS) {
        const td_kernel_argument to_count[5] = {TD_ARG_BUFFER(&linear->counts), TD_ARG_BUFFER(&linear->codes),
                                                TD_ARG_VALUE(linear->count), TD_ARG_VALUE(shift),
                                                TD_ARG_VALUE(runs)};
        const td_kernel_argument to_move[6] = {
            TD_ARG_BUFFER(&linear->spare), TD_ARG_BUFFER(&linear->codes), TD_ARG_BUFFER(&linear->counts),
            TD_ARG_VALUE(linear->count),   TD_ARG_VALUE(shift),           TD_ARG_VALUE(runs)};
        TD_TRY(td_run_linear(linear, "td_count_digits", runs, to_count, 5));
        TD_TRY(td_device_scan(linear->device, &linear->counts, runs * TD_DIGITS, NULL));
        TD_TRY(td_run_linear(linear, "td_move_items", runs, to_move, 6));
        const td_device_buffer moved = linear->spare;
        linear->spare = linear->codes;
        linear->codes = moved;
    }
    return TD_OK;
}

// ---------------------------------------------------------------------------------------------------------
// The tree

// Cuts `count` units; those that follow take their place. Sets *next to their number.
static td_result td_cut_level(td_linear_on_device *linear, uint32_t count, uint32_t *next) {
    TD_TRY(td_buffer_reserve(linear->device, &linear->counts, count * sizeof count, 0));
    const td_kernel_argument to_cut[6] = {
        TD_ARG_BUFFER(&linear->units), TD_ARG_VALUE(count),           TD_ARG_BUFFER(&linear->counts),
        TD_ARG_BUFFER(&linear->codes), TD_ARG_BUFFER(&linear->nodes), TD_ARG_VALUE(linear->rules),
    };
    TD_TRY(td_run_linear(linear, "td_cut_units", count, to_cut, 6));
    TD_TRY(td_device_scan(linear->device, &linear->counts, count, next));
    if (*next == 0) {
        return TD_OK;
    }
    TD_TRY(td_buffer_reserve(linear->device, &linear->next, *next * sizeof(td_build_unit), 0));
    const td_kernel_argument to_add[4] = {TD_ARG_BUFFER(&linear->next), TD_ARG_BUFFER(&linear->units),
                                          TD_ARG_VALUE(count), TD_ARG_BUFFER(&linear->counts)};
    TD_TRY(td_run_linear(linear, "td_add_halves", count, to_add, 4));
    const td_device_buffer added = linear->next;
    linear->next = linear->units;
    linear->units = added;
    return TD_OK;
}

static td_result td_cut_all(td_linear_on_device *linear) {
    const td_build_unit root = {.count = linear->count};
    TD_TRY(td_buffer_reserve(linear->device, &linear->units, sizeof root, 0));
    TD_TRY(td_buffer_write(linear->device, &linear->units, 0, &root, sizeof root));
    for (uint32_t count = 1, next; count > 0; count = next) {
        TD_TRY(td_cut_level(linear, count, &next));
        linear->build->rounds++;
    }
    return TD_OK;
}

// ---------------------------------------------------------------------------------------------------------

static td_result td_build_all(td_linear_on_device *linear, td_tree_node *nodes, td_coded *codes,
                              const td_blocked *frame, const td_trimesh *mesh) {
    td_device *device = linear->device;
    const uint32_t count = linear->count;
    const size_t code_bytes = count * sizeof(td_coded);
    const size_t node_bytes = (2 * (size_t)count - 1) * sizeof(td_tree_node);
    TD_TRY(td_buffer_reserve(device, &linear->codes, code_bytes, 0));
    TD_TRY(td_buffer_reserve(device, &linear->spare, code_bytes, 0));
    TD_TRY(td_buffer_reserve(device, &linear->nodes, node_bytes, 0));
    TD_TRY(td_code(linear, frame, mesh));
    TD_TRY(td_sort(linear));
    TD_TRY(td_report_device_build(linear->build, 0, count));
    TD_TRY(td_cut_all(linear));
    TD_TRY(td_buffer_read(device, nodes, &linear->nodes, 0, node_bytes));
    TD_TRY(td_buffer_read(device, codes, &linear->codes, 0, code_bytes));
    TD_TRY(td_build_crowded_cells(nodes, codes, frame, mesh, linear->rules));
    return td_report_device_build(linear->build, count, count);
}

td_result td_build_linear_on_device(td_tree_node *nodes, td_coded *codes, const td_blocked *frame,
                                    const td_trimesh *mesh, td_tree_rules rules, td_build_on_device *build) {
    TD_TRY(td_check_device_build(build, rules));
    td_linear_on_device linear = {
        .build = build, .device = build->device, .rules = rules, .count = mesh->triangle_count};
    build->rounds = 0;
    const td_result result = td_build_all(&linear, nodes, codes, frame, mesh);
    td_device_buffer *buffers[8] = {&linear.corners, &linear.triangles, &linear.codes, &linear.spare,
                                    &linear.counts,  &linear.nodes,     &linear.units, &linear.next};
    for (int i = 0; i < 8; ++i) {
        td_buffer_release(build->device, buffers[i]);
    }
    return result;
}
