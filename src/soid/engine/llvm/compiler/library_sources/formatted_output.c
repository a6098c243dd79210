/* <stdio.h>: sprintf and its relatives, and what prints by a va_list.
 *
 * What is printed decides nothing: of vprintf only the arguments are looked at, and what it returns is not known.
 */
#include "big_numbers.h"

enum { MOST_STRINGS = 16, MOST_PRECISION = 500, MOST_DIGITS = 310 + MOST_PRECISION + 8 };

typedef struct {
    char *to;
    size_t room;  /* characters that may be written, the zero at the end included */
    size_t count; /* characters so far, those without room too */
    bool nowhere; /* it is printed, and not written to memory */
    bool open;    /* it has a float that depends on inputs: what is written is not known */
    int strings;  /* arguments of %s: none of them may be overwritten */
    const char *read[MOST_STRINGS];
    size_t length[MOST_STRINGS];
} output;

typedef struct {
    bool left, plus, space, other, zeros;
    int width;
    int precision; /* -1: none is given */
    char length;   /* h, l, j, z, t, or H for hh, L for ll */
} conversion;

static void put(output *out, char c)
{
    if (!out->open && out->room > 0 && out->count < out->room - 1)
        out->to[out->count] = c;
    out->count++;
}

static void fill(output *out, char c, int times)
{
    for (; times > 0; times--)
        put(out, c);
}

/* A number: its sign or prefix, zeros, its digits, in a field. */
static void put_field(output *out, const conversion *how, const char *prefix, int zeros, const char *digits, int count)
{
    int before = 0;
    while (prefix[before] != '\0')
        before++;
    int blanks = how->width - before - zeros - count;
    if (!how->left)
        fill(out, ' ', blanks);
    for (int i = 0; i < before; i++)
        put(out, prefix[i]);
    fill(out, '0', zeros);
    for (int i = 0; i < count; i++)
        put(out, digits[i]);
    if (how->left)
        fill(out, ' ', blanks);
}

/* --- whole numbers */

static const char *sign_of(const conversion *how, bool negative)
{
    return negative ? "-" : how->plus ? "+" : how->space ? " " : "";
}

static void put_whole(output *out, conversion how, uintmax_t value, unsigned base, bool capitals, const char *sign)
{
    char digits[8 * sizeof value];
    int at = sizeof digits;
    for (uintmax_t rest = value; rest != 0; rest /= base) {
        unsigned digit = (unsigned)(rest % base);
        digits[--at] = (char)('0' + digit + (digit > 9) * ((capitals ? 'A' : 'a') - '0' - 10));
    }
    int count = (int)sizeof digits - at;
    const char *prefix = sign;
    int least = how.precision < 0 ? 1 : how.precision;
    if (how.other && base == 16 && value != 0)
        prefix = capitals ? "0X" : "0x";
    if (how.other && base == 8 && least <= count)
        least = count + (value != 0 || how.precision == 0);
    if (how.zeros && !how.left && how.precision < 0) {
        int room = how.width - (prefix[0] != '\0') - (prefix[0] == '0');
        least = least > room ? least : room;
    }
    put_field(out, &how, prefix, least > count ? least - count : 0, digits + at, count);
}

/* --- floats: the exact value as a fraction, its digits by long division, rounded once */

typedef struct {
    char digits[MOST_DIGITS];
    int count;
    int32_t exponent; /* of ten, of the first digit */
} decimal;

static void round_up(decimal *found)
{
    int i = found->count - 1;
    while (i >= 0 && found->digits[i] == '9')
        found->digits[i--] = '0';
    if (i >= 0) {
        found->digits[i]++;
    } else {
        for (i = found->count; i > 0; i--)
            found->digits[i] = found->digits[i - 1];
        found->digits[0] = '1';
        found->count++;
        found->exponent++;
    }
}

/* The first digits of fraction * 2**exponent: `count` of them, or all down to the place 10**-count. */
static void find_digits(decimal *found, uint64_t fraction, int32_t exponent, int count, bool places)
{
    big_number number, unit;
    big_set(&number, fraction);
    big_set(&unit, 1);
    big_shift(exponent >= 0 ? &number : &unit, exponent >= 0 ? exponent : -exponent);
    found->exponent = found->count = 0;
    if (fraction != 0) {
        for (; big_compare(&number, &unit) < 0; found->exponent--)
            big_multiply_add(&number, 10, 0);
        for (;; found->exponent++) {
            big_number next = unit;
            big_multiply_add(&next, 10, 0);
            if (big_compare(&number, &next) < 0)
                break;
            unit = next;
        }
    }
    int32_t wanted = places ? found->exponent + 1 + count : count;
    for (; found->count < wanted; found->count++) {
        char digit = '0';
        for (; big_compare(&number, &unit) >= 0; digit++)
            big_subtract(&number, &unit);
        found->digits[found->count] = digit;
        big_multiply_add(&number, 10, 0);
    }
    if (wanted < 0)
        return; /* less than half of the last place */
    big_multiply_add(&unit, 5, 0);
    int order = big_compare(&number, &unit);
    bool odd = found->count > 0 && (found->digits[found->count - 1] & 1);
    if (order > 0 || (order == 0 && odd))
        round_up(found);
}

/* The digit at a power of ten. */
static char digit_at(const decimal *found, int32_t power)
{
    int32_t index = found->exponent - power;
    return index >= 0 && index < found->count ? found->digits[index] : '0';
}

static int put_fixed(char *text, const decimal *found, int precision, bool point)
{
    int count = 0;
    int32_t first = found->count > 0 && found->exponent > 0 ? found->exponent : 0;
    for (int32_t power = first; power >= 0; power--)
        text[count++] = digit_at(found, power);
    if (precision > 0 || point)
        text[count++] = '.';
    for (int32_t power = -1; power >= -precision; power--)
        text[count++] = digit_at(found, power);
    return count;
}

static int put_scientific(char *text, const decimal *found, int precision, bool point, bool capitals)
{
    int count = 0;
    text[count++] = digit_at(found, found->exponent);
    if (precision > 0 || point)
        text[count++] = '.';
    for (int32_t power = 1; power <= precision; power++)
        text[count++] = digit_at(found, found->exponent - power);
    int32_t exponent = found->exponent;
    text[count++] = capitals ? 'E' : 'e';
    text[count++] = exponent < 0 ? '-' : '+';
    exponent = exponent < 0 ? -exponent : exponent;
    if (exponent >= 100)
        text[count++] = (char)('0' + exponent / 100);
    text[count++] = (char)('0' + exponent / 10 % 10);
    text[count++] = (char)('0' + exponent % 10);
    return count;
}

/* %g: as many digits as are given; without the zeros at the end. */
static int put_shorter(char *text, const decimal *found, int precision, bool capitals)
{
    bool fixed = found->exponent >= -4 && found->exponent < precision;
    int places = fixed ? precision - 1 - (int)found->exponent : precision - 1;
    int used = found->count;
    while (used > 1 && found->digits[used - 1] == '0')
        used--;
    int needed = fixed ? used - 1 - (int)found->exponent : used - 1;
    places = needed < 0 ? 0 : needed < places ? needed : places;
    return fixed ? put_fixed(text, found, places, false) : put_scientific(text, found, places, false, capitals);
}

static void put_float(output *out, conversion how, double value, char kind)
{
#if DBL_MANT_DIG != 53
    soid_not_explored("a float written as text, on a target whose double has less than 64 bits");
#endif
    if (!soid_is_known(value)) {
        out->open = true;
        return;
    }
    if (how.other && (kind | 32) == 'g')
        soid_not_explored("%#g in a format: glibc does not always keep the zeros");
    if (value != value)
        soid_not_explored("a NaN written as text: its sign is open");
    union {
        double value;
        uint64_t bits;
    } parts = { value };
    bool negative = parts.bits >> 63, capitals = kind < 'a';
    uint64_t bits = parts.bits & (UINT64_MAX >> 1);
    char text[MOST_DIGITS + 8];
    int count = 0;
    if (bits >> 52 == 2047) {
        for (const char *word = capitals ? "INF" : "inf"; *word != '\0'; word++)
            text[count++] = *word;
        how.zeros = false;
    } else {
        int precision = how.precision < 0 ? 6 : how.precision;
        if (precision > MOST_PRECISION)
            soid_not_explored("more than 500 places of a float written as text");
        uint64_t fraction = bits & (UINT64_MAX >> 12);
        int32_t exponent = (int32_t)(bits >> 52);
        fraction |= exponent > 0 ? (uint64_t)1 << 52 : 0;
        exponent = (exponent > 0 ? exponent : 1) - 1075;
        decimal found;
        int letter = kind | 32;
        if (letter == 'g' && precision == 0)
            precision = 1;
        find_digits(&found, fraction, exponent, letter == 'e' ? precision + 1 : precision, letter == 'f');
        count = letter == 'f'   ? put_fixed(text, &found, precision, how.other)
                : letter == 'e' ? put_scientific(text, &found, precision, how.other, capitals)
                                : put_shorter(text, &found, precision, capitals);
    }
    const char *sign = sign_of(&how, negative);
    int room = how.width - (sign[0] != '\0');
    put_field(out, &how, sign, how.zeros && !how.left && room > count ? room - count : 0, text, count);
}

/* --- strings, and what is not written */

static void put_string(output *out, conversion how, const char *text)
{
    if (text == NULL)
        soid_fails("null pointer for %s in a format");
    size_t count = 0;
    while ((how.precision < 0 || count < (size_t)how.precision) && text[count] != '\0')
        count++;
    if (out->strings == MOST_STRINGS)
        soid_not_explored("more than 16 strings in a format");
    out->read[out->strings] = text;
    out->length[out->strings++] = count;
    how.precision = -1;
    int blanks = count < (size_t)INT_MAX && how.width > (int)count ? how.width - (int)count : 0;
    if (!how.left)
        fill(out, ' ', blanks);
    for (size_t i = 0; i < count; i++)
        put(out, text[i]);
    if (how.left)
        fill(out, ' ', blanks);
}

static void put_character(output *out, conversion how, char c)
{
    if (!how.left)
        fill(out, ' ', how.width - 1);
    put(out, c);
    if (how.left)
        fill(out, ' ', how.width - 1);
}

static void store_count(const output *out, char length, void *place)
{
    size_t count = out->count;
    if (out->open)
        soid_not_explored("%n behind a float that depends on inputs");
    if (place == NULL)
        soid_fails("null pointer for %n in a format");
    switch (length) {
    case 'H': *(signed char *)place = (signed char)count; break;
    case 'h': *(short *)place = (short)count; break;
    case 'l': *(long *)place = (long)count; break;
    case 'L': *(long long *)place = (long long)count; break;
    case 'j': *(intmax_t *)place = (intmax_t)count; break;
    case 'z': *(size_t *)place = count; break;
    case 't': *(ptrdiff_t *)place = (ptrdiff_t)count; break;
    default: *(int *)place = (int)count;
    }
}

/* --- formats */

static int scan_size(const char **format)
{
    int size = 0;
    for (; between(**format, '0', '9'); (*format)++) {
        if (size > 100000)
            soid_not_explored("a very great width in a format");
        size = size * 10 + (**format - '0');
    }
    return size;
}

static const char *scan_flags(const char *format, conversion *how)
{
    for (;; format++) {
        switch (*format) {
        case '-': how->left = true; break;
        case '+': how->plus = true; break;
        case ' ': how->space = true; break;
        case '#': how->other = true; break;
        case '0': how->zeros = true; break;
        default: return format;
        }
    }
}

typedef struct {
    va_list list;
} arguments;

static intmax_t next_signed(arguments *given, char length)
{
    switch (length) {
    case 'l': return va_arg(given->list, long);
    case 'L': return va_arg(given->list, long long);
    case 'j': return va_arg(given->list, intmax_t);
    case 'z': return (intmax_t)va_arg(given->list, ptrdiff_t);
    case 't': return va_arg(given->list, ptrdiff_t);
    case 'h': return (short)va_arg(given->list, int);
    case 'H': return (signed char)va_arg(given->list, int);
    default: return va_arg(given->list, int);
    }
}

static uintmax_t next_unsigned(arguments *given, char length)
{
    switch (length) {
    case 'l': return va_arg(given->list, unsigned long);
    case 'L': return va_arg(given->list, unsigned long long);
    case 'j': return va_arg(given->list, uintmax_t);
    case 'z': return va_arg(given->list, size_t);
    case 't': return (size_t)va_arg(given->list, ptrdiff_t);
    case 'h': return (unsigned short)va_arg(given->list, unsigned);
    case 'H': return (unsigned char)va_arg(given->list, unsigned);
    default: return va_arg(given->list, unsigned);
    }
}

/* Take the argument of a conversion that is printed: it must be set, and a string must have an end. */
static void check(conversion how, char kind, arguments *given)
{
    if (between(kind | 32, 'e', 'g') || (kind | 32) == 'a') {
        if (how.length != 0 && how.length != 'l')
            soid_not_explored("long double in a format");
        (void)soid_is_known(va_arg(given->list, double));
    } else if (kind == 's' && how.length == 0) {
        const char *text = va_arg(given->list, const char *);
        if (text == NULL)
            soid_fails("null pointer for %s in a format");
        if (how.precision < 0)
            soid_need_string(text);
        for (int i = 0; i < how.precision && text[i] != '\0'; i++)
            ;
    } else if (kind == 'p')
        (void)va_arg(given->list, void *);
    else if (kind == 'd' || kind == 'i' || (kind == 'c' && how.length == 0))
        soid_need_set((uint64_t)next_signed(given, how.length));
    else if (kind == 'u' || kind == 'o' || kind == 'x' || kind == 'X')
        soid_need_set(next_unsigned(given, how.length));
    else if (kind != '%')
        soid_not_explored("a conversion in a format that is printed by a va_list");
}

static void convert(output *out, conversion how, char kind, arguments *given)
{
    if (out->nowhere) {
        check(how, kind, given);
        return;
    }
    switch (kind) {
    case 'L': soid_not_explored("long double in a format");
    case 'd':
    case 'i': {
        intmax_t value = next_signed(given, how.length);
        put_whole(out, how, value < 0 ? 0 - (uintmax_t)value : (uintmax_t)value, 10, false, sign_of(&how, value < 0));
        return;
    }
    case 'u': put_whole(out, how, next_unsigned(given, how.length), 10, false, ""); return;
    case 'o': put_whole(out, how, next_unsigned(given, how.length), 8, false, ""); return;
    case 'x': put_whole(out, how, next_unsigned(given, how.length), 16, false, ""); return;
    case 'X': put_whole(out, how, next_unsigned(given, how.length), 16, true, ""); return;
    case 'n': store_count(out, how.length, va_arg(given->list, void *)); return;
    case '%': put(out, '%'); return;
    case 'p': soid_not_explored("%p in a format: an address has no digits");
    case 'a':
    case 'A': soid_not_explored("%a in a format");
    case '\0': soid_fails("format that ends inside of a conversion");
    default: break;
    }
    if (how.length != 0 && !(how.length == 'l' && between(kind | 32, 'e', 'g')))
        soid_not_explored("wide characters or long double in a format");
    switch (kind) {
    case 'c': put_character(out, how, (char)va_arg(given->list, int)); return;
    case 's': put_string(out, how, va_arg(given->list, const char *)); return;
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G': put_float(out, how, va_arg(given->list, double), kind); return;
    default: soid_not_explored("a conversion in a format that C does not define");
    }
}

/* A float may be written in many ways: what is in the array afterwards, and how much, is not known. */
static int leave_open(const output *out)
{
    static const char what[] = "a float that depends on inputs, written as text";
    int count;
    soid_need_room(out->to, out->room, what);
    for (int i = 0; i < out->strings; i++)
        soid_need_apart(out->to, out->room, out->read[i], out->length[i], what);
    soid_forget(out->to, out->room);
    soid_forget(&count, sizeof count);
    return count;
}

static void print_all(output *out, const char *format, va_list list)
{
    arguments given;
    va_copy(given.list, list);
    for (; *format != '\0'; format++) {
        if (*format != '%') {
            put(out, *format);
            continue;
        }
        conversion how = { .precision = -1 };
        format = scan_flags(format + 1, &how);
        if (*format == '*') {
            format++;
            how.width = va_arg(given.list, int);
            if (how.width < -100000 || how.width > 100000)
                soid_not_explored("a very great width in a format");
            how.left = how.left || how.width < 0;
            how.width = how.width < 0 ? -how.width : how.width;
        } else
            how.width = scan_size(&format);
        if (*format == '.') {
            format++;
            if (*format == '*') {
                format++;
                how.precision = va_arg(given.list, int);
                how.precision = how.precision < 0 ? -1 : how.precision;
                if (how.precision > 100000)
                    soid_not_explored("a very great precision in a format");
            } else
                how.precision = scan_size(&format);
        }
        format = scan_length(format, &how.length);
        convert(out, how, *format, &given);
    }
    va_end(given.list);
}

static int print(char *to, size_t room, const char *format, va_list list)
{
    output out = { .to = to, .room = room };
    print_all(&out, format, list);
    if (out.open)
        return leave_open(&out);
    if (room > 0)
        to[out.count < room ? out.count : room - 1] = '\0';
    size_t written = room == 0 ? 0 : out.count < room ? out.count + 1 : room;
    for (int i = 0; i < out.strings; i++)
        soid_need_apart(to, written, out.read[i], out.length[i], NULL);
    if (out.count > INT_MAX)
        soid_not_explored("a text of more than INT_MAX characters");
    return (int)out.count;
}

/* No object is so large, and some libraries refuse a greater size. */
static int print_within(char *to, size_t room, const char *format, va_list list)
{
    if (room > INT_MAX)
        soid_not_explored("snprintf with a size above INT_MAX");
    return print(to, room, format, list);
}

int EXPORTED(vsnprintf)(char *to, size_t room, const char *format, va_list list)
{
    return print_within(to, room, format, list);
}

int EXPORTED(vsprintf)(char *to, const char *format, va_list list) { return print(to, SIZE_MAX, format, list); }

int EXPORTED(snprintf)(char *to, size_t room, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int count = print_within(to, room, format, list);
    va_end(list);
    return count;
}

int EXPORTED(sprintf)(char *to, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int count = print(to, SIZE_MAX, format, list);
    va_end(list);
    return count;
}

static int print_nowhere(const char *format, va_list list)
{
    output out = { .nowhere = true };
    int count;
    print_all(&out, format, list);
    soid_forget(&count, sizeof count);
    return count;
}

int EXPORTED(vprintf)(const char *format, va_list list) { return print_nowhere(format, list); }
int EXPORTED(vfprintf)(void *stream, const char *format, va_list list)
{
    (void)stream;
    return print_nowhere(format, list);
}
