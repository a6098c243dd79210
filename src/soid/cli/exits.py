"""Exit statuses: what a script learns without reading the output.

The verdicts have 0 to 4, so a usage error, which many tools end with 2, has 64 here (as in sysexits.h); what is
wrong with the input has the status of its error class, 10 and up, see `soid.errors`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, final

#: the status of each verdict
VERDICTS: Final = {"yes": 0, "no": 1, "vacuous": 2, "unknown": 3, "error": 4}

USAGE: Final = 64  # the command line itself is wrong
INTERNAL: Final = 70  # a bug in soid; the same as InternalError's
OUTPUT: Final = 74  # the output cannot be written, for example because the disk is full
INTERRUPTED: Final = 130  # Ctrl-C
BROKEN_PIPE: Final = 141  # the reader of the output has gone


@final
class ToldStatus(int):
    """A status whose reason the command has told itself."""


#: as `soid ask --help` and the guide say it
HELP: Final = (
    "Exit status: yes 0, no 1, vacuous 2, unknown 3, log mismatch 4. With several questions: 0 if every answer is "
    "yes or no, else the status of the first that is neither. Wrong input, or too large for the time or memory that "
    "it has: 10 to 29, one for each kind. Wrong use: 64. A bug in soid: 70. Ctrl-C: 130."
)


def of_answers(verdicts: Iterable[str]) -> int:
    """The status after one or more questions.

    >>> of_answers(["no"]), of_answers(["no", "yes"]), of_answers(["no", "unknown", "vacuous"])
    (1, 0, 3)
    """
    given = list(verdicts)
    return VERDICTS[given[0]] if len(given) == 1 else _first_neither(given)


def _first_neither(verdicts: Iterable[str]) -> int:
    return next((code for verdict in verdicts if (code := VERDICTS[verdict]) > VERDICTS["no"]), 0)


#: as `soid compare --help` says it
COMPARE_HELP: Final = (
    "Exit status: 0 if every answer is yes or no, else the status of the first that is neither, as with `soid ask`."
)

#: as `soid differ --help` says it
DIFFER_HELP: Final = (
    "Exit status: 0 if they decide alike in fact and over the family, 1 if not; vacuous 2, unknown 3, log mismatch 4. "
    "Wrong input, wrong use, bugs and Ctrl-C: as with `soid ask`."
)


def of_difference(in_fact: str, elsewhere: str) -> int:
    """The status after a comparison of two programs: of two answers the one that says less.

    >>> of_difference("no", "yes"), of_difference("yes", "unknown")
    (1, 3)
    """
    return max(VERDICTS[in_fact], VERDICTS[elsewhere])


#: as `soid run --help` and the guide say it
RUN_HELP: Final = (
    "Exit status: 0 with a conclusion, 1 at the end of a script without one; vacuous 2, unknown 3, error 4 where it "
    "stopped at such an answer. A script that has no `conclude` ends like `soid ask` with several questions. Wrong "
    "input, wrong use, bugs and Ctrl-C: as with `soid ask`."
)


def of_script(stopped_at: str | None, *, concluded: bool, concludes: bool, verdicts: Iterable[str]) -> int:
    """The status after a script.

    >>> of_script(None, concluded=True, concludes=True, verdicts=["unknown"])
    0
    >>> of_script("unknown", concluded=False, concludes=True, verdicts=["yes", "unknown"])
    3
    >>> of_script(None, concluded=False, concludes=True, verdicts=["no"])
    1
    >>> of_script(None, concluded=False, concludes=False, verdicts=["no"])
    0
    """
    if concluded:
        return 0
    if stopped_at is not None:
        return VERDICTS[stopped_at]
    return 1 if concludes else _first_neither(verdicts)


#: as `soid sweep --help` and the guide say it
SWEEP_HELP: Final = (
    "Exit status: 0 if every row is yes or no, else the status of the first that is neither, as with `soid ask`. "
    "Ctrl-C: 130; the rows that are there are kept."
)


def of_sweep(verdicts: Iterable[str]) -> int:
    """The status after a sweep: that one row is a no does not make it another one.

    >>> of_sweep(["no"]), of_sweep(["yes", "vacuous", "unknown"])
    (0, 2)
    """
    return _first_neither(verdicts)


#: the status of `soid log check`, by what comes out for the log
LOG_CHECKS: Final = {"fits": 0, "differs": VERDICTS["error"], "open": VERDICTS["unknown"]}

#: as `soid log check --help` and the guide say it
LOG_CHECK_HELP: Final = (
    "Exit status: 0 if the log fits the program, 4 if they differ, 3 if that is not settled. Wrong input, wrong use, "
    "bugs and Ctrl-C: as with `soid ask`."
)


#: as `soid verify --help` and docs/evidence.md say it
VERIFY_HELP: Final = (
    "Exit status: 0 if every fact is re-proved, 1 if one is refuted, 2 if one is re-explored only, 3 if one is "
    "attested by signature only or not supported at all; of several the worst. A bundle that is refused, is not "
    "what its manifest says, or is not signed as expected: 27. Wrong use, bugs and Ctrl-C: as with `soid ask`."
)
