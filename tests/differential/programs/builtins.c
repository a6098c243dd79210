/* What compilers offer beside C: checked arithmetic, counting bits, turning bytes round.
 * try: a = 0, 1, -1, 2147483647, -2147483648; b = 1, -1, 70000
 */
#include <stdbool.h>
#include <stdint.h>

int decide(int32_t a, int32_t b)
{
    int32_t sum, product;
    uint32_t left;
    bool over = __builtin_add_overflow(a, b, &sum) | __builtin_mul_overflow(a, b, &product);
    bool below = __builtin_sub_overflow((uint32_t)a, (uint32_t)b, &left);
    if (over)
        return __builtin_popcount((uint32_t)a);
    if (a == 0 || below)
        return -1;
    return __builtin_clz((uint32_t)a) + __builtin_ctz((uint32_t)a) + (int)(__builtin_bswap32((uint32_t)sum) & 15u) + (product == 0);
}
