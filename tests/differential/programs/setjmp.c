/* setjmp and longjmp: out of nested calls, with a value, and again from a loop. A local variable that changed in between
 * is unknown unless it is volatile; a function that has returned is no place to go to.
 * try: n = -2, 0, 1, 2, 3, 4, 5, 6, 7; v = 0, 1, 9
 */
#include <setjmp.h>
#include <string.h>

static jmp_buf back;
static int reached;

static void work(int depth, int v)
{
    volatile int mine = v;
    reached++;
    if (depth == 0)
        longjmp(back, mine);
    work(depth - 1, v);
}

static int prepare(jmp_buf place)
{
    return setjmp(place);
}

int decide(int n, int v)
{
    volatile int kept = 1;
    int changed = 1, same = v & 7, got;
    jmp_buf near, copy;
    sigjmp_buf other;
    reached = 0;
    switch (n) {
    case 0:
        if ((got = setjmp(back)) == 0)
            work(2, v);
        return 10 * got + reached + same;
    case 1:
        if (setjmp(near) == 0) {
            kept = 5;
            changed = 6;
            longjmp(near, 1);
        }
        return kept;
    case 2:
        if (setjmp(near) == 0) {
            changed = 6;
            longjmp(near, 1);
        }
        return changed;
    case 3:
        if (sigsetjmp(other, 1) < 3)
            siglongjmp(other, ++kept);
        return kept;
    case 4:
        prepare(near);
        if (v > 3)
            longjmp(near, 1);
        return 4;
    case 5:
        if (v == 9)
            longjmp(back, 1);
        return 5;
    case 6:
        if (setjmp(near) == 0) {
            memcpy(&copy, &near, sizeof copy);
            if (v > 0)
                longjmp(copy, v);
            return 60;
        }
        return 61 + same;
    case 7:
        switch (setjmp(back)) {
        case 0: work(v & 1, 1);
        case 1: work(0, 2);
        case 2: return 70 + reached;
        }
    }
    return n;
}
