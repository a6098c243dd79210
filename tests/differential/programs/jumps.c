/* goto forward, backward and out of nested loops; a switch that falls through; break and continue.
 * try: n = -1, 0, 1, 2, 3, 4, 5; m = 0, 2, 5
 * only: n = -1 .. 5; m = 0 .. 5
 */
int decide(int n, int m)
{
    int total = 0;
    if (n < 0)
        goto out;
again:
    switch (n) {
    case 0:
        total += 1; /* falls through */
    case 1:
    case 2:
        total += 10;
        break;
    case 3:
        goto out;
    default:
        total += 100;
    }
    for (int i = 0; i < 3; i++) {
        if (i == m)
            continue;
        for (int j = 0; j < 3; j++) {
            if (i + j == m)
                goto out;
            total++;
        }
    }
    if (n-- > 1)
        goto again;
out:
    return total;
}
