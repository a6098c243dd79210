"""What a worker can do, by the name of the job's kind: each a function from a task to what came of it."""

from __future__ import annotations

import hashlib
import tempfile
from collections import OrderedDict
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, final

from msgspec import Struct, convert, field

from soid.budget import Cancellation
from soid.case.case import Case
from soid.case.validity import entry_at
from soid.documents import json_of
from soid.errors import CalledOff, CaseError
from soid.oracle.inquiry import QuestionProgress, Settings

#: how many cases a worker keeps open, with their programs read
_KEPT: Final = 4

Task = Mapping[str, Any]
Report = Callable[[QuestionProgress], None]


@final
class Hands(Struct):
    """What a worker has at hand for its tasks: the cases that it keeps open, and a way to say how far it is."""

    settings: Settings
    report: Report
    cancel: Cancellation = field(default_factory=Cancellation)  # of the task under way
    _open: OrderedDict[str, Case] = field(default_factory=OrderedDict)

    def case(self, task: Task) -> Case:
        """The case that a task is about, spoken for by whoever gave the task."""
        file = task["file"]
        if file in self._open and not self._open[file].record.is_current:
            self._open.pop(file).close()
        if file not in self._open:
            self._open[file] = Case.open(file, settings=self.settings)
        self._open.move_to_end(file)
        while len(self._open) > _KEPT:
            self._open.popitem(last=False)[1].close()
        self._open[file].speak_as(task["who"])
        return self._open[file]


def ask(task: Task, hands: Hands) -> dict[str, Any]:
    """Put a question on the record, and its answer."""
    case = hands.case(task)
    entry = case.ask(task["question"], step=task["step"], log=task["log"], cancel=hands.cancel, progress=hands.report)
    return {"entry": entry.number, "fact": entry.fact, "answer": json_of(case.recall(entry.number).document)}


def explain(task: Task, hands: Hands) -> dict[str, Any]:
    """Explain an answer of the record: what mattered to it, or what its proof needed. Nothing is recorded."""
    case = hands.case(task)
    entry = entry_at(case.entries, task["entry"])
    if entry.question is None:
        raise CaseError(f"entry {entry.number} is about no question", "Choose an answer.")
    at = case.case_at(entry.step, entry.log)
    found = at.explain(entry.question, others=task["others"], cancel=hands.cancel, progress=hands.report)
    if hands.cancel.cancelled:
        raise CalledOff("the explanation was called off", "Ask for it again.")
    return {"entry": entry.number, **json_of(found.document)}


def draw_map(task: Task, hands: Hands) -> dict[str, Any]:
    """What happens where, along one or two variables: the regions, and their picture. Nothing is recorded."""
    from soid.mapping.map_svg import svg  # most tasks need no picture

    at = hands.case(task).case_at(task["step"], task["log"])
    made = at.map(task["over"], by=task["by"], cancel=hands.cancel, progress=hands.report)
    if hands.cancel.cancelled:
        raise CalledOff("the map was called off", "Ask for it again.")
    return {**json_of(made.document), "svg": svg(made)}


def abstract(task: Task, hands: Hands) -> dict[str, Any]:
    """What the answered questions have shown of the program together, and its picture. Nothing is recorded."""
    from soid.case.abstraction import Abstraction, answered, grown
    from soid.case.abstraction_picture import svg

    case, found = hands.case(task), Abstraction()
    for at, query in answered(case):
        found = grown(found, at, query, cancel=hands.cancel, progress=hands.report)
        if hands.cancel.cancelled:
            raise CalledOff("the abstraction was called off", "Ask for it again.")
    program = case.case_at().program
    return {**json_of(found.document), "svg": svg(found, program.interface, program.name)}


def accept(task: Task, hands: Hands) -> dict[str, Any]:
    """Put it on the record that one goes on though log and program differ."""
    hands.report(QuestionProgress("fact"))
    return json_of(hands.case(task).accept_log_mismatch(task["why"], step=task["step"], log=task["log"]).document)


def report(task: Task, hands: Hands) -> dict[str, Any]:
    """The case as a page."""
    from soid.case.report.document import (
        report as report_page,  # loaded by who needs it: a worker starts in half the time
    )
    from soid.release import version

    hands.report(QuestionProgress("writing the report"))
    case = hands.case(task)
    page = report_page(case, made_by=f"soid {version()}").encode()
    Path(task["to"]).write_bytes(page)
    facts = [fact.number for fact in case.facts]
    return {"sha256": hashlib.sha256(page).hexdigest(), "facts": facts, "head": case.entries[-1].hash}


def bundle(task: Task, hands: Hands) -> dict[str, Any]:
    """The case as evidence: a file that others check."""
    from soid.evidence.bundle import bundle as bundle_case

    made = bundle_case(
        Path(task["file"]), cancel=hands.cancel, report=lambda words: hands.report(QuestionProgress(words))
    )
    if hands.cancel.cancelled:
        raise CalledOff("the bundle was called off", "Ask for it again.")
    Path(task["to"]).write_bytes(made.data)
    return {
        "sha256": hashlib.sha256(made.data).hexdigest(),
        "facts": list(made.facts),
        "refused": [{"entry": number, "why": why} for number, why in made.refused],
        "head": made.head,
    }


def create(task: Task, hands: Hands) -> dict[str, Any]:
    """A new case on a project."""
    hands.report(QuestionProgress("reading the program"))
    file = Path(task["file"])
    with Case.create(file, task["project"], title=task["title"], who=task["who"]) as case:
        case.case_at()  # what the server needs of the program is in the cache then
    return {"id": file.stem}


def look(task: Task, hands: Hands) -> dict[str, Any]:
    """What is in uploaded files."""
    from soid.web.work.staged import look as look_into  # the compiler's packages are loaded where they are needed

    hands.report(QuestionProgress("reading the program"))
    return look_into(task)


def make(task: Task, hands: Hands) -> dict[str, Any]:
    """A case of uploaded files."""
    from soid.web.work.staged import make as make_case

    hands.report(QuestionProgress("reading the program"))
    return make_case(task)


def drive(task: Task, hands: Hands) -> dict[str, Any]:
    """A case of a run of an example's world."""
    from soid.examples import simulation_of
    from soid.examples.simulation import Setup

    hands.report(QuestionProgress("driving"))
    with tempfile.TemporaryDirectory(prefix="soid-run-") as scratch:
        setup = convert(task["setup"], Setup)
        ran = simulation_of(task["example"]).run(setup, Path(scratch) / task["example"])
        return {**create({**task, "project": ran.project}, hands), **ran.summary}


#: by the job's kind
DOING: Final[Mapping[str, Callable[[Task, Hands], dict[str, Any]]]] = {
    "ask": ask,
    "explain": explain,
    "map": draw_map,
    "abstraction": abstract,
    "accept": accept,
    "report": report,
    "bundle": bundle,
    "create": create,
    "look": look,
    "make": make,
    "drive": drive,
}
