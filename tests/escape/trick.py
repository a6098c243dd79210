"""What a trick is: a stranger's program, project or log that tries to leave a trace outside of its confinement.

A cell of the table is one trick in one variant, run by one user, by each way in that the trick has.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum


class Trace(Enum):
    """What a successful trick leaves."""

    FILE = "file"  # a file outside of the project, or an altered one
    TCP = "tcp"  # a connection over the network
    UNIX = "unix"  # a connection to a socket of this machine
    PROCESS = "process"  # a process that is still there afterwards
    SIGNAL = "signal"  # a process that did not belong to it was ended
    SECRET = "secret"  # the content of a file that is not the stranger's, where the stranger could see it
    WORD = "word"  # a word that the trick says only where a forbidden thing has worked
    CONTROL = "control"  # characters in the output that command a terminal
    HANG = "hang"  # no end within the time
    MEMORY = "memory"  # more memory than a question may take
    CRASH = "crash"  # soid itself was ended by a signal


class Way(Enum):
    """How a stranger's files come in."""

    VERIFY = "verify"  # `soid verify BUNDLE`
    UPLOAD = "upload"  # the tasks of `soid serve`: look, make, ask, report
    ASK = "ask"  # `soid ask -p`, and each replay by itself: of the user's own project only the replay is confined
    CASE = "case"  # `soid case verify`


class Variant(Enum):
    """How the same trick is written, and in which of the builds it shows."""

    PLAIN = "plain"
    UNLISTED = "unlisted"  # not in the run that lists the files that the compiler reads
    TRAPPING = "trapping"  # only in the build with the compiler's traps
    OPTIMISED = "optimised"  # only in what -O2 makes
    TWIN = "twin"  # with -O2, only in the twin that is not optimised
    CPLUSPLUS = "c++"
    TEXT = "text"  # as LLVM text
    BITCODE = "bitcode"


#: code that runs: every build, both languages, and ready-made
EVERYWHERE = tuple(variant for variant in Variant if variant is not Variant.UNLISTED)
#: what the preprocessor and the compiler do: every build, both languages
SOURCES = (Variant.PLAIN, Variant.UNLISTED, Variant.TRAPPING, Variant.OPTIMISED, Variant.TWIN, Variant.CPLUSPLUS)
BUILDS = (Variant.PLAIN, Variant.TRAPPING, Variant.OPTIMISED, Variant.TWIN)
PLAIN = (Variant.PLAIN,)
CPLUSPLUS = (Variant.CPLUSPLUS,)
READY_MADE = (Variant.TEXT, Variant.BITCODE)

ALL = (Way.VERIFY, Way.UPLOAD, Way.ASK)
STRANGERS = (Way.VERIFY, Way.UPLOAD)
BUNDLE = (Way.VERIFY,)

Content = str | bytes | Callable[[], str | bytes]

DECIDE = "int decide(int x) { return x / (x - 3) > 0; }\n"
LOG = '{"step": 0, "x": 5}\n'


@dataclass(frozen=True)
class Trick:
    """One record of the table.

    Texts may hold @FILE@, @SECRET@, @PORT@, @UNIX@, @MARK@, @WORD@, @BYSTANDER@, @PROJECT@ and @DROP@: see `traces`.
    """

    name: str
    group: str
    leaves: tuple[Trace, ...]  # what it leaves where nothing confines it
    body: Content = ""  # C before `decide`; inside of the variant's condition
    decide: str = DECIDE
    ir: str = ""  # LLVM text after the compiled program's
    files: Mapping[str, Content] = field(default_factory=dict)  # further files of the project; they replace its own
    program: str = ""  # lines of [program]
    tables: str = ""  # further tables of soid.toml
    flags: tuple[str, ...] = ()
    defines: tuple[str, ...] = ()
    variants: tuple[Variant, ...] = EVERYWHERE
    ways: tuple[Way, ...] = ALL
    control: str = "run"  # run, compile, read or solve: how it is left unconfined; else why that is not shown
    prepare: Callable[..., bytes] | None = None  # what no text can say: from surroundings and bundle to bundle

    def __post_init__(self) -> None:
        if self.leaves == (Trace.SECRET,):  # in the user's own project the compiler may read what the user may
            object.__setattr__(self, "ways", tuple(way for way in self.ways if way is not Way.ASK))

    @property
    def id(self) -> str:
        return f"{self.group}: {self.name}"

    @property
    def is_controlled(self) -> bool:
        """Whether the trace is shown to be left without confinement."""
        return self.control in ("run", "compile", "read", "solve")
