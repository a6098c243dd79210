/*
 * Brake-line pressure: oversampled ADC -> Q15 low pass -> slew limit -> plausibility
 *
 * All arithmetic is 16/32 bit fixed point; the part has no FPU. Q formats are noted beside each value.
 */
#include <limits.h>
#include <stdint.h>

#define Q15_ONE         32767
#define ALPHA_Q15       6554      /* 0.2 */
#define MAX_SLEW        400       /* counts a sample */
#define BAR_PER_COUNT_Q10 51      /* 250 bar / 4096 counts, in Q10 ... 62.5 would be exact; calibrated down */
#define OVERSAMPLE      4
#define ERR_LATCH       3

typedef int16_t q15_t;
typedef int32_t q31_t;

struct filter {
    int16_t y;          /* filtered, counts */
    int16_t last_raw;   /* last mean, counts */
    uint8_t bad;        /* implausible samples in a row */
    uint8_t latched;    /* 1 until the ignition is cycled */
};

struct pressure {
    int16_t bar_x10;
    uint8_t valid;
};

static struct filter brake = { 0, 0, 0, 0 };

/* saturating Q15 product, round half up */
static q15_t q15_mul(q15_t a, q15_t b)
{
    q31_t p = (q31_t)a * b;

    p = (p + (1 << 14)) >> 15;
    if (p > INT16_MAX)
        p = INT16_MAX;
    if (p < INT16_MIN)
        p = INT16_MIN;
    return (q15_t)p;
}

static int16_t sat_sub(int16_t a, int16_t b)
{
    int32_t d = (int32_t)a - b;

    if (d > INT16_MAX) return INT16_MAX;
    if (d < INT16_MIN) return INT16_MIN;
    return (int16_t)d;
}

static int16_t mean(const uint16_t adc[OVERSAMPLE])
{
    uint32_t sum = OVERSAMPLE / 2;

    for (unsigned i = 0; i < OVERSAMPLE; i++)
        sum += adc[i] & 0x0FFF;
    return (int16_t)(sum / OVERSAMPLE);
}

static int16_t slew(int16_t from, int16_t to)
{
    int16_t d = sat_sub(to, from);

    if (d > MAX_SLEW)
        return (int16_t)(from + MAX_SLEW);
    if (d < -MAX_SLEW)
        return (int16_t)(from - MAX_SLEW);
    return to;
}

static int plausible(int16_t raw)
{
    /* a sensor that is cut reads the rail; one that is shorted reads ground */
    if (raw < 41 || raw > 4055)
        return 0;
    return 1;
}

void pressure_sample(const uint16_t adc[OVERSAMPLE], struct pressure *out)
{
    int16_t raw = mean(adc);
    int16_t target;

    if (!plausible(raw)) {
        if (brake.bad < UINT8_MAX)
            brake.bad++;
        if (brake.bad >= ERR_LATCH)
            brake.latched = 1;
        raw = brake.last_raw; /* freeze */
    } else {
        brake.bad = 0;
    }
    brake.last_raw = raw;

    target = (int16_t)(brake.y + q15_mul(ALPHA_Q15, sat_sub(raw, brake.y)));
    brake.y = slew(brake.y, target);

    out->valid = !brake.latched;
    out->bar_x10 = brake.latched ? 0 : (int16_t)(((int32_t)brake.y * BAR_PER_COUNT_Q10 * 10) >> 10);
}
