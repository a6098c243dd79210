/* Computed gotos: a small interpreter, and a label that is chosen by a condition.
 * try: a = 0, 1, 2; b = 0, 1, 2, 3; x = -4, 9
 * only: a = 0 .. 2; b = 0 .. 3
 */
struct step { void *label; int by; };

int decide(unsigned char a, unsigned char b, int x)
{
    static void *const table[] = { &&add, &&flip, &&stop };
    struct step steps[3] = { { table[a], 5 }, { b == 3 ? &&stop : table[b], 2 }, { &&stop, 0 } };
    int at = 0, value = x & 255;
    goto *steps[0].label;
add:
    value += steps[at++].by;
    goto *steps[at].label;
flip:
    value = -value * steps[at++].by;
    goto *steps[at].label;
stop:
    return value + 1000 * at;
}
