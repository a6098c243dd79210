/* Recursion, direct and mutual, to a depth that depends on an input.
 * try: n = 0, 1, 5, 7
 * only: n = 0 .. 7
 */
static int odd(int n);
static int even(int n) { return n == 0 ? 1 : odd(n - 1); }
static int odd(int n) { return n == 0 ? 0 : even(n - 1); }
static unsigned fibonacci(unsigned n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

int decide(int n)
{
    return (int)fibonacci((unsigned)n) * 10 + even(n);
}
