#include <stdint.h>

struct given {
    uint16_t adc[4];
    int16_t y, last_raw;
    uint8_t bad, latched;
};
static const struct given FACT = { { 4095, 4094, 4095, 4095 }, 2002, 2011, 0, 0 };

#include "../truth.h"
#include "filter.c"

static struct pressure out;

static void restore(void)
{
    brake = (struct filter){ g.y, g.last_raw, g.bad, g.latched };
}

static void call(void)
{
    pressure_sample(g.adc, &out);
}

QUESTION("did out.valid == 1 and brake.bad' == 1 and brake.y' == 2004")
{
    SCENARIO(out.valid == 1 && brake.bad == 1 && brake.y == 2004);
}

/* The environment of each step is the log's. */
QUESTION("did out.valid == 0 within 3 steps")
{
    const uint16_t logged[3][4] = { { 4095, 4094, 4095, 4095 }, { 4095, 4095, 4095, 4095 }, { 4095, 4095, 4095, 4093 } };
    struct pressure seen;
    bool found = false;
    restore();
    for (int i = 0; i < 3; i++) {
        pressure_sample(logged[i], &seen);
        found |= seen.valid == 0;
    }
    SCENARIO(found);
}

QUESTION("would out.valid == 1 if adc[0] is anything")
{
    EACH (adc[0], 0, 65535)
        SCENARIO(out.valid == 1);
}

QUESTION("might out.valid == 0 if adc[0] is anything and brake.bad == 2")
{
    g.bad = 2;
    EACH (adc[0], 0, 65535)
        SCENARIO(out.valid == 0);
}

QUESTION("would out.valid == 0 if adc[0] in {3900..4095} and brake.bad in {2..255} and keep brake.latched")
{
    EACH (adc[0], 3900, 4095)
        EACH (bad, 2, 255)
            SCENARIO(out.valid == 0);
}

QUESTION("would out.valid == 0 after 3 steps held if adc[1] in {4000..4095}")
{
    EACH (adc[1], 4000, 4095)
        AFTER(3, out.valid == 0);
}

QUESTION("might brake.y' < brake.y and brake.last_raw > brake.y if brake.y in {1900..2100} and brake.last_raw in {1900..2100}")
{
    EACH (y, 1900, 2100)
        EACH (last_raw, 1900, 2100)
            SCENARIO(brake.y < g.y && g.last_raw > g.y);
}

QUESTION("would brake.y' - brake.y <= 400 and brake.y - brake.y' <= 400 if brake.y in {-32768..32767}")
{
    EACH (y, -32768, 32767)
        SCENARIO(brake.y - g.y <= 400 && g.y - brake.y <= 400);
}

QUESTION("might out.bar_x10 > 2050 or out.bar_x10 < 0 if brake.y in {-32768..32767}")
{
    EACH (y, -32768, 32767)
        SCENARIO(out.bar_x10 > 2050 || out.bar_x10 < 0);
}

/* The filter settles below the input: its rounding leaves a gap of two counts. */
QUESTION("would brake.y' == brake.last_raw after 5 steps held if brake.y in {2003..2009}")
{
    EACH (y, 2003, 2009)
        AFTER(5, brake.y == brake.last_raw);
}

QUESTION("might fails if brake.y is anything and brake.last_raw in {-32768, 0, 32767}")
{
    const int16_t raws[] = { -32768, 0, 32767 };
    EACH (y, -32768, 32767)
        EACH_OF (last_raw, raws)
            FAILS(1);
}
