/*
 * The world of the crossing: from what the cars do now to where they are a tenth of a second later.
 *
 * Where a car is, how it looks and how fast it is, is what the drivers' program perceives of it, and nothing else: a car
 * that is put elsewhere is elsewhere. What cannot be seen of a car is its driver: where it really goes, and by which
 * rules. The first car does what its program decides; the others are driven by rules. No car comes that is not there at
 * the beginning, and what follows a collision is not modelled.
 */

#define DRIVER_UNTAUGHT /* what the other drivers perceive; they need no table */
#include "car.c"

#define STEP 0.1f         /* s */
#define STEP_EXACT 0.1    /* s, where times are counted */
#define ACCELERATION 0.5f /* m/s^2 */
#define BRAKING 1.0f      /* m/s^2 */
#define CAR_WIDTH 0.10f   /* m */
#define MIDDLE (3.5f * TILE)
#define HALF (TILE / 2.0f)
#define LANE (TILE / 4.0f)  /* m, from the middle of a road to that of a lane */
#define ROAD (2.0f * TILE)  /* m, from the end of a road to the crossing */
#define SIGHT 0.5f          /* m, in which a driver sees what stands in its way */
#define STANDING 0.12f      /* m/s: slower is standing */
#define LOOKS 10            /* checks for contact within a step */
#define DIAGONAL 0.2059126f /* m, of a car */

/* Whether a car was the first when it came to the tile before the crossing. */
enum place { NOT_THERE_YET, FIRST, LATER };

/* What cannot be seen of a car. */
struct driver {
    enum heading comes; /* the heading with which it comes to the crossing */
    enum signal goes;   /* where it really goes, whatever it signals */
    float cruise;       /* m/s, the most that it drives */
    int patience;       /* steps at the line after which it goes though others go first */
    bool careful;       /* even if it came first, it looks for a car in the crossing and in its way */
    int waited;         /* steps for which it has stood at the line */
    enum place place;
    bool entering;      /* it has decided to enter */
};

struct traffic {
    struct driver drivers[AGENTS];
    int clock; /* steps since the beginning */
};

static const float HEADINGS[4] = {0.0f, 1.57079637f, 3.14159274f, 4.71238899f};

/* ---- ways ---------------------------------------------------------------------------------------------------- */

static enum heading leaves(const struct driver *driver)
{
    if (driver->goes == STRAIGHT)
        return driver->comes;
    return (enum heading)(((int)driver->comes + (driver->goes == LEFT ? 1 : 3)) % 4);
}

static float radius(const struct driver *driver)
{
    return driver->goes == RIGHT ? HALF - LANE : HALF + LANE;
}

/* How long the part of a way in the crossing is. */
static float inside(const struct driver *driver)
{
    return driver->goes == STRAIGHT ? TILE : radius(driver) * (PI / 2.0f);
}

/* How far a car is past the near edge of the crossing, along its way; negative before it. */
static float entered(const struct agent *car, const struct driver *driver)
{
    const enum heading out = leaves(driver);
    float turned;

    if (driver->goes == STRAIGHT || car->angle == HEADINGS[driver->comes])
        return -distance_before(car, driver->comes);
    if (car->angle == HEADINGS[out])
        return inside(driver) - distance_before(car, out) - TILE;
    turned = fabsf(car->angle - HEADINGS[driver->comes]);
    return radius(driver) * (turned > PI ? 2.0f * PI - turned : turned);
}

static void shift(struct agent *car, enum heading heading, float distance)
{
    switch (heading) {
    case EAST:
        car->x += distance;
        break;
    case NORTH:
        car->z -= distance;
        break;
    case WEST:
        car->x -= distance;
        break;
    case SOUTH:
        car->z += distance;
        break;
    }
}

/* Put a car ahead of the crossing's middle, and to the right of it, as it came. */
static void put(struct agent *car, enum heading came, float forward, float right)
{
    car->x = MIDDLE;
    car->z = MIDDLE;
    shift(car, came, forward);
    shift(car, (enum heading)(((int)came + 3) % 4), right);
}

/* Put a car where it turns, so far along its curve. */
static void put_on_curve(struct agent *car, const struct driver *driver, float along)
{
    const float side = driver->goes == RIGHT ? 1.0f : -1.0f;
    const float turned = along / radius(driver);

    put(car, driver->comes, radius(driver) * sinf(turned) - HALF, side * (HALF - radius(driver) * cosf(turned)));
    car->angle = HEADINGS[driver->comes] - side * turned;
    if (car->angle < 0.0f)
        car->angle += 2.0f * PI;
    if (car->angle >= 2.0f * PI)
        car->angle -= 2.0f * PI;
}

/* A car goes on its way. */
static void go(struct agent *car, const struct driver *driver, float distance)
{
    const enum heading out = leaves(driver);
    float to;

    if (driver->goes == STRAIGHT || car->angle == HEADINGS[out]) {
        shift(car, out, distance);
        return;
    }
    to = entered(car, driver) + distance;
    if (to <= 0.0f) {
        shift(car, driver->comes, distance);
    } else if (to < inside(driver)) {
        put_on_curve(car, driver, to);
    } else {
        put(car, driver->comes, radius(driver) - HALF, driver->goes == RIGHT ? HALF : -HALF);
        shift(car, out, to - inside(driver));
        car->angle = HEADINGS[out];
    }
}

/* ---- contact ------------------------------------------------------------------------------------------------- */

struct direction {
    float x;
    float z;
};

static struct direction looks(const struct agent *car)
{
    struct direction found = {1.0f, 0.0f};

    if (car->angle == HEADINGS[EAST])
        return found;
    found.x = car->angle == HEADINGS[WEST] ? -1.0f : 0.0f;
    found.z = car->angle == HEADINGS[NORTH] ? -1.0f : car->angle == HEADINGS[SOUTH] ? 1.0f : 0.0f;
    if (found.x == 0.0f && found.z == 0.0f) {
        found.x = cosf(car->angle);
        found.z = -sinf(car->angle);
    }
    return found;
}

/* Whether two cars lie apart along the one's length or along its width. */
static bool apart(struct direction one, struct direction other, float dx, float dz)
{
    const float along = fabsf(dx * one.x + dz * one.z);
    const float across = fabsf(dx * one.z - dz * one.x);
    const float cos = fabsf(one.x * other.x + one.z * other.z);
    const float sin = fabsf(one.x * other.z - one.z * other.x);

    return along >= (CAR_LENGTH + CAR_LENGTH * cos + CAR_WIDTH * sin) / 2.0f
        || across >= (CAR_WIDTH + CAR_LENGTH * sin + CAR_WIDTH * cos) / 2.0f;
}

/* Whether two cars overlap: neither their lengths nor their widths separate them. */
static bool touch(const struct agent *one, const struct agent *other)
{
    const float dx = other->x - one->x;
    const float dz = other->z - one->z;
    struct direction first;
    struct direction second;

    if (dx * dx + dz * dz > DIAGONAL * DIAGONAL)
        return false;
    first = looks(one);
    second = looks(other);
    return !apart(first, second, dx, dz) && !apart(second, first, dx, dz);
}

/* One car in a step: where it was, where it is, and how far it has gone. */
struct move {
    struct agent before;
    struct agent after;
    float distance;
};

/* Whether two cars have touched in a step. */
static bool met(const struct move *one, const struct driver *first, const struct move *other, const struct driver *second)
{
    const float reach = DIAGONAL + one->distance + other->distance;
    const float dx = one->after.x - other->after.x;
    const float dz = one->after.z - other->after.z;

    if (dx * dx + dz * dz > reach * reach)
        return false;
    for (int look = 1; look <= LOOKS; look++) {
        struct agent a = one->before;
        struct agent b = other->before;
        go(&a, first, one->distance * (float)look / (float)LOOKS);
        go(&b, second, other->distance * (float)look / (float)LOOKS);
        if (touch(&a, &b))
            return true;
    }
    return false;
}

/* ---- how the other cars are driven --------------------------------------------------------------------------- */

/* Whether something stands on the next stretch of a car's way. */
static bool obstacle(const struct world *world, const struct driver *driver, int index)
{
    for (int i = 0; i < AGENTS; i++) {
        if (i == index || !world->agents[i].present || world->agents[i].speed >= STANDING)
            continue;
        for (int part = 1; part <= 4; part++) {
            struct agent ahead = world->agents[index];
            go(&ahead, driver, SIGHT * (float)part / 4.0f);
            if (touch(&ahead, &world->agents[i]))
                return true;
        }
    }
    return false;
}

/* The same things as another car sees them: itself first. */
static struct world seen_by(const struct world *world, int index)
{
    struct world view;

    view.agents[0] = world->agents[index];
    for (int i = 0, at = 1; i < AGENTS; i++) {
        if (i != index)
            view.agents[at++] = world->agents[i];
    }
    return view;
}

/* By the rules, unless its patience ends. */
static bool goes_on(struct driver *driver, struct features seen, bool arrived, bool blocked)
{
    if (driver->place == NOT_THERE_YET && arrived)
        driver->place = seen.right_of_way && !seen.occupied ? FIRST : LATER;
    if (seen.tailgating || blocked)
        return false;
    if (!seen.at_line || driver->entering)
        return true;
    if ((driver->careful || driver->place != FIRST) && seen.occupied && !seen.safe)
        return false;
    driver->entering = seen.right_of_way || driver->waited >= driver->patience;
    return driver->entering;
}

static bool by_rules(const struct world *world, struct driver *driver, int index)
{
    const struct world view = seen_by(world, index);
    struct memory memory = {driver->waited};
    const struct features seen = look(&view, &memory);
    const bool moves = goes_on(driver, seen, view.agents[0].arrived != 0.0f, obstacle(world, driver, index));

    remember(&view, &memory, moves);
    driver->waited = memory.waited;
    return moves;
}

/* ---- one step ------------------------------------------------------------------------------------------------ */

static void speed_up(struct agent *car, const struct driver *driver, bool moves)
{
    car->speed += (moves ? ACCELERATION : -BRAKING) * STEP;
    if (car->speed < 0.0f)
        car->speed = 0.0f;
    if (car->speed > driver->cruise)
        car->speed = driver->cruise;
}

static struct move moved(const struct agent *before, const struct driver *driver, bool moves, float time)
{
    struct move step = {*before, *before, 0.0f};
    const float from = entered(before, driver);

    speed_up(&step.after, driver, moves);
    step.distance = step.after.speed * STEP;
    go(&step.after, driver, step.distance);
    if (from < -TILE && entered(&step.after, driver) >= -TILE)
        step.after.arrived = time;
    return step;
}

/* `collides`: the first car touches another one. `arrives`: it is one tile beyond the crossing. */
void advance(struct world *world, struct traffic *traffic, bool moves, bool *collides, bool *arrives)
{
    static const struct agent GONE;
    bool decided[AGENTS];
    struct move steps[AGENTS];

    for (int i = 0; i < AGENTS; i++) {
        if (world->agents[i].present)
            decided[i] = i == 0 ? moves : by_rules(world, &traffic->drivers[i], i);
    }
    traffic->clock++;
    for (int i = 0; i < AGENTS; i++) {
        if (world->agents[i].present)
            steps[i] = moved(&world->agents[i], &traffic->drivers[i], decided[i], (float)(traffic->clock * STEP_EXACT));
    }
    *collides = false;
    for (int i = 1; i < AGENTS && world->agents[0].present; i++) {
        if (world->agents[i].present && met(&steps[0], &traffic->drivers[0], &steps[i], &traffic->drivers[i]))
            *collides = true;
    }
    for (int i = 0; i < AGENTS; i++) {
        if (world->agents[i].present)
            world->agents[i] =
                entered(&steps[i].after, &traffic->drivers[i]) < inside(&traffic->drivers[i]) + ROAD ? steps[i].after : GONE;
    }
    *arrives = world->agents[0].present
        && entered(&world->agents[0], &traffic->drivers[0]) >= inside(&traffic->drivers[0]) + TILE;
}
