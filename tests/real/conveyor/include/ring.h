/* A ring of the last readings, included by each module with its own RING_SIZE. */
#ifndef RING_SIZE
#error "define RING_SIZE on the command line"
#endif

static int ring[RING_SIZE];
static unsigned head;

static void ring_push(int value)
{
    ring[head] = value;
    head = (head + 1) % RING_SIZE;
}

static int ring_mean(void)
{
    int sum = 0;

    for (unsigned i = 0; i < RING_SIZE; i++)
        sum += ring[i];
    return sum / RING_SIZE;
}
