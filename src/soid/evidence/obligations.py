"""Proof obligations: what must be shown for an answer to be true, each as a self-contained SMT-LIB script.

    would, yes   no scenario takes a path on which the behavior is not true         explored.smt2     unsat
    might, no    no scenario takes a path on which it is true                       explored.smt2     unsat
    both         no scenario is unexplored, unless that cannot matter               unexplored.smt2   unsat
                 every scenario takes one of the paths                              complete.smt2     unsat
    would, no    the scenario shown takes a path on which the behavior is not true  scenario.smt2     sat
    might, yes   the scenario shown takes a path on which it is true                scenario.smt2     sat
    all          the scenario shown belongs to the family                           precondition.smt2 sat
                 the paths, as a formula                                            paths.smt2        sat
                 with the program's outputs there, the behavior is as the verdict says   outcome.smt2 unsat

What a learned model's numbers are is no formula: a proof about them begins with bounds of them, box by box, and has a
cover with these boxes (`soid.evidence.learned`).

A formula about sums of products, such as the layers of a network in C, may be beyond all solvers. Then it has a cover
whose boxes are checked by affine forms (`soid.evidence.form_spans`), and no solver is asked.

Because of `complete`, the search for paths need not be trusted: with a path left out it would be satisfiable.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal, final

from msgspec import Struct

from soid.engine.summary import (
    Approximation,
    ConcreteRun,
    OutputValue,
    Path,
    PathSummary,
    add_results,
    goes_on,
    instances,
    is_open,
)
from soid.errors import BundleError
from soid.formula import build
from soid.formula.build import FALSE, TRUE
from soid.formula.passes import free_variables, substitute
from soid.formula.smtlib.script_writer import script
from soid.formula.term import Term
from soid.oracle.answer import Verdict
from soid.oracle.encoding import FactualMoment, truth_on, unknown_on
from soid.program.domain import formula
from soid.program.types import constant
from soid.query.query import Query, QueryKind
from soid.scenario.family import Family

Status = Literal["sat", "unsat"]

PRECONDITION: Final = "precondition"
PATHS: Final = "paths"
EXPLORED: Final = "explored"
UNEXPLORED: Final = "unexplored"
COMPLETE: Final = "complete"
SCENARIO: Final = "scenario"
OUTCOME: Final = "outcome"
EVERYWHERE: Final = "everywhere"

#: how the names of covers end
COVER: Final = ".cover.json"

#: obligations whose failure does not contradict a fact if some paths were left unexplored
UNSETTLED: Final = frozenset({UNEXPLORED, SCENARIO, OUTCOME, EVERYWHERE})

#: obligations about the whole family
PROOFS: Final = frozenset({EXPLORED, UNEXPLORED, COMPLETE})


@final
class Obligation(Struct, frozen=True):
    """One formula, and what its answer means.

    `proves` is part of the bundle's format: `soid verify` compares it letter for letter.
    """

    name: str
    proves: str  # what the expected answer proves, in words
    expected: Status
    terms: tuple[Term, ...]
    family: int = 0  # of `paths`: the number of leading terms that define the family
    given: int = 0  # of `paths`: the number of terms after those that define the scenario shown
    premises: int = 0  # of a proof: the number of leading terms that are facts about functions that no formula gives
    cover: Mapping[str, Any] | None = None  # of a proof: boxes with bounds of a model's numbers, which these facts are
    numbers: tuple[Approximation, ...] = ()  # of a proof: the functions that no formula gives, which it may mention
    by_search: bool = False  # such boxes are too many for a cover: only a search for a state shows it
    by_forms: bool = False  # its cover alone shows it, by affine forms: sums of products are beyond the solvers

    @property
    def file(self) -> str:
        return f"{self.name}.smt2"

    @property
    def cover_file(self) -> str:
        return self.name + COVER

    @property
    def claim(self) -> tuple[Term, ...]:
        """The formula without its premises."""
        return self.terms[self.premises :]

    def script(self, about: Sequence[str]) -> str:
        """The formula as a file with a comment that says what it proves; `about` names its question."""
        partial = self.by_search or (self.by_forms and bool(self.numbers))  # not all that shows it is in the formula
        expected = "none: see above" if partial else self.expected
        words = [*about, f"proves: {self.proves}", f"expected answer: {expected}"]
        return script(self.terms, comments=words, status=None if partial else self.expected)


def _within(family: Family, punctured: bool) -> tuple[Term, ...]:
    return (family.precondition, family.puncture) if punctured else (family.precondition,)


def _member(family: Family, punctured: bool, inputs: Mapping[str, int]) -> tuple[Term, ...]:
    """The formula: the inputs are a scenario of the family."""
    values = (family.interface.variable(path).equals(inputs[path]) for path in family.freed)
    return (*_within(family, punctured), *values)


def membership(family: Family, inputs: Mapping[str, int], *, punctured: bool) -> Obligation:
    """The family has a scenario: the one that is shown."""
    fact = "and are not the fact itself" if punctured else "the logged ones among them"
    proves = f"the family is not empty: the values asserted last satisfy all that was supposed, {fact}"
    return Obligation(PRECONDITION, proves, "sat", _member(family, punctured, inputs))


def paths_formula(family: Family, summary: PathSummary, inputs: Mapping[str, int], *, punctured: bool) -> Obligation:
    """All paths in one formula: where a path's condition holds, the outputs are what it computes."""
    ordered = summary.in_order
    endings = "; ".join(f"{number}: {path.ending}" for number, path in enumerate(ordered, start=1))
    conditions = [build.implies(path.condition, _gives(path)) for path in ordered]
    given = (*_member(family, punctured, inputs), *_results(family, summary, inputs))
    size = len(_within(family, punctured))
    proves = (
        f"the program, as far as the family goes, path by path ({len(ordered)}): each of the last assertions says of "
        f"one path that where its condition holds the outputs are what it computes. In this order they end: {endings}"
    )
    return Obligation(PATHS, proves, "sat", (*given, *conditions), size, len(given) - size)


def proof(
    query: Query,
    verdict: Verdict,
    family: Family,
    summary: PathSummary,
    facts: FactualMoment,
    fitting: Term = TRUE,
    *,
    punctured: bool,
) -> list[Obligation]:
    """The proof that the behavior occurs in every scenario (verdict yes), or in none (no).

    `fitting` says which states give what is logged, where it is asked what was.
    """
    within = (*_within(family, punctured), *(() if fitting is TRUE else (fitting,)))
    widely = query.kind is not QueryKind.DID  # a label that is none of some counts, whichever it is
    against: list[Term] = []
    unknown: list[Term] = []
    for path in summary.in_order:
        into = unknown if is_open(path.ending) or goes_on(path.ending) else against
        said = _as_said(path, query, verdict, facts, widely=widely)
        into.append(build.and_(path.condition, build.not_(said)))
    occurs = "is not true" if verdict is Verdict.YES else "is true"
    covered = build.any_of(path.condition for path in summary.in_order)
    missed = build.not_(build.and_(*_pinned(family), covered))
    words = f"no scenario of the family takes a path on which the behavior {occurs}"

    def made(name: str, proves: str, *, against: Term) -> Obligation:
        return Obligation(name, proves, "unsat", (*within, against), numbers=summary.approximations)

    found = [
        made(EXPLORED, words, against=build.any_of(against)),
        made(COMPLETE, "every scenario of the family takes one of the paths", against=missed),
    ]
    if unknown:
        words = "no scenario of the family lies where nobody has looked, as far as that matters here"
        found.append(made(UNEXPLORED, words, against=build.any_of(unknown)))
    return found


def shown(
    query: Query,
    verdict: Verdict,
    family: Family,
    summary: PathSummary,
    facts: FactualMoment,
    inputs: Mapping[str, int],
) -> Obligation:
    """The scenario takes a path on which the behavior is as the verdict says."""
    where = [build.and_(path.condition, _as_said(path, query, verdict, facts)) for path in summary.in_order]
    occurs = "occurs" if verdict is Verdict.YES else "does not occur"
    terms = (*_member(family, True, inputs), *_results(family, summary, inputs), build.any_of(where))
    proves = f"in the scenario shown, which is one of the family, the behavior {occurs}"
    return Obligation(SCENARIO, proves, "sat", terms)


def everywhere(
    query: Query,
    verdict: Verdict,
    family: Family,
    summary: PathSummary,
    facts: FactualMoment,
    scenarios: Sequence[Mapping[str, int]],
) -> Obligation:
    """Whatever was the case that is not known, one of the scenarios shows it, and is not what happened."""
    if not summary.numbers_only:
        raise BundleError("what a library function gives is not compared over the values of what is not known")
    unknown = {variable.path for variable in family.undetermined}
    varied = [path for path in family.freed if path not in unknown]
    where = build.any_of(build.and_(p.condition, _as_said(p, query, verdict, facts)) for p in summary.in_order)
    reach = build.and_(*_within(family, True), where)
    against: list[Term] = []
    numbers: list[Approximation] = []
    for place, scenario in enumerate(scenarios, start=1):
        values = {path: family.given.get(path, scenario.get(path)) for path in varied}
        if None in values.values():
            raise BundleError("a scenario lacks a value of what the question varies")
        bits = {path: int(value) for path, value in values.items() if value is not None}
        another = [family.interface.variable(path).equals(bits[path]) for path in varied if path in family.assumed]
        fact = {family.interface.variable(path).symbol: _in_fact(family, path) for path in varied}
        put, made = instances(summary.approximations, family.constants(bits), f"in scenario {place}")
        numbers += made
        reached, known = substitute([reach, family.differs_for_sure], put)
        differs = build.or_(known, *(build.not_(term) for term in substitute(another, fact)))
        against.append(build.not_(build.and_(reached, differs)))
    ranges = [formula(v.type, v.domain, v.symbol) for v in family.undetermined]
    words = (
        "whatever the inputs were that are not known, in one of the recorded scenarios, which is not what happened, "
        "the behavior is as the verdict says"
    )
    terms = (*ranges, family.fitting, *against)
    return Obligation(EVERYWHERE, words, "unsat", terms, numbers=(*summary.approximations, *numbers))


def _in_fact(family: Family, path: str) -> Term:
    """What an input was that is not known, and that the question varies."""
    return build.var(f"in fact: {path}", family.interface.variable(path).symbol.sort)


def _as_said(path: Path, query: Query, verdict: Verdict, facts: FactualMoment, *, widely: bool = False) -> Term:
    """Where on a path the behavior is as the verdict says, whatever that may be which is not known."""
    truth = truth_on(path, query.behavior, facts, query.period, widely=widely)
    if verdict is Verdict.YES:
        return truth.true
    unknown = unknown_on(path, query.behavior, query.period)
    if goes_on(path.ending) and query.kind is QueryKind.WOULD:
        unknown = FALSE  # a program that fails refutes it, whatever the world then makes of that
    not_true = build.not_(truth.true)
    return not_true if unknown is FALSE else build.or_(truth.false, build.and_(build.not_(unknown), not_true))


def outcome(query: Query, verdict: Verdict, facts: FactualMoment, run: ConcreteRun) -> Obligation:
    """With the program's outputs, step by step, the behavior is as the verdict says."""
    values: dict[Term, Term] = {}
    given: list[dict[str, OutputValue]] = []
    steps = (*run.earlier, run.outputs)
    for number, outputs in enumerate(steps, start=1):
        kinds = {name: facts.interface.output_type(name) for name in outputs}
        computed = {name: constant(kinds[name], int(value)) for name, value in outputs.items()}
        named = {name: build.var(_named(name, number, len(steps)), value.sort) for name, value in computed.items()}
        values |= {named[name]: value for name, value in computed.items()}
        kept = run.kept[number - 1] if number <= len(run.kept) else ()
        nothing = {name: OutputValue(constant(facts.interface.output_type(name), 0), FALSE, TRUE) for name in kept}
        given.append({**nothing, **{name: OutputValue(term) for name, term in named.items()}})
        for name, ends in (run.between[number - 1] if number <= len(run.between) else {}).items():
            kind, called = facts.interface.output_type(name), _named(name, number, len(steps))
            low, high = (build.var(f"{called}, at {side}", constant(kind, 0).sort) for side in ("least", "most"))
            values |= {term: constant(kind, int(end)) for term, end in zip((low, high), ends, strict=True)}
            given[-1][name] = OutputValue(low, FALSE, TRUE, high)
    *earlier, last = given
    path = Path("outcome", TRUE, run.path.ending, last, tuple(earlier))
    against = build.not_(_as_said(path, query, verdict, facts))
    used = free_variables([against])
    equal = [build.eq(term, value) for term, value in values.items() if term in used]
    occurs = "is true" if verdict is Verdict.YES else "is not true"
    proves = f"with what the program gave in the scenario shown ({run.path.ending}), the behavior {occurs}"
    return Obligation(OUTCOME, proves, "unsat", (*equal, against))


def _gives(path: Path) -> Term:
    steps = (*path.earlier, path.outputs)
    return build.all_of(
        build.implies(value.defined, build.eq(build.var(_named(name, number, len(steps)), value.term.sort), value.term))
        for number, outputs in enumerate(steps, start=1)
        for name, value in sorted(outputs.items())
    )


def _named(name: str, number: int, count: int) -> str:
    return f"after the call: {name}" if count == 1 else f"after call {number}: {name}"


def _results(family: Family, summary: PathSummary, inputs: Mapping[str, int]) -> list[Term]:
    """The library's results in the scenario shown, for functions that the formulas only approximate."""
    values = {variable.symbol: inputs[variable.path] for variable in family.varying}
    add_results(summary.approximations, values)
    symbols = [each.symbol for each in summary.approximations]
    return [build.eq(symbol, build.const(symbol.sort, values[symbol])) for symbol in symbols]


def _pinned(family: Family) -> list[Term]:
    """The formula: the freed variables that were explored with one value have that value."""
    paths = [path for path in family.freed if path in family.given]
    return [family.interface.variable(path).equals(family.given[path]) for path in paths]
