#include "advisory.h"

const int positive_ra_alt_thresh[N_LAYERS] = { 400, 500, 640, 740 };

/* The climb is favoured by NOZCROSS where the aircraft cannot climb well. */
int inhibit_biased_climb(const struct track *t)
{
    return t->climb_inhibit ? t->up_separation + NOZCROSS : t->up_separation;
}

int alt_limit(const struct track *t)
{
    return positive_ra_alt_thresh[t->layer];
}
