"""Programs in a world: how `soid.toml` describes the world and its events, and how all is opened.

[world]                           # beside [program] or [programs]: a step function, like any program
engine  = "c"                     # with the keys that [program] has for its engine,
sources = ["world.c"]
entry   = "step"
names   = { "cars" = "world.agents" }   # optional: what it calls otherwise -> what questions call it; with all below it
acts    = { "go" = "move" }       # its inputs that are decisions of the programs -> these decisions
logged  = ["cars[1]"]             # optional: what goes on as it was logged, though the world could give it
tolerance = { "gap" = 0.05 }      # optional: how far it may be off the log one step on; or one number for all

[world.lengths]                   # and the tables of its engine
cars = 2

[world.variables]                 # what only the world has, as [variables] says it of what the programs have
"cars[0].goes" = { label = "where the first car goes" }

[events]                          # formulas over the variables of programs and world, in one step
collision = { when = "gap < 0.25", says = "the two cars collide", harm = true }

What the world reads and writes is the state of things: the programs perceive it, and after each step it is what the
world has left. So is what it writes anew and the programs perceive, as sensors give it. What it reads and does not
write is given to it: by the log, or by the decisions in `acts`. What else it writes, questions may speak of.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final, final

from msgspec.structs import replace

from soid.engine.frontend import Frontend, StrangersProject
from soid.engine.product.product_frontend import read_member
from soid.engine.world.world_source import WorldSource, WrittenEvent, WrittenTolerance
from soid.errors import QueryError, did_you_mean
from soid.program.interface import Interface, normal_path
from soid.program.program import Program
from soid.program.toml_table import Decimal, TomlTable
from soid.scenario.number_terms import exact

if TYPE_CHECKING:
    from soid.engine.world.world_engine import WorldEngine
    from soid.engine.world.world_interface import WorldEvent

_NAME: Final = re.compile(r"[^\W\d]\w*")


@final
class WorldFrontend(Frontend):
    """Reads projects with a world; `inner` reads its programs."""

    name: ClassVar[str] = "world"
    reads: ClassVar[str] = "no files of its own: its programs are those of [program] and [world]"
    made_of_others: ClassVar[bool] = True

    def __init__(self, inner: Frontend | None = None) -> None:
        self._inner = inner
        self.tables = ("world", "events", *(() if inner is None else inner.tables))  # type: ignore[misc]
        self.needed = ("world", *(() if inner is None else inner.needed))  # type: ignore[misc]

    def recognises(self, ending: str, head: bytes) -> bool:
        return False

    def read(self, tables: Mapping[str, TomlTable], folder: Path) -> tuple[Interface, WorldSource]:
        assert self._inner is not None
        interface, programs = self._inner.read(tables, folder)
        table = tables["world"]
        acts = table.table("acts")
        acting = {} if acts is None else {normal_path(path): acts.required(path, '"move"') for path in acts}
        own = table.table("variables") or tables["variables"].holding({})
        tolerance, logged = _tolerance(table), tuple(map(normal_path, table.texts("logged")))
        member = read_member("the world", table, [], own, folder)
        table.close()
        events = tuple(_event(tables["events"], name) for name in tables["events"])
        return interface, WorldSource(programs, member.program, member.names, acting, events, tolerance, logged)

    def open(self, program: Program, *, replayed: bool) -> tuple[Program, WorldEngine]:
        from soid.engine.registry import open_program
        from soid.engine.world.world_engine import WorldEngine
        from soid.engine.world.world_interface import world_interface, world_names
        from soid.program.product_interface import NamedInterface

        source = program.source
        assert isinstance(source, WorldSource)
        inner, engine = open_program(replace(program, source=source.programs_source), replayed=replayed)
        world, moving = open_program(source.world, replayed=replayed)
        named = NamedInterface("", world.interface, _spelled(source.names, world.interface))
        names = world_names(named, source.acts, inner.interface)
        plain = world_interface(inner.interface, names, (), source.logged)
        events = [_formula(each, plain) for each in source.events]
        interface = world_interface(inner.interface, names, events, source.logged)
        tolerances = _tolerances(source.tolerance, interface)
        made = WorldEngine(interface, (inner.interface, engine), (names, moving), events, tolerances)
        opened = replace(source, programs_source=inner.source, world=world)
        return replace(program, interface=interface, source=opened), made

    def confined(self, program: Program, folder: Path) -> Program:
        from soid.engine.registry import frontend_of

        source = program.source
        assert isinstance(source, WorldSource)
        inner = replace(program, source=source.programs_source)
        made = frontend_of(inner).confined(inner, folder)
        world = frontend_of(source.world).confined(source.world, folder)
        return replace(program, source=replace(source, programs_source=made.source, world=world))

    def guarded(self, program: Program, project: StrangersProject) -> Program | str:
        from soid.engine.registry import frontend

        source = program.source
        assert isinstance(source, WorldSource)
        inner = replace(program, source=source.programs_source)
        made = frontend(inner.source.engine).guarded(inner, project)
        world = frontend(source.world.source.engine).guarded(source.world, project)
        if isinstance(made, str) or isinstance(world, str):
            return made if isinstance(made, str) else str(world)
        return replace(program, source=replace(source, programs_source=made.source, world=world))


def _spelled(names: Mapping[str, str], interface: Interface) -> dict[str, str]:
    """The names of all variables below those that are called otherwise."""
    from soid.engine.world.world_interface import lies_under

    found = {}
    for variable in interface:
        for own, called in names.items():
            if lies_under(variable.path, own):
                found[variable.path] = called + variable.path[len(own) :]
    return found


def _tolerance(table: TomlTable) -> WrittenTolerance | None:
    """A number for all that the world gives, or a table by variable."""
    written = table.get("tolerance")
    if written is None:
        return None
    named = table.table("tolerance") if isinstance(written, Mapping) else None
    entry, keys = (table, ["tolerance"]) if named is None else (named, list(named))
    values = {key: _number(entry, key) for key in keys}
    if named is None:
        return WrittenTolerance(values["tolerance"], {}, table)
    return WrittenTolerance(None, {normal_path(path): value for path, value in values.items()}, named)


def _number(table: TomlTable, key: str) -> Fraction:
    value = table.get(key)
    found = exact(str(value)) if isinstance(value, int | Decimal) and not isinstance(value, bool) else None
    if found is None or found < 0:
        table.fail(key, "a tolerance is a number from 0 on", "Write how far the world may be off: 0.05.")
    return found


def _tolerances(written: WrittenTolerance | None, interface: Interface) -> dict[str, Fraction]:
    """How far each variable may be off that the world gives; those that are not numbers may not differ at all."""
    if written is None:
        return {}
    for path in written.named:
        if path not in interface.produced:
            assert written.entry is not None
            known = did_you_mean(path, interface.produced, f"It gives: {', '.join(sorted(interface.produced))}.")
            written.entry.fail(path, f"the world gives no {path}", known)
    return {path: each for path in interface.produced if (each := written.named.get(path, written.general)) is not None}


def _event(table: TomlTable, name: str) -> WrittenEvent:
    entry = table.table(name)
    assert entry is not None
    if not _NAME.fullmatch(name):
        table.fail(name, f"{name} is no name for questions", "Write letters, digits and _.")
    when = entry.required("when", '"gap < 0.25"')
    found = WrittenEvent(name, when, entry.words("says") or "", entry.flag("harm") or False, entry)
    entry.close()
    return found


def _formula(written: WrittenEvent, interface: Interface) -> WorldEvent:
    from soid.engine.world.world_interface import WorldEvent
    from soid.query.language.query_parser import parse_behavior

    try:
        behavior = parse_behavior(written.when, interface)
    except QueryError as error:
        assert written.entry is not None
        written.entry.fail("when", error.cause, error.remedy)
    if behavior.facts or behavior.speaks_of_endings:
        assert written.entry is not None
        written.entry.fail("when", "an event speaks of what is, in one step", "Leave out fact(...), fails and decides.")
    return WorldEvent(written.name, behavior.expression, written.says, written.is_harm)
