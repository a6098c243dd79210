#include <stdint.h>

struct given {
    uint8_t kind, zone;
    uint16_t density;
    int16_t drift;
    float hottest;
};
static const struct given FACT = { 1, 3, 95, 4, 21.5f };

#include "../truth.h"
#include "hub.c"

static union report result;
static struct message m;

static void restore(void)
{
    hottest = g.hottest;
}

static void call(void)
{
    memset(&m, 0, sizeof m);
    m.kind = g.kind;
    m.zone = g.zone;
    m.smoke.density = g.density;
    m.smoke.drift = g.drift;
    result = hub_judge(&m);
}

static void put(uint32_t bits)
{
    g.density = (uint16_t)bits;
    g.drift = (int16_t)(bits >> 16);
}

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

QUESTION("did return.f.alarm == 0 and return.f.zone == 3 and return.word == 1526727424 and m.raw[0] == 95")
{
    SCENARIO(result.f.alarm == 0 && result.f.zone == 3 && result.word == 1526727424 && m.raw[0] == 95);
}

QUESTION("would return.f.alarm == 1 if m.smoke.density in {125..2000}")
{
    EACH (density, 125, 2000)
        SCENARIO(result.f.alarm == 1);
}

QUESTION("might return.f.alarm == 1 if m.smoke.density <= 110 and m.smoke.drift in {-10..20}")
{
    EACH (density, 0, 110)
        EACH (drift, -10, 20)
            SCENARIO(result.f.alarm == 1);
}

/* Of the detector's byte alone: the other three are as they were. */
QUESTION("might return.f.alarm == 1 if m.raw[0] is anything")
{
    EACH (density, 0, 255)
        SCENARIO(result.f.alarm == 1);
}

QUESTION("would return.f.alarm == 1 if m.raw[1] in {1..127}")
{
    for (int high = 1; high <= 127; high++) {
        g.density = (uint16_t)(high << 8 | 95);
        SCENARIO(result.f.alarm == 1);
    }
}

/* The same bytes as a temperature. */
QUESTION("would return.f.alarm == 1 and return.f.cause == 1 if m.kind == HEAT and 57.999 <= m.celsius <= 58.01")
{
    g.kind = HEAT;
    for (float value = 57.999f; value <= 58.01f; value = nextafterf(value, 100.0f)) {
        put(bits_of(value));
        SCENARIO(result.f.alarm == 1 && result.f.cause == 1);
    }
}

QUESTION("would return.f.alarm == 1 and hottest' == m.celsius if m.kind == HEAT and 58.0 <= m.celsius <= 58.01")
{
    g.kind = HEAT;
    for (float value = 58.0f; value <= 58.01f; value = nextafterf(value, 100.0f)) {
        put(bits_of(value));
        SCENARIO(result.f.alarm == 1 && hottest == value);
    }
}

QUESTION("might return.f.alarm == 1 if m.kind == BUTTON and m.button.count in {20..31} and m.button.pressed is anything")
{
    g.kind = BUTTON;
    for (uint32_t count = 20; count <= 31; count++)
        for (uint32_t pressed = 0; pressed <= 1; pressed++) {
            put((((uint32_t)(uint16_t)FACT.drift << 16 | FACT.density) & ~63u) | count << 1 | pressed);
            SCENARIO(result.f.alarm == 1);
        }
}

QUESTION("would return.f.check == 91 if m.kind is anything and hottest is anything")
{
    EACH (kind, 0, 2)
        SCENARIO(result.f.check == 91);
}
