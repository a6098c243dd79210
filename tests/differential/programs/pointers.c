/* Pointers: comparison, difference, pointers to pointers, walking an array, swapping through them.
 * try: a = 0, 3, 5; b = 0, 2, 5
 * only: a = 0 .. 5; b = 0 .. 5
 */
static void swap(int **left, int **right)
{
    int *kept = *left;
    *left = *right;
    *right = kept;
}

int decide(int a, int b)
{
    int cells[6] = { 10, 11, 12, 13, 14, 15 };
    int *p = cells + a, *q = &cells[b], **which = &p;
    if (p > q)
        swap(&p, &q);
    int total = (int)(q - p) * 100;
    for (const int *at = p; at != q; ++at)
        total += *at;
    return total + (**which == cells[a < b ? a : b]) + (p == q);
}
