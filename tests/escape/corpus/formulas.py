"""Formulas in a bundle that command more than they ask, and cases whose tables are none."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing

from soid.evidence.archive import unpack
from tests.escape.traces import Surroundings
from tests.escape.trick import BUNDLE, PLAIN, Trace, Trick, Way
from tests.unit.evidence.forging import sealed

_DECLARED = "(set-logic QF_BVFP)\n(declare-fun x () (_ BitVec 32))\n"
_END = "(assert (= x x))\n(check-sat)\n"
_DEEP = 200_000


def _inserted(given: str | Callable[[], str]) -> Callable[[Surroundings, bytes], bytes]:
    """Put commands into every formula of a bundle."""

    def prepare(around: Surroundings, bundle: bytes) -> bytes:
        text = given() if callable(given) else given
        (around.project / "formula.smt2").write_text(around.fill(text) + _DECLARED + _END)
        if not bundle:
            return b""
        files = unpack(bundle)
        for name in [name for name in files if name.endswith(".smt2")]:
            files[name] = around.fill(text).encode() + files[name]
        return sealed(files)

    return prepare


def _table(statements: str) -> Callable[[Surroundings, bytes], bytes]:
    """A case whose table of entries is something else."""

    def prepare(around: Surroundings, bundle: bytes) -> bytes:
        from soid.case.case import Case

        file = around.place / "car.case"
        Case.create(file, around.project, title="A car", who="ada").close()
        with closing(sqlite3.connect(file)) as connection:
            columns = [f'"{row[1]}"' for row in connection.execute("PRAGMA table_info(entries)")]
            connection.executescript(
                statements.format(", ".join(columns), ", ".join(f"1 AS {name}" for name in columns))
            )
        return bundle

    return prepare


_COMMANDS = (
    ("regular-output-channel", '(set-option :regular-output-channel "@FILE@")\n(echo "left")\n', Trace.FILE, "solve"),
    ("diagnostic-output-channel", '(set-option :diagnostic-output-channel "@FILE@")\n', Trace.FILE, "solve"),
    ("smtlib2_log", '(set-option :solver.smtlib2_log "@FILE@")\n', Trace.FILE, "the option is read by other fronts"),
    ("drat file", '(set-option :sat.drat.file "@FILE@")\n', Trace.FILE, "the option is read by other fronts"),
    (
        "dump of models",
        '(set-option :dump_models true)\n(set-option :trace true)\n(set-option :trace_file_name "@FILE@")\n',
        Trace.FILE,
        "only solvers built for it trace",
    ),
    ("include", '(include "@SECRET@")\n', Trace.SECRET, "few solvers know it"),
    (
        "a command in bars",
        '(|set-option| :regular-output-channel "@FILE@")\n',
        Trace.FILE,
        "parsers differ in whether this is a command",
    ),
    ("echo of a control character", '(echo "\x1b[2J")\n', Trace.CONTROL, "the solvers' output is not soid's"),
    (
        "deep terms",
        f"(assert {'(not ' * _DEEP}true{')' * _DEEP})\n",
        Trace.CRASH,
        "it is soid's own process that it would end",
    ),
    ("deep brackets", "(" * _DEEP + ")" * _DEEP + "\n", Trace.CRASH, "it is soid's own process that it would end"),
    (
        "huge numbers",
        f"(declare-fun big () (_ BitVec {2**31}))\n(assert (= big (bvmul big big)))\n",
        Trace.HANG,
        "it would stall the test",
    ),
    (
        "formula of 40 MB",
        lambda: f"(assert (or {'x ' * 20_000_000}))\n",
        Trace.HANG,
        "it would stall the test",
    ),
    ("a million pushes", "(push 4294967295)\n", Trace.MEMORY, "it would take the machine's memory"),
)

TRICKS = (
    *(
        Trick(name, "formulas", (trace,), variants=PLAIN, ways=BUNDLE, control=control, prepare=_inserted(text))
        for name, text, trace, control in _COMMANDS
    ),
    Trick(
        "entries that never end",
        "case",
        (Trace.HANG, Trace.MEMORY),
        variants=PLAIN,
        ways=(Way.CASE,),
        control="it is soid's own process that it would stall",
        prepare=_table(
            "ALTER TABLE entries RENAME TO kept;\nCREATE VIEW entries AS WITH RECURSIVE n(i) AS"
            " (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT {1} FROM n;"
        ),
    ),
    Trick(
        "entries that load an extension",
        "case",
        (Trace.FILE,),
        variants=PLAIN,
        ways=(Way.CASE,),
        control="SQLite loads no extension unless it is told to",
        prepare=_table(
            "ALTER TABLE entries RENAME TO kept;\nCREATE VIEW entries AS SELECT {0} FROM kept"
            " WHERE load_extension('/nowhere/evil.so') IS NULL;"
        ),
    ),
)
