/* Indices that leave their array: each array inside a struct has its own end.
 * try: i = -1, 0, 3, 4, 5; j = 0, 1, 2
 */
struct box { int before[2]; int cells[4]; int after[2]; };

int decide(int i, unsigned char j)
{
    struct box box = { { 1, 2 }, { 3, 4, 5, 6 }, { 7, 8 } };
    box.cells[i] = 9;
    return box.after[0] + box.before[j];
}
