/* Unions: the bits of an input float as an integer, bytes of an integer, and the way back.
 * try: x = 0.0, -0.0, 1.5, -3.25, nan; n = 0, 258, -1
 */
#include <stdint.h>

union word { float number; uint32_t bits; uint8_t bytes[4]; };

uint32_t decide(float x, int32_t n)
{
    union word one = { .number = x }, two = { .bits = (uint32_t)n };
    if (one.bits >> 31)
        one.bits &= 0x7fffffffu;
    one.bytes[3] ^= 0x80;
    return one.number < 0.0f ? (uint32_t)two.bytes[0] + two.bytes[1] : one.bits;
}
