#include "options.h"

#include "core/nearest.h"
#include "help.h"
#include "message.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { TD_GROUPS = sizeof((td_cli_syntax *)NULL)->groups / sizeof(td_cli_option_group) };

// The option whose name is the first `length` characters of `word`, or null.
static const td_cli_option *td_find_long(const td_cli_syntax *syntax, const char *word, size_t length) {
    for (int g = 0; g < TD_GROUPS; ++g) {
        const td_cli_option_group *group = &syntax->groups[g];
        for (size_t i = 0; i < group->count; ++i) {
            const char *name = group->options[i].name;
            if (strlen(name) == length && memcmp(name, word, length) == 0) {
                return &group->options[i];
            }
        }
    }
    return NULL;
}

static const td_cli_option *td_find_letter(const td_cli_syntax *syntax, char letter) {
    for (int g = 0; g < TD_GROUPS; ++g) {
        const td_cli_option_group *group = &syntax->groups[g];
        for (size_t i = 0; i < group->count; ++i) {
            if (group->options[i].letter && group->options[i].letter == letter) {
                return &group->options[i];
            }
        }
    }
    return NULL;
}

static bool td_refuse_unknown(const td_cli_syntax *syntax, const char *word, size_t length) {
    char name[64];
    const size_t kept = length < sizeof name ? length : sizeof name - 1;
    memcpy(name, word, kept);
    name[kept] = 0;
    td_nearest nearest = td_nearest_to(name);
    td_nearest_offer(&nearest, "--help");
    td_nearest_offer(&nearest, "--version");
    for (int g = 0; g < TD_GROUPS; ++g) {
        for (size_t i = 0; i < syntax->groups[g].count; ++i) {
            td_nearest_offer(&nearest, syntax->groups[g].options[i].name);
        }
    }
    if (nearest.best && name[1] == '-') {
        td_cli_error("unknown option %s of '%s': did you mean %s? 'tandem %s --help' lists the options", name,
                     syntax->command, nearest.best, syntax->command);
    } else {
        td_cli_error("unknown option %s of '%s': 'tandem %s --help' lists the options", name, syntax->command,
                     syntax->command);
    }
    return false;
}

// Whether a word that stands where a value is expected is another option, the value having been forgotten.
static bool td_is_option(const td_cli_syntax *syntax, const char *word) {
    if (strncmp(word, "--", 2) == 0) {
        return td_find_long(syntax, word, strcspn(word, "=")) != NULL;
    }
    return word[0] == '-' && word[1] && !word[2] && td_find_letter(syntax, word[1]);
}

static bool td_store_number(const td_cli_option *option, const char *value) {
    char *end = NULL;
    errno = 0;
    const bool digit = value[0] >= '0' && value[0] <= '9'; // strtoull would take "-1" and " 1"
    const unsigned long long number = digit ? strtoull(value, &end, 10) : 0;
    if (!digit || *end || errno || number < option->least || number > option->most) {
        td_cli_error("%s '%s' is not a number from %u to %u", option->name, value, option->least,
                     option->most);
        return false;
    }
    *option->number = (uint32_t)number;
    return true;
}

static bool td_store_item(const td_cli_option *option, const char *value) {
    if (option->list->count == TD_CLI_LIST_MOST) {
        td_cli_error("option %s was given more than %d times", option->name, TD_CLI_LIST_MOST);
        return false;
    }
    option->list->items[option->list->count++] = value;
    return true;
}

// `value` is null where none was attached to the option with '='; then it is the next word, and *at moves on.
static bool td_take_option(const td_cli_syntax *syntax, const td_cli_option *option, const char *value,
                           int argc, char **argv, int *at) {
    if (!option->argument) {
        if (value) {
            td_cli_error("option %s takes no value, but '%s' was given", option->name, value);
            return false;
        }
        *option->flag = true;
        return true;
    }
    if (!value) {
        if (*at + 1 >= argc || td_is_option(syntax, argv[*at + 1])) {
            td_cli_error("option %s needs a value: expected %s %s", option->name, option->name,
                         option->argument);
            return false;
        }
        value = argv[++*at];
    }
    if (option->number) {
        return td_store_number(option, value);
    }
    if (option->list) {
        return td_store_item(option, value);
    }
    *option->text = value;
    return true;
}

// One word that begins with '-'.
static bool td_parse_word(const td_cli_syntax *syntax, int argc, char **argv, int *at) {
    const char *word = argv[*at];
    if (word[1] != '-') {
        const td_cli_option *option = td_find_letter(syntax, word[1]);
        const bool glued = option && option->argument && word[2];
        if (!option || (word[2] && !glued)) {
            return td_refuse_unknown(syntax, word, strlen(word));
        }
        return td_take_option(syntax, option, glued ? word + 2 : NULL, argc, argv, at);
    }
    const size_t length = strcspn(word, "=");
    const td_cli_option *option = td_find_long(syntax, word, length);
    if (!option) {
        return td_refuse_unknown(syntax, word, length);
    }
    return td_take_option(syntax, option, word[length] ? word + length + 1 : NULL, argc, argv, at);
}

static bool td_check_operands(const td_cli_syntax *syntax, char **operands, int count) {
    if (count < syntax->operands_least) {
        td_cli_error("'%s' needs %s, but got %s: 'tandem %s --help' shows how", syntax->command,
                     syntax->operands, count == 0 ? "none" : "only one", syntax->command);
        return false;
    }
    if (count > syntax->operands_most) {
        td_cli_error("unexpected argument '%s': '%s' takes %s and options; 'tandem %s --help' shows how",
                     operands[syntax->operands_most], syntax->command, syntax->operands, syntax->command);
        return false;
    }
    return true;
}

td_cli_parsed td_cli_parse(const td_cli_syntax *syntax, int argc, char **argv, char ***operands,
                           int *operand_count) {
    int count = 0;
    bool options_over = false;
    *operands = argv;
    for (int at = 1; at < argc; ++at) {
        char *word = argv[at];
        if (options_over || word[0] != '-' || !word[1]) {
            argv[count++] = word;
        } else if (strcmp(word, "--") == 0) {
            options_over = true;
        } else if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
            return td_cli_print_help(syntax) ? TD_CLI_ANSWERED : TD_CLI_REFUSED;
        } else if (strcmp(word, "--version") == 0) {
            return td_cli_print_version() ? TD_CLI_ANSWERED : TD_CLI_REFUSED;
        } else if (!td_parse_word(syntax, argc, argv, &at)) {
            return TD_CLI_REFUSED;
        }
    }
    *operand_count = count;
    return td_check_operands(syntax, argv, count) ? TD_CLI_RUN : TD_CLI_REFUSED;
}
