/*
 * Passenger lift, event driven. One static instance; the states are tables of functions.
 */
#include "lift.h"

#include <assert.h>

#define DOOR_TICKS 4
#define BIT(n) ((uint8_t)(1u << (n)))

static const state_t *idle_handle(lift_t *l, const event_t *e);
static const state_t *moving_handle(lift_t *l, const event_t *e);
static const state_t *doors_handle(lift_t *l, const event_t *e);
static const state_t *fire_handle(lift_t *l, const event_t *e);
static void idle_enter(lift_t *l);
static void moving_enter(lift_t *l);
static void doors_enter(lift_t *l);
static void fire_enter(lift_t *l);

static const state_t IDLE   = { "idle", idle_enter, idle_handle };
static const state_t MOVING = { "moving", moving_enter, moving_handle };
static const state_t DOORS  = { "doors", doors_enter, doors_handle };
static const state_t FIRE   = { "fire", fire_enter, fire_handle };

/* kept as a number, so that it survives in battery-backed memory */
static const state_t *const state_table[] = { &IDLE, &MOVING, &DOORS, &FIRE };

static lift_t  lift;
static uint8_t current;

static uint8_t state_number(const state_t *s)
{
    for (uint8_t i = 0; i < sizeof state_table / sizeof state_table[0]; i++) {
        if (state_table[i] == s)
            return i;
    }
    assert(!"not a state");
    return 0;
}

static int8_t next_call(const lift_t *l)
{
    for (int8_t d = 0; d < FLOORS; d++) {
        if (l->floor + d < FLOORS && (l->calls & BIT(l->floor + d)))
            return (int8_t)(l->floor + d);
        if (l->floor - d >= 0 && (l->calls & BIT(l->floor - d)))
            return (int8_t)(l->floor - d);
    }
    return -1;
}

static void idle_enter(lift_t *l)
{
    l->motor = MOTOR_OFF;
    l->door = 0;
}

static const state_t *idle_handle(lift_t *l, const event_t *e)
{
    if (e->id == EV_CALL)
        l->calls |= BIT(e->floor);
    l->target = next_call(l);
    if (l->target < 0)
        return &IDLE;
    return l->target == l->floor ? &DOORS : &MOVING;
}

static void moving_enter(lift_t *l)
{
    l->door = 0;
    l->motor = l->target > l->floor ? MOTOR_UP : MOTOR_DOWN;
}

static const state_t *moving_handle(lift_t *l, const event_t *e)
{
    switch (e->id) {
    case EV_CALL:
        l->calls |= BIT(e->floor);
        return &MOVING;
    case EV_SENSOR:
        l->floor = e->floor;
        return l->calls & BIT(l->floor) ? &DOORS : &MOVING;
    default:
        return &MOVING;
    }
}

static void doors_enter(lift_t *l)
{
    l->motor = MOTOR_OFF;
    l->door = 1;
    l->door_ticks = DOOR_TICKS;
    l->calls &= (uint8_t)~BIT(l->floor);
}

static const state_t *doors_handle(lift_t *l, const event_t *e)
{
    switch (e->id) {
    case EV_OBSTACLE:
        l->door_ticks = DOOR_TICKS;
        return &DOORS;
    case EV_CALL:
        if (e->floor != l->floor)
            l->calls |= BIT(e->floor);
        return &DOORS;
    case EV_TICK:
        if (--l->door_ticks > 0)
            return &DOORS;
        return &IDLE;
    default:
        return &DOORS;
    }
}

static void fire_enter(lift_t *l)
{
    l->calls = BIT(0);
    l->target = 0;
    l->motor = l->floor == 0 ? MOTOR_OFF : MOTOR_DOWN;
    l->door = l->floor == 0;
}

static const state_t *fire_handle(lift_t *l, const event_t *e)
{
    if (e->id == EV_SENSOR) {
        l->floor = e->floor;
        if (l->floor == 0)
            fire_enter(l);
    }
    return &FIRE;
}

/* The one entry: called from the event queue. Gives the state after the event. */
int lift_dispatch(int id, int floor)
{
    event_t event = { (event_id_t)id, (int8_t)floor };
    const state_t *from, *to;

    if (id < 0 || id >= EV_COUNT || floor < 0 || floor >= FLOORS)
        return -1;
    assert(current < sizeof state_table / sizeof state_table[0]);
    from = state_table[current];
    to = id == EV_FIRE ? &FIRE : from->handle(&lift, &event);
    if (to != from) {
        to->enter(&lift);
        current = state_number(to);
    }
    return current;
}
