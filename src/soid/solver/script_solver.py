"""SMT-LIB scripts, put as text to solvers that read them with their own parsers.

>>> with ScriptSolver(("cvc5",)) as scripts:
...     scripts.check("(set-logic QF_BV)(declare-fun x () (_ BitVec 8))(assert (bvult x x))(check-sat)", 60.0)
Said(answer='unsat', solver='cvc5', detail='')

Each solver runs in a process of its own, which is killed when its time is over. What can do anything but ask (options
that write files, for instance) is refused before any solver sees it, so that a script may come from anyone.
"""

from __future__ import annotations

import json
import os
import selectors
import subprocess
import sys
import time
import weakref
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Final, Self, final

from msgspec import Struct

import soid.solver
from soid.budget import Cancellation
from soid.errors import SmtLibError
from soid.formula.smtlib.sexpr import Atom, Parenthesis, SmtLibText
from soid.solver.back_ends import require
from soid.solver.script_worker import SAT, UNSAT

#: what a script may say: what is assumed, and one question
COMMANDS: Final = frozenset({"set-logic", "set-info", "declare-fun", "declare-const", "define-fun", "assert"})

#: seconds that the first solver has alone before the others are asked as well
HEAD_START: Final = 1.0

_BEAT: Final = 0.1  # seconds between two looks at the clock and at who wants to stop

# As in `process`: a bare package stands in for soid, so that the worker loads what it needs and no more.
_BOOT: Final = """
import json, sys, types
sys.path[:] = json.loads(sys.argv[1])
package = types.ModuleType("soid")
package.__path__ = [sys.argv[2]]
solvers = types.ModuleType("soid.solver")
solvers.__path__ = [sys.argv[2] + "/solver"]
sys.modules.update({"soid": package, "soid.solver": solvers})
from soid.solver.script_worker import serve
serve(sys.argv[3])
"""


@final
class ScriptAnswer(Struct, frozen=True):
    """What came of a script."""

    answer: str  # sat, unsat or unknown
    solver: str = ""  # whose answer it is; empty where nobody knows
    detail: str = ""  # of unknown: why


@final
class ScriptSolver:
    """Some solvers, asked in this order; a context manager that ends their processes."""

    def __init__(self, names: Sequence[str]) -> None:
        for name in names:
            require(name)
        self.names = tuple(names)
        self._workers: dict[str, _Worker] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        for name in list(self._workers):
            self._end(name)

    def check(
        self, text: str, seconds: float, cancel: Cancellation | None = None, *, without: str = ""
    ) -> ScriptAnswer:
        """The first sat or unsat of any solver but the one named; unknown when the time is over."""
        refuse_commands(text)
        waiting = [name for name in self.names if name != without]
        if not waiting:
            return ScriptAnswer("unknown", detail=f"no other solver than {without} was named")
        return self._race(text, waiting, time.monotonic() + seconds, cancel)

    def _race(self, text: str, waiting: list[str], ends: float, cancel: Cancellation | None) -> ScriptAnswer:
        asked: dict[str, float] = {}  # when
        why: list[str] = []
        try:
            while waiting or asked:
                now = time.monotonic()
                if now >= ends or (cancel is not None and cancel.cancelled):
                    why.append(f"{', '.join(asked) or 'nobody'} had no answer in time")
                    break
                if waiting and (not asked or now - max(asked.values()) >= HEAD_START):
                    name = waiting.pop(0)
                    self._worker(name).ask(text)
                    asked[name] = now
                for name in self._ready(list(asked)):
                    answer = self._worker(name).answer()
                    if answer is None:
                        continue
                    del asked[name]
                    if answer in (SAT, UNSAT):
                        return ScriptAnswer(answer, name)
                    why.append(f"{name}: {answer}")
                    if self._worker(name).popen.poll() is not None:
                        self._end(name)  # another one is started when it is needed
        finally:
            for name in asked:  # whoever is still at work has no use any more
                self._end(name)
        return ScriptAnswer("unknown", detail="; ".join(why))

    def _ready(self, names: list[str]) -> list[str]:
        with selectors.DefaultSelector() as selector:
            for name in names:
                selector.register(self._worker(name).stdout, selectors.EVENT_READ, name)
            return [key.data for key, _ in selector.select(_BEAT)]

    def _worker(self, name: str) -> _Worker:
        if name not in self._workers:
            self._workers[name] = _Worker(name)
        return self._workers[name]

    def _end(self, name: str) -> None:
        self._workers.pop(name).end()


def refuse_commands(text: str) -> None:
    """Refuse a script that does anything but ask one question."""
    source = SmtLibText("script", text)
    heads = []
    for expression in source.expressions():
        head = expression.items[0] if isinstance(expression, Parenthesis) and expression.items else expression
        name = head.text if isinstance(head, Atom) and head.kind == "symbol" and not head.barred else "?"
        if name not in COMMANDS and name != "check-sat":
            raise source.error(expression.at, f"the command {name} is refused", "Assert, and ask once.")
        heads.append(name)
    if heads.count("check-sat") != 1 or heads[-1] != "check-sat":
        raise SmtLibError("a script asks one question, at its end", "End it with (check-sat).")


@final
class _Worker:
    """One solver's process."""

    def __init__(self, name: str) -> None:
        package = str(Path(soid.solver.__file__).parents[1])
        command = [sys.executable, "-S", "-c", _BOOT, json.dumps(sys.path), package, name]
        self.popen = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, bufsize=0
        )
        assert self.popen.stdin is not None and self.popen.stdout is not None
        self.stdin, self.stdout = self.popen.stdin, self.popen.stdout.fileno()
        self._inbox = b""
        self.end = weakref.finalize(self, _end, self.popen)  # also when forgotten, and at exit

    def ask(self, text: str) -> None:
        """Hand over a script; the worker reads all of it before it begins, so nothing blocks for long."""
        body = text.encode("utf-8")
        rest = memoryview(f"{len(body)}\n".encode() + body)
        try:
            while rest:
                rest = rest[self.stdin.write(rest) :]
        except BrokenPipeError:
            pass  # it died; reading will show that

    def answer(self) -> str | None:
        """Its line, if it is complete; a process that has ended says so."""
        chunk = os.read(self.stdout, 1 << 16)
        if not chunk:
            return f"its process ended with status {self.popen.wait()}"
        self._inbox += chunk
        if not self._inbox.endswith(b"\n"):
            return None
        line, self._inbox = self._inbox.decode("utf-8", "replace").strip(), b""
        return line


def _end(popen: subprocess.Popen[bytes]) -> None:
    popen.kill()
    popen.wait()
    for stream in (popen.stdin, popen.stdout):
        if stream is not None:
            stream.close()
