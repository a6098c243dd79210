/* A union of a number and a pointer travels as a pointer: a small number in it stays the number that it is.
 * try: n = 0, 1, 2, 3
 * only: n = 0 .. 3
 */
union value { int number; const char *text; };

static int twice(union value v) { return 2 * v.number; }
static char first(union value v) { return v.text ? v.text[0] : '-'; }

int decide(unsigned char n)
{
    union value v = { .text = 0 }, w = { .text = "word" };
    if (n == 1)
        return first(v) + 1000 * v.number;
    if (n == 2)
        return first(w);
    if (n == 3) {
        v.number = 7;
        return twice(v);
    }
    v.number = 1 + n;
    return twice(v) + ((unsigned char *)&v)[0];
}
