#include "advisory.h"

struct given {
    struct track t;
};
static const struct given FACT = { { 4900, 300, 5000, 740, 399, 0, 1, 1, NO_INTENT, TCAS_TA, 1 } };

#include "../truth.h"
#include "src/thresholds.c"
#include "src/advisory.c"

static enum resolution result;

static void restore(void) {}

static void call(void)
{
    result = alt_sep_test(&g.t);
}

QUESTION("did return == UPWARD_RA")
{
    SCENARIO(result == UPWARD_RA);
}

QUESTION("would return == UPWARD_RA if t.up_separation in {500..1000}")
{
    EACH (t.up_separation, 500, 1000)
        SCENARIO(result == UPWARD_RA);
}

QUESTION("might return == DOWNWARD_RA if t.up_separation in {0..1000} and t.down_separation in {300..450}")
{
    EACH (t.up_separation, 0, 1000)
        EACH (t.down_separation, 300, 450)
            SCENARIO(result == DOWNWARD_RA);
}

/* Never upwards where the way down is the wider one and wide enough. */
QUESTION("might return == UPWARD_RA if t.down_separation in {400..700} and t.up_separation in {0..299} and t.climb_inhibit in {0, 1}")
{
    EACH (t.down_separation, 400, 700)
        EACH (t.up_separation, 0, 299)
            EACH (t.climb_inhibit, 0, 1)
                SCENARIO(result == UPWARD_RA);
}

QUESTION("would return != UNRESOLVED if t.other_alt in {4000..6000} and t.layer is anything")
{
    EACH (t.other_alt, 4000, 6000)
        EACH (t.layer, 0, 3)
            SCENARIO(result != UNRESOLVED);
}

QUESTION("would return == UNRESOLVED if t.other_rac in {DO_NOT_CLIMB, DO_NOT_DESCEND} and t.other_alt in {4000..6000}"
         " and t.up_separation in {0, 400, 740} and t.two_reports_valid in {-1..1}")
{
    const int up[] = { 0, 400, 740 };
    EACH (t.other_rac, DO_NOT_CLIMB, DO_NOT_DESCEND)
        EACH (t.other_alt, 4000, 6000)
            EACH_OF (t.up_separation, up)
                EACH (t.two_reports_valid, -1, 1)
                    SCENARIO(result == UNRESOLVED);
}

QUESTION("might return == UPWARD_RA if t.other_capability == OTHER_EQUIPMENT and t.other_rac is anything and"
         " t.own_rate in {599..602} and t.two_reports_valid == 0 and t.layer is anything")
{
    g.t.other_capability = OTHER_EQUIPMENT;
    g.t.two_reports_valid = 0;
    EACH (t.other_rac, NO_INTENT, DO_NOT_DESCEND)
        EACH (t.own_rate, 599, 602)
            EACH (t.layer, 0, 3)
                SCENARIO(result == UPWARD_RA);
}

QUESTION("would return == UPWARD_RA if t.up_separation in {0..2000} and t.climb_inhibit == 0 and t.down_separation == 0")
{
    g.t.climb_inhibit = 0;
    g.t.down_separation = 0;
    EACH (t.up_separation, 0, 2000)
        SCENARIO(result == UPWARD_RA);
}

QUESTION("would return == DOWNWARD_RA if t.own_alt in {5001..6000} and t.up_separation in {400..420} and t.down_separation in {1001..1004}")
{
    EACH (t.own_alt, 5001, 6000)
        EACH (t.up_separation, 400, 420)
            EACH (t.down_separation, 1001, 1004)
                SCENARIO(result == DOWNWARD_RA);
}
