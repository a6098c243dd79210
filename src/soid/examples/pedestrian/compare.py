"""Puts the same four questions to both versions of the program: `python -m soid.examples.pedestrian.compare`.

Two are about the moment of the warning (`soid.toml`), two about the moment of the sighting (`sighting.toml`).
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from soid.case.case import Case
from soid.oracle.answer import Answer

_HERE: Final = Path(__file__).parent
VERSIONS: Final = {"heeds warnings": _HERE, "self-reliant": _HERE / "self_reliant"}
MOMENTS: Final = ("soid.toml", "sighting.toml")

#: the manifests' questions, as one asks them
IN_WORDS: Final = (
    "When it was warned of a cyclist: did it brake more sharply than before?",
    "Would a warning of a pedestrian have made it brake more sharply?",
    "When it saw the pedestrian: did it brake more sharply than before?",
    "Had it, too, seen a cyclist there, would it have braked less sharply?",
)

#: what the four answers of one version support
SUPPORTED: Final[Mapping[tuple[str, ...], str]] = {
    ("yes", "yes", "yes", "no"): (
        "The car did brake, as much as a cyclist needs. The right warning would have made it brake more: this "
        "supports that the intersection manager's mistake has a large part in the collision."
    ),
    ("no", "no", "yes", "no"): (
        "The car did nothing about the warning, and the right one would have changed nothing. This supports that "
        "of the two machines the car alone is to blame: the intersection manager's mistake hardly mattered to it."
    ),
}


def ask(version: Path) -> list[Answer]:
    """The four answers of one version."""
    answers = []
    for moment in MOMENTS:
        case = Case.open(version / moment)
        try:
            answers += [case.ask(question) for question in case.manifest.questions] if case.manifest else []
        finally:
            case.solver.close()
    return answers


def main() -> int:
    verdicts = {name: tuple(answer.verdict.value for answer in ask(folder)) for name, folder in VERSIONS.items()}
    widest = max(map(len, IN_WORDS))
    print(" " * widest, *VERSIONS, sep="  ")
    for number, question in enumerate(IN_WORDS):
        cells = (verdicts[name][number].ljust(len(name)) for name in VERSIONS)
        print("  ".join((question.ljust(widest), *cells)).rstrip())
    for name, pattern in verdicts.items():
        print(f"\n{name}: {SUPPORTED.get(pattern, 'These answers are not those that were expected.')}")
    return 0 if all(pattern in SUPPORTED for pattern in verdicts.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
