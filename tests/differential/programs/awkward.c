/* What C allows and hardly anybody does: each of these must end as a path with a name, whatever it is.
 * try: x = 1.5; what = 0, 1, 2, 3, 7, 9, 10, 12, 14
 * only: what = 0 .. 23
 */
#include <complex.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef float four __attribute__((vector_size(16)));
typedef int (*whole)(int);
typedef double (*real)(double);

union mixed { void *pointer; uintptr_t number; uint8_t bytes[8]; double real; };

static int cells[4] = { 1, 2, 3, 4 };
static const uintptr_t difference = (uintptr_t)&cells[3];
static int twice(int x) { return 2 * x; }
static int any() { return 5; }
static void nothing(void) {}

int decide(int what, double x)
{
    union mixed mixed = { .pointer = &cells[1] };
    int (*table[2])(int) = { twice, twice }, (*copy)(int);
    char text[8] = "abc";
    four v = { 1.0f, 2.0f, 3.0f, 4.0f };
    switch (what) {
    case 0: /* an address through a number and back */
        return *(int *)(mixed.number + 4);
    case 1: /* the low bits of an address */
        return (int)(mixed.number & 3u) + 1;
    case 2: /* one byte of an address */
        return mixed.bytes[0] ? 1 : 1;
    case 3: /* a pointer copied byte by byte */
        memcpy(&copy, &table[1], sizeof copy);
        return copy(21);
    case 4: /* a function called as another type */
        return (int)((real)(void *)twice)(x);
    case 5: /* arithmetic on vectors */
        return (int)(v + v)[2];
    case 6: /* complex numbers */
        return (int)creal((x + 1.0 * I) * (x - 1.0 * I));
    case 7: /* a pointer read as a double and moved */
    {
        union mixed other;
        other.real = mixed.real;
        return *(int *)other.pointer;
    }
    case 8: /* the same computed with */
        return mixed.real > 1.0;
    case 9: /* an old-style function */
        return any();
    case 10: /* where a label lies */
    {
        void *target = what > 3 ? &&there : &&here;
        goto *target;
    }
    here:
    there:
        return 10;
    case 11: /* the number of a function's address */
        return ((uintptr_t)nothing >> 4) > 3;
    case 12: /* an address in a constant */
        return *(const int *)difference;
    case 13: /* no bytes at all */
        memcpy(text, NULL, 0);
        return text[0];
    case 14: /* comparing with one past the end */
        return &cells[4] == cells + 4;
    case 15: /* using it */
        return cells[what - 11];
    case 16: /* a number as an address */
        return *(int *)(uintptr_t)what;
    case 17: /* writing to what is constant */
        ((char *)"constant")[0] = 'C';
        return 17;
    case 18: /* a returned local */
    {
        int *left = NULL;
        for (int i = 0; i < 1; i++) {
            int inner[2] = { i, 18 };
            left = &inner[1];
        }
        return *left;
    }
    case 19: /* an order of things that are apart */
        return &cells[0] < (int *)text;
    case 20: /* their difference */
        return (int)((char *)cells - text);
    case 21: /* no string */
        memset(text, 'x', sizeof text);
        return (int)strlen(text);
    case 22: /* a struct's bytes as a key, padding included */
    {
        struct { char c; int n; } one, two;
        one.c = two.c = 1;
        one.n = two.n = 2;
        return memcmp(&one, &two, sizeof one);
    }
    default:
        exit(3);
    }
}
