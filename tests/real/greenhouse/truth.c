#include <stdint.h>

struct given {
    uint64_t now, pump_since;
    int analog[2], soil, heat;
    uint8_t tank, pumping, resting, roof_open, dry_tanks;
};
static const struct given FACT = { 40000, 0, { 655, 520 }, 618, 515, 1, 0, 0, 0, 0 };

#include "../truth.h"
#include "Arduino.h"
#include "greenhouse.ino"
#include "board.c"

static int analog_calls;

int analogRead(uint8_t pin) { return g.analog[analog_calls++]; }
int digitalRead(uint8_t pin) { return g.tank; }
unsigned long millis(void) { return g.now; }

static void restore(void)
{
    soil = g.soil;
    heat = g.heat;
    pumping = g.pumping;
    resting = g.resting;
    roofOpen = g.roof_open;
    pumpSince = g.pump_since;
    dryTanks = g.dry_tanks;
    level[PIN_PUMP] = 0;
}

static void call(void)
{
    analog_calls = 0;
    loop();
}

QUESTION("did pumping' and soil' == 627")
{
    SCENARIO(pumping && soil == 627);
}

QUESTION("would pumping' if analog[0] in {628..1023}")
{
    EACH (analog[0], 628, 1023)
        SCENARIO(pumping);
}

QUESTION("might pumping' if analog[0] in {0..627}")
{
    EACH (analog[0], 0, 627)
        SCENARIO(pumping);
}

/* No water, no pump: whatever was before, the tank is looked at first. */
QUESTION("might pumping' if tank == 0 and soil is anything and pumping is anything and resting is anything")
{
    g.tank = 0;
    EACH (soil, 0, 1023)
        EACH (pumping, 0, 1)
            EACH (resting, 0, 1)
                SCENARIO(pumping);
}

QUESTION("would not pumping' if pumping and now in {20000..45000}")
{
    g.pumping = 1;
    EACH (now, 20000, 45000)
        SCENARIO(!pumping);
}

QUESTION("might pumping' within 6 steps held if analog[0] in {560..640} and soil in {560..640}")
{
    EACH (analog[0], 560, 640)
        EACH (soil, 560, 640)
            WITHIN(6, pumping);
}

QUESTION("would not pumping' throughout 4 steps held if analog[0] in {0..620} and soil in {550..620}")
{
    EACH (analog[0], 0, 620)
        EACH (soil, 550, 620)
            THROUGHOUT(4, !pumping);
}

QUESTION("would roofOpen' == roofOpen if heat in {500..540} and analog[1] in {500..540} and roofOpen is anything")
{
    EACH (heat, 500, 540)
        EACH (analog[1], 500, 540)
            EACH (roof_open, 0, 1)
                SCENARIO(roofOpen == g.roof_open);
}

/* The relay is active low: on while pumping, and left alone by a loop that changes nothing. */
QUESTION("would level[7]' == 0 if pumping is anything and analog[0] in {400..1023}")
{
    EACH (pumping, 0, 1)
        EACH (analog[0], 400, 1023)
            SCENARIO(level[PIN_PUMP] == 0);
}

/* The clock of the sketch wraps after 49 days on the board, and here after 2^64 ms. */
QUESTION("might not pumping' if now in {18446744073709550000..18446744073709551615} and pumping")
{
    g.pumping = 1;
    for (uint64_t late = 18446744073709550000ull; late != 0; late++) {
        g.now = late;
        SCENARIO(!pumping);
    }
}
