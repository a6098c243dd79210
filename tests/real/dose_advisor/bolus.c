/*
 * Bolus advisor.
 *
 *   advice = carbs / ICR + (glucose - target) / ISF - insulin on board
 *
 * rounded down to the pump's step and limited by the profile. Never advises insulin below LOW_MGDL.
 */
#include "bolus.h"

#include <math.h>
#include <stdbool.h>

#define LOW_MGDL      70.0f
#define HIGH_MGDL     250.0f
#define SENSOR_MIN    40.0f
#define SENSOR_MAX    400.0f
#define PUMP_STEP     0.05f
#define MMOL_TO_MGDL  18.016f

#ifndef MAX
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#endif

float last_bolus_u = 0.0f;

/* linear decay; the curve of the manual is within 4 % of it */
static float insulin_on_board(float minutes, float dia_h)
{
    float left = 1.0f - minutes / (dia_h * 60.0f);

    if (left <= 0.0f)
        return 0.0f;
    return last_bolus_u * left;
}

static float round_to_step(float units)
{
    return floorf(units / PUMP_STEP) * PUMP_STEP;
}

/* some meters report mmol/l: no living wearer has 30 mg/dl on a meter that works */
static float to_mgdl(float glucose)
{
    return glucose < 30.0f ? glucose * MMOL_TO_MGDL : glucose;
}

void advise_bolus(float glucose, float carbs, float minutes_since_last, const profile_t *p, advice_t *advice)
{
    float mgdl = to_mgdl(glucose);
    float correction, meal, units;

    advice->units = 0.0f;
    advice->warning = WARN_NONE;

    if (!(mgdl >= SENSOR_MIN && mgdl <= SENSOR_MAX)) {
        advice->warning = WARN_SENSOR;
        return;
    }
    if (mgdl < LOW_MGDL) {
        advice->warning = WARN_LOW;
        return;
    }

    meal = carbs / p->icr;
    correction = (mgdl - p->target) / p->isf;
    units = meal + correction - insulin_on_board(minutes_since_last, p->dia_h);
    units = MAX(units, 0.0f);
    if (units > p->max_bolus) {
        units = p->max_bolus;
        advice->warning = WARN_LIMIT;
    } else if (mgdl > HIGH_MGDL) {
        advice->warning = WARN_HIGH;
    }
    advice->units = round_to_step(units);
    if (advice->units > 0.0f)
        last_bolus_u = advice->units;
}
