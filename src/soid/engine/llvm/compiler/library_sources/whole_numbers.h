/* A whole number in a text. */
#ifndef SOID_WHOLE_NUMBERS_H
#define SOID_WHOLE_NUMBERS_H

#include "library.h"

typedef struct {
    uintmax_t value;  /* without its sign */
    bool negative;
    bool over;        /* it is greater than any uintmax_t */
    const char *end;  /* behind its last digit; NULL: there is no number */
    bool only_prefix; /* the text has a 0x or 0b that no digit follows */
} whole_number;

/* The value of a character as a digit; at least 36 where it is none. */
static inline unsigned digit_of(char c, unsigned base)
{
    unsigned decimal = (unsigned char)c - (unsigned)'0';
    if (base <= 10)
        return decimal;
    unsigned letter = ((unsigned char)c | 32u) - (unsigned)'a';
    unsigned is_decimal = decimal < 10, is_letter = letter < 26;
    return is_decimal * decimal + is_letter * (letter + 10) + (1 - is_decimal - is_letter) * 99;
}

static inline whole_number scan_digits(const char *text, const char *limit, unsigned base)
{
    whole_number found = { 0, false, false, NULL, false };
    uintmax_t greatest = 0; /* of so many digits: as long as it fits, no digit can be one too many */
    unsigned digit;
    while (text != limit && (digit = digit_of(*text, base)) < base) {
        if (greatest > (UINTMAX_MAX - (base - 1)) / base)
            found.over = found.over || found.value > (UINTMAX_MAX - digit) / base;
        else
            greatest = greatest * base + (base - 1);
        if (!found.over)
            found.value = found.value * base + digit;
        found.end = ++text;
    }
    return found;
}

/* A number with an optional sign and prefix, as strtol reads it behind the spaces; no character from `limit` on is read. */
static inline whole_number scan_whole(const char *text, const char *limit, int base, bool binary)
{
    bool negative = text != limit && *text == '-';
    if (negative || (text != limit && *text == '+'))
        text++;
    int prefixed = 0;
    bool zero_first = (base == 0 || base == 16 || base == 2) && text != limit && *text == '0';
    if (zero_first && text + 1 != limit) {
        int letter = (unsigned char)text[1] | 32;
        if (letter == 'x' && base != 2)
            prefixed = 16;
        else if (letter == 'b' && binary && base != 16)
            prefixed = 2;
    }
    if (base == 0)
        base = prefixed ? prefixed : zero_first ? 8 : 10;
    whole_number found;
    if (prefixed) {
        found = scan_digits(text + 2, limit, (unsigned)base);
        if (found.end == NULL) {
            found.end = text + 1; /* the number is the 0 */
            found.only_prefix = true;
        }
    } else
        found = scan_digits(text, limit, (unsigned)base);
    found.negative = negative;
    return found;
}

#endif
