// tandem-peers: tandem beside other libraries, on the same meshes and poses. Six questions, one file each.
#ifndef TD_BENCH_COMPARE_H
#define TD_BENCH_COMPARE_H

#include "peer.h"
#include "poses.h"

#define TD_MAX_ENTRANTS 16
#define TD_MAX_REPEATS  99

typedef struct td_compare_options {
    const char *source_a, *source_b; // of subject.h; b may be null: a against itself
    td_pose_set set;
    td_peer_mode mode;
    uint32_t pose_count;
    uint32_t repeats;
    double budget_s;         // a library that has used this much time does no further repeat
    uint32_t threads;        // of tandem's second row; 1: none
    const char *isas;        // names separated by commas; the first is the one that ratios refer to
    const char *peers;       // names separated by commas; null: all of this build
    bool cpu_clock;          // collide: time of the calling thread instead of wall-clock time
    const char *csv;         // may be null
    const char *write_poses; // may be null
} td_compare_options;

// *agreed becomes false if an exact library's answers are not tandem's.
td_result td_compare_collide(bool *agreed, const td_compare_options *options);
td_result td_compare_self(bool *agreed, const td_compare_options *options);
td_result td_compare_build(const td_compare_options *options);
td_result td_compare_refit(const td_compare_options *options);
td_result td_compare_rays(const td_compare_options *options);

// A program of its own, with options of its own; `arguments[0]` is its name. Returns the exit status.
int td_compare_pile(int count, char **arguments);

// Shared by them.
bool td_list_has(const char *list, const char *name); // a name in a list separated by commas
// A number from 1 to `most`; `option` is for the message.
td_result td_parse_count(uint32_t *out, const char *option, const char *text, uint32_t most);
bool td_peer_is_chosen(const td_compare_options *options, const td_peer *peer);
td_result td_open_context(td_context **out, const char *isa_name, uint32_t threads);
td_result td_first_isa(char *out, size_t capacity, const td_compare_options *options);

#endif
