/* setjmp is refused by name.
 */
#include <setjmp.h>

static jmp_buf back;

int decide(int n)
{
    if (n > 3 && setjmp(back) == 0)
        longjmp(back, 1);
    return n;
}
