#include "patient.h"

static const double METRES_PER_INCH = 0.0254;
static const double KILOGRAMS_PER_POUND = 0.45359237;

/* Of a height in inches and a weight in pounds, as the questionnaire asks for them. */
double body_mass_index(double height, double weight)
{
    const double metres = height * METRES_PER_INCH;
    const double kilograms = weight * KILOGRAMS_PER_POUND;

    return kilograms / (metres * metres);
}
