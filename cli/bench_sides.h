// The sides that the papers compare: the processor, on one thread, and devices.
#ifndef TD_CLI_BENCH_SIDES_H
#define TD_CLI_BENCH_SIDES_H

#include "bench_rows.h"

// The common options, with what differs here in their help: one thread, and devices beside the native side.
// The caller has set the defaults of `session` (threads 1, and a strategy and a volume where there are any).
td_cli_option_group td_bench_sides_group(td_cli_session *session);

// Opens the native place, which becomes the first one, and those of devices: the one of --device, or every
// usable one if none is named. That there is none is told in a note. False: the error was told.
bool td_bench_sides_open(td_bench_rows *out, td_cli_session *session);

// Of benches with one device: the one of --device, or the first usable one if none is named, and what it is
// called. Null if there is none beside native, which is told in a note. False: the error was told.
bool td_bench_device_open(td_device **out, char *name, size_t size, const td_cli_session *session);

#endif
