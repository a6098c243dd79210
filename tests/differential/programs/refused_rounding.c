/* Changing the rounding mode is refused by name, on the path that does it and nowhere else.
 * try: x = 0.5
 */
#include <fenv.h>

double decide(double x)
{
    if (x > 1.0)
        fesetround(FE_UPWARD);
    return x + 1.0;
}
