"""The engine for C programs: it compiles them as they are and explores them from an entry function."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path, PurePosixPath
from typing import Final, final

from msgspec.structs import replace

from soid.assumptions import Assumption, Ledger
from soid.cache import digest
from soid.engine.inside import Inside
from soid.engine.llvm.c_source import CSource
from soid.engine.llvm.compiler.c_library import sources_digest
from soid.engine.llvm.compiler.compilation import compile_ir
from soid.engine.llvm.compiler.module_linker import llvm_version
from soid.engine.llvm.compiler.toolchain import find_toolchain
from soid.engine.llvm.flow.function_traits import might_fuse, rounds_floats
from soid.engine.llvm.loaded_program import LoadedProgram
from soid.engine.llvm.symbolic.boundary import Boundary, InternalObserver
from soid.engine.llvm.symbolic.explorer import ExplorationLimits, Explorer, Hooks, TooManyPaths
from soid.engine.llvm.symbolic.inside_recorder import InsideRecorder
from soid.engine.llvm.symbolic.instructions.dispatch import HANDLERS, Handler
from soid.engine.llvm.symbolic.library.external_functions import DescribedFunction, before_entry
from soid.engine.llvm.symbolic.path_state import PathState
from soid.engine.llvm.symbolic.paths.path_end import NotModelled
from soid.engine.llvm.symbolic.static_initializers import started
from soid.engine.llvm.symbolic.trail_recorder import TrailRecorder
from soid.engine.llvm.symbolic.values.held_values import Held
from soid.engine.llvm.variables.discovery import discover
from soid.engine.llvm.variables.initial_values import constants_of
from soid.engine.llvm.variables.internals import Internal
from soid.engine.protocol import BuildRecord, Engine, Exploration, MissingPart, RecordedRun
from soid.engine.replay import Replayer
from soid.engine.summary import OutputValue, PathSummary, Unexplored
from soid.engine.summary import Path as ProgramPath
from soid.engine.trail import Trail
from soid.formula.build import TRUE
from soid.program.interface import Interface

#: up to so many paths, finished or waiting, are followed one by one; if there are more, paths merge. Where the paths of
#: several programs are combined, so many combinations
FEW_PATHS: Final = 256
_SMALL_STACK: Final = 4096  # bytes that every stack has


@final
class LlvmEngine(Engine):
    """Explores one C program."""

    name = "llvm"
    disjoint = True

    def __init__(
        self,
        interface: Interface,
        loaded: LoadedProgram,
        limits: ExplorationLimits | None = None,
        described: tuple[DescribedFunction, ...] = (),
        internals: tuple[Internal, ...] = (),
    ) -> None:
        self.interface = interface
        self.loaded = loaded
        self.limits = limits or ExplorationLimits()
        self.described = described
        self.internals = internals
        self._constants = constants_of(loaded, described)
        self._externals = before_entry(())
        self._on_floats: dict[str, tuple[Assumption, ...]] = {}  # by function
        self._taken_before: tuple[Assumption, ...] = ()  # for granted, by what runs before the entry
        self._unstarted = ""  # why the program's static initialisers cannot be run; empty: they have run
        try:
            start = started(self._constants, before_entry(self.described), loaded.setup)
            self._constants.start_with(start.memory)
            self._taken_before = start.relies_on
        except NotModelled as unknown:
            self._unstarted = unknown.what

    @property
    def identity(self) -> str | None:
        """A hash of all that paths depend on besides the exploration; None where the program's text is not known."""
        loaded = self.loaded
        if not loaded.digest:
            return None
        return digest(
            loaded.digest,
            repr((loaded.entry.name, loaded.setup and loaded.setup.name, loaded.lazy, self.limits)),
            repr((loaded.places.regions, loaded.places.places)),
            *(repr((each.path, each.role, each.type)) for each in self.interface),
            "|",
            *(
                repr(
                    (
                        each.function,
                        each.repeats,
                        each.fills,
                        each.parts,
                        each.size,
                        [(v.path, v.type) for v in each.variables],
                    )
                )
                for each in self.described
            ),
            "|",
            *(repr((each.variable.path, each.function, each.slot, each.size)) for each in self.internals),
        )

    @property
    def files(self) -> tuple[Path, ...]:
        """Sources and headers, as the compiler names them, except the compiler's own headers."""
        build = self.loaded.build
        words = [*map(str, (*build.sources, *build.include)), *build.flags]
        return tuple(name for name in map(Path, compile_ir(build).files) if _is_own(name, words))

    @property
    def missing(self) -> tuple[MissingPart, ...]:
        from soid.engine.llvm.missing_parts import missing_parts

        return missing_parts(self.loaded, frozenset({*self._externals, *(each.function for each in self.described)}))

    @property
    def built(self) -> BuildRecord:
        build = self.loaded.build
        settings = {
            "target": build.target,
            "level": build.level,
            "flags": list(build.user_flags()),
            "sources": [source.as_posix() for source in build.sources],
            **({"library": sources_digest()} if self.loaded.library else {}),
        }
        return BuildRecord(compile_ir(build).portable, find_toolchain(build.clang).name, llvm_version(), settings)

    def replayer(self, *, unconfined: bool) -> Replayer:
        from soid.engine.llvm.native.native_replayer import NativeReplayer

        return NativeReplayer(self.loaded, self.interface, self.described, unconfined=unconfined)

    def retold(self, run: RecordedRun) -> Mapping[str, bytes]:
        from soid.engine.llvm.c_witness import retold

        is_told = not (self.described or self.loaded.setup or self.loaded.extern or self._constants.registers)
        return retold(self.loaded, run) if is_told else {}

    def accepts(self, retold: Path, project: PurePosixPath) -> bool:
        from soid.engine.llvm.c_witness import builds

        return builds(self.loaded.build, retold, project)

    def explore(self, exploration: Exploration) -> PathSummary:
        """Every path that some state of the precondition takes: one by one, or merged where there are many.

        Merging may lose knowledge, such as whether a variable was set. If that leaves states unexplored, every path is
        followed after all.
        """
        if not exploration.mechanisms.merging:
            return self._explore(exploration)
        try:
            return self._explore(exploration, most=int(FEW_PATHS ** (1 / exploration.programs)))
        except TooManyPaths:
            merged = self._explore(exploration, merging=True)
        if merged.is_explored or exploration.deadline.is_over or exploration.cancel.cancelled:
            return merged
        return self._explore(exploration)

    def _float_assumptions(self, function: str) -> tuple[Assumption, ...]:
        """What is assumed of floats where a function runs; looked up once."""
        if function not in self._on_floats:
            code, triple = self.loaded.module.functions[function], self.loaded.module.triple
            twice = (
                (Ledger.ROUNDED_TWICE.of(),) if might_fuse(code, triple) and not self.loaded.build.ready_made else ()
            )
            self._on_floats[function] = (*twice, Ledger.FLOAT_MODE.of()) if rounds_floats(code) else ()
        return self._on_floats[function]

    def trail(self, exploration: Exploration) -> Trail:
        boundary = self._boundary()
        recorder = TrailRecorder(boundary, self.loaded.debug, self.loaded.build.root)
        self._explore(exploration, boundary=boundary, handlers=recorder.handlers)
        return recorder.trail()

    def inside(self, exploration: Exploration) -> Inside | None:
        """Paths are followed one by one: there is no such state where several have merged."""
        recorder = InsideRecorder(self.loaded.debug, self.internals)
        try:
            self._explore(exploration, most=FEW_PATHS, handlers=recorder.handlers, ended=recorder.ended)
        except TooManyPaths:
            return Inside((), (), f"there are more than {FEW_PATHS} ways through the program")
        return recorder.inside()

    def _boundary(self) -> Boundary:
        return Boundary(self.loaded.entry, self.loaded.info, self.loaded.places, self.interface)

    def _explore(
        self,
        exploration: Exploration,
        *,
        most: int | None = None,
        merging: bool = False,
        boundary: Boundary | None = None,
        handlers: Mapping[type, Handler] = HANDLERS,
        ended: Callable[[PathState], None] = lambda _: None,
    ) -> PathSummary:
        """`most` and `merging` are an Explorer's, `handlers` and `ended` those of its hooks."""
        loaded, boundary = self.loaded, boundary or self._boundary()
        observer = InternalObserver(each for each in self.internals if each.variable.path in exploration.observed)

        def outputs(explorer: Explorer, state: PathState, returned: Held | None) -> dict[str, OutputValue]:
            return {**boundary.outputs(explorer, state, returned), **observer.outputs(explorer, state)}

        hooks = Hooks(outputs, boundary.next_step, observer.returning, ended, handlers)
        externals = {**self._externals, **{each.function: each.give for each in self.described}}
        choices = exploration.mechanisms.merging and handlers is HANDLERS  # else somebody watches every path
        explorer = Explorer(
            self._constants, exploration, externals, hooks, self.limits, most=most, merging=merging, choices=choices
        )
        state = explorer.initial()
        if state is None:
            return PathSummary((), loaded.relies_on)
        obstacle = "assembly outside of functions" if loaded.module.asm else self._unstarted
        if obstacle:
            return _unexplored(obstacle, loaded.relies_on)
        try:
            arguments = boundary.lay_out(explorer, state)
        except NotModelled as unknown:
            return _unexplored(unknown.what, loaded.relies_on)
        paths = tuple(explorer.run(state, loaded.entry, arguments))
        met = explorer.approximations
        stack = self.limits.stack - explorer.stack_left
        relies_on = (
            *boundary.relied_on(explorer.addresses.touched),
            *self._taken_before,
            *(each for each in explorer.relies_on if each not in self._taken_before),
            *((Ledger.STACK.of(stack),) if stack > _SMALL_STACK else ()),
            *met.relies_on(),
            *dict.fromkeys(each for name in sorted(explorer.entered) for each in self._float_assumptions(name)),
            *loaded.relies_on,
        )
        return PathSummary(paths, relies_on, tuple(met.by_symbol.values()), explorer.executed, explorer.settled_by)


def _unexplored(what: str, relies_on: tuple[Assumption, ...]) -> PathSummary:
    """The summary of a program that cannot be started."""
    return PathSummary((ProgramPath("1", TRUE, Unexplored(f"not supported: {what}")),), relies_on)


def _is_own(name: Path, words: Iterable[str]) -> bool:
    """Whether a file is the project's: one that lies in no folder that the manifest names is the compiler's."""
    return not name.is_absolute() or any(str(above) in word for above in name.parents[:-1] for word in words)


def open_c(source: CSource, folder: Path) -> tuple[Interface, LlvmEngine]:
    """Compile the program of a manifest; gives its interface, and an engine for it."""
    found = discover(source, folder)
    limits = ExplorationLimits(window=source.window)
    if source.stack is not None:
        limits = replace(limits, stack=source.stack)
    return found.interface, LlvmEngine(found.interface, found.loaded, limits, found.described, found.internals)
