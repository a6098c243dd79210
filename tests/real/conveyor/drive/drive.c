/* Belt drive: speed supervision. */
#include <belt.h>
#include <ring.h>

static int state; /* 0 stopped, 1 creeping, 2 running */
static int count; /* cycles of overspeed */

void drive_reset(void)
{
    state = 0;
    count = 0;
    head = 0;
}

static int limit_for(int load_class)
{
    switch (load_class) {
    case 0:  return BELT_MAX_MM_S;
    case 1:  return BELT_MAX_MM_S / 2;
    default: return BELT_MAX_MM_S / 5;
    }
}

belt_order_t drive_decide(const belt_inputs_t *in, int load_class)
{
    ring_push(in->speed_mm_s);
    if (in->estop || in->gate_open) {
        state = 0;
        count = 0;
        return BELT_STOP;
    }
    if (ring_mean() > limit_for(load_class)) {
        if (++count >= OVERSPEED_CYCLES)
            state = 0;
        else if (state == 2)
            state = 1;
    } else {
        count = 0;
        if (state < 2)
            state++;
    }
    return state == 0 ? BELT_STOP : state == 1 ? BELT_CREEP : BELT_RUN;
}
