/* The world around the adviser: a second passes. The pilot heeds each advisory, the other aircraft keeps its rate. */

enum last { STRONG_DESCEND, DESCEND, CLEAR, CLIMB, STRONG_CLIMB };

double gap;        /* how much higher the other aircraft is, ft */
double own_rate;   /* our rate of climb, ft/s */
double other_rate; /* the other's, ft/s */
long seconds;      /* until they pass */
enum last last;    /* the advisory before */
int turned_round;  /* whether this advisory says the other way than the one before */
int pass_close;    /* whether they pass, with less than 100 ft between them */

static double changed(double rate, double asked, double change)
{
    if (asked > 0) {
        if (rate >= asked)
            return rate;
        return asked - rate < change ? asked : rate + change;
    }
    if (rate <= asked)
        return rate;
    return rate - asked < change ? asked : rate - change;
}

void second_passes(enum last advisory)
{
    double rate = own_rate;
    switch (advisory) {
    case STRONG_DESCEND: rate = changed(rate, -40.0, 10.0); break;
    case DESCEND:        rate = changed(rate, -25.0, 8.0); break;
    case CLIMB:          rate = changed(rate, 25.0, 8.0); break;
    case STRONG_CLIMB:   rate = changed(rate, 40.0, 10.0); break;
    case CLEAR:          break;
    }
    gap = gap + (other_rate - (own_rate + rate) / 2);
    own_rate = rate;
    turned_round = (last < CLEAR && advisory > CLEAR) || (last > CLEAR && advisory < CLEAR);
    last = advisory;
    if (seconds > 0)
        seconds = seconds - 1;
    pass_close = seconds == 0 && -100.0 < gap && gap < 100.0;
}
