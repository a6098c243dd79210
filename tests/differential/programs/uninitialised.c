/* Locals that nobody set: deciding a branch, used as an index, returned, and computed with but never looked at.
 * try: what = 0, 4, 5
 * only: what = 0 .. 5
 */
int decide(int what)
{
    int unset, other, cells[4] = { 1, 2, 3, 4 };
    double real;
    switch (what) {
    case 1:
        return unset < 3 ? 1 : 2;
    case 2:
        return cells[unset];
    case 3:
        return unset + 1;
    case 4:
        other = unset;
        other = 5;
        return other;
    case 5:
        cells[0] = (unset & 0) + (what | 8);
        return cells[0];
    default:
        return real > 1.0 && what > 5;
    }
}
