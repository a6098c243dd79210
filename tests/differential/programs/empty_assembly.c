/* Assembly without instructions hides values from the optimiser and changes none of them.
 * try: n = -1, 2; m = 5
 */
int decide(int n, int m)
{
    int kept[2] = { n, m }, *where = kept;
    __asm__ volatile("" ::: "memory");
    __asm__("" : "+r"(n), "+r"(m));
    __asm__ volatile("" : "+m"(kept[0]));
    __asm__ volatile("" : : "r"(where), "i"(3));
    __asm__ volatile("\n\t" : "=r"(where) : "0"(where) : "memory");
    where[1] += 1;
    return n < m ? kept[0] + kept[1] : 7;
}
