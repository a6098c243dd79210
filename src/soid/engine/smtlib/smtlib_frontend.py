"""What `soid.toml` says of a program whose paths are given as SMT-LIB, and how it is opened.

    [program]
    engine = "smtlib"
    paths  = ["paths/*.smt2"]         # files, folders or patterns; one file a path, or one file with named paths

    [variables]
    started = { role = "state", type = "bool", smtlib = "started", smtlib_after = "started_next" }
    action  = { role = "decision", type = "enum", labels = ["START", "CANCEL"] }

    [endings]                         # optional: how a path ends that does not decide, by its file's or its own name
    test000007 = "fails: division by zero at oven.c:12"
    waiting    = "does not decide"

`smtlib` is the variable's name in the SMT-LIB files, and `smtlib_after` the name of a state variable after the call.
Where absent they are the path (`world.pos_x`, written `|world.agents[1].pos_x|` where SMT-LIB wants bars) and the
path with a prime (`|started'|`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final, final

from soid.engine.file_kinds import is_text
from soid.engine.frontend import Frontend, StrangersProject
from soid.engine.smtlib.smtlib_source import SmtLibSource
from soid.program.files import matching
from soid.program.interface import Interface, Role, Variable
from soid.program.program import Program
from soid.program.toml_table import TomlTable
from soid.program.variable_table import read_variables

if TYPE_CHECKING:
    from soid.engine.smtlib.engine import SmtLibEngine


#: how a script begins: comments, then a command
_COMMAND: Final = re.compile(rb"(?:\s|;[^\n]*\n)*\(")


@final
class SmtLibFrontend(Frontend):
    """Reads programs that are given as their paths."""

    name: ClassVar[str] = "smtlib"
    reads: ClassVar[str] = "paths in SMT-LIB (.smt2)"
    tables: ClassVar[tuple[str, ...]] = ("endings",)
    needed: ClassVar[tuple[str, ...]] = ("variables",)
    file_keys: ClassVar[tuple[str, ...]] = ("paths",)

    def recognises(self, ending: str, head: bytes) -> bool:
        return ending in (".smt2", ".smt") or (is_text(head) and _COMMAND.match(head) is not None)

    def read(self, tables: Mapping[str, TomlTable], folder: Path) -> tuple[Interface, SmtLibSource]:
        table = tables["program"]
        patterns = table.texts("paths")
        table.close()
        if not patterns:
            table.fail("", "paths is missing", 'Say where the SMT-LIB files are, such as: paths = ["paths/*.smt2"]')
        files = dict.fromkeys(file for each in patterns for file in matching(table, "paths", folder, each, ("*.smt2",)))
        interface, names = _variables(tables["variables"])
        # the engine parses these texts, since it knows the paths
        endings = {path: tables["endings"].required(path, '"does not decide"') for path in tables["endings"]}
        return interface, SmtLibSource(tuple(files), names, endings)

    def open(self, program: Program, *, replayed: bool) -> tuple[Program, SmtLibEngine]:
        from soid.engine.smtlib.engine import SmtLibEngine

        assert isinstance(program.source, SmtLibSource)
        return program, SmtLibEngine(program.interface, program.source)

    def guarded(self, program: Program, project: StrangersProject) -> Program:
        """The program as it is: its files lie in the project, and are read as text."""
        return program


def _variables(table: TomlTable) -> tuple[Interface, dict[str, str]]:
    names: dict[str, str] = {}

    def read_names(entry: TomlTable, variable: Variable) -> None:
        names.update(_smtlib_names(entry, variable))

    interface = read_variables(table, read_names)
    _refuse_shared_names(table, interface, names)
    return interface, names


def _smtlib_names(entry: TomlTable, variable: Variable) -> dict[str, str]:
    names = {variable.path: _symbol(entry, "smtlib") or variable.path}
    after = _symbol(entry, "smtlib_after")
    if variable.role is Role.STATE:
        names[f"{variable.path}'"] = after or f"{variable.path}'"
    elif after is not None:
        entry.fail("smtlib_after", f"a variable of role {variable.role.value} has no value after the call")
    return names


def _symbol(entry: TomlTable, key: str) -> str | None:
    """A name in SMT-LIB, without its bars: |x| and x are the same name."""
    text = entry.text(key)
    if text is None:
        return None
    name = text[1:-1] if len(text) > 2 and text[0] == text[-1] == "|" else text
    if "|" in name or "\\" in name:
        entry.fail(key, f"{text} is no name in SMT-LIB", "It may not contain | or a backslash.")
    return name


def _refuse_shared_names(table: TomlTable, interface: Interface, names: Mapping[str, str]) -> None:
    """Refuse one name for two inputs, which could not differ; an output may share the name of an input equal to it."""
    owner: dict[str, str] = {}
    for variable in interface.inputs:
        first = owner.setdefault(names[variable.path], variable.path)
        if first != variable.path:
            problem = f"{first} has the same SMT-LIB name, {names[variable.path]}"
            table.fail(variable.path, problem, "Give each input a name of its own.")
