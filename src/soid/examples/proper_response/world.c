/*
 * The world of two cars in one lane: from what the guard allows to where the cars are at its next call.
 *
 * The planner of the car behind asks for an acceleration, and gets what the guard allows of it; the car brakes no harder
 * than its brakes and the road can. The car in front does what it does, whatever comes from behind.
 */

#include <stdbool.h>

struct road {
    float rear_speed;  /* m/s, of this car */
    float front_speed; /* m/s, of the car in front */
    float distance;    /* m, between them */
    float dt;          /* s, since the last call */
};

struct drive {
    float wants;  /* m/s^2, what the planner asks for */
    float brakes; /* m/s^2, the hardest braking that the car comes to */
    float front;  /* m/s^2, the acceleration of the car in front; negative: it brakes */
};

static float sped_up(float speed, float acceleration, float time)
{
    const float after = speed + acceleration * time;
    return after > 0.0f ? after : 0.0f;
}

/* `allows`: the most that the guard lets the planner ask for; `touch`: the cars touch. */
void advance(struct road *road, const struct drive *drive, float allows, bool *touch)
{
    float acceleration = drive->wants < allows ? drive->wants : allows;

    if (acceleration < -drive->brakes)
        acceleration = -drive->brakes;
    road->rear_speed = sped_up(road->rear_speed, acceleration, road->dt);
    road->front_speed = sped_up(road->front_speed, drive->front, road->dt);
    road->distance += (road->front_speed - road->rear_speed) * road->dt;
    *touch = road->distance <= 0.0f;
}
