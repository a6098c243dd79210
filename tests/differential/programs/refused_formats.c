/* Floats of 80 and of 128 bits are refused by name.
 */
int decide(double x, int n)
{
    if (n == 1)
        return (long double)x > 1.0L;
    if (n == 2)
        return (__float128)x > 1.0;
    return n;
}
