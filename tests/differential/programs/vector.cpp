/* std::vector: growing, going over it, its size and its end.
 *
 * try: n = 0, 2, 3
 * only: n = 0 .. 3
 */
#include <vector>

int decide(unsigned char n)
{
    std::vector<int> found;
    for (int i = 0; i < n; i++)
        found.push_back(i * 10);
    int sum = static_cast<int>(found.size());
    for (int each : found)
        sum += each;
    return found.empty() ? -1 : sum + found.back();
}
