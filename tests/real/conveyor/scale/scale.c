/* Belt scale: class of the load, with a dead band so that it does not flutter. */
#include "belt.h"
#include "ring.h"

static int state = 1; /* the class */
static int count;     /* readings since the last change */

#ifdef SCALE_DEBUG
#include <stdio.h>
#define TRACE(...) printf(__VA_ARGS__)
#else
#define TRACE(...) ((void)0)
#endif

void scale_reset(void)
{
    state = 1;
    count = 0;
}

static int classify(int g)
{
    return g < 2000 ? 0 : g < 15000 ? 1 : 2;
}

int scale_classify(int load_g)
{
    int fresh;

    ring_push(load_g);
    fresh = classify(ring_mean());
    count++;
    if (fresh > state || (fresh < state && count >= HOLD_READINGS)) {
        TRACE("class %d -> %d\n", state, fresh);
        state = fresh;
        count = 0;
    }
    return state;
}
