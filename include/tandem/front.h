// Fronts: what a query remembers of the one before it. Where a mesh deforms, or two meshes move, a little
// from question to question, the traversal of their hierarchies ends where it ended the last time, or close
// by. A front keeps that place (paper 001, section 4.2), and strategy `front` starts from it. Answers are
// those of every other strategy.
#ifndef TANDEM_FRONT_H
#define TANDEM_FRONT_H

#include "query.h"

#ifdef __cplusplus
extern "C" {
#endif

// A front follows one pair of meshes, or one mesh and itself: give it to every question about them
// (td_collide_def.front, with strategy "front"). Given other meshes, or one whose hierarchy has been built
// anew, it starts again from the root; meshes may be destroyed before it. One thread at a time may use a
// front; fronts of a context are independent of each other.
//
// On a device (td_collide_def.device, td_continuous_def.device) the front is kept in the memory of the
// device, which it holds then, and stepped there; a question elsewhere brings it along. It is the same front,
// entry by entry.
typedef struct td_front td_front;

typedef struct td_front_def {
    uint32_t cookie;
    uint64_t most_bytes; // of its entries, 12 bytes each; one that outgrows this, or the memory of its
                         // device, is dropped
} td_front_def;

TD_API td_front_def td_default_front_def(void); // 256 MiB

TD_API td_result td_create_front(td_front **out, td_context *context, const td_front_def *def);
TD_API void td_destroy_front(td_front *front); // null is fine

// Forgets everything but what it was created with: the next question starts from the root.
TD_API void td_reset_front(td_front *front);

// Where the last question started.
typedef enum td_front_start {
    TD_FRONT_NONE,    // there was none, or it was answered without hierarchies: the meshes' boxes are far
                      // apart, or their coordinates too large for float32. The front stays as it was
    TD_FRONT_WARM,    // at the front
    TD_FRONT_FIRST,   // at the root: nothing was kept
    TD_FRONT_OTHER,   // at the root: the front was that of other meshes
    TD_FRONT_REBUILT, // at the root: a hierarchy has been built anew
    TD_FRONT_DROPPED  // at the root: the front had been dropped the time before
} td_front_start;

TD_API const char *td_front_start_name(td_front_start start); // "none", "warm", "first", ...

typedef struct td_front_report {
    td_front_start start;
    bool dropped;                       // the question was answered, but there was no room for its front
    uint64_t entries;                   // pairs of nodes in the front that was left
    uint64_t kept, descended, ascended; // of the entries it started from
    uint64_t bytes;                     // held by the front, on the device as well
    uint64_t hierarchy_bytes;           // of the binary hierarchies of the meshes, which all fronts share
} td_front_report;

TD_API td_front_report td_last_front(const td_front *front);

#ifdef __cplusplus
}
#endif
#endif
