// The meshes that are compared on: loaded once, as plain arrays that every library is given.
#ifndef TD_BENCH_SUBJECT_H
#define TD_BENCH_SUBJECT_H

#include "peer.h"

typedef struct td_subject {
    char name[64]; // the file without folder and extension, or the shape; then the subdivisions, if any
    td_peer_mesh arrays;
    double *positions;
    uint32_t *triangles;
} td_subject;

// `source` is a mesh file (told by its extension), or a built-in shape, with the number of subdivisions
// behind a colon if any: "cow", "cow:2", "bunny.obj:3".
td_result td_load_subject(td_subject *out, td_context *context, const char *source);
void td_release_subject(td_subject *subject, td_context *context);

// tandem's mesh over these arrays, which it borrows.
td_result td_subject_mesh(td_mesh **out, td_context *context, const td_subject *subject);

#endif
