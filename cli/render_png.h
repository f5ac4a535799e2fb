// PNG files: eight bits of red, green and blue, sRGB.
#ifndef TD_CLI_RENDER_PNG_H
#define TD_CLI_RENDER_PNG_H

#include "output.h"

// `pixels` are `height` rows of `width` times three bytes. The same pixels give the same file. False: out of
// memory, which was told; a failure of the output is told when that is closed.
bool td_png_write(td_cli_output *output, const uint8_t *pixels, uint32_t width, uint32_t height);

#endif
