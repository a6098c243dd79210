/* Undefined operations that the compiler computes itself and leaves no value of: a failure where they stand.
 * try: n = 0, 3
 */
int decide(int n)
{
    if (n == 3)
        return 15 >> (127 / -2);
    return n;
}
