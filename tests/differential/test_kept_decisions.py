"""Decisions that a path leaves as they were: no definite verdict may depend on what they were before the call.

Small random programs write a global, some elements of an array, a bit-field and the caller's memory on some of their
paths only. The compiled program runs on every scenario of a question's family, from several values of what it may
keep. A verdict must be right for all of them; where the truth does not depend on them, soid should mostly know it.
"""

from __future__ import annotations

import ctypes
import itertools
import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from soid import Project, Verdict
from soid.engine.llvm import llvm_engine
from soid.engine.llvm.compiler.compilation import Build, compile_native
from soid.program.interface import Role

PROGRAMS = 12
FIRST = 2  # programs; the others are soaked
QUESTIONS = 5
#: each program's outputs, in the order of the driver's bytes, with their widths
OUTPUTS = {"g": 8, "t[0]": 8, "t[1]": 8, "t[2]": 8, "s.a": 3, "s.b": 4, "s.c": 5, "*o": 8}
STARTS = [(0,) * 8, (1,) * 8, (3, 0, 1, 2, 7, 3, 2, 5), (255, 7, 2, 0, 2, 9, 17, 3)]
FAMILY = range(8)
Values = Mapping[str, int]


class Writer:
    """Writes one program."""

    def __init__(self, number: int) -> None:
        self.n, self.rng = number, random.Random(number)

    def number(self) -> str:
        return self.rng.choice(["x", "1", "2", "x & 3", "x + 1", "3", "x >> 1", "7 - x"])

    def condition(self) -> str:
        one = self.rng.choice(["x > 3", "x & 1", "x == 2", "x < 6", "x != 5", "x & 2"])
        return one if self.rng.random() < 0.8 else f"{one} && x & 4"

    def statement(self, depth: int) -> str:
        n, value, pick = self.n, self.number(), self.rng.random()
        if depth and pick < 0.45:
            other = f" else {{ {self.block(depth - 1)} }}" if self.rng.random() < 0.5 else ""
            return f"if ({self.condition()}) {{ {self.block(depth - 1)} }}{other}"
        plain = [
            f"g{n} = {value};",
            f"*o = {value};",
            f"t{n}[({value}) % 3] = {self.number()};",
            f"t{n}[{self.rng.randrange(3)}] = {value};",
            f"s{n}.{self.rng.choice('abc')} = {value};",
            f"s{n} = (struct word){{ {value}, {self.number()}, 1 }};",
            f"{{ unsigned char *p = {self.condition()} ? &g{n} : o; *p = {value}; }}",
            f"{{ unsigned char b[2] = {{ {value}, 4 }}; memcpy(t{n} + {self.rng.randrange(2)}, b, 2); }}",
            f"for (int i = 0; i < (x & 1) + 1; i++) t{n}[i] = {value};",
            f"s{n}.a = {value}; if (s{n}.a > 2) g{n} = s{n}.a;",
            "return;",
        ]
        reads = [f"g{n} |= 1;", f"*o = s{n}.b;", f"t{n}[0] = t{n}[2];", f"if (g{n} > 2) *o = 1;"]
        return self.rng.choice(plain if self.rng.random() < 0.9 else reads)

    def block(self, depth: int) -> str:
        return " ".join(self.statement(depth) for _ in range(self.rng.randint(1, 2)))

    def text(self) -> str:
        n, rest = self.n, " ".join([f"if ({self.condition()}) g{self.n} = 1;", *(self.statement(2) for _ in range(3))])
        return (
            f"unsigned char g{n}, t{n}[3]; struct word s{n};\n"
            f"void f{n}(unsigned char x, unsigned char *o) {{ {rest} {self.statement(0)} }}\n"
        )

    def driver(self) -> str:
        n = self.n
        fields = [f"g{n}", f"t{n}[0]", f"t{n}[1]", f"t{n}[2]", f"s{n}.a", f"s{n}.b", f"s{n}.c", "o"]
        put = " ".join(f"{field} = in[{at}];" for at, field in enumerate(fields))
        get = " ".join(f"out[{at}] = {field};" for at, field in enumerate(fields))
        return (
            f"void run{n}(unsigned char x, int steps, const unsigned char *in, unsigned char *out) {{ "
            f"unsigned char o; {put} while (steps--) {{ f{n}(x, &o); {get} out += 8; }} }}\n"
        )


@dataclass(frozen=True)
class Asked:
    """A behavior over outputs, as a text and as a function."""

    text: str
    holds: Callable[[Values], bool]


def behavior(rng: random.Random, names: Mapping[str, str]) -> Asked:
    """`names` are what questions call the outputs."""

    def atom() -> Asked:
        name, value = rng.choice(sorted(names)), rng.randrange(8)
        sign = rng.choice(["==", "!=", "<", ">="])
        compare = {
            "==": lambda one: one == value,
            "!=": lambda one: one != value,
            "<": lambda one: one < value,
            ">=": lambda one: one >= value,
        }[sign]
        return Asked(f"{names[name]} {sign} {value}", lambda values: compare(values[name]))

    one, other = atom(), atom()
    match rng.randrange(4):
        case 0:
            return Asked(f"{one.text} and {other.text}", lambda values: one.holds(values) and other.holds(values))
        case 1:
            return Asked(f"{one.text} or {other.text}", lambda values: one.holds(values) or other.holds(values))
        case 2:
            return Asked(f"not ({one.text})", lambda values: not one.holds(values))
        case _:
            return one


def truths(holds: list[list[bool]], kind: str) -> set[str]:
    """The verdicts that are true from some start: of each scenario, whether the behavior occurs, for each start."""
    every = all if kind == "would" else any
    return {"yes" if every(each) else "no" for each in itertools.product(*(set(scenario) for scenario in holds))}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All programs in one file, which is compiled once."""
    found = tmp_path_factory.mktemp("kept")
    writers = [Writer(number) for number in range(PROGRAMS)]
    head = "#include <string.h>\nstruct word { unsigned a : 3, b : 4, c : 5; };\n"
    text = head + "".join(each.text() for each in writers)
    (found / "programs.c").write_text(text)
    (found / "driver.c").write_text('#include "programs.c"\n' + "".join(each.driver() for each in writers))
    (found / "log.jsonl").write_text('{"x": 0}\n')
    return found


@pytest.fixture(scope="module")
def library(folder: Path) -> ctypes.CDLL:
    return ctypes.CDLL(str(compile_native(Build((Path("driver.c"),), root=folder))))


def opened(folder: Path, number: int, flags: str) -> Project:
    place = folder / f"{number}{flags}"
    place.mkdir()
    (place / "soid.toml").write_text(
        f'[program]\nengine = "c"\nsources = ["../programs.c"]\nentry = "f{number}"\n{flags}\n'
        '[variables]\nx = { role = "environment" }\n[trace]\nfile = "../log.jsonl"\n'
    )
    return Project.open(place)


def left(library: ctypes.CDLL, number: int, x: int, start: tuple[int, ...], steps: int) -> list[Values]:
    """What the compiled program leaves after each step."""
    out = (ctypes.c_ubyte * (8 * steps))()
    library[f"run{number}"](ctypes.c_ubyte(x), steps, bytes(start), out)
    return [dict(zip(OUTPUTS, out[8 * step : 8 * step + 8], strict=True)) for step in range(steps)]


def questions(number: int, names: Mapping[str, str]) -> Iterator[tuple[str, str, Asked, int, str]]:
    rng = random.Random(1000 + number)
    for _ in range(QUESTIONS):
        steps = rng.choice([1, 1, 2])
        over = rng.choice(["after", "within", "throughout"]) if steps > 1 else "after"
        when = f" {over} {steps} steps held" if steps > 1 else ""
        yield rng.choice(["would", "might"]), when, behavior(rng, names), steps, over


@pytest.mark.parametrize(
    "number", [*range(FIRST), *(pytest.param(each, marks=pytest.mark.soak) for each in range(FIRST, PROGRAMS))]
)
@pytest.mark.parametrize("few", [256, 1], ids=["apart", "merged"])
def test_no_verdict_depends_on_what_was_before(
    number: int, few: int, folder: Path, library: ctypes.CDLL, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(llvm_engine, "FEW_PATHS", few)
    project = opened(folder, number, f"window = {900 + few}")
    interface = project.program.interface
    own = {name: name if name == "*o" else name.replace(name[0], f"{name[0]}{number}", 1) for name in OUTPUTS}
    roles = {name: interface.variable(path).role for name, path in own.items() if path in interface}
    names = {
        name: own[name] + "'" * (role is Role.STATE) for name, role in roles.items() if role is not Role.ENVIRONMENT
    }
    # what is read starts as C starts it: the answers say so
    read = [roles.get(name) in (Role.STATE, Role.ENVIRONMENT) for name in OUTPUTS]
    starts = {tuple(0 if fixed else bits for fixed, bits in zip(read, start, strict=True)) for start in STARTS}
    for kind, when, asked, steps, over in questions(number, names):
        runs = [[left(library, number, x, start, steps) for start in starts] for x in FAMILY if x != 0]
        combine = {"after": lambda each: each[-1], "within": any, "throughout": all}[over]
        holds = [[combine([asked.holds(values) for values in run]) for run in scenario] for scenario in runs]
        true = truths(holds, kind)
        text = f"{kind} {asked.text}{when} if x in {{0..7}}"
        answer = project.ask(text)
        assert answer.verdict in (Verdict.YES, Verdict.NO, Verdict.UNKNOWN), (text, answer.reason)
        assert answer.verdict is Verdict.UNKNOWN or true == {answer.verdict.value}, (text, true, answer.reason)
