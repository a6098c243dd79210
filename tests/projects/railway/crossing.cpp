#include "crossing.hpp"

namespace railway {
namespace {

constexpr float closing_time = 24.0f;    // s, from the order to closed barriers, with a reserve
constexpr float nearest = 150.0f;        // m: so near, it closes for any train
constexpr int ticks_until_clear = 6;     // so long the track must be clear
constexpr int ticks_for_barrier = 20;    // a barrier that takes longer is stuck

int clear_ticks = ticks_until_clear;
int closing_ticks = 0;

bool approaches(const Approach &approach)
{
    if (approach.distance < 0.0f) {
        return false;
    }
    return approach.distance < nearest || approach.distance < approach.speed * closing_time;
}

}  // namespace

Order control(const Approach &approach)
{
    const bool needed = approaches(approach) || approach.track == Track::Occupied;

    if (needed) {
        clear_ticks = 0;
    } else if (clear_ticks < ticks_until_clear) {
        clear_ticks++;
    }
    if (approach.barrier != Barrier::Closing) {
        closing_ticks = 0;
    } else if (closing_ticks < ticks_for_barrier) {
        closing_ticks++;
    }
    if (needed && (closing_ticks == ticks_for_barrier || !approach.lamp_works)) {
        return Order::Warn;  // the driver, by the signal before the crossing
    }
    return clear_ticks < ticks_until_clear ? Order::Lower : Order::Raise;
}

}  // namespace railway
