"""The comparison of a whole log with the program, in words: for the terminal, the page and the report."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from msgspec import convert

from soid.case.record.entry import Entry
from soid.documents import JsonValue
from soid.oracle.whole_log import LogComparison, LogVerdict, UnloggedValue
from soid.query.words import counted

_FEW: Final = 4  # changes of a value that are shown
_OTHERS: Final = 10  # steps that differ, after the first
_TOLD: Final = {
    LogVerdict.FITS: "Log and program fit: a run of the program gives all that is logged.",
    LogVerdict.DIFFERS: "Log and program differ.",
    LogVerdict.OPEN: "Whether log and program fit is not settled.",
}
STRANGE: Final = "Strange about the log:"
_MARKS: Final = {True: "likely", False: "tested, no", None: "open"}


def comparison_of(entry: Entry) -> LogComparison:
    """What an entry of the kind `compared` keeps."""
    return convert(entry.payload["result"], LogComparison)


def outcome(found: LogComparison) -> str:
    return _TOLD[found.verdict]


def amounts(found: LogComparison) -> Iterator[str]:
    """How many steps agree, and how that is known."""
    if not found.values:
        yield "Neither decisions nor state are logged: there was nothing to compare."
    parts = [f"{found.fits} of {counted(found.steps, 'step')} give what is logged when run"]
    if found.possible:
        parts.append(f"{found.possible} give it for some value of what is rounded or not known")
    if found.unlinked:
        parts.append(f"{found.unlinked} give it for some state, but not in one run with the steps before them")
    if found.differs:
        parts.append(f"{found.differs} differ")
    if found.open:
        parts.append(f"{found.open} are not settled")
    if found.compared < found.steps:
        parts.append(f"{found.steps - found.compared} were not compared")
    explored = f" {found.explored} were explored for all that they may have been." if found.explored else ""
    yield f"{'; '.join(parts)}.{explored}"
    if found.by_hand:
        times = "once" if found.by_hand == 1 else f"{found.by_hand} times"
        yield f"The run that was logged was changed by hand, {times}: what comes after is compared on its own."
    if found.gaps:
        yield f"The log has {counted(found.gaps, 'gap')}: what comes after one is compared on its own."


def partings(found: LogComparison) -> Iterator[str]:
    """Where log and program part."""
    if not found.partings:
        return
    first = found.partings[0]
    place = f" ({first.source})" if first.source else ""
    yield f"They part first at step {first.step}{place}: {first.words}."
    others = ", ".join(str(each.step) for each in found.partings[1 : _OTHERS + 1])
    if others:
        more = ", ..." if found.differs > _OTHERS + 1 else ""
        yield f"They differ at the steps {others}{more} too."


def causes(found: LogComparison) -> tuple[str, list[str]]:
    """Why they may differ: a heading, and each cause that was tested, those that explain the log first."""
    explaining = [each for each in found.causes if each.explains]
    others = [each for each in found.causes if not each.explains]
    told = [f"{each.cause} ({_MARKS[each.explains]}): {each.words}" for each in (*explaining, *others)]
    return "Why:" if explaining else "No cause that was tested explains it:", told


def told(found: LogComparison) -> Iterator[str]:
    """All of it, in sentences."""
    yield outcome(found)
    yield from amounts(found)
    yield from partings(found)
    if found.partings:
        heading, tested = causes(found)
        yield from (heading, *tested)
    yield from unlogged(found)
    if found.warnings:
        yield from (STRANGE, *found.warnings)


def changes(value: UnloggedValue) -> str:
    """What a value was that is not logged."""
    if not value.derived:
        return "not known"
    shown = [f"{_text(each.value)} from step {each.step} on" for each in value.changes[:_FEW]]
    more = value.changed - len(shown)
    return ", ".join(shown) + (f", and {counted(more, 'more change')}" if more > 0 else "")


def unlogged(found: LogComparison) -> Iterator[str]:
    """The decisions, the state and the perceived inputs that were not logged, each in a line."""
    kinds = ("decision", found.decisions), ("state", found.state), ("perceived input", found.perceived)
    for what, values in kinds:
        for each in values:
            known = f"known at {each.derived} of the {counted(each.missing, 'step')} that do not have it"
            since = f", from {each.since} on" if each.since else ""
            yield f"{each.name} ({what}, not logged): {known}{since}: {changes(each)}"


def _text(value: JsonValue | None) -> str:
    if value is None:
        return "not known"
    return str(value).lower() if isinstance(value, bool) else str(value)
