"""What each table of a `soid.toml` may hold, as types: docs/manifest.md, `soid docs manifest`, is made of them.

The readers of the tables (`soid.engine.manifest_reader` and the front ends) say what is wrong with a value, and where.
A test compares the keys that they read with the fields here, both ways.
"""

from __future__ import annotations

from typing import Annotated, Any, Final, final

from msgspec import Struct, field


class Keys(Struct, forbid_unknown_fields=True):
    """The keys of one table. The docstring says what the table is for, each annotation what a key is."""


@final
class StoryKeys(Keys):
    """Optional: told as it is before any question is asked, and never checked."""

    happened: Annotated[str | None, "what happened, in a sentence or two"] = None
    harm: Annotated[str | None, "the harm, where no event of a world is declared as harm"] = None


@final
class QuestionKeys(Keys):
    """Optional: questions that go with the project."""

    ask: Annotated[list[str], "questions that `soid ask` puts where none is typed"] = []
    compare: Annotated[list[str], "of several programs: questions that `soid compare` puts to each of them"] = []
    scripts: Annotated[list[str], "files with scripts of questions, which a case keeps and its page runs"] = []


@final
class ClockKeys(Keys):
    """The column that says when a row was logged; a text alone is its name."""

    column: Annotated[str, "its name"]
    unit: Annotated[str, 'of its numbers: "s", "ms", "us", "ns", "min", "h", "d", or "iso" for dates'] = "s"
    period: Annotated[float | None, "seconds from one step to the next: the clock then numbers the steps"] = None


@final
class ColumnKeys(Keys):
    """The column that has a variable's values; a text alone is its name."""

    column: Annotated[str | None, "its name; else the variable's"] = None
    unit: Annotated[str | None, "that the log has them in; they are converted to the variable's, exactly"] = None
    labels: Annotated[dict[str, Any] | None, "what the log writes, and the program's value for it: all that occur"] = (
        None
    )
    decimals: Annotated[int | None, "how many the log has, in its own unit"] = None


@final
class JoinKeys(Keys):
    """A further file: each step has what it logged last, before the step or at its time."""

    file: Annotated[str, "relative to the manifest's folder"]
    prefix: Annotated[str | None, "before the names of its columns: `gps` makes them `gps.lat`"] = field(
        default=None, name="as"
    )
    time: Annotated[str | ClockKeys | None, "its clock; messages of an MCAP file have times of their own"] = None
    within: Annotated[float | None, "seconds; what is older counts as not logged"] = None
    topic: Annotated[str | None, "of an MCAP file: which messages"] = None


@final
class ByHandKeys(Keys):
    """A simulation was halted and changed by hand: no question about several logged steps goes past it."""

    step: Annotated[int, "before which it was changed"]
    says: Annotated[str, "what was changed, which each answer says"]


@final
class TraceKeys(Keys):
    """Optional: the log, and how its columns are read."""

    file: Annotated[str | None, "JSON lines, CSV, TSV, Parquet, Arrow, Feather or MCAP; `--trace` names another"] = None
    keyframe: Annotated[int | None, "the step that is asked about where `--step` names none; else the last one"] = None
    step: Annotated[str, "the column with the number of the step"] = "step"
    from_start: Annotated[bool, "the first step is the program's first call, with the values that it starts with"] = (
        False
    )
    ignore: Annotated[list[str], 'columns that the program does not use, with all below them; `"*"`: all others'] = []
    topic: Annotated[str | None, "of an MCAP file: the messages that are steps"] = None
    time: Annotated[str | ClockKeys | None, "the clock"] = None
    missing: Annotated[list[str], "what stands for no value, beside empty cells and nulls"] = []
    empty: Annotated[str | None, '`"missing"`: where the log has no value, a model was told that it is missing'] = None
    every_call: Annotated[bool, "no call is missing, though the times are irregular or have gaps"] = False
    columns: Annotated[dict[str, str | ColumnKeys], "a variable, and the column that has its values"] = {}
    join: Annotated[list[JoinKeys], "further files"] = []
    by_hand: Annotated[list[ByHandKeys], "what was changed by hand while the log was made"] = []


@final
class LoggedKeys(Keys):
    """How the log rounds a variable: a logged value stands for all that round to it."""

    decimals: Annotated[int, "how many decimals the log has"]


@final
class VariableKeys(Keys):
    """A variable, by its path. For paths in SMT-LIB `role` and `type` must be there; else soid finds both."""

    role: Annotated[str | None, "`environment`, `state`, `decision` or `internal`"] = None
    type: Annotated[
        str | None, "`bool`, `int8` to `int64`, `uint8` to `uint64`, `float16`, `float32`, `float64`, `enum`"
    ] = None
    labels: Annotated[
        list[str] | dict[str, int] | None, "of an enumeration: counted from 0, or each with its number"
    ] = None
    width: Annotated[int | None, "of an enumeration, in bits; 32 where nothing is said"] = None
    signed: Annotated[bool | None, "of an enumeration; else if a label is negative"] = None
    domain: Annotated[
        Any, 'over what it is freed: `[low, high]`, `{ values = [...] }` or `"any bits"`; else every finite value'
    ] = None
    unit: Annotated[str | None, "for people, and for the columns of a log"] = None
    label: Annotated[str | None, "what it is, in words that sentences are made of: the door switch"] = None
    says: Annotated[dict[str, str] | None, "of a decision: for each value a verb that follows `would`"] = None
    logged: Annotated[LoggedKeys | None, "that the log rounds it"] = None
    initial: Annotated[Any, "of a program in C: what it has at the program's first call, or where it is not logged"] = (
        None
    )
    smtlib: Annotated[str | None, "of paths in SMT-LIB: its name there, if that is another one"] = None
    smtlib_after: Annotated[str | None, "of paths in SMT-LIB: the name of a state after the call"] = None


class ProgramKeys(Keys):
    """The program, with the keys of its engine."""

    engine: Annotated[str | None, '`"llvm"` or `"c"`, `"smtlib"`, `"model"`; needed, unless there is `[programs]`'] = (
        None
    )
    name: Annotated[str | None, "what answers call it; else the folder's name"] = None


@final
class CProgramKeys(ProgramKeys, kw_only=True):
    """A program in C, C++ or LLVM IR."""

    entry: Annotated[str, "the function that decides: `decide`, in C++ also `car::decide`"]
    sources: Annotated[list[str], "files in C, C++ or LLVM IR, or Arduino sketches; patterns too"] = []
    include: Annotated[list[str], "folders for #include"] = []
    defines: Annotated[list[str], "macros: `NDEBUG`, `LIMIT=3`"] = []
    flags: Annotated[list[str], "more for the compiler: `-std=c99`, `-O2`"] = []
    compile_commands: Annotated[str | None, "a file in which a build system says how each source is compiled"] = None
    target: Annotated[str | None, "what it is compiled for; x86_64-linux-gnu where nothing is said"] = None
    clang: Annotated[
        str | None,
        "the compiler, a name or a path; else soid's own if it is installed, else the machine's newest clang",
    ] = None
    ignore: Annotated[list[str], "functions that it calls and does not define, and that change nothing it reads"] = []
    extern: Annotated[list[str], "variables that it declares and does not define: they are inputs"] = []
    setup: Annotated[str | None, "a function that runs once before the entry is first called"] = None
    window: Annotated[int | None, "rounds of loops and calls that it has for each decision"] = None
    stack: Annotated[int | None, "bytes of local variables that live at once; 8 MiB where nothing is said"] = None
    steps: Annotated[int, "how many steps a question is about that does not mention steps"] = 1
    parameters: Annotated[list[str], "of LLVM IR without debug info: names and types in their order"] = []


@final
class PathsProgramKeys(ProgramKeys, kw_only=True):
    """A program as its paths in SMT-LIB."""

    paths: Annotated[list[str], "files, folders or patterns: one file a path, or one file with named paths"]


@final
class ModelProgramKeys(ProgramKeys, kw_only=True):
    """A learned model."""

    model: Annotated[str, "its file, as its library wrote it"]
    unpickle: Annotated[bool, "a pickle of scikit-learn, which is a program, may be opened, in the jail"] = False


@final
class MemberKeys(Keys):
    """Each of several programs has the keys of its engine, the tables of its engine below its own, and these."""

    names: Annotated[dict[str, str], "inputs that it calls otherwise, and what questions and the log call them"] = {}
    logged: Annotated[bool, "it made the log; else the first one did"] = False


@final
class StubKeys(Keys):
    """Of a program in C: functions of yours for others that the program calls and does not define."""

    files: Annotated[list[str], "files in C or C++, compiled and run with the program"] = []


@final
class RegisterKeys(Keys):
    """Of a program in C: what lies at an address that the program has as a number."""

    address: Annotated[int, "the number: `0x40021000`"]
    type: Annotated[str, "`uint32`, or another one of whole bytes"]


@final
class EventKeys(Keys):
    """What may happen in a world, by the name that questions have for it."""

    when: Annotated[str, "a formula over the variables of programs and world, in one step"]
    says: Annotated[str | None, "it in words: `the two cars collide`"] = None
    harm: Annotated[bool, "it is a harm, which answers about it say"] = False


@final
class WorldKeys(Keys):
    """A world around the programs: the keys and tables of its engine, and these."""

    names: Annotated[dict[str, str], "what it calls otherwise, and what questions call it; with all below it"] = {}
    acts: Annotated[dict[str, str], "its inputs that are decisions of the programs, and these decisions"] = {}
    logged: Annotated[list[str], "what goes on as it was logged, though the world could give it"] = []
    tolerance: Annotated[Any, "how far it may be off the log one step on: a number for all, or a table by variable"] = (
        None
    )
    variables: Annotated[dict[str, VariableKeys], "what only the world has, as `[variables]` says it"] = {}


@final
class GroundKeys(Keys):
    """What lies still, in the order in which it is drawn."""

    paint: Annotated[str, "an area: `grass`, `road`, `pavement`, `zebra`, `obstacle`; a line: `edge`, `lane`, `stop`"]
    area: Annotated[list[float] | None, "x and y of two corners"] = None
    line: Annotated[list[float] | None, "x and y of two ends"] = None
    tile: Annotated[float | None, "an area is divided into squares of this side"] = None
    label: Annotated[str | None, "what is written on it"] = None


@final
class ActorKeys(Keys):
    """An actor; a place is a variable, or a number where it never moves."""

    mark: Annotated[str, "one or two letters or digits that stand for it"]
    name: Annotated[str, "what it is: `the car ahead`"]
    size: Annotated[list[float], "length and width"]
    x: Annotated[str | float, "where its anchor is"]
    y: Annotated[str | float, "where its anchor is"]
    kind: Annotated[str, "`car`, `person` or `thing`"] = "thing"
    role: Annotated[str | None, "`investigated` or `bystander`"] = None
    anchor: Annotated[str, "the point that its position describes: `centre`, `front` or `rear`"] = "centre"
    heading: Annotated[str | float | None, "where it looks; needs `heading_unit` and the two below it"] = None
    present: Annotated[str | None, "a variable that says whether it is there"] = None
    present_when: Annotated[list[Any] | None, "the values of it for which it is"] = None
    signal: Annotated[str | None, "the variable of its signal"] = None
    signals: Annotated[dict[str, str] | None, "how each of the signal's labels looks: `left`, `right`, `off`"] = None
    shows: Annotated[list[str], "what else belongs to it"] = []
    draggable: Annotated[bool, "whether it can be dragged on the page"] = True


@final
class SceneKeys(Keys):
    """Optional: how a moment is drawn."""

    file: Annotated[str | None, "another file with a table `[scene]`, instead of all else here"] = None
    title: Annotated[str | None, "above the picture; needed, as are the unit and the edges, unless there is `file`"] = (
        None
    )
    unit: Annotated[str | None, "of every position and size"] = None
    left_to_right: Annotated[list[float] | None, "the x at the left edge, and the x at the right edge"] = None
    top_to_bottom: Annotated[list[float] | None, "the y at the top, and the y at the bottom"] = None
    north: Annotated[str | None, "where north is in the picture: left and right become west and east"] = None
    heading_unit: Annotated[str | None, "`deg` or `rad`"] = None
    heading_zero: Annotated[str | None, "where a heading of 0 looks: `right`, `up`, `left` or `down`"] = None
    heading_grows: Annotated[str | None, "`clockwise` or `counterclockwise`"] = None
    ground: Annotated[list[GroundKeys], "what lies still"] = []
    actors: Annotated[list[ActorKeys], "who and what is drawn, one table each"] = []


#: the engines' keys of [program], of each of [programs], and of [world]
ENGINES: Final[dict[str, type[ProgramKeys]]] = {
    "llvm": CProgramKeys,
    "c": CProgramKeys,
    "smtlib": PathsProgramKeys,
    "model": ModelProgramKeys,
}
#: the tables with names that people choose, and what each name has
NAMED: Final[dict[str, Any]] = {
    "variables": VariableKeys,
    "programs": MemberKeys,
    "events": EventKeys,
    "registers": RegisterKeys,
    "lengths": Annotated[int, "of a program in C: how many elements lie behind a pointer, by its path"],
    "inputs_from": Annotated[
        str, "of a program in C: the input that a function gives which it calls and does not define"
    ],
    "endings": Annotated[
        str, "of paths in SMT-LIB: how a path ends that does not decide: `fails: ...`, `does not decide`"
    ],
    "decisions": Annotated[
        str, "of a learned model: what is decided from its numbers: `probability >= 0.37`, `argmax of y`"
    ],
    "inputs": Annotated[str, "of a network: what an application makes of its variables before it calls it"],
    "state": Annotated[str, "of a network: the output of the call before that an input is given"],
}
#: the tables that have the same keys in each manifest
TABLES: Final[dict[str, type[Keys]]] = {
    "program": ProgramKeys,
    "trace": TraceKeys,
    "questions": QuestionKeys,
    "story": StoryKeys,
    "scene": SceneKeys,
    "world": WorldKeys,
    "stubs": StubKeys,
}
