"""Several programs on the stand: the same questions put to each, and where two of them part."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, final

from msgspec import Struct
from msgspec.structs import replace

from soid.budget import Cancellation
from soid.documents import Document
from soid.errors import QueryError, did_you_mean
from soid.mapping.claims import ClaimKind, RegionLabel
from soid.mapping.decision_map import DecisionMap, MapDocument
from soid.oracle.answer import Answer, AnswerDocument, Verdict
from soid.oracle.inquiry import QuestionProgress
from soid.program.interface import Interface, Variable
from soid.program.types import FloatType
from soid.query.behavior import Behavior
from soid.query.language.query_parser import parse
from soid.query.language.query_printer import to_text
from soid.query.program_names import decisions_of, of_program
from soid.query.query import Query, QueryKind
from soid.query.words import Words, counted
from soid.scenario import expression as ex
from soid.scenario.expression import Comparison, Expression
from soid.scenario.expression_text import expression_text
from soid.scenario.trace import Keyframe
from soid.shown import Shown

if TYPE_CHECKING:
    from soid.case.project import Project, Supposed

Report = Callable[[QuestionProgress], None]
#: answers a question; by default the project's oracle, which records nothing
Asking = Callable[[Query], Answer]


class ComparedDocument(Document, frozen=True):
    """One question put to several programs, as JSON."""

    question: str
    answers: dict[str, AnswerDocument]


class ComparisonDocument(Document, frozen=True):
    """Several questions put to several programs, as JSON."""

    programs: list[str]
    questions: list[ComparedDocument]


@final
class ComparedQuestion(Struct, frozen=True):
    """One question, put to each of several programs."""

    text: str  # as it was asked, of any of them
    answers: Mapping[str, Answer]  # by program


@final
class ProgramComparison(Shown, Struct, frozen=True):
    """The same questions put to several programs."""

    programs: tuple[str, ...]
    questions: tuple[ComparedQuestion, ...]

    def __repr__(self) -> str:
        return f"ProgramComparison({counted(len(self.questions), 'question')} to {', '.join(self.programs)})"

    @property
    def keyframe(self) -> Keyframe | None:
        """The moment that the answers are about; None if there is no answer."""
        return next((answer.keyframe for each in self.questions for answer in each.answers.values()), None)

    @property
    def document(self) -> ComparisonDocument:
        asked = [
            ComparedDocument(each.text, {name: one.document for name, one in each.answers.items()})
            for each in self.questions
        ]
        return ComparisonDocument(list(self.programs), asked)


def compare(
    project: Project,
    questions: Sequence[Query | str],
    programs: Sequence[str],
    cancel: Cancellation | None,
    progress: Report,
    asking: Asking | None = None,
) -> ProgramComparison:
    interface = project.program.interface
    ask = asking or partial(project.ask, cancel=cancel, progress=progress)
    chosen = tuple(_known(project, name) for name in programs) or _several(project)
    asked = []
    for question in questions:
        query = parse(question) if isinstance(question, str) else question
        answers = {name: ask(of_program(query, name, interface)) for name in chosen}
        asked.append(ComparedQuestion(to_text(query), answers))
    return ProgramComparison(chosen, tuple(asked))


class DifferenceDocument(Document, frozen=True):
    """Where two programs part, as JSON."""

    one: str
    other: str
    same: str
    headline: str
    in_fact: AnswerDocument
    elsewhere: AnswerDocument
    map: MapDocument | None


@final
class ProgramDifference(Shown, Struct, frozen=True):
    """Whether two programs decide alike."""

    one: str
    other: str
    same: str  # the behavior that they decide alike, as a formula
    in_fact: Answer  # whether they do at the moment itself
    elsewhere: Answer  # whether they do in every scenario of a family, the fact left out
    map: DecisionMap | None = None  # where they do, if the family varies one or two inputs

    def __repr__(self) -> str:
        alike = f"alike in fact: {self.in_fact.verdict}, elsewhere: {self.elsewhere.verdict}"
        return f"ProgramDifference({self.one} and {self.other}, {alike})"

    @property
    def document(self) -> DifferenceDocument:
        drawn = None if self.map is None else self.map.document
        given = self.in_fact.document, self.elsewhere.document
        return DifferenceDocument(self.one, self.other, self.same, self.headline, *given, drawn)

    def question(self, keyframe: Keyframe) -> str:
        """What was asked, in words."""
        words = Words(keyframe.interface, log=keyframe.trace)
        return (
            ", ".join([f"Would {self.one} and {self.other} always decide alike", *words.supposed(self.elsewhere.query)])
            + "?"
        )

    @property
    def drawn(self) -> DecisionMap | None:
        """The map, with its regions in words."""
        return None if self.map is None else self.map.relabelled(lambda each: replace(each, said=self.told(each)))

    def told(self, label: RegionLabel) -> str:
        """What a region of the map is, in words."""
        return {
            ClaimKind.HOLDS: "they decide alike",
            ClaimKind.OTHERWISE: "they do not decide alike",
            ClaimKind.NEITHER: "one of them fails, or does not decide",
        }.get(label.kind, label.words)

    @property
    def headline(self) -> str:
        """Both findings in one sentence; empty unless both are settled. One that fails does otherwise too."""
        found = {
            (Verdict.NO, Verdict.YES): "does otherwise than {} in the scenario of the fact, and nowhere else among",
            (Verdict.NO, Verdict.NO): "does otherwise than {} in the scenario of the fact, and not there alone among",
            (Verdict.YES, Verdict.NO): "does as {} in the scenario of the fact, and otherwise in some of",
            (Verdict.YES, Verdict.YES): "does as {} in the scenario of the fact, and in all of",
        }.get((self.in_fact.verdict, self.elsewhere.verdict))
        return f"{self.other} {found.format(self.one)} the scenarios that were asked about." if found else ""

    @property
    def sentences(self) -> tuple[str, str]:
        """What was found, of the fact and of the family."""
        here = {
            Verdict.YES: f"At the moment itself {self.one} and {self.other} decide alike.",
            Verdict.NO: f"At the moment itself {self.one} and {self.other} decide differently.",
        }.get(self.in_fact.verdict, f"Whether they decide alike at the moment itself: {self.in_fact.reason}.")
        there = {
            Verdict.YES: "In every other scenario that was asked about they decide alike: proved.",
            Verdict.NO: "There are other scenarios in which they do not decide alike; the nearest one is shown.",
        }.get(self.elsewhere.verdict, f"In other scenarios: {self.elsewhere.reason}.")
        return here, there


def differ(
    project: Project,
    one: str,
    other: str,
    over: Supposed,
    by: str | None,
    cancel: Cancellation | None,
    progress: Report,
    asking: Asking | None = None,
) -> ProgramDifference:
    interface = project.program.interface
    ask = asking or partial(project.ask, cancel=cancel, progress=progress)
    same = Behavior(_same(_known(project, one), _known(project, other), interface, by))
    supposed = project.supposed(over)
    in_fact, elsewhere = (ask(query) for query in (Query(QueryKind.DID, same), Query(QueryKind.WOULD, same, supposed)))
    text = expression_text(same.expression)
    drawn = None
    if elsewhere.verdict in (Verdict.YES, Verdict.NO) and len(elsewhere.freed) in (1, 2):
        drawn = project.map(supposed, by=text, cancel=cancel, progress=progress)
    return ProgramDifference(one, other, text, in_fact, elsewhere, drawn)


def check_programs(project: Project, programs: Sequence[str]) -> None:
    """Refuse names that none of several programs has."""
    _several(project)
    for name in programs:
        _known(project, name)


def _same(one: str, other: str, interface: Interface, by: str | None) -> Expression:
    """That two programs decide alike: of each decision that both have, or of those that are named."""
    mine, theirs = decisions_of(one, interface), decisions_of(other, interface)
    known = [name for name in mine if name in theirs]
    wanted = known if by is None else [each.strip() for each in by.split(",")]
    for name in wanted:
        if name not in known:
            remedy = did_you_mean(name, known, f"Both have: {', '.join(known) or 'none'}.")
            raise QueryError(f"{one} and {other} have no decision {name}", remedy)
    both = [(mine[name], theirs[name]) for name in wanted]
    if not both:
        raise QueryError(
            f"{one} and {other} have no decision of the same name",
            "Ask with the names that they have: `would a.x == b.y`.",
        )
    alike = [_equal(*pair) for pair in both]
    return alike[0] if len(alike) == 1 else ex.And(tuple(alike))


def _equal(mine: Variable, theirs: Variable) -> Expression:
    one, other = ex.Name(mine.path), ex.Name(theirs.path)
    equal = ex.Compare(one, ((Comparison.EQ, other),))
    if not (isinstance(mine.type, FloatType) and isinstance(theirs.type, FloatType)):
        return equal
    nan = ex.Literal("nan")
    return ex.Or((equal, ex.And((ex.Identical(one, nan), ex.Identical(other, nan)))))  # no nan equals itself


def _several(project: Project) -> tuple[str, ...]:
    programs = project.program.source.programs
    if not programs:
        raise QueryError(
            f"{project.program.name} is one program: there is nothing to compare",
            "Describe several in soid.toml: [programs.first], [programs.second].",
        )
    return programs


def _known(project: Project, name: str) -> str:
    programs = _several(project)
    if name not in programs:
        remedy = did_you_mean(name, programs, f"There are: {', '.join(programs)}.")
        raise QueryError(f"there is no program {name}", remedy)
    return name
