#include <stdint.h>

struct given {
    unsigned number;
    uint16_t occupied, locked_sections;
    uint8_t points_l, points_r, degraded, locked_routes;
};
static const struct given FACT = { 0, 0, 192, 15, 0, 0, 128 };

#include "../truth.h"
#include "interlocking.c"

static aspect_t result;

static void restore(void)
{
    locked_routes = g.locked_routes;
    locked_sections = g.locked_sections;
}

static void call(void)
{
    field_t field = { g.occupied, g.points_l, g.points_r, g.degraded };
    result = request_route(g.number, &field);
}

QUESTION("did return == PROCEED")
{
    SCENARIO(result == PROCEED);
}

QUESTION("would return == WAIT_SECTIONS if field.occupied in {1..1023}")
{
    EACH (occupied, 1, 1023)
        SCENARIO(result == WAIT_SECTIONS);
}

/* A train on the route or behind its end: no signal may be clear. */
QUESTION("might return in {PROCEED, PROCEED_SLOW} if field.occupied in {1, 2, 4, 8} and field.points_l is anything and"
         " field.points_r is anything and locked_routes is anything")
{
    const uint16_t trains[] = { 1, 2, 4, 8 };
    EACH_OF (occupied, trains)
        EACH (points_l, 0, 15)
            EACH (points_r, 0, 15)
                EACH (locked_routes, 0, 255)
                    SCENARIO(result == PROCEED || result == PROCEED_SLOW);
}

/* The operator's key lets a route end before an occupied section. */
QUESTION("might return in {PROCEED, PROCEED_SLOW} if field.occupied in {1, 2, 4, 8} and field.degraded is anything")
{
    const uint16_t trains[] = { 1, 2, 4, 8 };
    EACH_OF (occupied, trains)
        EACH (degraded, 0, 1)
            SCENARIO(result == PROCEED || result == PROCEED_SLOW);
}

QUESTION("would return == WAIT_POINTS if field.points_l in {0..15} and field.points_l not in {3, 7, 11, 15}")
{
    EACH (points_l, 0, 15)
        if ((g.points_l & 3) != 3)
            SCENARIO(result == WAIT_POINTS);
}

QUESTION("would return == REFUSED if number in {8..4000}")
{
    EACH (number, 8, 4000)
        SCENARIO(result == REFUSED);
}

/* With C3 set, some other route might still be refused for its sections alone. */
QUESTION("might return == REFUSED if number in {0..7} and locked_routes in {0, 128} and locked_sections is anything")
{
    EACH (number, 0, 7)
        EACH (locked_sections, 0, 1023) {
            g.locked_routes = 0;
            SCENARIO(result == REFUSED);
            g.locked_routes = 128;
            SCENARIO(result == REFUSED);
        }
}

QUESTION("would return != REFUSED throughout 2 steps held if number in {0..7} and locked_routes == 0 and locked_sections == 0"
         " and field.points_l is anything and field.points_r is anything")
{
    g.locked_routes = 0;
    g.locked_sections = 0;
    EACH (number, 0, 7)
        EACH (points_l, 0, 15)
            EACH (points_r, 0, 15)
                THROUGHOUT(2, result != REFUSED);
}

QUESTION("would popcount16() in {0..10} if locked_sections is anything and number in {0, 3, 5} and locked_routes == 0")
{
    const unsigned numbers[] = { 0, 3, 5 };
    g.locked_routes = 0;
    EACH (locked_sections, 0, 1023)
        EACH_OF (number, numbers) /* a request that is refused or waits never counts */
            SCENARIO(result != REFUSED && result != WAIT_POINTS && result != WAIT_SECTIONS);
}

QUESTION("might fails if number in {0..70000}")
{
    EACH (number, 0, 70000)
        FAILS(1);
}
