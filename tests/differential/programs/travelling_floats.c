/* Computed floats that travel inside of integers: structs that the calling convention packs into one register, copies
 * byte by byte. Their bits are not known as numbers, and nobody asks for them.
 * try: x = -1.5, 0.0, 3e38; n = -2, 7
 */
struct reading { float value; int id; };
struct pair { float left, right; char kind; };

static struct reading scaled(struct reading r)
{
    r.value = r.value * 2.0f;
    r.id++;
    return r;
}

static struct pair swapped(struct pair p)
{
    return (struct pair){ p.right, p.left, p.kind };
}

struct reading decide(float x, int n)
{
    struct reading first = scaled((struct reading){ x + 1.0f, n & 15 }), second;
    const char *from = (const char *)&first;
    for (unsigned i = 0; i < sizeof first; i++)
        ((char *)&second)[i] = from[i];
    struct pair p = swapped((struct pair){ second.value, x, 'p' });
    if (p.kind == 'p' && p.right > p.left)
        second.value = p.left;
    return scaled(second);
}
