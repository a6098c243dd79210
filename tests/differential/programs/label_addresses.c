/* C has no labels with addresses: whether two of them share one is not said, nor what number one is.
 */
int decide(int n)
{
    void *where = n > 3 ? &&one : &&two;
    if (n == 1)
        return where == &&one;
    if (n == 2)
        return (unsigned long)where > 4096;
    goto *where;
one:
    return 1;
two:
    return 2;
}
