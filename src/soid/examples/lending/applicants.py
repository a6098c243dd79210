"""The applicants that the lending models learn from: made here, by a seeded generator, so that the truth is known.

Where the proxy is:

- Each applicant lives in one of eight postcode areas, and belongs to a group or not. In E1, E2 and S2 most belong to it
  (`SHARE`), in the other areas few do.
- Nothing else depends on the group: income, debt, work, housing and late payments are drawn alike for all, and so is
  whether a loan is repaid.
- The clerks who decided so far asked more of members of the group (`PENALTY`). A model that learns from their decisions
  is never told the group. It is told the postcode area, which nearly tells it.
"""

from __future__ import annotations

import math
import random
from typing import Final, final

from msgspec import Struct

SEED: Final = 20_260_417
COUNT: Final = 6000

#: by postcode area: the share of its people who belong to the group
SHARE: Final = {"N1": 0.05, "N2": 0.10, "E1": 0.90, "E2": 0.85, "S1": 0.10, "S2": 0.90, "W1": 0.04, "W2": 0.08}
HOUSING: Final = ("FAMILY", "OWNED", "RENTED")
#: by how much more a clerk asked of a member of the group, in the units of `_merit`
PENALTY: Final = 1.4
_NOISE: Final = 0.5  # what a clerk, and fortune, add to an applicant's merit


@final
class Applicant(Struct, frozen=True):
    """What is known of an applicant, and what a model is not told: the last three fields."""

    income: int  # EUR a month
    debt: int  # EUR
    amount: int  # EUR that are asked for
    employed: int  # months in the present work
    late_payments: int  # in the last two years
    housing: str
    postcode: str
    member: bool  # of the group
    approved: bool  # by a clerk
    repaid: bool  # or would have been

    @property
    def told(self) -> tuple[int | str, ...]:
        """The features of the models."""
        return tuple(getattr(self, name) for name in FEATURES)


FEATURES: Final = ("income", "debt", "amount", "employed", "late_payments", "housing", "postcode")


def applicants(count: int = COUNT, seed: int = SEED) -> list[Applicant]:
    draw = random.Random(seed)
    return [_applicant(draw) for _ in range(count)]


def _applicant(draw: random.Random) -> Applicant:
    postcode = draw.choice(tuple(SHARE))
    member = draw.random() < SHARE[postcode]
    income = 10 * round(math.exp(draw.gauss(7.85, 0.38)) / 10)
    debt = 0 if draw.random() < 0.3 else 100 * round(math.exp(draw.gauss(8.6, 0.8)) / 100)
    amount = 500 * draw.randint(2, 40)
    employed = int(draw.expovariate(1 / 72))
    late_payments = min(12, int(draw.expovariate(1 / 0.9)))
    housing = draw.choice(HOUSING)
    merit = _merit(income, debt, amount, employed, late_payments, housing)
    approved = merit + draw.gauss(0.0, _NOISE) > (PENALTY if member else 0.0)
    repaid = merit + draw.gauss(0.0, _NOISE) > 0.0
    return Applicant(income, debt, amount, employed, late_payments, housing, postcode, member, approved, repaid)


def _merit(income: int, debt: int, amount: int, employed: int, late_payments: int, housing: str) -> float:
    """How well an applicant can repay: the same for all who are alike in these."""
    burden = (debt + amount) / (12 * income)
    settled = 0.3 * min(employed, 120) / 120 + (0.3 if housing == "OWNED" else 0.0)
    return 1.1 + 0.7 * (income - 2500.0) / 1000.0 - 1.6 * burden - 0.45 * late_payments + settled
