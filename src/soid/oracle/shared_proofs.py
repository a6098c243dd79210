"""One proof for many moments: a question that is proved over a box of facts is proved of each moment inside.

The inputs that differ from moment to moment are freed together with those that the question frees. The program is
explored once over all of this, and it is proved over the box around the facts that the behavior always occurs, or that
it never does. A box in which a scenario speaks against it is split: moments that this very scenario refutes are left to
be asked alone, the others are parted where it lies. How many proofs are tried is limited by the number of moments.

    facts    speed 3, 5, 9, each with any signal           one exploration: 3 <= speed <= 9, any signal
    proof    fails at speed 7, signal LEFT                 two boxes: 3..5 and 9, one proof each

A proof is used for a question only if it is shown that each of its scenarios lies in the box: inputs that the question
leaves alone have values inside, and what it supposes implies what was supposed there. Whether a family has any
scenario and whether the log fits is looked at for each moment, as for a question asked alone.
"""

from __future__ import annotations

import dataclasses
from collections import deque
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import Any, Final, assert_never, final

from msgspec import Struct
from msgspec.structs import replace

from soid.engine.summary import PathSummary, assuming, is_open
from soid.engine.summary_cache.subsumption import implied
from soid.formula import build
from soid.formula.checker import Impossible, Open, Possible
from soid.formula.passes import evaluate_ordered, flatten_and, free_variables, substitute
from soid.formula.term import Term, postorder
from soid.oracle.answer import Verdict
from soid.oracle.encoding import OTHERWISE, FactualMoment, encode
from soid.oracle.finding import Finding, proved
from soid.oracle.inquiry import Inquiry
from soid.oracle.reason import ReasonCode, VerdictReason
from soid.program import domain as domains
from soid.program.domain import Default, Domain, Range, Values
from soid.program.interface import Interface, Variable
from soid.program.types import BoolType, EnumType, FloatType, IntType, value_order
from soid.query.language.query_printer import to_text
from soid.query.query import Query, QueryKind
from soid.scenario.family import Family
from soid.scenario.future import Future
from soid.scenario.supposition import AnyBits, Anything, Satisfies, freed
from soid.scenario.trace import Keyframe

#: moments for each proof that is tried, after the first few
_PER_PROOF: Final = 20
_FIRST: Final = 6
#: the share of a question's time, and seconds, for exploring over all facts and for one proof
_SHARE: Final = 0.5
_EXPLORING: Final = 20.0
_PROVING: Final = 2.0
#: scenarios that are kept: some for each question
_SCENARIOS: Final = 12
#: values of a label or a bool are listed, those of a number are a range
_LISTED: Final = 64

#: explores the program over some states
Explore = Callable[[Mapping[str, int], Term, Query, Inquiry], PathSummary]


@final
class _FactBox(Struct, frozen=True):
    """Moments, and the box around their facts."""

    moments: tuple[Keyframe, ...]
    box: Mapping[str, Domain]


@final
class _Claim(Struct):
    """That the behavior always occurs, or never, and where that is proved."""

    against: Term  # the states that speak against it
    open: list[_FactBox]  # not tried yet
    left: int  # proofs that may be tried
    proved: list[_FactBox] = []


@final
class _Ground(Struct):
    """A question over all facts."""

    fixed: Mapping[str, int]  # bits of the inputs that are the same everywhere
    precondition: Term
    summary: PathSummary
    differing: Mapping[str, Variable]  # the inputs that the facts differ in, and that are not supposed
    whole: _FactBox
    always: _Claim
    never: _Claim


@final
class KeptScenarios:
    """What was lately varied to a scenario: mostly one of another moment will do here too."""

    def __init__(self) -> None:
        self._latest: deque[Mapping[Term, bool | int]] = deque(maxlen=_SCENARIOS)

    def keep(self, model: Mapping[Term, bool | int], left: Mapping[Term, int]) -> None:
        self._latest.appendleft({symbol: value for symbol, value in model.items() if symbol not in left})

    def satisfying(self, conjuncts: Sequence[Term], left: Mapping[Term, int]) -> Possible | None:
        """One that satisfies conditions; what a question leaves as it was has its factual value."""
        order = postorder(conjuncts) if self._latest else []
        symbols = {term for term in order if term.is_var}
        for varied in list(self._latest):
            values = {**left, **varied}
            if not symbols <= values.keys():
                continue
            known = evaluate_ordered(order, values)
            if all(known[each] for each in conjuncts):
                self._latest.remove(varied)
                self._latest.appendleft(varied)
                return Possible({symbol: values[symbol] for symbol in symbols})
        return None


@final
class SharedProofs:
    """The proofs that some moments share."""

    def __init__(self, moments: Sequence[Keyframe]) -> None:
        self._moments = moments
        self._grounds: dict[object, _Ground | None] = {}
        self.scenarios = KeptScenarios()
        self._implied: set[tuple[Term, Term]] = set()  # of conditions on states: the second follows from the first
        self.inhabitants: dict[Hashable, Possible | Finding] = {}  # of families: a scenario, or why there is none

    def finding(
        self, query: Query, family: Family, facts: FactualMoment, asking: Inquiry, explore: Explore
    ) -> Finding | None:
        """The finding of a question whose behavior always occurs in a family that has a scenario, or never does.

        None: neither is proved here.
        """
        ground = self._ground_of(query, family, facts, asking, explore)
        if ground is None:
            return None
        is_would = query.kind is QueryKind.WOULD
        own, other = (ground.always, ground.never) if is_would else (ground.never, ground.always)
        if self._holds(own, ground, family, asking):
            return proved(query.kind, ground.summary)
        if not self._holds(other, ground, family, asking) or not _has_one_for_every_value(family):
            return None
        verdict, code = (Verdict.NO, ReasonCode.DECIDES_OTHERWISE) if is_would else (Verdict.YES, ReasonCode.DOES)
        throughout = VerdictReason(ReasonCode.NEVER if is_would else ReasonCode.ALWAYS)
        return Finding(verdict, VerdictReason(code), summary=ground.summary, throughout=throughout)

    def paths(self, query: Query, family: Family, facts: FactualMoment, asking: Inquiry) -> PathSummary | None:
        """The program's paths in a family, of those over all facts; None: they are not known."""
        ground = self._ground_of(query, family, facts, asking)
        if ground is None or not self._is_inside(family, ground, ground.whole, asking):
            return None
        given = {path: bits for path, bits in family.given.items() if path not in ground.fixed}
        paths = tuple(assuming(ground.summary.paths, family.constants(given)))
        return None if any(is_open(path.ending) for path in paths) else replace(ground.summary, paths=paths)

    def _ground_of(
        self, query: Query, family: Family, facts: FactualMoment, asking: Inquiry, explore: Explore | None = None
    ) -> _Ground | None:
        """The question over all facts, if that is about this family too; without `explore`, if it was made before."""
        if len(self._moments) < 2 or not _is_plain(query, family.interface) or facts.environments or facts.acts:
            return None
        read = {name: facts.outputs.get(name, facts.inputs.get(name)) for name in query.behavior.facts}
        key = to_text(query), tuple(sorted(read.items()))
        if key not in self._grounds and explore is not None:
            self._grounds[key] = self._ground(query, facts, read, asking, explore)
        ground = self._grounds.get(key)
        if ground is None or any(family.given.get(path) != bits for path, bits in ground.fixed.items()):
            return None
        return ground

    def _holds(self, claim: _Claim, ground: _Ground, family: Family, asking: Inquiry) -> bool:
        """Whether a claim is proved for a family; proofs over the groups that it lies in are tried."""
        if any(self._is_inside(family, ground, group, asking) for group in reversed(claim.proved)):
            asking.settled_by[BY] += 1
            return True
        while claim.left > 0 and not asking.direct.is_over:
            group = next((each for each in claim.open if self._is_inside(family, ground, each, asking)), None)
            if group is None:
                return False
            claim.left -= 1
            claim.open.remove(group)
            inside = (_between(ground.differing[path], domain) for path, domain in group.box.items())
            with asking.within(_SHARE, _PROVING):
                answer = asking.check([ground.precondition, *inside, claim.against])
            match answer:
                case Impossible():
                    claim.proved.append(group)
                    asking.settled_by[BY] += 1
                    return True
                case Possible(model):
                    claim.open += self._parted(claim, ground, group, model)
                case Open():
                    claim.open += self._halves(ground, group)
                case _:
                    assert_never(answer)
        return False

    def _is_inside(self, family: Family, ground: _Ground, group: _FactBox, asking: Inquiry) -> bool:
        """Whether every scenario of a family is a state of the box: seen from its values, or from its ranges."""
        within = set(flatten_and([family.scenarios[0]]))
        loose, seen = [], []
        for path, domain in group.box.items():
            variable = ground.differing[path]
            kind = variable.type
            if path in family.given:
                if not domains.contains(kind, domain, family.given[path]):
                    return False
                continue
            own = family.interface.variable(path).domain
            is_ranging = isinstance(own, Range) and set(flatten_and([_between(variable, own)])) <= within
            if not (is_ranging and isinstance(own, Range) and _spans(variable, domain, own)):
                loose.append(_between(variable, domain))
            elif _spans(variable, variable.domain, own):
                seen.append(_between(variable, variable.domain))
        values = family.constants({path: bits for path, bits in family.given.items() if path not in ground.fixed})
        supposed = substitute([build.and_(ground.precondition, *loose)], values)[0]
        known = build.and_(family.scenarios[0], *seen), supposed
        if known not in self._implied and implied(*known, asking.check):
            self._implied.add(known)
        return known in self._implied

    def _parted(self, claim: _Claim, ground: _Ground, group: _FactBox, model: Mapping[Term, Any]) -> Iterator[_FactBox]:
        """The moments that a scenario of the box does not refute, on both sides of where it lies."""
        own = {variable.symbol for variable in ground.differing.values()}
        free = {symbol: value for symbol, value in model.items() if symbol not in own}
        left = _unrefuted(claim.against, ground.precondition, group.moments, free)
        if len(left) < len(group.moments):
            return self._grouped(ground, left)
        return self._halves(ground, group, model)

    def _halves(self, ground: _Ground, group: _FactBox, model: Mapping[Term, Any] | None = None) -> Iterator[_FactBox]:
        """The moments on both sides of a value of one input, such that the sides are as even as may be."""
        best: tuple[int, list[Keyframe], list[Keyframe]] | None = None
        for path, variable in ground.differing.items():
            order = value_order(variable.type)
            places = sorted(order.place_of(moment.inputs[path]) for moment in group.moments)
            at = places[len(places) // 2]
            if model is not None and variable.symbol in model:
                at = order.place_of(int(model[variable.symbol]))
            low = [moment for moment in group.moments if order.place_of(moment.inputs[path]) < at]
            high = [moment for moment in group.moments if order.place_of(moment.inputs[path]) >= at]
            smaller = min(len(low), len(high))
            if smaller and (best is None or smaller > best[0]):
                best = smaller, low, high
        for side in best[1:] if best is not None else ():
            yield from self._grouped(ground, side)

    def _grouped(self, ground: _Ground, moments: Sequence[Keyframe]) -> Iterator[_FactBox]:
        if moments:
            yield _FactBox(tuple(moments), _box(moments, ground.differing))

    def _ground(
        self,
        query: Query,
        facts: FactualMoment,
        read: Mapping[str, int | None],
        asking: Inquiry,
        explore: Explore,
    ) -> _Ground | None:
        """The states around all moments whose fact has the values that the behavior reads of it."""
        moments = [moment for moment in self._moments if _may_have(moment, read)]
        if len(moments) < 2:
            return None
        differing = _differing(moments)
        if any(variable.path in query.behavior.facts for variable in differing):
            return None
        supposed = freed(moments[0].interface, query.suppositions)
        more = tuple(Anything(variable.path) for variable in differing if variable.path not in supposed)
        exact = dataclasses.replace(moments[0], rounded={}, unlogged=(), derived={}, fitting=build.TRUE)
        wide = replace(query, suppositions=(*query.suppositions, *more)).course(exact).family()
        where = build.and_(wide.scenarios[0], *(_between(v, d) for v, d in self._around(differing, moments, supposed)))
        with asking.within(_SHARE, _EXPLORING):
            summary = explore(wide.given, where, query, asking)
        if summary.approximations:
            return None
        encoding = encode(summary, query.behavior, replace(facts, fixed=wide.given))
        own = {variable.path: variable for variable in differing if variable.path not in supposed}
        failing = (states for what, states in encoding.refutes.items() if what != OTHERWISE)
        against_always = build.or_(*encoding.refutes.values(), encoding.open_refutes)
        against_never = build.or_(encoding.shows, encoding.open_shows, encoding.unexplored, *failing)
        most = _FIRST + len(moments) // _PER_PROOF
        claims = (_Claim(against, [], most) for against in (against_always, against_never))
        whole = _FactBox(tuple(moments), _box(moments, own))
        ground = _Ground(wide.given, wide.scenarios[0], summary, own, whole, *claims)
        for claim in (ground.always, ground.never):
            left = _unrefuted(claim.against, ground.precondition, moments)
            claim.open += self._grouped(ground, left)
        return ground

    def _around(
        self, differing: Sequence[Variable], moments: Sequence[Keyframe], supposed: Sequence[str]
    ) -> Iterator[tuple[Variable, Domain]]:
        own = {variable.path: variable for variable in differing if variable.path not in supposed}
        return ((own[path], domain) for path, domain in _box(moments, own).items())


#: the name in `settled_by` of what a proof over several moments has settled
BY: Final = "shared"


def _unrefuted(
    against: Term, precondition: Term, moments: Sequence[Keyframe], free: Mapping[Term, Any] | None = None
) -> list[Keyframe]:
    """The moments at which no scenario is known that speaks against a claim: the fact, or with other values, those."""
    order = postorder([precondition, against])
    symbols = [term for term in order if term.is_var]
    paths = {variable.symbol: variable.path for variable in moments[0].interface.inputs}
    if any(symbol not in paths for symbol in symbols):
        return list(moments)
    left = []
    for moment in moments:
        values = {symbol: moment.inputs[paths[symbol]] for symbol in symbols} | dict(free or {})
        known = evaluate_ordered(order, values)
        if not (known[precondition] and known[against]):
            left.append(moment)
    return left


def _has_one_for_every_value(family: Family) -> bool:
    """Whether a family with a scenario has one for every value of what is not known: nothing is supposed of that."""
    unknown = {family.interface.variable(path).symbol for path in family.assumed}
    if family.assumed.intersection(family.supposed):
        return False
    of_each = (free_variables([conjunct]) for conjunct in flatten_and([family.scenarios[0]]))
    return all(symbols <= unknown or not symbols & unknown for symbols in of_each)


def _is_plain(query: Query, interface: Interface) -> bool:
    """Whether it is a question about one step that supposes the same at every moment, and about no world."""
    is_single = query.period.count == 1 and query.period.future in (None, Future.HELD) and query.lives is None
    same = all(isinstance(each, Anything | AnyBits | Satisfies) for each in query.suppositions)
    of_world = query.behavior.names & (interface.events | interface.produced)
    return query.kind is not QueryKind.DID and is_single and same and not of_world


def _may_have(moment: Keyframe, read: Mapping[str, int | None]) -> bool:
    """Whether the fact of a moment may have these values, as far as they are logged."""
    logged = {**moment.inputs, **moment.decisions}
    return all(logged.get(name, bits) == bits for name, bits in read.items())


def _differing(moments: Sequence[Keyframe]) -> list[Variable]:
    """The inputs that are not the same, or not known to be, at all moments."""
    first = moments[0].inputs
    unsure = {path for moment in moments for path in (*moment.rounded, *moment.assumed)}
    return [
        variable
        for variable in moments[0].interface.inputs
        if variable.path in unsure or any(moment.inputs[variable.path] != first[variable.path] for moment in moments)
    ]


def _box(moments: Sequence[Keyframe], differing: Mapping[str, Variable]) -> dict[str, Domain]:
    """The least box around the facts, rounding included; an input that is not known has its whole domain."""
    box: dict[str, Domain] = {}
    for path, variable in differing.items():
        if any(path in moment.assumed for moment in moments):
            box[path] = variable.domain
            continue
        bits = {moment.inputs[path] for moment in moments}
        if isinstance(variable.type, BoolType | EnumType) and len(bits) <= _LISTED:
            box[path] = Values(tuple(sorted(bits)))
            continue
        ranges = [moment.rounded.get(path, Range(moment.inputs[path], moment.inputs[path])) for moment in moments]
        place = value_order(variable.type).place_of
        box[path] = Range(min((each.low for each in ranges), key=place), max((each.high for each in ranges), key=place))
    return box


def _between(variable: Variable, domain: Domain) -> Term:
    return domains.formula(variable.type, domain, variable.symbol)


def _spans(variable: Variable, domain: Domain, own: Range) -> bool:
    """Whether all of a range lies in a domain that has no holes."""
    is_whole = isinstance(domain, Range) or (
        isinstance(domain, Default) and isinstance(variable.type, FloatType | IntType)
    )
    return is_whole and all(domains.contains(variable.type, domain, end) for end in (own.low, own.high))
