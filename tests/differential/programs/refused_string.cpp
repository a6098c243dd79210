/* What the headers leave to the library's binary is refused by its name. */
#include <string>

int decide(int x)
{
    if (x == 0)
        return 1;
    std::string name = "a road that is longer than what fits into a short string";
    name += x > 2 ? "!" : "?";
    return static_cast<int>(name.size());
}
