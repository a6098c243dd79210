"""All errors that soid raises on purpose; each has a cause and a remedy.

    SoidError
    ├── InputError            the user's input is not right
    │   ├── ManifestError     soid.toml: unreadable, or it names something that does not exist
    │   ├── ProgramError      the program cannot be read
    │   │   ├── SmtLibError   text that is not SMT-LIB, or outside the supported fragment
    │   │   ├── OverlapError  two paths decide differently on the same state
    │   │   └── CompileError  the compiler refused the sources, or soid refused its flags
    │   ├── TraceError        the log does not fit the interface
    │   │   ├── EmptyTraceError
    │   │   ├── LogMismatch   log and program differ at the moment; of a question it is the answer, not raised
    │   │   └── KeyframeError
    │   ├── QueryError        the question is ill-formed; points at the column
    │   │   ├── UnknownVariableError
    │   │   └── SortMismatchError
    │   ├── CaseError         the case file cannot be read or added to as asked
    │   │   ├── ChainError    the case file was changed, or is not signed as expected
    │   │   ├── LockedKey     a private key needs its passphrase
    │   │   └── CalledOff     it was cancelled: a question stays on the record without an answer
    │   ├── BundleError       the bundle is refused, or does not match its manifest
    │   ├── NotAllowed        the user of a server may not do this
    │   ├── NotOnDesk         the server does not have the requested thing
    │   └── TooMuch           a limit of the server is exceeded
    ├── EnvironmentalError    the machine lacks something that is needed
    │   ├── SolverMissingError
    │   └── DeskBusy          the server's queue is full
    ├── LimitError            the work did not end within what it may take
    │   ├── TimeLimitError
    │   └── MemoryLimitError
    └── InternalError         soid contradicts itself: to be reported, never an answer
        └── ModelMismatchError

Errors of other packages are converted to these where those packages are called.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator
from typing import Final, final

from msgspec import Struct

from soid.surface import Advice

#: the remedy of an InternalError about an answer
REPORT_QUESTION: Final = "Please report this with the program, the log and the question."

#: the code of a command or a request that is itself wrong
USAGE: Final = "usage"


@final
class ErrorDocument(Struct, frozen=True):
    """What went wrong, as JSON."""

    code: str  # for programs
    type: str  # the error's class
    cause: str
    remedy: str


def code_of(kind: str) -> str:
    """The code of an error, by its class's name; that of a bug if it is none of these classes.

    >>> code_of("CompileError"), code_of("ZeroDivisionError")
    ('compile', 'internal')
    """
    return next((each.code for each in _classes(SoidError) if each.__name__ == kind), InternalError.code)


def _classes(kind: type[SoidError]) -> Iterator[type[SoidError]]:
    yield kind
    for each in kind.__subclasses__():
        yield from _classes(each)


def did_you_mean(word: str, known: Iterable[str], otherwise: str | Advice = "", *, cutoff: float = 0.6) -> str:
    """The remedy for an unknown word: a similar one that is known, or else another remedy."""
    close = difflib.get_close_matches(word, list(known), n=1, cutoff=cutoff)
    return f"Did you mean {close[0]}?" if close else str(otherwise)


class SoidError(Exception):
    """Base class. `cause` says what is wrong, `remedy` what to do about it."""

    #: exit status of the command line; the CLI's table is tested against it
    exit_code: int = 10
    #: what programs tell errors apart by: no two classes have the same, and none is ever renamed
    code: str = "error"

    def __init__(self, cause: str, remedy: str | Advice = "") -> None:
        super().__init__(cause)
        self.cause = cause
        self.remedy = str(remedy)

    def __str__(self) -> str:
        return f"{self.cause}\n{self.remedy}" if self.remedy else self.cause


class InputError(SoidError):
    """The user's input is not right."""

    code = "input"


class ManifestError(InputError):
    """soid.toml cannot be read, or names something that does not exist."""

    code = "manifest"
    exit_code = 11


class ProgramError(InputError):
    """The program cannot be read."""

    code = "program"
    exit_code = 12


class SmtLibError(ProgramError):
    """Text that is not SMT-LIB, or outside the supported fragment."""

    code = "smt_lib"
    exit_code = 13


class OverlapError(ProgramError):
    """Two paths decide differently on the same state."""

    code = "overlap"
    exit_code = 14


class CompileError(ProgramError):
    """The compiler refused the sources, or soid refused the compiler's flags."""

    code = "compile"
    exit_code = 24


class TraceError(InputError):
    """The log does not fit the interface."""

    code = "log"
    exit_code = 15


class EmptyTraceError(TraceError):
    """The log has no step."""

    code = "empty_log"
    exit_code = 16


class LogMismatch(TraceError):
    """Log and program differ at the moment. A question has an answer that says so, with this code; others raise it."""

    code = "log_mismatch"


class KeyframeError(TraceError):
    """The log does not have the requested moment."""

    code = "no_such_moment"
    exit_code = 17


class QueryError(InputError):
    """The question is ill-formed."""

    code = "question"
    exit_code = 18


class UnknownVariableError(QueryError, AttributeError):
    """The question names a variable that the program does not have; in Python it is no attribute either."""

    code = "unknown_variable"
    exit_code = 19


class SortMismatchError(QueryError):
    """The question combines sorts that do not fit: a number and a label, a float and a bool."""

    code = "sorts_differ"
    exit_code = 20


class CaseError(InputError):
    """The case file cannot be read, or cannot be added to as asked."""

    code = "case"
    exit_code = 25


class ChainError(CaseError):
    """The case file was changed, tampered with or damaged; or it is not signed as expected."""

    code = "chain"
    exit_code = 26

    def __init__(self, cause: str, remedy: str | Advice = "", *, entry: int | None = None) -> None:
        super().__init__(cause, remedy)
        self.entry = entry  # number of the first wrong entry; None: not known


class LockedKey(CaseError):
    """A private key is encrypted, and its passphrase was not given or does not open it."""

    code = "locked_key"


class CalledOff(CaseError):
    """Work was cancelled before it was done: a question stays on the record without an answer."""

    code = "called_off"


class BundleError(InputError):
    """The bundle is refused, or does not match its manifest."""

    code = "bundle"
    exit_code = 27


class NotAllowed(InputError):
    """The user's token does not allow it."""

    code = "not_allowed"


class NotOnDesk(InputError):
    """The server does not have the requested case, file, entry or job."""

    code = "not_found"


class TooMuch(InputError):
    """An upload exceeds a limit of files or bytes, or there are too many uploads."""

    code = "too_much"


class EnvironmentalError(SoidError):
    """The machine lacks something that is needed."""

    code = "environment"
    exit_code = 21


class SolverMissingError(EnvironmentalError):
    """A named solver is not installed."""

    code = "no_solver"
    exit_code = 22


class DeskBusy(EnvironmentalError):
    """The server's queue is full."""

    code = "busy"


class LimitError(SoidError):
    """The work did not end within what it may take."""

    code = "limit"


class TimeLimitError(LimitError):
    """The time was over before the work was done."""

    code = "time_limit"
    exit_code = 28


class MemoryLimitError(LimitError):
    """The work needed more memory than it may have."""

    code = "memory_limit"
    exit_code = 29


class InternalError(SoidError):
    """soid contradicts itself: to be reported, never an answer."""

    code = "internal"
    exit_code = 70


class ModelMismatchError(InternalError):
    """A solver's model does not satisfy the question."""

    code = "model_mismatch"
