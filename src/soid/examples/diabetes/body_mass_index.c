#include "patient.h"

/* Of a height in metres and a weight in kilograms. */
double body_mass_index(double height, double weight)
{
    return weight / (height * height);
}
