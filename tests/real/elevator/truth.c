#include "lift.h"

struct given {
    int id, floor;
    lift_t lift;
    uint8_t current;
};
static const struct given FACT = { EV_SENSOR, 3, { 2, 4, 16, 0, MOTOR_UP, 0 }, 1 };

#include "../truth.h"
#include "lift.c"

enum { S_IDLE, S_MOVING, S_DOORS, S_FIRE };
static int result;

static void restore(void)
{
    lift = g.lift;
    current = g.current;
}

static void call(void)
{
    result = lift_dispatch(g.id, g.floor);
}

QUESTION("did current' == MOVING and lift.floor' == 3")
{
    SCENARIO(current == S_MOVING && lift.floor == 3);
}

QUESTION("would current' == DOORS if lift.calls in {8..15, 24..31, 40..47, 56..63}")
{
    EACH (lift.calls, 0, 63)
        if (g.lift.calls & 8)
            SCENARIO(current == S_DOORS);
}

/* A door that is open while the motor runs. */
QUESTION("might lift.door' == 1 and lift.motor' != OFF if id is anything and floor is anything and current is anything"
         " and lift.calls is anything")
{
    EACH (id, 0, 4)
        EACH (floor, -2, 8)
            EACH (current, 0, 3)
                EACH (lift.calls, 0, 63)
                    SCENARIO(lift.door == 1 && lift.motor != MOTOR_OFF);
}

QUESTION("would lift.motor' in {OFF, DOWN} if id == FIRE and lift.floor is anything and current in {IDLE, MOVING, DOORS}")
{
    g.id = EV_FIRE;
    EACH (lift.floor, 0, 5)
        EACH (current, S_IDLE, S_DOORS)
            SCENARIO(lift.motor == MOTOR_OFF || lift.motor == MOTOR_DOWN);
}

/* Doors stay open for four ticks, an obstacle starts them anew. */
QUESTION("would current' == DOORS throughout 3 steps held if id in {TICK, OBSTACLE} and current == DOORS and lift.door_ticks in {4..9}")
{
    g.current = S_DOORS;
    EACH (lift.door_ticks, 4, 9) {
        g.id = EV_TICK;
        THROUGHOUT(3, current == S_DOORS);
        g.id = EV_OBSTACLE;
        THROUGHOUT(3, current == S_DOORS);
    }
}

QUESTION("might current' == IDLE within 4 steps held if id is anything and current == DOORS and lift.door_ticks in {0..5}")
{
    g.current = S_DOORS;
    EACH (id, 0, 4)
        EACH (lift.door_ticks, 0, 5)
            WITHIN(4, current == S_IDLE);
}

/* No calls are left, and nothing brings a lift that moves to rest. */
QUESTION("might current' in {IDLE, DOORS} within 4 steps held if lift.calls == 0 and id in {TICK, SENSOR, OBSTACLE} and floor is anything")
{
    const int ids[] = { EV_TICK, EV_SENSOR, EV_OBSTACLE };
    g.lift.calls = 0;
    EACH_OF (id, ids)
        EACH (floor, -2, 8)
            WITHIN(4, current == S_IDLE || current == S_DOORS);
}

QUESTION("would next_call() in {2, 3} if current == IDLE and id == CALL and floor in {2, 3} and lift.calls in {0, 1, 16, 32, 33}")
{
    const uint8_t calls[] = { 0, 1, 16, 32, 33 };
    g.current = S_IDLE;
    g.id = EV_CALL;
    EACH_OF (lift.calls, calls)
        EACH (floor, 2, 3)
            SCENARIO(lift.target == 2 || lift.target == 3);
}

QUESTION("might fails if current is any bits and id is anything")
{
    EACH (current, 0, 255)
        EACH (id, 0, 4)
            FAILS(1);
}

QUESTION("might fails if floor in {-2..8} and id is anything and current is anything and lift.floor is anything")
{
    EACH (floor, -2, 8)
        EACH (id, 0, 4)
            EACH (current, 0, 3)
                EACH (lift.floor, 0, 5)
                    FAILS(1);
}
