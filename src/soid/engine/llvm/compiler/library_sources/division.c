/* <stdlib.h>, <inttypes.h>, <strings.h>: quotient and remainder at once, and the first bit that is set. */
#include "library.h"

/* Some processors give a number where there is none. */
#define DIVISION(name, type, least) \
    typedef struct { \
        type quot, rem; \
    } name##_t; \
    name##_t EXPORTED(name)(type number, type by) \
    { \
        if (by == 0 || (number == least && by == -1)) \
            soid_fails(#name " without a quotient"); \
        name##_t result = { number / by, number % by }; \
        return result; \
    }

DIVISION(div, int, INT_MIN)
DIVISION(ldiv, long, LONG_MIN)
DIVISION(lldiv, long long, LLONG_MIN)
DIVISION(imaxdiv, intmax_t, INTMAX_MIN)

int EXPORTED(ffs)(int bits) { return bits == 0 ? 0 : __builtin_ctz((unsigned)bits) + 1; }
int EXPORTED(ffsl)(long bits) { return bits == 0 ? 0 : __builtin_ctzl((unsigned long)bits) + 1; }
int EXPORTED(ffsll)(long long bits) { return bits == 0 ? 0 : __builtin_ctzll((unsigned long long)bits) + 1; }
