"""The triage's story: did a value that nobody measured decide?"""

from __future__ import annotations

from typing import Final

from soid.examples.story import Act, Story

STORY: Final = Story(
    title="The missing lactate",
    summary="a learned triage that took what was not measured for the usual",
    opening="""
        A man of 67 walks into an emergency ward with a temperature of 38.1 and a heart rate of 102. A learned model
        says that he can wait, and he does, for too long. His lactate, a sign of how ill somebody is, was not measured:
        the laboratory was closed. A woman who came after him, much like him, was seen at once.

        The model is a pipeline of scikit-learn: what is missing is filled in, then 40 trees decide. It is put on the
        stand as the file in which it was saved.
    """,
    acts=(
        Act(
            title="The patient who waited",
            asides={
                1: "First the fact: did it call him urgent?",
                2: "What did it make of the missing value? The median of its patients is 1.5 mmol/l. Would it have "
                "said the very same with that measured?",
                3: "Might it have called him urgent, had his lactate been measured, and from which value on?",
                4: "From there on, would it always?",
            },
            conclusions={
                "The model let him wait.": {1: "no"},
                "It took his missing lactate for a usual one: it would have said the same, to the last bit, had 1.5 "
                "been measured.": {2: "yes"},
                "A higher lactate alone would have made him urgent, and every one from 2.65 mmol/l on.": {
                    3: "yes",
                    4: "yes",
                },
            },
        ),
        Act(
            title="The patient after him",
            project="measured.toml",
            opening="""
                And the other way round: her lactate was measured, at 4.4.
            """,
            log=False,
            asides={
                1: "Did it call her urgent?",
                2: "Would it have done so without the measurement?",
            },
            conclusions={
                "It called her urgent, because her lactate was measured: without, she would have waited too.": {
                    1: "yes",
                    2: "no",
                },
            },
        ),
    ),
    closing=(
        "So what nobody measured decided. The model does not know that it does not know: it fills the gap with the "
        "usual, and goes on. Whether a patient without a lactate should be measured first, or seen first, is for "
        "people to decide; that the model chose for them is now on record."
    ),
)
