#include "include/belt.h"

struct given {
    belt_inputs_t in;
    int last;
};
static const struct given FACT = { { 300, 500, false, false }, BELT_STOP };

#include "../truth.h"

/* Both modules have statics of the same names; each is compiled as build/compile_commands.json says. */
#define RING_SIZE 3
#define BELT_MAX_MM_S 800
#define OVERSPEED_CYCLES 3
#define state drive_state
#define count drive_count
#define ring drive_ring
#define head drive_head
#define ring_push drive_ring_push
#define ring_mean drive_ring_mean
#include "drive/drive.c"
#undef RING_SIZE
#undef state
#undef count
#undef ring
#undef head
#undef ring_push
#undef ring_mean
#define RING_SIZE 4
#define HOLD_READINGS 5
#include "scale/scale.c"
#include "control.c"

static belt_order_t result;

static void restore(void)
{
    drive_reset();
    scale_reset();
    memset(drive_ring, 0, sizeof drive_ring);
    memset(ring, 0, sizeof ring);
    head = 0;
    last = (belt_order_t)g.last;
}

static void call(void)
{
    result = control_cycle(&g.in);
}

QUESTION("did return == BELT_CREEP")
{
    SCENARIO(result == BELT_CREEP);
}

QUESTION("would return == BELT_STOP if in.estop is anything and in.gate_open is anything and last is anything")
{
    EACH (in.estop, 0, 1)
        EACH (in.gate_open, 0, 1)
            EACH (last, BELT_STOP, BELT_RUN)
                SCENARIO(result == BELT_STOP);
}

QUESTION("might return == BELT_RUN if in.speed_mm_s is anything and last is anything")
{
    EACH (in.speed_mm_s, 0, 2000)
        EACH (last, BELT_STOP, BELT_RUN)
            SCENARIO(result == BELT_RUN);
}

QUESTION("might return == BELT_RUN after 2 steps held if in.speed_mm_s is anything and last is anything")
{
    EACH (in.speed_mm_s, 0, 2000)
        EACH (last, BELT_STOP, BELT_RUN)
            AFTER(2, result == BELT_RUN);
}

QUESTION("would return == BELT_STOP after 5 steps held if in.speed_mm_s in {801..2000}")
{
    EACH (in.speed_mm_s, 801, 2000)
        AFTER(5, result == BELT_STOP);
}

QUESTION("would return == BELT_STOP after 6 steps held if in.speed_mm_s in {401..2000} and in.load_g in {8000, 15000, 60000}")
{
    const int loads[] = { 8000, 15000, 60000 };
    EACH (in.speed_mm_s, 401, 2000)
        EACH_OF (in.load_g, loads)
            AFTER(6, result == BELT_STOP);
}

QUESTION("might fails within 4 steps held if in.speed_mm_s is anything and in.load_g in {0, 60000}")
{
    const int loads[] = { 0, 60000 };
    EACH (in.speed_mm_s, 0, 2000)
        EACH_OF (in.load_g, loads)
            FAILS(4);
}
