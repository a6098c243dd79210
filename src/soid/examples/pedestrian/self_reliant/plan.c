/* A car that believes its own sensors: a warning counts only while they see a road user, too. */

#include "crossing.h"

void plan(const struct car *car, const struct sighting *seen, const struct warning *warning, struct memory *memory,
          struct control *control)
{
    const float by_sight = brake_for_sighting(car, seen);
    const float by_warning = seen->kind == NOBODY ? 0.0f : brake_for_warning(car, warning);

    control->brake = ease(by_sight > by_warning ? by_sight : by_warning, memory->brake, car->dt);
    memory->brake = control->brake;
}
