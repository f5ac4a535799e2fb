#include "planar.h"
struct td_planar_on_device { int x; };
td_result td_create_planar_device(td_planar *planar) { (void)planar; return td_fail(TD_ERROR_UNSUPPORTED, "x"); }
void td_destroy_planar_device(td_planar *planar) { (void)planar; }
td_result td_step_planar_device(td_planar *planar, uint32_t steps) { (void)planar; (void)steps; return TD_OK; }
td_result td_begin_planar_read(td_planar *planar) { (void)planar; return TD_OK; }
td_result td_end_planar_read(td_planar *planar) { (void)planar; return TD_OK; }
void td_count_planar_device(td_planar_report *out, const td_planar *planar) { (void)out; (void)planar; }
