#include "export_names.h"

#include "../core/error.h"
#include "../core/utf8.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static td_result td_append_name(td_export_names *names, td_context *context, const char *bytes, size_t size) {
    TD_TRY(td_array_reserve(context, &names->text, size));
    memcpy(names->text.items + names->text.count, bytes, size);
    names->text.count += size;
    return TD_OK;
}

td_result td_add_export_name(td_export_names *names, td_context *context, const char *name,
                             const char *empty) {
    static const char replacement[] = "\xef\xbf\xbd"; // U+FFFD
    TD_TRY(td_array_reserve(context, &names->places, 1));
    const size_t place = names->text.count;
    for (const char *c = name[0] != '\0' ? name : empty; *c != '\0';) {
        const size_t length = td_utf8_length(c);
        const bool control = (unsigned char)*c < ' ' || *c == 127;
        if (length == 0) {
            TD_TRY(td_append_name(names, context, replacement, sizeof replacement - 1));
        } else {
            TD_TRY(td_append_name(names, context, control ? "_" : c, length));
        }
        c += length > 0 ? length : 1;
    }
    TD_TRY(td_append_name(names, context, "", 1));
    names->places.items[names->places.count++] = place;
    return TD_OK;
}

const char *td_export_name(const td_export_names *names, size_t index) {
    return names->text.items + names->places.items[index];
}

void td_release_export_names(td_export_names *names, td_context *context) {
    td_array_release(context, &names->text);
    td_array_release(context, &names->places);
}

// ---------------------------------------------------------------------------------------------------------
// Telling them apart

typedef struct td_named {
    const char *name;
    size_t index;
} td_named;

static int td_compare_named(const void *a, const void *b) {
    const td_named *first = a, *second = b;
    const int order = strcmp(first->name, second->name);
    return order != 0 ? order : (first->index > second->index) - (first->index < second->index);
}

static int td_compare_name(const void *a, const void *b) {
    return strcmp(((const td_named *)a)->name, ((const td_named *)b)->name);
}

// NAME.INDEX, with the index repeated until no name is given to be so. Two of these are never alike: they end
// in different indices.
static td_result td_add_numbered(td_export_names *renamed, td_context *context, const td_named *named,
                                 const td_named *sorted, size_t count) {
    char suffix[24];
    const int length = snprintf(suffix, sizeof suffix, ".%zu", named->index);
    TD_TRY(td_add_export_name(renamed, context, named->name, named->name));
    td_named wanted;
    do {
        --renamed->text.count; // the zero
        TD_TRY(td_append_name(renamed, context, suffix, (size_t)length + 1));
        wanted.name = td_export_name(renamed, renamed->places.count - 1);
    } while (bsearch(&wanted, sorted, count, sizeof *sorted, td_compare_name) != NULL);
    return TD_OK;
}

static td_result td_rename_repeated(td_export_names *names, td_context *context, const td_named *sorted,
                                    size_t count) {
    td_export_names renamed = {0}; // goes behind the names at last: until then `sorted` points to them
    td_result result = TD_OK;
    for (size_t i = 1; i < count && result == TD_OK; ++i) {
        if (strcmp(sorted[i].name, sorted[i - 1].name) == 0) {
            result = td_add_numbered(&renamed, context, &sorted[i], sorted, count);
            if (result == TD_OK) {
                names->places.items[sorted[i].index] =
                    names->text.count + renamed.places.items[renamed.places.count - 1];
            }
        }
    }
    if (result == TD_OK && renamed.text.count > 0) {
        result = td_append_name(names, context, renamed.text.items, renamed.text.count);
    }
    td_release_export_names(&renamed, context);
    return result;
}

td_result td_tell_names_apart(td_export_names *names, td_context *context) {
    const size_t count = names->places.count;
    td_named *sorted = TD_NEW(context, td_named, count);
    if (sorted == NULL) {
        return TD_ERROR_MEMORY;
    }
    for (size_t i = 0; i < count; ++i) {
        sorted[i] = (td_named){td_export_name(names, i), i};
    }
    qsort(sorted, count, sizeof *sorted, td_compare_named);
    const td_result result = td_rename_repeated(names, context, sorted, count);
    TD_DELETE(context, td_named, sorted, count);
    return result;
}
