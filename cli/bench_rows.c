#include "bench_rows.h"

#include "message.h"
#include "names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---------------------------------------------------------------------------------------------------------
// Which

typedef struct td_bench_wanted {
    bool strategies[TD_BENCH_STRATEGIES];
    bool volumes[TD_BENCH_VOLUMES];
} td_bench_wanted;

static bool td_find_wanted(td_bench_wanted *out, const td_cli_session *session,
                           const td_bench_choice *choice) {
    const char *strategies[TD_BENCH_STRATEGIES];
    uint32_t count = td_strategy_count();
    count = count < TD_BENCH_STRATEGIES ? count : TD_BENCH_STRATEGIES;
    *out = (td_bench_wanted){0};
    for (uint32_t i = 0; i < count; ++i) {
        strategies[i] = td_strategy_name(i);
        const bool brute = strcmp(strategies[i], "brute") == 0;
        out->strategies[i] = !choice->strategies && !(brute && choice->brute_too_slow);
        if (brute && choice->brute_too_slow && !choice->strategies && !session->quiet) {
            td_cli_note("brute is left out, for it would take too long on this scene: --strategies names it");
        }
    }
    const char *const volumes[] = {td_volume_name(TD_VOLUME_AABB), td_volume_name(TD_VOLUME_OBB)};
    out->volumes[0] = out->volumes[1] = !choice->volumes;
    return td_cli_find_names(out->strategies, &(td_cli_names){"strategy", strategies, count},
                             choice->strategies, "--strategies") &&
           td_cli_find_names(out->volumes, &(td_cli_names){"bounding volume", volumes, TD_BENCH_VOLUMES},
                             choice->volumes, "--volumes");
}

// Whether the library has both ways of sharing out the work on a device for this strategy.
static bool td_has_one_item_form(const char *strategy) {
    return strcmp(strategy, "binary") == 0 || strcmp(strategy, "stack") == 0;
}

static bool td_is_reference(const td_bench_row *row) {
    return strcmp(td_strategy_name(row->strategy), "stack") == 0 && row->def.volume == TD_VOLUME_AABB &&
           !row->place->device && td_context_isa(row->place->context) == TD_ISA_SCALAR;
}

static void td_add_row(td_bench_rows *rows, const td_bench_choice *choice, uint32_t strategy,
                       td_volume volume, const td_bench_place *place, bool one_item_per_pair) {
    td_bench_row *row = &rows->rows[rows->count];
    *row = (td_bench_row){.strategy = strategy, .one_item_per_pair = one_item_per_pair, .place = place};
    row->def = td_default_collide_def();
    row->def.mode = TD_MODE_PAIRS;
    row->def.strategy = td_strategy_name(strategy);
    row->def.volume = volume;
    const td_strategy_abilities can = td_strategy_can(strategy);
    const bool descents = place->device ? can.device_descents : can.descents;
    row->def.descent = descents ? choice->descent : TD_DESCENT_AUTO;
    row->def.device = place->device;
    row->def.one_item_per_pair = one_item_per_pair;
    rows->reference = td_is_reference(row) ? rows->count : rows->reference;
    ++rows->count;
}

static void td_add_rows_of(td_bench_rows *rows, const td_bench_choice *choice, uint32_t strategy,
                           td_volume volume) {
    const td_strategy_abilities can = td_strategy_can(strategy);
    for (uint32_t i = 0; i < rows->place_count; ++i) {
        const td_bench_place *place = &rows->places[i];
        if ((place->device && !can.device) ||
            (volume == TD_VOLUME_OBB && !(place->device ? can.device_obb : can.obb))) {
            continue;
        }
        td_add_row(rows, choice, strategy, volume, place, false);
        if (place->device && td_has_one_item_form(td_strategy_name(strategy))) {
            td_add_row(rows, choice, strategy, volume, place, true);
        }
    }
}

// ---------------------------------------------------------------------------------------------------------
// Room

bool td_bench_rows_equip(td_bench_rows *rows) {
    for (uint32_t i = 0; i < rows->count; ++i) {
        td_bench_row *row = &rows->rows[i];
        if (td_create_query(&row->query, row->place->context) != TD_OK) {
            td_cli_library_error(NULL);
            return false;
        }
        row->samples = calloc(rows->rounds, sizeof *row->samples);
        if (!row->samples) {
            td_cli_error("out of memory for the times of %u rounds", rows->rounds);
            return false;
        }
    }
    return true;
}

bool td_bench_rows_make(td_bench_rows *rows, td_cli_session *session, const td_bench_choice *choice,
                        uint32_t rounds) {
    td_bench_wanted wanted;
    if (!td_find_wanted(&wanted, session, choice)) {
        return false;
    }
    const size_t most = (size_t)2 * TD_BENCH_STRATEGIES * TD_BENCH_VOLUMES * TD_BENCH_PLACES;
    rows->rows = calloc(most, sizeof *rows->rows);
    if (!rows->rows) {
        td_cli_error("out of memory");
        return false;
    }
    rows->rounds = rounds;
    rows->reference = UINT32_MAX;
    for (uint32_t strategy = 0; strategy < TD_BENCH_STRATEGIES; ++strategy) {
        for (int volume = 0; volume < TD_BENCH_VOLUMES; ++volume) {
            if (wanted.strategies[strategy] && wanted.volumes[volume]) {
                td_add_rows_of(rows, choice, strategy, (td_volume)volume);
            }
        }
    }
    if (rows->count == 0) {
        td_cli_error(
            "no row is left: expected strategies that know the bounding volumes and run on the devices "
            "chosen; 'tandem info' tells");
        return false;
    }
    rows->reference = rows->reference < rows->count ? rows->reference : rows->count;
    return td_bench_rows_equip(rows);
}

void td_bench_rows_drop(td_bench_rows *rows) {
    for (uint32_t i = 0; i < rows->count; ++i) {
        td_destroy_query(rows->rows[i].query);
        free(rows->rows[i].samples);
    }
    free(rows->rows);
    rows->rows = NULL;
    rows->count = 0;
}

void td_bench_rows_close(td_bench_rows *rows) {
    td_bench_rows_drop(rows);
    for (uint32_t i = 0; i < rows->place_count; ++i) {
        td_destroy_device(rows->places[i].device);
        if (rows->places[i].own_context) {
            td_destroy_context(rows->places[i].context);
        }
    }
    *rows = (td_bench_rows){0};
}

// ---------------------------------------------------------------------------------------------------------
// Names

const char *td_bench_row_strategy(char text[TD_BENCH_ROW_NAME], const td_bench_row *row) {
    snprintf(text, TD_BENCH_ROW_NAME, "%s%s", td_strategy_name(row->strategy),
             row->one_item_per_pair ? ", one item per pair" : "");
    return text;
}

const char *td_bench_row_name(char text[TD_BENCH_ROW_NAME], const td_bench_row *row) {
    char strategy[TD_BENCH_ROW_NAME];
    snprintf(text, TD_BENCH_ROW_NAME, "%.60s, %s, %s", td_bench_row_strategy(strategy, row),
             td_volume_name(row->def.volume), row->place->name);
    return text;
}
