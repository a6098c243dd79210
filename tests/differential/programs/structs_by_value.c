/* Structs by value in every way that the x86-64 convention knows: in one register, in two, in a vector of floats,
 * mixed, in memory; passed and returned; nested, and of odd size.
 * try: a = -1.5, 3.0; n = -7, 100; m = 0, 70000
 */
#include <stdint.h>

struct small { int16_t a; int8_t b; };
struct two { int64_t a; int32_t b; };
struct floats { float x, y; };
struct three { float x, y, z; };
struct mixed { double d; int32_t i; };
struct odd { uint8_t bytes[5]; };
struct big { struct floats f[2]; struct two t; };

static struct small small(struct small s) { s.b = (int8_t)(s.b + 1); return s; }
static struct two two(struct two t) { return (struct two){ t.b, (int32_t)t.a }; }
static struct floats floats(struct floats f) { return (struct floats){ f.y, f.x }; }
static struct three three(struct three t) { t.z += t.x; return t; }
static struct mixed mixed(struct mixed m) { m.i = -m.i; m.d *= 2; return m; }
static struct odd odd(struct odd o) { o.bytes[4] ^= o.bytes[0]; return o; }
static struct big big(struct big b) { b.f[1] = b.f[0]; b.t.b++; return b; }

struct result { double d; float y, z; int64_t a; int32_t i; int8_t b; uint8_t o; };

struct result decide(float a, int16_t n, int32_t m)
{
    struct result r;
    struct big b = { { { a, 1.0f }, { 0.0f, 0.0f } }, { n, n } };
    b = big(b);
    r.b = small((struct small){ n, 5 }).b;
    r.a = two((struct two){ n, m }).a + b.t.b;
    r.y = floats((struct floats){ a, 2.0f }).y + b.f[1].x;
    r.z = three((struct three){ a, 1.0f, 2.0f }).z;
    r.d = mixed((struct mixed){ a, n }).d;
    r.i = mixed((struct mixed){ a, n }).i;
    r.o = odd((struct odd){ { (uint8_t)n, 1, 2, 3, 4 } }).bytes[4];
    return r;
}
