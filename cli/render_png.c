#include "render_png.h"

#include "message.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { TD_PNG_BYTES_OF_PIXEL = 3, TD_PNG_FILTERS = 5, TD_PNG_CHUNK = 1 << 16, TD_PNG_LEVEL = 7 };

static void td_put_big_endian(unsigned char bytes[4], uint32_t number) {
    for (int i = 0; i < 4; ++i) {
        bytes[i] = (unsigned char)(number >> (24 - 8 * i));
    }
}

static void td_put_chunk(td_cli_output *output, const char type[4], const unsigned char *bytes, size_t size) {
    unsigned char number[4];
    td_put_big_endian(number, (uint32_t)size);
    td_cli_write(output, number, sizeof number);
    td_cli_write(output, type, 4);
    td_cli_write(output, bytes, size);
    uLong sum = crc32(0, (const Bytef *)type, 4);
    sum = size > 0 ? crc32(sum, bytes, (uInt)size) : sum; // a null pointer would start it anew
    td_put_big_endian(number, (uint32_t)sum);
    td_cli_write(output, number, sizeof number);
}

// ---------------------------------------------------------------------------------------------------------
// Filters: each byte as its difference from what its neighbours let expect (PNG specification, 9)

static int td_nearest_of_three(int left, int above, int corner) {
    const int guess = left + above - corner;
    const int by_left = abs(guess - left), by_above = abs(guess - above), by_corner = abs(guess - corner);
    return by_left <= by_above && by_left <= by_corner ? left : by_above <= by_corner ? above : corner;
}

static uint8_t td_filtered(int filter, int value, int left, int above, int corner) {
    const int expected[TD_PNG_FILTERS] = {0, left, above, (left + above) / 2,
                                          td_nearest_of_three(left, above, corner)};
    return (uint8_t)(value - expected[filter]);
}

// The sum of absolute differences tells well enough how short a row will become.
static uint64_t td_filter_row(uint8_t *out, int filter, const uint8_t *row, const uint8_t *above,
                              size_t size) {
    uint64_t sum = 0;
    out[0] = (uint8_t)filter;
    for (size_t i = 0; i < size; ++i) {
        const bool first = i < TD_PNG_BYTES_OF_PIXEL;
        const int left = first ? 0 : row[i - TD_PNG_BYTES_OF_PIXEL];
        const int corner = first ? 0 : above[i - TD_PNG_BYTES_OF_PIXEL];
        out[i + 1] = td_filtered(filter, row[i], left, above[i], corner);
        sum += out[i + 1] < 128 ? out[i + 1] : 256u - out[i + 1];
    }
    return sum;
}

// ---------------------------------------------------------------------------------------------------------

typedef struct td_png {
    td_cli_output *output;
    z_stream stream;
    unsigned char chunk[TD_PNG_CHUNK];
    size_t row_bytes;
    uint8_t *rows; // one of zeros, then room for the two filtered forms that are compared
} td_png;

static void td_compress(td_png *png, uint8_t *bytes, size_t size, int flush) {
    png->stream.next_in = bytes;
    png->stream.avail_in = (uInt)size;
    do {
        png->stream.next_out = png->chunk;
        png->stream.avail_out = sizeof png->chunk;
        deflate(&png->stream, flush);
        const size_t made = sizeof png->chunk - png->stream.avail_out;
        if (made > 0) {
            td_put_chunk(png->output, "IDAT", png->chunk, made);
        }
    } while (png->stream.avail_out == 0);
}

static void td_put_row(td_png *png, const uint8_t *row, const uint8_t *above) {
    uint8_t *best = png->rows + png->row_bytes, *other = best + png->row_bytes + 1;
    uint64_t least = UINT64_MAX;
    for (int filter = 0; filter < TD_PNG_FILTERS; ++filter) {
        const uint64_t sum = td_filter_row(other, filter, row, above, png->row_bytes);
        if (sum < least) {
            uint8_t *swap = best;
            best = other;
            other = swap;
            least = sum;
        }
    }
    td_compress(png, best, png->row_bytes + 1, Z_NO_FLUSH);
}

static void td_put_header(td_cli_output *output, uint32_t width, uint32_t height) {
    static const unsigned char signature[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    unsigned char header[13] = {[8] = 8, [9] = 2}; // bits per colour; red, green and blue
    td_put_big_endian(header, width);
    td_put_big_endian(header + 4, height);
    td_cli_write(output, signature, sizeof signature);
    td_put_chunk(output, "IHDR", header, sizeof header);
    td_put_chunk(output, "sRGB", (const unsigned char *)"", 1);
}

static bool td_start_png(td_png *png, td_cli_output *output, uint32_t width) {
    png->output = output;
    png->row_bytes = (size_t)width * TD_PNG_BYTES_OF_PIXEL;
    png->stream = (z_stream){0};
    png->rows = calloc(3 * png->row_bytes + 2, 1);
    if (png->rows && deflateInit(&png->stream, TD_PNG_LEVEL) == Z_OK) {
        return true;
    }
    free(png->rows);
    return false;
}

bool td_png_write(td_cli_output *output, const uint8_t *pixels, uint32_t width, uint32_t height) {
    td_png *png = malloc(sizeof *png);
    if (!png || !td_start_png(png, output, width)) {
        td_cli_error("out of memory for a picture of %u x %u pixels", width, height);
        free(png);
        return false;
    }
    td_put_header(output, width, height);
    for (uint32_t y = 0; y < height; ++y) {
        const uint8_t *row = pixels + y * png->row_bytes;
        td_put_row(png, row, y > 0 ? row - png->row_bytes : png->rows);
    }
    td_compress(png, png->rows, 0, Z_FINISH);
    td_put_chunk(output, "IEND", NULL, 0);
    deflateEnd(&png->stream);
    free(png->rows);
    free(png);
    return true;
}
