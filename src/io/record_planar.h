#ifndef TD_IO_RECORD_PLANAR_H
#define TD_IO_RECORD_PLANAR_H

#include "record.h"

// As td_create_recorder and td_record_frame, of a planar scene: its bodies are prisms in a plane.
td_result td_create_planar_recorder(td_recorder **out, td_context *context, const td_scene *scene,
                                    const char *path, bool times);
td_result td_record_planar_frame(td_recorder *recorder, const td_scene *scene, const td_step_report *report);

#endif
