/* The library's functions on one text, each result mixed into one number. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static long long mixed(long long sum, long long value)
{
    return (long long)((unsigned long long)sum * 31u + (unsigned long long)value);
}

static long long bits(double value)
{
    long long found;
    memcpy(&found, &value, sizeof found);
    return found;
}

/* The bits of a computed float are not known where it depends on inputs. */
static long long thousandths(double value)
{
    return value > 1e15 || value < -1e15 || value != value ? 7 : (long long)(value * 1000.0);
}

static int by_letter(const void *one, const void *other)
{
    return *(const unsigned char *)one - *(const unsigned char *)other;
}

static long long characters(const char *text)
{
    long long sum = 0;
    for (; *text; text++) {
        int c = (unsigned char)*text;
        sum = mixed(sum, isdigit(c) + isspace(c) + ispunct(c) + toupper(c) + tolower(c) + (isxdigit)(c) + (isalnum)(c));
    }
    return sum;
}

static long long words(const char *text)
{
    char copy[32];
    long long sum = 0;
    strcpy(copy, text);
    for (char *word = strtok(copy, " ,"); word != NULL; word = strtok(NULL, " ,"))
        sum = mixed(sum, word[0] + (word - copy) + strcasecmp(word, "1e"));
    return mixed(sum, (long long)strspn(text, " +-") + (long long)strcspn(text, "e."));
}

static long long read_back(const char *text)
{
    int one = 0, other = 0, at = 0;
    double real = 0;
    char word[8] = "";
    int count = sscanf(text, "%d%n ,%x", &one, &at, (unsigned *)&other);
    count = 10 * count + sscanf(text, " %lf%7[^,]", &real, word);
    return mixed(mixed(mixed(count, one), mixed(at, other)), mixed(bits(real), word[0]));
}

static long long written(const char *text)
{
    char line[64];
    int size = snprintf(line, sizeof line, "%5d|%-6s|%+.3f|%x|%.2e|%g|%c", atoi(text), text, strtod(text, NULL), 77u, 0.125,
                        strtod(text, NULL), text[0]);
    long long sum = size;
    for (int i = 0; line[i] != '\0'; i++)
        sum = mixed(sum, line[i]);
    return sum;
}

static long long sorted(const char *text)
{
    char copy[32];
    long long sum = 0;
    size_t size = strlen(text);
    strcpy(copy, text);
    qsort(copy, size, 1, by_letter);
    for (size_t i = 0; i < size; i++)
        sum = mixed(sum, copy[i]);
    return sum;
}

long long decide(const char text[24], int which)
{
    char *end = NULL;
    errno = 0;
    switch (which) {
    case 0: return characters(text);
    case 1: return mixed(mixed(strtol(text, &end, 0), errno), end - text);
    case 2: return mixed(mixed((long long)strtoull(text, &end, 16), errno), end - text);
    case 3: return mixed(bits(strtod(text, &end)), end - text);
    case 4: return mixed(bits(strtof(text, &end)), end - text);
    case 5: return words(text);
    case 6: return read_back(text);
    case 7: return written(text);
    case 8: return sorted(text);
    case 10: return mixed(thousandths(strtod(text, &end)), end - text);
    case 11: return mixed(thousandths(strtof(text, &end)), end - text);
    default: return div(atoi(text), 7).rem;
    }
}
