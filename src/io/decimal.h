// Decimal text and float64, both ways, correctly rounded and independent of the locale.
#ifndef TD_IO_DECIMAL_H
#define TD_IO_DECIMAL_H

typedef enum td_decimal_status {
    TD_DECIMAL_OK,
    TD_DECIMAL_MALFORMED,  // no number here
    TD_DECIMAL_NOT_FINITE, // nan, inf, or a number beyond the range of float64
} td_decimal_status;

// Reads `[+-] digits [. digits] [e [+-] digits]` (a digit is needed before or after the point) from *at,
// which moves behind what was read. The result is the float64 nearest to the decimal, ties to even; what is
// too small becomes a subnormal or zero. *out is set only for TD_DECIMAL_OK, *at stays for
// TD_DECIMAL_MALFORMED.
td_decimal_status td_decimal_parse(double *out, const char **at, const char *end);

// Bytes that td_decimal_format may need, the final zero included.
#define TD_DECIMAL_BYTES 32

// The shortest of the 15, 16 and 17 digit forms that reads back as the same float64. Always with '.' as the
// decimal point. Returns the length.
int td_decimal_format(char out[TD_DECIMAL_BYTES], double value);

#endif
