"""Verdicts on programs that call pow, sin and the like: as brute force over native runs has them, or unknown.

The thresholds are results that the library really returns, so that a bit more or less would change the verdict.
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path
from random import Random

import pytest

from soid.engine.llvm import loaded_program as program
from soid.engine.llvm.c_source import CSource
from soid.engine.llvm.compiler.compilation import compile_native
from soid.engine.llvm.llvm_engine import open_c
from soid.engine.llvm.reader.module_reader import read_module
from soid.engine.llvm.variables.discovery import build_of
from soid.engine.protocol import Engine
from soid.oracle.answer import Answer, Verdict
from soid.oracle.inquiry import Context, Settings
from soid.oracle.pipeline import answer
from soid.program.interface import Interface
from soid.query.language.query_parser import parse
from soid.scenario.trace import Keyframe
from soid.solver.chain import chain
from soid.solver.protocol import Solver

pytestmark = pytest.mark.slow

_ONE = (
    *("exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sin", "cos", "tan", "asin", "acos", "atan"),
    *("sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "cbrt", "erf", "erfc", "exp10"),
)
_BODIES = (
    *(f"{name}S(x)" for name in _ONE),
    *("powS(x, 2)", "powS(x, 0.5)", "powS(x, -3)", "powS(x, y)", "hypotS(x, y)", "atan2S(x, y)"),
    *("sinS(expS(x))", "sinS(x) * cosS(x)", "sqrtS(powS(x, 2) + powS(y, 2))", "logS(x) / logS(y)"),
)
#: Bringing a witness near to the fact takes many questions, each asked again where a call was approximated.
_SETTLED = ("powS(x, y)", "sinS(expS(x))", "sqrtS(powS(x, 2) + powS(y, 2))")


@pytest.fixture(scope="module")
def solver() -> Iterator[Solver]:
    made = chain()
    yield made
    made.close()


@pytest.fixture(scope="module", autouse=True)
def read_once() -> Iterator[None]:
    """All examples are of one program, whose text is the same each time that one of them is opened."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(program, "read_module", cache(read_module))
        yield


@dataclass(frozen=True, slots=True)
class Example:
    """A program of one comparison, and the numbers that its inputs may have."""

    number: int  # its functions' names end in it
    kind: str
    body: str
    names: tuple[str, ...]
    domain: tuple[float, ...]
    fact: tuple[float, ...]
    random: Random

    def text(self, threshold: float) -> str:
        suffix = "f" if self.kind == "float" else ""
        parameters = ", ".join(f"{self.kind} {name}" for name in self.names)
        body = self.body.replace("S(", f"{suffix}(")
        value = f"value{self.number}({', '.join(self.names)})"
        return (
            f"{self.kind} value{self.number}({parameters}) {{ return {body}; }}\n"
            f"int decide{self.number}({parameters}) {{ return {value} > {threshold.hex()}{suffix}; }}\n"
        )


def _example(number: int, kind: str, body: str) -> Example:
    random = Random(f"{kind} {body}")
    names = ("x", "y") if "y" in body else ("x",)
    scale = random.choice((1.0, 1.0, 4.0, 30.0))
    numbers = [_rounded(kind, random.uniform(-scale / 2, scale)) for _ in range(6 if len(names) == 1 else 3)]
    domain = tuple(dict.fromkeys([*numbers, 1.0, -0.0 if len(names) == 1 else 2.0]))
    return Example(number, kind, body, names, domain, tuple(_rounded(kind, 0.625) for _ in names), random)


def _rounded(kind: str, value: float) -> float:
    return float(struct.unpack("<f", struct.pack("<f", value))[0]) if kind == "float" else value


@dataclass(frozen=True, slots=True)
class Judged:
    """An example with a threshold among its results, and whether each scenario exceeds it."""

    example: Example
    threshold: float
    decided: list[bool]


_CASES = [(body, kind) for body in _BODIES for kind in ("float", "double")]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("approximated")


@pytest.fixture(scope="module")
def judged(folder: Path) -> dict[tuple[str, str], Judged]:
    """Every example, all in one program: compiled once to be run, and once with its thresholds to be asked about."""
    examples = [_example(number, kind, body) for number, (body, kind) in enumerate(_CASES)]
    _write(folder / "native.c", examples, [0.0] * len(examples))
    loaded = ctypes.CDLL(str(compile_native(build_of(CSource((Path("native.c"),), "decide0"), folder))))
    found = [_judged(example, _native(example, loaded)) for example in examples]
    _write(folder / "program.c", examples, [each.threshold for each in found])
    return dict(zip(_CASES, found, strict=True))


def _write(file: Path, examples: list[Example], thresholds: list[float]) -> None:
    texts = [example.text(threshold) for example, threshold in zip(examples, thresholds, strict=True)]
    file.write_text("#define _GNU_SOURCE\n#include <math.h>\n" + "".join(texts))


def _native(example: Example, loaded: ctypes.CDLL) -> list[float]:
    """What the machine returns in each scenario of the family."""
    kind = ctypes.c_float if example.kind == "float" else ctypes.c_double
    value = loaded[f"value{example.number}"]
    value.restype, value.argtypes = kind, [kind] * len(example.names)
    return [value(*each) for each in product(example.domain, repeat=len(example.names)) if each != example.fact]


def _judged(example: Example, results: list[float]) -> Judged:
    ordered = [value for value in results if value == value and abs(value) < 1e30]
    threshold = example.random.choice(ordered or [0.0])
    return Judged(example, threshold, [value > threshold for value in results])


@pytest.mark.parametrize(("body", "kind"), _CASES)
def test_verdicts_are_those_of_native_runs(
    body: str, kind: str, judged: dict[tuple[str, str], Judged], solver: Solver, folder: Path
) -> None:
    this = judged[body, kind]
    interface, engine = open_c(CSource((Path("program.c"),), f"decide{this.example.number}"), folder)
    would, might = (_ask(this.example, word, interface, engine, solver) for word in ("would", "might"))
    # so few scenarios are found out one by one, even where no bounds help: no answer may be unknown
    assert would.verdict is _verdict(all(this.decided)), would.reason
    assert might.verdict is _verdict(any(this.decided)), might.reason
    assert any(each.id == "library-error" for each in would.relies_on)


def _verdict(yes: bool) -> Verdict:
    return Verdict.YES if yes else Verdict.NO


def _ask(example: Example, word: str, interface: Interface, engine: Engine, solver: Solver) -> Answer:
    pack = ("<f", "<I") if example.kind == "float" else ("<d", "<Q")
    inputs = {
        name: struct.unpack(pack[1], struct.pack(pack[0], value))[0]
        for name, value in zip(example.names, example.fact, strict=True)
    }
    values = ", ".join(repr(value) for value in example.domain)
    families = " and ".join(f"{name} in {{{values}}}" for name in example.names)
    query = parse(f"{word} return == 1 if {families}", interface)
    keyframe = Keyframe(0, inputs, {}, interface)
    settings = Settings(seconds=100, witness_seconds=1.0 if example.body in _SETTLED else 0.0)
    return answer(query.checked(interface), keyframe, Context(engine, solver, settings=settings))


@pytest.mark.soak
def test_a_power_is_no_product(solver: Solver, tmp_path: Path) -> None:
    """One x in a thousand tells pow(x, 2) from x * x: it is found and runs natively, or nobody claims anything."""
    (tmp_path / "program.c").write_text("#include <math.h>\nint decide(double x) { return pow(x, 2) != x * x; }\n")
    interface, engine = open_c(CSource((Path("program.c"),), "decide"), tmp_path)
    keyframe = Keyframe(0, {"x": 0x3FF << 52}, {}, interface)
    query = parse("might return == 1 if 1.0 <= x <= 1.5", interface)
    found = answer(query.checked(interface), keyframe, Context(engine, solver, settings=Settings(seconds=60)))
    if found.verdict is Verdict.UNKNOWN:
        assert "pow" in found.reason or "time" in found.reason
        return
    assert found.verdict is Verdict.YES
    assert found.witness is not None
    loaded = ctypes.CDLL(str(compile_native(build_of(CSource((Path("program.c"),), "decide"), tmp_path))))
    loaded.decide.argtypes = [ctypes.c_double]
    assert loaded.decide(struct.unpack("<d", struct.pack("<Q", found.witness.inputs["x"]))[0]) == 1


def test_what_bounds_prove_needs_no_luck(solver: Solver, tmp_path: Path) -> None:
    (tmp_path / "program.c").write_text(
        "#include <math.h>\nint decide(double v, double a) { return hypot(v, 3.0) + exp(-a) < 5.5; }\n"
    )
    interface, engine = open_c(CSource((Path("program.c"),), "decide"), tmp_path)
    keyframe = Keyframe(0, {"v": 0x3FF << 52, "a": 0x3FF << 52}, {}, interface)
    query = parse("would return == 1 if 0.0 <= v <= 3.9 and 1.0 <= a <= 2.0", interface)
    proved = answer(query.checked(interface), keyframe, Context(engine, solver, settings=Settings(seconds=60)))
    assert proved.verdict is Verdict.YES, proved.reason
    assert [each.text.split(":")[0] for each in proved.relies_on if each.id == "library-error"] == ["hypot", "exp"]
