"""The lender's story: was an applicant refused for where she lives, and what does the place stand for?"""

from __future__ import annotations

from typing import Final

from soid.examples.story import Act, Story

STORY: Final = Story(
    title="The postcode",
    summary="a learned lender that refused by postcode, and one that learned from what was repaid",
    opening="""
        A woman with 2750 EUR a month and 3100 EUR of debt asks for a loan of 8000 EUR. A learned model refuses. A
        colleague with the same pay, the same debt and the same wish was approved the day after (step 4). She asks why,
        and what would have been enough.

        The lender answers that its model does not know who anybody is: it is told income, debt, amount, work, late
        payments, housing and the postcode area, and no more. So the model is put on the stand: 60 trees of XGBoost,
        from the file that decides, taught by what the lender's clerks had decided before.
    """,
    acts=(
        Act(
            title="The model that refused",
            asides={
                1: "First the fact: did it approve?",
                2: "Would more income have been enough, and how much?",
                3: "Perhaps she asked for too much. Might it have approved a smaller loan, or a larger one?",
                4: "All else as it was: might another postcode have been enough?",
                5: "By the census most people in E1, E2 and S2 belong to one group, and few elsewhere. Would it refuse "
                "everybody there who is like her, with incomes from 1960 to 3269 EUR?",
                6: "And would it approve everybody like them in all other areas, with the same incomes?",
            },
            conclusions={
                "The model refused her.": {1: "no"},
                "A higher income would have been enough, the least that is shown.": {2: "yes"},
                "No other amount would have been approved.": {3: "no"},
                "Another postcode alone would have been enough.": {4: "yes"},
                "With incomes from 1960 to 3269 EUR it refuses all who are like her in the three areas where the group "
                "lives, and approves all of them everywhere else.": {5: "yes", 6: "yes"},
            },
        ),
        Act(
            title="The model that learned from what was repaid",
            project="repaired",
            opening="""
                The suspicion: the clerks asked more of people of the group, and the model has learned from the clerks.
                It was never told the group; the postcode told it. Here is a model that is told the same of the same
                people, postcode included, and has learned from what was repaid instead.
            """,
            log=False,
            asides={
                1: "Did this one approve?",
                2: "And would it have approved wherever she lived?",
            },
            conclusions={
                "The repaired model approves the very same application.": {1: "yes"},
                "It does so whatever the postcode: proved.": {2: "yes"},
            },
        ),
    ),
    closing=(
        "So the postcode stood in for the group, although no one told the model of it. Leaving a feature out of a "
        "model does not show that a decision is independent of it; asking the model does. Why the clerks decided as "
        "they did is for people to judge."
    ),
)
