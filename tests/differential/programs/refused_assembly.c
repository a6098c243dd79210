/* Inline assembly is refused by name.
 */
int decide(int n)
{
    if (n == 1)
        __asm__("nop");
    return n;
}
