/* Output does nothing to a decision; what printf returns is not known.
 * try: n = 0
 * only: n = 0 .. 3
 */
#include <stdio.h>

int decide(int n)
{
    printf("n is %d\n", n);
    if (n == 3 && printf("three") > 4)
        return 7;
    fprintf(stderr, "done\n");
    return n;
}
