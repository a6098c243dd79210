/* Padding, and members that were not set yet, may be copied around: only looking at them would be a failure.
 * try: a = -1, 6; b = 0, 1
 */
#include <string.h>

struct padded { char head; int body; char tail; };
struct pair { struct padded one, two; };

static struct padded pass(struct padded p) { return p; }

int decide(int a, _Bool b)
{
    struct padded half;
    half.body = a;
    struct pair pair;
    pair.one = pass(half);
    if (b)
        memcpy(&pair.two, &pair.one, sizeof pair.two);
    else
        pair.two.body = 3;
    return pair.two.body;
}
