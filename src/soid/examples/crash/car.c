/*
 * The driver of a small car at a four-way stop: once every tenth of a second it looks at the cars around it and decides
 * whether to move or to stand still.
 *
 * The map is made of square tiles. Five by five of them are the block with the roads, inside a rim of grass one tile
 * wide, so that the block's tiles are numbered 1 to 5 either way. One road runs along row 3 and one along column 3;
 * they cross in tile (3, 3). Cars keep to the right. x grows to the east, z grows to the south; an angle of 0 looks
 * east, and angles grow counter-clockwise, so that pi/2 looks north.
 *
 * The car that came first to the crossing goes first; of two that came together the one on the right goes first.
 *
 * What the driver sees is condensed into ten yes-or-no features. They number the rows of a table, learned beforehand,
 * with what standing still and what moving are worth in each situation.
 */

#include <math.h>
#include <stdbool.h>

#if defined(DRIVER_STANDARD)
#include "table_standard.h"
#elif defined(DRIVER_IMPATIENT)
#include "table_impatient.h"
#elif defined(DRIVER_PATHOLOGICAL)
#include "table_pathological.h"
#elif defined(DRIVER_UNTAUGHT)
static const float q[1024][2] = {{0.0f, 0.0f}}; /* to learn with: all situations are worth nothing yet */
#else
#error "which driver? DRIVER_STANDARD, DRIVER_IMPATIENT, DRIVER_PATHOLOGICAL, or DRIVER_UNTAUGHT"
#endif

#define AGENTS 5
#define FEATURES 10

#define PI 3.14159265f
#define TILE 0.585f              /* m, along each side */
#define CAR_LENGTH 0.18f         /* m */
#define ROAD_FIRST 1             /* the first and the last tile of the block, either way */
#define ROAD_LAST 5
#define CROSSING 3               /* its row and its column */

#define LINE_SETBACK 0.2f        /* m, from the stop line to the crossing */
#define AT_LINE 0.15f            /* m, from bumper to line: no more, and the car counts as being at the line */
#define OVER_LINE 0.02f          /* m, past the line: more, and the car counts as having entered */
#define LANE_HALF (TILE / 4.0f)  /* m, from the middle of a lane to its edge */
#define FOLLOWING 0.35f          /* m, from centre to centre: nearer is tailgating */
#define CLOSE 0.40f              /* m, from centre to centre */
#define TURNED_LATE 0.25f        /* m, into the crossing: a car that turns right has begun to by then */
#define SAME_TIME 0.05f          /* s, between two arrivals: no more, and they count as one */
#define PATIENCE 40              /* calls at the line */

enum signal { STRAIGHT = 0, LEFT = 1, RIGHT = 2 };

enum heading { EAST = 0, NORTH = 1, WEST = 2, SOUTH = 3 };

/* Seen from a car: where another car that comes up to the crossing has come from. */
enum side { SAME = 0, FROM_RIGHT = 1, OPPOSITE = 2, FROM_LEFT = 3 };

struct agent {
    bool present;
    float x;            /* m, of its centre */
    float z;            /* m */
    float angle;        /* rad */
    float speed;        /* m/s */
    enum signal signal; /* what it says about where it will go; for this car itself where it will go */
    float arrived;      /* s, when it came to the tile before the crossing, if it has */
};

struct world {
    struct agent agents[AGENTS]; /* the first is this car */
};

struct memory {
    int waited; /* calls for which it has stood at the line */
};

struct tile {
    int column;
    int row;
};

struct features {
    bool at_line;      /* this car is at its stop line */
    bool entered;      /* this car has entered the crossing and has not left it yet */
    bool right_of_way; /* no other car goes before this one */
    bool occupied;     /* another car is in the crossing */
    bool safe;         /* no other car's way, as signalled, crosses this car's */
    bool approached;   /* another car is in the last tile before the crossing */
    bool coming;       /* another car is on its way there, one tile further away */
    bool tailgating;   /* the car ahead in this lane is too near */
    bool close;        /* some car in front is very near */
    bool impatient;    /* this car has waited for long */
};

/* What the motors act on: set at each call. */
bool move;

/* ---- where things are ---------------------------------------------------------------------------------------- */

static enum heading heading_of(float angle)
{
    while (angle < -PI / 4.0f)
        angle += 2.0f * PI;
    while (angle >= 7.0f * PI / 4.0f)
        angle -= 2.0f * PI;
    return (enum heading)(int)((angle + PI / 4.0f) / (PI / 2.0f));
}

static struct tile tile_of(const struct agent *agent)
{
    struct tile tile;
    tile.column = (int)(agent->x / TILE);
    tile.row = (int)(agent->z / TILE);
    return tile;
}

static bool on_road(struct tile tile)
{
    if (tile.column == CROSSING)
        return tile.row >= ROAD_FIRST && tile.row <= ROAD_LAST;
    return tile.row == CROSSING && tile.column >= ROAD_FIRST && tile.column <= ROAD_LAST;
}

static bool is_crossing(struct tile tile)
{
    return tile.column == CROSSING && tile.row == CROSSING;
}

/* How many tiles lie between a car and the crossing, counted along its heading: 1 is the last tile before it. */
static int tiles_before(struct tile tile, enum heading heading)
{
    switch (heading) {
    case EAST:
        return CROSSING - tile.column;
    case WEST:
        return tile.column - CROSSING;
    case NORTH:
        return tile.row - CROSSING;
    case SOUTH:
        return CROSSING - tile.row;
    }
    return 0;
}

/* How far a car's centre is before the near edge of the crossing; negative inside and behind it. */
static float distance_before(const struct agent *agent, enum heading heading)
{
    const float near = (float)CROSSING * TILE;
    const float far = (float)(CROSSING + 1) * TILE;

    switch (heading) {
    case EAST:
        return near - agent->x;
    case WEST:
        return agent->x - far;
    case NORTH:
        return agent->z - far;
    case SOUTH:
        return near - agent->z;
    }
    return 0.0f;
}

static float distance_between(const struct agent *one, const struct agent *other)
{
    const float dx = one->x - other->x;
    const float dz = one->z - other->z;
    return sqrtf(dx * dx + dz * dz);
}

/* How far another car is ahead, and how far to the side, along a heading. */
static float ahead(const struct agent *self, const struct agent *other, enum heading heading)
{
    switch (heading) {
    case EAST:
        return other->x - self->x;
    case WEST:
        return self->x - other->x;
    case NORTH:
        return self->z - other->z;
    case SOUTH:
        return other->z - self->z;
    }
    return 0.0f;
}

static float aside(const struct agent *self, const struct agent *other, enum heading heading)
{
    if (heading == EAST || heading == WEST)
        return fabsf(other->z - self->z);
    return fabsf(other->x - self->x);
}

/* ---- who is where -------------------------------------------------------------------------------------------- */

static bool in_crossing(const struct agent *agent)
{
    return is_crossing(tile_of(agent));
}

/* On the road towards the crossing, as many tiles before it. */
static bool is_before(const struct agent *agent, int tiles)
{
    const struct tile tile = tile_of(agent);
    if (!on_road(tile))
        return false;
    return tiles_before(tile, heading_of(agent->angle)) == tiles;
}

/* From a car's front bumper to its stop line; negative once it is over the line. */
static float gap_to_line(const struct agent *agent, enum heading heading)
{
    return distance_before(agent, heading) - LINE_SETBACK - CAR_LENGTH / 2.0f;
}

static bool at_line(const struct agent *self)
{
    float gap;

    if (!is_before(self, 1))
        return false;
    gap = gap_to_line(self, heading_of(self->angle));
    return gap <= AT_LINE && gap >= -OVER_LINE;
}

static bool has_entered(const struct agent *self)
{
    if (in_crossing(self))
        return true;
    return is_before(self, 1) && gap_to_line(self, heading_of(self->angle)) < -OVER_LINE;
}

static enum side side_of(enum heading mine, enum heading theirs)
{
    switch (((int)theirs - (int)mine + 4) % 4) {
    case 1:
        return FROM_RIGHT; /* I look north and it comes from the east, looking west */
    case 2:
        return OPPOSITE;
    case 3:
        return FROM_LEFT;
    default:
        return SAME;
    }
}

/* ---- whose ways cross ---------------------------------------------------------------------------------------- */

/* Do the ways of two cars cross, the other one coming from a side and going where it says? */
static bool ways_cross(enum signal mine, enum side side, enum signal theirs)
{
    switch (side) {
    case FROM_LEFT:
        if (theirs == RIGHT)
            return false;
        return mine != RIGHT || theirs == STRAIGHT;
    case FROM_RIGHT:
        if (mine == RIGHT)
            return false;
        return theirs != RIGHT || mine == STRAIGHT;
    case OPPOSITE:
        if (mine == LEFT)
            return theirs != LEFT;
        return theirs == LEFT;
    case SAME:
        return false;
    }
    return false;
}

/* A car in the crossing that has not begun to turn right where it should have is not believed any more. */
static enum signal believed(const struct agent *other, enum heading heading)
{
    if (other->signal == RIGHT && distance_before(other, heading) < -TURNED_LATE)
        return STRAIGHT;
    return other->signal;
}

static bool is_in_the_way(const struct agent *self, enum heading heading, const struct agent *other)
{
    const enum heading theirs = heading_of(other->angle);
    const enum side side = side_of(heading, theirs);

    if (side == SAME)
        return false;
    if (in_crossing(other)) {
        if (side != OPPOSITE && ahead(other, self, theirs) < -CAR_LENGTH)
            return false; /* it is past this car's lane already */
        return ways_cross(self->signal, side, believed(other, theirs));
    }
    if (is_before(other, 1))
        return ways_cross(self->signal, side, other->signal);
    return false;
}

static bool safe_to_enter(const struct world *world)
{
    const struct agent *self = &world->agents[0];
    const enum heading heading = heading_of(self->angle);

    for (int i = 1; i < AGENTS; i++) {
        if (world->agents[i].present && is_in_the_way(self, heading, &world->agents[i]))
            return false;
    }
    return true;
}

/* ---- who goes first ------------------------------------------------------------------------------------------ */

static bool goes_before(const struct agent *other, const struct agent *self)
{
    const float lead = self->arrived - other->arrived;
    const enum side side = side_of(heading_of(self->angle), heading_of(other->angle));

    if (side == SAME)
        return false;
    if (lead > SAME_TIME)
        return true;
    if (lead < -SAME_TIME)
        return false;
    return side == FROM_RIGHT;
}

static bool right_of_way(const struct world *world)
{
    const struct agent *self = &world->agents[0];

    if (tiles_before(tile_of(self), heading_of(self->angle)) < 1)
        return true; /* it is in the crossing, or has left it */
    for (int i = 1; i < AGENTS; i++) {
        const struct agent *other = &world->agents[i];
        if (!other->present)
            continue;
        if (is_before(other, 1) && goes_before(other, self))
            return false;
    }
    return true;
}

/* ---- what else there is to see ------------------------------------------------------------------------------- */

static bool anyone_in_crossing(const struct world *world)
{
    for (int i = 1; i < AGENTS; i++) {
        if (world->agents[i].present && in_crossing(&world->agents[i]))
            return true;
    }
    return false;
}

/* Another car, not behind or ahead of this car in its own lane, is so many tiles before the crossing. */
static bool anyone_before(const struct world *world, int tiles)
{
    const enum heading mine = heading_of(world->agents[0].angle);

    for (int i = 1; i < AGENTS; i++) {
        const struct agent *other = &world->agents[i];
        if (other->present && is_before(other, tiles) && side_of(mine, heading_of(other->angle)) != SAME)
            return true;
    }
    return false;
}

static bool is_tailgating(const struct world *world)
{
    const struct agent *self = &world->agents[0];
    const enum heading heading = heading_of(self->angle);

    for (int i = 1; i < AGENTS; i++) {
        const struct agent *other = &world->agents[i];
        if (!other->present || heading_of(other->angle) != heading)
            continue;
        if (aside(self, other, heading) > LANE_HALF || ahead(self, other, heading) <= 0.0f)
            continue;
        if (distance_between(self, other) < FOLLOWING)
            return true;
    }
    return false;
}

static bool anyone_close(const struct world *world)
{
    const struct agent *self = &world->agents[0];
    const enum heading heading = heading_of(self->angle);

    for (int i = 1; i < AGENTS; i++) {
        const struct agent *other = &world->agents[i];
        if (!other->present || !on_road(tile_of(other)))
            continue;
        if (distance_between(self, other) < CLOSE && ahead(self, other, heading) > 0.0f
            && side_of(heading, heading_of(other->angle)) != OPPOSITE)
            return true;
    }
    return false;
}

/* ---- deciding ------------------------------------------------------------------------------------------------ */

static struct features look(const struct world *world, const struct memory *memory)
{
    struct features seen;

    seen.at_line = at_line(&world->agents[0]);
    seen.entered = has_entered(&world->agents[0]);
    seen.right_of_way = right_of_way(world);
    seen.occupied = anyone_in_crossing(world);
    seen.safe = safe_to_enter(world);
    seen.approached = anyone_before(world, 1);
    seen.coming = anyone_before(world, 2);
    seen.tailgating = is_tailgating(world);
    seen.close = anyone_close(world);
    seen.impatient = memory->waited > PATIENCE;
    return seen;
}

static int number_of(struct features seen)
{
    const bool bits[FEATURES] = {
        seen.at_line,    seen.entered, seen.right_of_way, seen.occupied, seen.safe,
        seen.approached, seen.coming,  seen.tailgating,   seen.close,    seen.impatient,
    };
    int number = 0;

    for (int i = 0; i < FEATURES; i++)
        number = number * 2 + (bits[i] ? 1 : 0);
    return number;
}

/* The row of the table that is about this situation: what the driver learns by, and what it decides by. */
int situation(const struct world *world, const struct memory *memory)
{
    return number_of(look(world, memory));
}

/* What one decision leaves behind for the next. */
void remember(const struct world *world, struct memory *memory, bool moves)
{
    if (moves || !at_line(&world->agents[0]))
        memory->waited = 0;
    else if (memory->waited <= PATIENCE)
        memory->waited++;
}

void drive(const struct world *world, struct memory *memory)
{
    const int row = situation(world, memory);

    move = q[row][1] > q[row][0];
    remember(world, memory, move);
}
