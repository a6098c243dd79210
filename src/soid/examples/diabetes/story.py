"""The risk tree's story: why was a person at high risk told that theirs is low?"""

from __future__ import annotations

from typing import Final

from soid.examples.story import Act, Story

STORY: Final = Story(
    title="The body-mass index of 0.06",
    summary="a learned risk tree that was fed pounds and inches, and the same one repaired",
    opening="""
        A health service tells people their risk of diabetes. A woman of 22 with a glucose of 199 mg/dl, a height of
        64 in and a weight of 249.973 lb is told that hers is low. It was not.

        A decision tree, learned from 768 people, decides. It was examined and found sound, so the whole program is
        asked: from the questionnaire, in inches and pounds, to what the person is told.
    """,
    acts=(
        Act(
            title="The program as it was",
            asides={
                1: "First the fact: did the program itself say so? And from what body-mass index?",
                2: "She weighs a lot, and weight matters to this tree. Might any weight have made it say high?",
                3: "But is that a weight that a person can have? Might any between 50 and 700 lb have?",
            },
            conclusions={
                "The program said low risk.": {1: "yes"},
                "The tree does look at the weight: for the one shown it says high.": {2: "yes"},
                "No weight between 50 and 700 lb would have made it say so.": {3: "no"},
            },
        ),
        Act(
            title="The program, repaired",
            project="repaired",
            opening="""
                The suspicion: the program divides pounds by square inches and takes the result for kilograms by
                square metres. Here is one that converts first. The tree is the same, and so is the patient.
            """,
            log=False,
            asides={1: "Did this one say high?"},
            conclusions={
                "The repaired program says high risk of the very same patient, by the same tree.": {1: "yes"},
            },
        ),
    ),
    closing="So it is not the tree that is wrong, but what the tree is told: a body-mass index in no unit at all.",
)
