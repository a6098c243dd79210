/* The bits of a computed float, taken through a union: nothing says what they are, so the path is not explored.
 * try: x = 0.5, 1.5
 */
#include <stdint.h>

uint32_t decide(float x)
{
    union { float number; uint32_t bits; } word = { .number = x * 2.0f };
    return x > 1.0f ? word.bits : 0u;
}
