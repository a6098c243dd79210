/*
 * Altitude separation test of the advisory logic: climb, descend, or say nothing.
 */
#include "advisory.h"

typedef int bool_t;

#define TRUE  1
#define FALSE 0

static bool_t own_below_threat(const struct track *t)
{
    return t->own_alt < t->other_alt;
}

static bool_t own_above_threat(const struct track *t)
{
    return t->other_alt < t->own_alt;
}

static bool_t non_crossing_biased_climb(const struct track *t)
{
    bool_t upward_preferred = inhibit_biased_climb(t) > t->down_separation;

    if (upward_preferred)
        return !own_below_threat(t) ||
               (own_below_threat(t) && !(t->down_separation >= alt_limit(t)));
    return own_above_threat(t) && t->two_reports_valid >= 0 && t->up_separation >= alt_limit(t);
}

static bool_t non_crossing_biased_descend(const struct track *t)
{
    bool_t upward_preferred = inhibit_biased_climb(t) > t->down_separation;

    if (upward_preferred)
        return own_below_threat(t) && t->two_reports_valid >= 0 && t->down_separation >= alt_limit(t);
    return !own_above_threat(t) || (own_above_threat(t) && t->up_separation >= alt_limit(t));
}

enum resolution alt_sep_test(const struct track *t)
{
    bool_t enabled, tcas_equipped, intent_not_known;
    bool_t need_upward_RA = FALSE, need_downward_RA = FALSE;
    enum resolution alt_sep = UNRESOLVED;

    enabled = t->high_confidence && (t->own_rate <= OLEV) && (t->two_reports_valid || t->layer > 1);
    tcas_equipped = t->other_capability == TCAS_TA;
    intent_not_known = t->two_reports_valid && t->other_rac == NO_INTENT;

    if (enabled && ((tcas_equipped && intent_not_known) || !tcas_equipped)) {
        need_upward_RA = non_crossing_biased_climb(t) && own_below_threat(t);
        need_downward_RA = non_crossing_biased_descend(t) && own_above_threat(t);
        if (need_upward_RA && need_downward_RA)
            alt_sep = UNRESOLVED; /* cannot happen: own is above or below */
        else if (need_upward_RA)
            alt_sep = UPWARD_RA;
        else if (need_downward_RA)
            alt_sep = DOWNWARD_RA;
    }
    return alt_sep;
}
