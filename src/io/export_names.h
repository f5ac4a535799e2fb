// Names of bodies for other programs: UTF-8 without control characters, no two alike.
#ifndef TD_IO_EXPORT_NAMES_H
#define TD_IO_EXPORT_NAMES_H

#include "../core/array.h"

#include <stdint.h>

typedef struct td_export_names {
    TD_ARRAY(char) text;     // all names, a zero behind each
    TD_ARRAY(size_t) places; // of the names in it
} td_export_names;

// Bytes that are not UTF-8 become U+FFFD, control characters '_', an empty name `empty`. To be given in their
// order, then told apart.
td_result td_add_export_name(td_export_names *names, td_context *context, const char *name,
                             const char *empty);

// Of names that are alike the first one keeps its own; the others get ".INDEX" behind them.
td_result td_tell_names_apart(td_export_names *names, td_context *context);

const char *td_export_name(const td_export_names *names, size_t index);
void td_release_export_names(td_export_names *names, td_context *context);

#endif
