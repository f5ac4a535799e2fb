#include "bench_sides.h"
#include "message.h"

#include <stdio.h>
#include <string.h>

td_cli_option_group td_bench_sides_group(td_cli_session *session) {
    const td_cli_option_group group = td_cli_common_group(session);
    for (size_t i = 0; i < group.count; ++i) {
        td_cli_option *option = &session->common[i];
        if (option->number == &session->threads) {
            option->help = "native threads; default 1, 0: one per processor";
        } else if (option->text == &session->device) {
            option->help = "beside native: opencl, opencl:N; default: all; native: none";
        } else if (option->text == &session->strategy) {
            option->help = "traversal, instead of the paper's";
        } else if (option->text == &session->volume) {
            option->help = "bounding volume, aabb or obb, instead of the paper's";
        }
    }
    return group;
}

static bool td_runs_on_devices(const char *strategy) {
    for (uint32_t i = 0; strategy && i < td_strategy_count(); ++i) {
        if (strcmp(strategy, td_strategy_name(i)) == 0) {
            return td_strategy_can(i).device;
        }
    }
    return true; // the automatic choice does
}

bool td_bench_sides_open(td_bench_rows *out, td_cli_session *session) {
    char devices[96];
    td_bench_choice choice = {.isas = session->isa ? session->isa : "auto"};
    if (session->device) {
        const bool native_only = strcmp(session->device, "native") == 0;
        snprintf(devices, sizeof devices, "native%s%.64s", native_only ? "" : ",",
                 native_only ? "" : session->device);
        choice.devices = devices;
    } else if (!td_runs_on_devices(td_cli_session_strategy(session))) {
        choice.devices = "native";
    }
    if (!td_bench_places_open(out, session, &choice)) {
        return false;
    }
    for (uint32_t i = 1; i < out->place_count; ++i) {
        if (!out->places[i].device) {
            const td_bench_place native = out->places[i];
            out->places[i] = out->places[0];
            out->places[0] = native;
        }
    }
    return true;
}

bool td_bench_device_open(td_device **out, char *name, size_t size, const td_cli_session *session) {
    const char *wanted = session->device;
    *out = NULL;
    if (wanted && strcmp(wanted, "native") == 0) {
        return true;
    }
    if (td_create_device_by_name(out, session->context, wanted ? wanted : "opencl") != TD_OK) {
        if (wanted) {
            td_cli_library_error(NULL);
            return false;
        }
        if (!session->quiet) {
            td_cli_note("no device beside native: %s", td_error_message());
        }
        return true;
    }
    if (*out) {
        td_device_info info;
        td_device_describe(&info, *out);
        snprintf(name, size, "%s", info.name);
    }
    return true;
}
