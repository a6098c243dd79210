"""XGBoost's objectives: where its sums start, what follows from them, and which label `predict` gives.

The start is `base_score`, which the file has as a prediction: for a probability its logit is added up, for what is an
exponential its logarithm, each in float32 by the C library.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import math
from functools import cache
from typing import Any, Final, Literal, final

from msgspec import Struct

from soid.engine.learned.cuts import to_float32
from soid.engine.learned.model import Above, ClassRule, Greatest, Link, LinkFunction, ModelRefused, NamedNumber
from soid.engine.learned.readers.xgboost_document import broken
from soid.engine.learned.readers.xgboost_use import Estimator

#: a number; one of two classes, by a bound; one of several classes
Kind = Literal["number", "two", "classes"]

#: base scores of probabilities are kept away from 0 and 1 by this
_EDGE: Final = to_float32(1e-6)


@final
class XgboostObjective(Struct, frozen=True):
    """What is added up, and what comes of it."""

    kind: Kind
    start: Literal["itself", "logit", "logarithm"] = "itself"
    link: LinkFunction | None = None
    exact: bool = True
    bound: float = 0.5  # of two labels: the second one is above it
    by_sum: bool = False  # the label is that of the greatest sum; otherwise of the greatest probability


_NUMBER: Final = XgboostObjective("number")
_EXPONENTIAL: Final = XgboostObjective("number", "logarithm", "exp")

_OBJECTIVES: Final = {
    "binary:logistic": XgboostObjective("two", "logit", "clipped_sigmoid"),
    "binary:logitraw": XgboostObjective("two"),
    "binary:hinge": XgboostObjective("two", bound=0.0),
    "multi:softprob": XgboostObjective("classes", link="softmax"),
    # SciPy makes the probabilities of this one
    "multi:softmax": XgboostObjective("classes", link="softmax", exact=False, by_sum=True),
    "reg:logistic": XgboostObjective("number", "logit", "clipped_sigmoid"),
    "count:poisson": _EXPONENTIAL,
    "reg:gamma": _EXPONENTIAL,
    "reg:tweedie": _EXPONENTIAL,
    "survival:aft": XgboostObjective("number", "logarithm", "exp", exact=False),  # in float64, then rounded
    "survival:cox": _EXPONENTIAL,
    "rank:map": _NUMBER,
    "rank:ndcg": _NUMBER,
    "rank:pairwise": _NUMBER,
    "reg:absoluteerror": _NUMBER,
    "reg:linear": _NUMBER,  # the old name of reg:squarederror
    "reg:pseudohubererror": _NUMBER,
    "reg:quantileerror": _NUMBER,
    "reg:squarederror": _NUMBER,
    "reg:squaredlogerror": _NUMBER,
}


def objective_of(name: str) -> XgboostObjective:
    found = _OBJECTIVES.get(name)
    if found is None:
        raise ModelRefused(
            f"XGBoost's objective {name[:80]!r} is not modelled.", f"Known are {', '.join(sorted(_OBJECTIVES))}."
        )
    return found


def start_of(objective: XgboostObjective, base_score: float) -> float:
    """What a sum starts from."""
    match objective.start:
        case "itself":
            start = base_score
        case "logarithm":
            start = _logf()(base_score) if base_score > 0 else math.nan
        case "logit":
            if not 0 <= base_score <= 1:
                raise broken(f"its base score {base_score} is no probability")
            inside = min(max(base_score, _EDGE), to_float32(1.0 - _EDGE))
            start = -_logf()(to_float32(to_float32(1.0 / inside) - 1.0))
    if not math.isfinite(start):
        raise broken(f"its base score is {base_score}")
    return start


@cache
def _logf() -> Any:
    found: Any = ctypes.CDLL(ctypes.util.find_library("m") or "libm.so.6").logf
    found.restype, found.argtypes = ctypes.c_float, [ctypes.c_float]
    return found


@final
class XgboostNumbers(Struct, frozen=True):
    """The numbers of a model by name."""

    sums: tuple[str, ...]
    links: tuple[Link, ...]
    outputs: tuple[NamedNumber, ...]
    label: ClassRule | None


def named(
    objective: XgboostObjective, outputs: int, classes: tuple[str, ...], estimator: Estimator | None
) -> XgboostNumbers:
    """Names of sums, links and outputs; and the label as XGBClassifier gives it, if it may be that."""
    places = tuple(str(number) for number in range(outputs if objective.kind == "classes" else 2))
    classes = classes if len(set(classes)) == len(places) == len(classes) else places
    endings = (
        [""] if outputs == 1 else [f"_{each}" for each in (classes if objective.kind == "classes" else range(outputs))]
    )
    of_sum = "value" if objective.kind == "number" and objective.link is None else "score"
    of_link = "value" if objective.kind == "number" else "probability"
    sums = tuple(of_sum + ending for ending in endings)
    links: tuple[Link, ...] = ()
    if objective.link is not None:
        function, others = objective.link, sums if objective.link == "softmax" else ()
        links = tuple(
            Link(of_link + ending, function, (of_sum + ending, *others), 32, objective.exact) for ending in endings
        )
    last = tuple(link.name for link in links) or sums
    rule: Above | Greatest | None = None
    if objective.kind == "classes" and estimator in (None, "classifier"):
        rule = Greatest(sums if objective.by_sum else last)
    elif outputs == 1 and (estimator == "classifier" or (objective.kind == "two" and estimator is None)):
        rule = Above(last[0], objective.bound)
    shown = dict.fromkeys((*sums, *last))
    return XgboostNumbers(
        sums, links, tuple(NamedNumber(name, name) for name in shown), ClassRule(classes, rule) if rule else None
    )
