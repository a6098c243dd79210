"""Unions of random members, read and written: the engine and its views of inputs against native calls.

The native program gets the union's bytes, and prints what each member is by its name before and after the call: so
neither side knows how the other lays the union out.
"""

from __future__ import annotations

import random
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from soid.budget import UNLIMITED, Cancellation
from soid.engine.llvm.c_source import CSource
from soid.engine.llvm.llvm_engine import LlvmEngine
from soid.engine.llvm.variables.discovery import Discovered, discover
from soid.engine.protocol import Exploration
from soid.engine.summary import Decided, PathSummary
from soid.formula.build import TRUE
from soid.formula.checker import Possible
from soid.formula.passes import evaluate
from soid.formula.softfloat import is_nan
from soid.program.interface import Role
from soid.program.types import FloatType, VariableType
from tests.differential.linking import linked

UNIONS = 12
VECTORS = 3
WIDTHS = {"signed char": 8, "unsigned short": 16, "int": 32, "unsigned": 32, "long long": 64, "float": 32, "double": 64}
FLOATS = ("float", "double")


@dataclass(frozen=True)
class Scalar:
    """A number in a union, as C names it."""

    path: str
    type: str
    width: int
    is_field: bool = False

    def bits(self, reach: str) -> str:
        """A C expression for its bits."""
        if self.type in FLOATS:
            return f"bits_of_{self.type}({reach}{self.path})"
        return f"((unsigned long long){reach}{self.path} & {hex((1 << self.width) - 1)}ull)"


@dataclass(frozen=True)
class UnionLayout:
    """A union in a struct, and a function that reads and changes it."""

    number: int
    declared: str
    scalars: tuple[Scalar, ...]

    @property
    def changed(self) -> Scalar:
        """A whole number: a computed float may be a NaN, whose bits are open."""
        whole = [each for each in self.scalars if each.type not in FLOATS]
        return whole[self.number % len(whole)]

    @property
    def source(self) -> str:
        mixed = " ".join(f"h = h * 31u + {each.bits('s->')};" for each in self.scalars)
        return (
            "static inline unsigned long long bits_of_float(float x)"
            " { unsigned b; __builtin_memcpy(&b, &x, 4); return b; }\n"
            "static inline unsigned long long bits_of_double(double x)"
            " { unsigned long long b; __builtin_memcpy(&b, &x, 8); return b; }\n"
            f"struct layout {{ int kind; {self.declared} }};\n"
            "unsigned long long decide(struct layout *s) {\n"
            f"  unsigned long long h = s->kind; {mixed} s->{self.changed.path} = h >> 3; {mixed} return h; }}\n"
        )


def _layout(number: int) -> UnionLayout:
    pick = random.Random(number)
    scalars: list[Scalar] = []
    name = "" if pick.random() < 0.5 else "u"

    def within(path: str, *, fields: bool) -> Iterator[str]:
        for index in range(pick.randint(1, 3)):
            kind = pick.choice(list(WIDTHS))
            own, shape = f"{path}{chr(97 + index)}", pick.random()
            if fields and kind not in FLOATS and shape < 0.5:
                bits = pick.randint(1, WIDTHS[kind])
                scalars.append(Scalar(own, kind, bits, is_field=True))
                yield f"{kind} {own.rpartition('.')[2]} : {bits};"
            elif shape < 0.7:
                count = pick.randint(2, 3)
                scalars.extend(Scalar(f"{own}[{i}]", kind, WIDTHS[kind]) for i in range(count))
                yield f"{kind} {own.rpartition('.')[2]}[{count}];"
            else:
                scalars.append(Scalar(own, kind, WIDTHS[kind]))
                yield f"{kind} {own.rpartition('.')[2]};"

    def members(path: str) -> Iterator[str]:
        for index in range(pick.randint(1, 2)):
            packed = " __attribute__((packed))" if pick.random() < 0.3 else ""
            yield f"struct{packed} {{ {' '.join(within(f'{path}s{index}.', fields=True))} }} s{index};"
        kind = pick.choice(["unsigned", "long long", "unsigned short"])
        scalars.append(Scalar(f"{path}x", kind, WIDTHS[kind]))
        yield f"{kind} x;"
        yield from (
            f"{kind} {own}; " for kind, own in (("float", "y"), ("double", "z")) if _add(scalars, path, kind, own)
        )

    declared = f"union {{ {' '.join(members(f'{name}.' if name else ''))} }} {name};"
    return UnionLayout(number, declared, tuple(scalars))


def _add(scalars: list[Scalar], path: str, kind: str, own: str) -> bool:
    scalars.append(Scalar(f"{path}{own}", kind, WIDTHS[kind]))
    return True


LAYOUTS = [_layout(number) for number in range(UNIONS)]
_SIZE = 64  # bytes, at least as many as any struct has


def _vectors(layout: UnionLayout) -> list[bytes]:
    pick = random.Random(-1 - layout.number)
    return [pick.randbytes(_SIZE) for _ in range(VECTORS)]


def _main(layout: UnionLayout) -> str:
    told = "".join(f' printf("%llu\\n", {each.bits("s.")});' for each in layout.scalars)
    vectors = (", ".join(map(str, vector)) for vector in _vectors(layout))
    calls = "".join(
        f"  {{ unsigned char b[{_SIZE}] = {{ {vector} }}; struct layout s; __builtin_memcpy(&s, b, sizeof s);{told}"
        f' printf("%llu\\n", decide(&s));{told} }}\n'
        for vector in vectors
    )
    return f"#include <stdio.h>\nint main(void) {{\n{calls}}}\n"


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: str(layout.number))
def test_a_union_is_read_and_written_as_compiled(layout: UnionLayout, tmp_path: Path) -> None:
    (tmp_path / "layout.c").write_text(layout.source)
    (tmp_path / "main.c").write_text(layout.source + _main(layout))
    program = linked("main.c", tmp_path, "-fno-sanitize=all")
    ran = subprocess.run([program], check=True, capture_output=True, text=True)
    told = iter(map(int, ran.stdout.split()))
    found = discover(CSource((Path("layout.c"),), "decide"), tmp_path)
    engine = LlvmEngine(found.interface, found.loaded)
    names = [f"s.{each.path}" for each in layout.scalars]
    free = _explored(engine, {}, names)
    for vector in _vectors(layout):
        inputs = _inputs(found, vector)
        before = {name: next(told) for name in names}
        assert {name: found.interface.variable(name).value_in(inputs) for name in names} == before, layout.source
        state = {found.interface.variable(path).symbol: bits for path, bits in inputs.items()}
        symbols = {name: evaluate(found.interface.variable(name).symbol, state) for name in names}
        assert symbols == before, layout.source
        after = {"return": next(told), **{f"{name}'": next(told) for name in names}}
        kept = [name for name in names if found.interface.variable(name).role is Role.ENVIRONMENT]
        assert {name: after.pop(f"{name}'") for name in kept} == {name: before[name] for name in kept}, layout.source
        for run in (_explored(engine, inputs, names).run({}), free.run(state)):
            kinds = {name: found.interface.output_type(name) for name in after}
            given = {name: _one_nan(kinds[name], int(run.outputs[name])) for name in after}
            assert given == {name: _one_nan(kinds[name], bits) for name, bits in after.items()}, layout.source


def _one_nan(kind: VariableType, bits: int) -> int:
    """The bits; all NaNs are the same as the value of a float, and their bits show in the other members."""
    return kind.format.nan if isinstance(kind, FloatType) and is_nan(kind.format, bits) else bits


def _inputs(found: Discovered, memory: bytes) -> dict[str, int]:
    """The bits of each input in memory."""
    bits = int.from_bytes(memory, "little")
    places = found.loaded.places.by_path()
    extents = {
        v.path: (8 * places[v.path].offset + places[v.path].extent[0], v.type.width) for v in found.interface.inputs
    }
    return {path: bits >> first & (1 << width) - 1 for path, (first, width) in extents.items()}


def _explored(engine: LlvmEngine, fixed: dict[str, int], names: list[str]) -> PathSummary:
    """The one path of these functions, which have no branch."""
    states = Exploration(
        fixed, TRUE, lambda _: Possible({}), UNLIMITED.started(), Cancellation(), observed=frozenset(names)
    )
    summary = engine.explore(states)
    assert [type(path.ending) for path in summary.paths] == [Decided], summary.paths
    return summary
