/* <stdlib.h>: text to floats. */
#include "real_numbers.h"

static real_number parse(const char *text, char **end, float_format format)
{
    const char *start = text;
    while (is_space(*start))
        start++;
    real_number found = scan_real(start, NULL, format);
    if (end != NULL)
        *end = (char *)(found.end != NULL ? found.end : text);
    if (found.over)
        *error_number() = OUT_OF_RANGE;
    if (found.under)
        soid_forget(error_number(), sizeof(int)); /* C leaves open whether it is set */
#ifndef __gnu_linux__
    if (found.end == NULL)
        soid_forget(error_number(), sizeof(int)); /* some libraries set it */
#endif
    return found;
}

double EXPORTED(strtod)(const char *text, char **end)
{
    real_number found = parse(text, end, double_parts);
    return double_of(&found);
}

float EXPORTED(strtof)(const char *text, char **end)
{
    real_number found = parse(text, end, float_parts);
    return float_of(&found);
}

double EXPORTED(atof)(const char *text)
{
    real_number found = parse(text, NULL, double_parts);
    if (found.over)
        soid_not_explored("atof of a number that is too great for a double: C does not say what it gives");
    return double_of(&found);
}
