"""A learned model as data: what a reader makes of a file, whichever library has written it.

    features          numbers and categories, as the application gives them to the library
      tree sums       a number that the leaves of trees add up to, in the library's precision and order
      linear sums     a number that weighted columns add up to; a column is a feature after its preparation
      network sums    a number of a neural network: elements of its vectors (`network.py`)
      links           a number that follows from other numbers: a sigmoid, a softmax
    label             which of the classes is chosen, from numbers
    outputs           which of the numbers a question may speak of

All preparation that a library does before it compares (rounding to float32, imputation, scaling, encoding) is part of
the tests of a tree: a test compares the feature itself, as a float64, with a float64. So a tree is a function of places
in the order of floats, and nothing but the sums rounds.

Long rows of numbers are kept as bytes, little-endian: JSON has neither infinities nor NaN, and these are both in use.
"""

from __future__ import annotations

from typing import Final, Literal, final

from msgspec import Struct

from soid.engine.learned.column_steps import Column
from soid.engine.learned.network import Network, NetworkSum
from soid.errors import ProgramError

#: code of a category that is missing; and of one that training has not seen
MISSING: Final = -1
UNSEEN: Final = -2


#: what categories are outside of the model: texts, or whole numbers, that are the labels themselves; "": the file has
#: codes for them, and not what they stand for
Written = Literal["text", "number", ""]


class ModelRefused(ProgramError):
    """A model has something that is not modelled; the message names it."""


@final
class ModelFeature(Struct, frozen=True):
    """One input of the model."""

    name: str
    kind: Literal["number", "integer", "flag", "category"] = "number"
    categories: tuple[tuple[str, int], ...] = ()  # label and code of each category that training has seen
    seen: tuple[float, float] | None = None  # least and greatest number in training, where the file says it
    least: float | None = None  # numbers below are rejected by the library with an error; None: no such bound
    greatest: float | None = None
    takes_missing: bool = True  # NaN, or no category; otherwise the library rejects it
    takes_unseen: bool = True  # a category that training has not seen; otherwise the library rejects it, or
    knows_unseen: bool = True  # if not: what it makes of one is not modelled
    truncates: bool = False  # the code of a category loses its fraction, as by a cast to an integer
    written: Written = ""  # what applications have for its categories

    @property
    def may_be_rejected(self) -> bool:
        """Whether the library rejects a missing or an unseen one, even if no number of the model depends on it."""
        if self.kind == "category":
            return not (self.takes_missing and self.takes_unseen)
        return self.kind == "number" and not self.takes_missing


@final
class TreeArrays(Struct, frozen=True):
    """Trees as parallel arrays over all of their nodes, packed (`trees_builder`); a child comes after its parents.

    A node of a tree may be the child of several nodes of that tree (a test for zero leads back to sides that exist).
    A number goes left if it is at most `cut` (NaN: never); NaN goes where `missing_left` says. A category goes left
    if its code is in the node's set; one that is missing goes where `missing_left` says; one that is unseen goes left
    if UNSEEN is in the set.
    """

    roots: bytes  # "i": the first node of each tree
    feature: bytes  # "i": the feature that is tested; -1: a leaf
    cut: bytes  # "d"
    missing_left: bytes  # "b"
    code_set: bytes  # "i": an index of `code_sets`; -1: the test of a number
    left: bytes  # "i": a node; of a leaf: the index of its row in `values`
    right: bytes  # "i"
    values: bytes  # "d": rows of `columns` numbers, each a float of the sum's precision
    columns: int = 1
    code_sets: tuple[tuple[int, ...], ...] = ()


@final
class TreeSum(Struct, frozen=True, tag="trees"):
    """start + leaf + leaf + ..., one of each tree, then finished; every operation rounds to the precision."""

    name: str
    trees: int  # index of `LearnedModel.trees`
    column: int = 0  # of a leaf's values
    precision: Literal[32, 64] = 64
    start: float = 0.0
    any_order: bool = False  # the library adds in an order that may change from run to run; `start` is one of the terms
    finish: tuple[tuple[Literal["add", "multiply", "divide"], float], ...] = ()  # factors are above zero


@final
class LinearSum(Struct, frozen=True, tag="linear"):
    """weight * column + weight * column + ... + intercept."""

    name: str
    columns: tuple[Column, ...]
    weights: tuple[float, ...]
    intercept: float
    precision: Literal[32, 64] = 64
    any_order: bool = (
        True  # as BLAS adds: in any order, fused or not; else intercept first, then in the order of columns
    )
    skips_missing: bool = False  # a column that is missing adds nothing


#: sigmoid: 1 / (1 + e^-x); softmax: e^x over the sum of all; share: x over the sum of all; exp: e^x; complement: 1 - x;
#: clipped sigmoid: 1 / (1 + e^min(-x, 88.7)), which is never 0 as a float32; softplus: log(1 + e^x); signed_square: x^2
#: with the sign of x; logistic: a sigmoid by e^-|x|, 1 less it for negative numbers; softmax_in_order: its sum is
#: rounded after each term; single: rounded to float32
LinkFunction = Literal[
    "sigmoid",
    "clipped_sigmoid",
    "logistic",
    "softmax",
    "softmax_in_order",
    "share",
    "exp",
    "complement",
    "twice",
    "half",
    "softplus",
    "signed_square",
    "single",
]


@final
class Link(Struct, frozen=True):
    """A number that follows from other numbers."""

    name: str
    function: LinkFunction
    arguments: tuple[
        str, ...
    ]  # names of numbers; of a softmax or a share: whose share it is, then all in the order of classes
    precision: Literal[32, 64] = 64
    exact: bool = False  # its bits are those of glibc's functions; else they are known up to a few last places
    ulps: int = 8  # how many units in the last place it may be off where it is not exact
    slack: float = 0.0  # and up to this much, beside the last places


@final
class Above(Struct, frozen=True, tag="above"):
    """The second class if a number is above a bound (or at it), else the first."""

    number: str
    bound: float
    inclusive: bool = False


@final
class Greatest(Struct, frozen=True, tag="greatest"):
    """The class whose number is the greatest, the first of equal ones."""

    numbers: tuple[str, ...]
    after_softmax: bool = False  # of their softmax, in which numbers that differ may have become equal


@final
class ClassRule(Struct, frozen=True):
    """Which class the model chooses."""

    classes: tuple[str, ...]
    rule: Above | Greatest


@final
class NamedNumber(Struct, frozen=True):
    """A number that questions may speak of."""

    name: str  # as questions call it: score, probability, probability_HIGH
    number: str  # the sum or the link


@final
class LearnedModel(Struct, frozen=True):
    """All of a model."""

    library: str  # the package that runs it: xgboost, lightgbm, catboost, sklearn, onnxruntime
    version: str  # of the library that wrote the file, where it says so
    family: str  # in words: gradient-boosted trees (gbtree)
    features: tuple[ModelFeature, ...]
    trees: tuple[TreeArrays, ...] = ()
    sums: tuple[TreeSum | LinearSum | NetworkSum, ...] = ()
    links: tuple[Link, ...] = ()  # each after those that it needs
    label: ClassRule | None = None  # None: it gives a number
    outputs: tuple[NamedNumber, ...] = ()
    settings: tuple[tuple[str, str], ...] = ()  # that matter for a replay: objective=binary:logistic
    remarks: tuple[str, ...] = ()  # for the user: what is strange in the file, and what was taken for granted
    last_digits: str = ""  # why the model that was saved may give numbers with other last digits; "": it does not
    networks: tuple[Network, ...] = ()
