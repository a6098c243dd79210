/* Route tables of Neudorf station. Made by the planning office from drawing 12-4471, sheet 3, revision F. */
#ifndef TABLES_H
#define TABLES_H

#include <stdint.h>

#define N_ROUTES   8
#define N_SECTIONS 10
#define N_POINTS   4

/* sections */
#define S(n)  (UINT16_C(1) << (n))
/* points, two bits each: required left, required right */
#define L(n)  (UINT8_C(1) << (2 * (n)))
#define R(n)  (UINT8_C(2) << (2 * (n)))

struct route {
    char     name[4];
    uint16_t path;       /* sections of the route */
    uint16_t overlap;    /* sections behind its end */
    uint8_t  points;     /* L() and R() */
    uint8_t  conflicts;  /* other routes, one bit each */
    uint8_t  speed;      /* km/h, in tens */
};

static const struct route routes[N_ROUTES] = {
    /*        path                 overlap   points           conflicts  speed */
    { "A1", S(0) | S(1) | S(2),    S(3),     L(0) | L(1),     0x2E,      8 },
    { "A2", S(0) | S(1) | S(4),    S(5),     L(0) | R(1),     0x4D,      4 },
    { "A3", S(0) | S(6),           S(7),     R(0),            0x8B,      4 },
    { "B1", S(3) | S(2),           S(1),     L(2),            0x17,      8 },
    { "B2", S(5) | S(4),           S(1),     R(2) | L(3),     0x2A,      6 },
    { "C1", S(2) | S(3) | S(8),    S(9),     L(2) | L(3),     0x59,      8 },
    { "C2", S(4) | S(5) | S(8),    S(9),     R(2) | R(3),     0xA2,      4 },
    { "C3", S(6) | S(7),           0,        0,               0x44,      4 },
};

#endif
