/* The learned tree of tree.c. */

#ifndef TREE_H
#define TREE_H

enum risk { LOW, HIGH };

/* What the tree looks at, in the order of the data that it was learned from. */
enum feature { PREGNANCIES, GLUCOSE, BLOOD_PRESSURE, SKIN_THICKNESS, INSULIN, BODY_MASS_INDEX, PEDIGREE, AGE, FEATURES };

struct node {
    enum feature feature; /* what is looked at; FEATURES in a leaf */
    double threshold;
    int below;            /* where to go on if the feature is at most the threshold */
    int above;            /* where to go on otherwise */
    enum risk risk;       /* what a leaf says; nothing elsewhere */
};

extern const struct node TREE[];

#endif
