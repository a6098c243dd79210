/* Functions of the program with a variable number of arguments: integers and floats in registers and on the stack,
 * a struct among them, a second walk with va_copy, a va_list handed on.
 * try: n = 0, 1, 3, 8, 9; x = -1.5, 2.25
 * only: n = 0 .. 9
 */
#include <stdarg.h>

struct pair { int first; double second; };

static long sum_rest(int count, va_list rest)
{
    long total = 0;
    for (int i = 0; i < count; i++)
        total += va_arg(rest, int);
    return total;
}

static long sum(int count, ...)
{
    va_list rest;
    va_start(rest, count);
    long total = sum_rest(count, rest);
    va_end(rest);
    return total;
}

static double mixed(const char *kinds, ...)
{
    va_list rest, again;
    va_start(rest, kinds);
    va_copy(again, rest);
    double total = 0;
    for (; *kinds; kinds++) {
        if (*kinds == 'i')
            total += va_arg(rest, int);
        else if (*kinds == 'd')
            total += va_arg(rest, double);
        else
            total += va_arg(rest, struct pair).second;
    }
    total += va_arg(again, int);
    va_end(again);
    va_end(rest);
    return total;
}

double decide(int n, double x)
{
    struct pair pair = { n, x };
    long whole = sum(n, 1, 2, 3, 4, 5, 6, 7, 8, 9);
    double rest = mixed("idpidddddddddi", n, 1.0, pair, 2, x, x, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 11);
    return (double)whole + rest;
}
