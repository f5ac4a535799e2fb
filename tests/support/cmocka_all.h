// cmocka with the headers it wants first.
#ifndef TD_TESTS_CMOCKA_ALL_H
#define TD_TESTS_CMOCKA_ALL_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#endif
