"""The other side of `solver_process.py`: one back end, asked over a pipe until the pipe closes.

Questions arrive on standard input and answers leave on what was standard output, each as its length and a pickle.
Whatever the solver's library prints itself goes to standard error. The first message out says that the worker is ready;
and before each answer, as soon as its question is there, one says that it was taken.

A worker must not outlive who started it, not even in the middle of a question, when the library holds Python's global
lock and no thread of ours can run: while it works, the kernel signals it as soon as its input is closed at the other
end, and that signal's default is death.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import pickle
import resource
import select
import signal
import struct
import sys
import threading
from collections.abc import Callable
from typing import Any, BinaryIO, Final, final

from msgspec import Struct

from soid.formula import flat_terms
from soid.formula.sorts import Sort
from soid.solver.back_ends import in_process
from soid.solver.protocol import Budget, Reason, Result, Sat, Unknown, Unsat

HEADER: Final = struct.Struct("<Q")  # the length of what follows
READY: Final = b"ready"
TAKEN: Final = b"taken"
_STACK: Final = 1 << 30  # of address space; only what is used is ever real


@final
class Question(Struct, frozen=True):
    """What goes to a worker: terms without pointers."""

    terms: flat_terms.Flat  # conjuncts, then assumptions
    conjuncts: int  # how many of them are conjuncts
    seconds: float | None


@final
class Reply(Struct, frozen=True):
    """What comes back: exactly one of the three."""

    model: list[tuple[str, Sort, bool | int]] | None = None
    core: list[int] | None = None  # places among the assumptions
    unknown: tuple[Reason, str] | None = None


def frame(message: object) -> bytes:
    body = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
    return HEADER.pack(len(body)) + body


def serve(name: str, memory: int | None) -> None:
    """Answer until standard input closes."""
    stay(memory, lambda questions, answers: _loop(name, questions, answers))


def stay(memory: int | None, loop: Callable[[BinaryIO, BinaryIO], None]) -> None:
    """Run a loop of questions and answers, and end with it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for whoever started us; they end us
    questions, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    if memory is not None:
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    threading.stack_size(_STACK if memory is None else min(_STACK, memory // 4))
    thread = threading.Thread(target=loop, args=(questions, answers))
    thread.start()
    thread.join()
    os._exit(0)  # nothing to save, and tearing down a solver's terms can take seconds


def _loop(name: str, questions: BinaryIO, answers: BinaryIO) -> None:
    solver = in_process(name, large_stack=True)
    solver.check([])  # loads the library
    send(answers, READY)
    while (message := receive(questions)) is not None:
        die_with_parent(True)
        send(answers, TAKEN)
        terms = flat_terms.load(message.terms)
        conjuncts, assumptions = terms[: message.conjuncts], terms[message.conjuncts :]
        result = solver.check(conjuncts, assumptions, Budget(message.seconds))
        die_with_parent(False)
        send(answers, _reply(result, assumptions))


def _reply(result: Result, assumptions: list[Any]) -> Reply:
    match result:
        case Sat(model):
            return Reply(model=[(variable.name, variable.sort, value) for variable, value in model.items()])
        case Unsat(core):
            return Reply(core=[place for place, term in enumerate(assumptions) if term in core])
        case Unknown(reason, detail):
            return Reply(unknown=(reason, detail))


def send(answers: BinaryIO, message: object) -> None:
    """One message out."""
    with contextlib.suppress(BrokenPipeError):  # nobody is listening: the next read will see the end
        answers.write(frame(message))
        answers.flush()


def receive(questions: BinaryIO) -> Any:
    """The next message; None if there is no more."""
    header = questions.read(HEADER.size)
    if len(header) < HEADER.size:
        return None
    (length,) = HEADER.unpack(header)
    body = questions.read(length)
    if len(body) < length:
        return None
    return pickle.loads(body)


def die_with_parent(on: bool) -> None:
    """Whether the kernel's SIGIO, deadly by default, tells us that the other end of standard input moved."""
    flags = fcntl.fcntl(0, fcntl.F_GETFL)
    fcntl.fcntl(0, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(0, fcntl.F_SETFL, flags | os.O_ASYNC if on else flags & ~os.O_ASYNC)
    if on:
        poll = select.poll()
        poll.register(0, select.POLLHUP)
        if poll.poll(0):  # it moved just before
            os._exit(1)
