// Fits oriented boxes by principal components.
// Based on: Gottschalk, Lin, Manocha, OBBTree, 1996: the covariance of the surface below a node, not of its
// vertices, so that fine tessellation does not pull the axes.
//
// Moments are added up from the leaves (moments.h). Extents are taken over all corners below the node. That
// is n log n for trees of any use; in a tree that is a chain it would be n^2, so nodes that lie deep and hold
// much get the axis-aligned box.
#include "obb.h"

#include "../core/memory.h"
#include "../core/tasks.h"
#include "moments.h"

enum {
    TD_FIT_DEPTH = 64,     // nodes down to this depth are fitted,
    TD_FIT_TRIANGLES = 64, // ... and nodes with at most so many triangles
    TD_FIT_CHUNK = 16384,  // corners per task, about
    TD_JACOBI_SWEEPS = 16  // four or five are enough
};

typedef struct td_obb_fit {
    td_obbf *obbs;
    const td_postorder *post;
    const td_trimesh *mesh;
    const td_blocked *blocked;
    td_moments *moments;
    double (*corners)[3]; // three per leaf in the order of the array, local coordinates
    uint32_t *first_leaf; // per node: leaves before it in the array
    uint32_t *end;        // per node: behind the last node below it
    uint32_t *depth;
    uint32_t *task_first; // nodes of task i: task_first[i] ... task_first[i + 1] - 1
} td_obb_fit;

// ---------------------------------------------------------------------------------------------------------
// Axes

// One Jacobi rotation that makes m[p][q] zero; the columns of v turn along.
static void td_jacobi_rotate(double m[3][3], double v[3][3], int p, int q) {
    if (m[p][q] == 0) {
        return;
    }
    const double theta = 0.5 * (m[q][q] - m[p][p]) / m[p][q];
    // Where theta^2 overflows, t comes out as zero: nothing is left to turn.
    const double t = (theta < 0 ? -1.0 : 1.0) / (fabs(theta) + sqrt(theta * theta + 1));
    const double c = 1 / sqrt(t * t + 1), s = t * c;
    for (int k = 0; k < 3; ++k) {
        const double mp = m[k][p], mq = m[k][q];
        m[k][p] = c * mp - s * mq;
        m[k][q] = s * mp + c * mq;
    }
    for (int k = 0; k < 3; ++k) {
        const double mp = m[p][k], mq = m[q][k], vp = v[k][p], vq = v[k][q];
        m[p][k] = c * mp - s * mq;
        m[q][k] = s * mp + c * mq;
        v[k][p] = c * vp - s * vq;
        v[k][q] = s * vp + c * vq;
    }
    m[p][q] = m[q][p] = 0;
}

// The eigenvectors of the covariance, one per row. Rotations keep them orthonormal to float64 rounding,
// whatever the matrix.
static void td_principal_axes(float axes[9], const td_moments *moments) {
    double largest = 0, spread[6], m[3][3], v[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const double inverse = 1 / (moments->weight + 0x1p-1000); // nothing has the mean 0
    for (int k = 0; k < 3; ++k) {
        const double mean = moments->first[k] * inverse, next = moments->first[(k + 1) % 3] * inverse;
        spread[k] = moments->second[k] * inverse - mean * mean;
        spread[3 + k] = moments->second[3 + k] * inverse - mean * next;
    }
    for (int k = 0; k < 6; ++k) {
        largest = fmax(largest, fabs(spread[k]));
    }
    int exponent = 0;
    if (largest > 0) {
        frexp(largest, &exponent);
    }
    const int place[3][3] = {{0, 3, 5}, {3, 1, 4}, {5, 4, 2}};
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            m[i][j] = ldexp(spread[place[i][j]], -exponent); // products do not underflow
        }
    }
    for (int sweep = 0; sweep < TD_JACOBI_SWEEPS; ++sweep) {
        if (fabs(m[0][1]) + fabs(m[1][2]) + fabs(m[0][2]) < 0x1p-52) {
            break;
        }
        td_jacobi_rotate(m, v, 0, 1);
        td_jacobi_rotate(m, v, 1, 2);
        td_jacobi_rotate(m, v, 0, 2);
    }
    for (int k = 0; k < 3; ++k) {
        for (int l = 0; l < 3; ++l) {
            axes[3 * k + l] = (float)v[l][k];
        }
    }
}

// ---------------------------------------------------------------------------------------------------------
// Boxes

// What lies along the axes of a box, seen from some point near.
typedef struct td_fit_reach {
    double axes[3][3]; // as float32 has them
    double about[3], low[3], high[3];
} td_fit_reach;

// Corners carry an error of 2^-52, and a product with an axis at most 18 x 2^-53 more: differences of numbers
// up to 3.5, three products, two sums. The way from `about` to the centre adds as much. 2^-47 covers both;
// the factor covers the rounding to float32.
static void td_close_obb(td_obbf *obb, const td_fit_reach *reach) {
    double shift[3];
    for (int l = 0; l < 3; ++l) {
        shift[l] = 0;
        for (int k = 0; k < 3; ++k) {
            shift[l] += 0.5 * (reach->low[k] + reach->high[k]) * reach->axes[k][l];
        }
        obb->center[l] = (float)(reach->about[l] + shift[l]);
        shift[l] = (double)obb->center[l] - reach->about[l];
    }
    for (int k = 0; k < 3; ++k) {
        const double *axis = reach->axes[k];
        const double middle = axis[0] * shift[0] + axis[1] * shift[1] + axis[2] * shift[2];
        const double half = fmax(reach->high[k] - middle, middle - reach->low[k]) + 0x1p-47;
        obb->half[k] = (float)(half * (1 + 0x1p-22));
    }
}

// The smallest box around the corners with the axes of `obb`. `about` is any point near.
static void td_enclose(td_obbf *obb, double (*corners)[3], size_t count, const double about[3]) {
    td_fit_reach reach = {.about = {about[0], about[1], about[2]}};
    double *low = reach.low, *high = reach.high, (*axes)[3] = reach.axes;
    for (int k = 0; k < 9; ++k) {
        axes[k / 3][k % 3] = (double)obb->axes[k];
    }
    for (size_t i = 0; i < count; ++i) {
        const double x = corners[i][0] - about[0], y = corners[i][1] - about[1], z = corners[i][2] - about[2];
        for (int k = 0; k < 3; ++k) {
            const double along = axes[k][0] * x + axes[k][1] * y + axes[k][2] * z;
            low[k] = i == 0 || along < low[k] ? along : low[k];
            high[k] = i == 0 || along > high[k] ? along : high[k];
        }
    }
    td_close_obb(obb, &reach);
}

// The last node below any other is a leaf.
static uint32_t td_leaves_below(const td_obb_fit *fit, uint32_t node) {
    return fit->first_leaf[fit->end[node] - 1] + 1 - fit->first_leaf[node];
}

static bool td_is_fitted(const td_obb_fit *fit, uint32_t node) {
    return fit->depth[node] < TD_FIT_DEPTH || td_leaves_below(fit, node) <= TD_FIT_TRIANGLES;
}

// The axis-aligned box, to compare with.
static td_obbf td_obb_along_axes(const td_boxf *box) {
    td_obbf obb = {.axes = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    for (int k = 0; k < 3; ++k) {
        obb.center[k] = box->center[k];
        obb.half[k] = box->half[k];
    }
    return obb;
}

static double td_half_area(const float h[3]) {
    return (double)h[0] * (double)h[1] + (double)h[1] * (double)h[2] + (double)h[2] * (double)h[0];
}

static void td_fit_node(const td_obb_fit *fit, uint32_t node) {
    const size_t first = 3 * (size_t)fit->first_leaf[node], count = 3 * (size_t)td_leaves_below(fit, node);
    const td_obbf straight = td_obb_along_axes(&fit->post->boxes[node]);
    fit->obbs[node] = straight;
    if (!td_is_fitted(fit, node)) {
        return;
    }
    td_obbf turned = {0};
    const double about[3] = {(double)straight.center[0], (double)straight.center[1],
                             (double)straight.center[2]};
    td_principal_axes(turned.axes, &fit->moments[node]);
    td_enclose(&turned, fit->corners + first, count, about);
    if (td_half_area(turned.half) < td_half_area(straight.half)) {
        fit->obbs[node] = turned;
    }
}

static void td_fit_task(uint32_t item, void *payload) {
    const td_obb_fit *fit = payload;
    for (uint32_t n = fit->task_first[item]; n < fit->task_first[item + 1]; ++n) {
        td_fit_node(fit, n);
    }
}

// ---------------------------------------------------------------------------------------------------------

static void td_gather_corners(const td_obb_fit *fit) {
    const td_post_links *links = fit->post->links;
    uint32_t leaves = 0;
    for (uint32_t n = 0; n < fit->post->node_count; ++n) {
        fit->first_leaf[n] = leaves;
        fit->depth[n] = n == 0                 ? 0
                        : links[n].counter > 0 ? fit->depth[n - 1] + 1
                                               : fit->depth[links[n].escape];
        if (links[n].kind & TD_POST_LEAF) {
            const uint32_t triangle = fit->blocked->quads[links[n].child / 4].triangle[links[n].child % 4];
            const td_triangle t = td_trimesh_triangle(fit->mesh, triangle);
            const td_vec3 p[3] = {t.p0, t.p1, t.p2};
            for (int i = 0; i < 3; ++i) {
                const td_vec3 local = td_to_local(fit->blocked, p[i]);
                double *corner = fit->corners[3 * (size_t)leaves + (size_t)i];
                corner[0] = local.x;
                corner[1] = local.y;
                corner[2] = local.z;
            }
            ++leaves;
        }
    }
}

static void td_gather_moments(const td_obb_fit *fit) {
    const td_post_links *links = fit->post->links;
    for (uint32_t n = fit->post->node_count; n-- > 0;) { // children stand behind their parents
        uint32_t child = links[n].child;
        if (links[n].kind & TD_POST_LEAF) {
            fit->end[n] = n + 1;
            fit->moments[n] = td_moments_of_triangle(fit->corners + 3 * (size_t)fit->first_leaf[n]);
            continue;
        }
        fit->end[n] = fit->end[child];
        fit->moments[n] = fit->moments[child];
        while (links[child].counter == 0) {
            child = links[child].escape;
            fit->moments[n] = td_join_moments(fit->moments[n], fit->moments[child]);
        }
    }
}

// Runs of nodes with about as many corners to look at; returns the number of tasks.
static uint32_t td_cut_tasks(const td_obb_fit *fit) {
    uint32_t tasks = 0;
    uint64_t corners = TD_FIT_CHUNK;
    for (uint32_t n = 0; n < fit->post->node_count; ++n) {
        if (corners >= TD_FIT_CHUNK) {
            fit->task_first[tasks++] = n;
            corners = 0;
        }
        corners += 64 + (td_is_fitted(fit, n) ? 3 * (uint64_t)td_leaves_below(fit, n) : 0);
    }
    fit->task_first[tasks] = fit->post->node_count;
    return tasks;
}

td_result td_fit_obbs(td_obbf *obbs, const td_postorder *post, const td_trimesh *mesh,
                      const td_blocked *blocked) {
    td_context *context = mesh->context;
    const size_t nodes = post->node_count, corners = 3 * (size_t)mesh->triangle_count;
    td_obb_fit fit = {.obbs = obbs, .post = post, .mesh = mesh, .blocked = blocked};
    fit.moments = TD_NEW(context, td_moments, nodes);
    fit.corners = td_allocate(context, corners, sizeof *fit.corners);
    fit.first_leaf = TD_NEW(context, uint32_t, nodes);
    fit.end = TD_NEW(context, uint32_t, nodes);
    fit.depth = TD_NEW(context, uint32_t, nodes);
    fit.task_first = TD_NEW(context, uint32_t, nodes + 1);
    td_result result = TD_ERROR_MEMORY;
    if (fit.moments != NULL && fit.corners != NULL && fit.first_leaf != NULL && fit.end != NULL &&
        fit.depth != NULL && fit.task_first != NULL) {
        td_gather_corners(&fit);
        td_gather_moments(&fit);
        td_run_tasks(context, td_fit_task, td_cut_tasks(&fit), &fit);
        result = TD_OK;
    }
    TD_DELETE(context, td_moments, fit.moments, nodes);
    td_release(context, fit.corners, corners, sizeof *fit.corners);
    TD_DELETE(context, uint32_t, fit.first_leaf, nodes);
    TD_DELETE(context, uint32_t, fit.end, nodes);
    TD_DELETE(context, uint32_t, fit.depth, nodes);
    TD_DELETE(context, uint32_t, fit.task_first, nodes + 1);
    return result;
}
