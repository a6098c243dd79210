/* <stdlib.h>: qsort and bsearch.
 *
 * C leaves open where elements end up that compare as equal, and which of them is found. Where that can be seen, the path
 * is not explored. How often elements are compared is open too, so a comparison must not change anything. One that
 * contradicts itself is undefined: all pairs are compared in both directions.
 */
#include "library.h"

typedef int comparison(const void *, const void *);

static const char contradiction[] = "comparison function that contradicts itself";

/* Elements are copied whole: a pointer that is copied byte by byte is hard to follow. */
static void swap(unsigned char *one, unsigned char *other, size_t size)
{
    unsigned char kept[size];
    __builtin_memcpy(kept, one, size);
    __builtin_memcpy(one, other, size);
    __builtin_memcpy(other, kept, size);
}

void EXPORTED(qsort)(void *base, size_t count, size_t size, comparison *compare)
{
    unsigned char *elements = base;
    if (size == 0)
        soid_not_explored("qsort of elements without a byte");
    uint64_t before = soid_remember();
    for (size_t i = 1; i < count; i++)
        for (size_t j = i; j > 0 && compare(elements + (j - 1) * size, elements + j * size) > 0; j--)
            swap(elements + (j - 1) * size, elements + j * size, size);
    for (size_t i = 0; i < count; i++)
        for (size_t j = i + 1; j < count; j++) {
            unsigned char *one = elements + i * size, *other = elements + j * size;
            int forth = compare(one, other), back = compare(other, one);
            if (forth > 0 || (forth < 0) != (back > 0) || back < 0)
                soid_fails(contradiction);
            if (forth == 0 && !soid_same(one, other, size))
                soid_not_explored("qsort of elements that compare as equal and differ: C leaves their order open");
        }
    soid_need_unchanged(before, base);
}

void *EXPORTED(bsearch)(const void *key, const void *base, size_t count, size_t size, comparison *compare)
{
    const unsigned char *elements = base, *found = NULL;
    int last = 1;
    uint64_t before = soid_remember();
    for (size_t i = 0; i < count; i++) {
        int now = compare(key, elements + i * size);
        now = (now > 0) - (now < 0);
        if (now > last)
            soid_fails("bsearch in an array that is not sorted");
        if (now == 0 && found != NULL)
            soid_not_explored("bsearch where several elements match: C leaves open which is found");
        if (now == 0)
            found = elements + i * size;
        last = now;
    }
    soid_need_unchanged(before, NULL);
    return (void *)found;
}
