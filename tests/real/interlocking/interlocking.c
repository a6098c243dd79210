/*
 * Interlocking kernel: may this route be set, and what does its signal show?
 *
 * The kernel never moves anything. It answers the panel, which moves the points and calls again until the answer is
 * PROCEED or REFUSED.
 */
#include "tables.h"

typedef enum { REFUSED, WAIT_POINTS, WAIT_SECTIONS, PROCEED_SLOW, PROCEED } aspect_t;

typedef struct {
    uint16_t occupied;          /* one bit a section; 1 is occupied or failed */
    uint8_t  points_l;          /* detected left */
    uint8_t  points_r;          /* detected right; neither or both means moving or failed */
    uint8_t  degraded;          /* the operator's key: overlaps are not asked for */
} field_t;

static uint8_t  locked_routes;  /* one bit a route */
static uint16_t locked_sections;
uint8_t         refused_count;

static int points_required(uint8_t word, int n)
{
    return (word >> (2 * n)) & 3;
}

static int points_detected(const field_t *f, int n)
{
    int l = (f->points_l >> n) & 1;
    int r = (f->points_r >> n) & 1;

    return l | (r << 1);
}

static int points_ok(const field_t *f, uint8_t word)
{
    int n;

    for (n = 0; n < N_POINTS; n++) {
        int need = points_required(word, n);
        if (need != 0 && points_detected(f, n) != need)
            return 0;
    }
    return 1;
}

static int popcount16(uint16_t x)
{
    int n = 0;

    while (x) {
        x &= (uint16_t)(x - 1);
        n++;
    }
    return n;
}

static aspect_t refuse(void)
{
    refused_count++;
    return REFUSED;
}

aspect_t request_route(unsigned number, const field_t *field)
{
    const struct route *r;
    uint16_t needed;

    if (number >= N_ROUTES)
        return refuse();
    r = &routes[number];

    if (locked_routes & r->conflicts)
        return refuse();

    needed = field->degraded ? r->path : (uint16_t)(r->path | r->overlap);
    if (!(locked_routes & (1u << number)) && (locked_sections & needed))
        return refuse();

    locked_routes |= (uint8_t)(1u << number);
    locked_sections |= needed;

    if (!points_ok(field, r->points))
        return WAIT_POINTS;
    if (field->occupied & needed)
        return WAIT_SECTIONS;
    if (field->degraded || r->speed <= 4 || popcount16(locked_sections) > 6)
        return PROCEED_SLOW;
    return PROCEED;
}
