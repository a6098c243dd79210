#ifndef BOLUS_H
#define BOLUS_H

#include <stdint.h>

/* Profile of a wearer, set by the clinic. */
typedef struct {
    float icr;        /* g of carbohydrate one unit covers */
    float isf;        /* mg/dl one unit lowers */
    float target;     /* mg/dl */
    float max_bolus;  /* U */
    float dia_h;      /* duration of insulin action */
} profile_t;

typedef struct {
    float   units;
    uint8_t warning;
} advice_t;

enum { WARN_NONE, WARN_LOW, WARN_HIGH, WARN_LIMIT, WARN_SENSOR };

void advise_bolus(float glucose, float carbs, float minutes_since_last, const profile_t *p, advice_t *advice);

extern float last_bolus_u;

#endif
