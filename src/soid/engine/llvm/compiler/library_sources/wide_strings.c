/* <wchar.h>: strings and arrays of wide characters. */
#include "library.h"

size_t EXPORTED(wcslen)(const wchar_t *text)
{
    size_t n = 0;
    while (text[n] != 0)
        n++;
    return n;
}

size_t EXPORTED(wcsnlen)(const wchar_t *text, size_t most)
{
    size_t n = 0;
    while (n < most && text[n] != 0)
        n++;
    return n;
}

static int order(wchar_t a, wchar_t b)
{
    return (a > b) - (a < b);
}

int EXPORTED(wmemcmp)(const wchar_t *one, const wchar_t *other, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (one[i] != other[i])
            return order(one[i], other[i]);
    return 0;
}

int EXPORTED(wcsncmp)(const wchar_t *one, const wchar_t *other, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if ((one[i] != other[i]) | (one[i] == 0))
            return order(one[i], other[i]);
    return 0;
}

int EXPORTED(wcscmp)(const wchar_t *one, const wchar_t *other)
{
    while ((*one == *other) & (*one != 0)) {
        one++;
        other++;
    }
    return order(*one, *other);
}

wchar_t *EXPORTED(wmemchr)(const wchar_t *memory, wchar_t wanted, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (memory[i] == wanted)
            return (wchar_t *)memory + i;
    return NULL;
}

wchar_t *EXPORTED(wcschr)(const wchar_t *text, wchar_t wanted)
{
    for (;; text++) {
        if (*text == wanted)
            return (wchar_t *)text;
        if (*text == 0)
            return NULL;
    }
}

wchar_t *EXPORTED(wcsrchr)(const wchar_t *text, wchar_t wanted)
{
    const wchar_t *found = NULL;
    for (;; text++) {
        if (*text == wanted)
            found = text;
        if (*text == 0)
            return (wchar_t *)found;
    }
}

wchar_t *EXPORTED(wmemcpy)(wchar_t *to, const wchar_t *from, size_t size)
{
    return __builtin_memcpy(to, from, size * sizeof *to);
}

wchar_t *EXPORTED(wmemmove)(wchar_t *to, const wchar_t *from, size_t size)
{
    return __builtin_memmove(to, from, size * sizeof *to);
}

wchar_t *EXPORTED(wmemset)(wchar_t *to, wchar_t filling, size_t size)
{
    for (size_t i = 0; i < size; i++)
        to[i] = filling;
    return to;
}

wchar_t *EXPORTED(wcscpy)(wchar_t *to, const wchar_t *from)
{
    size_t size = 1;
    while (from[size - 1] != 0)
        size++;
    return __builtin_memcpy(to, from, size * sizeof *to);
}
