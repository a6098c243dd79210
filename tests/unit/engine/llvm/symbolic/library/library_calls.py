"""Functions of <math.h>, each as a C function of its own: explored by the engine, and run natively on bits.

calls = Calls(folder, ["floor", "pow"])
calls.native("floor", FLOAT64, bits)        what this machine returns
calls.explored("floor", FLOAT64, bits)      what the engine says, the arguments being constants
calls.evaluated("floor", FLOAT64, bits)     what the engine's paths over free arguments say there
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from soid.budget import UNLIMITED, Cancellation
from soid.engine.llvm.compiler.compilation import Build, compile_ir, compile_native
from soid.engine.llvm.reader.module_reader import read_module
from soid.engine.llvm.symbolic.explorer import ExplorationLimits, Explorer, Hooks
from soid.engine.llvm.symbolic.library.external_functions import EXTERNALS
from soid.engine.llvm.symbolic.library.mathematics import mathematics
from soid.engine.llvm.symbolic.path_state import PathState
from soid.engine.llvm.symbolic.program_constants import Constants
from soid.engine.llvm.symbolic.values.held_values import Held
from soid.engine.protocol import Exploration
from soid.engine.summary import Failed, OutputValue, PathSummary, Unexplored
from soid.formula import build
from soid.formula.checker import Open
from soid.formula.sorts import FLOAT32, FLOAT64, BitVec, Float
from soid.formula.term import Term

#: the ends that are no numbers
FAILS, LEFT_OUT = "fails", "left out"
Result = int | str


@dataclass(frozen=True)
class Shape:
    """Types and body of a function, T being the float type and S the suffix of the library's names."""

    parameters: tuple[str, ...]
    returns: str
    body: str


def _float(name: str, arity: int) -> Shape:
    arguments = ", ".join("xyz"[:arity])
    return Shape(("T",) * arity, "T", f"return {name}S({arguments});")


_SHAPES = {
    **{
        name: _float(name, 2) for name in ["fmod", "remainder", "drem", "copysign", "nextafter", "fdim", "fmin", "fmax"]
    },
    **{name: _float(name, 2) for name in ["pow", "atan2", "hypot"]},
    "fma": _float("fma", 3),
    **{name: Shape(("T", "int"), "T", f"return {name}S(x, y);") for name in ("ldexp", "scalbn")},
    "scalbln": Shape(("T", "long"), "T", "return scalblnS(x, y);"),
    "modf": Shape(("T",), "T", "T w; return modfS(x, &w);"),
    "modf_whole": Shape(("T",), "T", "T w; modfS(x, &w); return w;"),
    "frexp": Shape(("T",), "T", "int e; return frexpS(x, &e);"),
    "frexp_exponent": Shape(("T",), "int", "int e; frexpS(x, &e); return e;"),
    "sincos_sin": Shape(("T",), "T", "T s, c; sincosS(x, &s, &c); return s;"),
    "sincos_cos": Shape(("T",), "T", "T s, c; sincosS(x, &s, &c); return c;"),
    "ilogb": Shape(("T",), "int", "return ilogbS(x);"),
    **{name: Shape(("T",), "long", f"return {name}S(x);") for name in ["lrint", "llrint", "lround", "llround"]},
    **{
        name: Shape(("T",), "int", f"return {name}(x);")
        for name in ["isnan", "isinf", "isfinite", "isnormal", "signbit", "fpclassify"]
    },
    **{name: Shape(("T",), "int", f"return {name}S(x);") for name in ["__isnan", "__isinf", "__finite", "__signbit"]},
    "__fpclassify": Shape(("T",), "int", "return __fpclassifyS(x);"),
    **{
        name: Shape(("T", "T"), "int", f"return {name}(x, y);")
        for name in ["isgreater", "isgreaterequal", "isless", "islessequal", "islessgreater", "isunordered"]
    },
    "labs": Shape(("long",), "long", "return labs(x);"),
    "abs": Shape(("int",), "int", "return abs(x);"),
}
_DECLARED = "int __isnan(double); int __isnanf(float); int __isinf(double); int __isinff(float); int __finite(double);"
_DECLARED += "int __finitef(float); int __signbit(double); int __signbitf(float); int __fpclassify(double);"
_DECLARED += "int __fpclassifyf(float);"


def shape(name: str) -> Shape:
    return _SHAPES.get(name) or _float(name, 1)


def width(kind: str, format: Float) -> int:
    return {"T": format.width, "int": 32, "long": 64}[kind]


def _text(names: Sequence[str]) -> str:
    lines = ["#define _GNU_SOURCE", "#include <math.h>", "#include <stdlib.h>", "#include <string.h>", _DECLARED]
    for suffix, ctype in (("", "double"), ("f", "float")):
        for name in names:
            one = shape(name)

            def put(kind: str, ctype: str = ctype) -> str:
                return ctype if kind == "T" else kind

            body = one.body.replace("S(", f"{suffix}(").replace("T ", f"{ctype} ")
            parameters = ", ".join(f"{put(kind)} {letter}" for kind, letter in zip(one.parameters, "xyz", strict=False))
            lines.append(f"{put(one.returns)} on_{name}{suffix}({parameters}) {{ {body} }}")
            copies = "".join(
                f"{put(kind)} {letter}; memcpy(&{letter}, in + {8 * i}, sizeof {letter}); "
                for i, (kind, letter) in enumerate(zip(one.parameters, "xyz", strict=False))
            )
            call = f"on_{name}{suffix}({', '.join('xyz'[: len(one.parameters)])})"
            lines.append(
                f"void bits_{name}{suffix}(const char *in, char *out) "
                f"{{ {copies}{put(one.returns)} r = {call}; memcpy(out, &r, sizeof r); }}"
            )
    return "\n".join(lines) + "\n"


class Calls:
    """One file of functions, compiled both ways."""

    def __init__(self, folder: Path, names: Sequence[str], flags: tuple[str, ...] = ()) -> None:
        (folder / "functions.c").write_text(_text(names))
        program = Build((Path("functions.c"),), flags=flags, root=folder)
        self.module = read_module(compile_ir(program).text)
        self._constants = Constants(self.module)
        self.object = compile_native(program)
        self._loaded = ctypes.CDLL(str(self.object))
        self._externals = {**EXTERNALS, **mathematics()}
        self.over_free_arguments = cache(self._over_free_arguments)

    def native(self, name: str, format: Float, *bits: int) -> int:
        one = shape(name)
        given = b"".join(value.to_bytes(8, "little") for value in bits)
        out = ctypes.create_string_buffer(8)
        self._loaded[f"bits_{name}{_suffix(format)}"](given, out)
        found = int.from_bytes(out.raw[: width(one.returns, format) // 8], "little")
        return _one_nan(format, found) if one.returns == "T" else found

    def explored(self, name: str, format: Float, *bits: int) -> Result:
        return self._outcome(self._explore(name, format, list(bits)), {}, name, format)

    def evaluated(self, name: str, format: Float, *bits: int) -> Result:
        symbols, summary = self.over_free_arguments(name, format)
        return self._outcome(summary, dict(zip(symbols, bits, strict=True)), name, format)

    def _outcome(self, summary: PathSummary, state: dict[Term, int], name: str, format: Float) -> Result:
        run = summary.run(state)
        if isinstance(run.path.ending, Failed):
            return FAILS
        if isinstance(run.path.ending, Unexplored):
            return LEFT_OUT
        found = int(run.outputs["result"])
        return _one_nan(format, found) if shape(name).returns == "T" else found

    def _over_free_arguments(self, name: str, format: Float) -> tuple[list[Term], PathSummary]:
        symbols: list[Term] = []
        readings: list[Held] = []
        for kind, letter in zip(shape(name).parameters, "xyz", strict=False):
            symbols.append(build.var(letter, BitVec(width(kind, format))))
            readings.append(build.fp_from_bits(format, symbols[-1]) if kind == "T" else symbols[-1])
        return symbols, self._explore(name, format, readings)

    def _explore(self, name: str, format: Float, arguments: Sequence[Held]) -> PathSummary:
        one = shape(name)
        sort = format if one.returns == "T" else BitVec(width(one.returns, format))

        def outputs(explorer: Explorer, state: PathState, held: Held | None) -> dict[str, OutputValue]:
            term = held if isinstance(held, Term) else build.const(sort, held)
            return {"result": OutputValue(term)}

        exploration = Exploration({}, build.TRUE, lambda _: Open("never asked"), UNLIMITED.started(), Cancellation())
        explorer = Explorer(self._constants, exploration, self._externals, Hooks(outputs), ExplorationLimits())
        state = explorer.initial()
        assert state is not None
        paths = explorer.run(state, self.module.functions[f"on_{name}{_suffix(format)}"], arguments)
        return PathSummary(tuple(paths), (), tuple(explorer.approximations.by_symbol.values()))


def _suffix(format: Float) -> str:
    return "f" if format == FLOAT32 else ""


def _one_nan(format: Float, bits: int) -> int:
    return format.nan if bits & (format.sign_bit - 1) > format.infinity else bits


FORMATS: tuple[Float, ...] = (FLOAT32, FLOAT64)
Ask = Callable[..., Result]
