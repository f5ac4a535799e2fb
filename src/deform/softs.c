// Soft bodies: added, placed, removed.
#include "softs.h"

#include "../core/context.h"
#include "../core/error.h"

#include <string.h>

td_result td_softs_create(td_softs **out, td_context *context) {
    *out = NULL;
    td_softs *softs = TD_NEW(context, td_softs, 1);
    td_walk_worker *workers = TD_NEW(context, td_walk_worker, context->worker_count);
    if (softs == NULL || workers == NULL) {
        TD_DELETE(context, td_softs, softs, 1);
        TD_DELETE(context, td_walk_worker, workers, context->worker_count);
        return TD_ERROR_MEMORY;
    }
    memset(softs, 0, sizeof *softs);
    memset(workers, 0, context->worker_count * sizeof *workers);
    softs->context = context;
    softs->workers = workers;
    softs->worker_count = context->worker_count;
    softs->lap_length = 1;
    atomic_init(&softs->unused, ~0ull);
    *out = softs;
    return TD_OK;
}

static void td_release_soft(td_soft *soft, td_context *context) {
    if (soft != NULL) {
        td_side_release(&soft->side, context);
        td_array_release(context, &soft->touched);
        TD_DELETE(context, td_soft, soft, 1);
    }
}

static void td_release_arrays(td_softs *softs) {
    td_context *context = softs->context;
    td_array_release(context, &softs->x);
    td_array_release(context, &softs->v);
    td_array_release(context, &softs->previous);
    td_array_release(context, &softs->start);
    td_array_release(context, &softs->gradient);
    td_array_release(context, &softs->rested);
    td_array_release(context, &softs->saved_rested);
    td_array_release(context, &softs->saved_x);
    td_array_release(context, &softs->saved_v);
    td_array_release(context, &softs->weight);
    td_array_release(context, &softs->mass);
    td_array_release(context, &softs->pinned);
    td_array_release(context, &softs->gone);
    td_array_release(context, &softs->held);
    td_array_release(context, &softs->tested);
    td_array_release(context, &softs->marks);
    td_array_release(context, &softs->fittings);
    td_array_release(context, &softs->carrier);
    td_array_release(context, &softs->pairs);
    td_array_release(context, &softs->items);
    td_array_release(context, &softs->near_pairs);
    td_array_release(context, &softs->contacts);
    td_array_release(context, &softs->rests);
    td_array_release(context, &softs->dead);
    td_turns_release(&softs->turns, context);
    td_array_release(context, &softs->layers);
    td_array_release(context, &softs->columns);
    td_array_release(context, &softs->pinches);
    td_array_release(context, &softs->held_grips);
    td_array_release(context, &softs->stirred);
    td_array_release(context, &softs->hits);
    td_array_release(context, &softs->times);
    td_array_release(context, &softs->near);
    td_array_release(context, &softs->spans);
    td_array_release(context, &softs->span_of);
    td_array_release(context, &softs->moving);
}

void td_softs_destroy(td_softs *softs) {
    if (softs == NULL) {
        return;
    }
    td_context *context = softs->context;
    for (size_t i = 0; i < softs->list.count; ++i) {
        td_release_soft(softs->list.items[i], context);
    }
    for (size_t i = 0; i < softs->forms.count; ++i) {
        td_form_destroy(softs->forms.items[i]);
    }
    for (size_t i = 0; i < softs->sides.count; ++i) {
        td_side_release(&softs->sides.items[i].side, context);
    }
    for (size_t i = 0; i < softs->shared.count; ++i) {
        td_features_release(softs->shared.items[i].features, context);
        TD_DELETE(context, td_features, softs->shared.items[i].features, 1);
    }
    for (uint32_t i = 0; i < softs->worker_count; ++i) {
        td_swept_worker_release(&softs->workers[i].swept, context);
        td_array_release(context, &softs->workers[i].found);
        td_array_release(context, &softs->workers[i].pairs);
        td_array_release(context, &softs->workers[i].starts);
    }
    td_array_release(context, &softs->list);
    td_array_release(context, &softs->forms);
    td_array_release(context, &softs->sides);
    td_array_release(context, &softs->shared);
    td_release_arrays(softs);
    TD_DELETE(context, td_walk_worker, softs->workers, softs->worker_count);
    TD_DELETE(context, td_softs, softs, 1);
}

// ---------------------------------------------------------------------------------------------------------
// Adding

static td_result td_share_form(td_form **out, td_softs *softs, const td_mesh *mesh, const td_soft_def *def) {
    for (size_t i = 0; i < softs->forms.count; ++i) {
        td_form *form = softs->forms.items[i];
        if (form->mesh == mesh && form->stretch == def->stretch && form->shear == def->shear &&
            form->bend == def->bend) {
            *out = form;
            return TD_OK;
        }
    }
    TD_TRY(td_array_reserve(softs->context, &softs->forms, 1));
    TD_TRY(td_form_create(out, softs->context, mesh, def));
    softs->forms.items[softs->forms.count++] = *out;
    return TD_OK;
}

static void td_drop_unused_form(td_softs *softs, td_form *form) {
    for (size_t i = 0; form != NULL && form->users == 0 && i < softs->forms.count; ++i) {
        if (softs->forms.items[i] == form) {
            softs->forms.items[i] = softs->forms.items[--softs->forms.count];
            td_form_destroy(form);
            return;
        }
    }
}

static td_result td_room_for_vertices(td_softs *softs, uint32_t count) {
    td_context *context = softs->context;
    TD_TRY(td_array_reserve(context, &softs->x, count));
    TD_TRY(td_array_reserve(context, &softs->v, count));
    TD_TRY(td_array_reserve(context, &softs->previous, count));
    TD_TRY(td_array_reserve(context, &softs->start, count));
    TD_TRY(td_array_reserve(context, &softs->gradient, count));
    TD_TRY(td_array_reserve(context, &softs->rested, count));
    TD_TRY(td_array_reserve(context, &softs->weight, count));
    TD_TRY(td_array_reserve(context, &softs->mass, count));
    TD_TRY(td_array_reserve(context, &softs->pinned, count));
    TD_TRY(td_array_reserve(context, &softs->gone, count));
    TD_TRY(td_array_reserve(context, &softs->held, count));
    TD_TRY(td_array_reserve(context, &softs->tested, count));
    TD_TRY(td_array_reserve(context, &softs->marks, count));
    return td_array_reserve(context, &softs->carrier, count);
}

// All arrays are of one size.
static void td_set_vertex_count(td_softs *softs, uint32_t count) {
    softs->vertex_count = count;
    softs->x.count = softs->v.count = softs->previous.count = softs->start.count = softs->gradient.count =
        softs->rested.count = softs->weight.count = softs->mass.count = softs->pinned.count =
            softs->gone.count = softs->held.count = softs->tested.count = softs->marks.count =
                softs->carrier.count = count;
}

static td_result td_check_pins(const td_soft_start *start) {
    const uint32_t count = start->mesh->triangles.vertex_count;
    for (size_t i = 0; i < start->def->pin_count; ++i) {
        if (start->def->pins[i] >= count) {
            return td_fail(TD_ERROR_ARGUMENT, "pins[%zu] is vertex %u: expected one of the mesh's %u, from 0",
                           i, start->def->pins[i], count);
        }
    }
    return TD_OK;
}

static td_result td_make_soft(td_soft **out, td_softs *softs, const td_soft_start *start) {
    td_form *form = NULL;
    TD_TRY(td_check_pins(start));
    TD_TRY(td_share_form(&form, softs, start->mesh, start->def));
    td_soft *soft = NULL;
    td_result result = td_array_reserve(softs->context, &softs->list, 1);
    result = result == TD_OK ? td_room_for_vertices(softs, form->vertex_count) : result;
    if (result == TD_OK) {
        soft = TD_NEW(softs->context, td_soft, 1);
        result = soft != NULL ? TD_OK : TD_ERROR_MEMORY;
    }
    if (result != TD_OK) {
        td_drop_unused_form(softs, form);
        return result;
    }
    const double closed_pressure = form->closed && form->volume > 0 ? start->def->pressure : 0;
    *soft = (td_soft){.body = start->body,
                      .form = form,
                      .first = softs->vertex_count,
                      .thickness = start->def->thickness,
                      .pressure = closed_pressure,
                      .damping = start->def->damping,
                      .friction = start->friction,
                      .gravity_scale = start->gravity_scale,
                      .linear_damping = start->linear_damping,
                      .mass = start->mass,
                      .group = start->group,
                      .collides_with = start->collides_with,
                      .may_sleep = start->may_sleep,
                      .side = {.mesh = start->mesh, .features = &form->features}};
    ++form->users;
    *out = soft;
    return TD_OK;
}

td_result td_softs_add(td_soft **out, td_softs *softs, const td_soft_start *start) {
    td_soft *soft;
    TD_TRY(td_make_soft(&soft, softs, start));
    softs->list.items[softs->list.count++] = soft;
    td_set_vertex_count(softs, soft->first + soft->form->vertex_count);
    for (uint32_t i = 0; i < soft->form->vertex_count; ++i) {
        softs->mass.items[soft->first + i] = start->mass * soft->form->share[i];
        softs->pinned.items[soft->first + i] = 0;
    }
    for (size_t i = 0; i < start->def->pin_count; ++i) {
        softs->pinned.items[soft->first + start->def->pins[i]] = 1;
    }
    td_softs_place(softs, soft, start->frame);
    td_softs_wake(softs, soft);
    td_softs_set_velocity(softs, soft, start->velocity, start->spin);
    *out = soft;
    return TD_OK;
}

// ---------------------------------------------------------------------------------------------------------
// Changing

void td_softs_remove(td_softs *softs, td_soft *soft) {
    const uint32_t first = soft->first, count = soft->form->vertex_count,
                   rest = softs->vertex_count - first - count;
#define TD_CLOSE_GAP(array)                                                                                  \
    memmove((array).items + first, (array).items + first + count, rest * sizeof *(array).items)
    TD_CLOSE_GAP(softs->x);
    TD_CLOSE_GAP(softs->v);
    TD_CLOSE_GAP(softs->rested);
    TD_CLOSE_GAP(softs->weight);
    TD_CLOSE_GAP(softs->mass);
    TD_CLOSE_GAP(softs->pinned);
#undef TD_CLOSE_GAP
    td_set_vertex_count(softs, softs->vertex_count - count);
    size_t kept = 0;
    for (size_t i = 0; i < softs->list.count; ++i) {
        td_soft *other = softs->list.items[i];
        if (other != soft) {
            other->first -= other->first > first ? count : 0;
            softs->list.items[kept++] = other;
        }
    }
    softs->list.count = kept;
    --soft->form->users;
    td_drop_unused_form(softs, soft->form);
    td_release_soft(soft, softs->context);
}

void td_softs_place(td_softs *softs, td_soft *soft, td_stand frame) {
    const td_mat3 turn = td_quat_matrix(frame.rotation);
    for (uint32_t i = 0; i < soft->form->vertex_count; ++i) {
        const td_vec3 rest = td_trimesh_vertex(&soft->form->mesh->triangles, i);
        softs->x.items[soft->first + i] = td_add(frame.position, td_mat3_apply(turn, rest));
        softs->v.items[soft->first + i] = td_vec3_make(0, 0, 0);
        softs->rested.items[soft->first + i] = softs->x.items[soft->first + i];
    }
    soft->side.fitted_in = 0;
}

void td_softs_set_velocity(td_softs *softs, td_soft *soft, td_vec3 velocity, td_vec3 spin) {
    const td_vec3 centre = td_softs_sum(softs, soft).centre;
    for (uint32_t v = soft->first; v < soft->first + soft->form->vertex_count; ++v) {
        const td_vec3 turned = td_cross(spin, td_sub(softs->x.items[v], centre));
        softs->v.items[v] = softs->pinned.items[v] ? td_vec3_make(0, 0, 0) : td_add(velocity, turned);
    }
}

void td_softs_wake(td_softs *softs, td_soft *soft) {
    soft->still_time = 0;
    if (soft->awake) {
        return;
    }
    soft->awake = true;
    for (uint32_t v = soft->first; v < soft->first + soft->form->vertex_count; ++v) {
        softs->weight.items[v] = softs->pinned.items[v] ? 0 : 1 / softs->mass.items[v];
    }
}

void td_softs_sleep(td_softs *softs, td_soft *soft) {
    soft->awake = false;
    soft->side.fitted_in = 0; // its boxes are those of its last motion
    soft->velocity = td_vec3_make(0, 0, 0);
    soft->stray = soft->rms = 0;
    for (uint32_t v = soft->first; v < soft->first + soft->form->vertex_count; ++v) {
        softs->weight.items[v] = 0;
        softs->v.items[v] = td_vec3_make(0, 0, 0);
    }
}

td_result td_softs_save(td_softs *softs) {
    softs->saved_x.count = softs->saved_v.count = softs->saved_rested.count = 0;
    TD_TRY(td_array_reserve(softs->context, &softs->saved_x, softs->vertex_count));
    TD_TRY(td_array_reserve(softs->context, &softs->saved_v, softs->vertex_count));
    TD_TRY(td_array_reserve(softs->context, &softs->saved_rested, softs->vertex_count));
    for (uint32_t v = 0; v < softs->vertex_count; ++v) {
        softs->saved_x.items[v] = softs->x.items[v];
        softs->saved_v.items[v] = softs->v.items[v];
        softs->saved_rested.items[v] = softs->rested.items[v];
    }
    softs->saved_x.count = softs->saved_v.count = softs->saved_rested.count = softs->vertex_count;
    softs->saved_lap_length = softs->lap_length;
    for (size_t i = 0; i < softs->list.count; ++i) {
        td_soft *soft = softs->list.items[i];
        soft->saved_awake = soft->awake;
        soft->saved_still_time = soft->still_time;
    }
    return TD_OK;
}

void td_softs_restore(td_softs *softs) {
    if (softs->saved_rested.count != softs->vertex_count) {
        return; // it was saving that failed: nothing has been changed
    }
    softs->lap_length = softs->saved_lap_length;
    for (uint32_t v = 0; v < softs->vertex_count; ++v) {
        softs->x.items[v] = softs->saved_x.items[v];
        softs->v.items[v] = softs->saved_v.items[v];
        softs->rested.items[v] = softs->saved_rested.items[v];
    }
    for (size_t i = 0; i < softs->list.count; ++i) {
        td_soft *soft = softs->list.items[i];
        if (soft->saved_awake) {
            td_softs_wake(softs, soft);
        } else if (soft->awake) {
            td_softs_sleep(softs, soft);
        }
        soft->still_time = soft->saved_still_time;
        soft->side.fitted_in = 0;
    }
}
