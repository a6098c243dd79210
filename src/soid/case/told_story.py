"""The story of a case at a moment: what its project says has happened, what was decided then, and the harm.

>>> import tempfile
>>> from pathlib import Path
>>> from soid.examples import folder
>>> scratch = tempfile.TemporaryDirectory()
>>> with Case.create(Path(scratch.name) / "crash.case", folder("crash") / "standard") as case:
...     told_story(case).moment, told_story(case).harm
('At step 11 it decided to drive on.', ('The two cars collide. Whether that happened has not been asked.',))
>>> scratch.cleanup()
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from typing import Final, final

from msgspec import Struct

from soid.case import validity
from soid.case.case import Case
from soid.case.question_candidates import decisions_worth_asking
from soid.case.record.entry import Entry, EntryKind
from soid.case.report.phrases import sentence_of
from soid.errors import SoidError
from soid.oracle.answer import Verdict
from soid.query.language.query_parser import parse
from soid.query.query import Query, QueryKind
from soid.query.steps import Over
from soid.query.words import Words
from soid.scenario import expression as ex
from soid.scenario.trace import Keyframe
from soid.scene.picture import decisions_that_follow

_MOST: Final = 4  # decisions that are told

#: what the record says of an event: a `did` about it had this verdict
_HAPPENED: Final = {
    Verdict.YES: "That happened: entry {}.",
    Verdict.NO: "That did not happen in the steps that were asked about: entry {}.",
}


@final
class ToldStory(Struct, frozen=True):
    """A story in sentences. It is its own document."""

    happened: str  # as the project's author tells it; empty if the manifest has no story
    moment: str  # what was decided, as far as it is known
    harm: tuple[str, ...]  # that the manifest declares, and what the record says of it


def told_story(
    case: Case, *, step: int | str | None = None, log: str | None = None, at: Keyframe | None = None
) -> ToldStory:
    """The story at a moment; `at` is that moment, if more is known of it than the log says."""
    project = case.project_at(step, log)
    manifest, keyframe = project.manifest, at or project.logged
    story = None if manifest is None else manifest.story
    harm = () if story is None or not story.harm else (story.harm,)
    several = len(keyframe.interface.decisions) > 1  # else there is no choice, and parsing takes time
    asked = _asked_about(case, manifest.questions if manifest is not None and several else ())
    return ToldStory("" if story is None else story.happened, _decided(keyframe, asked), (*harm, *_harms(case)))


def _asked_about(case: Case, questions: Iterable[str]) -> set[str]:
    """What the questions of the manifest speak of: that is what the story is about."""
    found: set[str] = set()
    for text in questions:
        with contextlib.suppress(SoidError):  # it is told where it is asked
            query = parse(text, case.interface)
            found.update(query.behavior.names, _of_lives(query))
    return found


def _of_lives(query: Query) -> Iterable[str]:
    return () if query.lives is None else (each.path for each in query.lives.outcome)


def _decided(keyframe: Keyframe, asked: set[str]) -> str:
    """What was decided, of that first what is asked about."""
    derived = decisions_that_follow(keyframe)
    known = {**keyframe.decisions, **derived}
    worth = [each.path for each in decisions_worth_asking(keyframe.interface, asked) if each.path in known]
    worth = ([path for path in worth if path in asked] or worth)[:_MOST]
    told = Words(keyframe.interface).decided({path: known[path] for path in worth}, verb="decided", derived=derived)
    return f"At {keyframe.called} {told}." if told else f"What it decided at {keyframe.called} is not logged."


def _harms(case: Case) -> Iterator[str]:
    interface = case.interface
    for path in sorted(interface.harms):
        said = [(entry, _HAPPENED[entry.verdict]) for entry in _asked(case, path) if entry.verdict in _HAPPENED]
        record = said[-1][1].format(said[-1][0].number) if said else "Whether that happened has not been asked."
        yield f"{sentence_of(interface.variable(path).label or path)} {record}"


def _asked(case: Case, event: str) -> Iterator[Entry]:
    """The answers that say whether an event happened in fact."""
    answered = validity.in_force(case.entries, EntryKind.ANSWERED)
    for entry in answered:
        text = entry.question or ""
        if not text.startswith(QueryKind.DID.value) or event not in text:  # parsing takes longer than this
            continue
        try:
            query = parse(text, case.interface)
        except SoidError:  # the program has other names by now
            continue
        if query.kind is not QueryKind.DID or query.behavior.expression != ex.Name(event):
            continue
        if entry.verdict is Verdict.YES or query.period.over is Over.WITHIN or query.period.count == 1:
            yield entry  # that it did not happen in each step, or in the last, does not say that it never did
