"""`soid.toml`: where a program is, what its variables are, and which log and questions go with it.

    [program]
    name   = "microwave operator"     # the folder's name where absent
    engine = "smtlib"
    paths  = ["paths/*.smt2"]         # files, folders or patterns; one file a path, or one file with named paths

    [trace]                           # optional
    file     = "log.jsonl"            # the log that is read where none is named
    keyframe = 3                      # the step that is asked about where none is named
    step     = "frame"                # the log's column with the number of the step; "step" where absent
    ignore   = ["scene"]              # columns of the log that are nothing to the program, with all below them

    [variables]                       # shown in this order; soid.program.variable_table has an entry's other keys
    error   = { role = "environment", type = "bool", label = "an error is shown" }
    started = { role = "state", type = "bool", smtlib = "started", smtlib_after = "started_next" }
    action  = { role = "decision", type = "enum", labels = ["START", "CANCEL"] }

    [endings]                         # optional: how a path ends that does not decide, by its file's or its own name
    test000007 = "fails: division by zero at oven.c:12"
    waiting    = "does not decide"

    [questions]                       # optional
    ask = ["did action == CANCEL"]

`smtlib` is the variable's name in the SMT-LIB files, and `smtlib_after` the name of a state variable after the call.
Where absent they are the path (`world.pos_x`, written `|world.agents[1].pos_x|` where SMT-LIB wants bars) and the
path with a prime (`|started'|`). Files are named relative to the manifest's folder.

What a program in C needs instead is in `soid.program.c_table`; how a moment is drawn, in `soid.program.scene_table`.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from pathlib import Path
from typing import Final, final

from msgspec import Struct

from soid.program.c_table import read_source
from soid.program.files import matching
from soid.program.interface import Interface, Role, Variable, normal_path
from soid.program.program import Program, SmtLibSource
from soid.program.scene_table import read_scene
from soid.program.scenery import SceneDeclaration
from soid.program.toml_table import TomlTable, open_toml
from soid.program.variable_table import read_variable

FILE_NAME: Final = "soid.toml"
ENGINES: Final = ("smtlib", "llvm")
ALIASES: Final = {"c": "llvm"}
STEP_COLUMN: Final = "step"

_COMMON: Final = ("program", "trace", "variables", "questions", "scene")
_OWN: Final = {"smtlib": ("endings",), "llvm": ("lengths", "inputs_from")}
_TABLES: Final = (*_COMMON, "endings", "lengths", "inputs_from")


@final
class Manifest(Struct, frozen=True):
    """What a `soid.toml` says."""

    file: Path
    program: Program
    trace: Path | None = None  # the log that is read where none is named
    keyframe: int | None = None  # the step that is asked about where none is named
    step_column: str = STEP_COLUMN  # the log's column with the number of the step
    ignore: tuple[str, ...] = ()  # columns of the log that are nothing to the program, with all below them
    questions: tuple[str, ...] = ()  # examples of what may be asked
    scene: SceneDeclaration | None = None  # how a moment is drawn


def load(path: Path | str) -> Manifest:
    """Reads a manifest, or the `soid.toml` of a folder; ManifestError says file, line, table and key."""
    file = Path(path)
    if file.is_dir():
        file /= FILE_NAME
    root = open_toml(file)
    given = {name: root.table(name) for name in _TABLES}
    root.close()
    tables = {name: table or root.inner(name, {}) for name, table in given.items()}
    if given["program"] is None:
        root.fail("", "the table [program] is missing", "Add [program], with what belongs in it.")
    engine = _engine(tables["program"])
    for name, table in given.items():
        if table is not None and name not in (*_COMMON, *_OWN[engine]):
            root.fail(name, f"[{name}] is nothing to the engine {engine}", f"Leave [{name}] out.")
    if given["variables"] is None and engine == "smtlib":
        root.fail("", "the table [variables] is missing", "Add [variables], with what belongs in it.")

    program = _program(tables, engine, file.parent)
    trace, questions = tables["trace"], tables["questions"]
    manifest = Manifest(
        file=file,
        program=program,
        trace=_trace_file(trace, file.parent),
        keyframe=trace.integer("keyframe"),
        step_column=trace.text("step") or STEP_COLUMN,
        ignore=_ignored(trace, program.interface),
        questions=questions.texts("ask"),
        scene=read_scene(tables["scene"], file.parent) if given["scene"] is not None else None,
    )
    trace.close()
    questions.close()
    return manifest


# --- [program] ------------------------------------------------------------------------------------------------


def _engine(table: TomlTable) -> str:
    engine = table.required("engine", '"llvm"')
    engine = ALIASES.get(engine, engine)
    if engine not in ENGINES:
        close = difflib.get_close_matches(engine, ENGINES, n=1)
        remedy = f"Did you mean {close[0]}?" if close else f"This version has: {', '.join(ENGINES)}."
        table.fail("engine", f'there is no engine "{engine}"', remedy)
    return engine


def _program(tables: Mapping[str, TomlTable], engine: str, folder: Path) -> Program:
    table = tables["program"]
    name = table.text("name") or folder.resolve().name
    if engine == "llvm":
        source = read_source(table, tables["lengths"], tables["inputs_from"], tables["variables"], folder)
        table.close()
        return Program(name, Interface(()), source, folder)
    patterns = table.texts("paths")
    table.close()
    if not patterns:
        table.fail("", "paths is missing", 'Say where the SMT-LIB files are, such as: paths = ["paths/*.smt2"]')
    files = dict.fromkeys(file for each in patterns for file in matching(table, "paths", folder, each, ("*.smt2",)))
    interface, names = _variables(tables["variables"])
    return Program(name, interface, SmtLibSource(tuple(files), names, _endings(tables["endings"])), folder)


# --- [endings] ------------------------------------------------------------------------------------------------


def _endings(table: TomlTable) -> dict[str, str]:
    """What is said of each path; the engine, which knows the paths, reads the words."""
    return {path: table.required(path, '"does not decide"') for path in table}


# --- [trace] --------------------------------------------------------------------------------------------------


def _trace_file(table: TomlTable, folder: Path) -> Path | None:
    name = table.text("file")
    if name is None:
        return None
    file = folder / name
    if not file.is_file():
        table.fail("file", f"there is no log {file}", "Files are named relative to the manifest's folder.")
    return file


def _ignored(table: TomlTable, interface: Interface) -> tuple[str, ...]:
    ignored = tuple(normal_path(path) for path in table.texts("ignore"))
    for path in ignored:
        hidden = next((v.path for v in interface if below(v.path, path)), None)
        if hidden is not None:
            table.fail("ignore", f"{path} would hide the variable {hidden}", "Ignore only what is no variable.")
    return ignored


def below(path: str, ancestor: str) -> bool:
    """Whether a path is another one or a part of it.

    >>> below("scene.lanes[0]", "scene"), below("scenery", "scene")
    (True, False)
    """
    return path.startswith(ancestor) and path[len(ancestor) :][:1] in ("", ".", "[", "'")


# --- [variables] ----------------------------------------------------------------------------------------------


def _variables(table: TomlTable) -> tuple[Interface, dict[str, str]]:
    variables: list[Variable] = []
    names: dict[str, str] = {}
    for path in table:
        entry = table.table(path)
        assert entry is not None
        variable = read_variable(entry, path)
        names |= _smtlib_names(entry, variable)
        entry.close()
        if any(variable.path == known.path for known in variables):
            table.fail(path, f"the variable {variable.path} is declared twice", "Give each variable one entry.")
        variables.append(variable)
    if not any(variable.role in (Role.DECISION, Role.STATE) for variable in variables):
        table.fail("", "no variable is a decision", 'Mark what the program decides with role = "decision".')
    _refuse_shared_names(table, variables, names)
    return Interface(tuple(variables)), names


def _smtlib_names(entry: TomlTable, variable: Variable) -> dict[str, str]:
    names = {variable.path: _symbol(entry, "smtlib") or variable.path}
    after = _symbol(entry, "smtlib_after")
    if variable.role is Role.STATE:
        names[f"{variable.path}'"] = after or f"{variable.path}'"
    elif after is not None:
        entry.fail("smtlib_after", f"a variable of role {variable.role.value} has no value after the call")
    return names


def _symbol(entry: TomlTable, key: str) -> str | None:
    """A name in SMT-LIB, without its bars: |x| and x are the same one there."""
    text = entry.text(key)
    if text is None:
        return None
    name = text[1:-1] if len(text) > 2 and text[0] == text[-1] == "|" else text
    if "|" in name or "\\" in name:
        entry.fail(key, f"{text} is no name in SMT-LIB", "It may not contain | or a backslash.")
    return name


def _refuse_shared_names(table: TomlTable, variables: list[Variable], names: dict[str, str]) -> None:
    """Two inputs under one name could not differ; an output may well be called like an input it is equal to."""
    owner: dict[str, str] = {}
    for variable in variables:
        if variable.is_input:
            first = owner.setdefault(names[variable.path], variable.path)
            if first != variable.path:
                problem = f"{first} has the same SMT-LIB name, {names[variable.path]}"
                table.fail(variable.path, problem, "Give each input a name of its own.")
