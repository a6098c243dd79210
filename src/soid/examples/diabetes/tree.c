/*
 * Made by `python -m soid.examples.diabetes.train`; do not edit.
 *
 * Learned from 768 people, 268 of them with diabetes.
 * Depth 5, 10 people or more in a leaf, seed 0.
 * A leaf says what is true of most of its people; beside it stands how many of them have diabetes.
 */

#include "tree.h"

const struct node TREE[] = {
    /*  0 */ { GLUCOSE, 127.5, 1, 24 },
    /*  1 */ { AGE, 28.5, 2, 13 },
    /*  2 */ { BODY_MASS_INDEX, 30.949999809265137, 3, 8 },
    /*  3 */ { BLOOD_PRESSURE, 85.0, 4, 7 },
    /*  4 */ { PEDIGREE, 0.671999990940094, 5, 6 },
    /*  5 */ { FEATURES, 0.0, 0, 0, LOW }, /* 0 of 123 */
    /*  6 */ { FEATURES, 0.0, 0, 0, LOW }, /* 1 of 18 */
    /*  7 */ { FEATURES, 0.0, 0, 0, LOW }, /* 1 of 10 */
    /*  8 */ { BLOOD_PRESSURE, 53.0, 9, 10 },
    /*  9 */ { FEATURES, 0.0, 0, 0, LOW }, /* 5 of 11 */
    /* 10 */ { PEDIGREE, 0.5005000084638596, 11, 12 },
    /* 11 */ { FEATURES, 0.0, 0, 0, LOW }, /* 5 of 68 */
    /* 12 */ { FEATURES, 0.0, 0, 0, LOW }, /* 11 of 41 */
    /* 13 */ { BODY_MASS_INDEX, 26.350000381469727, 14, 17 },
    /* 14 */ { BODY_MASS_INDEX, 22.850000381469727, 15, 16 },
    /* 15 */ { FEATURES, 0.0, 0, 0, LOW }, /* 2 of 10 */
    /* 16 */ { FEATURES, 0.0, 0, 0, LOW }, /* 0 of 31 */
    /* 17 */ { GLUCOSE, 99.5, 18, 21 },
    /* 18 */ { PEDIGREE, 0.7159999907016754, 19, 20 },
    /* 19 */ { FEATURES, 0.0, 0, 0, LOW }, /* 5 of 44 */
    /* 20 */ { FEATURES, 0.0, 0, 0, LOW }, /* 5 of 11 */
    /* 21 */ { PEDIGREE, 0.5609999895095825, 22, 23 },
    /* 22 */ { FEATURES, 0.0, 0, 0, LOW }, /* 34 of 84 */
    /* 23 */ { FEATURES, 0.0, 0, 0, HIGH }, /* 25 of 34 */
    /* 24 */ { BODY_MASS_INDEX, 29.949999809265137, 25, 36 },
    /* 25 */ { GLUCOSE, 145.5, 26, 31 },
    /* 26 */ { INSULIN, 132.5, 27, 30 },
    /* 27 */ { BLOOD_PRESSURE, 73.0, 28, 29 },
    /* 28 */ { FEATURES, 0.0, 0, 0, LOW }, /* 4 of 11 */
    /* 29 */ { FEATURES, 0.0, 0, 0, LOW }, /* 2 of 17 */
    /* 30 */ { FEATURES, 0.0, 0, 0, LOW }, /* 0 of 13 */
    /* 31 */ { INSULIN, 14.5, 32, 35 },
    /* 32 */ { PREGNANCIES, 5.5, 33, 34 },
    /* 33 */ { FEATURES, 0.0, 0, 0, LOW }, /* 2 of 11 */
    /* 34 */ { FEATURES, 0.0, 0, 0, HIGH }, /* 6 of 10 */
    /* 35 */ { FEATURES, 0.0, 0, 0, HIGH }, /* 10 of 14 */
    /* 36 */ { GLUCOSE, 157.5, 37, 44 },
    /* 37 */ { AGE, 30.5, 38, 41 },
    /* 38 */ { BLOOD_PRESSURE, 61.0, 39, 40 },
    /* 39 */ { FEATURES, 0.0, 0, 0, HIGH }, /* 10 of 10 */
    /* 40 */ { FEATURES, 0.0, 0, 0, LOW }, /* 13 of 40 */
    /* 41 */ { PEDIGREE, 0.4294999986886978, 42, 43 },
    /* 42 */ { FEATURES, 0.0, 0, 0, HIGH }, /* 15 of 28 */
    /* 43 */ { FEATURES, 0.0, 0, 0, HIGH }, /* 32 of 37 */
    /* 44 */ { PEDIGREE, 0.3004999905824661, 45, 48 },
    /* 45 */ { AGE, 37.5, 46, 47 },
    /* 46 */ { FEATURES, 0.0, 0, 0, HIGH }, /* 6 of 11 */
    /* 47 */ { FEATURES, 0.0, 0, 0, HIGH }, /* 13 of 14 */
    /* 48 */ { PEDIGREE, 1.1565000414848328, 49, 50 },
    /* 49 */ { FEATURES, 0.0, 0, 0, HIGH }, /* 54 of 57 */
    /* 50 */ { FEATURES, 0.0, 0, 0, HIGH }, /* 7 of 10 */
};
