// A recording: the header is held, of the frames only where they are, and the one that was read last.
#ifndef TD_IO_RECORD_RECORDING_H
#define TD_IO_RECORD_RECORDING_H

#include "record_frame.h"
#include "record_header.h"

typedef struct td_frame_place {
    uint64_t offset; // of its chunk
    uint64_t key;    // the last key frame up to it
    uint64_t steps, hash;
    td_record_times times; // zeros: not recorded
} td_frame_place;

struct td_recording {
    td_context *context;
    char *path;
    size_t path_size;
    td_crc_tables tables;
    td_chunk_source source;
    td_record_header header;
    td_cast cast;
    TD_ARRAY(td_frame_place) frames;
    uint64_t hash;
    uint64_t good_bytes; // up to the end of the last whole frame, or of the end mark
    bool complete, timed;
    // The frame that was read last.
    bool holds_frame;
    td_frame_numbers numbers;
    td_grid_frame frame, spare;
    td_soft_bodies soft;
    td_record_bytes payload; // of the last chunk
    // What was asked for last.
    td_pose *poses;
    TD_ARRAY(td_recorded_contact) contacts;
};

// Reads the chunk at the offset and, if it holds the frame of this number, takes it; *valid tells. What it
// refers to must be held. Fails only if the file cannot be read or memory is short.
td_result td_read_frame_at(bool *valid, td_recording *recording, uint64_t offset, uint64_t frame);

#endif
