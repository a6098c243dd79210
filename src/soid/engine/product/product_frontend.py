"""Several programs in one project: how `soid.toml` describes them, and how they are opened.

[programs.standard]               # the first made the log, unless another one says logged = true
engine  = "c"                     # each has the keys that [program] has for its engine,
sources = ["car.c"]
defines = ["DRIVER_STANDARD"]
entry   = "drive"

[programs.standard.lengths]       # and the tables of its engine
sensor = 2

[programs.impatient]
engine  = "c"
sources = ["car.c"]
defines = ["DRIVER_IMPATIENT"]
entry   = "drive"
names   = { "w.other_x" = "x" }   # optional: inputs that it calls otherwise -> what questions and the log call them

[variables]                       # of all programs, by the names that questions have
x = { unit = "m", domain = [0.0, 4.0] }
"impatient.move" = { label = "the impatient driver's decision to move" }   # of one program
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final, final

from msgspec.structs import replace

from soid.engine.frontend import Frontend, StrangersProject
from soid.engine.product.product_source import NamedProgram, ProductSource
from soid.errors import InputError
from soid.program.interface import Interface, normal_path
from soid.program.program import Program
from soid.program.toml_table import TomlTable

if TYPE_CHECKING:
    from soid.engine.product.product_engine import ProductEngine

TABLE: Final = "programs"
_NAME: Final = re.compile(r"[A-Za-z_]\w*", re.ASCII)


@final
class ProductFrontend(Frontend):
    """Reads projects with several programs."""

    name: ClassVar[str] = "product"
    reads: ClassVar[str] = "no files of its own: its programs are those of [programs]"
    tables: ClassVar[tuple[str, ...]] = (TABLE,)
    needed: ClassVar[tuple[str, ...]] = (TABLE,)
    made_of_others: ClassVar[bool] = True

    def recognises(self, ending: str, head: bytes) -> bool:
        return False

    def read(self, tables: Mapping[str, TomlTable], folder: Path) -> tuple[Interface, ProductSource]:
        listed = tables[TABLE]
        if len(list(listed)) < 2:
            listed.fail("", "there are fewer than two programs", "Write [program], or add another [programs.name].")
        members, logged = [], None
        for name in listed:
            table = listed.table(name)
            assert table is not None
            if not _NAME.fullmatch(name):
                listed.fail(name, f"{name} is no name for questions", "Write letters, digits and _.")
            member = read_member(name, table, list(listed), tables["variables"], folder)
            if table.flag("logged"):
                if logged is not None:
                    table.fail("logged", "another program has made the log already", "Say it of one.")
                logged = member
            table.close()
            members.append(member)
        first = logged or members[0]
        return Interface(()), ProductSource((first, *(each for each in members if each is not first)))

    def open(self, program: Program, *, replayed: bool) -> tuple[Program, ProductEngine]:
        from soid.engine.product.product_engine import ProductEngine
        from soid.engine.registry import open_program
        from soid.program.product_interface import product_interface

        assert isinstance(program.source, ProductSource)
        opened = []
        for each in program.source.members:
            one, engine = open_program(each.program, replayed=replayed)
            opened.append((replace(each, program=one), engine))
        source = ProductSource(tuple(member for member, _ in opened))
        interface = product_interface([each.named for each in source.members])
        made = ProductEngine([(member.named, engine) for member, engine in opened])
        return replace(program, interface=interface, source=source), made

    def confined(self, program: Program, folder: Path) -> Program:
        from soid.engine.registry import frontend_of

        assert isinstance(program.source, ProductSource)
        members = program.source.members
        made = (replace(each, program=frontend_of(each.program).confined(each.program, folder)) for each in members)
        return replace(program, source=ProductSource(tuple(made)))

    def guarded(self, program: Program, project: StrangersProject) -> Program | str:
        from soid.engine.registry import frontend

        assert isinstance(program.source, ProductSource)
        made = []
        for each in program.source.members:
            one = frontend(each.program.source.engine).guarded(each.program, project)
            if isinstance(one, str):
                return one
            made.append(replace(each, program=one))
        return replace(program, source=ProductSource(tuple(made)))


def read_member(name: str, table: TomlTable, names: list[str], variables: TomlTable, folder: Path) -> NamedProgram:
    """One of several programs: its table, the names of all, and [variables]."""
    from soid.engine.registry import frontend

    try:
        engine = frontend(table.required("engine", '"c"'))
    except InputError as error:
        table.fail("engine", error.cause, error.remedy)
    called = _called(table)
    tables = {each: table.table(each) or table.inner(each, {}) for each in engine.tables}
    tables |= {"program": table, "variables": _own_variables(variables, name, names, called)}
    interface, source = engine.read(tables, folder)
    return NamedProgram(name, Program(name, interface, source, folder), called)


def _called(table: TomlTable) -> dict[str, str]:
    given = table.table("names")
    return {} if given is None else {normal_path(path): given.required(path, '"x"') for path in given}


def _own_variables(table: TomlTable, name: str, names: list[str], called: Mapping[str, str]) -> TomlTable:
    """What [variables] says of one program: what is called after it, and what is called after none."""
    back = {theirs: own for own, theirs in called.items()}

    def entries() -> Iterator[tuple[str, Any]]:
        for path in table:
            owner, _, rest = path.partition(".")
            if owner == name and rest:
                yield rest, table.get(path)
            elif owner not in names or not rest:
                yield back.get(path, path), table.get(path)

    return table.holding(dict(entries()))
