/* Power-up self test: one encounter whose answer is known. Not part of the decision. */
#include "advisory.h"

int selftest(void)
{
    struct track t = { 601, 0, 1000, 400, 399, 0, 1, 1, NO_INTENT, TCAS_TA, 0 };

    return alt_sep_test(&t) == UPWARD_RA ? 0 : -1;
}
