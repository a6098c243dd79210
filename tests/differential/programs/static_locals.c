/* Static locals: what they start as, what a second call in the same run sees.
 * try: step = -1, 2
 */
static int count(int step)
{
    static int total = 5;
    static unsigned char calls;
    total += step;
    calls++;
    return total * 10 + calls;
}

int decide(signed char step)
{
    int first = count(step);
    return first + count(step);
}
