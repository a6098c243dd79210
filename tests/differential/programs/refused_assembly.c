/* Inline assembly that does something is refused by its text; so is an output that nothing sets.
 */
int decide(int n)
{
    int left;
    if (n == 1)
        __asm__("nop");
    if (n == 2) {
        __asm__("" : "=r"(left));
        return left;
    }
    return n;
}
