/* Integers of 128 bits, as what a program computes with in between.
 * try: a = 0, 18446744073709551615, 12345678901234567; b = 1, 3000000000
 */
#include <stdint.h>

uint64_t decide(uint64_t a, uint64_t b)
{
    unsigned __int128 product = (unsigned __int128)a * b;
    if (product >> 64)
        return (uint64_t)(product >> 64);
    return (uint64_t)(product / 10u);
}
