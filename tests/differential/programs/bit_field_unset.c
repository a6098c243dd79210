/* A bit-field that was never set decides a branch: that is a failure, although its neighbours were set.
 * try: a = 0, 1, 2
 */
struct flags { unsigned low : 3; unsigned high : 5; };

int decide(unsigned a)
{
    struct flags flags;
    flags.low = a;
    if (a == 1 && flags.high)
        return 1;
    return flags.low;
}
