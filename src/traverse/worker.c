// What strategies have in common: keeping what was found, and deciding exactly.
#include "traversal.h"

#include "../predicates/tri_tri.h"

void td_worker_release(td_worker *worker, td_context *context) {
    td_array_release(context, &worker->pairs);
    td_array_release(context, &worker->undecided);
    td_array_release(context, &worker->stack);
    td_array_release(context, &worker->leaves);
    td_array_release(context, &worker->tiles);
    td_array_release(context, &worker->spare);
    td_array_release(context, &worker->words);
    td_array_release(context, &worker->front_tiles);
    td_array_release(context, &worker->front);
    for (int k = 0; k < TD_NEAR_CLASSES; ++k) {
        td_array_release(context, &worker->near_by[k]);
    }
}

void td_found(td_worker *worker, const td_traversal *traversal, uint32_t a, uint32_t b) {
    if (traversal->mode != TD_MODE_COUNT) {
        if (td_array_reserve(traversal->context, &worker->pairs, 1) != TD_OK) {
            worker->result = TD_ERROR_MEMORY;
            return;
        }
        const bool swapped = traversal->self && a > b;
        worker->pairs.items[worker->pairs.count++] = swapped ? (td_pair){b, a} : (td_pair){a, b};
    }
    worker->count++;
}

bool td_share_a_position(const td_trimesh *mesh, uint32_t a, uint32_t b) {
    const uint32_t *i = mesh->indices + 3 * (size_t)a, *j = mesh->indices + 3 * (size_t)b;
    for (int k = 0; k < 3; ++k) {
        for (int l = 0; l < 3; ++l) {
            if (td_trimesh_welded(mesh, i[k]) == td_trimesh_welded(mesh, j[l])) {
                return true;
            }
        }
    }
    return false;
}

bool td_exactly_intersects(const td_traversal *traversal, uint32_t a, uint32_t b) {
    if (traversal->self && td_share_a_position(traversal->mesh_a, a, b)) {
        return false;
    }
    const td_triangle ta = td_trimesh_triangle(traversal->mesh_a, a);
    td_triangle tb = td_trimesh_triangle(traversal->mesh_b, b);
    if (!traversal->frame->identity) {
        tb = td_rigid_apply_triangle(traversal->frame->rigid, tb);
    }
    if (!td_triangles_intersect(ta, tb)) {
        return false;
    }
    return !traversal->self || traversal->keep_degenerate ||
           (!td_triangle_is_degenerate(ta) && !td_triangle_is_degenerate(tb));
}

void td_decide(td_worker *worker, const td_traversal *traversal) {
    for (size_t i = 0; i < worker->undecided.count && !td_worker_done(worker, traversal); ++i) {
        const td_pair pair = worker->undecided.items[i];
        if (td_exactly_intersects(traversal, pair.a, pair.b)) {
            td_found(worker, traversal, pair.a, pair.b);
        }
    }
    worker->counters.exact_tests += worker->undecided.count;
    worker->undecided.count = 0;
}
