/* The two counters of the program. The recorder does not write them. */

#include "health.h"

#define FEWEST_SATS        6      /* with fewer, or a larger dilution, a fix is bad */
#define WORST_HDOP         2.5f
#define MANY_SATS          10     /* with as many, and a small dilution, it is excellent */
#define SMALL_HDOP         1.2f
#define GPS_LIMIT          13     /* ticks */

#define EMPTY_VOLTS        9.6f
#define LANDING_VOLTS      10.2f  /* what a landing needs, */
#define VOLTS_PER_METRE    0.002f /* and the way home before it */
#define LOW_BATTERY_LIMIT  15     /* ticks */

static int bad_gps_ticks;
static int low_battery_ticks;

void health_init(void)
{
    bad_gps_ticks = 0;
    low_battery_ticks = 0;
}

/* A bad fix counts up, an excellent one counts down. Between the two, what was counted stays. */
enum gps_health check_gps(const struct gps *gps)
{
    const bool bad = gps->sats < FEWEST_SATS || gps->hdop > WORST_HDOP;
    const bool excellent = gps->sats >= MANY_SATS && gps->hdop < SMALL_HDOP;

    if (bad && bad_gps_ticks < GPS_LIMIT) {
        bad_gps_ticks++;
    } else if (excellent && bad_gps_ticks > 0) {
        bad_gps_ticks--;
    }
    if (bad_gps_ticks >= GPS_LIMIT) {
        return GPS_LOST;
    }
    return bad ? GPS_DOUBTFUL : GPS_GOOD;
}

/* The voltage sags in every gust, and recovers: only what lasts is low. */
bool battery_low(float battery, float distance_home)
{
    const float needed = LANDING_VOLTS + VOLTS_PER_METRE * distance_home;

    if (battery >= needed) {
        low_battery_ticks = 0;
    } else if (low_battery_ticks < LOW_BATTERY_LIMIT) {
        low_battery_ticks++;
    }
    return low_battery_ticks >= LOW_BATTERY_LIMIT;
}

bool battery_empty(float battery)
{
    return battery < EMPTY_VOLTS;
}
