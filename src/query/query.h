// A query: buffers for its workers and its answers.
#ifndef TD_QUERY_QUERY_H
#define TD_QUERY_QUERY_H

#include "../traverse/balanced.h"
#include "../traverse/device_state.h"
#include "../traverse/traversal.h"

// Where the pairs of one answer lie, until pointers can be given out (buffers move while they grow).
typedef struct td_place {
    uint32_t worker;
    size_t first;
} td_place;

struct td_query {
    td_context *context;
    td_worker *workers;
    uint32_t worker_count;
    td_pair_list starts;
    TD_ARRAY(td_place) places; // per question of a call
    td_query_times times;      // of the last call
    td_share_buffers sharing;
    td_device_state *device_state; // null: no device has been used yet
};

// What a device knows the mesh by.
td_mesh_stamp td_mesh_stamp_of(const td_mesh *mesh);

// Sees to it that the query's device state is one of this device.
td_result td_query_ready_device(td_query *query, td_device *device);

#endif
