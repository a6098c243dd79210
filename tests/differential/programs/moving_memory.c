/* memmove over itself both ways, memcpy between structs and through bytes, memcmp of structs, memset.
 * try: a = 0, 9; b = 9, 200; n = 0, 1, 3
 * only: n = 0 .. 3
 */
#include <stdint.h>
#include <string.h>

struct box { uint8_t head; uint8_t cells[6]; };

int decide(uint8_t a, uint8_t b, int n)
{
    struct box one = { a, { 1, 2, 3, b, 5, 6 } }, two;
    memmove(one.cells + 1, one.cells, 4);
    memmove(one.cells, one.cells + n, 3);
    memcpy(&two, &one, sizeof two);
    two.head = b;
    memset(two.cells + n, a, 2);
    int order = memcmp(&one, &two, sizeof one);
    return (order < 0) + 2 * (order > 0) + 4 * (memcmp(one.cells, two.cells, 6) == 0) + 8 * one.cells[2];
}
