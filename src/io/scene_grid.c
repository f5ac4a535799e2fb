#include "scene_grid.h"

#include "../core/error.h"

static const char *const td_grid_keys[] = {"count", "spacing",  "total",   "turn", "jitter",
                                           "seed",  "rotation", "centred", NULL};

enum { TD_GRID_SIDE_MOST = 1000000 };

td_scene_grid td_single_place(void) {
    return (td_scene_grid){.rotation = {0, 0, 0, 1}, .count = {1, 1, 1}, .total = 1};
}

static td_result td_read_grid_counts(td_scene_grid *out, const td_json *value, uint64_t most) {
    td_json counts, total;
    if (!td_json_get(&counts, value, "count")) {
        return td_json_fail(value, "expected a \"count\": how many stand along x, y and z");
    }
    if (!cJSON_IsArray(counts.item) || cJSON_GetArraySize(counts.item) != 3) {
        return td_json_fail(&counts, "expected an array of 3 numbers");
    }
    td_json count = {0};
    uint64_t places = 1;
    while (td_json_next(&count, &counts)) {
        TD_TRY(td_json_count(&out->count[count.index], &count, 1, TD_GRID_SIDE_MOST));
        places *= out->count[count.index]; // up to 10^18
    }
    out->total = places;
    if (td_json_get(&total, value, "total")) {
        uint32_t wanted;
        TD_TRY(td_json_count(&wanted, &total, 1, UINT32_MAX));
        if (wanted > places) {
            return td_json_fail(&total, "%u do not fit: the grid has %llu places", wanted,
                                (unsigned long long)places);
        }
        out->total = wanted;
    }
    if (out->total > most) {
        return td_json_fail(value, "%llu are too many: expected %llu at most", (unsigned long long)out->total,
                            (unsigned long long)most);
    }
    return TD_OK;
}

td_result td_read_grid(td_scene_grid *out, const td_json *value, uint64_t most) {
    TD_TRY(td_json_check_object(value, td_grid_keys));
    TD_TRY(td_read_grid_counts(out, value, most));
    td_json spacing;
    if (!td_json_get(&spacing, value, "spacing")) {
        return td_json_fail(value, "expected a \"spacing\": metres from one to the next along x, y and z");
    }
    TD_TRY(td_json_numbers(out->spacing, 3, &spacing, &td_json_not_negative));
    TD_TRY(td_read_optional_rotation(&out->rotation, value, "rotation"));
    bool centred = true;
    TD_TRY(td_json_optional_bool(&centred, value, "centred"));
    out->begins = !centred;
    TD_TRY(td_json_optional_bool(&out->turn, value, "turn"));
    TD_TRY(td_json_optional_number(&out->jitter, value, "jitter", &td_json_not_negative));
    uint32_t seed = 0;
    TD_TRY(td_json_optional_count(&seed, value, "seed", 0, UINT32_MAX));
    out->seed = seed;
    return TD_OK;
}

// Of the lowest layer: less than all if it is not filled.
static double td_used(uint64_t places, uint64_t count) {
    return (double)(places < count ? places : count);
}

td_vec3 td_grid_place(td_quat *turn, const td_scene_grid *grid, uint64_t index) {
    const uint64_t nx = grid->count[0], nz = grid->count[2];
    const uint64_t x = index % nx, z = index / nx % nz, y = index / nx / nz;
    const double middle_x = grid->begins ? 0 : (td_used(grid->total, nx) - 1) / 2;
    const double middle_z = grid->begins ? 0 : (td_used((grid->total + nx - 1) / nx, nz) - 1) / 2;
    td_vec3 offset = td_vec3_make(((double)x - middle_x) * grid->spacing[0], (double)y * grid->spacing[1],
                                  ((double)z - middle_z) * grid->spacing[2]);
    // A generator of its own for each place, so that a place does not depend on how many there are.
    td_scene_random random = {(grid->seed << 32) + index};
    *turn = grid->turn ? td_random_rotation(&random) : td_quat_make(0, 0, 0, 1);
    if (grid->jitter > 0) {
        offset.x += td_random_between(&random, -grid->jitter, grid->jitter);
        offset.y += td_random_between(&random, -grid->jitter, grid->jitter);
        offset.z += td_random_between(&random, -grid->jitter, grid->jitter);
    }
    return td_add(grid->origin, td_mat3_apply(td_quat_matrix(grid->rotation), offset));
}
