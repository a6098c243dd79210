/*
 * How much braking a road user at the crossing asks for.
 *
 * A pedestrian may stop or turn back at any moment: the car comes to a halt before the crossing. A cyclist rides on:
 * it is enough to arrive when he has passed.
 */

#include "crossing.h"

static const float FULL_BRAKING = 7.0f;  /* m/s^2 */
static const float RELEASE = 5.0f;       /* m/s^3, how fast brakes are let go */
static const float GAP = 2.0f;           /* m, between the car at a halt and the crossing */
static const float WAY = 2.5f;           /* m, width of the car's way */
static const float CYCLIST_SPEED = 4.0f; /* m/s */
static const float HEADWAY = 1.0f;       /* s, between the cyclist and the car */

/* To be at a halt after a distance. */
static float brake_to_halt(float speed, float distance)
{
    if (2.0f * FULL_BRAKING * distance <= speed * speed) {
        return FULL_BRAKING;
    }
    return speed * speed / (2.0f * distance);
}

/* To need at least some time for a distance. */
static float brake_to_arrive_after(float speed, float distance, float time)
{
    float brake;

    if (speed * time <= distance) {
        return 0.0f;
    }
    brake = 2.0f * (speed * time - distance) / (time * time);
    if (brake * time >= speed) {
        return brake_to_halt(speed, distance);
    }
    return brake < FULL_BRAKING ? brake : FULL_BRAKING;
}

static float brake_for(const struct car *car, enum road_user kind, float offset, float age)
{
    if (kind == PEDESTRIAN) {
        return brake_to_halt(car->speed, car->crossing - GAP);
    }
    if (kind == CYCLIST) {
        return brake_to_arrive_after(car->speed, car->crossing, (offset + WAY) / CYCLIST_SPEED + HEADWAY - age);
    }
    return 0.0f;
}

float brake_for_sighting(const struct car *car, const struct sighting *seen)
{
    if (seen->kind == NOBODY || seen->offset < -WAY) {
        return 0.0f;
    }
    /* Too near to stop before the crossing: for any road user, the car brakes as hard as it can. */
    if (car->speed * car->speed >= 2.0f * FULL_BRAKING * car->crossing) {
        return FULL_BRAKING;
    }
    return brake_for(car, seen->kind, seen->offset, 0.0f);
}

float brake_for_warning(const struct car *car, const struct warning *warning)
{
    return brake_for(car, warning->kind, warning->offset, warning->age);
}

float ease(float demand, float last, float dt)
{
    const float least = last - RELEASE * dt;

    return demand >= least ? demand : least;
}
