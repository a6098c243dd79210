"""An engine in one module, as a package of its own could bring it: a text file says above which speed it brakes.

50                # decides brake where speed > 50
see other.limits  # or in another file
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar, final

from soid.assumptions import Assumption
from soid.cache import digest
from soid.engine.frontend import Frontend, StrangersProject
from soid.engine.protocol import Engine, Exploration
from soid.engine.summary import Decided, OutputValue, PathSummary, assuming
from soid.engine.summary import Path as ProgramPath
from soid.errors import ProgramError
from soid.formula import build
from soid.formula.build import FALSE, TRUE
from soid.program.interface import Interface
from soid.program.program import Program, ProgramSource
from soid.program.toml_table import TomlTable
from soid.program.variable_table import read_variables

LIMIT = Assumption("limit", "the limit is as written")


@final
class LimitsSource(ProgramSource, frozen=True):
    engine: ClassVar[str] = "limits"

    rule: Path
    steps: int = 1

    @property
    def files(self) -> tuple[Path, ...]:
        return (self.rule,)


@final
class LimitsEngine(Engine):
    name = "limits"
    disjoint = True

    def __init__(self, interface: Interface, folder: Path, rule: Path) -> None:
        self.interface = interface
        self._read = [rule]
        text = (folder / rule).read_text().strip()
        if text.startswith("see "):
            self._read.append(Path(text.removeprefix("see ")))
            text = (folder / self._read[-1]).read_text().strip()
        if not text.isdigit():
            raise ProgramError(f"{rule.name}: {text!r} is no limit", "Write a number.")
        self._limit = int(text)

    @property
    def identity(self) -> str:
        return digest("limits 1", str(self._limit), *(repr((v.path, v.role, v.type)) for v in self.interface))

    @property
    def files(self) -> tuple[Path, ...]:
        return tuple(self._read)

    def explore(self, exploration: Exploration) -> PathSummary:
        speed = self.interface.variable("speed").symbol
        fast = build.bvult(build.const(speed.sort, self._limit), speed)
        paths = [
            ProgramPath("fast", fast, Decided(), {"brake": OutputValue(TRUE)}),
            ProgramPath("slow", build.not_(fast), Decided(), {"brake": OutputValue(FALSE)}),
        ]
        fixed = {v.symbol: v for v in self.interface.inputs if v.path in exploration.fixed}
        values = {symbol: build.const(symbol.sort, exploration.fixed[v.path]) for symbol, v in fixed.items()}
        return PathSummary(tuple(assuming(paths, values)), (LIMIT,))


@final
class LimitsFrontend(Frontend):
    name: ClassVar[str] = "limits"
    reads: ClassVar[str] = "limits (.limits)"
    tables: ClassVar[tuple[str, ...]] = ("law",)
    needed: ClassVar[tuple[str, ...]] = ("variables",)
    file_keys: ClassVar[tuple[str, ...]] = ("rule",)
    trusting: ClassVar[bool] = False  # whether it opens the programs of strangers

    def recognises(self, ending: str, head: bytes) -> bool:
        return ending == ".limits"

    def read(self, tables: Mapping[str, TomlTable], folder: Path) -> tuple[Interface, LimitsSource]:
        source = LimitsSource(
            Path(tables["program"].required("rule", '"a.limits"')), tables["law"].integer("steps") or 1
        )
        tables["law"].close()
        return read_variables(tables["variables"]), source

    def open(self, program: Program, *, replayed: bool) -> tuple[Program, LimitsEngine]:
        assert isinstance(program.source, LimitsSource)
        return program, LimitsEngine(program.interface, program.folder, program.source.rule)

    def guarded(self, program: Program, project: StrangersProject) -> Program | str:
        return program if self.trusting else super().guarded(program, project)
