#include "info_devices.h"

#include "message.h"
#include "table.h"

#include <inttypes.h>
#include <stdlib.h>

bool td_cli_list_devices(td_cli_devices *out, td_context *context) {
    *out = (td_cli_devices){0};
    td_result result = td_list_devices(NULL, 0, &out->count, context);
    if (result == TD_OK) {
        const uint32_t capacity = out->count;
        out->infos = calloc(capacity, sizeof *out->infos);
        if (!out->infos) {
            td_cli_error("out of memory");
            return false;
        }
        result = td_list_devices(out->infos, capacity, &out->count, context);
        out->count = out->count < capacity ? out->count : capacity; // one may have come in between
    }
    if (result == TD_ERROR_DEVICE) {
        out->missing = td_error_message();
        out->count = 0;
    } else if (result != TD_OK) {
        td_cli_library_error("OpenCL");
        td_cli_forget_devices(out);
        return false;
    }
    return true;
}

void td_cli_forget_devices(td_cli_devices *devices) {
    free(devices->infos);
    *devices = (td_cli_devices){0};
}

void td_cli_devices_as_json(td_cli_json *json, const td_cli_devices *devices) {
    td_cli_json_bool(json, "opencl", devices->missing == NULL);
    if (devices->missing) {
        td_cli_json_text(json, "opencl_missing", devices->missing);
    }
    td_cli_json_array(json, "devices", TD_JSON_LINES);
    td_cli_json_object(json, NULL, TD_JSON_INLINE);
    td_cli_json_text(json, "device", "native");
    td_cli_json_end(json);
    for (uint32_t i = 0; i < devices->count; ++i) {
        const td_device_info *info = &devices->infos[i];
        char device[32];
        snprintf(device, sizeof device, "opencl:%" PRIu32, info->index);
        td_cli_json_object(json, NULL, TD_JSON_INLINE);
        td_cli_json_text(json, "device", device);
        td_cli_json_text(json, "kind", td_device_kind_name(info->kind));
        td_cli_json_text(json, "name", info->name);
        td_cli_json_text(json, "platform", info->platform);
        td_cli_json_text(json, "version", info->version);
        td_cli_json_text(json, "driver", info->driver);
        td_cli_json_count(json, "compute_units", info->compute_units);
        td_cli_json_count(json, "memory", info->memory);
        td_cli_json_count(json, "largest_allocation", info->largest_allocation);
        td_cli_json_bool(json, "float64", info->float64);
        td_cli_json_bool(json, "usable", info->usable);
        td_cli_json_end(json);
    }
    td_cli_json_end(json);
}

static void td_csv_text(td_cli_output *output, const td_device_info *info, const char *key,
                        const char *text) {
    td_cli_print(output, "opencl:%" PRIu32 ".%s,", info->index, key);
    td_cli_put_csv(output, text);
    td_cli_put(output, "\n");
}

static void td_csv_count(td_cli_output *output, const td_device_info *info, const char *key, uint64_t count) {
    td_cli_print(output, "opencl:%" PRIu32 ".%s,%" PRIu64 "\n", info->index, key, count);
}

void td_cli_devices_as_csv(td_cli_output *output, const td_cli_devices *devices) {
    td_cli_print(output, "opencl_devices,%" PRIu32 "\n", devices->count);
    if (devices->missing) {
        td_cli_put(output, "opencl_missing,");
        td_cli_put_csv(output, devices->missing);
        td_cli_put(output, "\n");
    }
    for (uint32_t i = 0; i < devices->count; ++i) {
        const td_device_info *info = &devices->infos[i];
        td_csv_text(output, info, "kind", td_device_kind_name(info->kind));
        td_csv_text(output, info, "name", info->name);
        td_csv_text(output, info, "platform", info->platform);
        td_csv_text(output, info, "version", info->version);
        td_csv_text(output, info, "driver", info->driver);
        td_csv_count(output, info, "compute_units", info->compute_units);
        td_csv_count(output, info, "memory", info->memory);
        td_csv_count(output, info, "largest_allocation", info->largest_allocation);
        td_csv_count(output, info, "float64", info->float64);
        td_csv_count(output, info, "usable", info->usable);
    }
}

void td_cli_devices_as_table(td_cli_output *output, const td_cli_devices *devices) {
    if (devices->count == 0) {
        return; // the line that says so is the caller's
    }
    static const char *const titles[] = {"device",  "kind",   "units",   "memory",
                                         "float64", "usable", "version", "name"};
    td_cli_table table = td_cli_table_begin("llrrllll");
    for (size_t i = 0; i < sizeof titles / sizeof *titles; ++i) {
        td_cli_table_cell(&table, "%s", titles[i]);
    }
    for (uint32_t i = 0; i < devices->count; ++i) {
        const td_device_info *info = &devices->infos[i];
        char memory[TD_CLI_NUMBER_SIZE];
        td_cli_table_cell(&table, "opencl:%" PRIu32, info->index);
        td_cli_table_cell(&table, "%s", td_device_kind_name(info->kind));
        td_cli_table_cell(&table, "%" PRIu32, info->compute_units);
        td_cli_table_cell(&table, "%s", td_cli_bytes(memory, info->memory));
        td_cli_table_cell(&table, "%s", info->float64 ? "yes" : "no");
        td_cli_table_cell(&table, "%s", info->usable ? "yes" : "no");
        td_cli_table_cell(&table, "%.10s", info->version); // "OpenCL 3.0"; the rest is the driver's
        td_cli_table_cell(&table, "%s (%s)", info->name, info->platform);
    }
    td_cli_put(output, "\n");
    td_cli_table_end(&table, output, 0);
}
