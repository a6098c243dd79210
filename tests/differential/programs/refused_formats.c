/* Floats of eight exponent bits and eight significant ones are refused by name.
 */
int decide(float x, int n)
{
    if (n == 1)
        return (float)(__bf16)x > 1.0f;
    return n;
}
