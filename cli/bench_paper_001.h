// What `bench paper 001` measures: hierarchies of deforming meshes built, refitted and asked for
// self-collisions, in every way there is.
#ifndef TD_CLI_BENCH_PAPER_001_H
#define TD_CLI_BENCH_PAPER_001_H

#include "bench_rows.h"
#include "published_001.h"
#include "sequence.h"

enum {
    TD_OPERATION_ROWS = 64 + 20 * TD_BENCH_PLACES, // of the paper and natively, and of every device
    TD_OPERATION_SCENES = 3,
    TD_OPERATION_STEPS_MOST = 1000
};

// Where the time of a frame goes: Fig. 9.
typedef enum td_operation_stage {
    TD_STAGE_OF_REFIT,
    TD_STAGE_OF_BOXES,     // traversal; on a device with everything that follows it
    TD_STAGE_OF_TRIANGLES, // and of elementary tests
    TD_OPERATION_STAGES
} td_operation_stage;

// A time, of ours or of the paper's.
typedef struct td_operation_row {
    const char *operation; // "build", "refit", "discrete", "continuous"
    const char *way;       // builder, hierarchy or strategy
    td_volume volume;
    const td_bench_place *place;             // null: the paper's
    const char *hardware;                    // the paper's
    double ms, cpu_ms;                       // per build or frame; NaN: not known, as all below
    double stages[TD_OPERATION_STAGES];      // in a round of its own
    double found, box_tests, triangle_tests; // per frame
} td_operation_row;

typedef struct td_operation_scene {
    const char *name;
    td_cli_sequence sequence;
    const td_published_model *published; // null: it is not the paper's
    td_operation_row rows[TD_OPERATION_ROWS];
    uint32_t row_count;
} td_operation_scene;

typedef struct td_operations {
    td_operation_scene scenes[TD_OPERATION_SCENES];
    uint32_t count, rounds;
    td_bench_rows places; // native first
} td_operations;

// A new row, of which all numbers are unknown.
td_operation_row *td_add_operation(td_operation_scene *scene, const char *operation, const char *way,
                                   td_volume volume, const td_bench_place *place);

// False: the error was told. bench_paper_001_build.c: builds at every place, refits on devices.
bool td_operations_build(td_operation_scene *scene, const td_operations *all, td_cli_session *session);

// bench_paper_001_frames.c: native refits and all queries, which must agree in every frame.
bool td_operations_collide(td_operation_scene *scene, const td_operations *all, td_cli_session *session);

// bench_paper_001_report.c, bench_paper_001_rows.c: in the session's format, to its output.
void td_operations_write(td_cli_session *session, const td_operations *all);
void td_operations_as_csv(td_cli_session *session, const td_operations *all, const char *processor);
void td_operations_as_json(td_cli_session *session, const td_operations *all, const char *processor);

#endif
