/* Lengths that inputs give, without a limit: what fits is a path for each length, all that does not is one failure.
 * try: n = 0, 2, 4, 5, 4000000000; m = 1, 3
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int decide(uint32_t n, uint8_t m)
{
    char from[4] = { 1, 2, 3, 4 }, to[8];
    memset(to, 0, sizeof to);
    memcpy(to + 1, from, n);
    memset(to, m, n / 2);
    memmove(from, from + 1, n & 1);
    return to[0] + 2 * to[1] + 4 * to[2] + from[0] * (memcmp(from, to, n & 3) < 0);
}
