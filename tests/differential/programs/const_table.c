/* A constant table indexed by inputs is one look-up and no fork: one row of a learned model, one path.
 * try: state = 0, 7, 63; action = 0, 1
 * only: state = 0 .. 63; action = 0 .. 1
 * paths: 1
 */
static const double model[64][2] = {
    [0] = { 0.5, -1.0 }, [7] = { 2.25, 4.5 }, [8] = { 1.0, 1.5 }, [63] = { -3.0, 0.125 },
};

double decide(unsigned state, unsigned action)
{
    return model[state][action] * 2.0;
}
