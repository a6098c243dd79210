/*
 * The world at the crossing: from what the car does now to where it and the road user are at the next call.
 *
 * The car brakes as it asks for, and the road user goes on at the same pace, whatever comes. The car's sensors see past
 * the truck where the line from the middle of its front to the road user is free, and take them for what they take them
 * for. A message of the intersection manager is with the car at the next call, and stays with it.
 */

#include <stdbool.h>

#include "crossing.h"

#define WAY 2.5f         /* m, width of the car's way */
#define LENGTH 4.5f      /* m, of the car */
#define TRUCK_EDGE 0.4f  /* m, from the near edge of the car's way */
#define TRUCK_FRONT 1.5f /* m, before the crossing */
#define FIELD 2.7f       /* m, from the near edge of the car's way: nearer, and the manager's camera sees the road user */
#define LOOKS 10         /* checks for contact within a step */

/* The road user. */
struct walker {
    float offset;           /* m, from the near edge of the car's way; negative: has entered it */
    float pace;             /* m/s */
    enum road_user seen_as; /* what the car's sensors take them for */
};

static bool sees(const struct car *car, const struct walker *walker)
{
    const float middle = -WAY / 2.0f;

    if (car->crossing <= TRUCK_FRONT)
        return true;
    return walker->offset + (middle - walker->offset) * TRUCK_FRONT / car->crossing < TRUCK_EDGE;
}

/* How far the car goes in a time. */
static float way(float speed, float brake, float time)
{
    if (brake * time >= speed)
        return brake > 0.0f ? speed * speed / (2.0f * brake) : 0.0f;
    return speed * time - brake * time * time / 2.0f;
}

static bool meet(float crossing, float offset)
{
    return -LENGTH <= crossing && crossing <= 0.0f && -WAY <= offset && offset <= 0.0f;
}

static struct warning received(enum road_user sends, const struct walker *walker)
{
    const struct warning nothing = {NOBODY, 0.0f, 0.0f};
    const struct warning message = {sends, walker->offset, 0.0f};
    return sends == NOBODY ? nothing : message;
}

static struct warning older(struct warning warning, float time)
{
    warning.age += time;
    return warning;
}

/* `brake`: what the car does; `sends`: what the manager tells it; `hits`: the car touches the road user. */
void advance(struct car *car, struct sighting *seen, struct warning *warning, struct walker *walker,
             struct camera *camera, float brake, enum road_user sends, bool *hits)
{
    *hits = false;
    for (int look = 1; look <= LOOKS; look++) {
        const float time = car->dt * (float)look / (float)LOOKS;
        if (meet(car->crossing - way(car->speed, brake, time), walker->offset - walker->pace * time))
            *hits = true;
    }
    car->crossing -= way(car->speed, brake, car->dt);
    car->speed = brake * car->dt >= car->speed ? 0.0f : car->speed - brake * car->dt;
    walker->offset -= walker->pace * car->dt;
    camera->person = walker->offset <= FIELD;
    seen->kind = sees(car, walker) ? walker->seen_as : NOBODY;
    seen->offset = sees(car, walker) ? walker->offset : 0.0f;
    *warning = warning->kind == NOBODY ? received(sends, walker) : older(*warning, car->dt);
}
