// Pairs of triangles whose swept boxes meet: of the 15 pairs of their features, those that the two own, whose
// own boxes meet and that share no vertex.
#include "swept.h"

#include "../core/clock.h"
#include "../math/f4.h"
#include "../predicates/moving_filter.h"

typedef struct td_f4_box {
    td_f4 lower, upper;
} td_f4_box;

static inline td_f4_box td_box_at(const td_swept *swept, uint32_t vertex) {
    const td_swept_box *box = &swept->boxes[vertex];
    return (td_f4_box){td_f4_load(box->lower), td_f4_load(box->upper)};
}

static inline td_f4_box td_box_union(td_f4_box a, td_f4_box b) {
    return (td_f4_box){td_f4_min(a.lower, b.lower), td_f4_max(a.upper, b.upper)};
}

// A difference of floats has the right sign, whatever it is rounded to.
static inline bool td_boxes_meet(td_f4_box a, td_f4_box b) {
    return td_f4_signs(td_f4_min(td_f4_sub(b.upper, a.lower), td_f4_sub(a.upper, b.lower))) == 0;
}

// ---------------------------------------------------------------------------------------------------------------------
// One pair of features

static td_moving_points td_points_of(const td_swept_question *question, const td_candidate *candidate) {
    td_moving_points points;
    for (int i = 0; i < 4; ++i) {
        const td_path *path = td_path_of(question, candidate, i);
        points.at[0][i] = path->at[0];
        points.at[1][i] = path->at[1];
    }
    return points;
}

// Whether the pair has no contact until shortly after the best time so far. A contact is told at most 2^-20
// earlier than it is, so this pair's would be told later than the best; which is what makes the answer the
// same whoever comes first.
static bool td_comes_too_late(const td_swept_question *question, const td_moving_points *points, int kind) {
    const double until = ceil((td_best_time(question) + 0x1p-18) / TD_MOVING_GRID) * TD_MOVING_GRID;
    if (!(until < 1.0)) {
        return false;
    }
    const td_moving_problem problem = td_moving_pose(points, kind);
    return td_moving_in_range(&problem) && td_moving_look(&problem, 0.0, until).state == TD_INTERVAL_APART;
}

td_result td_decide_linear(td_moving_contact *out, const td_swept_question *question,
                           const td_candidate *candidate) {
    const td_moving_points points = td_points_of(question, candidate);
    const int kind = candidate->kind == TD_CONTACT_EDGE_EDGE ? TD_EDGE_EDGE : TD_VERTEX_FACE;
    if (question->cut && td_comes_too_late(question, &points, kind)) {
        *out = (td_moving_contact){false, true, 1.0};
        return TD_OK;
    }
    return td_decide_moving(out, question->context, &points, kind, &question->moving);
}

static void td_offer_best(const td_swept_question *question, double time) {
    unsigned long long bits, best = atomic_load_explicit(question->best_bits, memory_order_relaxed);
    __builtin_memcpy(&bits, &time, sizeof bits);
    while (bits < best && !atomic_compare_exchange_weak_explicit(
                              question->best_bits, &best, bits, memory_order_relaxed, memory_order_relaxed)) {
    }
}

void td_keep_contact(td_swept_worker *worker, const td_swept_question *question, td_contact_kind kind,
                     td_feature_contact contact) {
    worker->count[kind]++;
    worker->uncertain = worker->uncertain || !contact.certain;
    if (!worker->touching || td_contact_before(kind, contact, worker->first_kind, worker->first)) {
        worker->touching = true;
        worker->first_kind = kind;
        worker->first = contact;
        if (question->mode == TD_CONTINUOUS_EARLIEST) {
            td_offer_best(question, contact.time);
        }
    }
    if (question->mode == TD_CONTINUOUS_ALL) {
        td_contact_list *list = &worker->found[kind];
        if (td_array_reserve(question->context, list, 1) != TD_OK) {
            worker->result = TD_ERROR_MEMORY;
            return;
        }
        list->items[list->count++] = contact;
    }
}

static void td_decide_candidate(td_swept_worker *worker, const td_swept_question *question,
                                const td_candidate *candidate) {
    td_moving_contact found;
    const td_result result = question->decide(&found, question, candidate);
    if (result != TD_OK) {
        worker->result = result;
    } else if (found.touching) {
        td_keep_contact(worker, question, candidate->kind,
                        (td_feature_contact){candidate->a, candidate->b, found.certain, found.time});
    }
}

void td_decide_candidates(td_swept_worker *worker, const td_swept_question *question) {
    const td_candidate *candidates = worker->candidates.items;
    const size_t count = worker->candidates.count;
    const double start = td_clock_ms(); // once for hundreds of candidates
    worker->counters.feature_tests += count;
    for (size_t first = 0; first < count; first += 16) {
        const size_t some = count - first < 16 ? count - first : 16;
        uint32_t open =
            question->planes ? td_swept_coplanar(question, candidates + first, some) : (1u << some) - 1u;
        for (; open != 0 && worker->result == TD_OK; open &= open - 1) {
            td_decide_candidate(worker, question, &candidates[first + (size_t)__builtin_ctz(open)]);
        }
    }
    worker->candidates.count = 0;
    worker->decide_ms += td_clock_ms() - start;
}

// ---------------------------------------------------------------------------------------------------------------------
// One pair of triangles

typedef struct td_triangle_boxes {
    const td_swept_triangle *triangle;
    td_f4_box vertex[3], edge[3], face;
} td_triangle_boxes;

static inline td_triangle_boxes td_boxes_of_triangle(const td_swept *swept,
                                                     const td_swept_triangle *triangle) {
    td_triangle_boxes r = {.triangle = triangle};
    for (int k = 0; k < 3; ++k) {
        r.vertex[k] = td_box_at(swept, triangle->vertex[k]);
    }
    for (int k = 0; k < 3; ++k) {
        r.edge[k] = td_box_union(r.vertex[k], r.vertex[k == 2 ? 0 : k + 1]);
    }
    r.face = td_box_union(r.edge[0], r.vertex[2]);
    return r;
}

static inline bool td_is_corner(const td_swept_triangle *triangle, uint32_t vertex) {
    return triangle->vertex[0] == vertex || triangle->vertex[1] == vertex || triangle->vertex[2] == vertex;
}

static inline bool td_sides_share(const td_swept_triangle *a, int i, const td_swept_triangle *b, int j) {
    const uint32_t a0 = a->vertex[i], a1 = a->vertex[i == 2 ? 0 : i + 1];
    const uint32_t b0 = b->vertex[j], b1 = b->vertex[j == 2 ? 0 : j + 1];
    return a0 == b0 || a0 == b1 || a1 == b0 || a1 == b1;
}

static inline bool td_owns(const td_swept_triangle *triangle, int bit) {
    return triangle->owns >> bit & 1u;
}

static inline void td_add_candidate(td_swept_worker *worker, td_candidate candidate) {
    worker->candidates.items[worker->candidates.count++] = candidate;
}

static inline td_swept_edge td_side_of(const td_swept_triangle *triangle, int i) {
    return td_swept_edge_make(triangle->edge[i], triangle->vertex[i], triangle->vertex[i == 2 ? 0 : i + 1]);
}

static inline td_candidate td_vertex_and_face(uint32_t vertex, uint32_t face,
                                              const td_swept_triangle *triangle, td_contact_kind kind) {
    const uint32_t *corner = triangle->vertex;
    return td_candidate_of_vertex(vertex, face, corner[0], corner[1], corner[2], kind);
}

static void td_test_owned_edges(td_swept_worker *worker, const td_swept_question *question,
                                const td_triangle_boxes *a, const td_triangle_boxes *b) {
    for (int i = 0; i < 3; ++i) {
        if (!td_owns(a->triangle, i) || !td_boxes_meet(a->edge[i], b->face)) {
            continue;
        }
        for (int j = 0; j < 3; ++j) {
            if (td_owns(b->triangle, j) && td_boxes_meet(a->edge[i], b->edge[j]) &&
                !(question->self && td_sides_share(a->triangle, i, b->triangle, j))) {
                td_add_candidate(worker, td_candidate_of_edges(question->self, td_side_of(a->triangle, i),
                                                               td_side_of(b->triangle, j)));
            }
        }
    }
}

static inline bool td_vertex_may_touch(const td_swept_question *question, const td_triangle_boxes *of, int k,
                                       const td_triangle_boxes *face) {
    return td_owns(of->triangle, 4 + k) && td_boxes_meet(of->vertex[k], face->face) &&
           !(question->self && td_is_corner(face->triangle, of->triangle->vertex[k]));
}

void td_swept_test_pair(td_swept_worker *worker, const td_swept_question *question, td_pair pair) {
    const td_triangle_boxes a = td_boxes_of_triangle(question->a, &question->features_a->triangles[pair.a]);
    const td_triangle_boxes b = td_boxes_of_triangle(question->b, &question->features_b->triangles[pair.b]);
    // Of one mesh, a vertex of B's triangle and A's triangle are a vertex and a face like any other.
    const td_contact_kind turned = question->self ? TD_CONTACT_VERTEX_FACE : TD_CONTACT_FACE_VERTEX;
    td_test_owned_edges(worker, question, &a, &b);
    for (int k = 0; k < 3; ++k) {
        if (td_vertex_may_touch(question, &a, k, &b)) {
            td_add_candidate(worker, td_vertex_and_face(a.triangle->vertex[k], pair.b, b.triangle,
                                                        TD_CONTACT_VERTEX_FACE));
        }
        if (td_vertex_may_touch(question, &b, k, &a)) {
            td_add_candidate(worker, td_vertex_and_face(b.triangle->vertex[k], pair.a, a.triangle, turned));
        }
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// Brute force

// Features whose boxes are apart are left out here, too: so that what is answered by "touching, not certain"
// is the same for every strategy.
void td_swept_brute(td_swept_worker *worker, const td_swept_question *question, uint32_t first,
                    uint32_t end) {
    const uint32_t count = question->features_b->triangle_count;
    worker->candidates.count = 0;
    if (td_array_reserve(question->context, &worker->candidates, TD_CANDIDATES_AT + TD_CANDIDATES_OF_TILE) !=
        TD_OK) {
        worker->result = TD_ERROR_MEMORY;
        return;
    }
    for (uint32_t i = first; i < end; ++i) {
        for (uint32_t j = question->self ? i + 1 : 0; j < count && worker->result == TD_OK; ++j) {
            worker->counters.triangle_tests++;
            td_swept_test_pair(worker, question, (td_pair){i, j});
            if (worker->candidates.count >= TD_CANDIDATES_AT) {
                td_decide_candidates(worker, question);
            }
        }
    }
    td_decide_candidates(worker, question);
}
