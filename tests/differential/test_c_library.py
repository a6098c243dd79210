"""soid's own C library against the system's: natively on many texts, and through the engine, texts known and free."""

from __future__ import annotations

import ctypes
import random
import re
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Final

import pytest

from soid.budget import UNLIMITED, Cancellation
from soid.engine.llvm.c_source import CSource
from soid.engine.llvm.compiler.c_library import EXPORTS, OWN_FUNCTIONS, SOURCES
from soid.engine.llvm.compiler.compilation import Build, compile_native
from soid.engine.llvm.compiler.toolchain import DEFAULT_TARGET, find_toolchain
from soid.engine.llvm.llvm_engine import LlvmEngine
from soid.engine.llvm.symbolic.library.external_functions import EXTERNALS
from soid.engine.llvm.symbolic.library.mathematics import mathematics
from soid.engine.llvm.variables.discovery import discover
from soid.engine.protocol import Exploration
from soid.engine.summary import Decided, PathSummary
from soid.formula import build
from soid.formula.checker import Impossible, Open, Possibility, Possible
from soid.formula.term import Term
from soid.solver.back_ends import in_process
from soid.solver.protocol import Sat, Unsat

HERE: Final = Path(__file__).with_name("c_library")
SIZE: Final = 24
FUNCTIONS: Final = 12  # that functions.c can be asked for
EDGES: Final = (
    *("", "0", "-0", "+7", " 12,a", "0x1F", "0x", "017", "2147483647", "-2147483648", "9223372036854775807"),
    *("9223372036854775808", "-9223372036854775809", "ffffffffffffffff", "1e5", "1e", ".5", "5.", "-.5e-1", "0.1"),
    *("3.14159265358979", "9007199254740993", "1e22", "1e23", "123456789012345678", "2.5e-8,zz", "inf", "-nan", "x"),
    *("0x1.8p3", "1 2 3", ",,a,,b", "Ab-cD", "1E,1e", "\t\n 9", "%d", "0b11", "1e+", "99.995", "0.5", "1.5", "2.5"),
)


def _compile(arguments: Sequence[str], folder: Path) -> None:
    toolchain = find_toolchain()
    toolchain.compile([*toolchain.target_flags(DEFAULT_TARGET), "-w", *arguments], folder)


def _compared(folder: Path, rounds: int, first: int) -> str:
    """The library under other names, with traps, beside the system's; what the comparison says at its end."""
    named = ["-DEXPORTED(name)=own_##name", "-ffreestanding", "-fno-builtin", "-O1"]
    traps = ["-fsanitize=undefined", "-fsanitize-trap=undefined"]
    for name in EXPORTS:
        _compile([*named, *traps, "-c", str(SOURCES / name), "-o", f"{name}.o"], folder)
    objects = [f"{name}.o" for name in EXPORTS]
    plain = ["-O1", "-fno-builtin", "-fno-sanitize=all", "-nostdlib"]
    _compile([*plain, str(HERE / "comparison.c"), *objects, "-lm", "-lc", "-o", "comparison"], folder)
    ran = subprocess.run(
        [folder / "comparison", str(rounds), str(first)], capture_output=True, text=True, errors="replace", check=False
    )
    assert ran.returncode == 0, ran.stdout[-3000:] or ran.returncode
    return ran.stdout


def test_the_library_gives_what_the_systems_gives(tmp_path: Path) -> None:
    told = _compared(tmp_path, 2_000, 1).split()
    assert int(told[1].rstrip(",")) > 150_000, told


@pytest.mark.fuzz
def test_the_library_gives_what_the_systems_gives_for_long(tmp_path: Path) -> None:
    assert _compared(tmp_path, 300_000, random.SystemRandom().randrange(1 << 32))


def test_each_function_comes_from_one_place() -> None:
    assert not OWN_FUNCTIONS & {*EXTERNALS, *mathematics()}
    assert sum(map(len, EXPORTS.values())) == len(OWN_FUNCTIONS)


def test_each_file_defines_what_is_said_of_it(tmp_path: Path) -> None:
    assert {path.name for path in SOURCES.glob("*.c")} == set(EXPORTS)
    for name, exported in EXPORTS.items():
        renamed = "-DEXPORTED(name)=EXPORTED_##name"
        _compile(["-E", "-P", "-ffreestanding", renamed, str(SOURCES / name), "-o", "text"], tmp_path)
        assert set(re.findall(r"EXPORTED_(\w+)", (tmp_path / "text").read_text())) == set(exported)


# --- through the engine -----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def engine() -> LlvmEngine:
    found = discover(CSource((Path("functions.c"),), "decide", lengths={"text": SIZE}), HERE)
    return LlvmEngine(found.interface, found.loaded)


@pytest.fixture(scope="module")
def native() -> Callable[[bytes, int], int]:
    function = ctypes.CDLL(str(compile_native(Build((Path("functions.c"),), root=HERE)))).decide
    function.argtypes, function.restype = [ctypes.c_char_p, ctypes.c_int], ctypes.c_longlong
    return lambda text, which: int(function(text.ljust(SIZE, b"\0"), which)) & (1 << 64) - 1


@pytest.fixture
def check() -> Iterator[Callable[[Sequence[Term]], Possibility]]:
    solver = in_process("bitwuzla")

    def answer(conjuncts: Sequence[Term], /) -> Possibility:
        result = solver.check(conjuncts)
        if isinstance(result, Sat):
            return Possible(result.model)
        return Impossible() if isinstance(result, Unsat) else Open(str(result))

    yield answer
    solver.close()


def _known(text: bytes, which: int) -> dict[str, int]:
    return {**{f"text[{i}]": byte for i, byte in enumerate(text.ljust(SIZE, b"\0"))}, "which": which}


def _explored(
    engine: LlvmEngine, fixed: Mapping[str, int], free: Term, check: Callable[[Sequence[Term]], Possibility]
) -> PathSummary:
    return engine.explore(Exploration(fixed, free, check, UNLIMITED.started(), Cancellation()))


def test_the_engine_reads_texts_as_the_machine_does(engine: LlvmEngine, native: Callable[[bytes, int], int]) -> None:
    chance = random.Random(15)
    texts = [*EDGES, *("".join(chance.choices("0123456789+-. xeabAB,", k=chance.randrange(12))) for _ in range(12))]
    decided = 0
    for number, text in enumerate(texts):
        for which in range(number % 3, FUNCTIONS, 3):
            (path,) = _explored(engine, _known(text.encode(), which), build.TRUE, lambda _: Possible({})).paths
            if isinstance(path.ending, Decided):
                run = PathSummary((path,), ()).run({})
                assert run.outputs["return"] == native(text.encode(), which), (text, which)
                decided += 1
    assert decided > 0.8 * len(texts) * FUNCTIONS / 3


@pytest.mark.parametrize(
    ("which", "before", "free", "after", "letters"),
    [
        (0, b"", 1, b"b1", bytes(range(1, 256))),
        (1, b"", 3, b"7", b"\x0009ax -"),
        (2, b"", 2, b"g", b"\x00\t/09:@AFG`afgxX"),
        (10, b"", 3, b"", b"\0 9.-e"),
        (11, b"1.", 2, b"e2", b"\x0009.-"),
        (5, b"a", 3, b"c", b"\0 ,ab"),
        (8, b"b", 2, b"a", b"\0abc"),
    ],
)
def test_paths_over_free_texts_give_what_each_text_gives(
    engine: LlvmEngine,
    native: Callable[[bytes, int], int],
    check: Callable[[Sequence[Term]], Possibility],
    which: int,
    before: bytes,
    free: int,
    after: bytes,
    letters: bytes,
) -> None:
    places = range(len(before), len(before) + free)
    symbols = [engine.interface.variable(f"text[{i}]").symbol for i in places]
    fixed = _known(before + b"\0" * free + after, which)
    for i in places:
        del fixed[f"text[{i}]"]
    among = build.all_of(
        build.any_of(build.eq(symbol, build.const(symbol.sort, letter)) for letter in letters) for symbol in symbols
    )
    summary = _explored(engine, fixed, among, check)
    decided = 0
    for chosen in product(letters, repeat=free):
        run = summary.run(dict(zip(symbols, chosen, strict=True)))
        if isinstance(run.path.ending, Decided):
            assert run.outputs["return"] == native(before + bytes(chosen) + after, which), bytes(chosen)
            decided += 1
    assert decided > 0.8 * len(letters) ** free
