/* One cycle of the belt controller, every 100 ms. */
#include "belt.h"

static belt_order_t last;

belt_order_t control_cycle(const belt_inputs_t *in)
{
    int load_class = scale_classify(in->load_g);
    belt_order_t order = drive_decide(in, load_class);

    if (order == BELT_RUN && last == BELT_STOP)
        order = BELT_CREEP; /* never from rest to full speed */
    last = order;
    return order;
}
