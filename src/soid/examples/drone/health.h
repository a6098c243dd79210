/* Whether GPS and battery can be relied on. Both answers take several ticks: one bad sample decides nothing. */

#ifndef HEALTH_H
#define HEALTH_H

#include "flight.h"

enum gps_health {
    GPS_GOOD,
    GPS_DOUBTFUL,             /* bad at this tick */
    GPS_LOST                  /* bad for too many ticks */
};

void health_init(void);
enum gps_health check_gps(const struct gps *gps);
bool battery_low(float battery, float distance_home);
bool battery_empty(float battery);

#endif
