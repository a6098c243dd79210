/* The intersection manager: it looks at the road user in its camera, and says to the car what it takes them for. */

#include "crossing.h"

static const float CYCLE = 1.2f; /* m: with a bicycle a person is longer than that */

enum road_user manage(const struct camera *camera)
{
    if (!camera->person) {
        return NOBODY;
    }
    return camera->length > CYCLE ? CYCLIST : PEDESTRIAN;
}
