/* What only the library's binary has is refused by its name. */
#include <string>

int decide(int x)
{
    if (x == 0)
        return 1;
    return static_cast<int>(std::to_string(x).size());
}
