/* An entry that takes structs by value and gives one back.
 * try: p.x = -1.0, 2.5; p.y = 0.5; q.n = -3, 9; q.flag = 0, 1
 */
struct point { float x, y; };
struct order { long n; char flag; };

struct point decide(struct point p, struct order q)
{
    struct point r = { p.y, p.x };
    if (q.flag)
        r.x += (float)q.n;
    return r;
}
