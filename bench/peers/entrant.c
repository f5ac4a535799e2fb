#include "entrant.h"

#include "core/error.h"
#include "core/memory.h"

static td_result td_prepare_tandem(td_entrant *entrant, const td_race *race) {
    TD_TRY(td_subject_mesh(&entrant->mesh_a, entrant->context, race->a));
    if (race->a == race->b) {
        entrant->mesh_b = entrant->mesh_a;
    } else {
        TD_TRY(td_subject_mesh(&entrant->mesh_b, entrant->context, race->b));
    }
    TD_TRY(td_create_query(&entrant->query, entrant->context));
    entrant->results = TD_NEW(entrant->context, td_collide_result, race->pose_count);
    entrant->counts = TD_NEW(entrant->context, uint64_t, race->pose_count);
    return entrant->results == NULL || entrant->counts == NULL ? TD_ERROR_MEMORY : TD_OK;
}

td_result td_enter_tandem(td_entrant *out, const td_race *race, const char *isa_name, uint32_t threads) {
    *out = (td_entrant){.library = "tandem", .version = td_version(), .threads = threads};
    TD_TRY(td_open_context(&out->context, isa_name, threads));
    out->isa = td_isa_name(td_context_isa(out->context));
    const td_result result = td_prepare_tandem(out, race);
    if (result != TD_OK) {
        td_release_entrant(out, race);
    }
    return result;
}

td_result td_enter_peer(td_entrant *out, const td_race *race, td_context *context, const td_peer *peer) {
    *out = (td_entrant){.library = peer->name, .version = peer->version(), .isa = "", .threads = 1};
    out->counts = TD_NEW(context, uint64_t, race->pose_count);
    if (out->counts == NULL) {
        return TD_ERROR_MEMORY;
    }
    out->instance = peer->create(&race->a->arrays, &race->b->arrays);
    if (out->instance == NULL) {
        TD_DELETE(context, uint64_t, out->counts, race->pose_count);
        return td_fail(TD_ERROR_UNSUPPORTED, "%s refuses %s or %s", peer->name, race->a->name, race->b->name);
    }
    out->peer = peer;
    out->context = context;
    return TD_OK;
}

void td_release_entrant(td_entrant *entrant, const td_race *race) {
    TD_DELETE(entrant->context, uint64_t, entrant->counts, race->pose_count);
    if (entrant->peer != NULL) {
        entrant->peer->destroy(entrant->instance);
        return; // the context is another entrant's
    }
    TD_DELETE(entrant->context, td_collide_result, entrant->results, race->pose_count);
    td_destroy_query(entrant->query);
    if (entrant->mesh_b != entrant->mesh_a) {
        td_destroy_mesh(entrant->mesh_b);
    }
    td_destroy_mesh(entrant->mesh_a);
    td_destroy_context(entrant->context);
}

static td_result td_run_tandem(const td_entrant *entrant, const td_race *race, uint64_t *counts) {
    td_collide_def def = td_default_collide_def();
    def.mode = race->mode == TD_PEER_FIRST ? TD_MODE_FIRST : TD_MODE_COUNT;
    TD_TRY(td_collide_batch(entrant->results, entrant->query, entrant->mesh_a, entrant->mesh_b, race->poses,
                            race->pose_count, &def));
    for (uint32_t i = 0; counts != NULL && i < race->pose_count; ++i) {
        counts[i] = entrant->results[i].pair_count;
    }
    return TD_OK;
}

td_result td_run_entrant(const td_entrant *entrant, const td_race *race, uint64_t *counts) {
    if (entrant->peer == NULL) {
        return td_run_tandem(entrant, race, counts);
    }
    for (uint32_t i = 0; i < race->pose_count; ++i) {
        const uint64_t count =
            entrant->peer->query(entrant->instance, &race->peer_poses[i], race->mode, NULL);
        if (counts != NULL) {
            counts[i] = count;
        }
    }
    return TD_OK;
}
