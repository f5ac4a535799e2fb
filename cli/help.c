#include "help.h"

#include "output.h"

#include <tandem/base.h>

#include <stdio.h>
#include <string.h>

enum { TD_HELP_COLUMN = 22 }; // where the explanation of an option begins

static void td_print_option(td_cli_output *output, const td_cli_option *option) {
    char left[64];
    int length = 0;
    if (option->letter) {
        length = snprintf(left, sizeof left, "-%c, ", option->letter);
    }
    snprintf(left + length, sizeof left - (size_t)length, "%s%s%s", option->name, option->argument ? " " : "",
             option->argument ? option->argument : "");
    td_cli_print(output, "  %-*s  %s\n", TD_HELP_COLUMN - 4, left, option->help);
}

static void td_print_group(td_cli_output *output, const td_cli_option_group *group) {
    if (group->count == 0) {
        return;
    }
    td_cli_print(output, "\n%s:\n", group->title);
    for (size_t i = 0; i < group->count; ++i) {
        td_print_option(output, &group->options[i]);
    }
}

bool td_cli_print_help(const td_cli_syntax *syntax) {
    static td_cli_output output; // 64 KiB: not on the stack
    if (!td_cli_output_open(&output, NULL)) {
        return false;
    }
    td_cli_print(&output, "Usage: tandem %s %s\n\n%s", syntax->command, syntax->usage, syntax->about);
    td_print_group(&output, &syntax->groups[0]);
    td_print_group(&output, &syntax->groups[1]);
    const td_cli_option always[] = {
        {.name = "--help", .letter = 'h', .help = "print this text"},
        {.name = "--version", .help = "print the version"},
    };
    td_print_option(&output, &always[0]);
    td_print_option(&output, &always[1]);
    td_cli_print(&output, "\nExample:\n%s", syntax->example);
    return td_cli_output_commit(&output);
}

bool td_cli_print_version(void) {
    static td_cli_output output;
    if (!td_cli_output_open(&output, NULL)) {
        return false;
    }
    td_cli_print(&output, "tandem %s\n", td_version());
    return td_cli_output_commit(&output);
}
