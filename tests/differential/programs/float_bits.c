/* The bits of computed floats, taken through a union, by memcpy, byte by byte and by signbit. They are known unless the
 * float is a NaN, whose bits are open.
 * try: x = -1e30, -1.5, -0.0, 0.0, 1e-45, 0.5, 1.5, 3e38, inf; n = -3, 0, 7, 16777217; how = 0, 1, 2, 3, 4, 5, 6, 7, 8
 */
#include <math.h>
#include <stdint.h>
#include <string.h>

union word { float number; uint32_t bits; int32_t whole; };

static uint32_t bits_of(float x)
{
    uint32_t found;
    memcpy(&found, &x, sizeof found);
    return found;
}

uint32_t decide(float x, int n, int how)
{
    union word twice = { .number = x * 2.0f }, counted = { .number = (float)n };
    double wide = (double)x - 1.0;
    switch (how) {
    case 0: return x > 1.0f ? twice.bits : 0u;
    case 1: return counted.whole != -1 ? counted.bits : 1u;
    case 2: return (uint32_t)(signbit(twice.number) != 0) + 2u * (uint32_t)(signbit(x) != 0);
    case 3: return bits_of(-fabsf(x)) >> 23;
    case 4: return ((const unsigned char *)&wide)[7] + 256u * ((const unsigned char *)&twice)[3];
    case 5: return twice.whole < 0 ? 3u : twice.bits == 0x7F800000u ? 4u : 5u;
    case 6:
        twice.bits = 0x5f3759dfu - (bits_of(fabsf(x) + 1.0f) >> 1);
        return (uint32_t)(twice.number * 1000.0f);
    case 7: return signbit(wide + 2.0) ? 7u : 8u;
    case 8: return signbit(x / x) ? 9u : 10u;
    }
    return 0;
}
