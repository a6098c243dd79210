#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <vector>

namespace agv {

enum class Order : std::uint8_t { Wait, Forward, Left, Right, Dock };

/// What the laser scanner and the fleet server say.
struct Perception {
    std::array<std::uint16_t, 5> range_cm; // left to right, 0 is "no echo"
    std::uint8_t battery;                  // percent
    std::int8_t heading_error;             // degrees
    bool docked;
};

struct Decision {
    Order order;
    std::uint8_t speed; // cm/s
};

class SensorFault : public std::runtime_error {
public:
    explicit SensorFault(int beam) : std::runtime_error("no echo"), beam_(beam) {}
    int beam() const noexcept { return beam_; }

private:
    int beam_;
};

/// A rule may propose an order; the first that does decides.
class Rule {
public:
    virtual ~Rule() = default;
    virtual std::optional<Decision> propose(const Perception &seen) const = 0;
};

Decision plan(const Perception &seen);

extern std::uint8_t faults;

} // namespace agv
