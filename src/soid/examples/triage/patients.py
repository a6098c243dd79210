"""The patients that the triage model learns from: made here, by a seeded generator, so that the truth is known.

Where the trap is: a high lactate is the strongest sign of an urgent patient, and it is often not measured. Whether it
is depends on the ward's day and on how ill a patient looks, not on the lactate itself. A pipeline that fills a missing
lactate with the median says of the unmeasured what it says of the usual.
"""

from __future__ import annotations

import math
import random
from typing import Final, final

from msgspec import Struct

SEED: Final = 20_260_618
COUNT: Final = 5000

ARRIVALS: Final = ("AMBULANCE", "REFERRED", "WALKED")
NUMBERS: Final = ("age", "heart_rate", "systolic", "temperature", "oxygen", "lactate")
FEATURES: Final = (*NUMBERS, "arrival")


@final
class Patient(Struct, frozen=True):
    """What is known of a patient at the door; and what turned out, which a model is not told."""

    age: float  # years
    heart_rate: float  # a minute
    systolic: float  # mmHg
    temperature: float  # degC
    oxygen: float  # %, saturation
    lactate: float  # mmol/l; NaN where it was not measured
    arrival: str
    urgent: bool = False  # needed intensive care within a day

    @property
    def told(self) -> tuple[float | str, ...]:
        """The features of the model."""
        return tuple(getattr(self, name) for name in FEATURES)


def patients(count: int = COUNT, seed: int = SEED) -> list[Patient]:
    draw = random.Random(seed)
    return [_patient(draw) for _ in range(count)]


def _patient(draw: random.Random) -> Patient:
    ill = draw.expovariate(1.0)  # how ill a patient is, which shows in all that is measured
    age = round(min(98.0, max(18.0, draw.gauss(58.0, 19.0))))
    heart_rate = round(min(190.0, max(40.0, draw.gauss(78.0 + 9.0 * ill, 12.0))))
    systolic = round(min(220.0, max(60.0, draw.gauss(134.0 - 7.0 * ill, 16.0))))
    temperature = round(draw.gauss(36.9 + 0.25 * ill, 0.6), 1)
    oxygen = round(min(100.0, max(70.0, draw.gauss(97.0 - 1.0 * ill, 1.6))))
    lactate = round(math.exp(draw.gauss(0.1 + 0.32 * ill, 0.35)), 1)
    arrival = "AMBULANCE" if draw.random() < 0.15 + 0.12 * ill else draw.choice(("REFERRED", "WALKED", "WALKED"))
    measured = draw.random() < 0.35 + (0.3 if arrival == "AMBULANCE" or heart_rate > 110 else 0.0)
    burden = 0.9 * (lactate - 2.8) + 0.03 * (heart_rate - 95) - 0.03 * (systolic - 115) + 0.02 * (age - 60)
    urgent = burden + 0.12 * (95 - oxygen) + draw.gauss(0.0, 0.6) > 0.0
    given = lactate if measured else math.nan
    return Patient(age, heart_rate, systolic, temperature, oxygen, given, arrival, urgent)
