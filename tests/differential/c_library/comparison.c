/* Compares soid's own C library with the system's, on thousands of texts and numbers.
 *
 * The library is compiled into this file under other names. Where it says that something fails or is not explored, there is
 * nothing to compare. Prints each difference; the last line has the counts.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <wchar.h>

#define OWN(type, name, ...) type own_##name(__VA_ARGS__)
typedef int comparison(const void *, const void *);
extern struct { int value; bool begun; } soid_libc_errno;

static jmp_buf left;
static bool forgotten;
static long compared, skipped, failures;

void soid_fails(const char *what) { (void)what; longjmp(left, 1); }
void soid_not_explored(const char *what) { (void)what; longjmp(left, 2); }
void soid_forget(void *place, size_t size) { (void)place, (void)size; forgotten = true; }
void soid_need_number(uint64_t value, const char *what) { (void)value, (void)what; }
bool soid_is_known(double value) { (void)value; return true; }
void soid_need_set(uint64_t value) { (void)value; }
void soid_need_room(void *place, size_t size, const char *what) { (void)place, (void)size, (void)what; }
void soid_need_apart(const void *a, size_t n, const void *b, size_t m, const char *what)
{
    (void)a, (void)n, (void)b, (void)m, (void)what;
}
void soid_need_string(const char *text) { (void)text; }
uint64_t soid_remember(void) { return 0; }
void soid_need_unchanged(uint64_t remembered, const void *but) { (void)remembered, (void)but; }
bool soid_same(const void *a, const void *b, size_t n) { return memcmp(a, b, n) == 0; }

/* --- chance */

static uint64_t seed;
static uint64_t chance(void)
{
    seed += 0x9e3779b97f4a7c15u;
    uint64_t z = seed;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}
static int below(int n) { return (int)(chance() % (unsigned)n); }
static const char *one_of(const char *const *words, int count) { return words[below(count)]; }
#define PICK(words) one_of(words, sizeof(words) / sizeof *(words))

static void random_text(char *text, const char *letters, int most)
{
    int n = below(most);
    for (int i = 0; i < n; i++)
        text[i] = letters[below((int)strlen(letters))];
    text[n] = '\0';
}

/* --- comparing */

#define DIFFERENCE(...) (failures++ < 20 ? (printf(__VA_ARGS__), putchar('\n')) : 0)
#define TRY(body) \
    do { \
        forgotten = false; \
        if (setjmp(left) == 0) { \
            body; \
            compared++; \
        } else \
            skipped++; \
    } while (0)

#define INTEGER(type, name, form) \
    OWN(type, name, const char *, char **, int); \
    static void compare_##name(const char *text, int base) \
    { \
        char *a = NULL, *b = NULL; \
        errno = 0; \
        type x = name(text, &a, base); \
        int e = errno; \
        soid_libc_errno.begun = true; \
        soid_libc_errno.value = 0; \
        TRY(type y = own_##name(text, &b, base); \
            if (x != y || a != b || e != soid_libc_errno.value) \
                DIFFERENCE(#name "(\"%s\", %d): " form " %d %d, own " form " %d %d", text, base, x, (int)(a - text), e, y, \
                           (int)(b - text), soid_libc_errno.value)); \
    }
INTEGER(long, strtol, "%ld")
INTEGER(unsigned long, strtoul, "%lu")
INTEGER(long long, strtoll, "%lld")
INTEGER(unsigned long long, strtoull, "%llu")
INTEGER(intmax_t, strtoimax, "%jd")
INTEGER(uintmax_t, strtoumax, "%ju")
OWN(int, atoi, const char *);
OWN(long, atol, const char *);
OWN(long long, atoll, const char *);

static void whole_numbers(const char *text, int base)
{
    compare_strtol(text, base);
    compare_strtoul(text, base);
    compare_strtoll(text, base);
    compare_strtoull(text, base);
    compare_strtoimax(text, base);
    compare_strtoumax(text, base);
    TRY(if (atoi(text) != own_atoi(text)) DIFFERENCE("atoi(\"%s\")", text));
    TRY(if (atol(text) != own_atol(text)) DIFFERENCE("atol(\"%s\")", text));
    TRY(if (atoll(text) != own_atoll(text)) DIFFERENCE("atoll(\"%s\")", text));
}

OWN(double, strtod, const char *, char **);
OWN(float, strtof, const char *, char **);
OWN(double, atof, const char *);

static void real_numbers(const char *text)
{
    char *a = NULL, *b = NULL;
    errno = 0;
    double x = strtod(text, &a);
    int e = errno;
    soid_libc_errno.begun = true;
    soid_libc_errno.value = 0;
    TRY(double y = own_strtod(text, &b);
        if (memcmp(&x, &y, sizeof x) != 0 || a != b || (e != soid_libc_errno.value && !forgotten))
            DIFFERENCE("strtod(\"%s\"): %a %d %d, own %a %d %d", text, x, (int)(a - text), e, y, (int)(b - text),
                       soid_libc_errno.value));
    errno = 0;
    float f = strtof(text, &a);
    e = errno;
    soid_libc_errno.value = 0;
    TRY(float g = own_strtof(text, &b);
        if (memcmp(&f, &g, sizeof f) != 0 || a != b || (e != soid_libc_errno.value && !forgotten))
            DIFFERENCE("strtof(\"%s\"): %a %d %d, own %a %d %d", text, f, (int)(a - text), e, g, (int)(b - text),
                       soid_libc_errno.value));
    TRY(double y = own_atof(text); if (memcmp(&x, &y, sizeof x) != 0) DIFFERENCE("atof(\"%s\")", text));
}

#define CHARACTERS(use) \
    use(isupper) use(islower) use(isalpha) use(isdigit) use(isxdigit) use(isspace) use(isprint) use(isgraph) \
    use(isblank) use(iscntrl) use(ispunct) use(isalnum) use(tolower) use(toupper) use(isascii) use(toascii)
#define DECLARE(name) OWN(int, name, int);
#define SAME(name) TRY(if ((name)(c) != own_##name(c)) DIFFERENCE(#name "(%d): %d, own %d", c, (name)(c), own_##name(c)));
CHARACTERS(DECLARE)
OWN(const unsigned short *const *, __ctype_b_loc, void);
OWN(const int *const *, __ctype_tolower_loc, void);
OWN(const int *const *, __ctype_toupper_loc, void);

static void characters(void)
{
    for (int c = -1; c < 256; c++) {
        CHARACTERS(SAME)
        if ((*__ctype_b_loc())[c] != (*own___ctype_b_loc())[c] || (*__ctype_tolower_loc())[c] != (*own___ctype_tolower_loc())[c]
            || (*__ctype_toupper_loc())[c] != (*own___ctype_toupper_loc())[c])
            DIFFERENCE("the tables of %d", c);
        compared++;
    }
}

OWN(size_t, strspn, const char *, const char *);
OWN(size_t, strcspn, const char *, const char *);
OWN(char *, strpbrk, const char *, const char *);
OWN(int, strcasecmp, const char *, const char *);
OWN(int, strncasecmp, const char *, const char *, size_t);
OWN(int, strcoll, const char *, const char *);
OWN(void *, memrchr, const void *, int, size_t);
OWN(void *, rawmemchr, const void *, int);
OWN(char *, strchrnul, const char *, int);
OWN(char *, index, const char *, int);
OWN(char *, rindex, const char *, int);
OWN(void *, memmem, const void *, size_t, const void *, size_t);
OWN(char *, strcasestr, const char *, const char *);
OWN(char *, strdup, const char *);
OWN(char *, strndup, const char *, size_t);
OWN(void *, mempcpy, void *, const void *, size_t);
OWN(void *, memccpy, void *, const void *, int, size_t);
OWN(char *, stpncpy, char *, const char *, size_t);
OWN(size_t, strlcpy, char *, const char *, size_t);
OWN(size_t, strlcat, char *, const char *, size_t);
OWN(long, __isoc23_strtol, const char *, char **, int);
OWN(char *, strtok, char *, const char *);
OWN(char *, strtok_r, char *, const char *, char **);
OWN(char *, strsep, char **, const char *);
OWN(int, ffs, int);
OWN(int, ffsl, long);
OWN(int, ffsll, long long);
OWN(div_t, div, int, int);
OWN(ldiv_t, ldiv, long, long);
OWN(lldiv_t, lldiv, long long, long long);
OWN(imaxdiv_t, imaxdiv, intmax_t, intmax_t);

static int sign(int n) { return (n > 0) - (n < 0); }
#define EQUAL(what) \
    do { \
        compared++; \
        if (!(what)) \
            DIFFERENCE("%s with \"%s\", \"%s\", %d, %zu", #what, text, other, c, n); \
    } while (0)

static void strings(const char *text, const char *other, int c, size_t n)
{
    size_t size = strlen(text) + 1, within = n < size ? n : size;
    EQUAL(strspn(text, other) == own_strspn(text, other));
    EQUAL(strcspn(text, other) == own_strcspn(text, other));
    EQUAL(strpbrk(text, other) == own_strpbrk(text, other));
    EQUAL(sign(strcasecmp(text, other)) == sign(own_strcasecmp(text, other)));
    EQUAL(sign(strncasecmp(text, other, n)) == sign(own_strncasecmp(text, other, n)));
    EQUAL(sign(strcoll(text, other)) == sign(own_strcoll(text, other)));
    EQUAL(memrchr(text, c, within) == own_memrchr(text, c, within));
    EQUAL(rawmemchr(text, '\0') == own_rawmemchr(text, '\0'));
    EQUAL(strchrnul(text, c) == own_strchrnul(text, c));
    EQUAL(index(text, c) == own_index(text, c));
    EQUAL(rindex(text, c) == own_rindex(text, c));
    EQUAL(memmem(text, size, other, strlen(other)) == own_memmem(text, size, other, strlen(other)));
    EQUAL(strcasestr(text, other) == own_strcasestr(text, other));
    char a[80], b[80], *x = strndup(text, n), *y = own_strndup(text, n), *z = own_strdup(text);
    EQUAL(strcmp(x, y) == 0 && strcmp(text, z) == 0);
    free(x), free(y), free(z);
    memset(a, 7, sizeof a), memset(b, 7, sizeof b);
    EQUAL((char *)mempcpy(a, text, within) - a == (char *)own_mempcpy(b, text, within) - b && !memcmp(a, b, sizeof a));
    x = memccpy(a, text, c, within), y = own_memccpy(b, text, c, within);
    EQUAL((x ? x - a : -1) == (y ? y - b : -1) && !memcmp(a, b, sizeof a));
    EQUAL(stpncpy(a, text, n) - a == own_stpncpy(b, text, n) - b && !memcmp(a, b, sizeof a));

    /* what the system has only in newer versions, against what it should be */
    memset(a, 7, sizeof a), memset(b, 7, sizeof b);
    EQUAL((size_t)snprintf(a, n, "%s", text) == own_strlcpy(b, text, n) && !memcmp(a, b, sizeof a));
    strcpy(a, "xy"), strcpy(b, "xy");
    if (n > 2)
        strncat(a, text, n - 3);
    EQUAL(own_strlcat(b, text, n) == (n < 2 ? n : 2) + strlen(text) && !memcmp(a, b, strlen(b) + 1));

    strcpy(a, text), strcpy(b, text);
    char *p = a, *q = b, *rest = NULL, *own_rest = NULL;
    do {
        x = strtok_r(p, other, &rest), y = own_strtok_r(q, other, &own_rest), p = q = NULL;
        EQUAL((x ? x - a : -1) == (y ? y - b : -1) && !memcmp(a, b, sizeof a));
    } while (x && y);
    strcpy(a, text), strcpy(b, text), p = a, q = b;
    do {
        x = strtok(p, other), y = own_strtok(q, other), p = q = NULL;
        EQUAL((x ? x - a : -1) == (y ? y - b : -1) && !memcmp(a, b, sizeof a));
    } while (x && y);
    strcpy(a, text), strcpy(b, text), p = a, q = b;
    do {
        x = strsep(&p, other), y = own_strsep(&q, other);
        EQUAL((x ? x - a : -1) == (y ? y - b : -1) && !memcmp(a, b, sizeof a));
    } while (x && y);
}

static void binary(const char *text, int base, long value, int size)
{
    const char *other = "";
    char *end;
    int c = base;
    size_t n = (size_t)value;
    EQUAL(own___isoc23_strtol(text, &end, base) == value && end - text == size);
}

static void divisions(long long number, long long by)
{
    const char *text = "", *other = "";
    int c = (int)by;
    size_t n = (size_t)number;
    EQUAL(ffs((int)number) == own_ffs((int)number) && ffsl((long)number) == own_ffsl((long)number));
    EQUAL(ffsll(number) == own_ffsll(number));
    if (by == 0 || by == -1 || (int)by == 0 || (int)by == -1)
        return;
    div_t s = div((int)number, (int)by), t = own_div((int)number, (int)by);
    EQUAL(s.quot == t.quot && s.rem == t.rem);
    ldiv_t u = ldiv((long)number, (long)by), v = own_ldiv((long)number, (long)by);
    lldiv_t w = own_lldiv(number, by);
    imaxdiv_t x = own_imaxdiv(number, by);
    EQUAL(u.quot == v.quot && u.rem == v.rem && u.quot == w.quot && u.rem == w.rem && u.quot == x.quot && u.rem == x.rem);
}

OWN(size_t, wcslen, const wchar_t *);
OWN(size_t, wcsnlen, const wchar_t *, size_t);
OWN(int, wmemcmp, const wchar_t *, const wchar_t *, size_t);
OWN(int, wcsncmp, const wchar_t *, const wchar_t *, size_t);
OWN(int, wcscmp, const wchar_t *, const wchar_t *);
OWN(wchar_t *, wmemchr, const wchar_t *, wchar_t, size_t);
OWN(wchar_t *, wcschr, const wchar_t *, wchar_t);
OWN(wchar_t *, wcsrchr, const wchar_t *, wchar_t);

static void wide(void)
{
    const char *text = "", *other = "";
    wchar_t one[12] = { 0 }, two[12] = { 0 }, c = below(4) - 1;
    size_t n = (size_t)below(12);
    for (int i = 0; i < 11; i++)
        one[i] = below(4) - 1, two[i] = below(9) ? one[i] : below(4) - 1;
    EQUAL(wcslen(one) == own_wcslen(one) && wcsnlen(one, n) == own_wcsnlen(one, n));
    EQUAL(sign(wmemcmp(one, two, n)) == sign(own_wmemcmp(one, two, n)));
    EQUAL(sign(wcsncmp(one, two, n)) == sign(own_wcsncmp(one, two, n)));
    EQUAL(sign(wcscmp(one, two)) == sign(own_wcscmp(one, two)));
    EQUAL(wmemchr(one, c, n) == own_wmemchr(one, c, n));
    EQUAL(wcschr(one, c) == own_wcschr(one, c) && wcsrchr(one, c) == own_wcsrchr(one, c));
}

OWN(void, qsort, void *, size_t, size_t, comparison *);
OWN(void *, bsearch, const void *, const void *, size_t, size_t, comparison *);
static int by_number(const void *a, const void *b) { return (*(int *)a > *(int *)b) - (*(int *)a < *(int *)b); }

static void sorting(void)
{
    int a[20], b[20], count = below(20), key = below(40);
    for (int i = 0; i < count; i++)
        a[i] = b[i] = below(2) ? below(40) : (int)chance();
    qsort(a, (size_t)count, sizeof *a, by_number);
    TRY(own_qsort(b, (size_t)count, sizeof *b, by_number); if (memcmp(a, b, sizeof *a * (size_t)count)) DIFFERENCE("qsort"));
    TRY(void *x = own_bsearch(&key, a, (size_t)count, sizeof *a, by_number);
        if (x != bsearch(&key, a, (size_t)count, sizeof *a, by_number)) DIFFERENCE("bsearch"));
}

/* --- formats */

OWN(int, snprintf, char *, size_t, const char *, ...);
OWN(int, sscanf, const char *, const char *, ...);
OWN(int, vsnprintf, char *, size_t, const char *, va_list);

#define PRINTED(size, format, ...) \
    do { \
        char a[1200], b[1200]; \
        memset(a, 7, sizeof a), memset(b, 7, sizeof b); \
        int x = snprintf(a, size, format, __VA_ARGS__); \
        TRY(int y = own_snprintf(b, size, format, __VA_ARGS__); if (x != y || memcmp(a, b, sizeof a)) \
                DIFFERENCE("snprintf(\"%s\"): %d %.300s, own %d %.300s", format, x, a, y, b)); \
    } while (0)

static double some_double(void)
{
    static const double found[] = { 0.0, 0.5, 1.5, 2.5, 0.125, 9.5, 99.5, 999999.5, 1e5, 1e6, 123456.5, 1e-4, 1e-5, 5e-324,
                                    1.7976931348623157e308, 2.2250738585072014e-308, 0.1, 0.045, 1.005, 1.0 / 0.0 };
    union { uint64_t bits; double value; } any = { chance() };
    double value = below(3) == 0   ? found[below(sizeof found / sizeof *found)]
                   : below(2) == 0 ? (double)below(2000000) / (double)(1 << below(12))
                                   : any.value;
    return value != value ? 1.0 : below(2) ? value : -value;
}

static void printing(void)
{
    static const char *const lengths[] = { "", "l", "ll", "h", "hh", "j", "z", "t" };
    char format[40] = "<%";
    for (int i = below(3); i > 0; i--)
        strncat(format, &"-+ #0"[below(5)], 1);
    if (below(2))
        sprintf(format + strlen(format), "%d", 1 + below(30));
    if (below(2))
        sprintf(format + strlen(format), ".%d", below(25));
    long long number = below(2) ? below(2000) - 1000 : (long long)(chance() >> below(64));
    number = below(6) ? number : 0;
    size_t size = below(4) ? 1000 : (size_t)below(12);
    int kind = below(10);
    if (kind < 5) {
        strcat(format, PICK(lengths));
        strncat(format, &"dioxXu"[below(6)], 1);
        strcat(format, ">");
        PRINTED(size, format, number);
    } else if (kind < 8) {
        strncat(format, &"feEgGF"[below(6)], 1);
        strcat(format, ">%c");
        double value = some_double();
        PRINTED(size, format, value, 'x');
    } else if (kind < 9) {
        char text[40];
        random_text(text, "abc %", 40);
        strcat(format, "s>%%%d");
        PRINTED(size, format, text, (int)number);
    } else {
        int width = below(9), other = below(9) - 4, precision = below(4) - 1, written = 0;
        double value = some_double();
        PRINTED(size, "%*d|%-*d|%.*f|%c%n", width, (int)number, other, 5, precision, value, 'y', &written);
    }
}

typedef struct { long long a, b; double c; char d[40], e[40]; int n; } targets;

#define SCANNED(text, format, ...) \
    do { \
        targets s, t; \
        memset(&s, 7, sizeof s), memset(&t, 7, sizeof t); \
        targets *at = &s; \
        int x = sscanf(text, format, __VA_ARGS__); \
        at = &t; \
        TRY(int y = own_sscanf(text, format, __VA_ARGS__); if (x != y || memcmp(&s, &t, sizeof s)) \
                DIFFERENCE("sscanf(\"%s\", \"%s\"): %d, own %d", text, format, x, y)); \
    } while (0)

static void scanning(void)
{
    static const char *const wholes[] = { "%d", "%i", "%u", "%x", "%o", "%ld", "%lld", "%hd", "%hhu", "%lu", "%3d", "%2i", "%5lx",
                                          "%zu", "%jd" };
    static const char *const reals[] = { "%lf", "%le", "%5lg", "%9lf" };
    static const char *const words[] = { "%s", "%3s", "%[a-c]", "%[^,]", "%5[^0-9]", "%[]a]", "%c", "%2c", "%[-a]", "%[a-]",
                                         "%[^-a-c]", "%[c-a]", "%[a-c-e]", "%[+--]" };
    static const char *const between[] = { " ", ",", "", ": ", "x", "%% " };
    char text[60], format[60];
    random_text(text, below(2) ? "0123456789 ,-+." : "0189xeabc, -+:%.", 30);
    sprintf(format, "%s%s%s%%n", PICK(wholes), PICK(between), PICK(wholes));
    SCANNED(text, format, (void *)&at->a, (void *)&at->b, &at->n);
    sprintf(format, "%s%s%s%%n", PICK(reals), PICK(between), PICK(wholes));
    SCANNED(text, format, &at->c, (void *)&at->a, &at->n);
    sprintf(format, "%s%s%s%s%s", PICK(words), PICK(between), PICK(words), PICK(between), PICK(wholes));
    SCANNED(text, format, at->d, at->e, (void *)&at->a);
    sprintf(format, "%%*%s%s%s", PICK(words) + 1, PICK(between), PICK(wholes));
    SCANNED(text, format, (void *)&at->a);
}

/* --- texts of numbers */

static void number_texts(void)
{
    char text[1300];
    random_text(text, "0123456789+- xXbB", 8);
    whole_numbers(text, below(37));
    snprintf(text, sizeof text, "%s%s%s%" PRIu64 "%s", below(4) ? "" : " \t", below(3) ? "" : below(2) ? "-" : "+",
             below(4) ? "" : "0x", chance() >> below(64), below(2) ? "" : "z9");
    whole_numbers(text, below(2) ? 10 : below(37));

    random_text(text, "0123456789.+-eExXpPinfa", 12);
    real_numbers(text);
    snprintf(text, sizeof text, "%d.%0*d%se%d", below(1000), 1 + below(9), below(100000), below(2) ? "" : "5", below(80) - 40);
    real_numbers(text);
    snprintf(text, sizeof text, "%" PRIu64 "%" PRIu64 "e%d", chance(), chance(), below(700) - 360);
    real_numbers(text);
    snprintf(text, sizeof text, "0x%" PRIx64 ".%" PRIx64 "p%d", chance() >> below(64), chance() >> below(64), below(2300) - 1200);
    real_numbers(text);
    /* a tie between two floats, exactly, just below and just above */
    union { uint64_t bits; double value; } tie = { chance() & INT64_MAX };
    if (tie.value == tie.value && tie.value < 1e308) {
        union { uint64_t bits; double value; } next = { tie.bits + 1 };
        long double middle = ((long double)tie.value + (long double)next.value) / 2;
        int n = snprintf(text, 1200, below(2) ? "%.780Le" : "%.30Le", middle);
        real_numbers(text);
        for (int i = n - 1; i > 0; i--)
            if (text[i] == 'e' && text[i - 1] != '9') {
                text[i - 1]++;
                break;
            }
        real_numbers(text);
        snprintf(text, 1200, "%.9e", (double)(float)tie.value * (1 + 1.0 / (1 << 24)));
        real_numbers(text);
    }
}

int main(int count, char **words)
{
    static const char *const edges[] = {
        "", " ", "-", "+", "0", "-0", "00", "0x", "0X1g", "0b1", "2147483647", "2147483648", "-2147483648", "-2147483649",
        "9223372036854775807", "9223372036854775808", "-9223372036854775808", "-9223372036854775809", "18446744073709551615",
        "18446744073709551616", "-18446744073709551615", "-18446744073709551616", "99999999999999999999999", "1e", "1e+", "1e5",
        ".", ".5", "5.", "-.5e-1", "1e309", "-1e309", "1.7976931348623157e308", "1.7976931348623159e308", "2e-324", "3e-324",
        "4.9e-324", "2.4703282292062327e-324", "2.4703282292062328e-324", "2.2250738585072011e-308", "2.2250738585072014e-308",
        "1e-999999999999", "0e999999999999", "1e999999999999", "inf", "-Infinity", "infinit", "nan", "-NaN", "nanx", "in", "0x.8p1",
        "0x1.8", "0x1p", "0x.p1", "0x1p-1075", "0x1p-1074", "0x1.8p-1074", "0x1.fffffffffffff8p1023", "0x1.fffffffffffff7p1023",
        "9007199254740993", "9007199254740992.5", "0.1", "3.4028235e38", "3.4028236e38", "1.4e-45", "7e-46", "7.1e-46", "16777217",
        "1_000", "1,5", "\v12", "\xa0" "1", "0x00000000000000000000000000000001p0", "0.000000000000000000000000000000000000001e40",
    };
    long rounds = count > 1 ? atol(words[1]) : 1000;
    seed = count > 2 ? strtoull(words[2], NULL, 10) : 1;
    characters();
    binary("0b101z", 0, 5, 5), binary("-0B11", 2, -3, 5), binary("0b2", 0, 0, 1), binary("0b", 2, 0, 1);
    binary("0b1", 16, 0xb1, 3), binary("0b1", 10, 0, 1), binary("0x1f", 0, 31, 4), binary("012", 0, 10, 3);
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++) {
        for (int base = 0; base <= 36; base++)
            if (base != 1)
                whole_numbers(edges[i], base);
        real_numbers(edges[i]);
    }
    for (long i = 0; i < rounds; i++) {
        char text[40], other[40];
        number_texts();
        random_text(text, below(2) ? "abAB, " : "abcdeABCDE\x80\xff", 12);
        random_text(other, "aAbB,", 1 + below(5));
        strings(text, other, below(2) ? 'a' : below(300), (size_t)below(30));
        divisions(below(2) ? (long long)chance() : below(100) - 50, below(2) ? (long long)(chance() >> below(64)) : below(20) - 10);
        wide();
        sorting();
        printing();
        scanning();
    }
    printf("compared %ld, skipped %ld, different %ld\n", compared, skipped, failures);
    return failures != 0;
}
