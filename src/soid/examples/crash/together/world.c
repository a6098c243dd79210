/* The world of the crossing with one of three drivers at the wheel of the first car. */

#include "../world.c"

enum wheel { STANDARD, IMPATIENT, PATHOLOGICAL };

/* The three decide on the same things, and the car does what the one at the wheel decides. */
void drive_on(struct world *world, struct traffic *traffic, enum wheel wheel, bool standard, bool impatient,
              bool pathological, bool *collides, bool *arrives)
{
    const bool moves = wheel == STANDARD ? standard : wheel == IMPATIENT ? impatient : pathological;

    advance(world, traffic, moves, collides, arrives);
}
