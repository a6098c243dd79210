/* A function that nobody defined and that is not known is refused by its name.
 */
int read_sensor(int channel);

int decide(int n)
{
    return n > 0 ? read_sensor(n) : 0;
}
