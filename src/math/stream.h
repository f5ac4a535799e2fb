// Writes past the caches: for what is more than they hold and is not read again soon. Whole cache lines,
// which need not be read before they are written then. For files that are compiled once per instruction set.
#ifndef TD_MATH_STREAM_H
#define TD_MATH_STREAM_H

#include <stddef.h>
#include <string.h>

#if defined(__SSE2__)
#include <immintrin.h>

// `bytes` is a multiple of 64, and so are the addresses.
static inline __attribute__((always_inline)) void td_stream(void *to, const void *from, size_t bytes) {
    for (size_t at = 0; at < bytes; at += 64) {
        char *line = (char *)to + at;
        const char *source = (const char *)from + at;
#if defined(__AVX512F__)
        _mm512_stream_si512((__m512i *)(void *)line, _mm512_load_si512((const void *)source));
#else
        for (int part = 0; part < 64; part += 16) {
            _mm_stream_si128((__m128i *)(void *)(line + part),
                             _mm_load_si128((const __m128i *)(const void *)(source + part)));
        }
#endif
    }
}

// Before another thread may read it.
static inline void td_end_stream(void) {
    _mm_sfence();
}

#else

static inline void td_stream(void *to, const void *from, size_t bytes) {
    memcpy(to, from, bytes);
}

static inline void td_end_stream(void) {}

#endif
#endif
