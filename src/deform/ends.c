#include "ends.h"

#include "../core/context.h"
#include "../core/error.h"
#include "../core/memory.h"
#include "../core/tasks.h"
#include "../math/f4.h"
#include "../traverse/swept_lanes.h"

enum { TD_CHUNK_OF_POINTS = 8192, TD_CHUNK_OF_QUADS = 1024, TD_CHUNK_OF_BLOCKS = 512 };

// Beyond all that is within [-1, 1], and differences of it are finite.
static const float td_far_away = 1e30f;

// Local coordinates err by 2^-53 and by their conversion to float32, 2^-25 of at most 1; taking this off errs
// as much again.
static const float td_box_slack = 0x1p-23f;

static inline td_f4 td_local_point(const td_swept_frame *frame, td_vec3 x) {
    const td_vec3 p = td_swept_local(frame, x);
    return td_f4_set((float)p.x, (float)p.y, (float)p.z, 0);
}

static void td_fit_points(const td_ends_fitting *fitting, uint32_t first, uint32_t end) {
    for (uint32_t v = first; v < end; ++v) {
        if (fitting->marked_only && !(fitting->marks[v] & 1)) {
            continue;
        }
        for (int t = 0; t < 2; ++t) {
            td_f4_store(fitting->ends->points[v].at[t],
                        td_local_point(&fitting->frame, fitting->paths[v].at[t]));
        }
    }
}

// ---------------------------------------------------------------------------------------------------------
// Quads

static float td_local_margin(const td_ends_fitting *fitting) {
    const double margin = fitting->margin * fitting->frame.scale[0] * fitting->frame.scale[1];
    return (float)(margin * (1 + 0x1p-20)) + td_box_slack;
}

static uint32_t td_marked_cells(const td_ends_fitting *fitting, uint32_t index) {
    const uint8_t *marks = fitting->marks;
    uint32_t marked = 0;
    for (uint32_t lane = 0; marks != NULL && lane < fitting->ends->quads[index].lane_count; ++lane) {
        const uint32_t *v = fitting->ends->cells[4 * (size_t)index + lane].vertex;
        marked |= ((uint32_t)(marks[v[0]] | marks[v[1]] | marks[v[2]]) & 1u) << lane;
    }
    return marked;
}

static void td_fit_quad(const td_ends_fitting *fitting, uint32_t index, float margin) {
    const td_ends *ends = fitting->ends;
    td_ends_quad *quad = &ends->quads[index];
    quad->marked = td_marked_cells(fitting, index);
    for (uint32_t lane = 0; lane < quad->lane_count; ++lane) {
        if (fitting->marked_only && !(quad->marked >> lane & 1u)) {
            continue;
        }
        const uint32_t *v = ends->cells[4 * (size_t)index + lane].vertex;
        for (int t = 0; t < 2; ++t) {
            const td_f4 p = td_f4_load(ends->points[v[0]].at[t]), q = td_f4_load(ends->points[v[1]].at[t]),
                        r = td_f4_load(ends->points[v[2]].at[t]);
            _Alignas(16) float lower[4], upper[4];
            td_f4_store(lower, td_f4_sub(td_f4_min(p, td_f4_min(q, r)), td_f4_set1(margin)));
            td_f4_store(upper, td_f4_add(td_f4_max(p, td_f4_max(q, r)), td_f4_set1(margin)));
            for (int k = 0; k < 3; ++k) {
                quad->boxes.lower[t][k][lane] = lower[k];
                quad->boxes.upper[t][k][lane] = upper[k];
            }
        }
    }
}

static void td_fit_quads(const td_ends_fitting *fitting, uint32_t first, uint32_t end) {
    const float margin = td_local_margin(fitting);
    for (uint32_t q = first; q < end; ++q) {
        td_fit_quad(fitting, q, margin);
    }
}

// ---------------------------------------------------------------------------------------------------------
// Blocks

static inline float td_least_of(const float in[4]) {
    const float a = in[0] < in[1] ? in[0] : in[1], b = in[2] < in[3] ? in[2] : in[3];
    return a < b ? a : b;
}

static inline float td_most_of(const float in[4]) {
    const float a = in[0] > in[1] ? in[0] : in[1], b = in[2] > in[3] ? in[2] : in[3];
    return a > b ? a : b;
}

// Lanes that are not there are far away in the wrong direction, so they need not be left out.
static void td_put_sum(td_ends_boxes *out, int lane, const td_ends_boxes *in) {
    for (int t = 0; t < 2; ++t) {
        for (int k = 0; k < 3; ++k) {
            out->lower[t][k][lane] = td_least_of(in->lower[t][k]);
            out->upper[t][k][lane] = td_most_of(in->upper[t][k]);
        }
    }
}

static void td_fit_block(const td_ends_fitting *fitting, td_ends_block *block) {
    const td_ends *ends = fitting->ends;
    block->marked = 0;
    for (uint32_t lane = 0; lane < block->node_count; ++lane) {
        const uint32_t child = block->child[lane];
        const td_ends_boxes *below = block->leaf ? &ends->quads[child].boxes : &ends->blocks[child].boxes;
        const uint32_t marked = block->leaf ? ends->quads[child].marked : ends->blocks[child].marked;
        if (marked != 0 || !fitting->marked_only) {
            td_put_sum(&block->boxes, (int)lane, below);
        }
        block->marked |= (uint32_t)(marked != 0) << lane;
    }
}

static void td_fit_leaves(const td_ends_fitting *fitting, uint32_t first, uint32_t end) {
    for (uint32_t b = first; b < end; ++b) {
        if (fitting->ends->blocks[b].leaf) {
            td_fit_block(fitting, &fitting->ends->blocks[b]);
        }
    }
}

// Parents stand before children.
static void td_fit_parents(const td_ends_fitting *fitting) {
    for (uint32_t b = fitting->ends->block_count; b-- > 0;) {
        if (!fitting->ends->blocks[b].leaf) {
            td_fit_block(fitting, &fitting->ends->blocks[b]);
        }
    }
}

// ---------------------------------------------------------------------------------------------------------

void td_ends_fit(const td_ends_fitting *fitting) {
    td_fit_points(fitting, 0, fitting->ends->vertex_count);
    td_fit_quads(fitting, 0, fitting->ends->quad_count);
    td_fit_leaves(fitting, 0, fitting->ends->block_count);
    td_fit_parents(fitting);
}

static uint32_t td_end_of_chunk(uint32_t first, uint32_t size, uint32_t count) {
    return count - first < size ? count : first + size;
}

static void td_fit_points_task(uint32_t item, void *payload) {
    const td_ends_fitting *fitting = payload;
    const uint32_t first = item * TD_CHUNK_OF_POINTS;
    td_fit_points(fitting, first, td_end_of_chunk(first, TD_CHUNK_OF_POINTS, fitting->ends->vertex_count));
}

static void td_fit_quads_task(uint32_t item, void *payload) {
    const td_ends_fitting *fitting = payload;
    const uint32_t first = item * TD_CHUNK_OF_QUADS;
    td_fit_quads(fitting, first, td_end_of_chunk(first, TD_CHUNK_OF_QUADS, fitting->ends->quad_count));
}

static void td_fit_leaves_task(uint32_t item, void *payload) {
    const td_ends_fitting *fitting = payload;
    const uint32_t first = item * TD_CHUNK_OF_BLOCKS;
    td_fit_leaves(fitting, first, td_end_of_chunk(first, TD_CHUNK_OF_BLOCKS, fitting->ends->block_count));
}

void td_ends_fit_together(const td_ends_fitting *fitting, td_context *context) {
    td_ends_fitting copy = *fitting;
    const td_ends *ends = fitting->ends;
    td_run_tasks(context, td_fit_points_task,
                 (ends->vertex_count + TD_CHUNK_OF_POINTS - 1) / TD_CHUNK_OF_POINTS, &copy);
    td_run_tasks(context, td_fit_quads_task, (ends->quad_count + TD_CHUNK_OF_QUADS - 1) / TD_CHUNK_OF_QUADS,
                 &copy);
    td_run_tasks(context, td_fit_leaves_task,
                 (ends->block_count + TD_CHUNK_OF_BLOCKS - 1) / TD_CHUNK_OF_BLOCKS, &copy);
    td_fit_parents(fitting);
}

// ---------------------------------------------------------------------------------------------------------
// Links

static void td_empty_boxes(td_ends_boxes *boxes) {
    for (int i = 0; i < 2 * 3 * 4; ++i) {
        boxes->lower[i / 12][i / 4 % 3][i % 4] = td_far_away;
        boxes->upper[i / 12][i / 4 % 3][i % 4] = -td_far_away;
    }
}

static void td_link_quad(td_ends *ends, uint32_t q, const td_features *features, const td_blocked *blocked) {
    td_ends_quad *quad = &ends->quads[q];
    td_empty_boxes(&quad->boxes);
    quad->lane_count = quad->marked = 0;
    for (uint32_t lane = 0; lane < 4; ++lane) {
        const uint32_t triangle = quad->triangle[lane] = blocked->quads[q].triangle[lane];
        td_ends_cell *cell = &ends->cells[4 * (size_t)q + lane];
        *cell = (td_ends_cell){.vertex = {TD_NONE, TD_NONE, TD_NONE, TD_NONE}};
        if (triangle == TD_NONE) {
            continue;
        }
        const td_swept_triangle *from = &features->triangles[triangle];
        for (int k = 0; k < 3; ++k) {
            cell->vertex[k] = from->vertex[k];
            cell->edge[k] = from->edge[k];
        }
        cell->vertex[3] = from->vertex[0];
        cell->owns = (from->owns & 0x77u) | td_spread_three(from->owns & 7u) << 8 |
                     td_spread_three(from->owns >> 4 & 7u) << 20;
        quad->lane_count = lane + 1; // empty lanes come last
    }
}

static void td_link(td_ends *ends, const td_features *features, const td_blocked *blocked) {
    for (uint32_t b = 0; b < ends->block_count; ++b) {
        td_ends_block *block = &ends->blocks[b];
        td_empty_boxes(&block->boxes);
        block->leaf = blocked->blocks[b].leaf;
        block->node_count = blocked->blocks[b].node_count;
        block->marked = 0;
        for (int lane = 0; lane < 4; ++lane) {
            block->child[lane] = blocked->blocks[b].child[lane];
        }
    }
    for (uint32_t q = 0; q < ends->quad_count; ++q) {
        td_link_quad(ends, q, features, blocked);
    }
    ends->height = blocked->height;
    ends->linked = blocked;
}

td_result td_ends_reserve(td_ends *out, td_context *context, const td_features *features,
                          const td_blocked *blocked, uint32_t vertex_count) {
    if (out->linked == blocked && out->block_count == blocked->block_count &&
        out->quad_count == blocked->quad_count && out->vertex_count == vertex_count) {
        return TD_OK;
    }
    td_ends fresh = {.points = TD_NEW(context, td_ends_point, vertex_count),
                     .blocks = TD_NEW(context, td_ends_block, blocked->block_count),
                     .quads = TD_NEW(context, td_ends_quad, blocked->quad_count),
                     .cells = TD_NEW(context, td_ends_cell, 4 * (size_t)blocked->quad_count),
                     .vertex_count = vertex_count,
                     .block_count = blocked->block_count,
                     .quad_count = blocked->quad_count};
    if (fresh.points == NULL || fresh.blocks == NULL || fresh.quads == NULL || fresh.cells == NULL) {
        td_ends_release(&fresh, context);
        return TD_ERROR_MEMORY;
    }
    td_ends_release(out, context);
    *out = fresh;
    td_link(out, features, blocked);
    return TD_OK;
}

void td_ends_release(td_ends *ends, td_context *context) {
    TD_DELETE(context, td_ends_point, ends->points, ends->vertex_count);
    TD_DELETE(context, td_ends_block, ends->blocks, ends->block_count);
    TD_DELETE(context, td_ends_quad, ends->quads, ends->quad_count);
    TD_DELETE(context, td_ends_cell, ends->cells, 4 * (size_t)ends->quad_count);
    *ends = (td_ends){0};
}
