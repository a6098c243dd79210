/*
 * tank.c - level of the wash water tank, from a pressure sensor on the I2C bus
 *
 * One call a second. The valve is opened below LOW_MM and closed above HIGH_MM; three failed reads close it.
 */
#include "hal.h"

#include <stdbool.h>

#define SENSOR_ADDR   0x28
#define REG_PRESSURE  0x06
#define TIMEOUT_MS    20u

#define LOW_MM        350
#define HIGH_MM       900
#define SENSOR_FULL   0x3FFF   /* 14 bits */
#define SPAN_MM       1200
#define MAX_FAILURES  3

enum valve { VALVE_CLOSED, VALVE_OPEN, VALVE_FAULT };

static uint8_t failures;
static enum valve valve;
static int16_t level_mm;

struct reading {
    uint16_t counts;
    uint8_t  status;   /* the sensor's two status bits: 0 is fresh, 2 is stale */
};

static bool sensor_read(struct reading *r)
{
    uint8_t raw[2];

    if (hal_i2c_read(SENSOR_ADDR, REG_PRESSURE, raw, sizeof raw, TIMEOUT_MS) != HAL_OK)
        return false;
    r->status = raw[0] >> 6;
    r->counts = (uint16_t)(((raw[0] & 0x3F) << 8) | raw[1]);
    return r->status != 3; /* 3 is a diagnostic condition */
}

static int16_t to_mm(uint16_t counts)
{
    return (int16_t)((int32_t)counts * SPAN_MM / SENSOR_FULL);
}

enum valve tank_control(void)
{
    struct reading r;

    if (!sensor_read(&r)) {
        if (failures < MAX_FAILURES)
            failures++;
        if (failures >= MAX_FAILURES)
            valve = VALVE_FAULT;
        return valve;
    }
    failures = 0;
    if (r.status == 0)
        level_mm = to_mm(r.counts);

    if (level_mm < LOW_MM)
        valve = VALVE_OPEN;
    else if (level_mm > HIGH_MM)
        valve = VALVE_CLOSED;
    else if (valve == VALVE_FAULT)
        valve = VALVE_CLOSED;
    return valve;
}
