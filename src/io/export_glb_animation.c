#include "../core/error.h"
#include "export_glb.h"

#include <math.h>
#include <string.h>

enum { TD_FIRST_TIME_ROOM = 64 };

td_result td_begin_glb_animation(td_glb_animation *out, td_gltf *gltf, const char *name) {
    *out = (td_glb_animation){.name = name, .view = gltf->counts[TD_GLTF_VIEWS], .start = gltf->bytes.count};
    out->times = TD_NEW(gltf->context, td_glb_times, TD_FIRST_TIME_ROOM);
    if (out->times == NULL) {
        return TD_ERROR_MEMORY;
    }
    out->time_room = TD_FIRST_TIME_ROOM;
    memset(out->times, 0, out->time_room * sizeof *out->times);
    return TD_OK;
}

void td_end_glb_animation(td_glb_animation *animation, td_gltf *gltf) {
    if (gltf->bytes.count > animation->start) {
        td_gltf_view(gltf, animation->start, TD_GLTF_KEYS, 0);
    }
}

void td_release_glb_animation(td_glb_animation *animation, td_context *context) {
    td_array_release(context, &animation->track.keys);
    td_array_release(context, &animation->numbers);
    TD_DELETE(context, td_glb_times, animation->times, animation->time_room);
    *animation = (td_glb_animation){0};
}

// ---------------------------------------------------------------------------------------------------------
// Times

static uint64_t td_hash_times(const unsigned char *bytes, size_t size) {
    uint64_t hash = 0xcbf29ce484222325u; // FNV-1a
    for (size_t i = 0; i < size; ++i) {
        hash = (hash ^ bytes[i]) * 0x100000001b3u;
    }
    return hash ^ hash >> 32;
}

// The place of a list of times that ends the buffer, or the empty one where it belongs.
static td_glb_times *td_find_times(const td_glb_animation *animation, const td_gltf *gltf, size_t offset,
                                   uint32_t count) {
    const unsigned char *bytes = gltf->bytes.items;
    const size_t size = 4 * (size_t)count;
    for (uint64_t i = td_hash_times(bytes + offset, size);; ++i) {
        td_glb_times *place = &animation->times[i & (animation->time_room - 1)];
        if (place->count == 0 ||
            (place->count == count && memcmp(bytes + place->offset, bytes + offset, size) == 0)) {
            return place;
        }
    }
}

static td_result td_grow_times(td_glb_animation *animation, td_gltf *gltf) {
    td_glb_animation larger = *animation;
    larger.time_room = 2 * animation->time_room;
    larger.times = TD_NEW(gltf->context, td_glb_times, larger.time_room);
    if (larger.times == NULL) {
        return TD_ERROR_MEMORY;
    }
    memset(larger.times, 0, larger.time_room * sizeof *larger.times);
    for (size_t i = 0; i < animation->time_room; ++i) {
        const td_glb_times *place = &animation->times[i];
        if (place->count > 0) {
            *td_find_times(&larger, gltf, place->offset, place->count) = *place;
        }
    }
    TD_DELETE(gltf->context, td_glb_times, animation->times, animation->time_room);
    animation->times = larger.times;
    animation->time_room = larger.time_room;
    return TD_OK;
}

// The accessor of the times of the keys at hand.
static td_result td_write_times(uint32_t *out, td_glb_animation *animation, td_gltf *gltf,
                                const td_track_source *source) {
    const uint32_t count = (uint32_t)animation->track.keys.count;
    const size_t offset = gltf->bytes.count;
    if (2 * (animation->time_count + 1) > animation->time_room) {
        TD_TRY(td_grow_times(animation, gltf));
    }
    animation->numbers.count = 0;
    TD_TRY(td_array_reserve(gltf->context, &animation->numbers, count));
    for (uint32_t i = 0; i < count; ++i) {
        animation->numbers.items[i] = td_key_time(source, animation->track.keys.items[i]);
    }
    TD_TRY(td_gltf_append_floats(gltf, animation->numbers.items, count));
    td_glb_times *place = td_find_times(animation, gltf, offset, count);
    if (place->count > 0) {
        gltf->bytes.count = offset;
    } else {
        const double first = (double)animation->numbers.items[0];
        const double last = (double)animation->numbers.items[count - 1];
        const td_gltf_accessor accessor = {.view = animation->view,
                                           .offset = offset - animation->start,
                                           .component = TD_GLTF_FLOAT,
                                           .count = count,
                                           .type = "SCALAR",
                                           .lower = &first,
                                           .upper = &last,
                                           .bounds = 1};
        *place = (td_glb_times){td_gltf_add_accessor(gltf, &accessor), count, offset};
        ++animation->time_count;
    }
    *out = place->accessor;
    return TD_OK;
}

// ---------------------------------------------------------------------------------------------------------
// Values

static td_result td_write_values(uint32_t *out, td_glb_animation *animation, td_gltf *gltf,
                                 const td_track_source *source, td_track_kind kind) {
    const size_t count = animation->track.keys.count, size = kind == TD_TRACK_POSITION ? 3 : 4;
    animation->numbers.count = 0;
    TD_TRY(td_array_reserve(gltf->context, &animation->numbers, size * count));
    for (size_t i = 0; i < count; ++i) {
        float value[4];
        td_key_value(value, source, kind, animation->track.keys.items[i]);
        memcpy(animation->numbers.items + size * i, value, size * sizeof *value);
    }
    const td_gltf_accessor accessor = {.view = animation->view,
                                       .offset = gltf->bytes.count - animation->start,
                                       .component = TD_GLTF_FLOAT,
                                       .count = count,
                                       .type = kind == TD_TRACK_POSITION ? "VEC3" : "VEC4"};
    TD_TRY(td_gltf_append_floats(gltf, animation->numbers.items, size * count));
    *out = td_gltf_add_accessor(gltf, &accessor);
    return TD_OK;
}

static void td_write_channel(td_glb_animation *animation, td_gltf *gltf, uint32_t node, const char *path,
                             uint32_t times, uint32_t values) {
    if (animation->samplers == NULL) {
        cJSON *entry = td_gltf_entry(gltf, TD_GLTF_ANIMATIONS);
        td_gltf_text(gltf, entry, "name", animation->name);
        animation->samplers = td_gltf_array(gltf, entry, "samplers");
        animation->channels = td_gltf_array(gltf, entry, "channels");
    }
    cJSON *sampler = td_gltf_object(gltf, animation->samplers, NULL);
    td_gltf_number(gltf, sampler, "input", times);
    td_gltf_number(gltf, sampler, "output", values);
    td_gltf_text(gltf, sampler, "interpolation", "LINEAR");
    cJSON *channel = td_gltf_object(gltf, animation->channels, NULL);
    td_gltf_number(gltf, channel, "sampler", animation->sampler_count++);
    cJSON *target = td_gltf_object(gltf, channel, "target");
    td_gltf_number(gltf, target, "node", node);
    td_gltf_text(gltf, target, "path", path);
}

// Keys at all samples share their times with those of other bodies; keys at some of them rarely do.
static bool td_saves_bytes(const td_track *track, const td_track_source *source, td_track_kind kind) {
    const size_t time = 4, value = kind == TD_TRACK_POSITION ? 12 : 16;
    const size_t accessor = 110; // as JSON
    return track->keys.count * (time + value) + accessor < source->count * value;
}

static uint32_t td_count_jumps(const td_track_source *source) {
    uint32_t jumps = 0;
    for (uint32_t i = 1; i < source->count; ++i) {
        jumps += source->samples[i].jumped;
    }
    return jumps;
}

// Fits and writes a track; *moves becomes true if it has keys.
static td_result td_write_track(bool *moves, td_glb_animation *animation, td_gltf *gltf, td_export *task,
                                const td_track_source *source, uint32_t node, td_track_kind kind,
                                double limit) {
    uint32_t times, values;
    TD_TRY(td_fit_track(&animation->track, gltf->context, source, kind, limit));
    if (animation->track.keys.count == 0) {
        return TD_OK;
    }
    if (!td_saves_bytes(&animation->track, source, kind)) {
        TD_TRY(td_fit_track(&animation->track, gltf->context, source, kind, 0));
    }
    TD_TRY(td_write_times(&times, animation, gltf, source));
    TD_TRY(td_write_values(&values, animation, gltf, source, kind));
    td_write_channel(animation, gltf, node, kind == TD_TRACK_POSITION ? "translation" : "rotation", times,
                     values);
    task->report.keys += animation->track.keys.count;
    task->report.sampled_keys += source->count + td_count_jumps(source); // each holds a pose
    *moves = true;
    return TD_OK;
}

// Half of the tolerance is for the position, half for the rotation. Two rotations whose quaternions are d
// apart put a point of the body 2 d `reach` apart, at most.
td_result td_animate_body(td_glb_animation *animation, td_gltf *gltf, td_export *task,
                          const td_track_source *source, uint32_t node, double reach, double rounding) {
    const double tolerance = task->def.tolerance;
    const double turn = reach > 0 ? fmin(tolerance, 0.5 * tolerance / (2 * reach)) : tolerance;
    bool moves = false;
    double error = rounding;
    TD_TRY(td_write_track(&moves, animation, gltf, task, source, node, TD_TRACK_POSITION, 0.5 * tolerance));
    error += animation->track.error;
    TD_TRY(td_write_track(&moves, animation, gltf, task, source, node, TD_TRACK_ROTATION, turn));
    error += 2 * reach * animation->track.error;
    task->report.largest_error = fmax(task->report.largest_error, error);
    task->report.moving_bodies += moves;
    task->report.jumps += td_count_jumps(source);
    return TD_OK;
}

// Weights are 0 and 1, for which a byte is enough: there are as many as keys times shapes.
static td_result td_write_weights(uint32_t *out, td_glb_animation *animation, td_gltf *gltf,
                                  const td_shape_key *keys, uint32_t key_count, uint32_t shapes) {
    const size_t offset = gltf->bytes.count, count = (size_t)key_count * shapes;
    TD_TRY(td_gltf_append_zeros(gltf, count));
    for (uint32_t i = 0; i < key_count; ++i) {
        if (keys[i].shape > 0) {
            gltf->bytes.items[offset + (size_t)i * shapes + keys[i].shape - 1] = UINT8_MAX;
        }
    }
    const td_gltf_accessor accessor = {.view = animation->view,
                                       .offset = offset - animation->start,
                                       .component = TD_GLTF_UNSIGNED_BYTE,
                                       .normalized = true,
                                       .count = count,
                                       .type = "SCALAR"};
    *out = td_gltf_add_accessor(gltf, &accessor);
    return TD_OK;
}

td_result td_animate_shapes(td_glb_animation *animation, td_gltf *gltf, const td_track_source *source,
                            uint32_t node, const td_shape_key *keys, uint32_t key_count, uint32_t shapes) {
    uint32_t times, weights;
    animation->track.keys.count = 0;
    TD_TRY(td_array_reserve(gltf->context, &animation->track.keys, key_count));
    for (uint32_t i = 0; i < key_count; ++i) {
        animation->track.keys.items[animation->track.keys.count++] = (td_track_key){.sample = keys[i].sample};
    }
    TD_TRY(td_write_times(&times, animation, gltf, source));
    TD_TRY(td_write_weights(&weights, animation, gltf, keys, key_count, shapes));
    td_write_channel(animation, gltf, node, "weights", times, weights);
    return TD_OK;
}
