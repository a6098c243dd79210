/* A car that heeds the warnings of the intersection manager, also about a road user that it does not see. */

#include "crossing.h"

void plan(const struct car *car, const struct sighting *seen, const struct warning *warning, struct memory *memory,
          struct control *control)
{
    const float by_sight = brake_for_sighting(car, seen);
    const float by_warning = brake_for_warning(car, warning);

    control->brake = ease(by_sight > by_warning ? by_sight : by_warning, memory->brake, car->dt);
    memory->brake = control->brake;
}
