"""`soid.toml`: where a program is, what its variables are, and which log and questions go with it.

    [program]
    name   = "microwave operator"     # the folder's name where absent
    engine = "smtlib"                 # each engine has further keys, see below

    [trace]                           # optional
    file     = "log.jsonl"            # the log that is read where none is named
    keyframe = 3                      # the step that is asked about where none is named
    step     = "frame"                # the log's column with the number of the step; "step" where absent
    ignore   = ["scene"]              # columns of the log that the program does not read, with all below them
                                      # soid.program.trace_table has the keys for columns, units, times and joins

    [variables]                       # shown in this order; soid.program.variable_table has an entry's other keys
    error   = { role = "environment", type = "bool", label = "an error is shown" }

    [questions]                       # optional
    ask = ["did action == CANCEL"]
    compare = ["did move"]            # of several programs: questions that `soid compare` puts to each of them
    scripts = ["oven.soid"]           # scripts of questions that go with the project: a case keeps them

    [story]                           # optional: told as it is, before any question is asked
    happened = "The oven showed an error, and was not switched off."
    harm = "The meal burnt."          # where no event of a world is declared as harm

Files are named relative to the manifest's folder. `soid.engine.llvm.c_frontend` says what a program in C needs,
`soid.engine.smtlib.smtlib_frontend` what one in SMT-LIB needs, `soid.engine.product.product_frontend` how several
programs are one project, `soid.program.scene_table` how a moment is drawn.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from soid.engine.frontend import Frontend
from soid.engine.registry import frontend, frontends
from soid.engine.world.world_frontend import WorldFrontend
from soid.errors import InputError, ManifestError
from soid.program.interface import Interface, Role, normal_path
from soid.program.manifest import FILE_NAME, STEP_COLUMN, CaseStory, Manifest, below
from soid.program.program import Program
from soid.program.scene_table import read_scene
from soid.program.toml_table import TomlTable, open_toml, toml_of
from soid.program.trace_table import read_mapping
from soid.visible_text import visible_line

WORLD: Final = "world"  # the table of a world around the programs
SEVERAL: Final = "programs"  # the table of a project with several programs; [program] then has its name alone
_COMMON: Final = ("program", "trace", "variables", "questions", "story", "scene")


def load(path: Path | str, *, log_needed: bool = True) -> Manifest:
    """Reads a manifest, or the `soid.toml` of a folder; ManifestError says file, line, table and key.

    A log that is not there is an error, unless it is not needed: then the manifest has none.
    """
    if not isinstance(path, str | Path):
        raise ManifestError(f"{path!r} is no project", "Name a soid.toml, or the folder it is in.")
    file = Path(path)
    if file.is_dir():
        file /= FILE_NAME
    return _manifest(open_toml(file), file, log_needed=log_needed)


def load_draft(text: str, file: Path) -> Manifest:
    """Reads the text of a manifest that is not written yet; `file` is where it would lie."""
    return _manifest(toml_of(file, text), file, log_needed=True)


def _manifest(root: TomlTable, file: Path, *, log_needed: bool) -> Manifest:
    given = {name: root.table(name) for name in _COMMON}
    several, world = root.has_table(SEVERAL), root.has_table(WORLD)
    if given["program"] is None and not several:
        root.close()
        root.fail("", "the table [program] is missing", "Add [program], with what belongs in it.")
    inner = frontend("product") if several else _frontend(given["program"])
    engine = WorldFrontend(inner) if world else inner
    given |= {name: root.table(name) for name in engine.tables}
    _refuse_tables_of_others(root, given, engine)
    root.close()
    tables = {name: table or root.inner(name, {}) for name, table in given.items()}
    for name in engine.needed:
        if given[name] is None:
            root.fail("", f"the table [{name}] is missing", f"Add [{name}], with what belongs in it.")

    program = _program(tables, engine, file.parent)
    trace, questions, story = tables["trace"], tables["questions"], tables["story"]
    manifest = Manifest(
        file=file,
        program=program,
        trace=_trace_file(trace, file.parent, needed=log_needed),
        keyframe=trace.integer("keyframe"),
        step_column=trace.text("step") or STEP_COLUMN,
        from_start=trace.flag("from_start") or False,
        ignore=_ignored(trace, program.interface),
        mapping=read_mapping(trace, file.parent),
        questions=questions.texts("ask"),
        compared=questions.texts("compare"),
        scripts=_scripts(questions, file.parent),
        story=CaseStory(story.text("happened") or "", story.text("harm") or ""),
        scene=read_scene(tables["scene"], file.parent) if given["scene"] is not None else None,
    )
    trace.close()
    questions.close()
    story.close()
    return manifest


def _frontend(table: TomlTable | None) -> Frontend:
    assert table is not None
    name = table.required("engine", '"llvm"')
    try:
        return frontend(name)
    except InputError as error:
        table.fail("engine", error.cause, error.remedy)


def _refuse_tables_of_others(root: TomlTable, given: Mapping[str, TomlTable | None], engine: Frontend) -> None:
    for name in root:
        if name not in given and any(name in other.tables for other in frontends()):
            root.fail(name, f"[{name}] is nothing to the engine {engine.name}", f"Leave [{name}] out.")


def _program(tables: Mapping[str, TomlTable], engine: Frontend, folder: Path) -> Program:
    table = tables["program"]
    name = table.words("name") or visible_line(folder.resolve().name)
    interface, source = engine.read(tables, folder)
    table.close()
    return Program(name, interface, source, folder)


def _trace_file(table: TomlTable, folder: Path, *, needed: bool) -> Path | None:
    name = table.text("file")
    if name is None:
        return None
    file = folder / name
    if not file.is_file():
        if not needed:
            return None
        table.fail("file", f"there is no log {file}", "Files are named relative to the manifest's folder.")
    return file


def _scripts(table: TomlTable, folder: Path) -> tuple[Path, ...]:
    files = tuple(folder / name for name in table.texts("scripts"))
    for file in files:
        if not file.is_file():
            table.fail("scripts", f"there is no script {file}", "Files are named relative to the manifest's folder.")
    return files


def _ignored(table: TomlTable, interface: Interface) -> tuple[str, ...]:
    ignored = tuple(normal_path(path) for path in table.texts("ignore"))
    for path in ignored:
        hidden = next((v.path for v in interface if v.role is not Role.INTERNAL and below(v.path, path)), None)
        if hidden is not None:
            table.fail("ignore", f"{path} would hide the variable {hidden}", "Ignore only what is no variable.")
    return ignored
