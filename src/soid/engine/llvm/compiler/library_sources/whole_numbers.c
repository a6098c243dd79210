/* <stdlib.h>, <inttypes.h>: text to whole numbers. */
#include "whole_numbers.h"

static whole_number parse(const char *text, char **end, int base, bool binary)
{
    if (base < 0 || base == 1 || base > 36)
        soid_not_explored("a number in a base that C does not define");
    const char *start = text;
    while (is_space(*start))
        start++;
    whole_number found = scan_whole(start, NULL, base, binary);
#ifndef __gnu_linux__
    if (found.end == NULL)
        soid_forget(error_number(), sizeof(int)); /* some libraries set it */
#endif
    if (end != NULL)
        *end = (char *)(found.end != NULL ? found.end : text);
    return found;
}

static intmax_t parse_signed(const char *text, char **end, int base, bool binary, intmax_t greatest)
{
    whole_number found = parse(text, end, base, binary);
    if (found.over || found.value > (uintmax_t)greatest + found.negative) {
        *error_number() = OUT_OF_RANGE;
        return found.negative ? -greatest - 1 : greatest;
    }
    return (intmax_t)(found.negative ? 0 - found.value : found.value);
}

static uintmax_t parse_unsigned(const char *text, char **end, int base, bool binary, uintmax_t greatest)
{
    whole_number found = parse(text, end, base, binary);
    if (found.over || found.value > greatest) {
        *error_number() = OUT_OF_RANGE;
        return greatest;
    }
    return found.negative ? 0 - found.value : found.value;
}

static intmax_t parse_plainly(const char *text, intmax_t greatest, const char *what)
{
    whole_number found = parse(text, NULL, 10, false);
    if (found.over || found.value > (uintmax_t)greatest + found.negative)
        soid_fails(what);
    return (intmax_t)(found.negative ? 0 - found.value : found.value);
}

int EXPORTED(atoi)(const char *text) { return (int)parse_plainly(text, INT_MAX, "atoi of a number that is no int"); }
long EXPORTED(atol)(const char *text)
{
    return (long)parse_plainly(text, LONG_MAX, "atol of a number that is no long");
}
long long EXPORTED(atoll)(const char *text)
{
    return parse_plainly(text, LLONG_MAX, "atoll of a number that is no long long");
}

#define SIGNED(name, type, greatest, binary) \
    type EXPORTED(name)(const char *text, char **end, int base) \
    { \
        return (type)parse_signed(text, end, base, binary, greatest); \
    }
#define UNSIGNED(name, type, greatest, binary) \
    type EXPORTED(name)(const char *text, char **end, int base) \
    { \
        return (type)parse_unsigned(text, end, base, binary, greatest); \
    }

SIGNED(strtol, long, LONG_MAX, false)
SIGNED(strtoll, long long, LLONG_MAX, false)
SIGNED(strtoimax, intmax_t, INTMAX_MAX, false)
UNSIGNED(strtoul, unsigned long, ULONG_MAX, false)
UNSIGNED(strtoull, unsigned long long, ULLONG_MAX, false)
UNSIGNED(strtoumax, uintmax_t, UINTMAX_MAX, false)

/* C23 reads 0b101 too; glibc gives these to programs that are compiled for it. */
SIGNED(__isoc23_strtol, long, LONG_MAX, true)
SIGNED(__isoc23_strtoll, long long, LLONG_MAX, true)
SIGNED(__isoc23_strtoimax, intmax_t, INTMAX_MAX, true)
UNSIGNED(__isoc23_strtoul, unsigned long, ULONG_MAX, true)
UNSIGNED(__isoc23_strtoull, unsigned long long, ULLONG_MAX, true)
UNSIGNED(__isoc23_strtoumax, uintmax_t, UINTMAX_MAX, true)
