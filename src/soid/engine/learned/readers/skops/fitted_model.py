"""What every kind of estimator gives: sums, links, a label and outputs, named as all readers name them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, final

from msgspec import Struct

from soid.engine.learned.model import (
    Above,
    ClassRule,
    Greatest,
    LinearSum,
    Link,
    NamedNumber,
    TreeArrays,
    TreeSum,
)
from soid.engine.learned.readers.skops.saved_objects import Saved, texts
from soid.engine.learned.readers.skops.skops_archive import broken, not_modelled

#: errors of an exponential, a difference and a quotient, with room; each class adds one for its part of the sum
SOFTMAX_ULPS: Final = 8


@final
class FittedModel(Struct, frozen=True):
    """A model without its features."""

    family: str
    trees: tuple[TreeArrays, ...] = ()
    sums: tuple[TreeSum | LinearSum, ...] = ()
    links: tuple[Link, ...] = ()
    label: ClassRule | None = None
    outputs: tuple[NamedNumber, ...] = ()
    remarks: tuple[str, ...] = ()


def classes_of(saved: Saved) -> tuple[str, ...]:
    """The labels of the classes: at least two."""
    if saved["classes_"].loader == "ListNode":
        raise not_modelled(f"{saved.name} with several outputs", "soid asks about models with one output.")
    found = texts(saved["classes_"].labels(), f"{saved.path}.classes_")
    if len(found) < 2:
        raise not_modelled(f"{saved.name} that knows one class only", "It always decides the same.")
    return found


def score_names(classes: Sequence[str]) -> tuple[str, ...]:
    """The names of the sums: one for two classes, else one for each."""
    return ("score",) if len(classes) == 2 else tuple(f"score_{each}" for each in classes)


def outputs_of(names: Sequence[str]) -> tuple[NamedNumber, ...]:
    return tuple(NamedNumber(name, name) for name in names)


def by_scores(classes: tuple[str, ...], bound: float = 0.0, *, inclusive: bool = False) -> ClassRule:
    """The label of two classes by a bound on the score, of more by the greatest score."""
    if len(classes) == 2:
        return ClassRule(classes, Above("score", bound, inclusive))
    return ClassRule(classes, Greatest(score_names(classes)))


def by_probabilities(classes: tuple[str, ...]) -> tuple[ClassRule, tuple[NamedNumber, ...]]:
    """The label by the greatest of `probability_<class>`; of two classes only the second is an output."""
    names = tuple(f"probability_{each}" for each in classes)
    outputs = (NamedNumber("probability", names[1]),) if len(classes) == 2 else outputs_of(names)
    return ClassRule(classes, Greatest(names)), outputs


def scored_links(classes: tuple[str, ...]) -> tuple[Link, ...]:
    """The probabilities that follow from scores: a logistic function, or a softmax."""
    scores = score_names(classes)
    if len(classes) == 2:
        return (Link("probability", "sigmoid", scores, exact=True),)
    return tuple(
        Link(f"probability_{each}", "softmax", (f"score_{each}", *scores), ulps=SOFTMAX_ULPS + len(classes))
        for each in classes
    )


def one_output(saved: Saved) -> None:
    if saved["n_outputs_"].integer() != 1:
        raise not_modelled(f"{saved.name} with several outputs", "soid asks about models with one output.")


def same_length(found: int, asked: int, path: str) -> None:
    if found != asked:
        raise broken(f"{path} has {found} entries instead of {asked}")
