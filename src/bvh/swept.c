#include "swept.h"

#include "../core/error.h"
#include "../core/memory.h"
#include "../core/tasks.h"
#include "../math/f4.h"

#include <float.h>
#include <math.h>

enum { TD_CHUNK_VERTICES = 8192, TD_CHUNK_QUADS = 1024 };

td_swept_frame td_swept_frame_around(td_vec3 lower, td_vec3 upper, double separation) {
    td_swept_frame frame = {.origin = td_add(td_scale(lower, 0.5), td_scale(upper, 0.5))};
    const td_vec3 half = td_sub(td_scale(upper, 0.5), td_scale(lower, 0.5));
    const double largest = fmax(half.x, fmax(half.y, half.z));
    int exponent = 0;
    if (largest > 0) {
        frexp(largest, &exponent);
    }
    frame.scale[0] = ldexp(1.0, -exponent / 2);
    frame.scale[1] = ldexp(1.0, -exponent - -exponent / 2);
    // Half of the separation for either box; what roundings take off it is less than 2^-20 of it.
    const double margin = separation * frame.scale[0] * frame.scale[1] * (0.5 + 0x1p-20);
    frame.margin = margin < (double)FLT_MAX ? (float)margin : INFINITY;
    return frame;
}

// ---------------------------------------------------------------------------------------------------------------------
// Boxes of paths

typedef struct td_swept_fit_job {
    td_swept *swept;
    const td_features *features;
    const td_blocked *blocked;
    td_swept_frame frame;
} td_swept_fit_job;

static inline td_f4 td_local_corner(const td_swept_frame *frame, td_vec3 x) {
    const td_vec3 p = td_swept_local(frame, x);
    return td_f4_set((float)p.x, (float)p.y, (float)p.z, 0);
}

// How far float32 may be from what float64 means: local coordinates err by at most 2^-52, and the conversion
// and the subtraction (addition) of this by 2^-24 of the value each.
static inline td_f4 td_swept_slack(td_f4 a, td_f4 margin) {
    const td_f4 magnitude = td_f4_max(a, td_f4_sub(td_f4_set1(0), a));
    return td_f4_add(td_f4_add(td_f4_mul(magnitude, td_f4_set1(0x3p-24f)), td_f4_set1(0x1p-49f)), margin);
}

// Local coordinates are within [-1, 1]: each errs by 2^-24 and 2^-52, and the sum or difference of two by
// 2^-23 more; 2^-22 in all, of which this is twice.
static const float td_diagonal_slack = 0x1p-21f;

static inline void td_fit_diagonal(td_swept_diagonal *out, td_f4 a, td_f4 b) {
    float at[2][4];
    td_f4_store(at[0], a);
    td_f4_store(at[1], b);
    for (int k = 0; k < TD_DIAGONALS; ++k) {
        static const int first[TD_DIAGONALS] = {0, 0, 0, 0, 1, 1}, second[TD_DIAGONALS] = {1, 1, 2, 2, 2, 2};
        const float sign = k % 2 == 0 ? 1.0f : -1.0f;
        const float p = at[0][first[k]] + sign * at[0][second[k]],
                    q = at[1][first[k]] + sign * at[1][second[k]];
        out->lower[k] = (p < q ? p : q) - td_diagonal_slack;
        out->upper[k] = (p > q ? p : q) + td_diagonal_slack;
    }
}

static void td_fit_paths(uint32_t item, void *payload) {
    const td_swept_fit_job *job = payload;
    td_swept *swept = job->swept;
    const td_swept_frame frame = job->frame;
    const td_f4 margin = td_f4_set1(frame.margin);
    const uint32_t first = item * TD_CHUNK_VERTICES;
    const uint32_t end =
        swept->vertex_count - first < TD_CHUNK_VERTICES ? swept->vertex_count : first + TD_CHUNK_VERTICES;
    for (uint32_t v = first; v < end; ++v) {
        const td_f4 a = td_local_corner(&frame, swept->paths[v].at[0]);
        const td_f4 b = td_local_corner(&frame, swept->paths[v].at[1]);
        const td_f4 lower = td_f4_min(a, b), upper = td_f4_max(a, b);
        td_f4_store(swept->boxes[v].lower, td_f4_sub(lower, td_swept_slack(lower, margin)));
        td_f4_store(swept->boxes[v].upper, td_f4_add(upper, td_swept_slack(upper, margin)));
        if (swept->has_diagonals) {
            td_fit_diagonal(&swept->vertex_diagonals[v], a, b);
        }
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// Boxes of quads and blocks

static void td_put_lane(float lower[3][4], float upper[3][4], int lane, const td_swept_box *box) {
    for (int k = 0; k < 3; ++k) {
        lower[k][lane] = box->lower[k];
        upper[k][lane] = box->upper[k];
    }
}

// Overlaps nothing, not even what reaches to infinity: lower <= upper fails with NaN.
static const td_swept_box td_empty_box = {{NAN, NAN, NAN, 0}, {NAN, NAN, NAN, 0}};

static td_swept_box td_box_of_both(const td_swept_box *a, const td_swept_box *b) {
    td_swept_box box;
    td_f4_store(box.lower, td_f4_min(td_f4_load(a->lower), td_f4_load(b->lower)));
    td_f4_store(box.upper, td_f4_max(td_f4_load(a->upper), td_f4_load(b->upper)));
    return box;
}

static void td_fit_lane(const td_swept_fit_job *job, td_swept_quad *quad, td_swept_corners *corners,
                        int lane) {
    const td_swept *swept = job->swept;
    const td_swept_triangle *triangle = &job->features->triangles[quad->triangle[lane]];
    const td_swept_box side =
        td_box_of_both(&swept->boxes[triangle->vertex[0]], &swept->boxes[triangle->vertex[1]]);
    const td_swept_box box = td_box_of_both(&side, &swept->boxes[triangle->vertex[2]]);
    td_put_lane(quad->lower, quad->upper, lane, &box);
    td_put_lane(corners->lower, corners->upper, 3, &box);
    for (int k = 0; k < 3; ++k) {
        const td_swept_box *p = &swept->boxes[triangle->vertex[k]],
                           *q = &swept->boxes[triangle->vertex[(k + 1) % 3]];
        const td_swept_box edge = td_box_of_both(p, q);
        td_put_lane(corners->lower, corners->upper, k, p);
        td_put_lane(corners->edge_lower, corners->edge_upper, k, &edge);
        corners->vertex[k] = triangle->vertex[k];
        corners->edge[k] = triangle->edge[k];
    }
    td_put_lane(corners->edge_lower, corners->edge_upper, 3, &td_empty_box);
    corners->vertex[3] = TD_NONE;
    corners->owns = triangle->owns;
}

static void td_fit_lane_diagonals(const td_swept_fit_job *job, uint32_t triangle, td_swept_diagonals *out,
                                  int lane) {
    const td_swept_diagonal *of_vertex = job->swept->vertex_diagonals;
    const uint32_t *vertex = job->features->triangles[triangle].vertex;
    const td_swept_diagonal *p = &of_vertex[vertex[0]], *q = &of_vertex[vertex[1]],
                            *r = &of_vertex[vertex[2]];
    float lower[8], upper[8];
    for (int half = 0; half < 8; half += 4) {
        td_f4_store(lower + half,
                    td_f4_min(td_f4_load(p->lower + half),
                              td_f4_min(td_f4_load(q->lower + half), td_f4_load(r->lower + half))));
        td_f4_store(upper + half,
                    td_f4_max(td_f4_load(p->upper + half),
                              td_f4_max(td_f4_load(q->upper + half), td_f4_load(r->upper + half))));
    }
    for (int k = 0; k < TD_DIAGONALS; ++k) {
        out->lower[k][lane] = lower[k];
        out->upper[k][lane] = upper[k];
    }
}

static void td_fit_quad_diagonals(const td_swept_fit_job *job, uint32_t q) {
    const td_swept_quad *quad = &job->swept->quads[q];
    td_swept_diagonals *out = &job->swept->quad_diagonals[q];
    for (int lane = 0; lane < 4; ++lane) {
        if (quad->triangle[lane] != TD_NONE) {
            td_fit_lane_diagonals(job, quad->triangle[lane], out, lane);
            continue;
        }
        for (int k = 0; k < TD_DIAGONALS; ++k) {
            out->lower[k][lane] = out->upper[k][lane] = NAN;
        }
    }
}

static void td_fit_quads(uint32_t item, void *payload) {
    const td_swept_fit_job *job = payload;
    const uint32_t first = item * TD_CHUNK_QUADS, count = job->swept->quad_count;
    const uint32_t end = count - first < TD_CHUNK_QUADS ? count : first + TD_CHUNK_QUADS;
    for (uint32_t q = first; q < end; ++q) {
        td_swept_quad *quad = &job->swept->quads[q];
        for (int lane = 0; lane < 4; ++lane) {
            quad->triangle[lane] = job->blocked->quads[q].triangle[lane];
            if (quad->triangle[lane] == TD_NONE) {
                td_put_lane(quad->lower, quad->upper, lane, &td_empty_box);
            } else {
                td_fit_lane(job, quad, &job->swept->corners[4 * (size_t)q + (size_t)lane], lane);
            }
        }
        if (job->swept->has_diagonals) {
            td_fit_quad_diagonals(job, q);
        }
    }
}

// Around four lanes, of which the first `count` are there.
static td_swept_box td_box_of_lanes(const float lower[3][4], const float upper[3][4], uint32_t count) {
    td_swept_box box = {{lower[0][0], lower[1][0], lower[2][0], 0},
                        {upper[0][0], upper[1][0], upper[2][0], 0}};
    for (uint32_t lane = 1; lane < count; ++lane) {
        for (int k = 0; k < 3; ++k) {
            box.lower[k] = lower[k][lane] < box.lower[k] ? lower[k][lane] : box.lower[k];
            box.upper[k] = upper[k][lane] > box.upper[k] ? upper[k][lane] : box.upper[k];
        }
    }
    return box;
}

static uint32_t td_lanes_of_quad(const td_swept_quad *quad) {
    uint32_t count = 1; // no quad is empty, and empty lanes come last
    while (count < 4 && quad->triangle[count] != TD_NONE) {
        ++count;
    }
    return count;
}

static void td_fit_block(td_swept *swept, const td_block *from, uint32_t index) {
    td_swept_block *block = &swept->blocks[index];
    block->leaf = from->leaf;
    block->node_count = from->node_count;
    block->leaf_children = from->leaf_children;
    for (uint32_t lane = 0; lane < 4; ++lane) {
        td_swept_box box = td_empty_box;
        const uint32_t child = from->child[lane];
        block->child[lane] = child;
        if (lane < from->node_count && from->leaf) {
            const td_swept_quad *quad = &swept->quads[child];
            box = td_box_of_lanes(quad->lower, quad->upper, td_lanes_of_quad(quad));
        } else if (lane < from->node_count) {
            const td_swept_block *below = &swept->blocks[child];
            box = td_box_of_lanes(below->lower, below->upper, below->node_count);
        }
        td_put_lane(block->lower, block->upper, (int)lane, &box);
    }
}

// ---------------------------------------------------------------------------------------------------------------------

void td_swept_fit(td_swept *swept, td_context *context, const td_features *features,
                  const td_blocked *blocked, const td_path *paths, const td_swept_frame *frame,
                  bool diagonals) {
    td_swept_fit_job job = {swept, features, blocked, *frame};
    swept->paths = paths;
    swept->has_diagonals = diagonals;
    td_run_tasks(context, td_fit_paths, (swept->vertex_count + TD_CHUNK_VERTICES - 1) / TD_CHUNK_VERTICES,
                 &job);
    td_run_tasks(context, td_fit_quads, (swept->quad_count + TD_CHUNK_QUADS - 1) / TD_CHUNK_QUADS, &job);
    for (uint32_t b = swept->block_count; b-- > 0;) {
        td_fit_block(swept, &blocked->blocks[b], b);
    }
}

td_result td_swept_reserve(td_swept *out, td_context *context, const td_blocked *blocked,
                           uint32_t vertex_count) {
    if (out->block_count != blocked->block_count || out->quad_count != blocked->quad_count ||
        out->vertex_count != vertex_count) {
        td_swept fresh = {.vertex_count = vertex_count,
                          .boxes = TD_NEW(context, td_swept_box, vertex_count),
                          .blocks = TD_NEW(context, td_swept_block, blocked->block_count),
                          .quads = TD_NEW(context, td_swept_quad, blocked->quad_count),
                          .corners = TD_NEW(context, td_swept_corners, 4 * (size_t)blocked->quad_count),
                          .vertex_diagonals = TD_NEW(context, td_swept_diagonal, vertex_count),
                          .quad_diagonals = TD_NEW(context, td_swept_diagonals, blocked->quad_count),
                          .block_count = blocked->block_count,
                          .quad_count = blocked->quad_count};
        if (fresh.boxes == NULL || fresh.blocks == NULL || fresh.quads == NULL || fresh.corners == NULL ||
            fresh.vertex_diagonals == NULL || fresh.quad_diagonals == NULL) {
            td_swept_release(&fresh, context);
            return TD_ERROR_MEMORY;
        }
        td_swept_release(out, context);
        *out = fresh;
    }
    out->height = blocked->height;
    return TD_OK;
}

void td_swept_release(td_swept *swept, td_context *context) {
    TD_DELETE(context, td_swept_box, swept->boxes, swept->vertex_count);
    TD_DELETE(context, td_swept_block, swept->blocks, swept->block_count);
    TD_DELETE(context, td_swept_quad, swept->quads, swept->quad_count);
    TD_DELETE(context, td_swept_corners, swept->corners, 4 * (size_t)swept->quad_count);
    TD_DELETE(context, td_swept_diagonal, swept->vertex_diagonals, swept->vertex_count);
    TD_DELETE(context, td_swept_diagonals, swept->quad_diagonals, swept->quad_count);
    *swept = (td_swept){0};
}

uint64_t td_swept_bytes(const td_swept *swept) {
    return swept->vertex_count * (sizeof(td_swept_box) + sizeof(td_swept_diagonal)) +
           swept->block_count * sizeof(td_swept_block) +
           swept->quad_count *
               (sizeof(td_swept_quad) + 4 * sizeof(td_swept_corners) + sizeof(td_swept_diagonals));
}
