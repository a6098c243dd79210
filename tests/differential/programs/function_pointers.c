/* Function pointers in a table that an input indexes, in a struct, as an argument; and a null one.
 * try: which = 0, 1, 2, 3; x = -2, 0, 9
 */
#include <stddef.h>

static int twice(int x) { return x * 2; }
static int plus(int x) { return x + 1; }
static int apply(int (*how)(int), int x) { return how(x); }

struct rule { int limit; int (*act)(int); };
static int (*const table[4])(int) = { twice, plus, twice, NULL };
static const struct rule rules[2] = { { 3, plus }, { 5, twice } };

int decide(unsigned char which, short x)
{
    const struct rule *rule = &rules[x > 3];
    if (rule->act == plus)
        x = (short)(x + rule->limit);
    return apply(table[which & 3], x) + rule->act(x);
}
