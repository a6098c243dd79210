/* std::string: short ones and long ones, appending, comparing, going over the letters.
 *
 * try: n = 0, 2, 5
 * only: n = 0 .. 5
 */
#include <string>

int decide(unsigned char n)
{
    std::string name = "road";
    for (int i = 0; i < n; i++)
        name += " and on";
    int sum = 0;
    for (char letter : name)
        sum += letter == 'o';
    return name == "road" ? -1 : sum * 100 + static_cast<int>(name.size());
}
