/* Decides at every tick how the drone flies: what the pilot wants, unless link, battery or GPS forbid it. */

#include "health.h"

#define LINK_LOST        20       /* %, below it the pilot is not heard */
#define HOME_RADIUS      4.0f     /* m */
#define RTH_ALTITUDE     25.0f    /* m, above the trees on the way */
#define RTH_SPEED        6.0f     /* m/s */
#define CLIMB_RATE       2.0f     /* m/s */
#define SINK_RATE        2.5f     /* m/s */
#define SLOW_SINK_RATE   1.0f     /* m/s, over the last metres */
#define SLOW_BELOW       3.0f     /* m */

void flight_init(void)
{
    health_init();
}

/* What is wanted: a drone that does not hear its pilot comes home, and so does one whose battery is low. */
static enum pilot_switch wanted(const struct sensors *s, bool low)
{
    if (s->link < LINK_LOST) {
        return PILOT_RTH;
    }
    if (s->pilot == PILOT_HOLD && low) {
        return PILOT_RTH;
    }
    return s->pilot;
}

static enum flight_mode next_mode(const struct sensors *s, enum gps_health gps, bool low)
{
    const enum pilot_switch wish = wanted(s, low);

    if (wish == PILOT_MANUAL) {
        return MODE_MANUAL;           /* the pilot needs no GPS, and may use the battery up */
    }
    if (gps == GPS_LOST || battery_empty(s->battery)) {
        return MODE_LAND;
    }
    if (gps == GPS_DOUBTFUL) {
        return MODE_HOVER;
    }
    if (wish == PILOT_HOLD) {
        return MODE_HOLD;
    }
    return s->distance_home < HOME_RADIUS ? MODE_LAND : MODE_RTH;
}

/* Up to a safe altitude first, then home. */
static void steer_home(const struct sensors *s, struct command *command)
{
    if (s->altitude < RTH_ALTITUDE) {
        command->climb = CLIMB_RATE;
    } else {
        command->speed = RTH_SPEED;
    }
}

struct command flight_step(const struct sensors *s)
{
    struct command command = {MODE_HOVER, 0.0f, 0.0f, false};
    const enum gps_health gps = check_gps(&s->gps);
    const bool low = battery_low(s->battery, s->distance_home);

    command.mode = next_mode(s, gps, low);
    if (command.mode == MODE_RTH) {
        steer_home(s, &command);
    } else if (command.mode == MODE_LAND) {
        command.climb = s->altitude < SLOW_BELOW ? -SLOW_SINK_RATE : -SINK_RATE;
    }
    command.alarm = low || gps != GPS_GOOD || s->link < LINK_LOST;
    return command;
}
