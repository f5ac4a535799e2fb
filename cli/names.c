#include "names.h"

#include "core/nearest.h"
#include "message.h"

#include <stdio.h>
#include <string.h>

void td_cli_refuse_name(const td_cli_names *names, const char *name, const char *option) {
    char expected[256] = "";
    td_nearest nearest = td_nearest_to(name);
    for (size_t i = 0; i < names->count; ++i) {
        td_nearest_offer(&nearest, names->names[i]);
        const size_t used = strlen(expected);
        snprintf(expected + used, sizeof expected - used, "%s%s", i ? ", " : "", names->names[i]);
    }
    if (nearest.best) {
        td_cli_error("unknown %s '%s' of %s: did you mean %s? Expected one of %s", names->what, name, option,
                     nearest.best, expected);
    } else {
        td_cli_error("unknown %s '%s' of %s: expected one of %s", names->what, name, option, expected);
    }
}

bool td_cli_find_name(size_t *index, const td_cli_names *names, const char *name, const char *option) {
    for (size_t i = 0; i < names->count; ++i) {
        if (strcmp(names->names[i], name) == 0) {
            *index = i;
            return true;
        }
    }
    td_cli_refuse_name(names, name, option);
    return false;
}

bool td_cli_next_name(char name[TD_CLI_NAME_SIZE], const char **list) {
    if (!*list) {
        return false;
    }
    const size_t length = strcspn(*list, ",");
    const size_t kept = length < TD_CLI_NAME_SIZE ? length : TD_CLI_NAME_SIZE - 1;
    memcpy(name, *list, kept);
    name[kept] = 0;
    *list = (*list)[length] ? *list + length + 1 : NULL;
    return true;
}

bool td_cli_find_names(bool *found, const td_cli_names *names, const char *list, const char *option) {
    char name[TD_CLI_NAME_SIZE];
    while (td_cli_next_name(name, &list)) {
        size_t index;
        if (!td_cli_find_name(&index, names, name, option)) {
            return false;
        }
        found[index] = true;
    }
    return true;
}
