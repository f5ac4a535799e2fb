// Rigid bodies in motion: pieces of time in which paths are all but straight, and pairs of features cut
// further where that is not enough to tell.
#include "../core/clock.h"
#include "../core/context.h"
#include "../core/error.h"
#include "../core/tasks.h"
#include "continuous.h"
#include "continuous_motion.h"
#include "pose.h"

#include <math.h>

enum { TD_CHUNK_OF_PLACES = 8192, TD_MOST_HALVINGS = 40 };

static const double TD_PIECE_ANGLE = 0.0625; // between the quaternions of a piece, at most

// Both bodies, for the elementary tests.
typedef struct td_rigid_pair {
    const td_mesh *meshes[2];
    td_body_motion motions[2];
    td_motion_piece pieces[2]; // the current one
    double tolerance;
    td_continuous_way way;
} td_rigid_pair;

// ---------------------------------------------------------------------------------------------------------------------
// Paths

typedef struct td_placing {
    td_path *paths;
    const td_trimesh *mesh;
    td_placement ends[2];
    td_rigid poses[2]; // of a translation
    bool translation;
    atomic_uint bad;
} td_placing;

static void td_place_chunk(uint32_t item, void *payload) {
    td_placing *placing = payload;
    const uint32_t first = item * TD_CHUNK_OF_PLACES, count = placing->mesh->vertex_count;
    const uint32_t end = count - first < TD_CHUNK_OF_PLACES ? count : first + TD_CHUNK_OF_PLACES;
    for (uint32_t v = first; v < end; ++v) {
        const td_vec3 x = td_trimesh_vertex(placing->mesh, v);
        for (int k = 0; k < 2; ++k) {
            const td_vec3 p = placing->translation ? td_rigid_apply(placing->poses[k], x)
                                                   : td_place_vertex(&placing->ends[k], x);
            placing->paths[v].at[k] = p;
            if (!(isfinite(p.x) && isfinite(p.y) && isfinite(p.z))) {
                atomic_store(&placing->bad, v);
            }
        }
    }
}

static td_result td_place_paths(td_continuous *query, td_placing *placing, int body) {
    td_continuous_side *side = &query->sides[body];
    const uint32_t count = placing->mesh->vertex_count;
    placing->paths = side->paths.items;
    atomic_init(&placing->bad, UINT32_MAX);
    td_run_tasks(query->context, td_place_chunk,
                 count / TD_CHUNK_OF_PLACES + (count % TD_CHUNK_OF_PLACES != 0), placing);
    if (atomic_load(&placing->bad) != UINT32_MAX) {
        return td_fail(TD_ERROR_POSE, "body %c: the motion takes a vertex beyond float64", "AB"[body]);
    }
    return td_find_bounds(query, side);
}

// ---------------------------------------------------------------------------------------------------------------------
// One pair of features

static td_moving_points td_points_in_pieces(const td_rigid_pair *pair, const td_motion_piece pieces[2],
                                            const td_candidate *candidate) {
    td_moving_points points;
    for (int end = 0; end < 2; ++end) {
        const td_placement placements[2] = {td_placement_at(&pair->motions[0], &pieces[0], end),
                                            td_placement_at(&pair->motions[1], &pieces[1], end)};
        for (int i = 0; i < 4; ++i) {
            const int body = td_is_of_b(candidate->kind, i);
            points.at[end][i] = td_place_vertex(
                &placements[body], td_trimesh_vertex(&pair->meshes[body]->triangles, candidate->vertex[i]));
        }
    }
    return points;
}

static double td_deviation_of_both(const td_rigid_pair *pair, const td_motion_piece pieces[2]) {
    return td_piece_deviation(&pair->motions[0], &pieces[0]) +
           td_piece_deviation(&pair->motions[1], &pieces[1]);
}

static double td_rounding_of_both(const td_rigid_pair *pair) {
    return pair->motions[0].rounding + pair->motions[1].rounding;
}

// Paths within `deviation` of straight ones come as near as `separation` only if the straight ones come as
// near as both.
static td_moving_def td_enlarged(const td_swept_question *question, const td_rigid_pair *pair,
                                 double deviation) {
    td_moving_def def = question->moving;
    def.separation = (def.separation + deviation + td_rounding_of_both(pair)) * (1.0 + 0x1p-40);
    return def;
}

static td_result td_decide_in_pieces(td_moving_contact *out, const td_swept_question *question,
                                     const td_candidate *candidate, const td_motion_piece pieces[2],
                                     int halvings) {
    const td_rigid_pair *pair = question->user;
    const int kind = candidate->kind == TD_CONTACT_EDGE_EDGE ? TD_EDGE_EDGE : TD_VERTEX_FACE;
    const td_moving_points points = td_points_in_pieces(pair, pieces, candidate);
    const double deviation = td_deviation_of_both(pair, pieces);
    const td_moving_def def = td_enlarged(question, pair, deviation);
    TD_TRY(td_decide_moving(out, question->context, &points, kind, &def));
    if (!out->touching) {
        return TD_OK;
    }
    if (deviation <= pair->tolerance || halvings == 0) {
        const double *time = pieces[0].time;
        // The sum is rounded; never upward beyond the true time.
        out->time = fmax(0.0, time[0] + out->time * (time[1] - time[0]) - 0x1p-52);
        out->certain = false;
        return TD_OK;
    }
    for (int half = 0; half < 2; ++half) {
        const td_motion_piece halves[2] = {td_half_of_piece(&pieces[0], half),
                                           td_half_of_piece(&pieces[1], half)};
        TD_TRY(td_decide_in_pieces(out, question, candidate, halves, halvings - 1));
        if (out->touching) {
            return TD_OK;
        }
    }
    return TD_OK;
}

static td_result td_decide_rigid(td_moving_contact *out, const td_swept_question *question,
                                 const td_candidate *candidate) {
    const td_rigid_pair *pair = question->user;
    return td_decide_in_pieces(out, question, candidate, pair->pieces, TD_MOST_HALVINGS);
}

// ---------------------------------------------------------------------------------------------------------------------
// One piece, and all of them

static td_result td_answer_piece(td_continuous_result *out, td_continuous *query, const td_rigid_pair *pair,
                                 const td_continuous_def *def) {
    const td_continuous_way *way = &pair->way;
    const double start = td_clock_ms();
    for (int body = 0; body < 2; ++body) {
        td_placing placing = {.mesh = &pair->meshes[body]->triangles,
                              .ends = {td_placement_at(&pair->motions[body], &pair->pieces[body], 0),
                                       td_placement_at(&pair->motions[body], &pair->pieces[body], 1)}};
        TD_TRY(td_place_paths(query, &placing, body));
    }
    atomic_ullong best_bits;
    td_swept_question question = td_question_about(query, def, false, &best_bits);
    const double separation =
        td_enlarged(&question, pair, td_deviation_of_both(pair, pair->pieces)).separation;
    TD_TRY(td_fit_sides(query, pair->meshes, 2, separation, false));
    TD_TRY(td_fit_trees(query, way));
    question = td_question_about(query, def, false, &best_bits);
    question.decide = td_decide_rigid;
    question.user = pair;
    question.mode = TD_CONTINUOUS_ALL; // a pair that touches in several pieces is one
    const double fitted = td_clock_ms();
    TD_TRY(td_run_continuous(query, &question, def, way));
    TD_TRY(td_gather_contacts(out, query));
    out->fit_ms += fitted - start;
    out->walk_ms += td_clock_ms() - fitted;
    return TD_OK;
}

// Pieces in the order of time. Whoever asks for the earliest contact is content with the first piece that has
// one.
static td_result td_answer_pieces(td_continuous_result *out, td_continuous *query, td_rigid_pair *pair,
                                  const td_motion_piece pieces[2], const td_continuous_def *def) {
    bool small = true;
    for (int body = 0; body < 2; ++body) {
        const double radius = pair->motions[body].radius;
        small = small && td_piece_deviation(&pair->motions[body], &pieces[body]) <=
                             0.5 * radius * TD_PIECE_ANGLE * TD_PIECE_ANGLE * (1.0 + 0x1p-20);
    }
    if (small) {
        pair->pieces[0] = pieces[0];
        pair->pieces[1] = pieces[1];
        return td_answer_piece(out, query, pair, def);
    }
    for (int half = 0; half < 2; ++half) {
        const td_motion_piece halves[2] = {td_half_of_piece(&pieces[0], half),
                                           td_half_of_piece(&pieces[1], half)};
        TD_TRY(td_answer_pieces(out, query, pair, halves, def));
        if (out->touching && def->mode == TD_CONTINUOUS_EARLIEST) {
            return TD_OK;
        }
    }
    return TD_OK;
}

// What bodies cover lies within their radii around the paths of their centres.
static double td_size_of_motion(const td_rigid_pair *pair) {
    double size = 0.0;
    for (int body = 0; body < 2; ++body) {
        const td_body_motion *motion = &pair->motions[body];
        size = fmax(size, 2.0 * motion->radius + td_length(motion->way));
    }
    return size;
}

static td_result td_answer_turning(td_continuous_result *out, td_continuous *query, td_rigid_pair *pair,
                                   const td_continuous_def *def, double start) {
    pair->tolerance = def->tolerance > 0.0 ? def->tolerance : 0x1p-24 * td_size_of_motion(pair);
    for (int body = 0; body < 2; ++body) {
        if (!isfinite(pair->motions[body].rounding) || !isfinite(td_size_of_motion(pair))) {
            return td_fail(TD_ERROR_POSE, "body %c: the bounds of the motion overflow", "AB"[body]);
        }
    }
    const td_motion_piece whole[2] = {td_whole_motion(&pair->motions[0]), td_whole_motion(&pair->motions[1])};
    TD_TRY(td_answer_pieces(out, query, pair, whole, def));
    TD_TRY(td_finish_contacts(out, query, def));
    for (int kind = 0; kind < TD_CONTACT_KINDS; ++kind) {
        out->count[kind] = query->contacts[kind].count;
        if (def->mode == TD_CONTINUOUS_COUNT) {
            out->contacts[kind] = NULL;
        }
    }
    td_give_out_edges(out, query, false);
    out->ms = td_clock_ms() - start;
    return TD_OK;
}

static td_result td_answer_translating(td_continuous_result *out, td_continuous *query, td_rigid_pair *pair,
                                       const td_rigid_motion *const motions[2], const td_continuous_def *def,
                                       double start) {
    for (int body = 0; body < 2; ++body) {
        td_placing placing = {
            .mesh = &pair->meshes[body]->triangles,
            .poses = {td_pose_rigid(&motions[body]->start), td_pose_rigid(&motions[body]->end)},
            .translation = true};
        TD_TRY(td_place_paths(query, &placing, body));
    }
    return td_answer_straight(out, query, &pair->way, def, start);
}

static td_result td_check_motion(const td_rigid_motion *motion, const char *body) {
    if (motion->course != TD_COURSE_LINEAR && motion->course != TD_COURSE_SCREW) {
        td_fail(TD_ERROR_ARGUMENT, "no course has the number %d", (int)motion->course);
        return td_fail_within(TD_ERROR_ARGUMENT, body);
    }
    for (int end = 0; end < 2; ++end) {
        if (td_check_pose(end == 0 ? &motion->start : &motion->end) != TD_OK) {
            td_fail_within(TD_ERROR_POSE, end == 0 ? "start" : "end");
            return td_fail_within(TD_ERROR_POSE, body);
        }
    }
    return TD_OK;
}

td_result td_continuous_rigid(td_continuous_result *out, td_continuous *query, const td_mesh *a,
                              const td_rigid_motion *motion_a, const td_mesh *b,
                              const td_rigid_motion *motion_b, const td_continuous_def *def) {
    const double start = td_clock_ms();
    const td_rigid_motion *const motions[2] = {motion_a, motion_b};
    td_rigid_pair pair = {.meshes = {a, b}};
    *out = (td_continuous_result){0};
    TD_TRY(td_check_continuous_def(&pair.way, query, def, false));
    pair.way.meshes[0] = a;
    pair.way.meshes[1] = b;
    TD_TRY(td_check_motion(motion_a, "body A"));
    TD_TRY(td_check_motion(motion_b, "body B"));
    td_begin_result(out, query);
    for (int body = 0; body < 2; ++body) {
        TD_TRY(td_prepare_features(query, &query->sides[body], pair.meshes[body]));
        TD_TRY(td_prepare_paths(query, &query->sides[body], pair.meshes[body]));
    }
    if (td_is_translation(motion_a) && td_is_translation(motion_b)) {
        return td_answer_translating(out, query, &pair, motions, def, start);
    }
    for (int body = 0; body < 2; ++body) {
        pair.motions[body] = td_body_motion_of(motions[body], &pair.meshes[body]->triangles);
    }
    return td_answer_turning(out, query, &pair, def, start);
}
