// Local planner of the warehouse vehicles: a short list of rules, tried in order.
#include "planner.hpp"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <numeric>

namespace agv {

std::uint8_t faults = 0;

namespace {

constexpr std::uint16_t kStopCm = 40;
constexpr std::uint16_t kSlowCm = 120;
constexpr int kCentre = 2;

std::uint16_t checked(const Perception &seen, int beam)
{
    const auto range = seen.range_cm.at(static_cast<std::size_t>(beam));
    if (range == 0)
        throw SensorFault(beam);
    return range;
}

class DockWhenEmpty final : public Rule {
public:
    explicit DockWhenEmpty(std::uint8_t percent) : percent_(percent) {}

    std::optional<Decision> propose(const Perception &seen) const override
    {
        if (seen.docked && seen.battery < 95)
            return Decision{Order::Dock, 0};
        if (seen.battery < percent_)
            return Decision{Order::Dock, 20};
        return std::nullopt;
    }

private:
    std::uint8_t percent_;
};

class KeepClear final : public Rule {
public:
    std::optional<Decision> propose(const Perception &seen) const override
    {
        std::vector<int> blocked;
        for (int beam = 0; beam < 5; ++beam) {
            if (checked(seen, beam) < kStopCm)
                blocked.push_back(beam);
        }
        if (blocked.empty())
            return std::nullopt;
        const auto centre = std::find(blocked.begin(), blocked.end(), kCentre);
        if (centre == blocked.end() && blocked.size() == 1)
            return blocked.front() < kCentre ? Decision{Order::Right, 10} : Decision{Order::Left, 10};
        return Decision{Order::Wait, 0};
    }
};

class FollowLine final : public Rule {
public:
    std::optional<Decision> propose(const Perception &seen) const override
    {
        const int nearest = *std::min_element(seen.range_cm.begin(), seen.range_cm.end());
        const int off = std::abs(static_cast<int>(seen.heading_error));
        int speed = nearest < kSlowCm ? (nearest - kStopCm) / 2 : 60;
        speed -= off;
        if (speed <= 0)
            return std::nullopt;
        if (off > 8)
            return Decision{seen.heading_error > 0 ? Order::Left : Order::Right, static_cast<std::uint8_t>(speed / 2)};
        return Decision{Order::Forward, static_cast<std::uint8_t>(speed)};
    }
};

} // namespace

Decision plan(const Perception &seen)
{
    std::vector<std::unique_ptr<Rule>> rules;
    rules.push_back(std::make_unique<DockWhenEmpty>(15));
    rules.push_back(std::make_unique<KeepClear>());
    rules.push_back(std::make_unique<FollowLine>());

    try {
        for (const auto &rule : rules) {
            if (auto proposal = rule->propose(seen))
                return *proposal;
        }
    } catch (const SensorFault &fault) {
        if (++faults > 3)
            throw; // the safety layer stops the vehicle
        return {Order::Wait, static_cast<std::uint8_t>(fault.beam())};
    }
    return {Order::Wait, 0};
}

} // namespace agv
