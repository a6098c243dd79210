/* The standard library as its headers bring it along: array, min, max, clamp, optional, pair, tuple, range-for.
 *
 * try: seen.cells[0] = -5, 3; seen.cells[1] = 0; seen.cells[2] = 9; limit = -1, 4
 */
#include <algorithm>
#include <array>
#include <optional>
#include <tuple>
#include <utility>

struct Seen {
    std::array<int, 3> cells;
};

static std::optional<int> root(int x)
{
    if (x < 0)
        return std::nullopt;
    return x / 2;
}

static std::pair<int, bool> counted(const Seen &seen, int limit)
{
    int count = 0;
    for (int cell : seen.cells)
        count += cell > limit;
    return {count, count == 3};
}

int decide(const Seen &seen, short limit)
{
    auto [count, all] = counted(seen, limit);
    std::tuple<int, int> ends{std::min(seen.cells[0], 100), std::max<int>(limit, -3)};
    int low = std::clamp(std::get<0>(ends), 0, 50) + std::get<1>(ends);
    return root(low).value_or(-1) + (all ? 1000 : count);
}
