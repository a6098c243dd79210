/* The functions of long double that are known.
 * try: x = -7.5, -0.3, 0.0, 2.5, 123456789.75; n = -3, 2, 4, 5
 * only: n = -3 .. 5; x = -200000000.0 .. 200000000.0
 */
#include <math.h>

double decide(double x, int n)
{
    long double wide = (long double)x * 1.0625L, whole;
    switch (n) {
    case -3: return (double)(ceill(wide) + 2 * floorl(wide) + 3 * truncl(wide) + 5 * rintl(wide) + 7 * roundl(wide));
    case 2: return (double)(copysignl(2, wide) + fabsl(wide) + fdiml(wide, 1) + nearbyintl(wide) + ldexpl(wide, n));
    case 5: return (double)(modfl(wide, &whole) + 3 * whole + scalbnl(wide, -n) + scalblnl(wide, 2) + fmodl(wide, 3) + 5 * remainderl(wide, 3) + sqrtl(fabsl(wide)));
    default: return (double)(lrintl(wide) + 2 * lroundl(wide) + 3 * llrintl(wide) + 5 * llroundl(wide));
    }
}
