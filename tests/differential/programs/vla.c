/* Variable-length arrays and alloca: their length depends on an input, and so does what lies outside of them.
 * try: n = -1, 1, 2, 4; i = 0, 1, 3, 5
 * only: n = -1 .. 4; i = 0 .. 5
 */
int decide(int n, int i)
{
    int squares[n];
    for (int k = 0; k < n; k++)
        squares[k] = k * k;
    char *bytes = __builtin_alloca((unsigned long)n);
    bytes[n - 1] = 7;
    return squares[i] + bytes[n - 1];
}
