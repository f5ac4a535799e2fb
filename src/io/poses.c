// Pose files: one pose per line, as a position and a quaternion or as a matrix.
#include "../core/array.h"
#include "../core/error.h"
#include "file.h"
#include "scan.h"

#include <tandem/io.h>

#include <string.h>

typedef TD_ARRAY(td_pose) td_pose_array;

enum { TD_QUATERNION_NUMBERS = 7, TD_MATRIX_NUMBERS = 12 };

// The numbers of one line; *count may exceed what fits.
static td_result td_read_pose_numbers(double out[TD_MATRIX_NUMBERS], uint64_t *count, td_scan *scan) {
    for (*count = 0; !td_scan_line_done(scan); ++*count) {
        double number;
        const td_decimal_status status = td_scan_number(&number, scan);
        if (status == TD_DECIMAL_NOT_FINITE) {
            return td_scan_expected(scan, "a finite number");
        }
        if (status == TD_DECIMAL_MALFORMED) {
            return td_scan_expected(scan, "a number");
        }
        if (*count < TD_MATRIX_NUMBERS) {
            out[*count] = number;
        }
    }
    return TD_OK;
}

static td_result td_read_pose_line(td_pose *out, td_scan *scan) {
    const char *start = scan->at;
    double numbers[TD_MATRIX_NUMBERS];
    uint64_t count;
    TD_TRY(td_read_pose_numbers(numbers, &count, scan));
    td_result result;
    if (count == TD_QUATERNION_NUMBERS) {
        memcpy(out->position, numbers, sizeof out->position);
        memcpy(out->rotation, numbers + 3, sizeof out->rotation);
        result = td_check_pose(out);
    } else if (count == TD_MATRIX_NUMBERS) {
        result = td_pose_from_matrix(out, numbers);
    } else {
        return td_scan_fail(
            scan, start,
            "expected 7 numbers (tx ty tz qx qy qz qw) or 12 (a row-major 3x4 matrix), found %llu",
            (unsigned long long)count);
    }
    if (result != TD_OK) {
        td_scan_fail(scan, start, "%s", td_error_message()); // the same sentence, with its place
    }
    return result;
}

static td_result td_read_pose_lines(td_pose_array *poses, td_context *context, td_scan *scan) {
    while (td_scan_next_line(scan)) {
        td_pose pose;
        TD_TRY(td_read_pose_line(&pose, scan));
        TD_TRY(td_array_reserve(context, poses, 1));
        poses->items[poses->count++] = pose;
        td_scan_skip_line(scan);
    }
    return poses->count > 0 ? TD_OK : td_fail(TD_ERROR_FORMAT, "%s: no poses", scan->name);
}

td_result td_read_pose_memory(td_pose **out, size_t *count, td_context *context, const char *text,
                              size_t size, const char *name) {
    if (out == NULL || count == NULL || context == NULL || name == NULL || (text == NULL && size > 0)) {
        return td_fail(TD_ERROR_ARGUMENT, "reading poses needs two outputs, a context, a text and its name");
    }
    *out = NULL;
    *count = 0;
    td_scan scan = td_scan_make(&td_dialect_poses, text != NULL ? text : "", size, name);
    td_pose_array poses = {0};
    td_result result = td_read_pose_lines(&poses, context, &scan);
    if (result == TD_OK) {
        *out = TD_NEW(context, td_pose, poses.count);
        result = *out != NULL ? TD_OK : TD_ERROR_MEMORY;
    }
    if (result == TD_OK) {
        for (size_t i = 0; i < poses.count; ++i) {
            (*out)[i] = poses.items[i];
        }
        *count = poses.count;
    }
    td_array_release(context, &poses);
    return result;
}

td_result td_read_pose_file(td_pose **out, size_t *count, td_context *context, const char *path) {
    if (out == NULL || count == NULL || context == NULL || path == NULL) {
        return td_fail(TD_ERROR_ARGUMENT, "reading poses needs two outputs, a context and a path");
    }
    *out = NULL;
    *count = 0;
    td_file_bytes bytes;
    TD_TRY(td_read_whole_file(&bytes, context, path, NULL, NULL));
    const td_result result = td_read_pose_memory(out, count, context, bytes.items, bytes.count, path);
    td_array_release(context, &bytes);
    return result;
}

void td_release_poses(td_pose *poses, size_t count, td_context *context) {
    TD_DELETE(context, td_pose, poses, count);
}
