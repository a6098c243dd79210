/* Every arithmetic failure, each at its own line: overflow, division, shifts, float to integer, assert, abort.
 * try: what = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9; a = -2147483648, -1, 0, 40, 2147483647; x = -1e10, 0.5, 300.0, nan
 * only: what = 0 .. 9
 */
#include <assert.h>
#include <stdlib.h>

int decide(int what, int a, double x)
{
    switch (what) {
    case 0:
        return a + 1;
    case 1:
        return -a;
    case 2:
        return 100 / a;
    case 3:
        return a % -1;
    case 4:
        return (int)(1u << a);
    case 5:
        return 7 >> a;
    case 6:
        return (int)x;
    case 7:
        return (unsigned char)x;
    case 8:
        assert(a != 40);
        return a;
    default:
        if (x > 1.0)
            abort();
        return a * 2;
    }
}
