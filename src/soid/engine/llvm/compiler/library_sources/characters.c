/* <ctype.h>: the functions, and the tables that glibc's macros look into. */
#include "library.h"

/* The number that stands for yes: C asks for any but 0. Programs for glibc see the bit of its table. */
#ifdef __gnu_linux__
#define YES(bit) (bit)
#else
#define YES(bit) 1
#endif

static int checked(int c)
{
    if (c < -1 || c > UCHAR_MAX)
        soid_fails("character function called with a number that is neither an unsigned char nor EOF");
    return c;
}

static bool is_alpha(int c)
{
    return between(c | 32, 'a', 'z');
}

static bool is_digit(int c)
{
    return between(c, '0', '9');
}

int EXPORTED(isupper)(int c) { return between(checked(c), 'A', 'Z') * YES(0x100); }
int EXPORTED(islower)(int c) { return between(checked(c), 'a', 'z') * YES(0x200); }
int EXPORTED(isalpha)(int c) { return is_alpha(checked(c)) * YES(0x400); }
int EXPORTED(isdigit)(int c) { return is_digit(checked(c)) * YES(0x800); }
int EXPORTED(isxdigit)(int c) { return (is_digit(checked(c)) | between(c | 32, 'a', 'f')) * YES(0x1000); }
int EXPORTED(isspace)(int c) { return is_space(checked(c)) * YES(0x2000); }
int EXPORTED(isprint)(int c) { return between(checked(c), ' ', '~') * YES(0x4000); }
int EXPORTED(isgraph)(int c) { return between(checked(c), '!', '~') * YES(0x8000); }
int EXPORTED(isblank)(int c) { return ((checked(c) == ' ') | (c == '\t')) * YES(0x1); }
int EXPORTED(iscntrl)(int c) { return (between(checked(c), 0, 31) | (c == 127)) * YES(0x2); }
int EXPORTED(ispunct)(int c)
{
    return (between(checked(c), '!', '~') & !(is_alpha(c) | is_digit(c))) * YES(0x4);
}
int EXPORTED(isalnum)(int c) { return (is_alpha(checked(c)) | is_digit(c)) * YES(0x8); }
int EXPORTED(tolower)(int c) { return lower(checked(c)); }
int EXPORTED(toupper)(int c) { return checked(c) - 32 * between(c, 'a', 'z'); }
int EXPORTED(isascii)(int c) { return between(c, 0, 127); }
int EXPORTED(toascii)(int c) { return c & 127; }

/* From EOF, which is -1, to the greatest character. Characters above 127 belong to no class. */
static const unsigned short classes[257] = {
    0,
    0x0002, 0x0002, 0x0002, 0x0002, 0x0002, 0x0002, 0x0002, 0x0002, 0x0002, 0x2003, 0x2002, 0x2002,
    0x2002, 0x2002, 0x0002, 0x0002, 0x0002, 0x0002, 0x0002, 0x0002, 0x0002, 0x0002, 0x0002, 0x0002,
    0x0002, 0x0002, 0x0002, 0x0002, 0x0002, 0x0002, 0x0002, 0x0002, 0x6001, 0xc004, 0xc004, 0xc004,
    0xc004, 0xc004, 0xc004, 0xc004, 0xc004, 0xc004, 0xc004, 0xc004, 0xc004, 0xc004, 0xc004, 0xc004,
    0xd808, 0xd808, 0xd808, 0xd808, 0xd808, 0xd808, 0xd808, 0xd808, 0xd808, 0xd808, 0xc004, 0xc004,
    0xc004, 0xc004, 0xc004, 0xc004, 0xc004, 0xd508, 0xd508, 0xd508, 0xd508, 0xd508, 0xd508, 0xc508,
    0xc508, 0xc508, 0xc508, 0xc508, 0xc508, 0xc508, 0xc508, 0xc508, 0xc508, 0xc508, 0xc508, 0xc508,
    0xc508, 0xc508, 0xc508, 0xc508, 0xc508, 0xc508, 0xc508, 0xc004, 0xc004, 0xc004, 0xc004, 0xc004,
    0xc004, 0xd608, 0xd608, 0xd608, 0xd608, 0xd608, 0xd608, 0xc608, 0xc608, 0xc608, 0xc608, 0xc608,
    0xc608, 0xc608, 0xc608, 0xc608, 0xc608, 0xc608, 0xc608, 0xc608, 0xc608, 0xc608, 0xc608, 0xc608,
    0xc608, 0xc608, 0xc608, 0xc004, 0xc004, 0xc004, 0xc004, 0x0002,
};
static const int lowered[257] = {
    -1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18,
    19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38,
    39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58,
    59, 60, 61, 62, 63, 64, 97, 98, 99, 100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110,
    111, 112, 113, 114, 115, 116, 117, 118, 119, 120, 121, 122, 91, 92, 93, 94, 95, 96, 97, 98,
    99, 100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110, 111, 112, 113, 114, 115, 116, 117, 118,
    119, 120, 121, 122, 123, 124, 125, 126, 127, 128, 129, 130, 131, 132, 133, 134, 135, 136, 137, 138,
    139, 140, 141, 142, 143, 144, 145, 146, 147, 148, 149, 150, 151, 152, 153, 154, 155, 156, 157, 158,
    159, 160, 161, 162, 163, 164, 165, 166, 167, 168, 169, 170, 171, 172, 173, 174, 175, 176, 177, 178,
    179, 180, 181, 182, 183, 184, 185, 186, 187, 188, 189, 190, 191, 192, 193, 194, 195, 196, 197, 198,
    199, 200, 201, 202, 203, 204, 205, 206, 207, 208, 209, 210, 211, 212, 213, 214, 215, 216, 217, 218,
    219, 220, 221, 222, 223, 224, 225, 226, 227, 228, 229, 230, 231, 232, 233, 234, 235, 236, 237, 238,
    239, 240, 241, 242, 243, 244, 245, 246, 247, 248, 249, 250, 251, 252, 253, 254, 255,
};
static const int raised[257] = {
    -1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18,
    19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38,
    39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58,
    59, 60, 61, 62, 63, 64, 65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78,
    79, 80, 81, 82, 83, 84, 85, 86, 87, 88, 89, 90, 91, 92, 93, 94, 95, 96, 65, 66,
    67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79, 80, 81, 82, 83, 84, 85, 86,
    87, 88, 89, 90, 123, 124, 125, 126, 127, 128, 129, 130, 131, 132, 133, 134, 135, 136, 137, 138,
    139, 140, 141, 142, 143, 144, 145, 146, 147, 148, 149, 150, 151, 152, 153, 154, 155, 156, 157, 158,
    159, 160, 161, 162, 163, 164, 165, 166, 167, 168, 169, 170, 171, 172, 173, 174, 175, 176, 177, 178,
    179, 180, 181, 182, 183, 184, 185, 186, 187, 188, 189, 190, 191, 192, 193, 194, 195, 196, 197, 198,
    199, 200, 201, 202, 203, 204, 205, 206, 207, 208, 209, 210, 211, 212, 213, 214, 215, 216, 217, 218,
    219, 220, 221, 222, 223, 224, 225, 226, 227, 228, 229, 230, 231, 232, 233, 234, 235, 236, 237, 238,
    239, 240, 241, 242, 243, 244, 245, 246, 247, 248, 249, 250, 251, 252, 253, 254, 255,
};
static const unsigned short *const classes_from_zero = classes + 1;
static const int *const lowered_from_zero = lowered + 1;
static const int *const raised_from_zero = raised + 1;

const unsigned short *const *EXPORTED(__ctype_b_loc)(void) { return &classes_from_zero; }
const int *const *EXPORTED(__ctype_tolower_loc)(void) { return &lowered_from_zero; }
const int *const *EXPORTED(__ctype_toupper_loc)(void) { return &raised_from_zero; }
