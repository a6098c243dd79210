/* The string functions, on text that an input chooses and changes.
 * try: which = 0, 1, 2; letter = 0, 65, 97, 98
 * only: which = 0 .. 2
 */
#include <string.h>

static const char *const words[3] = { "go", "stop", "abc" };

int decide(unsigned char which, char letter)
{
    char text[16] = "x";
    char part[4];
    strcpy(text, words[which]);
    text[1] = letter;
    int result = (int)strlen(text);
    strcat(text, "!");
    strncpy(part, text, sizeof part);
    if (strcmp(text, "stop!") < 0)
        result += 10;
    if (strncmp(text, "abX", 2) == 0)
        result += 20;
    if (strchr(text, '!') == text + strlen(text) - 1)
        result += 40;
    if (memchr(part, 'o', sizeof part))
        result += 80;
    if (strrchr(text, 'a') != NULL)
        result += 160;
    if (strstr(text, "bc") != NULL)
        result += 320;
    return result;
}
