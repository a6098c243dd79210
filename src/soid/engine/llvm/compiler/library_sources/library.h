/* What all files of soid's own C library share.
 *
 * The library is explored in place of the system's where a program uses a function that it does not define. It does what
 * the C standard says, in the locale "C". Behaviour that C leaves undefined ends in soid_fails, what C leaves open and
 * libraries do in different ways ends in soid_not_explored. No file calls a function that a program could define, except
 * malloc. Characters are told apart by arithmetic and not by branches, where that is possible: a branch on a character
 * that is not known makes two paths.
 */
#ifndef SOID_LIBRARY_H
#define SOID_LIBRARY_H

#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A test compiles the library under other names and compares it with the system's. */
#ifndef EXPORTED
#define EXPORTED(name) name
#endif

/* What the engine does for the library: see symbolic/library/library_requests.py. */
_Noreturn void soid_fails(const char *what);
_Noreturn void soid_not_explored(const char *what);
void soid_forget(void *place, size_t size);              /* its content is not known from here on */
bool soid_is_known(double value);                        /* it does not depend on inputs */
void soid_need_number(uint64_t value, const char *what); /* where it depends on inputs, the path is not explored */
void soid_need_set(uint64_t value);                      /* where it was never set, the program fails */
void soid_need_room(void *place, size_t size, const char *what); /* where there is less, likewise */
/* No byte is in both blocks; else the program fails, or, for a reason that is given, the path is not explored. */
void soid_need_apart(const void *one, size_t size, const void *other, size_t other_size, const char *what);
void soid_need_string(const char *text); /* a zero is in its memory, wherever */
uint64_t soid_remember(void);
void soid_need_unchanged(uint64_t remembered, const void *but); /* all memory but that of the caller and this object */
bool soid_same(const void *one, const void *other, size_t size); /* whether both hold the same, set or not */

/* errno. Before the program sets it, its value is not known: what ran before the program may have set it. */
typedef struct {
    int value;
    bool begun;
} soid_error_number;

__attribute__((weak)) soid_error_number soid_libc_errno;

static inline int *error_number(void)
{
    if (!soid_libc_errno.begun) {
        soid_libc_errno.begun = true;
        soid_forget(&soid_libc_errno.value, sizeof soid_libc_errno.value);
    }
    return &soid_libc_errno.value;
}

enum { OUT_OF_RANGE = 34 }; /* ERANGE of Linux, newlib and the BSDs */

static inline bool between(int c, int first, int last)
{
    return (unsigned)c - (unsigned)first <= (unsigned)(last - first);
}

static inline bool is_space(int c)
{
    return (c == ' ') | between(c, '\t', '\r');
}

static inline int lower(int c)
{
    return c + 32 * between(c, 'A', 'Z');
}

/* The length in a conversion of printf or scanf: h, l, j, z, t, or H for hh, L for ll; gives what follows it. */
static inline const char *scan_length(const char *format, char *length)
{
    char c = *format;
    if (c == 'h' || c == 'l') {
        bool twice = format[1] == c;
        *length = twice ? (c == 'h' ? 'H' : 'L') : c;
        return format + 1 + twice;
    }
    if (c == 'j' || c == 'z' || c == 't') {
        *length = c;
        return format + 1;
    }
    return format;
}

#endif
