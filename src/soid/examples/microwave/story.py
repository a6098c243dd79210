"""The microwave operator's story: was it at fault?"""

from __future__ import annotations

from typing import Final

from soid.examples.story import Act, Story

STORY: Final = Story(
    title="The microwave operator",
    summary="an operator that did not cancel an error",
    opening="""
        A microwave oven has an operator: a program that looks at the oven and at what it remembers, and decides what
        to do next. One evening the oven showed an error, and the operator did not cancel. Was it at fault?

        Below is the log; the marked step is the moment in question. You need not read the operator's code: it is put
        on the stand.
    """,
    acts=(
        Act(
            title="The operator",
            asides={
                1: "First the fact: did it cancel at that moment?",
                2: "Perhaps it was unlucky. Would it always cancel an error, whatever else was going on?",
                3: "So there are errors that it does not cancel. Does it ever ignore one?",
                4: "Does it ever open the door on an error?",
                5: "What is left? Cancel, or close the door: is that all it ever does?",
                6: "The open door seems to come first. With the door closed, would it always cancel?",
                7: "And the other way round: does it ever cancel without an error?",
            },
            conclusions={
                "At the moment in question it did not cancel.": {1: "no"},
                "That was no accident: there are other moments with an error at which it does not cancel.": {2: "no"},
                "It never ignores an error and never opens the door on one: it cancels, or it closes the door.": {
                    3: "no",
                    4: "no",
                    5: "yes",
                },
                "With the door closed, it always cancels an error.": {6: "yes"},
                "It never cancels without an error.": {7: "no"},
            },
        ),
    ),
    closing=(
        "So the operator answers every error. An open door can come first, and once the door is closed an error is "
        "always cancelled, as the log shows at step 4. Whether that order is right is for people to judge; what the "
        "operator does is now a matter of record."
    ),
)
