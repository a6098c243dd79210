/* A car on its way to a crossing: what it knows, what it remembers, what it does. */

#ifndef CROSSING_H
#define CROSSING_H

#include <stdbool.h>

enum road_user { NOBODY, PEDESTRIAN, CYCLIST };

struct car {
    float speed;         /* m/s */
    float crossing;      /* m, from the car's front to the crossing */
    float dt;            /* s, from one call to the next */
};

/* What the car's own sensors see at the crossing. */
struct sighting {
    enum road_user kind; /* NOBODY: no road user is there, or it is hidden */
    float offset;        /* m, from the near edge of the car's way; negative: has entered it */
};

/* What the intersection manager last told the car. */
struct warning {
    enum road_user kind; /* NOBODY: nothing yet */
    float offset;        /* m, as above, when the warning was sent */
    float age;           /* s, since then */
};

/* What the intersection manager's camera sees. */
struct camera {
    bool person;         /* someone is near the car's way */
    float length;        /* m, of what it sees: a person, or a person with a bicycle */
};

struct memory {
    float brake;         /* m/s^2, what was asked for at the last call */
};

struct control {
    float brake;         /* m/s^2 */
};

/* braking.c: how much braking a road user at the crossing asks for. */
float brake_for_sighting(const struct car *car, const struct sighting *seen);
float brake_for_warning(const struct car *car, const struct warning *warning);

/* braking.c: brakes are applied at once, and let go gradually. */
float ease(float demand, float last, float dt);

/* plan.c, called at every step. */
void plan(const struct car *car, const struct sighting *seen, const struct warning *warning, struct memory *memory,
          struct control *control);

#endif
