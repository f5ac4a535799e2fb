// Where the rows of a benchmark run: instruction sets and devices, as chosen or all there are.
#include "bench_rows.h"
#include "interrupt.h"
#include "message.h"
#include "names.h"

#include <stdio.h>
#include <string.h>

static td_bench_place *td_next_place(td_bench_rows *rows) {
    if (rows->place_count == TD_BENCH_PLACES) {
        td_cli_error("more than %d instruction sets and devices: the others are left out", TD_BENCH_PLACES);
        return NULL;
    }
    return &rows->places[rows->place_count];
}

static bool td_add_native_place(td_bench_rows *rows, td_cli_session *session, td_isa isa) {
    td_bench_place *place = td_next_place(rows);
    if (!place) {
        return false;
    }
    *place = (td_bench_place){.context = session->context};
    if (isa != td_context_isa(session->context)) {
        if (!td_cli_create_context(&place->context, session, isa)) {
            return false;
        }
        place->own_context = true;
    }
    snprintf(place->name, sizeof place->name, "native %s", td_isa_name(isa));
    place->threads = td_context_thread_count(place->context);
    ++rows->place_count;
    return true;
}

// The chosen ones; else the widest and the scalar code.
static bool td_add_native_places(td_bench_rows *rows, td_cli_session *session, const char *isas) {
    const bool chosen = isas != NULL;
    bool wanted[TD_ISA_COUNT] = {false};
    const td_isa widest = td_context_isa(session->context);
    char name[TD_CLI_NAME_SIZE];
    while (td_cli_next_name(name, &isas)) {
        td_isa isa;
        if (!td_cli_parse_isa(&isa, name)) {
            return false;
        }
        wanted[isa == TD_ISA_AUTO ? widest : isa] = true;
    }
    for (int i = TD_ISA_COUNT - 1; i >= TD_ISA_SCALAR; --i) { // the widest first
        const td_isa isa = (td_isa)i;
        const bool add = chosen ? wanted[i] : isa == widest || isa == TD_ISA_SCALAR;
        if (add && !td_add_native_place(rows, session, isa)) {
            return false;
        }
    }
    return true;
}

static bool td_has_device(const td_bench_rows *rows, uint32_t index) {
    for (uint32_t i = 0; i < rows->place_count; ++i) {
        if (rows->places[i].device && rows->places[i].info.index == index) {
            return true;
        }
    }
    return false;
}

// `name` as --device takes it. A failure was not told.
static td_result td_add_device_place(td_bench_rows *rows, td_cli_session *session, const char *name) {
    td_device *device = NULL;
    td_cli_hold_signals(); // inherited by the threads of the device's driver
    const td_result result = td_create_device_by_name(&device, session->context, name);
    td_cli_release_signals();
    if (result != TD_OK || !device) { // none, without a failure: "auto" found none, and the log told so
        return result;
    }
    td_device_info info;
    td_device_describe(&info, device);
    td_bench_place *place = td_has_device(rows, info.index) ? NULL : td_next_place(rows); // not twice
    if (!place) {
        td_destroy_device(device);
        return TD_OK;
    }
    *place = (td_bench_place){
        .context = session->context, .device = device, .info = info, .threads = info.compute_units};
    td_cli_device_label(place->name, device);
    ++rows->place_count;
    return TD_OK;
}

// Every device that can be used. That there is none, or that one of them fails, is worth a note only: nobody
// asked for it by name.
static void td_add_all_devices(td_bench_rows *rows, td_cli_session *session) {
    td_device_info infos[TD_BENCH_PLACES];
    uint32_t count = 0;
    td_cli_hold_signals();
    const td_result listed = td_list_devices(infos, TD_BENCH_PLACES, &count, session->context);
    td_cli_release_signals();
    if (listed != TD_OK) {
        if (!session->quiet) {
            td_cli_note("native rows only: %s", td_error_message());
        }
        return;
    }
    for (uint32_t i = 0; i < count && i < TD_BENCH_PLACES; ++i) {
        char name[TD_CLI_DEVICE_LABEL];
        snprintf(name, sizeof name, "opencl:%u", infos[i].index);
        if (!infos[i].usable) {
            if (!session->quiet) {
                td_cli_note("no rows of %s: %s is not usable", name, infos[i].name);
            }
        } else if (td_add_device_place(rows, session, name) != TD_OK && !session->quiet) {
            td_cli_note("no rows of %s: %s", name, td_error_message());
        }
    }
}

static bool td_add_chosen_places(td_bench_rows *rows, td_cli_session *session,
                                 const td_bench_choice *choice) {
    const char *list = choice->devices;
    char name[TD_CLI_NAME_SIZE];
    bool native = false;
    while (td_cli_next_name(name, &list)) {
        if (!td_cli_check_device_name(name, "--devices")) {
            return false;
        }
        if (strcmp(name, "native") == 0) {
            native = true;
        } else if (td_add_device_place(rows, session, name) != TD_OK) {
            td_cli_library_error("--devices");
            return false;
        }
    }
    return !native || td_add_native_places(rows, session, choice->isas);
}

bool td_bench_places_open(td_bench_rows *out, td_cli_session *session, const td_bench_choice *choice) {
    *out = (td_bench_rows){0};
    td_cli_progress_stage(&session->progress, "opening devices");
    bool opened;
    if (choice->devices) {
        opened = td_add_chosen_places(out, session, choice);
    } else {
        opened = td_add_native_places(out, session, choice->isas);
        if (opened) {
            td_add_all_devices(out, session);
        }
    }
    if (!opened) {
        td_bench_rows_close(out);
    }
    return opened;
}
