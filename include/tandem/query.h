// Questions about meshes: which triangles of two meshes intersect, for one pose or many; which triangles of
// one mesh intersect each other. Answers are exact for the float64 coordinates and the same for every
// strategy, instruction set and number of threads.
#ifndef TANDEM_QUERY_H
#define TANDEM_QUERY_H

#include "device.h"
#include "mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

// A rigid motion: x -> R(rotation) x + position. Metres, right-handed. `rotation` is a quaternion x, y, z, w
// whose norm is 1 within 1e-6; it is normalised before use.
typedef struct td_pose {
    double position[3];
    double rotation[4];
} td_pose;

TD_API td_pose td_pose_identity(void);

// From a row-major 3x4 matrix whose left 3x3 part is a rotation within 1e-6; TD_ERROR_POSE otherwise, with a
// message that says what is wrong (not finite, scaled, sheared, mirrored).
TD_API td_result td_pose_from_matrix(td_pose *out, const double matrix[12]);

// TD_ERROR_POSE if a number is not finite or the quaternion is not of unit norm within 1e-6.
TD_API td_result td_check_pose(const td_pose *pose);

// The coordinates that queries mean when B is placed at `pose`: the float64 result of one fixed sequence of
// operations, the same on every processor.
TD_API void td_pose_apply(double out[3], const td_pose *pose, const double point[3]);

// One pair of intersecting triangles, by index in their meshes.
typedef struct td_pair {
    uint32_t a, b;
} td_pair;

typedef enum td_mode {
    TD_MODE_PAIRS, // every pair, sorted by (a, b)
    TD_MODE_COUNT, // their number only
    TD_MODE_FIRST  // stop at the first pair found: which one depends on the strategy, whether there is one
                   // does not
} td_mode;

typedef enum td_inside { TD_INSIDE_NONE, TD_INSIDE_A_IN_B, TD_INSIDE_B_IN_A } td_inside;

// "none", "a_in_b", "b_in_a".
TD_API const char *td_inside_name(td_inside inside);

// Bounding volumes of the hierarchies. Strategies on blocks know AABBs only.
typedef enum td_volume {
    TD_VOLUME_AABB, // boxes along the mesh's own axes
    TD_VOLUME_OBB   // boxes fitted by principal components
} td_volume;

TD_API const char *td_volume_name(td_volume volume); // "aabb", "obb"
TD_API td_result td_volume_from_name(td_volume *out, const char *name);

// Which of two overlapping nodes is opened, in the strategies that open one at a time.
typedef enum td_descent {
    TD_DESCENT_AUTO,     // the strategy's own
    TD_DESCENT_LARGER,   // the larger of the two, if it can be opened
    TD_DESCENT_A,        // A's, down to its leaf, then B's
    TD_DESCENT_B,        // the other way round
    TD_DESCENT_ALTERNATE // A's and B's by turns
} td_descent;

#define TD_DESCENT_COUNT 5

TD_API const char *td_descent_name(td_descent descent); // "auto", "larger", "a", "b", "alternate"
TD_API td_result td_descent_from_name(td_descent *out, const char *name);

// How strategy `balanced` shares one question out over the threads. Answers are the same.
typedef enum td_sharing {
    TD_SHARING_AUTO,    // the faster one natively: queues
    TD_SHARING_QUEUES,  // as in paper 001, section 3.3: a queue per task, balanced when many tasks are idle
    TD_SHARING_STEALING // idle tasks take from others
} td_sharing;

#define TD_SHARING_COUNT 3

TD_API const char *td_sharing_name(td_sharing sharing); // "auto", "queues", "stealing"
TD_API td_result td_sharing_from_name(td_sharing *out, const char *name);

// What a query did. Adds up over a batch, but for the last two.
typedef struct td_counters {
    uint64_t box_tests;      // pairs of boxes tested
    uint64_t triangle_tests; // pairs of triangles tested
    uint64_t exact_tests;    // of these, pairs that the float32 filter left to the exact predicate
    uint64_t bytes;          // scratch memory held by the query, on the host and on the device
    uint64_t state_bits;     // the most that the traversal of one pair had to remember: node indices of 32
                             // bits and, for `binary`, one bit per descent
} td_counters;

typedef struct td_collide_result {
    uint64_t pair_count;  // in TD_MODE_FIRST 0 or 1
    const td_pair *pairs; // null in TD_MODE_COUNT and if there are none; valid until the query is used again
                          // or destroyed
    bool colliding;
    td_inside inside; // one closed mesh lies inside the other without touching it
    td_counters counters;
    double ms; // wall-clock time of this query (of a batch item: on its worker)
} td_collide_result;

typedef struct td_collide_def {
    uint32_t cookie;
    td_mode mode;
    const char *strategy; // a name of td_strategy_name, or null: the fastest ("auto")
    td_volume volume;
    td_descent descent;
    td_sharing sharing;     // strategy `balanced`
    double idle_share;      // ... by queues: the share of idle tasks at which all stop and are balanced, 0 to
                            // 1; default 0.5
    struct td_front *front; // strategy `front`: where to start, and what to leave behind (front.h). Poses of
                            // a batch are then answered one after the other. Null: every question starts at
                            // the root
    td_device *device;      // null: native. Must be of the query's context
    bool one_item_per_pair; // on a device, `binary` and `stack`: one work-item per object pair as paper 000
                            // has it, instead of work-items that draw parts of the work from a pool
    bool keep_degenerate;   // td_self_collide: zero-area triangles take part, too
    bool measure;           // natively, take the time of every stage (td_query_times); costs some time itself
    td_progress_fn *progress;
    void *progress_user;
} td_collide_def;

TD_API td_collide_def td_default_collide_def(void);

// A query holds the buffers of its last answers and reuses them: once they are warm, nothing is allocated.
// One thread at a time may use a query; it spreads the work over the context's threads by itself.
typedef struct td_query td_query;

TD_API td_result td_create_query(td_query **out, td_context *context);
TD_API void td_destroy_query(td_query *query); // null is fine

// The intersecting triangles of `a` and of `b` placed at `pose` (null: identity).
TD_API td_result td_collide(td_collide_result *out, td_query *query, const td_mesh *a, const td_mesh *b,
                            const td_pose *pose, const td_collide_def *def);

// The same for `pose_count` poses: out[i] answers poses[i]. The pair arrays of all answers stay valid
// together. A bad pose is TD_ERROR_POSE with its index in the message, before any work is done.
TD_API td_result td_collide_batch(td_collide_result *out, td_query *query, const td_mesh *a, const td_mesh *b,
                                  const td_pose *poses, size_t pose_count, const td_collide_def *def);

// Two meshes and where the second stands in the frame of the first.
typedef struct td_object_pair {
    const td_mesh *a, *b;
    td_pose pose;
} td_object_pair;

// The same for a list of object pairs, as a simulation produces them: out[i] answers pairs[i].
TD_API td_result td_collide_pairs(td_collide_result *out, td_query *query, const td_object_pair *pairs,
                                  size_t pair_count, const td_collide_def *def);

// The pairs a < b of triangles of one mesh that intersect. Pairs that share a vertex position are left out,
// and so are triangles of zero area unless def->keep_degenerate.
TD_API td_result td_self_collide(td_collide_result *out, td_query *query, const td_mesh *mesh,
                                 const td_collide_def *def);

// Where the time of a query's last call went, in milliseconds, summed over its workers. On a device by the
// device's own clock; natively only with def.measure.
typedef struct td_query_times {
    double boxes_ms;     // traversal of the hierarchies
    double collect_ms;   // prefix sums and compaction
    double triangles_ms; // float32 filter
    double exact_ms;     // exact predicate
    double copy_in_ms, copy_out_ms;
    double refit_ms;   // hierarchies of meshes with new positions: on a device, and natively those of fronts
    double total_ms;   // of the whole call, by the host's clock
    uint64_t launches; // kernels started
    uint64_t bytes_in, bytes_out;
} td_query_times;

TD_API td_query_times td_last_times(const td_query *query);

// The strategies of this build, in the order of the table in src/traverse.
TD_API uint32_t td_strategy_count(void);
TD_API const char *td_strategy_name(uint32_t index);
TD_API const char *td_strategy_description(uint32_t index); // one line

// What a strategy can do beside AABBs between two meshes: natively, and on a td_device.
typedef struct td_strategy_abilities {
    bool self;     // self-intersection
    bool obb;      // TD_VOLUME_OBB
    bool descents; // descent rules other than TD_DESCENT_AUTO
    bool device;   // runs on a td_device
    bool device_obb, device_descents;
    bool device_self;
} td_strategy_abilities;

TD_API td_strategy_abilities td_strategy_can(uint32_t index);

#ifdef __cplusplus
}
#endif
#endif
