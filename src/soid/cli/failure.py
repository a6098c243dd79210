"""What is said when something goes wrong: cause and remedy for a person, an object for a script, no traceback.

A bug in soid writes its traceback into a report file and says where that is.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import final

from msgspec import Struct

from soid import errors
from soid.allowance import MORE_MEMORY
from soid.cli.exits import BROKEN_PIPE, INTERNAL, INTERRUPTED, OUTPUT, USAGE
from soid.cli.output import print_json
from soid.errors import ErrorDocument, InternalError, MemoryLimitError, SoidError
from soid.surface import Surface, using


@final
class Failure(Struct, frozen=True):
    """The description of an error."""

    code: str  # for programs, in all versions
    type: str  # the error's class
    cause: str
    remedy: str
    exit_code: int

    @property
    def document(self) -> ErrorDocument:
        return ErrorDocument(self.code, self.type, self.cause, self.remedy)


def guarded(command: Callable[[list[str]], int], arguments: list[str]) -> int:
    """Run a command; an error becomes words for the user and an exit status."""
    with using(Surface.COMMAND):
        return _guarded(command, arguments)


def _guarded(command: Callable[[list[str]], int], arguments: list[str]) -> int:
    try:
        return command(arguments)
    except KeyboardInterrupt:
        print("Stopped: nothing was concluded.", file=sys.stderr)
        return INTERRUPTED
    except (BrokenPipeError, SystemExit):
        # The reader of the output has gone. Typer and rich leave then, each with a status that means "no" here.
        _give_up_output()
        return BROKEN_PIPE
    except Exception as error:  # noqa: BLE001 no error may end as a traceback
        failure = describe(error, arguments)
    as_json = "--json" in arguments
    if failure.exit_code == OUTPUT:
        _give_up_output()
        as_json = False
    say(failure, as_json=as_json)
    return failure.exit_code


def _give_up_output() -> None:
    """Send output nowhere: Python flushes it once more at exit, and would report the same error again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def describe(error: Exception, arguments: list[str]) -> Failure:
    """Describe an error; for a bug, write a report file."""
    kind = type(error).__name__
    if isinstance(error, SoidError) and not isinstance(error, InternalError):
        return Failure(error.code, kind, error.cause, error.remedy, error.exit_code)
    if isinstance(error, MemoryError):
        most = "the memory that it may use was not enough"
        return Failure(MemoryLimitError.code, "MemoryLimitError", most, str(MORE_MEMORY), MemoryLimitError.exit_code)
    if isinstance(error, OSError) and error.filename is None:  # an error of the stream, not of a file
        cause = f"the output cannot be written: {error.strerror}"
        return Failure("output", kind, cause, "Send it somewhere else.", OUTPUT)
    if hasattr(error, "format_message"):  # what typer raises about the command line
        context = getattr(error, "ctx", None)
        used = context.command_path if context is not None else "soid"
        remedy = f"`{used} --help` shows how it is used."
        return Failure(errors.USAGE, "UsageError", error.format_message(), remedy, USAGE)
    from soid.cli.bug_report import write_report

    where = write_report(error, arguments)
    cause = error.cause if isinstance(error, SoidError) else f"{kind}: {error}"
    problem = f"this is a bug in soid, and no answer: {cause}"
    report = f"A report is in {where}." if where else "The report could not be written."
    code = error.code if isinstance(error, SoidError) else InternalError.code
    return Failure(code, kind, problem, f"{report} Please file it, with the project if you may.", INTERNAL)


def say(failure: Failure, *, as_json: bool) -> None:
    """Print it on standard output for a script, on standard error for a person."""
    if as_json:
        print_json({"verdict": "error", "reason": failure.cause, "error": failure.document})
        return
    from soid.cli.terminal.terminal import Terminal

    terminal = Terminal.stderr()
    first, *others = failure.cause.split("\n")
    terminal.line(("error: ", "bold red"), (first, "bold"))
    for line in others:  # the question and the caret below it must not be wrapped
        terminal.line((line, ""))
    for line in failure.remedy.splitlines():
        terminal.prose(line)
