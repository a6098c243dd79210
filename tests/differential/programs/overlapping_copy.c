/* memcpy between overlapping memory is a failure; a copy of something onto itself is none.
 * try: n = 0, 4
 * only: n = 0 .. 4
 */
#include <string.h>

int decide(int n)
{
    char text[12] = "abcdefghijk";
    memcpy(text + n, text, 4);
    return text[5];
}
