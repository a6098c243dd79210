"""The risk tree's story: why was a person at high risk told that theirs is low?"""

from __future__ import annotations

from typing import Final

from soid.examples.story import Conclusion, Story

STORY: Final = Story(
    title="The body-mass index of 0.06",
    opening=(
        (
            "A health service tells people their risk of diabetes. A woman of 22 with a glucose of 199 mg/dl, a height "
            "of 64 in and a weight of 249.973 lb is told that hers is low. It was not."
        ),
        (
            "A decision tree, learned from 768 people, decides. It was examined and found sound, so the whole program "
            "is asked: from the questionnaire, in inches and pounds, to what the person is told."
        ),
    ),
    asides=(
        "First the fact: did the program itself say so? And from what body-mass index?",
        "She weighs a lot, and weight matters to this tree. Might any weight have made it say high?",
        "Sixty tons: a weight that no person has. Might any between 50 and 700 lb have?",
    ),
    conclusions=(
        Conclusion("The program said low risk, and took her body-mass index to be 0.061 kg/m^2.", {1: "yes"}),
        Conclusion(
            "The tree does look at the weight: from some 122,675 lb on, a weight that no person has, it says high.",
            {2: "yes"},
        ),
        Conclusion("No weight that a person can have would have made it say so.", {3: "no"}),
    ),
    closing=(
        "So it is not the tree that is wrong, but what the tree is told: the program divides pounds by square inches "
        "and takes the result for kilograms by square metres. The repaired program converts first, and says high: "
        "`soid demo diabetes --copy DIR`, then `soid ask --project DIR/repaired`."
    ),
)
