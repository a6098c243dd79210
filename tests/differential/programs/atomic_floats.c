/* Atomic floats: the compiler adds to one in a loop that compares its bits.
 * try: x = -1.5, 0.25, 3e38; n = 0, 1, 2, 3
 */
static _Atomic float level;
static _Atomic double total = 0.5;

double decide(float x, int n)
{
    float old = 2.0f;
    level = x;
    total = 0.5;
    switch (n) {
    case 0: level += 1.0f; return level;
    case 1: total -= (double)x; return total * 2;
    case 2: return __c11_atomic_exchange(&level, old, __ATOMIC_SEQ_CST) + level;
    case 3: return __c11_atomic_compare_exchange_strong(&level, &old, 7.0f, 5, 5) ? 1.0 : old - level;
    }
    return 0;
}
