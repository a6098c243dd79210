/* What the return-to-home program is given at every tick, and what it commands. A tick is 200 ms. */

#ifndef FLIGHT_H
#define FLIGHT_H

#include <stdbool.h>

enum pilot_switch {
    PILOT_MANUAL,             /* the pilot flies */
    PILOT_HOLD,               /* stay where you are */
    PILOT_RTH                 /* return to home */
};

enum flight_mode {
    MODE_HOVER,               /* level, at this height, wherever the wind carries it */
    MODE_MANUAL,
    MODE_HOLD,                /* at this place and height */
    MODE_RTH,
    MODE_LAND                 /* straight down, here */
};

struct gps {
    int sats;                 /* satellites in use */
    float hdop;               /* dilution of precision: 1 is good, 3 is bad */
};

struct sensors {
    struct gps gps;
    float battery;            /* V, three cells */
    float altitude;           /* m, above the place of take-off */
    float distance_home;      /* m, over the ground */
    enum pilot_switch pilot;  /* as last received */
    int link;                 /* %, quality of the link to the pilot */
};

struct command {
    enum flight_mode mode;
    float climb;              /* m/s, down is negative */
    float speed;              /* m/s, towards home */
    bool alarm;               /* beep and blink */
};

/* flight.c: before the first tick. */
void flight_init(void);

/* flight.c: at every tick. */
struct command flight_step(const struct sensors *s);

#endif
