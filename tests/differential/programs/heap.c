/* malloc, calloc, realloc and free, of sizes that an input chooses; what was not freed is no failure.
 * try: n = 1, 2, 4
 * only: n = 1 .. 4
 */
#include <stdlib.h>
#include <string.h>

struct node { int value; struct node *next; };

int decide(int n)
{
    struct node *list = NULL;
    for (int i = 0; i < n; i++) {
        struct node *node = malloc(sizeof *node);
        node->value = i;
        node->next = list;
        list = node;
    }
    int *counts = calloc((size_t)n, sizeof *counts);
    counts = realloc(counts, 8 * sizeof *counts);
    memset(counts + n, 0, (8 - (size_t)n) * sizeof *counts);
    int total = 0;
    while (list != NULL) {
        struct node *next = list->next;
        total = total * 10 + list->value + counts[list->value];
        free(list);
        list = next;
    }
    free(NULL);
    return total + counts[7];
}
