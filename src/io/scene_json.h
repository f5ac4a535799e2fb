// Checked access to the values of a JSON document. A value knows where it stands, so that every message can
// name the place: "scenes/x.json: bodies[3].density: expected a number > 0, got -1".
#ifndef TD_IO_SCENE_JSON_H
#define TD_IO_SCENE_JSON_H

#include <tandem/base.h>

#include <cjson/cJSON.h>

typedef struct td_json_document {
    const char *name;        // for messages
    const cJSON *parameters; // the numbers that strings like "$n" stand for; null: none yet
} td_json_document;

// A value and how it was reached. Values are held on the stack of those who read: `parent` must outlive them.
typedef struct td_json {
    const td_json_document *document;
    cJSON *item;
    const struct td_json *parent; // null: the whole document
    size_t index;                 // in the parent, where that is an array
} td_json;

// Reads the text; *out is to be released with cJSON_Delete. TD_ERROR_FORMAT names the line and the column.
td_result td_json_read(cJSON **out, const char *text, size_t size, const char *name);

// TD_ERROR_FORMAT with "DOCUMENT: PLACE: SENTENCE".
__attribute__((format(printf, 2, 3))) td_result td_json_fail(const td_json *value, const char *format, ...);

// The same in front of the sentence that is kept for `result`, for failures of other parts of the library.
td_result td_json_fail_within(const td_json *value, td_result result);

// ---------------------------------------------------------------------------------------------------------
// Objects and arrays

// An object of no other members than `keys`, ended by null, each at most once. A key that is not known is
// told with the nearest one that is.
td_result td_json_check_object(const td_json *value, const char *const *keys);

// An object whose keys are names that the scene makes up: none twice, none empty.
td_result td_json_check_map(const td_json *value);
td_result td_json_check_array(const td_json *value);

// Whether the object has this member.
bool td_json_get(td_json *out, const td_json *object, const char *key);

// Steps through the members of an object or an array: *child starts with a null `item`.
bool td_json_next(td_json *child, const td_json *parent);

// The member of the map that is called `name`, as an index; TD_ERROR_FORMAT at `value` with the nearest name.
// `what` says what is looked for: "mesh".
td_result td_json_find_name(size_t *index, const td_json *value, const td_json *map, const char *what);

// ---------------------------------------------------------------------------------------------------------
// Numbers. Each may be the string "$name", which stands for a parameter and is replaced by it for good.

typedef struct td_json_range {
    double least, most;
    bool above;           // `least` itself is too little
    const char *expected; // "a number > 0"
} td_json_range;

extern const td_json_range td_json_any;          // finite and of a magnitude that can be reckoned with
extern const td_json_range td_json_positive;     // > 0
extern const td_json_range td_json_not_negative; // >= 0
extern const td_json_range td_json_part;         // 0 to 1

td_result td_json_number(double *out, const td_json *value, const td_json_range *range);
td_result td_json_numbers(double *out, size_t count, const td_json *value, const td_json_range *range);
td_result td_json_count(uint32_t *out, const td_json *value, uint32_t least, uint32_t most);

td_result td_json_text(const char **out, const td_json *value);

// Of a member that need not be there: *out stays as it is then.
td_result td_json_optional_number(double *out, const td_json *object, const char *key,
                                  const td_json_range *range);
td_result td_json_optional_numbers(double *out, size_t count, const td_json *object, const char *key,
                                   const td_json_range *range);
td_result td_json_optional_count(uint32_t *out, const td_json *object, const char *key, uint32_t least,
                                 uint32_t most);
td_result td_json_optional_bool(bool *out, const td_json *object, const char *key);
td_result td_json_optional_text(const char **out, const td_json *object, const char *key);

#endif
