/*
 * A longitudinal proper-response guard: it limits what the planner of a car may do while the car in front is nearer
 * than the distance that is safe whatever the front car does.
 *
 * With rear speed vr, front speed vf, response time rho, greatest acceleration a during the response, least and
 * greatest braking bmin and bmax, the safe distance is
 *
 *     max(0, vr * rho + a * rho^2 / 2 + (vr + rho * a)^2 / (2 * bmin) - vf^2 / (2 * bmax))
 *
 * While the distance is below it the guard is active. For the first rho seconds acceleration is limited to a;
 * afterwards braking of at least bmin is demanded, until the distance is safe again.
 */

#include <stdbool.h>

struct car {
    float rho;         /* s, response time */
    float accel_max;   /* m/s^2, greatest acceleration during the response */
    float brake_min;   /* m/s^2, braking that the rear car will at least apply */
    float brake_max;   /* m/s^2, braking that the front car can at most apply */
};

struct road {
    float rear_speed;  /* m/s, of this car */
    float front_speed; /* m/s, of the car in front */
    float distance;    /* m, between them */
    float dt;          /* s, since the last call */
};

struct guard {
    bool active;       /* the distance was unsafe at the last call */
    float elapsed;     /* s, since it became unsafe */
};

struct limits {
    float acceleration; /* m/s^2, the most that the planner may ask for; negative: it must brake */
    bool brake;         /* braking is demanded */
};

static const float UNLIMITED = 100.0f;

static float safe_distance(const struct car *car, float vr, float vf)
{
    const float after_response = vr + car->rho * car->accel_max;
    const float distance = vr * car->rho + car->accel_max * car->rho * car->rho / 2.0f
                         + after_response * after_response / (2.0f * car->brake_min)
                         - vf * vf / (2.0f * car->brake_max);
    return distance > 0.0f ? distance : 0.0f;
}

void respond(const struct car *car, const struct road *road, struct guard *guard, struct limits *limits)
{
    const float safe = safe_distance(car, road->rear_speed, road->front_speed);

    limits->brake = false;
    if (road->distance >= safe) {
        guard->active = false;
        guard->elapsed = 0.0f;
        limits->acceleration = UNLIMITED;
        return;
    }
    if (guard->active) {
        guard->elapsed += road->dt;
    } else {
        guard->active = true;
        guard->elapsed = 0.0f;
    }
    if (guard->elapsed < car->rho) {
        limits->acceleration = car->accel_max;
    } else {
        limits->acceleration = -car->brake_min;
        limits->brake = true;
    }
}
