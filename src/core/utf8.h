// UTF-8 in names and texts that come from elsewhere.
#ifndef TD_CORE_UTF8_H
#define TD_CORE_UTF8_H

#include <stddef.h>

// The length of the UTF-8 sequence at `text`, or 0 if there is none: overlong forms, surrogates and what lies
// beyond U+10FFFF included (Unicode standard, table 3-7).
size_t td_utf8_length(const char *text);

#endif
