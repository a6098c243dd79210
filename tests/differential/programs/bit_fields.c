/* Bit-fields, signed and unsigned, across bytes: setting one leaves the others alone, reading one extends its sign.
 * try: a = 0, 3, 7; b = -4, -1, 3; c = 0, 1000, 1023
 */
struct flags { unsigned low : 3; signed middle : 5; unsigned wide : 10; unsigned : 4; _Bool on : 1; };

int decide(unsigned a, int b, unsigned c)
{
    struct flags flags;
    flags.low = a;
    flags.middle = b;
    flags.wide = c;
    flags.on = c > 500;
    if (flags.on && flags.middle < 0)
        return flags.wide - flags.low;
    return flags.middle * 2 + flags.low;
}
