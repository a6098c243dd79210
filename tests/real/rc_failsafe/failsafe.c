/*
 * failsafe.c - what the craft does when the radio link is gone
 *
 * Called from the scheduler at 50 Hz, after the receiver task and before the mixer.
 *
 *   IDLE --(no frame 300 ms)--> HOLD --(no frame 1500 ms)--> LANDING --(200 ticks)--> DISARMED
 *     ^-----(4 good frames)------+---------(4 good frames)------+
 */
#include "failsafe.h"

uint16_t rx_us[RX_CHANNELS];
uint8_t  vbat_dv;
uint16_t throttle_out;
uint8_t  beeper;

static volatile uint8_t flags = FLAG_ARMED;
static failsafe_phase_e phase = FS_IDLE;
static uint32_t last_good_ms;
static uint8_t  good_frames;
static uint16_t land_ticks;
static uint8_t  low_batt_count;

#define FLAG_SET(f)   (flags |= (uint8_t)(f))
#define FLAG_CLEAR(f) (flags &= (uint8_t)~(f))
#define FLAG_IS(f)    ((flags & (f)) != 0)

static bool pulse_valid(uint16_t us)
{
    return us >= RX_MIN_US && us <= RX_MAX_US;
}

static bool frame_valid(void)
{
    /* only the four sticks count; aux channels may float on cheap receivers */
    for (int ch = 0; ch < 4; ch++) {
        if (!pulse_valid(rx_us[ch]))
            return false;
    }
    return true;
}

static void battery_update(void)
{
    /* a sagging pack recovers when throttle drops, so ask for ten bad readings in a row */
    if (vbat_dv < VBAT_CRIT_DV) {
        if (low_batt_count < 255)
            low_batt_count++;
    } else {
        low_batt_count = 0;
    }
    if (low_batt_count >= 10)
        FLAG_SET(FLAG_LOW_BATT);
}

static void phase_enter(failsafe_phase_e next)
{
    if (phase == next)
        return;
    phase = next;
    if (next == FS_LANDING)
        land_ticks = 0;
    if (next == FS_DISARMED)
        FLAG_CLEAR(FLAG_ARMED);
}

static uint16_t landing_throttle(void)
{
    /* ramp from 1400 down to 1100, one microsecond a tick, then stay */
    uint16_t drop = land_ticks > 300 ? 300 : land_ticks;
    return (uint16_t)(1400 - drop);
}

void failsafe_update(void)
{
    static uint8_t beep_divider;
    uint32_t now = millis();
    uint32_t silent;

    if (rx_frame_complete() && frame_valid()) {
        last_good_ms = now;
        if (good_frames < FS_RECOVERY_FRAMES)
            good_frames++;
    }
    silent = now - last_good_ms; /* wraps with the clock, on purpose */
    if (silent > FS_STAGE1_MS) {
        good_frames = 0;
        FLAG_SET(FLAG_RX_LOST);
    } else if (good_frames >= FS_RECOVERY_FRAMES) {
        FLAG_CLEAR(FLAG_RX_LOST);
    }
    battery_update();

    switch (phase) {
    case FS_IDLE:
        if (FLAG_IS(FLAG_RX_LOST) && FLAG_IS(FLAG_ARMED))
            phase_enter(rx_us[2] < STICK_LOW_US ? FS_DISARMED : FS_HOLD);
        break;
    case FS_HOLD:
        if (!FLAG_IS(FLAG_RX_LOST))
            phase_enter(FS_IDLE);
        else if (silent > FS_STAGE2_MS || FLAG_IS(FLAG_LOW_BATT))
            phase_enter(FS_LANDING);
        break;
    case FS_LANDING:
        if (!FLAG_IS(FLAG_RX_LOST) && !FLAG_IS(FLAG_LOW_BATT))
            phase_enter(FS_IDLE);
        else if (++land_ticks >= FS_LAND_MAX_TICKS)
            phase_enter(FS_DISARMED);
        break;
    case FS_DISARMED:
    default:
        break;
    }

    switch (phase) {
    case FS_HOLD:     throttle_out = RX_MID_US - 200; break;
    case FS_LANDING:  throttle_out = landing_throttle(); break;
    case FS_DISARMED: throttle_out = 1000; break;
    default:          throttle_out = FLAG_IS(FLAG_ARMED) ? rx_us[2] : 1000; break;
    }

    beeper = 0;
    if (phase != FS_IDLE || vbat_dv < VBAT_WARN_DV)
        beeper = (++beep_divider & 8) != 0;
}
