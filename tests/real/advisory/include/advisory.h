#ifndef ADVISORY_H
#define ADVISORY_H

/* Resolution advisories against one intruder. Altitudes in feet, rates in feet per minute. */

#define OLEV       600   /* rate considered too high to advise a crossing */
#define NOZCROSS   100
#define MINSEP     300
#define N_LAYERS   4

enum other_rac  { NO_INTENT, DO_NOT_CLIMB, DO_NOT_DESCEND };
enum capability { TCAS_TA = 1, OTHER_EQUIPMENT };
enum resolution { UNRESOLVED, UPWARD_RA, DOWNWARD_RA };

struct track {
    int own_alt;
    int own_rate;
    int other_alt;
    int up_separation;    /* predicted, if own climbs */
    int down_separation;  /* predicted, if own descends */
    int layer;            /* 0 to 3, by altitude */
    int high_confidence;
    int two_reports_valid;
    enum other_rac  other_rac;
    enum capability other_capability;
    int climb_inhibit;
};

extern const int positive_ra_alt_thresh[N_LAYERS];

int inhibit_biased_climb(const struct track *t);
int alt_limit(const struct track *t);
enum resolution alt_sep_test(const struct track *t);

#endif
