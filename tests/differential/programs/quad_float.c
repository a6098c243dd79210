/* Floats of 128 bits, which other processors have as long double.
 */
double decide(double x, int how)
{
    __float128 wide = (__float128)x * x + 0.25, cells[2] = { wide, -wide };
    switch (how) {
    case 0: return (double)(wide / 3);
    case 1: return wide * 3 > 12 ? 1.0 : 2.0;
    case 2: return (double)(cells[1] + (__float128)how);
    default: return __builtin_signbit(cells[1]) ? -1.0 : (double)(float)wide;
    }
}
