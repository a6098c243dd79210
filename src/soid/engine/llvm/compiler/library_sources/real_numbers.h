/* A real number in a text, rounded once, to the nearest float or double, ties to even. */
#ifndef SOID_REAL_NUMBERS_H
#define SOID_REAL_NUMBERS_H

#include "big_numbers.h"

/* A binary format: its precision, its least and greatest exponent of a normal number. */
typedef struct {
    int precision, least, greatest;
} float_format;

static const float_format float_parts = { FLT_MANT_DIG, FLT_MIN_EXP - 1, FLT_MAX_EXP - 1 };
static const float_format double_parts = { DBL_MANT_DIG, DBL_MIN_EXP - 1, DBL_MAX_EXP - 1 };

typedef struct {
    const char *end; /* behind the number; NULL: there is none */
    bool negative;
    bool quick;       /* the number is whole * 10**exponent, and the division or product of two floats gives it */
    uint64_t whole;
    int32_t exponent;
    uint64_t bits;    /* else: the bits of the result, without its sign */
    bool over, under; /* it was too great, too small and not exact */
} real_number;

/* The bits of whole * 2**exponent, to which less than 1 is added where `more` says so. */
static inline void round_binary(real_number *found, float_format format, uint64_t whole, int32_t exponent, bool more)
{
    uint64_t infinity = (uint64_t)(2 * format.greatest + 1) << (format.precision - 1);
    found->bits = 0;
    if (whole == 0)
        return;
    int length = bit_length(whole);
    int32_t top = exponent + length - 1;
    if (top > format.greatest) {
        found->bits = infinity;
        found->over = true;
        return;
    }
    int32_t dropped = length - format.precision;
    if (top < format.least)
        dropped += format.least - top;
    uint64_t kept, rest, half;
    if (dropped <= 0) {
        kept = whole << -dropped;
        rest = half = 0;
    } else if (dropped < 64) {
        kept = whole >> dropped;
        half = (uint64_t)1 << (dropped - 1);
        rest = whole & (half * 2 - 1);
    } else {
        kept = 0;
        half = dropped == 64 ? (uint64_t)1 << 63 : 0;
        rest = dropped == 64 ? whole : 0;
        more = more || dropped > 64;
    }
    bool inexact = rest != 0 || more;
    if (half != 0 && (rest > half || (rest == half && (more || (kept & 1)))))
        kept++;
    int32_t biased = exponent + dropped + format.precision - 1 - format.least;
    found->bits = ((uint64_t)biased << (format.precision - 1)) + kept;
    found->over = found->bits >= infinity;
    found->under = inexact && top < format.least;
}

/* The bits of number * 10**exponent, exactly: both sides of a fraction are divided bit by bit. */
static inline void round_decimal(real_number *found, float_format format, big_number *number, int32_t exponent, bool more)
{
    if (number->size == 0) {
        found->bits = 0;
        return;
    }
    big_number divisor;
    big_set(&divisor, 1);
    if (exponent >= 0)
        big_multiply_by_ten(number, exponent);
    else
        big_multiply_by_ten(&divisor, -exponent);
    int32_t shift = big_bit_length(&divisor) - big_bit_length(number);
    if (shift > 0)
        big_shift(number, shift);
    else
        big_shift(&divisor, -shift);
    uint64_t quotient = 0;
    for (int i = 0; i < 64; i++) {
        quotient *= 2;
        if (big_compare(number, &divisor) >= 0) {
            big_subtract(number, &divisor);
            quotient++;
        }
        big_multiply_add(number, 2, 0);
    }
    round_binary(found, format, quotient, -63 - shift, more || number->size != 0);
}

/* A digit behind the 767th decides only whether the number is above a tie. No double is 1e310 or greater, and less than
 * 1e-400 is less than half of the least one. */
enum { MOST_DIGITS = 800, MOST_EXPONENT = 1000000, TOO_GREAT = 310, TOO_SMALL = -400 };

/* An exponent behind e or p; where no digit follows, the letter is no part of the number. */
static inline int32_t scan_exponent(const char **end, const char *limit, int letter)
{
    const char *text = *end;
    if (text == limit || ((unsigned char)*text | 32) != letter)
        return 0;
    text++;
    bool negative = text != limit && *text == '-';
    if (negative || (text != limit && *text == '+'))
        text++;
    int32_t value = 0;
    for (; text != limit && between(*text, '0', '9'); text++) {
        if (value < MOST_EXPONENT)
            value = value * 10 + (*text - '0');
        *end = text + 1;
    }
    return negative ? -value : value;
}

static inline bool is_hexadecimal(char c)
{
    return between(c, '0', '9') | between((unsigned char)c | 32, 'a', 'f');
}

static inline void scan_hexadecimal(real_number *found, float_format format, const char *text, const char *limit)
{
    uint64_t whole = 0;
    int32_t exponent = 0;
    bool point = false, more = false;
    for (; text != limit && (is_hexadecimal(*text) || (*text == '.' && !point)); text++) {
        if (*text == '.') {
            point = true;
        } else {
            int digit = between(*text, '0', '9') ? *text - '0' : ((unsigned char)*text | 32) - 'a' + 10;
            if (whole >> 56 == 0)
                whole = whole * 16 + (unsigned)digit;
            else {
                exponent += 4;
                more = more || digit != 0;
            }
            exponent -= point ? 4 : 0;
        }
        found->end = text + 1;
    }
    exponent += scan_exponent(&found->end, limit, 'p');
    soid_need_number(whole, "a hexadecimal number of type double in a text that depends on inputs");
    round_binary(found, format, whole, exponent, more);
    if (found->under)
        soid_not_explored("a hexadecimal number below the least normal one: glibc does not always round it to the nearest");
}

/* The digits of a number that is not quick, up to `end` or the letter of its exponent. */
static inline void scan_many_digits(real_number *found, float_format format, const char *text, const char *end)
{
    big_number number;
    big_set(&number, 0);
    int32_t digits = 0, exponent = found->exponent;
    bool more = false;
    for (; text != end && (between(*text, '0', '9') || *text == '.'); text++) {
        soid_need_number((unsigned char)*text, "a long number of type double in a text that depends on inputs");
        if (*text == '.' || (*text == '0' && number.size == 0))
            continue;
        if (digits++ < MOST_DIGITS)
            big_multiply_add(&number, 10, (uint32_t)(*text - '0'));
        else {
            exponent++;
            more = more || *text != '0';
        }
    }
    int32_t magnitude = (digits < MOST_DIGITS ? digits : MOST_DIGITS) + exponent; /* it is below 10**magnitude */
    if (number.size != 0 && magnitude > TOO_GREAT) {
        found->bits = (uint64_t)(2 * format.greatest + 1) << (format.precision - 1);
        found->over = true;
    } else if (magnitude < TOO_SMALL) {
        found->bits = 0;
        found->under = number.size != 0;
    } else
        round_decimal(found, format, &number, exponent, more);
}

static inline void scan_decimal(real_number *found, float_format format, const char *text, const char *limit)
{
    const int most_whole = format.precision > 24 ? 15 : 7, most_exponent = format.precision > 24 ? 22 : 10;
    const char *start = text;
    bool point = false;
    int32_t digits = 0;
    for (; text != limit && (between(*text, '0', '9') || (*text == '.' && !point)); text++) {
        if (*text == '.') {
            point = true;
            if (digits > 0)
                found->end = text + 1;
            continue;
        }
        if (digits++ < most_whole)
            found->whole = found->whole * 10 + (unsigned)(*text - '0');
        found->exponent -= point;
        found->end = text + 1;
    }
    if (digits == 0)
        return;
    found->exponent += scan_exponent(&found->end, limit, 'e');
    soid_need_number((uint64_t)found->exponent, "a decimal exponent that depends on inputs");
    found->quick = digits <= most_whole && found->exponent >= -most_exponent && found->exponent <= most_exponent;
    if (!found->quick)
        scan_many_digits(found, format, start, found->end);
}

static inline bool begins(const char *text, const char *limit, const char *word)
{
    for (; *word != '\0'; text++, word++)
        if (text == limit || lower((unsigned char)*text) != *word)
            return false;
    return true;
}

/* A number with an optional sign, as strtod reads it behind the spaces; no character from `limit` on is read. */
static inline real_number scan_real(const char *text, const char *limit, float_format format)
{
    real_number found = { NULL, false, false, 0, 0, 0, false, false };
    found.negative = text != limit && *text == '-';
    if (found.negative || (text != limit && *text == '+'))
        text++;
    uint64_t infinity = (uint64_t)(2 * format.greatest + 1) << (format.precision - 1);
    if (begins(text, limit, "inf")) {
        found.end = text + (begins(text, limit, "infinity") ? 8 : 3);
        found.bits = infinity;
    } else if (begins(text, limit, "nan")) {
        if (begins(text, limit, "nan("))
            soid_not_explored("nan(...) in a text: libraries read it in different ways");
        found.end = text + 3;
        found.bits = infinity + ((uint64_t)1 << (format.precision - 2));
    } else if (begins(text, limit, "0x") && text + 2 != limit
               && (is_hexadecimal(text[2]) || (text[2] == '.' && text + 3 != limit && is_hexadecimal(text[3]))))
        scan_hexadecimal(&found, format, text + 2, limit);
    else
        scan_decimal(&found, format, text, limit);
    if (found.end == NULL)
        found.negative = false;
    return found;
}

static const double double_powers[] = {
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
#if DBL_MANT_DIG > 24
    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
#endif
};
static const float float_powers[] = { 1e0f, 1e1f, 1e2f, 1e3f, 1e4f, 1e5f, 1e6f, 1e7f, 1e8f, 1e9f, 1e10f };

/* Whole numbers and powers of ten of this size are floats themselves, so one operation rounds once. */
static inline double double_of(const real_number *found)
{
    double value;
    if (found->quick) {
        value = (double)found->whole;
        value = found->exponent < 0 ? value / double_powers[-found->exponent] : value * double_powers[found->exponent];
    } else {
        union {
#if DBL_MANT_DIG > 24
            uint64_t bits;
#else
            uint32_t bits;
#endif
            double value;
        } made;
        made.bits = found->bits;
        value = made.value;
    }
    return found->negative ? -value : value;
}

static inline float float_of(const real_number *found)
{
    float value;
    if (found->quick) {
        value = (float)found->whole;
        value = found->exponent < 0 ? value / float_powers[-found->exponent] : value * float_powers[found->exponent];
    } else {
        union {
            uint32_t bits;
            float value;
        } made;
        made.bits = (uint32_t)found->bits;
        value = made.value;
    }
    return found->negative ? -value : value;
}

#endif
