/*
 * panel.c - fire alarm panel, four zones
 *
 * Called every 250 ms by the scan task. Relays are bits of an output latch that the I/O task copies to the port; the
 * panel only ever sets or clears them when something happens.
 */
#include <stdbool.h>
#include <stdint.h>

#define ZONES          4
#define SMOKE_ALARM    180   /* raw reading of a detector */
#define SMOKE_PREALARM 120
#define LINE_OPEN      5     /* below: the loop is broken */
#define CONFIRM_SCANS  3
#define MUTE_SCANS     240   /* one minute */

enum key { KEY_NONE, KEY_MUTE, KEY_RESET, KEY_TEST };

struct zone {
    uint8_t raw;       /* last reading, written by the loop driver */
    uint8_t disabled;  /* set with the key of the fire brigade */
};

struct zone zones[ZONES];
enum key    key_pressed;

uint8_t siren;          /* relays: 1 is energised */
uint8_t call_brigade;
uint8_t fault_lamp;
uint8_t prealarm_lamp;

static uint8_t  scans_above[ZONES];
static uint16_t mute_left;
static uint8_t  alarm_zone; /* 1 to 4, 0 for none */

static bool zone_alarms(int z)
{
    if (zones[z].disabled)
        return false;
    if (zones[z].raw >= SMOKE_ALARM) {
        if (scans_above[z] < CONFIRM_SCANS)
            scans_above[z]++;
    } else {
        scans_above[z] = 0;
    }
    return scans_above[z] >= CONFIRM_SCANS;
}

static void raise_alarm(int z)
{
    if (alarm_zone == 0) {
        alarm_zone = (uint8_t)(z + 1);
        call_brigade = 1;
        siren = 1;
        mute_left = 0;
    }
}

static void on_key(enum key key)
{
    switch (key) {
    case KEY_MUTE:
        if (alarm_zone != 0) {
            siren = 0;
            mute_left = MUTE_SCANS;
        }
        break;
    case KEY_RESET:
        alarm_zone = 0;
        siren = 0;
        call_brigade = 0;
        for (int z = 0; z < ZONES; z++)
            scans_above[z] = 0;
        break;
    case KEY_TEST:
        siren = 1;
        break;
    default:
        break;
    }
}

void panel_scan(void)
{
    uint8_t pre = 0, fault = 0;

    on_key(key_pressed);
    for (int z = 0; z < ZONES; z++) {
        if (zone_alarms(z))
            raise_alarm(z);
        if (!zones[z].disabled) {
            pre |= zones[z].raw >= SMOKE_PREALARM;
            fault |= zones[z].raw < LINE_OPEN;
        }
    }
    if (mute_left > 0 && --mute_left == 0 && alarm_zone != 0)
        siren = 1; /* still burning */
    prealarm_lamp = pre;
    fault_lamp = fault;
}
