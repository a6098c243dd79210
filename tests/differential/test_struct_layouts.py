"""Structs of random layout, by value and by reference, with bit-fields of all widths: the engine against native calls.

The native program sets each member by its name, so neither side knows how the other lays the struct out.
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
from soid.engine.llvm.variables.discovery import discover
from soid.engine.protocol import Exploration
from soid.engine.summary import Decided, PathSummary
from soid.formula.build import TRUE
from soid.formula.checker import Possible
from tests.differential.linking import linked

STRUCTS = 48
VECTORS = 4
WIDTHS = {
    "_Bool": 1,
    "unsigned char": 8,
    "signed char": 8,
    "short": 16,
    "unsigned short": 16,
    "int": 32,
    "unsigned": 32,
    "long long": 64,
    "unsigned long long": 64,
}


@dataclass(frozen=True)
class Member:
    """A member of a struct; one without a name is padding."""

    name: str
    type: str
    bits: int | None

    @property
    def width(self) -> int:
        return WIDTHS[self.type] if self.bits is None else self.bits

    def __str__(self) -> str:
        return f"{self.type} {self.name};" if self.bits is None else f"{self.type} {self.name} : {self.bits};"


@dataclass(frozen=True)
class Layout:
    """A struct, and the function that reads, changes and returns it."""

    number: int
    members: tuple[Member, ...]
    packed: bool
    by_value: bool

    @property
    def named(self) -> list[Member]:
        return [member for member in self.members if member.name]

    @property
    def source(self) -> str:
        """The result depends on every member before and after one of them was written."""
        attribute = " __attribute__((packed))" if self.packed else ""
        reach = "s." if self.by_value else "s->"
        mixed = " ".join(f"h = h * 31u + (unsigned long long){reach}{member.name};" for member in self.named)
        changed = self.named[self.number % len(self.named)].name
        return (
            f"struct{attribute} layout{self.number} {{ {' '.join(map(str, self.members))} }};\n"
            f"unsigned long long decide{self.number}(struct layout{self.number} {'s' if self.by_value else '*s'}) {{\n"
            f"  unsigned long long h = 7; {mixed} {reach}{changed} = h >> 3; {mixed} return h; }}\n"
        )

    def call(self, values: tuple[int, ...]) -> str:
        given = ", ".join(f".{m.name} = {value}ull" for m, value in zip(self.named, values, strict=True))
        argument = "s" if self.by_value else "&s"
        return (
            f"  {{ struct layout{self.number} s = {{ {given} }};"
            f' printf("%llu\\n", decide{self.number}({argument})); }}\n'
        )


def _layout(number: int) -> Layout:
    pick = random.Random(number)

    def members() -> Iterator[Member]:
        for index in range(pick.randint(1, 7)):
            kind = pick.choice(list(WIDTHS))
            widest = WIDTHS[kind]
            bits = pick.choice([None, pick.randint(1, widest), pick.randint(1, widest)])
            if bits is not None and pick.random() < 0.2:
                yield Member("", kind, pick.choice([0, pick.randint(1, widest)]))
            yield Member(f"m{index}", kind, bits)

    return Layout(number, tuple(members()), packed=pick.random() < 0.25, by_value=pick.random() < 0.5)


def _vectors(layout: Layout) -> list[tuple[int, ...]]:
    pick = random.Random(-1 - layout.number)
    whole = tuple((1 << member.width) - 1 for member in layout.named)
    return [whole, *(tuple(pick.getrandbits(m.width) for m in layout.named) for _ in range(VECTORS - 1))]


LAYOUTS = [_layout(number) for number in range(STRUCTS)]


@pytest.fixture(scope="module")
def native(tmp_path_factory: pytest.TempPathFactory) -> dict[int, list[int]]:
    """What the compiled functions return, by struct, for each vector."""
    folder: Path = tmp_path_factory.mktemp("layouts")
    calls = "".join(layout.call(values) for layout in LAYOUTS for values in _vectors(layout))
    text = "#include <stdio.h>\n" + "".join(layout.source for layout in LAYOUTS)
    (folder / "layouts.c").write_text(f"{text}int main(void) {{\n{calls}}}\n")
    program = linked("layouts.c", folder, "-fno-sanitize=all")
    told = iter(subprocess.run([program], check=True, capture_output=True, text=True).stdout.split())
    return {layout.number: [int(next(told)) for _ in _vectors(layout)] for layout in LAYOUTS}


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: str(layout.number))
def test_a_struct_is_read_and_written_as_compiled(layout: Layout, native: dict[int, list[int]], tmp_path: Path) -> None:
    (tmp_path / "layout.c").write_text(layout.source)
    found = discover(CSource((Path("layout.c"),), f"decide{layout.number}"), tmp_path)
    engine = LlvmEngine(found.interface, found.loaded)
    free = _explored(engine, {})
    for values, expected in zip(_vectors(layout), native[layout.number], strict=True):
        inputs = {f"s.{member.name}": value for member, value in zip(layout.named, values, strict=True)}
        state = {found.interface.variable(path).symbol: value for path, value in inputs.items()}
        assert _explored(engine, inputs).run({}).outputs["return"] == expected, layout.source
        assert free.run(state).outputs["return"] == expected, layout.source


def _explored(engine: LlvmEngine, fixed: dict[str, int]) -> PathSummary:
    """The one path of these functions, which have no branch."""
    summary = engine.explore(Exploration(fixed, TRUE, lambda _: Possible({}), UNLIMITED.started(), Cancellation()))
    assert [type(path.ending) for path in summary.paths] == [Decided], summary.paths
    return summary
