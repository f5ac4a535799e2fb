#include "scene_json.h"

#include "../core/error.h"
#include "../core/nearest.h"
#include "decimal.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { TD_JSON_PLACE = 200, TD_JSON_SHOWN = 40 };

// Beyond this, squares of coordinates leave no digits for what happens between bodies.
#define TD_JSON_LARGEST 1e12

const td_json_range td_json_any = {-TD_JSON_LARGEST, TD_JSON_LARGEST, false,
                                   "a number between -1e12 and 1e12"};
const td_json_range td_json_positive = {0, TD_JSON_LARGEST, true, "a number > 0"};
const td_json_range td_json_not_negative = {0, TD_JSON_LARGEST, false, "a number >= 0"};
const td_json_range td_json_part = {0, 1, false, "a number from 0 to 1"};

// ---------------------------------------------------------------------------------------------------------
// Messages

// Appends to text that may be cut off at its end.
__attribute__((format(printf, 3, 4))) static void td_append(char *text, size_t size, const char *format,
                                                            ...) {
    const size_t used = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + used, size - used, format, arguments);
    va_end(arguments);
}

// "bodies[3].density"
static void td_append_place(char *text, size_t size, const td_json *value) {
    if (value->parent == NULL) {
        return;
    }
    td_append_place(text, size, value->parent);
    if (cJSON_IsArray(value->parent->item)) {
        td_append(text, size, "[%zu]", value->index);
    } else {
        td_append(text, size, "%s%.*s", text[0] != 0 ? "." : "", TD_JSON_SHOWN, value->item->string);
    }
}

static void td_format_place(char text[TD_JSON_PLACE + 2], const td_json *value) {
    text[0] = 0;
    td_append_place(text, TD_JSON_PLACE, value);
    if (text[0] != 0) {
        td_append(text, TD_JSON_PLACE + 2, ": ");
    }
}

td_result td_json_fail(const td_json *value, const char *format, ...) {
    char place[TD_JSON_PLACE + 2], sentence[600];
    td_format_place(place, value);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    return td_fail(TD_ERROR_FORMAT, "%s: %s%s", value->document->name, place, sentence);
}

td_result td_json_fail_within(const td_json *value, td_result result) {
    char place[TD_JSON_PLACE + 2], prefix[TD_JSON_PLACE + 300];
    td_format_place(place, value);
    snprintf(prefix, sizeof prefix, "%s: %s", value->document->name, place);
    prefix[strlen(prefix) - 2] = 0; // the last ": " comes with td_fail_within
    return td_fail_within(result, prefix);
}

// What stands there, for "expected ..., got ...".
static const char *td_describe(char text[TD_JSON_SHOWN + 16], const cJSON *item) {
    if (cJSON_IsNumber(item) && isfinite(item->valuedouble)) {
        td_decimal_format(text, item->valuedouble);
    } else if (cJSON_IsNumber(item)) {
        snprintf(text, TD_JSON_SHOWN + 16, "a number beyond the range of float64");
    } else if (cJSON_IsString(item)) {
        const bool cut = strlen(item->valuestring) > TD_JSON_SHOWN;
        snprintf(text, TD_JSON_SHOWN + 16, "\"%.*s%s\"", TD_JSON_SHOWN, item->valuestring, cut ? "..." : "");
    } else if (cJSON_IsArray(item)) {
        snprintf(text, TD_JSON_SHOWN + 16, "an array of %d", cJSON_GetArraySize(item));
    } else {
        snprintf(text, TD_JSON_SHOWN + 16, "%s",
                 cJSON_IsObject(item) ? "an object"
                 : cJSON_IsNull(item) ? "null"
                 : cJSON_IsTrue(item) ? "true"
                                      : "false");
    }
    return text;
}

static td_result td_fail_expected(const td_json *value, const char *expected) {
    char got[TD_JSON_SHOWN + 16];
    return td_json_fail(value, "expected %s, got %s", expected, td_describe(got, value->item));
}

td_result td_json_read(cJSON **out, const char *text, size_t size, const char *name) {
    const char *stopped = NULL;
    *out = cJSON_ParseWithLengthOpts(text, size, &stopped, false);
    const char *end = text + size;
    bool complete = *out != NULL;
    if (complete) { // blanks, and a final zero, may follow
        while (stopped < end && (strchr(" \t\r\n", *stopped) != NULL)) {
            ++stopped;
        }
        complete = stopped == end;
    }
    if (complete) {
        return TD_OK;
    }
    const bool surplus = *out != NULL;
    cJSON_Delete(*out);
    *out = NULL;
    size_t line = 1, column = 1;
    for (const char *at = text; stopped != NULL && at < stopped && at < end; ++at) {
        line += *at == '\n';
        column = *at == '\n' ? 1 : column + 1;
    }
    return td_fail(
        TD_ERROR_FORMAT, "%s:%zu:%zu: %s", name, line, column,
        surplus ? "expected nothing behind the end of the scene"
                : "this is no JSON: expected a value, a comma or a closing bracket here (or it is nested "
                  "too deeply)");
}

// ---------------------------------------------------------------------------------------------------------
// Objects and arrays

enum { TD_JSON_MAP_MOST = 4096 }; // names are compared with each other

// Whether an earlier member has the key of `item`.
static bool td_is_repeated(const cJSON *object, const cJSON *item) {
    for (const cJSON *other = object->child; other != item; other = other->next) {
        if (strcmp(other->string, item->string) == 0) {
            return true;
        }
    }
    return false;
}

static td_result td_fail_unknown_key(const td_json *member, const char *const *keys) {
    td_nearest nearest = td_nearest_to(member->item->string);
    char known[400] = "";
    for (size_t i = 0; keys[i] != NULL; ++i) {
        td_nearest_offer(&nearest, keys[i]);
        td_append(known, sizeof known, "%s%s", i > 0 ? ", " : "", keys[i]);
    }
    if (nearest.best != NULL) {
        return td_json_fail(member, "unknown key: did you mean \"%s\"?", nearest.best);
    }
    return td_json_fail(member, "unknown key: expected one of %s", known);
}

td_result td_json_check_object(const td_json *value, const char *const *keys) {
    if (!cJSON_IsObject(value->item)) {
        return td_fail_expected(value, "an object");
    }
    td_json member = {0};
    while (td_json_next(&member, value)) {
        size_t i = 0;
        while (keys[i] != NULL && strcmp(keys[i], member.item->string) != 0) {
            ++i;
        }
        if (keys[i] == NULL) {
            return td_fail_unknown_key(&member, keys);
        }
        if (td_is_repeated(value->item, member.item)) {
            return td_json_fail(&member, "the key is there twice");
        }
    }
    return TD_OK;
}

td_result td_json_check_map(const td_json *value) {
    if (!cJSON_IsObject(value->item)) {
        return td_fail_expected(value, "an object");
    }
    td_json member = {0};
    while (td_json_next(&member, value)) {
        if (member.index == TD_JSON_MAP_MOST) {
            return td_json_fail(value, "there are more than %d names", TD_JSON_MAP_MOST);
        }
        if (member.item->string[0] == 0) {
            return td_json_fail(value, "expected a name, got \"\"");
        }
        if (td_is_repeated(value->item, member.item)) {
            return td_json_fail(&member, "the name is there twice");
        }
    }
    return TD_OK;
}

td_result td_json_check_array(const td_json *value) {
    return cJSON_IsArray(value->item) ? TD_OK : td_fail_expected(value, "an array");
}

bool td_json_get(td_json *out, const td_json *object, const char *key) {
    *out = (td_json){.document = object->document, .parent = object};
    while (td_json_next(out, object)) {
        if (strcmp(out->item->string, key) == 0) {
            return true;
        }
    }
    return false;
}

bool td_json_next(td_json *child, const td_json *parent) {
    const bool first = child->item == NULL;
    child->document = parent->document;
    child->parent = parent;
    child->index = first ? 0 : child->index + 1;
    child->item = first ? parent->item->child : child->item->next;
    return child->item != NULL;
}

td_result td_json_find_name(size_t *index, const td_json *value, const td_json *map, const char *what) {
    const char *name = "";
    TD_TRY(td_json_text(&name, value));
    td_nearest nearest = td_nearest_to(name);
    td_json member = {0};
    while (map->item != NULL && td_json_next(&member, map)) {
        if (strcmp(member.item->string, name) == 0) {
            *index = member.index;
            return TD_OK;
        }
        td_nearest_offer(&nearest, member.item->string);
    }
    if (nearest.best != NULL) {
        return td_json_fail(value, "there is no %s \"%.*s\": did you mean \"%.*s\"?", what, TD_JSON_SHOWN,
                            name, TD_JSON_SHOWN, nearest.best);
    }
    return td_json_fail(value, "there is no %s \"%.*s\" in this scene", what, TD_JSON_SHOWN, name);
}

// ---------------------------------------------------------------------------------------------------------
// Numbers

// "$name" becomes the number that it stands for.
static td_result td_substitute(const td_json *value) {
    cJSON *item = value->item;
    if (!cJSON_IsString(item) || item->valuestring[0] != '$') {
        return TD_OK;
    }
    const char *name = item->valuestring + 1;
    td_nearest nearest = td_nearest_to(name);
    const cJSON *parameter = value->document->parameters != NULL ? value->document->parameters->child : NULL;
    while (parameter != NULL && strcmp(parameter->string, name) != 0) {
        td_nearest_offer(&nearest, parameter->string);
        parameter = parameter->next;
    }
    if (parameter == NULL && nearest.best != NULL) {
        return td_json_fail(value, "the parameter \"$%.*s\" is not declared: did you mean \"$%.*s\"?",
                            TD_JSON_SHOWN, name, TD_JSON_SHOWN, nearest.best);
    }
    if (parameter == NULL) {
        return td_json_fail(value, "the parameter \"$%.*s\" is not declared in \"parameters\"", TD_JSON_SHOWN,
                            name);
    }
    cJSON_free(item->valuestring);
    item->valuestring = NULL;
    item->type = (item->type & ~0xff) | cJSON_Number; // the rest are flags
    cJSON_SetNumberHelper(item, parameter->valuedouble);
    return TD_OK;
}

td_result td_json_number(double *out, const td_json *value, const td_json_range *range) {
    TD_TRY(td_substitute(value));
    const double number = value->item->valuedouble;
    if (!cJSON_IsNumber(value->item) || !isfinite(number) || number < range->least || number > range->most ||
        (range->above && number == range->least)) {
        const bool huge = cJSON_IsNumber(value->item) && number > TD_JSON_LARGEST;
        return td_fail_expected(value, huge ? "a number up to 1e12" : range->expected);
    }
    *out = number;
    return TD_OK;
}

td_result td_json_numbers(double *out, size_t count, const td_json *value, const td_json_range *range) {
    if (!cJSON_IsArray(value->item) || (size_t)cJSON_GetArraySize(value->item) != count) {
        char expected[48];
        snprintf(expected, sizeof expected, "an array of %zu numbers", count);
        return td_fail_expected(value, expected);
    }
    td_json number = {0};
    while (td_json_next(&number, value)) {
        TD_TRY(td_json_number(&out[number.index], &number, range));
    }
    return TD_OK;
}

td_result td_json_count(uint32_t *out, const td_json *value, uint32_t least, uint32_t most) {
    char expected[64];
    snprintf(expected, sizeof expected, "a whole number from %u to %u", least, most);
    double number = 0;
    TD_TRY(td_json_number(&number, value, &(td_json_range){least, most, false, expected}));
    if (number != floor(number)) {
        return td_fail_expected(value, expected);
    }
    *out = (uint32_t)number;
    return TD_OK;
}

td_result td_json_text(const char **out, const td_json *value) {
    if (!cJSON_IsString(value->item) || value->item->valuestring[0] == 0) {
        return td_fail_expected(value, "a text");
    }
    *out = value->item->valuestring;
    return TD_OK;
}

td_result td_json_optional_number(double *out, const td_json *object, const char *key,
                                  const td_json_range *range) {
    td_json value;
    return td_json_get(&value, object, key) ? td_json_number(out, &value, range) : TD_OK;
}

td_result td_json_optional_numbers(double *out, size_t count, const td_json *object, const char *key,
                                   const td_json_range *range) {
    td_json value;
    return td_json_get(&value, object, key) ? td_json_numbers(out, count, &value, range) : TD_OK;
}

td_result td_json_optional_count(uint32_t *out, const td_json *object, const char *key, uint32_t least,
                                 uint32_t most) {
    td_json value;
    return td_json_get(&value, object, key) ? td_json_count(out, &value, least, most) : TD_OK;
}

td_result td_json_optional_bool(bool *out, const td_json *object, const char *key) {
    td_json value;
    if (!td_json_get(&value, object, key)) {
        return TD_OK;
    }
    if (!cJSON_IsBool(value.item)) {
        return td_fail_expected(&value, "true or false");
    }
    *out = cJSON_IsTrue(value.item);
    return TD_OK;
}

td_result td_json_optional_text(const char **out, const td_json *object, const char *key) {
    td_json value;
    return td_json_get(&value, object, key) ? td_json_text(out, &value) : TD_OK;
}
