/* What compilers call of a C library without being told, for an executable that has no C library. The program may define
 * them itself. */
#include <stddef.h>
#include <stdint.h>

__attribute__((weak)) void *memmove(void *to, const void *from, size_t count)
{
    unsigned char *a = to;
    const unsigned char *b = from;
    if ((uintptr_t)a <= (uintptr_t)b)
        for (size_t i = 0; i < count; i++)
            a[i] = b[i];
    else
        for (size_t i = count; i > 0; i--)
            a[i - 1] = b[i - 1];
    return to;
}

__attribute__((weak)) void *memcpy(void *restrict to, const void *restrict from, size_t count)
{
    return memmove(to, from, count);
}

__attribute__((weak)) void *memset(void *to, int value, size_t count)
{
    for (size_t i = 0; i < count; i++)
        ((unsigned char *)to)[i] = (unsigned char)value;
    return to;
}

__attribute__((weak)) int memcmp(const void *left, const void *right, size_t count)
{
    const unsigned char *a = left, *b = right;
    for (size_t i = 0; i < count; i++)
        if (a[i] != b[i])
            return a[i] - b[i];
    return 0;
}
