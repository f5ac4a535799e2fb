// "Did you mean": the known word nearest to a mistyped one.
#ifndef TD_CLI_NEAREST_H
#define TD_CLI_NEAREST_H

typedef struct td_cli_nearest {
    const char *wanted;
    const char *best; // null as long as nothing was near enough
    unsigned distance;
} td_cli_nearest;

td_cli_nearest td_cli_nearest_to(const char *wanted);
void td_cli_nearest_offer(td_cli_nearest *nearest, const char *candidate);

#endif
