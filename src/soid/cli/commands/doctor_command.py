"""`soid doctor`: which solvers, compilers, libraries of learned models and layers of a jail this machine has.

A solver may be installed and not work. So each is asked two small questions whose answers are known: one can be
satisfied, one cannot. A library may be installed and not start in the jail, so each is started there. soid's
own compiler is the package `ziglang`, of the extra `compiler`.
"""

from __future__ import annotations

import platform
import shutil
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any, Final, final

from msgspec import Struct

from soid.budget import Budget
from soid.cli.command_line.project_options import DoctorOptions
from soid.cli.commands.helper_command import HelpersDocument, helpers, in_words
from soid.cli.output import print_json
from soid.cli.terminal.terminal import Terminal
from soid.engine.learned.library_process import started_version
from soid.engine.learned.library_worker import LIBRARIES
from soid.engine.replay import NotAvailable
from soid.errors import EnvironmentalError, SoidError
from soid.formula import build
from soid.formula.sorts import BitVec
from soid.formula.term import Term
from soid.jail.launcher import NO_COMPILER, OLDEST_LANDLOCK, launcher, layers, packaged_zig, system_clangs
from soid.release import version
from soid.solver.chain import NAMES, available, chain
from soid.solver.protocol import Result, Sat, Unsat

_SECONDS: Final = 10.0


@final
class SolverHealth(Struct, frozen=True):
    """Whether a solver is installed, and whether it answers."""

    name: str
    version: str | None  # None: not installed
    answers: bool
    detail: str  # what is wrong, or how long it took


def doctor(options: DoctorOptions) -> int:
    """Look for solvers and compilers, and print what is there; the exit status is 0 if soid can work."""
    solvers = [_examine(name) for name in NAMES]
    found = compilers()
    works = any(solver.answers for solver in solvers)
    if options.as_json:
        known = version(), platform.python_version(), works, solvers, found, libraries(), jail(), helpers()
        print_json(DoctorDocument(*known))
    else:
        _show(Terminal.stdout(), works, solvers, found)
    return 0 if works else EnvironmentalError.exit_code


def _examine(name: str) -> SolverHealth:
    installed = available().get(name)
    if not installed:
        return SolverHealth(name, None, False, "not installed")
    started = time.perf_counter()
    try:
        with closing(chain((name,))) as solver:
            wrong = [what for what, ok in _known(solver.check) if not ok]
    except SoidError as error:
        return SolverHealth(name, installed, False, error.cause)
    seconds = time.perf_counter() - started
    return SolverHealth(name, installed, not wrong, "; ".join(wrong) or f"right, in {seconds:.2f} s")


def _known(check: Any) -> list[tuple[str, bool]]:
    """Ask whether the square of a 16-bit number can be 49, and whether it can be 51: yes and no."""
    x = build.var("x", BitVec(16))

    def squared(number: int) -> Result:
        conjuncts: list[Term] = [
            build.eq(build.bvmul(x, x), build.const(x.sort, number)),
            build.bvult(x, build.const(x.sort, 200)),
        ]
        result: Result = check(conjuncts, Budget(_SECONDS))
        return result

    yes, no = squared(49), squared(51)
    return [
        (f"x * x = 49 should be satisfiable: {yes}", isinstance(yes, Sat) and yes.model.get(x) == 7),
        (f"x * x = 51 should not be satisfiable: {no}", isinstance(no, Unsat)),
    ]


@final
class Compiler(Struct, frozen=True):
    """A compiler, whether it is on this machine or not."""

    name: str
    version: str | None  # as it prints it; or why it does not run; None: it is not on this machine
    where: str | None


def compilers() -> tuple[Compiler, ...]:
    """Look for soid's own compiler, and for those of the machine: of its clangs for the one that soid would take."""
    clang = next(iter(system_clangs().values()), shutil.which("clang"))
    return (_asked("ziglang", packaged_zig(), "version"), _asked("clang", clang), _asked("gcc", shutil.which("gcc")))


def _asked(name: str, where: Path | str | None, argument: str = "--version") -> Compiler:
    """Run the compiler, and take the first line that it prints as its version."""
    if where is None:
        return Compiler(name, None, None)
    try:
        ran = subprocess.run([where, argument], capture_output=True, text=True, timeout=20, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return Compiler(name, f"does not run: {error}", str(where))
    lines = (ran.stdout or ran.stderr).splitlines()
    return Compiler(name, lines[0].strip() if lines else f"ended with status {ran.returncode}", str(where))


@final
class ModelLibrary(Struct, frozen=True):
    """A library that learned models run in, and whether it starts in the jail."""

    name: str
    version: str | None  # None: it does not start here
    detail: str  # why it does not, or how long it took


def libraries() -> tuple[ModelLibrary, ...]:
    """Start each library that is installed, all at once: some take seconds."""
    with ThreadPoolExecutor(len(LIBRARIES)) as threads:
        return tuple(threads.map(_started, LIBRARIES))


def _started(name: str) -> ModelLibrary:
    begun = time.perf_counter()
    found = started_version(name)
    if isinstance(found, NotAvailable):
        return ModelLibrary(name, None, found.reason)
    return ModelLibrary(name, found, f"starts in the jail, in {time.perf_counter() - begun:.1f} s")


@final
class DoctorDocument(Struct, frozen=True):
    """What was found, as JSON."""

    soid: str
    python: str
    works: bool
    solvers: list[SolverHealth]
    compilers: tuple[Compiler, ...]
    libraries: tuple[ModelLibrary, ...]
    jail: Jail
    helpers: HelpersDocument


@final
class JailLayer(Struct, frozen=True):
    """One layer of the jail around programs and compilers."""

    name: str
    given: bool
    detail: str  # what it does, or what would give it


@final
class Jail(Struct, frozen=True):
    """The jail as this machine gives it."""

    layers: tuple[JailLayer, ...]
    replays: bool  # programs of the user's own can be run confined
    strangers: bool  # programs of others can be compiled and run confined


def jail() -> Jail:
    """Try each layer."""
    try:
        launcher()
    except EnvironmentalError as error:
        unknown = f"not known: {error.cause.partition(':')[0]}"
        names = ("system-call filter", "Landlock", "namespaces")
        return Jail(tuple(JailLayer(name, False, unknown) for name in names), replays=False, strangers=False)
    found = layers()
    locks = found.landlock >= OLDEST_LANDLOCK
    known = f"version {found.landlock} of the kernel's interface" if found.landlock else "absent"
    return Jail(
        (
            JailLayer(
                "system-call filter",
                found.filter,
                "a program can only compute" if found.filter else "needs a Linux kernel with seccomp",
            ),
            JailLayer(
                "Landlock",
                locks,
                f"no file but those named can be opened ({known})" if locks else f"{known}; needs Linux 5.19 or later",
            ),
            JailLayer(
                "namespaces",
                found.world,
                "other files and processes cannot be seen"
                if found.world
                else "not allowed here: containers and some distributions forbid them to users",
            ),
        ),
        replays=found.filter,
        strangers=found.locks_files,
    )


def _show_jail(terminal: Terminal, found: Jail) -> None:
    rows = [(each.name, "given" if each.given else "missing", each.detail) for each in found.layers]
    terminal.table(("jail", "here", "what it does"), rows, wraps=("what it does",))
    if not found.strangers:
        terminal.prose(
            "Programs of strangers are not run here: `soid verify` proves their facts anew without a replay, and "
            "`soid serve` explores uploads without one.",
            indent=2,
        )
    terminal.blank()


def _show(terminal: Terminal, works: bool, solvers: list[SolverHealth], found: tuple[Compiler, ...]) -> None:
    terminal.rule(f"soid {version()}", f"Python {platform.python_version()}")
    rows = [(s.name, s.version or "absent", s.detail) for s in solvers]
    terminal.table(("solver", "version", "two known questions"), rows, wraps=("two known questions",))
    terminal.blank()
    rows = [(c.name, c.version or "absent", c.where or "") for c in found]
    terminal.table(("compiler", "version", "where"), rows, wraps=("version",))
    if packaged_zig() is None and not system_clangs():
        terminal.prose(f"Programs in C cannot be compiled, and nothing can be confined. {NO_COMPILER}", indent=2)
    terminal.blank()
    _show_jail(terminal, jail())
    rows = [(each.name, each.version or "absent", each.detail) for each in libraries()]  # last: it takes a while
    terminal.table(("models run in", "version", "tried"), rows, wraps=("tried",))
    terminal.blank()
    terminal.line((f"  {in_words(helpers())}", ""))
    terminal.blank()
    if works:
        terminal.line((f"  {terminal.either('✔', '+')} soid can work here", "bold green"))
    else:
        terminal.line((f"  {terminal.either('✘', '-')} soid cannot work here: no solver answers", "bold red"))
        terminal.prose("Install one: pip install bitwuzla z3-solver cvc5", indent=4)
