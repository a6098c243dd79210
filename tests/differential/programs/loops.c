/* Loops whose bounds are inputs: for, while, do, nested; one that an early return leaves.
 * try: n = 0, 1, 3; m = 1, 2, 5
 * only: n = 0 .. 3; m = 1 .. 5
 */
int decide(int n, int m)
{
    int total = 0, left = m;
    for (int i = 0; i < n; i++)
        for (int j = i; j < n; j++)
            total += i * j;
    do {
        total++;
        if (total == 4)
            return -1;
    } while (--left > 0);
    while (m & 1)
        m >>= 1;
    return total * 10 + m;
}
