#include "replay_frame.h"

#include "io/record.h"
#include "json.h"
#include "message.h"
#include "table.h"

#include <inttypes.h>
#include <stdlib.h>

// A frame, read.
typedef struct td_told_frame {
    td_cli_output *output;
    td_recording *recording;
    td_recording_info info;
    td_frame_numbers numbers;
    td_step_report report;
    td_pose *poses;
    td_recorded_motion *motions;
    bool with_contacts;
    const td_recorded_contact *contacts; // null without them
    size_t contact_count;
} td_told_frame;

const char *td_cli_hash_text(char text[TD_CLI_HASH_SIZE], uint64_t hash) {
    snprintf(text, TD_CLI_HASH_SIZE, "%016" PRIx64, hash);
    return text;
}

// ---------------------------------------------------------------------------------------------------------
// JSON

static void td_json_vector(td_cli_json *json, const char *key, const double *vector, int size) {
    td_cli_json_array(json, key, TD_JSON_INLINE);
    for (int k = 0; k < size; ++k) {
        td_cli_json_number(json, NULL, vector[k]);
    }
    td_cli_json_end(json);
}

static void td_json_numbers(td_cli_json *json, const td_frame_numbers *numbers) {
    char hash[TD_CLI_HASH_SIZE];
    td_cli_json_count(json, "frame", numbers->frame);
    td_cli_json_count(json, "steps", numbers->steps);
    td_cli_json_text(json, "hash", td_cli_hash_text(hash, numbers->hash));
    td_cli_json_number(json, "time", numbers->time);
    td_cli_json_number(json, "kinetic_energy", numbers->kinetic_energy);
    td_cli_json_number(json, "potential_energy", numbers->potential_energy);
    td_cli_json_number(json, "penetration", numbers->penetration);
    td_cli_json_number(json, "residual", numbers->residual);
    td_cli_json_count(json, "awake", numbers->awake);
    td_cli_json_count(json, "islands", numbers->islands);
    td_cli_json_count(json, "passes", numbers->passes);
    td_cli_json_count(json, "colours", numbers->colours);
    td_cli_json_count(json, "broad_pairs", numbers->broad_pairs);
    td_cli_json_count(json, "colliding_pairs", numbers->colliding_pairs);
    td_cli_json_count(json, "faces", numbers->faces);
    td_cli_json_count(json, "regions", numbers->regions);
    td_cli_json_count(json, "contacts", numbers->contacts);
    td_cli_json_count(json, "stopped_bodies", numbers->stopped_bodies);
}

static void td_json_times(td_cli_json *json, const td_step_report *report) {
    td_cli_json_object(json, "ms", TD_JSON_INLINE);
    td_cli_json_number(json, "total", report->total_ms);
    td_cli_json_number(json, "broad", report->broad_ms);
    td_cli_json_number(json, "traversal", report->traversal_ms);
    td_cli_json_number(json, "contacts", report->contacts_ms);
    td_cli_json_number(json, "solver", report->solver_ms);
    td_cli_json_number(json, "copy", report->copy_ms);
    td_cli_json_number(json, "kernel", report->kernel_ms);
    td_cli_json_end(json);
}

static void td_json_bodies(td_cli_json *json, const td_told_frame *frame) {
    td_cli_json_array(json, "bodies", TD_JSON_LINES);
    for (uint32_t i = 0; i < frame->info.bodies; ++i) {
        const td_recorded_body body = td_recording_body(frame->recording, i);
        td_cli_json_object(json, NULL, TD_JSON_INLINE);
        td_cli_json_text(json, "name", body.name);
        td_cli_json_text(json, "kind", td_body_kind_name(body.kind));
        td_cli_json_text(json, "mesh", td_recording_mesh_name(frame->recording, body.mesh));
        td_json_vector(json, "position", frame->poses[i].position, 3);
        td_json_vector(json, "rotation", frame->poses[i].rotation, 4);
        td_cli_json_number(json, "speed", frame->motions[i].speed);
        td_cli_json_bool(json, "awake", frame->motions[i].awake);
        td_cli_json_end(json);
    }
    td_cli_json_end(json);
}

static void td_json_contacts(td_cli_json *json, const td_told_frame *frame) {
    td_cli_json_array(json, "contact_points", TD_JSON_LINES);
    for (size_t i = 0; i < frame->contact_count; ++i) {
        const td_recorded_contact *contact = &frame->contacts[i];
        td_cli_json_object(json, NULL, TD_JSON_INLINE);
        td_cli_json_count(json, "a", contact->a);
        td_cli_json_count(json, "b", contact->b);
        td_json_vector(json, "point", contact->point, 3);
        td_json_vector(json, "normal", contact->normal, 3);
        td_cli_json_number(json, "impulse", contact->impulse);
        td_cli_json_end(json);
    }
    td_cli_json_end(json);
}

static void td_frame_as_json(const td_told_frame *frame) {
    td_cli_json json = td_cli_json_begin(frame->output);
    td_cli_json_object(&json, NULL, TD_JSON_LINES);
    td_json_numbers(&json, &frame->numbers);
    if (frame->info.timed) {
        td_json_times(&json, &frame->report);
    }
    td_json_bodies(&json, frame);
    if (frame->with_contacts) {
        td_json_contacts(&json, frame);
    }
    td_cli_json_end(&json);
}

// ---------------------------------------------------------------------------------------------------------
// CSV

static void td_bodies_as_csv(const td_told_frame *frame) {
    td_cli_output *output = frame->output;
    td_cli_put(output, "body,name,kind,mesh,tx,ty,tz,qx,qy,qz,qw,speed,awake\n");
    for (uint32_t i = 0; i < frame->info.bodies; ++i) {
        const td_recorded_body body = td_recording_body(frame->recording, i);
        const double *p = frame->poses[i].position, *q = frame->poses[i].rotation;
        td_cli_print(output, "%u,", i);
        td_cli_put_csv(output, body.name);
        td_cli_print(output, ",%s,", td_body_kind_name(body.kind));
        td_cli_put_csv(output, td_recording_mesh_name(frame->recording, body.mesh));
        td_cli_print(output, ",%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%s\n", p[0], p[1], p[2], q[0],
                     q[1], q[2], q[3], frame->motions[i].speed, frame->motions[i].awake ? "true" : "false");
    }
}

static void td_contacts_as_csv(const td_told_frame *frame) {
    td_cli_put(frame->output, "a,b,px,py,pz,nx,ny,nz,impulse\n");
    for (size_t i = 0; i < frame->contact_count; ++i) {
        const td_recorded_contact *contact = &frame->contacts[i];
        const double *p = contact->point, *n = contact->normal;
        td_cli_print(frame->output, "%u,%u,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g\n", contact->a,
                     contact->b, p[0], p[1], p[2], n[0], n[1], n[2], contact->impulse);
    }
}

// ---------------------------------------------------------------------------------------------------------
// Tables

static void td_put_titles(td_cli_table *table, const char *const *titles, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        td_cli_table_cell(table, "%s", titles[i]);
    }
}

static void td_bodies_as_table(const td_told_frame *frame) {
    static const char *const titles[] = {"body", "name", "kind", "mesh", "x",     "y",    "z",
                                         "qx",   "qy",   "qz",   "qw",   "speed", "awake"};
    td_cli_table table = td_cli_table_begin("rlllrrrrrrrrl");
    td_put_titles(&table, titles, sizeof titles / sizeof titles[0]);
    for (uint32_t i = 0; i < frame->info.bodies; ++i) {
        const td_recorded_body body = td_recording_body(frame->recording, i);
        td_cli_table_cell(&table, "%u", i);
        td_cli_table_cell(&table, "%s", body.name);
        td_cli_table_cell(&table, "%s", td_body_kind_name(body.kind));
        td_cli_table_cell(&table, "%s", td_recording_mesh_name(frame->recording, body.mesh));
        for (int k = 0; k < 3; ++k) {
            td_cli_table_cell(&table, "%.6g", frame->poses[i].position[k]);
        }
        for (int k = 0; k < 4; ++k) {
            td_cli_table_cell(&table, "%.4f", frame->poses[i].rotation[k]);
        }
        td_cli_table_cell(&table, "%.3g", frame->motions[i].speed);
        td_cli_table_cell(&table, "%s",
                          body.kind < TD_BODY_DYNAMIC ? "-" : (frame->motions[i].awake ? "yes" : "no"));
    }
    td_cli_table_end(&table, frame->output, 0);
}

static void td_contacts_as_table(const td_told_frame *frame) {
    static const char *const titles[] = {"a", "b", "of a", "of b", "x", "y", "z", "nx", "ny", "nz", "N s"};
    td_cli_table table = td_cli_table_begin("rrllrrrrrrr");
    td_put_titles(&table, titles, sizeof titles / sizeof titles[0]);
    for (size_t i = 0; i < frame->contact_count; ++i) {
        const td_recorded_contact *contact = &frame->contacts[i];
        td_cli_table_cell(&table, "%u", contact->a);
        td_cli_table_cell(&table, "%u", contact->b);
        td_cli_table_cell(&table, "%s", td_recording_body(frame->recording, contact->a).name);
        td_cli_table_cell(&table, "%s", td_recording_body(frame->recording, contact->b).name);
        for (int k = 0; k < 3; ++k) {
            td_cli_table_cell(&table, "%.4g", contact->point[k]);
        }
        for (int k = 0; k < 3; ++k) {
            td_cli_table_cell(&table, "%.2f", contact->normal[k]);
        }
        td_cli_table_cell(&table, "%.3g", contact->impulse);
    }
    td_cli_table_end(&table, frame->output, 0);
}

static void td_frame_as_table(const td_told_frame *frame) {
    const td_frame_numbers *numbers = &frame->numbers;
    char first[TD_CLI_NUMBER_SIZE], second[TD_CLI_NUMBER_SIZE], hash[TD_CLI_HASH_SIZE];
    td_cli_print(frame->output, "frame %s: %.6g s, %s contacts, %u awake, %.6g J kinetic energy, hash %s\n\n",
                 td_cli_grouped(first, numbers->frame), numbers->time,
                 td_cli_grouped(second, numbers->contacts), numbers->awake, numbers->kinetic_energy,
                 td_cli_hash_text(hash, numbers->hash));
    if (frame->with_contacts) {
        td_contacts_as_table(frame);
    } else {
        td_bodies_as_table(frame);
    }
}

// ---------------------------------------------------------------------------------------------------------

static td_result td_read_told_frame(td_told_frame *out, uint64_t frame) {
    td_result result = td_read_frame_numbers(NULL, &out->numbers, out->recording, frame);
    if (result == TD_OK) {
        result = td_read_centred_frame(out->poses, out->recording, frame);
    }
    if (result == TD_OK) {
        result = td_read_report(&out->report, out->recording, frame);
    }
    if (result == TD_OK) {
        result = td_read_motions(out->motions, out->recording, frame);
    }
    if (result == TD_OK && out->with_contacts) {
        result = td_read_contacts(&out->contacts, &out->contact_count, out->recording, frame);
    }
    return result;
}

static void td_put_told_frame(const td_told_frame *frame, td_cli_format format) {
    if (format == TD_CLI_JSON) {
        td_frame_as_json(frame);
    } else if (format != TD_CLI_CSV) {
        td_frame_as_table(frame);
    } else if (frame->with_contacts) {
        td_contacts_as_csv(frame);
    } else {
        td_bodies_as_csv(frame);
    }
}

bool td_cli_tell_frame(td_cli_session *session, td_recording *recording, uint64_t frame, bool contacts) {
    td_told_frame told = {.output = session->output,
                          .recording = recording,
                          .info = td_recording_about(recording),
                          .with_contacts = contacts};
    const size_t bodies = (size_t)told.info.bodies + 1; // nothing asked for may be null
    told.poses = malloc(bodies * sizeof *told.poses);
    told.motions = malloc(bodies * sizeof *told.motions);
    bool success = false;
    if (!told.poses || !told.motions) {
        td_cli_error("out of memory");
    } else if (td_read_told_frame(&told, frame) != TD_OK) {
        td_cli_library_error(NULL);
    } else {
        td_put_told_frame(&told, session->format);
        success = true;
    }
    free(told.poses);
    free(told.motions);
    return success;
}
