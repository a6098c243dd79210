/* A window of agency: loop iterations and calls are counted alike on every path; what needs more does not decide.
 * try: n = 0, 3
 * only: n = 0 .. 9
 * window: 6
 */
static int step(int x) { return x + 2; }

int decide(int n)
{
    int total = 0;
    for (int i = 0; i < n; i++)
        total = step(total);
    return total;
}
