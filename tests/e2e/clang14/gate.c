/* A gate between two rooms, checked in as clang 14 leaves it, optimised, with the typed pointers of that time.
 *
 * clang-14 -O1 -g -fdebug-compilation-dir=. -c -emit-llvm gate.c -o gate.bc
 */
#include <stdbool.h>

struct sensors { float distance[4]; bool fire; };
struct pair { double low; float high; };

int opened;
static bool locked;

int decide(const struct sensors *seen, struct pair limits, int wish, bool *open)
{
    float nearest = seen->distance[0];
    for (int i = 1; i < 4; i++)
        if (seen->distance[i] < nearest) nearest = seen->distance[i];
    if (wish < 0) locked = true;
    *open = seen->fire || (!locked && nearest > limits.low && nearest < limits.high);
    if (*open) opened++;
    return wish * 2;
}
