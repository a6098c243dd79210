"""Functions that IEEE 754 and C define to the bit: what the engine says is what this machine does."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from soid.formula.sorts import Float
from tests.floats import operands, special_patterns
from tests.unit.engine.llvm.symbolic.library.library_calls import FAILS, FORMATS, LEFT_OUT, Calls, shape, width

_ONE = (
    *("sqrt", "fabs", "floor", "ceil", "trunc", "rint", "nearbyint", "round", "roundeven"),
    *("logb", "ilogb", "modf", "modf_whole", "frexp", "frexp_exponent", "lrint", "llrint", "lround", "llround"),
    *("isnan", "isinf", "isfinite", "isnormal", "signbit", "fpclassify"),
    *("__isnan", "__isinf", "__finite", "__signbit", "__fpclassify"),
)
_TWO = (
    *("fmod", "remainder", "drem", "copysign", "nextafter", "fdim", "fmin", "fmax", "ldexp", "scalbn", "scalbln"),
    *("isgreater", "isgreaterequal", "isless", "islessequal", "islessgreater", "isunordered"),
)
_NAMES = [*_ONE, *_TWO, "fma", "abs", "labs"]
#: out of range these fail, for C says nothing about their result
_PARTIAL = {"abs", "labs"}
_OPEN = {"lrint", "llrint", "lround", "llround"}  # C leaves open what they give where the result does not fit
_UNFIT = 1 << 63  # what the machine gives there


@pytest.fixture(scope="module")
def calls(tmp_path_factory: pytest.TempPathFactory) -> Calls:
    return Calls(tmp_path_factory.mktemp("exact"), _NAMES)


def _arguments(name: str, format: Float, random: Random, count: int) -> Iterator[tuple[int, ...]]:
    kinds = shape(name).parameters
    if all(kind == "T" for kind in kinds):
        yield from operands(random, format, len(kinds), count)
        if len(kinds) == 1:
            yield from ((bits,) for bits in special_patterns(format))
        elif len(kinds) == 2:
            chosen = random.sample(special_patterns(format), 8)
            yield from ((a, b) for a in chosen for b in chosen)
        return
    for floats in operands(random, format, len(kinds), count):
        yield tuple(
            bits if kind == "T" else _integer(random, width(kind, format))
            for kind, bits in zip(kinds, floats, strict=True)
        )


def _integer(random: Random, bits: int) -> int:
    small = random.randint(-2200, 2200) if random.randrange(4) else random.choice((-1, 1)) << random.randrange(bits)
    return small & (1 << bits) - 1


@pytest.mark.parametrize("count", [50, pytest.param(120, marks=pytest.mark.soak)])
@pytest.mark.parametrize("format", FORMATS, ids=("float", "double"))
@pytest.mark.parametrize("name", _NAMES)
def test_constant_and_free_arguments_give_what_the_machine_gives(
    name: str, format: Float, count: int, calls: Calls
) -> None:
    random = Random(f"{name} {format.width}")
    for bits in _arguments(name, format, random, count):
        native = calls.native(name, format, *bits)
        for say in (calls.explored, calls.evaluated):
            said = say(name, format, *bits)
            if (said == FAILS and name in _PARTIAL) or (said == LEFT_OUT and name in _OPEN and native == _UNFIT):
                continue
            assert said == native, f"{name}({', '.join(map(hex, bits))})"


def test_the_least_and_the_greatest_whole_numbers_are_no_open_results(calls: Calls) -> None:
    format = FORMATS[1]
    least, below_greatest, too_great = 0xC3E0 << 48, (0x43E0 << 48) - 1, 0x43E0 << 48
    for name in sorted(_OPEN):
        for say in (calls.explored, calls.evaluated):
            assert say(name, format, least) == _UNFIT
            assert say(name, format, below_greatest) == calls.native(name, format, below_greatest)
            assert say(name, format, too_great) == LEFT_OUT


def test_extremes_are_calls_of_the_library(calls: Calls) -> None:
    assert "fmin" in calls.module.functions
    assert not any(name.startswith(("llvm.minnum", "llvm.maxnum")) for name in calls.module.functions)


def test_the_compilers_own_extremes_leave_opposite_zeros_unexplored(tmp_path: Path) -> None:
    names = ("fmin", "fmax", "fminf", "fmaxf")
    builtin = Calls(tmp_path, ["fmin", "fmax"], tuple(f"-D{name}=__builtin_{name}" for name in names))
    if not any(name.startswith("llvm.minnum") for name in builtin.module.functions):
        pytest.skip("this compiler calls the library all the same")
    format = FORMATS[1]
    one, zero, negative = 0x3FF << 52, 0, 1 << 63
    for say in (builtin.explored, builtin.evaluated):
        assert say("fmin", format, zero, negative) == LEFT_OUT
        assert say("fmax", format, negative, zero) == LEFT_OUT
        assert say("fmin", format, format.infinity + 1, one) == LEFT_OUT
        assert say("fmin", format, one, negative) == negative
        assert say("fmax", format, format.nan, one) == one
