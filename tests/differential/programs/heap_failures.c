/* What can go wrong on the heap: reading behind the end, reading after free, freeing twice, freeing what is no start.
 * try: what = 0
 * only: what = 0 .. 6
 */
#include <stdlib.h>

int decide(int what)
{
    int *block = malloc(4 * sizeof *block);
    int local = 3;
    for (int i = 0; i < 4; i++)
        block[i] = i;
    switch (what) {
    case 1:
        return block[4];
    case 2:
        free(block);
        return block[0];
    case 3:
        free(block);
        free(block);
        break;
    case 4:
        free(block + 1);
        break;
    case 5:
        free(&local);
        break;
    case 6: {
        int *moved = realloc(block, 8 * sizeof *block);
        return moved[5] > 0 ? 1 : 2;
    }
    }
    return local;
}
