// What touches during a step, by asking everything: features by comparing everything with everything,
// elementary tests without any box.
#ifndef TD_TESTS_CONTINUOUS_SUPPORT_H
#define TD_TESTS_CONTINUOUS_SUPPORT_H

#include "support/cases.h"
#include "support/cmocka_all.h"

#include <tandem/continuous.h>

#include <stdlib.h>
#include <string.h>

typedef struct test_features {
    td_pair *edges;
    uint32_t edge_count;
    bool *used; // per vertex
} test_features;

static int test_compare_edges(const void *a, const void *b) {
    const td_pair *p = a, *q = b;
    return p->b != q->b ? (p->b > q->b) - (p->b < q->b) : (p->a > q->a) - (p->a < q->a);
}

static test_features test_features_of(const test_mesh *mesh) {
    test_features out = {malloc((3 * (size_t)mesh->triangle_count + 1) * sizeof(td_pair)), 0,
                         calloc(mesh->vertex_count, 1)};
    assert_true(out.edges != NULL && out.used != NULL);
    uint32_t count = 0;
    for (uint32_t i = 0; i < 3 * mesh->triangle_count; ++i) {
        const uint32_t p = mesh->triangles[i], q = mesh->triangles[i % 3 == 2 ? i - 2 : i + 1];
        out.used[p] = true;
        if (p != q) {
            out.edges[count++] = p < q ? (td_pair){p, q} : (td_pair){q, p};
        }
    }
    qsort(out.edges, count, sizeof *out.edges, test_compare_edges);
    for (uint32_t i = 0; i < count; ++i) {
        if (out.edge_count == 0 || test_compare_edges(&out.edges[out.edge_count - 1], &out.edges[i]) != 0) {
            out.edges[out.edge_count++] = out.edges[i];
        }
    }
    return out;
}

static void test_features_free(test_features *features) {
    free(features->edges);
    free(features->used);
}

// Both ends of a step.
typedef struct test_step {
    test_mesh start, end;
} test_step;

static inline void test_step_free(test_step *step) {
    test_mesh_free(&step->start);
    test_mesh_free(&step->end);
}

static void test_put_vertex(double positions[24], int place, const test_step *step, uint32_t vertex) {
    memcpy(positions + 3 * place, step->start.positions + 3 * (size_t)vertex, 3 * sizeof(double));
    memcpy(positions + 12 + 3 * place, step->end.positions + 3 * (size_t)vertex, 3 * sizeof(double));
}

typedef struct test_contacts {
    td_feature_contact *items[TD_CONTACT_KINDS];
    uint64_t count[TD_CONTACT_KINDS];
} test_contacts;

static void test_contacts_free(test_contacts *contacts) {
    for (int kind = 0; kind < TD_CONTACT_KINDS; ++kind) {
        free(contacts->items[kind]);
    }
}

static void test_ask_one(test_contacts *out, td_context *context, const td_moving_def *def,
                         td_contact_kind kind, td_pair numbers, const double positions[24]) {
    td_moving_contact found;
    const td_result result = kind == TD_CONTACT_EDGE_EDGE
                                 ? td_test_edge_edge(&found, context, def, positions)
                                 : td_test_vertex_face(&found, context, def, positions);
    assert_int_equal(result, TD_OK);
    if (found.touching) {
        const uint64_t count = out->count[kind]++;
        out->items[kind] = realloc(out->items[kind], (count + 1) * sizeof(td_feature_contact));
        assert_non_null(out->items[kind]);
        out->items[kind][count] = (td_feature_contact){numbers.a, numbers.b, found.certain, found.time};
    }
}

static bool test_shares(td_pair a, td_pair b) {
    return a.a == b.a || a.a == b.b || a.b == b.a || a.b == b.b;
}

static void test_expect_edges(test_contacts *out, td_context *context, const td_moving_def *def,
                              const test_step *a, const test_step *b) {
    test_features features_a = test_features_of(&a->start), features_b = test_features_of(&b->start);
    double positions[24];
    for (uint32_t i = 0; i < features_a.edge_count; ++i) {
        for (uint32_t j = a == b ? i + 1 : 0; j < features_b.edge_count; ++j) {
            const td_pair p = features_a.edges[i], q = features_b.edges[j];
            if (a == b && test_shares(p, q)) {
                continue;
            }
            test_put_vertex(positions, 0, a, p.a);
            test_put_vertex(positions, 1, a, p.b);
            test_put_vertex(positions, 2, b, q.a);
            test_put_vertex(positions, 3, b, q.b);
            test_ask_one(out, context, def, TD_CONTACT_EDGE_EDGE, (td_pair){i, j}, positions);
        }
    }
    test_features_free(&features_a);
    test_features_free(&features_b);
}

// Vertices of `a`, faces of `b`; `turned`: the result is face, vertex.
static void test_expect_vertices(test_contacts *out, td_context *context, const td_moving_def *def,
                                 const test_step *a, const test_step *b, bool turned) {
    test_features features = test_features_of(&a->start);
    const uint32_t vertices = a->start.vertex_count, faces = b->start.triangle_count;
    double positions[24];
    for (uint64_t n = 0; n < (uint64_t)vertices * faces; ++n) {
        const uint32_t vertex = (uint32_t)(turned ? n % vertices : n / faces);
        const uint32_t face = (uint32_t)(turned ? n / vertices : n % faces);
        const uint32_t *corner = b->start.triangles + 3 * (size_t)face;
        if (!features.used[vertex] ||
            (a == b && (corner[0] == vertex || corner[1] == vertex || corner[2] == vertex))) {
            continue;
        }
        test_put_vertex(positions, 0, a, vertex);
        for (int k = 0; k < 3; ++k) {
            test_put_vertex(positions, k + 1, b, corner[k]);
        }
        test_ask_one(out, context, def, turned ? TD_CONTACT_FACE_VERTEX : TD_CONTACT_VERTEX_FACE,
                     turned ? (td_pair){face, vertex} : (td_pair){vertex, face}, positions);
    }
    test_features_free(&features);
}

// `b` is `a` for a mesh against itself.
static test_contacts test_expect(td_context *context, const td_moving_def *def, const test_step *a,
                                 const test_step *b) {
    test_contacts out = {0};
    test_expect_edges(&out, context, def, a, b);
    test_expect_vertices(&out, context, def, a, b, false);
    if (a != b) {
        test_expect_vertices(&out, context, def, b, a, true);
    }
    return out;
}

#endif
