"""The overdraft's story: a program that does not look at the sex, and at something that stands in for it."""

from __future__ import annotations

from typing import Final

from soid.examples.story import Act, Story

STORY: Final = Story(
    title="The limit that fell with a raise",
    summary="a bank's program that counts career gaps, and its second version, which does not",
    opening="""
        A bank tells its customers how far they may overdraw their accounts. A woman of 34 has come back from fourteen
        months at home with a child. Her income has risen from 3450 to 3500 EUR a month, and her limit has fallen from
        2000 to 1750 EUR. She asks why, and whether a man would have been treated so.

        The bank says that its program reads the sex for the salutation of the letter, and for nothing else. One
        customer is no proof of that, so the questions are about all pairs of customers who differ in one thing alone.
        What else there is to know of them may be anything: three amounts of money and five more.
    """,
    acts=(
        Act(
            title="The program as it was",
            asides={
                1: "First what the bank says: is the limit the same for two who differ in nothing but the sex?",
                2: (
                    "It is. But of the ten letters to women in this log seven are to women with a career gap, and of "
                    "the eleven to men one is. Might a longer gap alone lower a limit?"
                ),
                3: "And the raise: might a higher income, all else equal, ever lower a limit?",
            },
            conclusions={
                "It is true: the sex alone changes no limit, for no customer.": {1: "yes"},
                "The career gap does, and most of those who have one are women: it stands in for the sex.": {2: "yes"},
                "A raise may lower a limit: from 3500 EUR on a month of the gap costs twice as much.": {3: "yes"},
            },
        ),
        Act(
            title="The second version",
            opening="""
                In the second version a gap no longer counts. It is asked the same, and then both are asked together:
                where do they part?
            """,
            log=False,
            asides={
                4: "Is its limit the same for two who differ in sex and gap?",
                5: "Does it never fall with a raise?",
                6: "Is hers higher now?",
                7: "A repair may break something else. Do both versions decide alike for everybody without a gap?",
            },
            conclusions={
                "Neither sex nor gap changes a limit of the second version.": {4: "yes"},
                "No raise lowers one.": {5: "yes"},
                "Hers is higher, and for everybody without a gap nothing has changed.": {6: "yes", 7: "yes"},
            },
        ),
    ),
    closing=(
        "So the bank was right in what it said, and it was not the question: what a program does not read, something "
        "else may tell it. The raise was an honest mistake in the same line, and it is gone with it."
    ),
)
