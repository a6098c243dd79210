#include <stdbool.h>
#include <stdint.h>

struct given {
    uint32_t now_ms, last_good_ms;
    uint16_t rx[4], land_ticks;
    uint8_t frame, vbat, flags, phase, good_frames, low_batt_count;
};
static const struct given FACT = { 61900, 61580, { 1502, 1498, 1620, 1500 }, 0, 0, 112, 1, 0, 4, 0 };

#include "../truth.h"
#include "failsafe.c"

uint32_t millis(void) { return g.now_ms; }
bool rx_frame_complete(void) { return g.frame; }

static void restore(void)
{
    last_good_ms = g.last_good_ms;
    land_ticks = g.land_ticks;
    flags = g.flags;
    phase = (failsafe_phase_e)g.phase;
    good_frames = g.good_frames;
    low_batt_count = g.low_batt_count;
}

static void call(void)
{
    memcpy(rx_us, g.rx, sizeof g.rx);
    vbat_dv = g.vbat;
    failsafe_update();
}

QUESTION("did phase' == FS_HOLD and throttle_out == 1300")
{
    SCENARIO(phase == FS_HOLD && throttle_out == 1300);
}

QUESTION("would phase' == FS_HOLD if rx_us[2] in {885..2115}")
{
    EACH (rx[2], 885, 2115)
        SCENARIO(phase == FS_HOLD);
}

QUESTION("would phase' in {FS_HOLD, FS_DISARMED} if rx_us[2] is anything and frame == false")
{
    EACH (rx[2], 0, 65535)
        SCENARIO(phase == FS_HOLD || phase == FS_DISARMED);
}

QUESTION("might phase' == FS_IDLE if frame == true and rx_us[2] is anything")
{
    g.frame = 1;
    EACH (rx[2], 0, 65535)
        SCENARIO(phase == FS_IDLE);
}

QUESTION("would throttle_out == 1000 if phase == FS_DISARMED and now_ms in {61000..63000} and frame is anything"
         " and vbat_dv in {90, 98, 99, 107, 108}")
{
    const uint8_t volts[] = { 90, 98, 99, 107, 108 };
    g.phase = FS_DISARMED;
    EACH (now_ms, 61000, 63000)
        EACH (frame, 0, 1)
            EACH_OF (vbat, volts)
                SCENARIO(throttle_out == 1000);
}

QUESTION("might phase' == FS_LANDING within 12 steps held if vbat_dv in {90..112}")
{
    EACH (vbat, 90, 112)
        WITHIN(12, phase == FS_LANDING);
}

QUESTION("might phase' == FS_LANDING within 8 steps held if vbat_dv in {90..112}")
{
    EACH (vbat, 90, 112)
        WITHIN(8, phase == FS_LANDING);
}

/* The clock wraps: a good frame just before the wrap is still recent just after it. */
QUESTION("would phase' == FS_IDLE if last_good_ms in {4294967200..4294967295} and now_ms in {0..200}")
{
    EACH (last_good_ms, 4294967200, 4294967295)
        EACH (now_ms, 0, 200)
            SCENARIO(phase == FS_IDLE);
}

QUESTION("would throttle_out in {1000, 1201..1400} throughout 3 steps held if phase == FS_LANDING and land_ticks in {0..250}")
{
    g.phase = FS_LANDING;
    EACH (land_ticks, 0, 250)
        THROUGHOUT(3, throttle_out == 1000 || (throttle_out >= 1201 && throttle_out <= 1400));
}

QUESTION("might fails if flags is anything and good_frames is anything and land_ticks in {0, 199, 65535}")
{
    const uint16_t ticks[] = { 0, 199, 65535 };
    EACH (flags, 0, 7)
        EACH (good_frames, 0, 255)
            EACH_OF (land_ticks, ticks)
                FAILS(1);
}

/* millis() is unsigned: the second half of its range belongs to every question about the clock. */
QUESTION("might phase' == FS_IDLE if now_ms >= 4294967000 and last_good_ms == 4294966990")
{
    g.last_good_ms = 4294966990;
    EACH (now_ms, 4294967000, 4294967295)
        SCENARIO(phase == FS_IDLE);
}

QUESTION("would phase' == FS_HOLD if last_good_ms == 4294966990 and (now_ms == 61890 or now_ms >= 4294967000)")
{
    g.last_good_ms = 4294966990;
    g.now_ms = 61890;
    SCENARIO(phase == FS_HOLD);
    EACH (now_ms, 4294967000, 4294967295)
        SCENARIO(phase == FS_HOLD);
}
