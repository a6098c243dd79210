/* What is known of a person, and what is said of them. */

#ifndef PATIENT_H
#define PATIENT_H

#include "tree.h"

struct patient {
    double pregnancies;
    double glucose;        /* mg/dl, two hours after a drink with glucose */
    double blood_pressure; /* mmHg, diastolic */
    double skin_thickness; /* mm, at the triceps */
    double insulin;        /* uU/ml, two hours after the drink; 0 where it was not measured */
    double height;
    double weight;
    double pedigree;       /* how much diabetes there is among relatives */
    double age;            /* years */
};

struct assessment {
    double bmi;            /* kg/m^2, body-mass index */
    enum risk risk;        /* of diabetes */
};

double body_mass_index(double height, double weight); /* kg/m^2 */

void assess(const struct patient *patient, struct assessment *assessment);

#endif
