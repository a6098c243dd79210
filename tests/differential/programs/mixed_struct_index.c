/* A symbolic index into an array inside a struct means an element of that array and nothing around it; bytes read and
 * written across elements; a pointer into the array that knows no length.
 * try: i = 0, 2, 3; x = -1.5, 8.0; n = 0, 1
 * only: i = 0 .. 3; n = 0 .. 1
 */
#include <stdint.h>
#include <string.h>

struct state { int64_t before; float cells[4]; double after; struct state *self; };

double decide(int i, float x, uint8_t n)
{
    struct state s = { .before = 1LL << 40, .cells = { 1.0f, 2.0f, 3.0f, 4.0f }, .after = 0.25 };
    uint8_t bytes[9] = { 1, 2, 3, 4, 5, 6, 7, 8, 9 };
    uint32_t word = 0x01010101u;
    s.self = &s;
    s.cells[i] = x * 2.0f;
    float *walk = s.self->cells;
    walk[i ^ 1] += 1.0f;
    memcpy(bytes + 3 * n, &word, sizeof word);
    memcpy(&word, bytes + i, sizeof word);
    return s.before + s.after + s.cells[1] + walk[i] + word;
}
