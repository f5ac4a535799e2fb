// A recorder: what it keeps from frame to frame.
#ifndef TD_IO_RECORD_RECORDER_H
#define TD_IO_RECORD_RECORDER_H

#include "record_chunk.h"
#include "record_frame.h"

struct td_recorder {
    td_context *context;
    int file; // -1: closed
    char *path;
    size_t path_size;
    td_crc_tables tables;
    td_pose_grid grid;
    uint32_t body_count;
    td_cast cast;
    td_grid_frame before, now; // as last put, as to be put
    td_soft_bodies soft;       // as to be put
    td_byte_writer writer;
    uint64_t frames, steps; // written so far; steps of the last
    uint64_t hash;
    bool failed; // a write did
    td_scene_cache cache;
};

// Without a file. `content` is borrowed for this call alone.
td_result td_allocate_recorder(td_recorder **out, td_context *context, const char *path,
                               const td_record_content *content, const td_recorded_state *state);
// Closes the file, if it is open.
void td_destroy_recorder(td_recorder *recorder);

#endif
