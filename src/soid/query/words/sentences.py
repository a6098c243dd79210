"""A query as one plain sentence, made of labels, phrases and units: no path, no operator.

    would action == CANCEL if error and closed is anything and heat is anything

reads "Would it always choose CANCEL as the action, had the error light been true, whatever the door and the heater had
been?". The text of the question stands beside it wherever somebody may want to know exactly.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Mapping
from typing import assert_never

from soid.program.interface import Interface, Role
from soid.program.types import BoolType
from soid.query.lives import LifeRelation, Lives, Trend, of_one_life
from soid.query.query import Query, QueryKind
from soid.query.steps import Over, Steps
from soid.query.words.condition_words import ConditionWords, joins
from soid.query.words.deeds import Deeds
from soid.query.words.event_words import Happening, event_sentence, happening, speaks_of_events
from soid.query.words.lists import listed
from soid.query.words.readable_numbers import with_unit
from soid.query.words.variable_names import VariableNames
from soid.scenario import expression as ex
from soid.scenario.expression import Comparison, Expression
from soid.scenario.future import Future
from soid.scenario.input_names import mark_told
from soid.scenario.supposition import (
    AnyBits,
    Anything,
    During,
    Keep,
    Satisfies,
    Supposition,
    Within,
    mentioned,
)
from soid.scenario.trace import Trace
from soid.scenario.written_step import WrittenStep, WrittenTime, step_text

_OPENING = {QueryKind.DID: "Did {}", QueryKind.WOULD: "Would {} always", QueryKind.MIGHT: "Might {} ever"}

_STEPS = {Over.AFTER: "in the last of", Over.WITHIN: "at least once in", Over.THROUGHOUT: "in each of"}

#: after "not" and "never": what is not done at least once is done in none of the steps
_DENIED_STEPS = {Over.AFTER: "in the last of", Over.WITHIN: "in any of"}

#: in which steps something is done if it is not so that it is left undone in these
_UNDONE_STEPS = {Over.AFTER: "in the last of", Over.WITHIN: "in each of", Over.THROUGHOUT: "at least once in"}

#: what is perceived after the first step, where nothing else is supposed
_GOING_ON = {
    Future.AS_LOGGED: "with everything else as it was recorded afterwards",
    Future.HELD: "with all that it perceives staying as at that moment",
    Future.CLOSED_LOOP: "with the world going on from what is decided",
    Future.ANYTHING: "whatever it had perceived afterwards",
}

#: what a truth does that rises, or falls, and of one that does not
_GAINED = ("goes from false to true", "does not go from false to true")
_LOST = ("goes from true to false", "does not go from true to false")

#: the name of a variable that is no word of a sentence, or one with its value: `a.gap`, `*gap`, `move = true`
_PATH = re.compile(
    r"""(?<![\w.*])
    (?P<path>\*\w+ | [^\W\d]\w*(?:\[\d+\]|\.[^\W\d]\w*|_\w+)+ | [^\W\d]\w*(?='?\ =))
    (?P<prime>')?(?![\w\[])(?P<is>\ =)?""",
    re.VERBOSE,
)

#: for suppositions that only name a variable
_PHRASES = ((Anything, "whatever {} had been"), (AnyBits, "whatever bits {} had held"), (Keep, "with {} as in fact"))


def sentence(query: Query, interface: Interface, *, log: Trace | None = None) -> str:
    """The question in words. Steps are named with their times in the log, if it is given."""
    return Words(interface, log=log).sentence(query)


class Words:
    """Describes queries about one interface in words.

    One of several programs is told of by its name, unless it is told of `alone`: then it is "it".
    """

    def __init__(self, interface: Interface, *, log: Trace | None = None, alone: bool = False) -> None:
        self._interface = interface
        self._log = log
        self._alone = alone
        self._names = VariableNames(interface)
        self._deeds = Deeds(interface, self._names)
        self._conditions = ConditionWords(interface, self._names, in_a_call=False)

    def called(self, path: str) -> str:
        """A variable in words. An input of later steps (`pilot@231`) is its variable, and its steps."""
        return self._names.called(path)

    def spoken(self, text: str) -> str:
        """A text about variables, with each one that it names by its path in words: "the gap is 3" for `a.gap = 3`."""

        def word(found: re.Match[str]) -> str:
            path = found["path"]
            value = (" after the call" if found["prime"] else "") + (" is" if found["is"] else "")
            life, _, twin = path.partition(".")  # in a pair the second life has its name before its variables
            if path not in self._interface:
                return f"{self.called(twin)} of the {life}{value}" if twin in self._interface else found[0]
            return f"{self.called(path)}{value}"

        return _PATH.sub(word, text)

    # --- questions and what is found --------------------------------------------------------------------------

    def sentence(self, query: Query) -> str:
        if query.lives is not None:
            return Words(of_one_life(self._interface), log=self._log).pairs(query.kind, query.lives)
        events = self.events(query)
        asked = self._asked(query) if events is None else events.question(query.kind)
        return ", ".join([asked, *self.supposed(query)]) + "?"

    def because(self, happened: Query, suppositions: tuple[Supposition, ...]) -> str:
        """Whether this was why: "Did it drive on because the other car's signal was RIGHT?"."""
        said = [text for each in suppositions if (text := self._had(each, lasts=False, copula="was"))]
        did = self.sentence(happened).removesuffix("?")
        others = [each for each in suppositions if not isinstance(each, Satisfies)]
        return ", ".join([f"{did} because {listed(said)}", *self.family(tuple(others))]) + "?"

    def causing(self, happened: Query, paths: Iterable[str]) -> str:
        """What the causes were: "Did it drive on, and what caused it, among the other car's x and its signal?"."""
        did = self.sentence(happened).removesuffix("?")
        return f"{did}, and what caused it, among {listed(map(self.called, paths))}?"

    def _asked(self, query: Query) -> str:
        subject = self.subject(query)
        if query.kind is QueryKind.WOULD and (denied := self._denied(query)):
            return f"Would {subject} never {denied}"
        return f"{_OPENING[query.kind].format(subject)} {self.doing(query)}"

    def events(self, query: Query) -> Happening | None:
        """What a question says of events; None if it speaks of none."""
        return happening(query, self._interface, self._deeds.compared)

    def is_told_as_so(self, query: Query) -> bool:
        """Whether it is told that a behavior is so, where "it does" would be read as what the question denies.

        Nothing does an event either, and how a program ends is no decision.
        """
        behavior = query.behavior
        denies = behavior.speaks_of_endings or self._deeds.denies(behavior.expression)
        return denies or speaks_of_events(behavior.expression, self._interface)

    def did(self, query: Query, *, occurs: bool, decided: bool = True) -> str:
        """What was so in fact: "it did not drive on". `decided`: where the behavior does not occur, its denial does."""
        events = self.events(query)
        if events is not None:
            return events.did(occurs=occurs)
        if not occurs and not decided and not self._can_be_denied(query):
            return f"it is not so that {self.subject(query)} did {self.doing(query)}"
        return f"{self.subject(query)} did {self._done(query, occurs=occurs)}"

    def would(self, query: Query, *, occurs: bool, begins: bool = True) -> str:
        """What is so in one scenario: "It would not drive on"; `begins`: it is the beginning of a sentence."""
        events, opening = self.events(query), self.opening(query) if begins else self.subject(query)
        return f"{opening} would {self._done(query, occurs=occurs) if events is None else events.would(occurs=occurs)}"

    def always(self, query: Query, *, occurs: bool) -> str:
        """What is so in every scenario, or in none: "It would never drive on"."""
        events = self.events(query)
        if events is not None:
            return events.always(occurs=occurs)
        opening = f"{self.opening(query)} would"
        if occurs:
            denied = self._denied(query)
            return f"{opening} never {denied}" if denied else f"{opening} always {self.doing(query)}"
        return self._never(query, opening)

    def _never(self, query: Query, opening: str) -> str:
        """What is so in no scenario. That something is never left undone is said as what is done.

        A program that fails does neither, so it is said of the scenarios in which it comes to a decision. One that
        never comes to a decision, or never fails to come to one, is told as it is.
        """
        behavior, several = query.behavior, query.period.count > 1
        undone = "" if behavior.is_partial else self._deeds.undone(behavior.expression)
        if undone and not behavior.speaks_of_endings:
            done = _timed(undone, query.period, _UNDONE_STEPS)
            return f"{opening} {done} wherever it comes to a decision{' in all of them' * several}"
        if undone and not several:
            return f"{opening} always {undone}"
        if self._can_be_denied(query):
            return f"{opening} never {self.doing(query, _DENIED_STEPS)}"
        return f"In no scenario would {self.subject(query)} {self.doing(query)}"

    def _can_be_denied(self, query: Query) -> bool:
        """Whether its words mean what they say after "not": "not drive on in each of 5 steps" might say it of each."""
        whole = query.period.count > 1 and query.period.over is Over.THROUGHOUT
        return not whole and not self._deeds.denies(query.behavior.expression)

    def of_all(self, query: Query, *, occurs: bool) -> str:
        """The same with what is supposed: "It would never drive on, whatever the other car's signal had been"."""
        if query.lives is not None:
            return Words(of_one_life(self._interface)).of_pairs(query.lives, occurs=occurs)
        lasts = query.future is Future.AS_LOGGED and query.period.count > 1
        return ", ".join([self.always(query, occurs=occurs), *self.family(query.suppositions, lasts=lasts)])

    def _done(self, query: Query, *, occurs: bool) -> str:
        """What is done or not done in one scenario that comes to a decision: there what is not left undone is done."""
        if occurs:
            return self.doing(query)
        period, undone = query.period, self._deeds.undone(query.behavior.expression)
        if undone:
            return _timed(undone, period, _UNDONE_STEPS)
        if self._can_be_denied(query):
            return f"not {self.doing(query, _DENIED_STEPS)}"
        done = self._deeds.deed(query.behavior.expression, inner=True)
        return f"{_STEPS[Over.WITHIN]} {period.count} steps not {done}"

    def _denied(self, query: Query) -> str:
        """What never happens, where a question asks whether it is never done; empty if it does not."""
        denied, period = self._deeds.denied(query.behavior.expression), query.period
        if not denied or period.count == 1:
            return denied
        if period.over is Over.WITHIN:  # that it is left undone at least once
            return ""
        return _timed(denied, period, {**_STEPS, Over.THROUGHOUT: "in any of"})

    def decided(
        self, values: Mapping[str, int], *, verb: str = "decides", derived: Container[str] = (), alone: bool = False
    ) -> str:
        """What is decided by values of decisions: "it decides to drive on"; those that are `derived` are marked.

        What one of several programs decides is told with its name, unless it is told of `alone`.
        """
        return self._deeds.choices(values, verb=verb, derived=derived, alone=alone)

    def opening(self, query: Query) -> str:
        """The subject at the beginning of a sentence; the name of a program stays as it is written."""
        subject = self.subject(query)
        return "It" if subject == "it" else subject

    def subject(self, query: Query) -> str:
        """Whose behavior it is: "it", or the one of several programs that is meant."""
        named = self._deeds.programs(query.behavior.expression)
        if speaks_of_events(query.behavior.expression, self._interface):
            return "it"
        if not named and query.behavior.speaks_of_endings:
            named = list(self._interface.programs[:1])  # how the first one ends
        return named[0] if len(named) == 1 and not self._alone else "it"

    def doing(self, query: Query, steps: Mapping[Over, str] = _STEPS) -> str:
        """The behavior with its steps: "drive on in each of 5 steps".

        Where it is a denial, the words do not read as the denial of what is done in these steps.
        """
        formula, period = query.behavior.expression, query.period
        # "not stay and brake" might be read as: it does not stay, and it brakes
        denied_whole = steps is _DENIED_STEPS and isinstance(formula, ex.And)
        done = self._deeds.deed(formula, inner=period.count > 1 or denied_whole)
        if period.count > 1 and self._deeds.denies(formula):
            if period.over is Over.WITHIN:
                return f"{_STEPS[Over.WITHIN]} {period.count} steps {done}"
            if period.over is Over.THROUGHOUT and (denied := self._deeds.denied(formula)):
                return f"{denied} in none of {period.count} steps"
        return _timed(done, period, steps)

    def whether(self, query: Query) -> str:
        """The behavior as a clause, after "whether": "it decides to drive on"."""
        return self._deeds.decides(query.behavior.expression)

    def speaks_of(self, query: Query) -> str:
        """What a behavior is about, as a clause: "the limit is more than 5 EUR"."""
        return self._deeds.clause(query.behavior.expression)

    # --- pairs ------------------------------------------------------------------------------------------------

    def pairs(self, kind: QueryKind, lives: Lives) -> str:
        """A question about pairs: "If only sex differs, does it always hold that risk is the same, for every one?"."""
        outcome, changes, population = self.lives(lives)
        every = f"for {'every' if kind is QueryKind.WOULD else 'any'} {lives.called}{population}"
        asked = "does it always hold" if kind is QueryKind.WOULD else "does it ever happen"
        return f"If only {changes}, {asked} that {outcome}, {every}?"

    def of_pairs(self, lives: Lives, *, occurs: bool) -> str:
        """What is found of all pairs: "For no case is it so that, if only the age rises, the limit does not fall"."""
        outcome, changes, population = self.lives(lives)
        every = f"For every {lives.called}{population} it is" if occurs else f"For no {lives.called}{population} is it"
        return f"{every} so that, if only {changes}, {outcome}"

    def lives(self, lives: Lives) -> tuple[str, str, str]:
        """What becomes of the outcomes, what changes, and of which cases: " with the age being between 18 and 90"."""
        outcome = listed(self.relation(each, "is another one") for each in lives.outcome)
        changes = self._changes(lives.changes)
        kept = [self.called(each.path) for each in lives.population if isinstance(each, Keep)]
        told = [text for each in lives.population if (text := self._had(each, lasts=False, copula="being"))]
        told += [f"{listed(kept)} being as in fact"] if kept else []
        population = f" with {listed(told)}" if told else ""
        return outcome, changes, population

    def _changes(self, changes: tuple[LifeRelation, ...]) -> str:
        """What two lives differ in: "the sex and the gap differ", "the income rises"."""
        if len(changes) > 1 and all(each.way is Trend.DIFFERENT and not each.denied for each in changes):
            return f"{listed(self.called(each.path) for each in changes)} differ"
        return listed(self.relation(each, "differs") for each in changes)

    def relation(self, relation: LifeRelation, differs: str) -> str:
        """How one variable compares between two lives: "the limit does not fall"."""
        known = self._conditions.known(relation.path)
        is_truth = known is not None and isinstance(known.type, BoolType)
        words = {
            Trend.SAME: ("is the same", "is not the same"),
            Trend.DIFFERENT: (differs, "is the same"),
            Trend.HIGHER: _GAINED if is_truth else ("rises", "does not rise"),
            Trend.LOWER: _LOST if is_truth else ("falls", "does not fall"),
            Trend.NEAR: ("differs by at most", "differs by more than"),
        }[relation.way][relation.denied]
        told = f"{self.called(relation.path)}{' after the call' if relation.primed else ''} {words}"
        if relation.way is not Trend.NEAR:
            return told
        distance = with_unit(relation.distance, known.unit if known is not None else "")
        return f"{told} {f'{relation.distance} percent' if relation.percent else distance}"

    # --- suppositions -----------------------------------------------------------------------------------------

    def supposed(self, query: Query) -> list[str]:
        """The suppositions and, over several steps, what is perceived besides: one phrase for each kind."""
        future = query.period.future if query.period.count > 1 else None
        phrases = self.family(query.suppositions, lasts=future is Future.AS_LOGGED)
        return phrases if future is None else [*phrases, _GOING_ON[future]]

    def family(self, suppositions: tuple[Supposition, ...], *, lasts: bool = False) -> list[str]:
        """The suppositions, one phrase for each kind and time. `lasts`: what is supposed of perceptions goes on."""
        acts = [each for each in suppositions if self._is_act(each)]
        suppositions = tuple(each for each in suppositions if each not in acts)
        said = [text for each in suppositions if (text := self._had(each, lasts=lasts))]
        phrases = [f"had {listed(said)}"] if said else []
        phrases += map(self._acted, acts)
        for kind, phrase in _PHRASES:
            by_time: dict[str, list[str]] = {}
            for each in suppositions:
                supposed = each.supposed if isinstance(each, During) else each
                if isinstance(supposed, kind):
                    when = "" if isinstance(supposed, Keep) else self._when(each, lasts=lasts)
                    by_time.setdefault(when, []).append(self.called(supposed.path))
            phrases += [phrase.format(listed(called)) + when for when, called in by_time.items()]
        return phrases

    def _is_act(self, supposition: Supposition) -> bool:
        """Whether it says what is done in the place of a decision."""
        return bool(self._interface.acted) and any(not v.is_input for v in mentioned(self._interface, supposition))

    def acted(self, path: str, amount: str) -> str:
        """What is done in one scenario in the place of a decision, after "had": an input of some steps (`move@3`)."""
        decision, _, steps = path.partition("@")
        acting = self._interface.program_of(decision) or "it"
        return f"{acting} acted with {self.called(decision)} being {amount} {mark_told(steps)}, whatever it decided"

    def _acted(self, supposition: Supposition) -> str:
        """What is done in the place of a decision: "had it acted with move being 1 at step 3, whatever it decided"."""
        decisions = (v.path for v in mentioned(self._interface, supposition) if not v.is_input)
        programs = dict.fromkeys(self._interface.program_of(path) or "it" for path in decisions)
        acting, when = listed(programs), self._when(supposition, lasts=False)
        decided = f"whatever {'it' if len(programs) == 1 else 'they'} decided"
        match supposition.supposed if isinstance(supposition, During) else supposition:
            case Satisfies(formula):
                return f"had {acting} acted with {self._said(formula, 'being')}{when}, {decided}"
            case Anything(path) | AnyBits(path) | Keep(path) | Within(path):
                return f"whatever {self.called(path)} {acting} had acted with{when}, in the place of a decision"
            case unreachable:
                assert_never(unreachable)

    def _when(self, supposition: Supposition, *, lasts: bool) -> str:
        """The steps of what is supposed, in words."""
        same = "" if self._is_one_value(supposition) else ", always the same"
        if isinstance(supposition, During) and supposition.until is not None:
            return f" {self.until(supposition, supposition.until)}{same}"
        if isinstance(supposition, During):
            return f" {self._span(supposition)}{same if supposition.last != supposition.first else ''}"
        known = mentioned(self._interface, supposition) if lasts else ()
        later = [self.called(v.path) for v in known if v.role is Role.ENVIRONMENT]
        if not later:
            return ""
        return f" from then on{same}" if len(later) == len(known) else f" at first, {listed(later)} staying so"

    def _span(self, supposition: During) -> str:
        """The steps of what is supposed: "from step 230 (46 s) on", "at step 231", "up to step 240"."""
        first, last = (None if each is None else self._step(each) for each in (supposition.first, supposition.last))
        if first is None or first == last:
            return f"up to {last}" if first is None else f"at {first}"
        return f"from {first} on" if last is None else f"from {first} to {last}"

    def _step(self, step: WrittenStep) -> str:
        """A step in words, with its time if the log has one."""
        if isinstance(step, WrittenTime):
            return step.text.removeprefix("@")
        found = self._log.step(step) if self._log is not None else None
        return step_text(step) if found is None or found.when is None else f"step {step} ({found.when.short})"

    def until(self, supposition: During, condition: Expression) -> str:
        """The time of what is supposed until something: "from step 230 until it decides to land"."""
        begins = f"from {self._step(supposition.first)} " if supposition.first is not None else ""
        if speaks_of_events(condition, self._interface):
            return f"{begins}until it is so that {event_sentence(condition, self._interface, self._deeds.compared)}"
        return f"{begins}until {self._deeds.decides(condition)}"

    def _is_one_value(self, supposition: Supposition) -> bool:
        """Whether a supposition leaves its variable one value."""
        supposed = supposition.supposed if isinstance(supposition, During) else supposition
        match supposed:
            case Satisfies(ex.Name() | ex.Not(ex.Name()) | ex.Identical()):
                return True
            case Satisfies(ex.Compare(ex.Name() | ex.Characters(), ((Comparison.EQ, value),))):
                return self._conditions.is_constant(value)
            case _:
                return False

    def _had(self, supposition: Supposition, *, lasts: bool, copula: str = "been") -> str:
        """The words after "had": "the error light been true"."""
        match supposition.supposed if isinstance(supposition, During) else supposition:
            case Within(path) as near:
                return f"{self.called(path)} {copula} {self._near(near)}{self._when(supposition, lasts=lasts)}"
            case Satisfies(formula):
                return f"{self._said(formula, copula)}{self._when(supposition, lasts=lasts)}"
            case _:
                return ""

    def _said(self, formula: Expression, copula: str) -> str:
        """A formula that is supposed: "the speed been at least 5 m/s", "it been so that either ... or ..."."""
        if isinstance(formula, ex.Not) and (joins(formula) or isinstance(formula.operand, ex.SmtLib)):
            return f"it not {copula} so that {self._conditions.clause(formula.operand, 'was', inner=True)}"
        if joins(formula) or isinstance(formula, ex.SmtLib):
            return f"it {copula} so that {self._conditions.clause(formula, 'was', inner=True)}"
        return self._conditions.clause(formula, copula)

    def clause(self, supposition: Supposition) -> str:
        """A supposition as a clause: "the speed is at least 5 m/s"; empty for one that only names a variable."""
        return self._had(supposition, lasts=False, copula="is")

    def _near(self, near: Within) -> str:
        """A distance in words that are not taken for each other: a share of what it was, and points of a percentage."""
        if near.share is not None:
            return f"at most {near.share} percent more or less than it was"
        variable = self._conditions.known(near.path)
        unit = variable.unit if variable is not None else ""
        distance = f"{near.distance} percentage points" if unit == "%" else with_unit(near.distance, unit)
        return f"within {distance} of what it was"


def _timed(done: str, period: Steps, steps: Mapping[Over, str]) -> str:
    """A deed with its steps: "drive on in each of 5 steps"."""
    return f"{done} {steps[period.over]} {period.count} steps" if period.count > 1 else done
