"""The engine for C programs: compiled as they are, explored from an entry function, nothing to edit."""

from __future__ import annotations

from pathlib import Path
from typing import final

from soid.engine.llvm.discovery import discover
from soid.engine.llvm.exploring.boundary import Boundary
from soid.engine.llvm.exploring.constants import Constants
from soid.engine.llvm.exploring.explorer import Explorer, Limits
from soid.engine.llvm.exploring.externals import EXTERNALS
from soid.engine.llvm.exploring.mathematics import mathematics
from soid.engine.llvm.exploring.runtime import Held
from soid.engine.llvm.exploring.state import State
from soid.engine.llvm.program import LoadedProgram
from soid.engine.protocol import Exploration
from soid.engine.summary import OutputValue, PathSummary
from soid.errors import ProgramError
from soid.program.interface import Interface
from soid.program.program import CSource


@final
class LlvmEngine:
    """Explores one C program."""

    def __init__(self, interface: Interface, loaded: LoadedProgram, limits: Limits | None = None) -> None:
        self.interface = interface
        self.loaded = loaded
        self.limits = limits or Limits()
        self._constants = Constants(loaded.module)
        self._externals = {**EXTERNALS, **mathematics()}

    @property
    def name(self) -> str:
        return "llvm"

    def explore(self, exploration: Exploration) -> PathSummary:
        """Every path that some state of the precondition takes."""
        loaded = self.loaded
        boundary: Boundary

        def finish(state: State, returned: Held | None) -> dict[str, OutputValue]:
            return boundary.outputs(state, returned)

        explorer = Explorer(self._constants, exploration, self._externals, finish, self.limits)
        boundary = Boundary(explorer, loaded.entry, loaded.info, loaded.places, self.interface)
        state = explorer.initial()
        if state is None:
            return PathSummary((), loaded.relies_on)
        arguments = boundary.lay_out(state, exploration.fixed)
        paths = tuple(explorer.run(state, loaded.entry, arguments))
        met = explorer.approximations
        return PathSummary(paths, (*loaded.relies_on, *met.relies_on()), tuple(met.by_symbol.values()))


def open_c(source: CSource, folder: Path) -> tuple[Interface, LlvmEngine]:
    """A C program as a manifest describes it: compiled, its interface found, ready to be explored."""
    if source.steps != 1:
        raise ProgramError("steps: calling the entry more than once is not supported yet", "Leave steps out.")
    found = discover(source, folder)
    return found.interface, LlvmEngine(found.interface, found.loaded, Limits(window=source.window))
