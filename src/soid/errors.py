"""Every error that soid raises on purpose, in one tree; each says its cause and a remedy.

    SoidError
    ├── InputError            something the user gave is not right
    │   ├── ManifestError     soid.toml: unreadable, or names what is not there
    │   ├── ProgramError      the program cannot be read as given
    │   │   ├── SmtLibError   text that is not SMT-LIB, or outside the fragment read here
    │   │   ├── OverlapError  two paths decide differently on the same state
    │   │   └── CompileError  the compiler refused the sources, or soid refused its flags
    │   ├── TraceError        the log does not fit the interface
    │   │   ├── EmptyTraceError
    │   │   └── KeyframeError
    │   ├── QueryError        the question is ill-formed; points at the column
    │   │   ├── UnknownVariableError
    │   │   └── SortMismatchError
    │   ├── CaseError         the case file cannot be read or added to as asked
    │   │   ├── ChainError    it is not what was written
    │   │   └── CalledOff     the question stays on the record without an answer
    │   ├── BundleError       the bundle is refused, or is not what its manifest says
    │   ├── NotOnDesk         what was asked for is not served here
    │   └── TooMuch           more was given than is taken
    ├── EnvironmentalError    the machine lacks something that is needed
    │   ├── SolverMissingError
    │   └── DeskBusy          more work is waiting than anyone should wait for
    └── InternalError         soid contradicts itself: a report to file, never an answer
        └── ModelMismatchError

Errors of other packages are mapped onto these where those packages are called.
"""

from __future__ import annotations


class SoidError(Exception):
    """Base of the tree. `cause` says what is wrong, `remedy` what to do about it."""

    #: exit status of the command line for this error; the CLI's table is tested against it
    exit_code: int = 10

    def __init__(self, cause: str, remedy: str = "") -> None:
        super().__init__(cause)
        self.cause = cause
        self.remedy = remedy

    def __str__(self) -> str:
        return f"{self.cause}\n{self.remedy}" if self.remedy else self.cause


class InputError(SoidError):
    """Something that the user gave is not right."""


class ManifestError(InputError):
    """soid.toml cannot be read, or names what is not there."""

    exit_code = 11


class ProgramError(InputError):
    """The program cannot be read as given."""

    exit_code = 12


class SmtLibError(ProgramError):
    """Text that is not SMT-LIB, or that lies outside the fragment read here."""

    exit_code = 13


class OverlapError(ProgramError):
    """Two paths decide differently on the same state."""

    exit_code = 14


class CompileError(ProgramError):
    """The compiler refused the sources, or soid refused the flags that they are to be compiled with."""

    exit_code = 24


class TraceError(InputError):
    """The log does not fit the interface."""

    exit_code = 15


class EmptyTraceError(TraceError):
    """The log has no step."""

    exit_code = 16


class KeyframeError(TraceError):
    """The moment asked about is not in the log."""

    exit_code = 17


class QueryError(InputError):
    """The question is ill-formed."""

    exit_code = 18


class UnknownVariableError(QueryError):
    """The question names a variable that the program does not have."""

    exit_code = 19


class SortMismatchError(QueryError):
    """The question puts together what does not fit: a number and a label, a float and a bool."""

    exit_code = 20


class CaseError(InputError):
    """The case file cannot be read, or cannot be added to in this way."""

    exit_code = 25


class ChainError(CaseError):
    """The case file is not what was written: it was tampered with, or damaged."""

    exit_code = 26

    def __init__(self, cause: str, remedy: str = "", *, entry: int | None) -> None:
        super().__init__(cause, remedy)
        self.entry = entry  # number of the first entry that is not right; None: that cannot be told


class CalledOff(CaseError):
    """A question was called off before it was answered: it stays on the record as asked."""


class BundleError(InputError):
    """The bundle is refused by name, or is not what its manifest says."""

    exit_code = 27


class NotOnDesk(InputError):
    """What was asked for, a case or a piece of work, is not served here."""


class TooMuch(InputError):
    """More was given than is taken: files, or bytes."""


class EnvironmentalError(SoidError):
    """The machine lacks something that is needed."""

    exit_code = 21


class SolverMissingError(EnvironmentalError):
    """A solver was named that is not installed."""

    exit_code = 22


class DeskBusy(EnvironmentalError):
    """More work is waiting already than anyone should wait for."""


class InternalError(SoidError):
    """soid contradicts itself: a report to file, never an answer."""

    exit_code = 70


class ModelMismatchError(InternalError):
    """A solver's model does not satisfy the formula that it was asked about."""
