#include "export_shapes.h"

#include "../core/error.h"

#include <math.h>
#include <string.h>

td_result td_begin_shape_fit(td_shape_fit *out, td_context *context, size_t count, double limit) {
    *out = (td_shape_fit){.count = count, .limit = limit};
    out->start = TD_NEW(context, float, count);
    out->kept = TD_NEW(context, float, count);
    out->last = TD_NEW(context, float, count);
    out->low = TD_NEW(context, double, count);
    out->high = TD_NEW(context, double, count);
    const bool made =
        out->start != NULL && out->kept != NULL && out->last != NULL && out->low != NULL && out->high != NULL;
    return made ? TD_OK : TD_ERROR_MEMORY;
}

void td_release_shape_fit(td_shape_fit *fit, td_context *context) {
    TD_DELETE(context, float, fit->start, fit->count);
    TD_DELETE(context, float, fit->kept, fit->count);
    TD_DELETE(context, float, fit->last, fit->count);
    TD_DELETE(context, double, fit->low, fit->count);
    TD_DELETE(context, double, fit->high, fit->count);
    td_array_release(context, &fit->keys);
    *fit = (td_shape_fit){0};
}

// Any line from the kept shape will do.
static void td_open_doors(td_shape_fit *fit) {
    for (size_t i = 0; i < fit->count; ++i) {
        fit->low[i] = -INFINITY;
        fit->high[i] = INFINITY;
    }
}

// Whether straight lines lead from the kept shape to this one, past all between.
static bool td_lines_fit(const td_shape_fit *fit, const float *shape, double duration) {
    for (size_t i = 0; i < fit->count; ++i) {
        const double slope = ((double)shape[i] - (double)fit->kept[i]) / duration;
        if (!(slope >= fit->low[i] && slope <= fit->high[i])) {
            return false;
        }
    }
    return true;
}

static void td_close_doors(td_shape_fit *fit, const float *shape, double duration) {
    for (size_t i = 0; i < fit->count; ++i) {
        const double way = (double)shape[i] - (double)fit->kept[i];
        fit->low[i] = fmax(fit->low[i], (way - fit->limit) / duration);
        fit->high[i] = fmin(fit->high[i], (way + fit->limit) / duration);
    }
}

// Keeps the shape that was seen last. If it is the one that was kept last, it needs no other place.
static td_result td_keep_last(bool *is_new, td_shape_fit *fit, td_context *context) {
    TD_TRY(td_array_reserve(context, &fit->keys, 1));
    *is_new = memcmp(fit->kept, fit->last, fit->count * sizeof *fit->kept) != 0;
    fit->shapes += *is_new;
    fit->keys.items[fit->keys.count] =
        (td_shape_key){fit->seen - 1, *is_new ? fit->shapes : fit->keys.items[fit->keys.count - 1].shape};
    ++fit->keys.count;
    memcpy(fit->kept, fit->last, fit->count * sizeof *fit->kept);
    fit->kept_at = fit->last_at;
    td_open_doors(fit);
    return TD_OK;
}

static td_result td_start_fit(td_shape_fit *fit, td_context *context, const float *shape, float time) {
    TD_TRY(td_array_reserve(context, &fit->keys, 1));
    fit->keys.items[fit->keys.count++] = (td_shape_key){0, 0};
    memcpy(fit->start, shape, fit->count * sizeof *shape);
    memcpy(fit->kept, shape, fit->count * sizeof *shape);
    fit->kept_at = time;
    td_open_doors(fit);
    return TD_OK;
}

td_result td_fit_shape(bool *is_new, td_shape_fit *fit, td_context *context, const float *shape, float time) {
    *is_new = false;
    if (fit->seen == 0) {
        TD_TRY(td_start_fit(fit, context, shape, time));
    } else {
        if (!td_lines_fit(fit, shape, (double)time - (double)fit->kept_at)) {
            TD_TRY(td_keep_last(is_new, fit, context));
        }
        td_close_doors(fit, shape, (double)time - (double)fit->kept_at);
    }
    memcpy(fit->last, shape, fit->count * sizeof *shape);
    fit->last_at = time;
    ++fit->seen;
    return TD_OK;
}

// A shape that stays as it was kept is held by the animation's last key.
td_result td_end_shape_fit(bool *is_new, td_shape_fit *fit, td_context *context) {
    *is_new = false;
    return memcmp(fit->kept, fit->last, fit->count * sizeof *fit->kept) != 0
               ? td_keep_last(is_new, fit, context)
               : TD_OK;
}
