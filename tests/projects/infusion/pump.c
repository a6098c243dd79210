#include "pump.h"

#define HOTTEST          41.0f  /* degrees C: beyond it, blood is damaged */
#define WARM             37.0f
#define HIGHEST_PRESSURE 40.0f  /* kPa */
#define LARGEST_BUBBLE   50     /* ul */
#define PATIENCE         5      /* ticks */

static int pressed_ticks;       /* how long the pressure has been too high */
static int hot_ticks;

static int counted(bool bad, int ticks)
{
    if (!bad) {
        return 0;
    }
    return ticks < PATIENCE ? ticks + 1 : ticks;
}

static enum pump_alarm alarm_for(const struct pump_inputs *in)
{
    if (in->door_open) {
        return ALARM_DOOR;
    }
    if (in->bubble > LARGEST_BUBBLE) {
        return ALARM_AIR;
    }
    if (pressed_ticks == PATIENCE) {
        return ALARM_OCCLUSION;
    }
    return hot_ticks == PATIENCE ? ALARM_HOT : ALARM_NONE;
}

void pump_tick(const struct pump_inputs *in, struct pump_outputs *out)
{
    pressed_ticks = counted(in->pressure > HIGHEST_PRESSURE, pressed_ticks);
    hot_ticks = counted(in->temperature > HOTTEST, hot_ticks);

    out->alarm = alarm_for(in);
    out->heater = out->alarm == ALARM_NONE && in->temperature < WARM;
    if (out->alarm != ALARM_NONE) {
        out->action = PUMP_STOP;
    } else {
        out->action = in->volume_done ? PUMP_KEEP_OPEN : PUMP_INFUSE;
    }
}
