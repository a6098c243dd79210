/* long double, the x87's 80 bits: computed exactly, kept in memory, copied, compared, converted.
 * try: x = -1e300, -1.5, 0.0, 0.1, 7.0, 1e-300, 1e18; n = -7, 0, 1, 3; how = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10
 */
#include <math.h>
#include <string.h>

static long double total = 0.25L, kept = 0.5L;
static const long double table[4] = { 0.1L, 1e-4940L, -3.0L, 1e4000L };
struct pair { char kind; long double value; };

static long double third(long double x, int n)
{
    long double sum = 0;
    for (int i = 0; i < 3; i++)
        sum += x / 3.0L + (long double)n;
    return sum;
}

double decide(double x, int n, int how)
{
    struct pair pair = { 'a', (long double)x * 1.1L }, copy;
    long double cells[2] = { x, n };
    unsigned char bytes[sizeof(long double)];
    total = 0.25L;
    switch (how) {
    case 0: return (double)third(x, n);
    case 1: return (double)((long double)x + table[n & 3]);
    case 2: return third(x, n) == (long double)x + 3 * n;
    case 3:
        copy = pair;
        memcpy(bytes, &copy.value, sizeof bytes);
        memcpy(&cells[1], bytes, sizeof bytes);
        return (double)(cells[1] - pair.value) + (double)cells[0];
    case 4: return (double)(x + 0x1p-60L - x) * 0x1p60;
    case 5: return signbit(pair.value) ? -1.0 : 1.0;
    case 6: return isnan(pair.value) + 2 * isinf(pair.value * 1e4900L);
    case 7: return (double)sqrtl(fabsl(x)) + (double)floorl(-pair.value / 1e290L);
    case 8: total += n; return (double)(total * total) + (float)total;
    case 9: return fabs(x) < 1e9 ? (double)(long long)(pair.value * 1000.0L) : (double)(unsigned long long)fabsl(3.5L);
    case 10: cells[n & 1] = -0.0L; return (double)(cells[0] + cells[1]) + sizeof(long double);
    case 11: kept += n; return (double)kept; /* what it was before the call, no log says */
    }
    return 0;
}
