// A level crossing: when its barriers close, and when they may open again. It is called twice a second.

#pragma once

namespace railway {

enum class Track { Clear, Occupied };
enum class Barrier { Open, Closing, Closed };
enum class Order { Raise, Lower, Warn };

struct Approach {
    float speed;     // m/s, of the train
    float distance;  // m, from the crossing; negative: it has passed
    Track track;     // the circuit of the crossing itself
    Barrier barrier;
    bool lamp_works;
};

// What the crossing does now.
Order control(const Approach &approach);

}  // namespace railway
