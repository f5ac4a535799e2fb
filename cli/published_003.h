// What paper 003 reports, section 5.
#ifndef TD_CLI_PUBLISHED_003_H
#define TD_CLI_PUBLISHED_003_H

typedef struct td_published_tracing {
    const char *hardware;
    double fig6[2];   // rigid objects: pipeline against naive, times faster; full, full and iterative
    double fig7;      // rigid and deformable objects: likewise, full and iterative
    double table1[3]; // ms that prediction saves: rigid, full; rigid, both; with deformable objects, both
    double table2[2]; // part of the missed rays that Eq. 1 saves: rigid; with deformable objects
} td_published_tracing;

extern const td_published_tracing td_published_003;

#endif
