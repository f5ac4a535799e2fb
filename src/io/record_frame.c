#include "record_frame.h"

#include "../core/error.h"

td_result td_create_frame(td_grid_frame *out, td_context *context, uint32_t body_count) {
    *out = (td_grid_frame){.body_count = body_count};
    out->poses = TD_NEW(context, td_grid_pose, body_count);
    out->motions = TD_NEW(context, td_grid_motion, body_count);
    if (out->poses == NULL || out->motions == NULL) {
        return TD_ERROR_MEMORY;
    }
    for (uint32_t body = 0; body < body_count; ++body) {
        out->poses[body] = (td_grid_pose){0};
        out->motions[body] = 0;
    }
    return TD_OK;
}

void td_release_frame(td_grid_frame *frame, td_context *context) {
    TD_DELETE(context, td_grid_pose, frame->poses, frame->body_count);
    TD_DELETE(context, td_grid_motion, frame->motions, frame->body_count);
    td_array_release(context, &frame->contacts);
    *frame = (td_grid_frame){0};
}

static void td_swap_frames(td_grid_frame *a, td_grid_frame *b) {
    const td_grid_frame spare = *a;
    *a = *b;
    *b = spare;
}

// ---------------------------------------------------------------------------------------------------------
// Numbers

static void td_put_frame_numbers(td_byte_writer *writer, const td_frame_numbers *numbers) {
    td_put_u64(writer, numbers->frame);
    td_put_u64(writer, numbers->steps);
    td_put_u64(writer, numbers->hash);
    td_put_f64(writer, numbers->time);
    td_put_f64(writer, numbers->kinetic_energy);
    td_put_f64(writer, numbers->potential_energy);
    td_put_f64(writer, numbers->penetration);
    td_put_f64(writer, numbers->residual);
    td_put_u32(writer, numbers->awake);
    td_put_u32(writer, numbers->islands);
    td_put_u32(writer, numbers->passes);
    td_put_u32(writer, numbers->colours);
    td_put_u64(writer, numbers->broad_pairs);
    td_put_u64(writer, numbers->colliding_pairs);
    td_put_u64(writer, numbers->faces);
    td_put_u64(writer, numbers->regions);
    td_put_u64(writer, numbers->contacts);
    td_put_u64(writer, numbers->stopped_bodies);
}

static td_frame_numbers td_take_frame_numbers(td_byte_reader *reader) {
    td_frame_numbers numbers;
    numbers.frame = td_take_u64(reader);
    numbers.steps = td_take_u64(reader);
    numbers.hash = td_take_u64(reader);
    numbers.time = td_take_f64(reader);
    numbers.kinetic_energy = td_take_f64(reader);
    numbers.potential_energy = td_take_f64(reader);
    numbers.penetration = td_take_f64(reader);
    numbers.residual = td_take_f64(reader);
    numbers.awake = td_take_u32(reader);
    numbers.islands = td_take_u32(reader);
    numbers.passes = td_take_u32(reader);
    numbers.colours = td_take_u32(reader);
    numbers.broad_pairs = td_take_u64(reader);
    numbers.colliding_pairs = td_take_u64(reader);
    numbers.faces = td_take_u64(reader);
    numbers.regions = td_take_u64(reader);
    numbers.contacts = td_take_u64(reader);
    numbers.stopped_bodies = td_take_u64(reader);
    return numbers;
}

// ---------------------------------------------------------------------------------------------------------
// Putting

uint64_t td_frame_most_bytes(const td_grid_frame *frame, const td_soft_bodies *soft) {
    uint64_t bytes = TD_FRAME_HEAD_BYTES + TD_SOFT_HEAD_BYTES +
                     (uint64_t)frame->body_count * (TD_POSE_MOST_BYTES + TD_MOTION_MOST_BYTES) +
                     (uint64_t)frame->contacts.count * TD_CONTACT_MOST_BYTES;
    for (uint32_t i = 0; i < soft->count; ++i) {
        bytes += td_soft_most_bytes(soft->items[i].vertex_count);
    }
    return bytes;
}

bool td_frame_can_follow(const td_grid_frame *frame, const td_grid_frame *before, const td_cast *cast) {
    const td_contact_rest rest = {cast, before->motions, frame->motions};
    return td_rest_is_kept(&rest, &before->contacts, &frame->contacts);
}

// The size of a list stands before it, and is known behind it.
static void td_tell_size(td_byte_writer *writer, size_t place, size_t begin) {
    if (writer->result == TD_OK) {
        td_store_little(writer->bytes.items + place, writer->bytes.count - begin, 4);
    }
}

void td_put_frame(td_byte_writer *writer, const td_frame_numbers *numbers, td_grid_frame *before,
                  td_grid_frame *frame, const td_frame_terms *terms, bool key) {
    td_put_frame_numbers(writer, numbers);
    const size_t sizes = writer->bytes.count;
    const bool has_soft = terms->soft->count > 0;
    for (int i = 0; i < (has_soft ? 3 : 2); ++i) {
        td_put_u32(writer, 0);
    }
    size_t begin = writer->bytes.count;
    td_put_poses(writer, before->poses, frame->poses, frame->body_count, key);
    td_tell_size(writer, sizes, begin);
    begin = writer->bytes.count;
    td_put_motions(writer, before->motions, frame->motions, frame->body_count, key);
    td_tell_size(writer, sizes + 4, begin);
    if (has_soft) {
        begin = writer->bytes.count;
        td_put_soft_bodies(writer, terms->soft, key);
        td_tell_size(writer, sizes + 8, begin);
    }
    const td_contact_rest rest = {terms->cast, before->motions, frame->motions};
    td_put_contacts(writer, &frame->contacts, key ? NULL : &rest);
    td_swap_frames(before, frame);
}

// ---------------------------------------------------------------------------------------------------------
// Taking

td_result td_take_frame(bool *valid, td_frame_numbers *numbers, td_grid_frame *frame, td_grid_frame *spare,
                        td_context *context, td_byte_reader *reader, const td_frame_terms *terms, bool key) {
    *valid = false;
    *numbers = td_take_frame_numbers(reader);
    const uint32_t pose_bytes = td_take_u32(reader), motion_bytes = td_take_u32(reader);
    const uint32_t soft_bytes = terms->soft->count > 0 ? td_take_u32(reader) : 0;
    td_byte_reader poses = td_take_part(reader, pose_bytes), motions = td_take_part(reader, motion_bytes);
    td_byte_reader soft = td_take_part(reader, soft_bytes);
    for (uint32_t body = 0; body < frame->body_count; ++body) {
        spare->motions[body] = frame->motions[body];
    }
    if (reader->failed || !td_take_poses(&poses, frame->poses, frame->body_count, key) ||
        !td_take_motions(&motions, frame->motions, terms->cast, key)) {
        return TD_OK;
    }
    bool soft_valid;
    TD_TRY(td_take_soft_bodies(&soft_valid, terms->soft, context, &soft, key));
    if (!soft_valid) {
        return TD_OK;
    }
    const td_contact_rest rest = {terms->cast, spare->motions, frame->motions};
    TD_TRY(td_take_contacts(valid, &spare->contacts, context, reader, &frame->contacts, key ? NULL : &rest,
                            frame->body_count));
    const td_grid_contacts old = frame->contacts;
    frame->contacts = spare->contacts;
    spare->contacts = old;
    return TD_OK;
}
