/* A local variable outlives its function only as an address: comparing it is allowed here, using it is a failure.
 * try: what = 0
 * only: what = 0 .. 2
 */
static int *kept;

static int *leak(int x)
{
    int local[2] = { x, x + 1 };
    kept = &local[1];
    return kept;
}

int decide(int what)
{
    int *left = leak(what);
    if (what == 1)
        return *left;
    if (what == 2)
        *kept = 3;
    return left == kept;
}
