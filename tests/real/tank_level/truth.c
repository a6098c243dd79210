#include <stdint.h>

struct given {
    int16_t level_mm;
    uint8_t i2c, failures, valve, bus[2];
};
static const struct given FACT = { 412, 0, 1, 1, { 0x95, 0x3C } };

#include "../truth.h"
#include "tank.c"

/* In fact a stale reading was on the bus, so that the last level counts. */
int hal_i2c_read(uint8_t address, uint8_t reg, uint8_t *data, uint16_t size, uint32_t timeout_ms)
{
    if (g.i2c == HAL_OK) {
        data[0] = g.bus[0];
        data[1] = g.bus[1];
    }
    return g.i2c;
}

static enum valve result;

static void restore(void)
{
    failures = g.failures;
    valve = (enum valve)g.valve;
    level_mm = g.level_mm;
}

static void call(void)
{
    result = tank_control();
}

QUESTION("did return == VALVE_OPEN and failures' == 0")
{
    SCENARIO(result == VALVE_OPEN && failures == 0);
}

QUESTION("did fails")
{
    FAILS(1);
}

QUESTION("would return == VALVE_OPEN if level_mm in {0..900}")
{
    EACH (level_mm, 0, 900)
        SCENARIO(result == VALVE_OPEN);
}

QUESTION("might return == VALVE_CLOSED if level_mm is anything")
{
    EACH (level_mm, 0, 1200)
        SCENARIO(result == VALVE_CLOSED);
}

QUESTION("would return == VALVE_OPEN if i2c in {ERROR, BUSY, TIMEOUT} and failures in {0, 1} and level_mm is anything")
{
    EACH (i2c, 1, 3)
        EACH (failures, 0, 1)
            EACH (level_mm, 0, 1200)
                SCENARIO(result == VALVE_OPEN);
}

QUESTION("would return == VALVE_FAULT after 3 steps held if i2c in {ERROR, BUSY, TIMEOUT} and failures in {0..3}")
{
    EACH (i2c, 1, 3)
        EACH (failures, 0, 3)
            AFTER(3, result == VALVE_FAULT);
}

QUESTION("might return == VALVE_FAULT within 2 steps held if i2c in {ERROR, BUSY, TIMEOUT} and failures == 0")
{
    g.failures = 0;
    EACH (i2c, 1, 3)
        WITHIN(2, result == VALVE_FAULT);
}

QUESTION("might level_mm' != 412 if bus[0] in {64..255} and bus[1] is anything")
{
    EACH (bus[0], 64, 255)
        EACH (bus[1], 0, 255)
            SCENARIO(level_mm != 412);
}

QUESTION("would level_mm' in {0..1200} and return in {VALVE_CLOSED, VALVE_OPEN} if bus[0] in {0..63} and bus[1] is anything")
{
    EACH (bus[0], 0, 63)
        EACH (bus[1], 0, 255)
            SCENARIO(level_mm >= 0 && level_mm <= 1200 && result != VALVE_FAULT);
}

QUESTION("might return == VALVE_CLOSED and level_mm' == 901 if bus[0] is anything and bus[1] is anything")
{
    EACH (bus[0], 0, 255)
        EACH (bus[1], 0, 255)
            SCENARIO(result == VALVE_CLOSED && level_mm == 901);
}
