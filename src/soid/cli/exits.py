"""Exit statuses: what a script learns without reading a word.

The verdicts have 0 to 4, so a usage error, which many tools end with 2, has 64 here (as in sysexits.h); what is
wrong with the input has the status of its error class, 10 and up, see `soid.errors`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

#: by verdict
VERDICTS: Final = {"yes": 0, "no": 1, "vacuous": 2, "unknown": 3, "error": 4}

USAGE: Final = 64  # the command line itself is wrong
INTERNAL: Final = 70  # soid contradicts itself; the same as InternalError's
OUTPUT: Final = 74  # the output cannot be written: the disk is full
INTERRUPTED: Final = 130  # Ctrl-C
BROKEN_PIPE: Final = 141  # whoever read the output has gone

#: as `soid ask --help` and the guide say it
HELP: Final = (
    "Exit status: yes 0, no 1, vacuous 2, unknown 3, log mismatch 4. With several questions: 0 if every answer is "
    "yes or no, else the status of the first that is neither. Wrong input: 10 to 26, one for each kind. Wrong use: "
    "64. A bug in soid: 70. Ctrl-C: 130."
)


def of_answers(verdicts: Iterable[str]) -> int:
    """The status after one or more questions.

    >>> of_answers(["no"]), of_answers(["no", "yes"]), of_answers(["no", "unknown", "vacuous"])
    (1, 0, 3)
    """
    codes = [VERDICTS[verdict] for verdict in verdicts]
    if len(codes) == 1:
        return codes[0]
    return next((code for code in codes if code > VERDICTS["no"]), 0)
