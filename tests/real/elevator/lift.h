#ifndef LIFT_H
#define LIFT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FLOORS 6

typedef enum { EV_TICK, EV_CALL, EV_SENSOR, EV_OBSTACLE, EV_FIRE, EV_COUNT } event_id_t;

typedef struct {
    event_id_t id;
    int8_t     floor;
} event_t;

struct lift;
typedef struct lift lift_t;

/* A state handles an event and returns the next state, or itself. */
typedef struct state {
    const char *name;
    void (*enter)(lift_t *);
    const struct state *(*handle)(lift_t *, const event_t *);
} state_t;

struct lift {
    int8_t  floor;
    int8_t  target;
    uint8_t calls;       /* one bit a floor */
    uint8_t door_ticks;
    uint8_t motor;       /* MOTOR_ */
    uint8_t door;        /* 0 closed, 1 open */
};

enum { MOTOR_OFF, MOTOR_UP, MOTOR_DOWN };

int lift_dispatch(int id, int floor);

#endif
