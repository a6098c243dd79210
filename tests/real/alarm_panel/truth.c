#include <stdint.h>

/* The siren and the call are on since step 0 of the log; no scan has touched them since. */
struct given {
    uint8_t raw[4], disabled[4], scans_above[4];
    uint16_t mute_left;
    uint8_t key, alarm_zone;
};
static const struct given FACT = { { 35, 207, 51, 28 }, { 0, 0, 0, 1 }, { 0, 3, 0, 0 }, 0, 0, 2 };

#include "../truth.h"
#include "panel.c"

static void restore(void)
{
    siren = 1;
    call_brigade = 1;
    memcpy(scans_above, g.scans_above, sizeof scans_above);
    mute_left = g.mute_left;
    alarm_zone = g.alarm_zone;
}

static void call(void)
{
    for (int z = 0; z < ZONES; z++)
        zones[z] = (struct zone){ g.raw[z], g.disabled[z] };
    key_pressed = (enum key)g.key;
    panel_scan();
}

QUESTION("did alarm_zone' == 2 and prealarm_lamp == 1")
{
    SCENARIO(alarm_zone == 2 && prealarm_lamp == 1);
}

NOT_YET("a relay that no path of the question sets keeps a value that is not in the log of this step",
        "did siren == 1")
{
    SCENARIO(siren == 1);
}

NOT_YET("a relay that no path of the question sets keeps a value that is not in the log of this step",
        "would siren == 1 and call_brigade == 1 if zones[1].raw is anything")
{
    EACH (raw[1], 0, 255)
        SCENARIO(siren == 1 && call_brigade == 1);
}

NOT_YET("a relay that no path of the question sets keeps a value that is not in the log of this step",
        "might call_brigade == 0 if key_pressed in {KEY_MUTE, KEY_TEST} and zones[1].raw is anything")
{
    EACH (raw[1], 0, 255) {
        g.key = KEY_MUTE;
        SCENARIO(call_brigade == 0);
        g.key = KEY_TEST;
        SCENARIO(call_brigade == 0);
    }
}

QUESTION("would siren == 0 and mute_left' == 239 if key_pressed == KEY_MUTE and zones[0].raw is anything")
{
    g.key = KEY_MUTE;
    EACH (raw[0], 0, 255)
        SCENARIO(siren == 0 && mute_left == 239);
}

/* A reset while it still burns: silent for two scans, then it all comes back. */
QUESTION("might call_brigade == 1 if key_pressed == KEY_RESET and zones[1].raw is anything and scans_above[1] is anything")
{
    g.key = KEY_RESET;
    EACH (raw[1], 0, 255)
        EACH (scans_above[1], 0, 3)
            SCENARIO(call_brigade == 1);
}

QUESTION("would siren == 1 after 3 steps held if alarm_zone == 0 and zones[1].raw in {180..255} and scans_above[1] in {0..3}")
{
    g.alarm_zone = 0;
    EACH (raw[1], 180, 255)
        EACH (scans_above[1], 0, 3)
            AFTER(3, siren == 1);
}

/* The zone that is switched off never raises an alarm. */
QUESTION("might alarm_zone' == 4 within 5 steps held if alarm_zone == 0 and zones[3].raw is anything and zones[1].raw is anything")
{
    g.alarm_zone = 0;
    EACH (raw[3], 0, 255)
        EACH (raw[1], 0, 255)
            WITHIN(5, alarm_zone == 4);
}

QUESTION("would siren == 1 if mute_left == 1 and alarm_zone in {1..4}")
{
    g.mute_left = 1;
    EACH (alarm_zone, 1, 4)
        SCENARIO(siren == 1);
}

QUESTION("would fault_lamp == 1 if zones[0].raw in {0..4} and zones[1].raw is anything and zones[0].disabled is anything")
{
    EACH (raw[0], 0, 4)
        EACH (raw[1], 0, 255)
            EACH (disabled[0], 0, 1)
                SCENARIO(fault_lamp == 1);
}
