/* Fire hub: detectors report one message each; what its four bytes mean depends on the kind of the detector. */
#include <stdbool.h>
#include <stdint.h>

enum kind { HEAT, SMOKE, BUTTON };

struct message {
    uint8_t kind;
    uint8_t zone;
    union {
        float celsius;                                   /* HEAT */
        struct { uint16_t density; int16_t drift; } smoke; /* SMOKE: parts per thousand, and the slow change of it */
        struct { uint32_t pressed : 1, count : 5, serial : 26; } button; /* BUTTON */
        uint8_t raw[4];
    };
};

union report {
    uint32_t word;
    struct { uint8_t alarm, zone, cause, check; } f;
};

static float hottest;

static uint8_t check_of(const struct message *m)
{
    return (uint8_t)(m->raw[0] ^ m->raw[1] ^ m->raw[2] ^ m->raw[3]);
}

union report hub_judge(const struct message *m)
{
    union report r;

    r.word = 0;
    r.f.zone = m->zone;
    r.f.check = check_of(m);
    switch (m->kind) {
    case HEAT:
        if (m->celsius > hottest)
            hottest = m->celsius;
        r.f.alarm = m->celsius >= 58.0f;
        break;
    case SMOKE:
        r.f.alarm = m->smoke.density - m->smoke.drift > 120;
        break;
    case BUTTON:
        r.f.alarm = m->button.pressed && m->button.count < 20;
        break;
    default:
        r.f.cause = 255;
        return r;
    }
    r.f.cause = r.f.alarm ? (uint8_t)(m->kind + 1) : 0;
    return r;
}
