#include "processor.h"

#include <stdio.h>
#include <string.h>

const char *td_cli_processor_name(char name[TD_CLI_PROCESSOR_NAME]) {
    char line[512];
    snprintf(name, TD_CLI_PROCESSOR_NAME, "unknown");
    FILE *file = fopen("/proc/cpuinfo", "r");
    while (file && fgets(line, sizeof line, file)) {
        const char *colon = strstr(line, ": ");
        if (strncmp(line, "model name", 10) == 0 && colon) {
            snprintf(name, TD_CLI_PROCESSOR_NAME, "%.*s", (int)strcspn(colon + 2, "\n"), colon + 2);
            break;
        }
    }
    if (file) {
        fclose(file);
    }
    return name;
}
