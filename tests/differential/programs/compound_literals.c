/* Compound literals and designated initialisers: as arguments, by address, in loops.
 * try: a = -2, 0, 5; b = 0, 3
 */
struct point { int x, y; int tail[2]; };

static int weigh(const struct point *point) { return point->x * 2 + point->y + point->tail[1]; }
static int weigh_copy(struct point point) { point.x += 1; return weigh(&point); }

int decide(short a, short b)
{
    int total = weigh(&(struct point){ .y = a, .tail = { [1] = b } });
    struct point kept = { .x = b };
    total += weigh_copy((struct point){ a, b, { 1, 2 } }) + kept.tail[0] + kept.x;
    int *numbers = (int[]){ a, b, a > b };
    return total + numbers[2];
}
