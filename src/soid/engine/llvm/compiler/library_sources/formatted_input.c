/* <stdio.h>: sscanf and its relatives.
 *
 * Where a text ends inside of what a conversion reads, as in "0x" or "1e+", libraries differ: such a path is not explored.
 */
#include "real_numbers.h"
#include "whole_numbers.h"

enum outcome { GOES_ON, NO_MATCH, NO_INPUT };

typedef struct {
    const char *start, *at; /* of the text */
    int assigned;           /* arguments that were set */
    bool converted;         /* a conversion is complete, if only one whose result was dropped */
    bool binary;            /* 0b101 is a number */
} input;

typedef struct {
    bool drop;
    int width;   /* 0: none is given */
    char length; /* h, l, j, z, t, or H for hh, L for ll */
} conversion;

typedef struct {
    va_list list;
} arguments;

static void skip_spaces(input *in)
{
    while (is_space(*in->at))
        in->at++;
}

static const char differs[] = "a text that ends inside of a number: libraries read it in different ways";

/* --- whole numbers */

static int bytes_of(char length)
{
    switch (length) {
    case 'H': return sizeof(char);
    case 'h': return sizeof(short);
    case 'l': return sizeof(long);
    case 'L': return sizeof(long long);
    case 'j': return sizeof(intmax_t);
    case 'z': return sizeof(size_t);
    case 't': return sizeof(ptrdiff_t);
    default: return sizeof(int);
    }
}

static void store_whole(void *place, int bytes, uintmax_t value)
{
    if (place == NULL)
        soid_fails("null pointer for a conversion in a format");
    if (bytes == 1)
        *(uint8_t *)place = (uint8_t)value;
    else if (bytes == 2)
        *(uint16_t *)place = (uint16_t)value;
    else if (bytes == 4)
        *(uint32_t *)place = (uint32_t)value;
    else
        *(uint64_t *)place = value;
}

static enum outcome scan_number(input *in, conversion how, char kind, arguments *given)
{
    int base = kind == 'i' ? 0 : kind == 'o' ? 8 : kind == 'x' || kind == 'X' ? 16 : 10;
    const char *limit = how.width > 0 ? in->at + how.width : NULL;
    if (how.width > 0) { /* no pointer beyond the text is made */
        int room = 0;
        while (room < how.width && in->at[room] != '\0')
            room++;
        limit = in->at + room;
    }
    whole_number found = scan_whole(in->at, limit, base, in->binary);
    if (found.only_prefix)
        soid_not_explored(differs);
    if (found.end == NULL) {
        bool sign = *in->at == '+' || *in->at == '-';
        if (sign && (in->at + 1 == limit || in->at[1] == '\0'))
            soid_not_explored(differs);
        return NO_MATCH;
    }
    in->at = found.end;
    in->converted = true;
    if (how.drop)
        return GOES_ON;
    bool is_signed = kind == 'd' || kind == 'i';
    int bytes = bytes_of(how.length);
    uintmax_t greatest = UINTMAX_MAX >> (8 * (sizeof greatest - (unsigned)bytes) + is_signed);
    if (found.over || found.value > greatest + (is_signed && found.negative))
        soid_fails("number in a text that does not fit into what sscanf stores it in");
    if (found.negative && !is_signed && bytes < (int)sizeof(long))
        soid_not_explored("a negative number for an unsigned conversion in a format");
    store_whole(va_arg(given->list, void *), bytes, found.negative ? 0 - found.value : found.value);
    in->assigned++;
    return GOES_ON;
}

/* --- floats */

static enum outcome scan_float(input *in, conversion how, arguments *given)
{
    if (how.length != 0 && how.length != 'l')
        soid_not_explored("long double in a format");
    int room = 0;
    while ((how.width == 0 || room < how.width) && in->at[room] != '\0')
        room++;
    const char *limit = in->at + room, *first = in->at;
    if (*first == '+' || *first == '-')
        first++;
    if (first == limit || ((unsigned char)*first | 32) == 'i' || ((unsigned char)*first | 32) == 'n')
        soid_not_explored(differs);
    bool is_double = how.length == 'l';
    real_number found = scan_real(in->at, limit, is_double ? double_parts : float_parts);
    if (found.end == NULL) {
        if (*first == '.')
            soid_not_explored(differs);
        return NO_MATCH;
    }
    if (found.end != limit) {
        int next = (unsigned char)*found.end | 32;
        if (next == 'e' || next == 'p' || next == 'x')
            soid_not_explored(differs);
    }
    in->at = found.end;
    in->converted = true;
    if (how.drop)
        return GOES_ON;
    if (found.over)
        soid_not_explored("a number in a text that is too great for a float");
    void *place = va_arg(given->list, void *);
    if (place == NULL)
        soid_fails("null pointer for a conversion in a format");
    if (is_double)
        *(double *)place = double_of(&found);
    else
        *(float *)place = float_of(&found);
    in->assigned++;
    return GOES_ON;
}

/* --- characters */

typedef struct {
    const char *first, *end; /* between the brackets, without ^ */
    bool negated;
} character_set;

/* Whether a hyphen stands for the characters between its neighbours: not as the first or the last one. */
static bool is_range(const character_set *set, const char *each)
{
    return *each == '-' && each != set->first && each + 1 != set->end;
}

static bool in_set(const character_set *set, char c)
{
    bool found = false;
    for (const char *each = set->first; each != set->end; each++) {
        if (is_range(set, each))
            found |= ((unsigned char)each[-1] <= (unsigned char)c) & ((unsigned char)c <= (unsigned char)each[1]);
        else
            found |= *each == c;
    }
    return found != set->negated;
}

static const char *scan_set(const char *format, character_set *set)
{
    set->negated = *format == '^';
    format += set->negated;
    set->first = format;
    if (*format == ']')
        format++;
    while (*format != ']') {
        if (*format == '\0')
            soid_fails("format that ends inside of a conversion");
        format++;
    }
    set->end = format;
    for (const char *each = set->first; each != set->end; each++)
        if (is_range(set, each)
            && ((unsigned char)each[-1] > (unsigned char)each[1] || each[1] == '-' || (each - set->first > 1 && each[-2] == '-')))
            soid_not_explored("a set of characters in a format that libraries read in different ways");
    return format;
}

static char *target_of(arguments *given)
{
    char *to = va_arg(given->list, char *);
    if (to == NULL)
        soid_fails("null pointer for a conversion in a format");
    return to;
}

/* %s and %[: characters up to a space or one that is not in the set. */
static enum outcome scan_word(input *in, conversion how, const character_set *set, arguments *given)
{
    char *to = how.drop ? NULL : target_of(given);
    int count = 0;
    while ((how.width == 0 || count < how.width) && in->at[count] != '\0'
           && (set != NULL ? in_set(set, in->at[count]) : !is_space(in->at[count])))
        count++;
    if (count == 0)
        return NO_MATCH;
    if (to != NULL) {
        __builtin_memcpy(to, in->at, (size_t)count);
        to[count] = '\0';
        soid_need_apart(to, (size_t)count + 1, in->at, (size_t)count, NULL);
        in->assigned++;
    }
    in->at += count;
    in->converted = true;
    return GOES_ON;
}

static enum outcome scan_characters(input *in, conversion how, arguments *given)
{
    int wanted = how.width == 0 ? 1 : how.width;
    for (int i = 0; i < wanted; i++)
        if (in->at[i] == '\0')
            soid_not_explored("fewer characters in a text than %c asks for");
    if (!how.drop) {
        __builtin_memcpy(target_of(given), in->at, (size_t)wanted);
        in->assigned++;
    }
    in->at += wanted;
    in->converted = true;
    return GOES_ON;
}

/* --- formats */

static const char *scan_options(const char *format, conversion *how)
{
    if (*format == '*') {
        how->drop = true;
        format++;
    }
    for (; between(*format, '0', '9'); format++) {
        if (how->width > 100000)
            soid_not_explored("a very great width in a format");
        how->width = how->width * 10 + (*format - '0');
    }
    return scan_length(format, &how->length);
}

static enum outcome convert(input *in, conversion how, const char **format, arguments *given)
{
    char kind = **format;
    if (kind == 'n') {
        if (how.drop || how.width != 0)
            soid_not_explored("%n with options in a format");
        store_whole(va_arg(given->list, void *), bytes_of(how.length), (uintmax_t)(in->at - in->start));
        return GOES_ON;
    }
    character_set set;
    if (kind == '[')
        *format = scan_set(*format + 1, &set);
    if (kind != 'c' && kind != '[')
        skip_spaces(in);
    if (*in->at == '\0' && kind != '\0')
        return NO_INPUT;
    if (kind == '%')
        return *in->at == '%' ? (in->at++, GOES_ON) : NO_MATCH;
    switch (kind) {
    case 'd':
    case 'i':
    case 'u':
    case 'o':
    case 'x':
    case 'X': return scan_number(in, how, kind, given);
    case 'a':
    case 'e':
    case 'f':
    case 'g':
    case 'A':
    case 'E':
    case 'F':
    case 'G': return scan_float(in, how, given);
    case 'L': soid_not_explored("long double in a format");
    case '\0': soid_fails("format that ends inside of a conversion");
    default: break;
    }
    if (how.length != 0)
        soid_not_explored("wide characters in a format");
    switch (kind) {
    case 's': return scan_word(in, how, NULL, given);
    case '[': return scan_word(in, how, &set, given);
    case 'c': return scan_characters(in, how, given);
    default: soid_not_explored("a conversion in a format that soid's own library does not know");
    }
}

static enum outcome match(input *in, char wanted)
{
    if (*in->at == '\0')
        return NO_INPUT;
    if (*in->at != wanted)
        return NO_MATCH;
    in->at++;
    return GOES_ON;
}

static int scan(const char *text, const char *format, va_list list, bool binary)
{
    soid_need_string(text); /* libraries look for its end first */
    input in = { text, text, 0, false, binary };
    arguments given;
    va_copy(given.list, list);
    enum outcome outcome = GOES_ON;
    for (; *format != '\0' && outcome == GOES_ON; format++) {
        if (is_space(*format))
            skip_spaces(&in);
        else if (*format != '%')
            outcome = match(&in, *format);
        else {
            conversion how = { false, 0, 0 };
            format = scan_options(format + 1, &how);
            outcome = convert(&in, how, &format, &given);
        }
    }
    va_end(given.list);
    if (outcome == NO_INPUT && in.assigned == 0) {
        if (in.converted)
            soid_not_explored("sscanf of a text that ends behind a conversion whose result was dropped");
        return -1;
    }
    return in.assigned;
}

#define FUNCTION(name, list_name, binary) \
    int EXPORTED(list_name)(const char *text, const char *format, va_list list) \
    { \
        return scan(text, format, list, binary); \
    } \
    int EXPORTED(name)(const char *text, const char *format, ...) \
    { \
        va_list list; \
        va_start(list, format); \
        int count = scan(text, format, list, binary); \
        va_end(list); \
        return count; \
    }

FUNCTION(sscanf, vsscanf, false)
FUNCTION(__isoc99_sscanf, __isoc99_vsscanf, false)
FUNCTION(__isoc23_sscanf, __isoc23_vsscanf, true)
