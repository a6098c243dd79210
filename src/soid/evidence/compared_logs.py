"""The comparisons of logs with the program that a bundle's record has, each made again.

A comparison is contradicted by what a run here shows, and never by what was not found out here: time and machines
differ, so what only one of the two has settled leaves it open.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing

from msgspec import convert

from soid.budget import Cancellation
from soid.case.record.entry import Entry, EntryKind
from soid.errors import BundleError, SoidError
from soid.evidence.bundled_project import Opened
from soid.evidence.checks import Check, CheckOutcome
from soid.oracle.inquiry import Context, Settings
from soid.oracle.whole_log import LogComparison, LogVerdict, UnloggedValue, check_log
from soid.solver.chain import chain


def compared_again(entries: Sequence[Entry], opened: Opened | str, seconds: float, cancel: Cancellation) -> list[Check]:
    """A check for each entry that says how a log and the program agree."""
    found = [entry for entry in entries if entry.kind is EntryKind.COMPARED]
    return [
        Check(f"the comparison of entry {entry.number}", *_again(entries[0], entry, opened, seconds, cancel))
        for entry in found
    ]


def _again(
    first: Entry, entry: Entry, opened: Opened | str, seconds: float, cancel: Cancellation
) -> tuple[CheckOutcome, str]:
    log, recorded = entry.payload["log"], convert(entry.payload["result"], LogComparison)
    hashes = {file["path"]: file["sha256"] for file in first.payload["files"]}
    if log not in first.payload["logs"] or hashes.get(log) != entry.payload["sha256"]:
        return CheckOutcome.CONTRADICTED, f"{log}, as it was compared, is not a log of this case"
    if entry.payload["verdict"] != recorded.verdict.value:
        return CheckOutcome.CONTRADICTED, "its verdict is not that of its figures"
    if isinstance(opened, str):
        return CheckOutcome.OPEN, f"the program was not opened here: {opened}"
    try:
        with closing(chain()) as solver:
            context = Context(opened.engine, solver, opened.replayer, None, Settings(), cancel)
            here = check_log(opened.traces[log], context, from_start=opened.from_start, seconds=seconds, causes=False)
    except SoidError as error:
        return CheckOutcome.OPEN, error.cause
    if cancel.cancelled:
        raise BundleError("called off", "Nothing was concluded.")
    return _judged(log, recorded, here)


def _judged(log: str, recorded: LogComparison, here: LogComparison) -> tuple[CheckOutcome, str]:
    """The recorded comparison beside the one that was made here."""
    told = f"{log}: {here.fits + here.possible} of {here.steps} steps fit"
    if wrong := _contradiction(recorded, here):
        return CheckOutcome.CONTRADICTED, f"{log}: {wrong}"
    if here.verdict is not recorded.verdict or here.verdict is LogVerdict.OPEN:
        return CheckOutcome.OPEN, f"{told} here, and the record says that it {recorded.verdict.value}"
    parts = f", and the first that differs is step {here.partings[0].step}" if here.partings else ""
    return CheckOutcome.CONFIRMED, f"{told}{parts}"


def _contradiction(recorded: LogComparison, here: LogComparison) -> str:
    """What here shows that the record's comparison is wrong; empty: nothing does."""
    if recorded.steps != here.steps:
        return f"it has {here.steps} steps, and the record says {recorded.steps}"
    sides = {recorded.verdict, here.verdict}
    if sides == {LogVerdict.FITS, LogVerdict.DIFFERS}:
        return f"it {here.verdict.value} here, and the record says that it {recorded.verdict.value}"
    settled = all(each.cut is None and not each.open and not each.unlinked for each in (recorded, here))
    if settled and recorded.partings and here.partings:
        ours, theirs = here.partings[0].step, recorded.partings[0].step
        if ours != theirs:
            return f"the first step that differs is {ours} here, and {theirs} in the record"
    # earlier versions kept inputs that are no state with the state
    inputs = (*recorded.state, *recorded.perceived), (*here.state, *here.perceived)
    return _other_value(recorded.decisions, here.decisions) or _other_value(*inputs)


def _other_value(recorded: Sequence[UnloggedValue], here: Sequence[UnloggedValue]) -> str:
    """A value that was derived there and is another one here."""
    ours = {value.name: value for value in here}
    for value in recorded:
        known = ours.get(value.name)
        for change in value.changes:
            if known is None or change.value is None:
                continue
            now = known.at(change.step)
            if now is not None and now != change.value:
                return f"{value.name} was {now} at step {change.step}, and the record says {change.value}"
    return ""
