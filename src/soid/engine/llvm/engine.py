"""The engine for C programs: compiled as they are, explored from an entry function, nothing to edit."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final, final

from soid.cache import digest
from soid.engine.llvm.discovery import discover
from soid.engine.llvm.exploring.boundary import Boundary
from soid.engine.llvm.exploring.constants import Constants
from soid.engine.llvm.exploring.explorer import Explorer, Limits, TooManyPaths
from soid.engine.llvm.exploring.externals import EXTERNALS
from soid.engine.llvm.exploring.logged import LoggedInput, external
from soid.engine.llvm.exploring.mathematics import mathematics
from soid.engine.llvm.exploring.runtime import Held, Unsupported
from soid.engine.llvm.exploring.starting import started
from soid.engine.llvm.exploring.state import State
from soid.engine.llvm.exploring.trailing import Recorder
from soid.engine.llvm.exploring.watching import Watcher
from soid.engine.llvm.internals import Internal
from soid.engine.llvm.program import LoadedProgram
from soid.engine.protocol import Exploration
from soid.engine.summary import OutputValue, PathSummary, Unexplored
from soid.engine.summary import Path as ProgramPath
from soid.engine.trail import Trail
from soid.formula.build import TRUE
from soid.program.interface import Interface
from soid.program.program import CSource

#: paths, finished or waiting, that are followed one by one; of more, those that meet again are merged
FEW_PATHS: Final = 256


@final
class LlvmEngine:
    """Explores one C program."""

    def __init__(
        self,
        interface: Interface,
        loaded: LoadedProgram,
        limits: Limits | None = None,
        inputs_from: tuple[LoggedInput, ...] = (),
        internals: tuple[Internal, ...] = (),
    ) -> None:
        self.interface = interface
        self.loaded = loaded
        self.limits = limits or Limits()
        self.inputs_from = inputs_from
        self.internals = internals
        self._constants = Constants(loaded.module, lazy=loaded.lazy)
        self._externals = {**EXTERNALS, **mathematics()}
        self._unstarted = ""  # why nobody knows how the program starts; empty: it is known
        try:
            self._constants.start_with(started(self._constants, self._externals))
        except Unsupported as unsupported:
            self._unstarted = unsupported.what

    @property
    def name(self) -> str:
        return "llvm"

    @property
    def identity(self) -> str | None:
        """A hash of all that paths depend on, besides the exploration; None where nobody knows the program's text."""
        loaded = self.loaded
        if not loaded.digest:
            return None
        return digest(
            loaded.digest,
            repr((loaded.entry.name, loaded.lazy, self.limits)),
            repr((loaded.places.regions, loaded.places.places)),
            *(repr((each.path, each.role, each.type)) for each in self.interface),
            "|",
            *(repr((each.function, each.repeats, [v.path for v in each.variables])) for each in self.inputs_from),
            "|",
            *(repr((each.variable.path, each.function, each.slot, each.size)) for each in self.internals),
        )

    def explore(self, exploration: Exploration) -> PathSummary:
        """Every path that some state of the precondition takes: one by one, or merged where there are many.

        Merging may lose sight of something, such as whether a variable was set: then each path is followed after all.
        """
        if not exploration.mechanisms.merging:
            return self._explore(exploration)
        try:
            return self._explore(exploration, most=FEW_PATHS)
        except TooManyPaths:
            merged = self._explore(exploration, merging=True)
        if merged.is_explored or exploration.deadline.is_over or exploration.cancel.cancelled:
            return merged
        return self._explore(exploration)

    def trail(self, exploration: Exploration) -> Trail:
        """The way that one state takes, all inputs being given."""
        recorders: list[Recorder] = []

        def listen(explorer: Explorer, boundary: Boundary) -> None:
            recorders.append(Recorder(explorer, boundary, self.loaded.debug, self.loaded.build.root))

        self._explore(exploration, prepared=listen)
        return recorders[0].trail()

    def _explore(
        self,
        exploration: Exploration,
        *,
        most: int | None = None,
        merging: bool = False,
        prepared: Callable[[Explorer, Boundary], None] = lambda explorer, boundary: None,
    ) -> PathSummary:
        """`most` and `merging` are an Explorer's; `prepared` is told when all is ready to begin."""
        loaded = self.loaded
        boundary: Boundary

        def finish(state: State, returned: Held | None) -> dict[str, OutputValue]:
            return {**boundary.outputs(state, returned), **watcher.outputs(state)}

        given = {each.function: external(each) for each in self.inputs_from}
        externals = {**self._externals, **given}
        explorer = Explorer(self._constants, exploration, externals, finish, self.limits, most=most, merging=merging)
        watcher = Watcher(each for each in self.internals if each.variable.path in exploration.observed)
        explorer.returning = watcher.returning
        boundary = Boundary(explorer, loaded.entry, loaded.info, loaded.places, self.interface)
        explorer.again = boundary.next_step
        prepared(explorer, boundary)
        state = explorer.initial()
        if state is None:
            return PathSummary((), loaded.relies_on)
        if loaded.module.asm:
            return _unexplored("assembly outside of functions", loaded.relies_on)
        if self._unstarted:
            return _unexplored(self._unstarted, loaded.relies_on)
        try:
            arguments = boundary.lay_out(state, exploration.fixed)
        except Unsupported as unsupported:
            return _unexplored(unsupported.what, loaded.relies_on)
        paths = tuple(explorer.run(state, loaded.entry, arguments))
        met = explorer.approximations
        relies_on = (
            *loaded.relies_on,
            *explorer.relies_on,
            *(each.relies_on for each in self.inputs_from),
            *met.relies_on(),
        )
        by = explorer.brancher.settled_by
        return PathSummary(paths, relies_on, tuple(met.by_symbol.values()), explorer.executed, by)


def _unexplored(what: str, relies_on: tuple[str, ...]) -> PathSummary:
    """A program that cannot even be started."""
    return PathSummary((ProgramPath("1", TRUE, Unexplored(f"not supported: {what}")),), relies_on)


def open_c(source: CSource, folder: Path) -> tuple[Interface, LlvmEngine]:
    """A C program as a manifest describes it: compiled, its interface found, ready to be explored."""
    found = discover(source, folder)
    limits = Limits(window=source.window)
    return found.interface, LlvmEngine(found.interface, found.loaded, limits, found.inputs_from, found.internals)
