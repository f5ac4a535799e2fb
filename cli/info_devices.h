// The OpenCL devices that `tandem info` tells of.
#ifndef TD_CLI_INFO_DEVICES_H
#define TD_CLI_INFO_DEVICES_H

#include "json.h"

#include <tandem/device.h>

typedef struct td_cli_devices {
    td_device_info *infos;
    uint32_t count;
    const char
        *missing; // why there is none, valid until the next failing call of the library; null: there are
} td_cli_devices;

// A machine without OpenCL is no error. False: the error was told.
bool td_cli_list_devices(td_cli_devices *out, td_context *context);
void td_cli_forget_devices(td_cli_devices *devices);

void td_cli_devices_as_json(td_cli_json *json, const td_cli_devices *devices);
void td_cli_devices_as_csv(td_cli_output *output, const td_cli_devices *devices);
void td_cli_devices_as_table(td_cli_output *output, const td_cli_devices *devices);

#endif
