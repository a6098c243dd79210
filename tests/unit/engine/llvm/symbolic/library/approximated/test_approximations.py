"""Functions that no formula gives: the library asked is the one that programs run with, and no bound is wrong."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest

from soid.engine.llvm.symbolic.library.approximated.cell_tree import nearest, number
from soid.engine.llvm.symbolic.library.approximated.cells import cells
from soid.engine.llvm.symbolic.library.approximated.math_library import MathLibrary, library
from soid.engine.llvm.symbolic.library.approximated.true_functions import FUNCTIONS, bounds
from soid.formula import build
from soid.formula import softfloat as sf
from soid.formula.intervals import Floats, contains, everything
from soid.formula.passes import evaluate_all
from soid.formula.sorts import FLOAT64, Float
from soid.formula.term import Term
from tests.floats import operands, special_patterns
from tests.unit.engine.llvm.symbolic.library.library_calls import FORMATS, LEFT_OUT, Calls, shape

_ONLY_ASKED = ("tgamma", "lgamma")  # nothing is known of these over a range
_NAMES = (*FUNCTIONS, *_ONLY_ASKED)


@pytest.fixture(scope="module")
def calls(tmp_path_factory: pytest.TempPathFactory) -> Calls:
    return Calls(tmp_path_factory.mktemp("approximated"), [*_NAMES, "sincos_sin", "sincos_cos"])


@pytest.fixture(scope="module")
def ours(calls: Calls) -> MathLibrary:
    found = library(calls.module.triple)
    assert found is not None
    return found


@pytest.mark.parametrize("count", [30, pytest.param(60, marks=pytest.mark.soak)])
@pytest.mark.parametrize("format", FORMATS, ids=("float", "double"))
@pytest.mark.parametrize("name", [*_NAMES, "sincos_sin", "sincos_cos"])
def test_the_engine_says_what_programs_get_from_the_library(name: str, format: Float, count: int, calls: Calls) -> None:
    random = Random(f"{name} {format.width}")
    arity = len(shape(name).parameters)
    arguments = [*operands(random, format, arity, count), *_ordinary(random, format, arity, count)]
    if arity == 1:
        arguments += [(bits,) for bits in special_patterns(format)]
    for bits in arguments:
        native = calls.native(name, format, *bits)
        assert calls.explored(name, format, *bits) == native, f"{name}({', '.join(map(hex, bits))})"
        free = calls.evaluated(name, format, *bits)
        assert free == (LEFT_OUT if name in _ONLY_ASKED else native), f"{name}({', '.join(map(hex, bits))})"


def _ordinary(random: Random, format: Float, arity: int, count: int) -> list[tuple[int, ...]]:
    """Numbers of everyday size."""
    return [tuple(_bits(format, random.uniform(-20, 20)) for _ in range(arity)) for _ in range(count)]


def _bits(format: Float, value: float) -> int:
    return sf.from_ordinal(format, nearest(format, value))


@pytest.mark.parametrize("count", [4, pytest.param(10, marks=pytest.mark.soak)])
@pytest.mark.parametrize("format", FORMATS, ids=("float", "double"))
@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_fact_holds_of_what_the_library_returns(name: str, format: Float, count: int, ours: MathLibrary) -> None:
    random = Random(f"facts {name} {format.width}")
    arity = FUNCTIONS[name].arity
    arguments = tuple(build.var(letter, format) for letter in "xy"[:arity])
    symbol = build.var("result", format)
    for ends in ((-3.0, 3.0), (0.0, 1.0), (-1.0, 1e30), (1.0, 1.0000001), (-1e30, -0.5)):
        span = (nearest(format, ends[0]), nearest(format, ends[1]))
        known = cells(name, format, symbol, arguments, [span] * arity, ours)
        for _ in range(3):
            facts = known.facts()
            inside = [
                tuple(sf.from_ordinal(format, random.randint(*span)) for _ in range(arity)) for _ in range(2 * count)
            ]
            for point in (*inside, *operands(random, format, arity, count), *_ordinary(random, format, arity, count)):
                values = _values(arguments, symbol, point, known.value(_quiet(format, point)))
                assert all(evaluate_all(facts, values)), f"{name}({', '.join(map(hex, point))})"
            known = known.closer(_quiet(format, random.choice(inside)))


@pytest.mark.parametrize("format", FORMATS, ids=("float", "double"))
@pytest.mark.parametrize("name", FUNCTIONS)
def test_an_interval_of_results_has_every_result(name: str, format: Float, ours: MathLibrary) -> None:
    """Spans of all sizes, around zeros, at and beyond the ends of the function's domain."""
    random = Random(f"intervals {name} {format.width}")
    arity = FUNCTIONS[name].arity
    arguments = tuple(build.var(letter, format) for letter in "xy"[:arity])
    known = cells(name, format, build.var("result", format), arguments, [(0, 1)] * arity, ours)
    told = 0
    for _ in range(60):
        spans = [_span(random, format) for _ in range(arity)]
        found = known.over(tuple(Floats(low, high, nan=False) for low, high in spans))
        told += found != everything(format)
        for point in (*product(*spans), *(tuple(random.randint(*span) for span in spans) for _ in range(6))):
            result = ours.call(name, format, *(sf.from_ordinal(format, place) for place in point))
            assert contains(format, found, result), f"{name}{point} over {spans}"
    assert told
    assert known.over((Floats(0, 1, nan=True),) * arity) == everything(format)


def _span(random: Random, format: Float) -> tuple[int, int]:
    middle = random.choice((0, -1, nearest(format, random.choice((1.0, -1.0, 0.3, random.uniform(-9, 9), 1e9)))))
    width = random.choice((0, 1, 2, 1 << random.randrange(format.width - 2)))
    low, high = middle - random.choice((0, width)), middle + random.choice((0, width))
    return max(low, ~format.infinity), min(high, format.infinity)


def _inside(random: Random, format: Float, span: tuple[int, int], arity: int) -> tuple[int, ...]:
    return tuple(sf.from_ordinal(format, random.randint(*span)) for _ in range(arity))


def _quiet(format: Float, bits: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(format.nan if sf.is_nan(format, each) else each for each in bits)


def _values(arguments: tuple[Term, ...], symbol: Term, point: tuple[int, ...], result: int) -> dict[Term, int]:
    return {**dict(zip(arguments, point, strict=True)), symbol: result}


@pytest.mark.parametrize("name", [name for name, one in FUNCTIONS.items() if one.arity == 1])
def test_over_one_number_the_bounds_are_as_narrow_as_the_errors(name: str) -> None:
    format, start = FLOAT64, max(FUNCTIONS[name].low, 0.7) if name != "acosh" else 1.5
    place = nearest(format, start)
    found = bounds(name, format, ((place, place),))
    assert found is not None
    assert found[1] - found[0] <= 4 * FUNCTIONS[name].units(format) + 6


def test_constant_exponents_and_negative_bases() -> None:
    two, minus = (nearest(FLOAT64, value) for value in (2.0, -3.0))
    cube = bounds("pow", FLOAT64, ((minus, minus), (nearest(FLOAT64, 3.0),) * 2))
    assert cube is not None
    assert number(FLOAT64, cube[0]) == pytest.approx(-27)
    assert bounds("pow", FLOAT64, ((minus, two), (two, two))) is None  # across zero nothing is said


def test_another_machine_has_another_library() -> None:
    assert library("riscv64-unknown-linux-gnu") is None
    assert library("x86_64-unknown-linux-musl") is None
