#include "bolus.h"

struct given {
    float glucose, carbs, minutes, last;
    profile_t p;
};
static const struct given FACT = { 29.5f, 30, 60, 2, { 10, 40, 110, 12, 4 } };

#include "../truth.h"
#include "bolus.c"

static advice_t advice;

static void restore(void)
{
    last_bolus_u = g.last;
}

static void call(void)
{
    advise_bolus(g.glucose, g.carbs, g.minutes, &g.p, &advice);
}

/* 29.5 is read as mmol/l: 531 mg/dl, beyond the sensor. */
QUESTION("did advice.warning == SENSOR and advice.units == 0.0")
{
    SCENARIO(advice.warning == WARN_SENSOR && advice.units == 0);
}

QUESTION("would advice.units == 0.0 if 30.0 <= glucose <= 30.05 and carbs in {0.0, 30.0, 90.0}")
{
    const float meals[] = { 0, 30, 90 };
    EACH_OF (carbs, meals)
        EACH_FLOAT (glucose, 30.0f, 30.05f)
            SCENARIO(advice.units == 0);
}

/* A meter in mmol/l and one in mg/dl: both sides of the switch. */
QUESTION("might advice.units > 0.0 if 29.99 <= glucose <= 30.01")
{
    EACH_FLOAT (glucose, 29.99f, 30.01f)
        SCENARIO(advice.units > 0);
}

QUESTION("might advice.units > 12.0 if glucose in {5.5, 14.0, 22.0, 120.0, 390.0} and carbs in {0.0, 45.0, 90.0, 300.0}")
{
    const float levels[] = { 5.5f, 14, 22, 120, 390 }, meals[] = { 0, 45, 90, 300 };
    EACH_OF (glucose, levels)
        EACH_OF (carbs, meals)
            SCENARIO(advice.units > 12);
}

QUESTION("might advice.warning == LIMIT if 299.9 <= glucose <= 300.0 and carbs == 100.0 and minutes_since_last == 240.0")
{
    g.carbs = 100;
    g.minutes = 240;
    EACH_FLOAT (glucose, 299.9f, 300.0f)
        SCENARIO(advice.warning == WARN_LIMIT);
}

QUESTION("would advice.units == 0.0 if 69.95 <= glucose < 70.0 and carbs in {0.0, 30.0, 300.0} and last_bolus_u in {0.0, 2.0}")
{
    const float meals[] = { 0, 30, 300 }, bolus[] = { 0, 2 };
    EACH_OF (carbs, meals)
        EACH_OF (last, bolus)
            EACH_FLOAT (glucose, 69.95f, nextafterf(70, 0))
                SCENARIO(advice.units == 0);
}

QUESTION("would advice.units <= 4.0 if glucose == 180.0 and 59.9 <= minutes_since_last <= 60.1")
{
    g.glucose = 180;
    EACH_FLOAT (minutes, 59.9f, 60.1f)
        SCENARIO(advice.units <= 4.0f);
}

/* The same meal entered three times: each advice counts the one before. */
QUESTION("would advice.units > 0.0 throughout 3 steps held if glucose in {120.0, 150.0, 180.0} and carbs in {10.0, 20.0, 60.0}")
{
    const float levels[] = { 120, 150, 180 }, meals[] = { 10, 20, 60 };
    EACH_OF (glucose, levels)
        EACH_OF (carbs, meals)
            THROUGHOUT(3, advice.units > 0);
}

QUESTION("might fails if p.icr in {0.0, 10.0} and p.isf in {0.0, 40.0} and glucose in {5.5, 110.0, 250.0} and p.dia_h == 0.0")
{
    const float ratios[] = { 0, 10 }, factors[] = { 0, 40 }, levels[] = { 5.5f, 110, 250 };
    g.p.dia_h = 0;
    EACH_OF (p.icr, ratios)
        EACH_OF (p.isf, factors)
            EACH_OF (glucose, levels)
                FAILS(1);
}

/* A profile with a zero makes 0/0; the comparison in MAX takes the other side of a NaN. */
QUESTION("might advice.units is nan if p.icr == 0.0 and carbs == 0.0 and glucose in {5.5, 110.0, 250.0}")
{
    const float levels[] = { 5.5f, 110, 250 };
    g.p.icr = 0;
    g.carbs = 0;
    EACH_OF (glucose, levels)
        SCENARIO(isnan(advice.units));
}
