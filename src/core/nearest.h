// "Did you mean": the known word nearest to a mistyped one.
#ifndef TD_CORE_NEAREST_H
#define TD_CORE_NEAREST_H

typedef struct td_nearest {
    const char *wanted;
    const char *best; // null as long as nothing was near enough
    unsigned distance;
} td_nearest;

td_nearest td_nearest_to(const char *wanted);
void td_nearest_offer(td_nearest *nearest, const char *candidate);

#endif
