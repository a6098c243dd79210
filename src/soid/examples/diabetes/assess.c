/*
 * A person's risk of diabetes, from what a questionnaire and a laboratory say of them, by a tree that was learned from
 * data.
 */

#include "patient.h"
#include "tree.h"

static enum risk descend(int at, const double features[FEATURES])
{
    const struct node *node = &TREE[at];

    if (node->feature == FEATURES) {
        return node->risk;
    }
    if (features[node->feature] <= node->threshold) {
        return descend(node->below, features);
    }
    return descend(node->above, features);
}

void assess(const struct patient *patient, struct assessment *assessment)
{
    const double bmi = body_mass_index(patient->height, patient->weight);
    const double features[FEATURES] = {
        [PREGNANCIES] = patient->pregnancies,
        [GLUCOSE] = patient->glucose,
        [BLOOD_PRESSURE] = patient->blood_pressure,
        [SKIN_THICKNESS] = patient->skin_thickness,
        [INSULIN] = patient->insulin,
        [BODY_MASS_INDEX] = bmi,
        [PEDIGREE] = patient->pedigree,
        [AGE] = patient->age,
    };

    assessment->bmi = bmi;
    assessment->risk = descend(0, features);
}
