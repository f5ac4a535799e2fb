// The least hit time of all pairs, pass by pass, in the three ways of paper 004, section 2.2.
#include "planar.h"

static void td_square_pass(double *out, const double *times, uint32_t size, uint32_t half_size, bool first) {
    for (uint32_t row = 0; row < half_size; ++row) {
        for (uint32_t column = 0; column < half_size; ++column) {
            out[(size_t)row * half_size + column] = first ? td_reduce_square(times, size, row, column)
                                                          : td_reduce_classic(times, size, row, column);
        }
    }
}

static void td_six_pass(double *out, const double *times, uint32_t size, uint32_t half_size) {
    for (uint32_t row = 1; row < half_size; ++row) {
        for (uint32_t column = 0; column < row; ++column) {
            out[td_triangle_at(row, column)] = td_reduce_six(times, size, row, column);
        }
    }
}

// Two kernels of the paper: six readings next to the diagonal, four everywhere else.
static void td_four_six_pass(double *out, const double *times, uint32_t size, uint32_t half_size) {
    for (uint32_t row = 1; row < half_size; ++row) {
        for (uint32_t column = 0; column + 1 < row; ++column) {
            out[td_triangle_at(row, column)] = td_reduce_square(times, size, row, column);
        }
        out[td_triangle_at(row, row - 1)] = td_reduce_six(times, size, row, row - 1);
    }
}

double td_reduce_pairs(td_planar *planar, td_planar_reduction reduction) {
    const double *times = planar->pairs.times;
    uint32_t size = planar->size;
    const uint32_t last = reduction == TD_PLANAR_CLASSIC ? 1 : 2;
    for (int pass = 0; size > last; ++pass) {
        const uint32_t half_size = (size + 1) / 2;
        double *out = planar->pairs.reduced[pass % 2];
        if (reduction == TD_PLANAR_CLASSIC) {
            td_square_pass(out, times, size, half_size, pass == 0);
        } else if (reduction == TD_PLANAR_SIX) {
            td_six_pass(out, times, size, half_size);
        } else {
            td_four_six_pass(out, times, size, half_size);
        }
        times = out;
        size = half_size;
    }
    return times[0];
}

uint64_t td_count_readings(td_planar_reduction reduction, uint32_t size) {
    uint64_t readings = 0;
    while (size > (reduction == TD_PLANAR_CLASSIC ? 1u : 2u)) {
        const uint64_t m = (size + 1) / 2;
        readings += reduction == TD_PLANAR_CLASSIC ? 4 * m * m
                    : reduction == TD_PLANAR_SIX   ? 3 * (m * m - m)
                                                   : 2 * (m * m - 1);
        size = (uint32_t)m;
    }
    return readings;
}
