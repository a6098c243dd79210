#include "planner.hpp"

struct given {
    agv::Perception seen;
    std::uint8_t faults;
};
static const given FACT = { { { 150, 90, 38, 200, 210 }, 60, 3, false }, 0 };

#include "../truth.h"
#include "planner.cpp"

using agv::Order;
static agv::Decision result;

static void restore(void)
{
    agv::faults = g.faults;
}

static void call(void)
{
    result = agv::plan(g.seen);
}

QUESTION("did return.order == Wait and return.speed == 0")
{
    SCENARIO(result.order == Order::Wait && result.speed == 0);
}

QUESTION("would return.order == Wait if seen.range_cm[0] in {1..400} and seen.heading_error is anything")
{
    EACH (seen.range_cm[0], 1, 400)
        EACH (seen.heading_error, -128, 127)
            SCENARIO(result.order == Order::Wait);
}

QUESTION("might return.order == Forward if seen.range_cm[2] in {1..65535}")
{
    EACH (seen.range_cm[2], 1, 65535)
        SCENARIO(result.order == Order::Forward);
}

QUESTION("might return.speed > 24 if seen.range_cm[2] is anything and seen.heading_error in {-4..4}")
{
    EACH (seen.range_cm[2], 0, 65535)
        EACH (seen.heading_error, -4, 4)
            SCENARIO(result.speed > 24);
}

/* One beam blocked at the side: it evades, towards the other side. */
QUESTION("would return.order == Left if seen.range_cm[2] in {40..300} and seen.range_cm[4] in {1..39}")
{
    EACH (seen.range_cm[2], 40, 300)
        EACH (seen.range_cm[4], 1, 39)
            SCENARIO(result.order == Order::Left);
}

/* A beam without an echo is a fault: it waits, and the speed is the number of the beam. */
QUESTION("would return.order == Wait and return.speed == 3 if seen.range_cm[3] == 0 and seen.battery in {15..100} and"
         " agv::faults in {0, 1, 2}")
{
    g.seen.range_cm[3] = 0;
    EACH (seen.battery, 15, 100)
        EACH (faults, 0, 2)
            SCENARIO(result.order == Order::Wait && result.speed == 3);
}

QUESTION("might fails if seen.range_cm[1] in {0..5} and agv::faults is anything")
{
    EACH (seen.range_cm[1], 0, 5)
        EACH (faults, 0, 255)
            FAILS(1);
}

QUESTION("might fails within 3 steps held if seen.range_cm[1] in {0..5} and seen.docked is anything and seen.battery is anything")
{
    EACH (seen.range_cm[1], 0, 5)
        EACH (seen.docked, 0, 1)
            EACH (seen.battery, 0, 100)
                FAILS(3);
}

QUESTION("might fails within 4 steps held if seen.range_cm[1] in {0..5} and seen.docked is anything and seen.battery is anything")
{
    EACH (seen.range_cm[1], 0, 5)
        EACH (seen.docked, 0, 1)
            EACH (seen.battery, 0, 100)
                FAILS(4);
}

/* The faults wrap from 255 to 0: the 256th is forgiven. */
QUESTION("would fails if seen.range_cm[4] == 0 and agv::faults in {3..255}")
{
    g.seen.range_cm[4] = 0;
    EACH (faults, 3, 255)
        FAILS(1);
}
