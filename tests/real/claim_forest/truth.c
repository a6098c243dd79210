struct given {
    float age, amount, days;
    int prior, region;
};
static const struct given FACT = { 44, 5200, 9, 1, 3 };

#include "../truth.h"
#include "forest.c"

enum { PAY, PERSON, REFUSE };
static int result;

static void restore(void) {}

static void call(void)
{
    result = review_claim(g.age, g.amount, g.prior, g.days, g.region);
}

QUESTION("did return == PERSON")
{
    SCENARIO(result == PERSON);
}

QUESTION("would return == PERSON if prior is anything and region is anything")
{
    EACH (prior, -1, 50)
        EACH (region, 0, 16)
            SCENARIO(result == PERSON);
}

QUESTION("might return == REFUSE if prior is anything and age in {18.0, 25.0, 25.5, 26.0, 80.0} and region is anything")
{
    const float ages[] = { 18.0f, 25.0f, 25.5f, 26.0f, 80.0f };
    EACH (prior, -1, 50)
        EACH (region, 0, 16)
            EACH_OF (age, ages)
                SCENARIO(result == REFUSE);
}

QUESTION("would return == PAY if 4990.0 <= amount < 4999.5")
{
    EACH_FLOAT (amount, 4990.0f, nextafterf(4999.5f, 0))
        SCENARIO(result == PAY);
}

QUESTION("might return != PAY if 4990.0 <= amount <= 4999.5")
{
    EACH_FLOAT (amount, 4990.0f, 4999.5f)
        SCENARIO(result != PAY);
}

QUESTION("would return == fact(return) if 13.98 <= days <= 14.02 and prior in {0, 1, 2}")
{
    EACH (prior, 0, 2)
        EACH_FLOAT (days, 13.98f, 14.02f)
            SCENARIO(result == PERSON);
}

/* Of a claim without a number of earlier ones, and of an unknown age: both features are missing. */
QUESTION("would return in {PAY, PERSON} if age == -1.0 and prior == -1 and region is anything and"
        " amount in {0.0, 1199.5, 1200.0, 4999.5, 5200.0} and days in {-1.0, 13.0, 14.0, 60.0, 61.0}")
{
    const float amounts[] = { 0.0f, 1199.5f, 1200.0f, 4999.5f, 5200.0f };
    const float days[] = { -1.0f, 13.0f, 14.0f, 60.0f, 61.0f };
    g.age = -1;
    g.prior = -1;
    EACH (region, 0, 16)
        EACH_OF (amount, amounts)
            EACH_OF (days, days)
                SCENARIO(result == PAY || result == PERSON);
}

QUESTION("might quantize() == 2 if prior is anything")
{
    /* bins lie between whole numbers, so no tie has the even number of its bin */
    EACH (prior, -1, 50)
        SCENARIO(g.prior >= 0 && quantize((float)g.prior, F_PRIOR) == 2);
}

QUESTION("might fails if prior is anything and region is anything")
{
    EACH (prior, -1, 50)
        EACH (region, 0, 16)
            FAILS(1);
}
