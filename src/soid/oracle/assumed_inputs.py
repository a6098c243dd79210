"""Inputs that are not known: the question is answered for every value that they may have had.

A proof over the family covers them all already, because they vary with it. A scenario that settles the question settles
it for its own values of these inputs only. So more scenarios are looked for, until for every value there is one; or a
value is found for which there is none. Then the answer depends on what is not known: it is unknown, and one scenario
of each kind is shown.

    would it land if the pilot asks for it?     bad_ticks not logged     pilot: RTH
    lands where bad_ticks >= 7, does not where bad_ticks <= 6:  unknown: it depends on bad_ticks
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, final

from msgspec import Struct, field
from msgspec.structs import replace

from soid.engine.summary import Approximation, PathSummary, instances
from soid.formula import build
from soid.formula.build import FALSE, TRUE
from soid.formula.checker import Impossible, Open, Possible
from soid.formula.passes import substitute
from soid.formula.term import Term
from soid.oracle.answer import Verdict
from soid.oracle.encoding import Encoding
from soid.oracle.finding import Finding, WitnessGoal, might, would
from soid.oracle.inquiry import Inquiry
from soid.oracle.reason import ReasonCode, VerdictReason
from soid.program import domain as domains
from soid.program.interface import Variable
from soid.program.types import BoolType, EnumType, constant, show
from soid.query.words import Words, listed
from soid.scenario.family import Family
from soid.scenario.input_names import all_called
from soid.witness.witness import Shows

#: scenarios that are tried together for all values
_MOST: Final = 64

_MAY_BE: Final = "the scenario that settles it may be what happened"

Model = Mapping[Term, Any]
Values = Mapping[Variable, int]  # bits


@final
class Dependence(Struct, frozen=True):
    """The answer depends on inputs that are not known."""

    why: VerdictReason
    settled: Finding  # as it is for some of their values
    otherwise: Finding  # as it is for others


@final
class Everywhere(Struct):
    """Looks for what settles a question for every value of the inputs that are not known."""

    family: Family
    within: tuple[Term, ...]
    encoding: Encoding
    asking: Inquiry
    summary: PathSummary = PathSummary(())  # whose approximated results the encoding has symbols for
    tried: list[dict[str, int]] = field(default_factory=list)  # scenarios: bits of what the question varies
    numbers: dict[Term, Approximation] = field(default_factory=dict)  # a model's, with values for some inputs

    def judged(self, finding: Finding) -> Finding | Dependence:
        """A finding for one value, if it is that for every value."""
        if not self.family.assumed or finding.goal is None or finding.goal.shows is Shows.MEMBER:
            return finding
        reach = settles = build.and_(*self.within, self.settling(finding.verdict))
        if not self.summary.numbers_only:  # their symbols would have one value for several scenarios
            return self._left_open(finding, Open("what a library function gives is not compared over these values"))
        if len(self.family.undetermined) < len(self.family.assumed):
            sure = self._surely_another(finding, reach)
            if isinstance(sure, Open):
                return self._left_open(finding, sure)
            finding, reach = sure
        assert finding.goal is not None, "it was there before"
        if not self.family.undetermined:
            self.tried.append(self._scenario(finding.goal.model))
            return replace(finding, everywhere=tuple(self.tried))
        other = self._uncovered(reach, self.family.possible, finding.goal.model)
        if other is None:
            return replace(self._fitting(finding), everywhere=tuple(self.tried))
        if isinstance(other, Open):
            return self._left_open(finding, other)
        here, there = self._values(finding.goal.model), self._values(other)
        there = self._nearer(reach, here, there)
        at = [variable.equals(bits) for variable, bits in there.items()]
        if reach is not settles and not isinstance(self.asking.check([settles, *at]), Impossible):
            return self._left_open(finding, Open(_MAY_BE))
        if self.summary.approximations:  # these values may not give what is logged: `fitting` does not say
            return self._left_open(finding, Open(f"{_told(there)} it is otherwise, if the log allows that"))
        why = self._depending(finding.verdict, reach, here, there)
        where = (*self.within, *at)
        member = self.asking.check(where)
        if not isinstance(member, Possible):  # the suppositions leave no scenario there
            return Finding(Verdict.UNKNOWN, why, summary=finding.summary)
        opposite = Verdict.NO if finding.verdict is Verdict.YES else Verdict.YES
        goal = WitnessGoal(Shows.MEMBER, where, member.model)
        return Dependence(why, finding, Finding(opposite, finding.why, goal))  # of the whole family's paths

    def _fitting(self, finding: Finding) -> Finding:
        """The finding by a scenario whose unknown inputs have values that give what is logged.

        Of a program whose paths are formulas they have such values anyway: its family is of these alone.
        """
        goal = finding.goal
        assert goal is not None, "a scenario settles it"
        at = [variable.equals(self.family.fact[variable.path]) for variable in self.family.undetermined]
        fitting = (*at, *goal.conjuncts)
        answer = self.asking.check(fitting) if self.summary.approximations else None
        if not isinstance(answer, Possible):
            return finding
        return replace(finding, goal=replace(goal, conjuncts=fitting, model=answer.model))

    def difference(self, verdict: Verdict, here: Model, there: Model) -> VerdictReason:
        """Why a question has its verdict for some values, and the other one for others."""
        reach = build.and_(*self.within, self.settling(verdict))
        values = self._values(here)
        return self._depending(verdict, reach, values, self._nearer(reach, values, self._values(there)))

    def _called(self, paths: Iterable[str]) -> list[str]:
        return all_called(paths, name=Words(self.family.interface).called)

    def _left_open(self, finding: Finding, left: Open) -> Finding:
        names = listed(
            self._called([variable.path for variable in self.family.undetermined] or sorted(self.family.assumed))
        )
        why = VerdictReason(ReasonCode.ASSUMED_OPEN, (names, left.reason), left.out_of_time)
        return Finding(Verdict.UNKNOWN, why, summary=finding.summary)

    def _surely_another(self, finding: Finding, reach: Term) -> tuple[Finding, Term] | Open:
        """The finding by a scenario that is not the fact, for a question that varies what is not known of the fact.

        Either something known differs; or there are two scenarios, of which the fact can be one only.
        """
        goal = finding.goal
        assert goal is not None, "a scenario settles it"
        known = self.family.differs_for_sure
        answer = self.asking.check([reach, known])
        if isinstance(answer, Possible):
            # not on the finding's own paths: those may be of a few scenarios that were run
            ask = might if finding.verdict is Verdict.YES else would
            again = ask((*self.within, known), self.encoding, None, self.asking)
            return Open(_MAY_BE) if again.goal is None else (again, build.and_(reach, known))
        if isinstance(answer, Impossible) and not self.family.undetermined:
            scenario = self._scenario(goal.model)
            same = build.all_of(self.family.interface.variable(path).equals(bits) for path, bits in scenario.items())
            answer = self.asking.check([reach, build.not_(same)])
            if isinstance(answer, Possible):
                self.tried.append(self._scenario(answer.model))
                return finding, reach
        return answer if isinstance(answer, Open) else Open(_MAY_BE)

    def _depending(self, verdict: Verdict, reach: Term, here: Values, there: Values) -> VerdictReason:
        matter = [variable for variable in here if here[variable] != there[variable]]
        told = self._boundary(verdict, reach, here, there, *matter) if len(matter) == 1 else ""
        return VerdictReason(ReasonCode.DEPENDS, (listed(self._called(variable.path for variable in matter)), told))

    def _nearer(self, reach: Term, here: Values, there: Values) -> Values:
        """Values for which it is otherwise, that differ from those for which it is so in as little as possible."""
        for variable in here:
            nearer = {**there, variable: here[variable]}
            if nearer == here:
                continue
            terms = [self.family.possible, reach, build.and_(*self.within, self.encoding.unexplored)]
            possible, reached, doubt = self._at(terms, {v.path: bits for v, bits in nearer.items()})
            settled = (isinstance(self.asking.check([term]), Impossible) for term in (reached, doubt))
            if possible is TRUE and all(settled):
                there = nearer
        return there

    def settling(self, verdict: Verdict) -> Term:
        """Where a scenario has the verdict."""
        if verdict is Verdict.YES:
            return self.encoding.shows
        return build.any_of(self.encoding.refutes.values())

    def _values(self, model: Model) -> Values:
        fact = self.family.fact
        return {v: int(model.get(v.symbol, fact[v.path])) for v in self.family.undetermined}

    def _scenario(self, model: Model) -> dict[str, int]:
        """What the question varies, as it is in a model."""
        unknown = {variable.path for variable in self.family.undetermined}
        varied = (v for v in self.family.varying if v.path not in unknown)
        return {v.path: int(model.get(v.symbol, self.family.fact[v.path])) for v in varied}

    def _uncovered(self, reach: Term, possible: Term, start: Model) -> Model | Open | None:
        """Values for which no scenario reaches what settles the question; None: for each there is one."""
        scenarios = [self._scenario(start), *self.tried]
        for _ in range(_MOST):
            covered = [term for scenario in scenarios for term in self._at([reach], scenario)]
            answer = self.asking.check([possible, *(build.not_(each) for each in covered)])
            if not isinstance(answer, Possible):
                self.tried = scenarios
                return answer if isinstance(answer, Open) else None
            here = {v.path: bits for v, bits in self._values(answer.model).items()}
            further = self.asking.check(self._at([reach], here))
            if isinstance(further, Possible):
                scenarios.append(self._scenario(further.model))
                continue
            if isinstance(further, Open):
                return further
            (doubt,) = self._at([build.and_(*self.within, self.encoding.unexplored)], here)
            doubted = Impossible() if doubt is FALSE else self.asking.check([doubt])
            if isinstance(doubted, Impossible):
                return answer.model
            return doubted if isinstance(doubted, Open) else Open("some scenarios were left unexplored")
        return Open(f"{_MOST} scenarios do not settle it for every value")

    def _at(self, terms: Sequence[Term], values: Mapping[str, int]) -> list[Term]:
        """Terms with bits for some inputs; a model's numbers are then those of these values."""
        given = self.family.constants(values)
        mark = f"with {', '.join(f'{path} = {bits:#x}' for path, bits in values.items())}"
        put, made = instances(self.summary.approximations, given, mark)
        self.numbers |= {one.symbol: one for one in made}
        if made:
            self.asking.refine(
                replace(self.summary, approximations=(*self.summary.approximations, *self.numbers.values()))
            )
        return substitute(terms, put)

    # --- where it changes

    def _boundary(self, verdict: Verdict, reach: Term, here: Values, there: Values, variable: Variable) -> str:
        """Where along the one input that matters the answer changes, in words; empty where there is no such place."""
        if isinstance(variable.type, BoolType | EnumType):
            return ""
        others = [each.equals(bits) for each, bits in here.items() if each != variable]
        is_so = self._last_place(variable, here, there, lambda at: self._reached(reach, [*others, at]))
        is_not = self._last_place(variable, there, here, lambda at: self._excluded(reach, [*others, at]))
        if is_so is None or is_not is None:
            return ""
        upwards = is_so > is_not
        first, last = (int(variable.order.value_at(place)) for place in (is_so, is_not))
        says, otherwise = ("yes", "no") if verdict is Verdict.YES else ("no", "yes")
        shown = [show(variable.type, bits) for bits in (first, last)]
        sides = [f"at {each}" for each in shown]
        if self._holds(reach, variable, first, last, upwards=upwards):
            sides = [_side(shown[0], upwards), _side(shown[1], not upwards)]
        between = "" if abs(is_so - is_not) == 1 else "; between them it is not settled"
        return f": {says} {sides[0]}, {otherwise} {sides[1]}{between}"

    def _last_place(
        self, variable: Variable, start: Values, end: Values, still: Callable[[Term], bool | None]
    ) -> int | None:
        """The last place on the way from one value to another at which it is still so; None if that stays open.

        Beside it, it is not so; that need not be the contrary, where the answer hangs on what is not known exactly.
        """
        order = variable.order
        here, there = order.place_of(start[variable]), order.place_of(end[variable])
        while abs(here - there) > 1:
            middle = (here + there) // 2
            answer = still(variable.equals(int(order.value_at(middle))))
            if answer is None:
                return None
            here, there = (middle, there) if answer else (here, middle)
        return here

    def _reached(self, reach: Term, at: Sequence[Term]) -> bool | None:
        """Whether some scenario settles the question at values; None: not settled."""
        answer = self.asking.check([reach, *at])
        return None if isinstance(answer, Open) else isinstance(answer, Possible)

    def _excluded(self, reach: Term, at: Sequence[Term]) -> bool | None:
        """Whether it is proved that no scenario settles the question at values: none of those not known either."""
        for where in (reach, build.and_(*self.within, self.encoding.unexplored)):
            answer = Impossible() if where is FALSE else self.asking.check([where, *at])
            if not isinstance(answer, Impossible):
                return None if isinstance(answer, Open) else False
        return True

    def _holds(self, reach: Term, variable: Variable, first: int, last: int, *, upwards: bool) -> bool:
        """Whether the answer is the same on the whole of either side."""
        kind, value = variable.type, variable.reading
        ends = [constant(kind, bits) for bits in (first, last)]
        if upwards:
            side, rest = domains.at_most(kind, ends[0], value), domains.at_most(kind, value, ends[1])
        else:
            side, rest = domains.at_most(kind, value, ends[0]), domains.at_most(kind, ends[1], value)
        if not self._excluded(reach, [rest]):
            return False
        start = self.asking.check([reach, side])
        if not isinstance(start, Possible):
            return False
        return self._uncovered(reach, build.and_(self.family.possible, side), start.model) is None


def _told(values: Values) -> str:
    return f"for {listed([f'{variable.path} = {variable.amount(bits)}' for variable, bits in values.items()])}"


def _side(end: str, upwards: bool) -> str:
    return f"from {end} on" if upwards else f"up to {end}"
