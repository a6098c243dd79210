"""A query as one plain sentence, with the program's own names.

    would action == CANCEL if error and closed is anything and heat is anything

reads "Would it always decide action == CANCEL, had error been true, whatever closed and heat had been?". A number is
rounded to the type of the variable that it is compared with, and has the variable's unit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import assert_never

from msgspec.structs import replace

from soid.program.interface import Interface, Role, Variable
from soid.program.product_interface import is_failure
from soid.program.types import BoolType, FloatType, missing_value, parse, show
from soid.query.event_words import Happening, event_sentence, happening, speaks_of_events
from soid.query.lives import LifeRelation, Lives, Trend
from soid.query.query import Query, QueryKind
from soid.query.steps import Over
from soid.scenario import expression as ex
from soid.scenario.expression import Comparison, Expression, walk
from soid.scenario.expression_text import expression_text, path_text
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
    supposition_text,
)
from soid.scenario.trace import Trace
from soid.scenario.written_step import WrittenStep, step_text

_OPENING = {QueryKind.DID: "Did {}", QueryKind.WOULD: "Would {} always", QueryKind.MIGHT: "Might {} ever"}

#: how the decisions of two programs compare
_COMPARED = {
    Comparison.EQ: "is the same as",
    Comparison.NE: "differs from",
    Comparison.LT: "is lower than",
    Comparison.LE: "is no higher than",
    Comparison.GT: "is higher than",
    Comparison.GE: "is no lower than",
}

#: worded so that `not move within 5 steps` does not read as `not (move within 5 steps)`
_STEPS = {Over.AFTER: "in the last of", Over.WITHIN: "at least once in", Over.THROUGHOUT: "in each of"}

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

#: for suppositions that only name a variable
_PHRASES = ((Anything, "whatever {} had been"), (AnyBits, "whatever bits {} had held"), (Keep, "with {} as in fact"))


def sentence(query: Query, interface: Interface, *, paths: bool = True, log: Trace | None = None) -> str:
    """The question in words. Without `paths`, a variable with a unique label is named by its label alone.

    Steps are named with their times in the log, if it is given.
    """
    return Words(interface, paths=paths, log=log).sentence(query)


class Words:
    """Describes queries about one interface in words."""

    def __init__(self, interface: Interface, *, paths: bool = True, log: Trace | None = None) -> None:
        self._interface = interface
        self._log = log
        labels = Counter(variable.label for variable in interface.variables)
        self._alone = frozenset() if paths else frozenset(label for label, count in labels.items() if count == 1)

    def sentence(self, query: Query) -> str:
        if query.lives is not None:
            return self.pairs(query.kind, query.lives)
        events = self.events(query)
        opening = _OPENING[query.kind].format(self.subject(query))
        asked = f"{opening} {self.doing(query)}" if events is None else events.question(query.kind)
        return ", ".join([asked, *self.supposed(query)]) + "?"

    def events(self, query: Query) -> Happening | None:
        """What a question says of events; None if it speaks of none."""
        return happening(query, self._interface, self._compared)

    def did(self, query: Query, *, occurs: bool) -> str:
        """What was so in fact: "it did not decide move == 1"."""
        events = self.events(query)
        if events is not None:
            return events.did(occurs=occurs)
        return f"{self.subject(query)} did {'' if occurs else 'not '}{self.doing(query)}"

    def would(self, query: Query, *, occurs: bool) -> str:
        """What is so in one scenario: "It would not decide move == 1"."""
        events = self.events(query)
        if events is not None:
            return events.would(occurs=occurs)
        return f"{self.opening(query)} would {'' if occurs else 'not '}{self.doing(query)}"

    def always(self, query: Query, *, occurs: bool) -> str:
        """What is so in every scenario, or in none: "It would never decide move == 1"."""
        events = self.events(query)
        if events is not None:
            return events.always(occurs=occurs)
        return f"{self.opening(query)} would {'always' if occurs else 'never'} {self.doing(query)}"

    def opening(self, query: Query) -> str:
        """The subject at the beginning of a sentence; the name of a program stays as it is written."""
        subject = self.subject(query)
        return "It" if subject == "it" else subject

    def subject(self, query: Query) -> str:
        """Whose behavior it is: "it", or the one of several programs that is meant."""
        named = self._programs(query.behavior.expression)
        if speaks_of_events(query.behavior.expression, self._interface):
            return "it"
        if not named and query.behavior.speaks_of_endings:
            named = list(self._interface.programs[:1])  # how the first one ends
        return named[0] if len(named) == 1 else "it"

    def pairs(self, kind: QueryKind, lives: Lives) -> str:
        """A question about pairs: "If only sex differs, does it always hold that risk is the same, for every one?"."""
        outcome, changes, population = self.lives(lives)
        every = f"for {'every' if kind is QueryKind.WOULD else 'any'} {lives.called}{population}"
        asked = "does it always hold" if kind is QueryKind.WOULD else "does it ever happen"
        return f"If only {changes}, {asked} that {outcome}, {every}?"

    def lives(self, lives: Lives) -> tuple[str, str, str]:
        """What becomes of the outcomes, what changes, and of which cases: " with 18 <= age <= 90"."""
        outcome = listed(self.relation(each, "is another one") for each in lives.outcome)
        changes = listed(self.relation(each, "differs") for each in lives.changes)
        told = [supposition_text(each) for each in lives.population if not isinstance(each, Keep)]
        kept = [self.called(each.path) for each in lives.population if isinstance(each, Keep)]
        told += [f"{listed(kept)} as in fact"] if kept else []
        population = f" with {listed(told)}" if told else ""
        return outcome, changes, population

    def relation(self, relation: LifeRelation, differs: str) -> str:
        """How one variable compares between two lives: "the limit does not fall"."""
        known = self._known(relation.path)
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
        distance = self._with_unit(relation.distance, known)
        return f"{told} {f'{relation.distance} percent' if relation.percent else distance}"

    def supposed(self, query: Query) -> list[str]:
        """The suppositions and, over several steps, what is perceived besides: one phrase for each kind."""
        future = query.period.future if query.period.count > 1 else None
        phrases = self.family(query.suppositions, lasts=future is Future.AS_LOGGED)
        return phrases if future is None else [*phrases, _GOING_ON[future]]

    def doing(self, query: Query) -> str:
        """The behavior with its steps: "decide move == 1 in each of 5 steps"."""
        done = self.behavior(query.behavior.expression)
        if query.period.count > 1:
            done += f" {_STEPS[query.period.over]} {query.period.count} steps"
        return done

    def behavior(self, formula: Expression) -> str:
        """The behavior: "decide move == 1", "fail"."""
        match formula:
            case ex.Fails():
                return "fail"
            case ex.Decides():
                return "come to a decision"
            case ex.Not(ex.Fails() | ex.Decides() as ending):
                return f"not {self.behavior(ending)}"
            case ex.Name(path) if self._is_failure(path):
                return "fail"
            case ex.Not(ex.Name(path)) if self._is_failure(path):
                return "not fail"
            case _ if len(self._programs(formula)) > 1:
                return f"hold that {self._compared(formula)}"
            case _:
                return f"{self._verb(formula)} {self.formula(formula)}"

    def _programs(self, formula: Expression) -> list[str]:
        """Those of several programs whose outputs a formula names."""
        known = self._interface
        named = [node for node in walk(formula) if isinstance(node, ex.Name) and node.path in known]
        outputs = [node.path for node in named if node.primed or not known.variable(node.path).is_input]
        return [each for each in dict.fromkeys(map(known.program_of, outputs)) if each]

    def _compared(self, formula: Expression) -> str:
        """What is said of several programs: "the limit (v1.limit) is lower than the second limit (v2.limit)"."""
        match formula:
            case ex.And(parts):
                return listed(map(self._compared, parts))
            case ex.Compare(ex.Name(one, False), ((comparison, ex.Name(other, False)),)) if other in self._interface:
                return f"{self.called(one)} {_COMPARED[comparison]} {self.called(other)}"
            case ex.Name(path, False) if path in self._interface.events:
                return self.called(path)
            case ex.Name(path, False) if self._is_bool(path):
                return f"{self.called(path)} is true"
            case ex.Not(ex.Name(path, False)) if self._is_bool(path):
                return f"{self.called(path)} is false"
            case _:
                return self.formula(formula)

    def _verb(self, formula: Expression) -> str:
        """The verb: "decide" for decisions only, "find that" for inputs only, else "act so that"."""
        nodes = list(walk(formula))
        named = [
            (variable.role, node.primed)
            for node in nodes
            if isinstance(node, ex.Name) and (variable := self._known(node.path))
        ]
        if not named or any(isinstance(node, ex.Fails | ex.Decides) for node in nodes):
            return "act so that"
        if all(role is Role.DECISION for role, _ in named):
            return "decide"
        given = all(role in (Role.ENVIRONMENT, Role.STATE) and not primed for role, primed in named)
        return "find that" if given else "act so that"

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
                return f"had {acting} acted with {self._been(formula, 'being')}{when}, {decided}"
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
        found = self._log.step(step) if self._log is not None and isinstance(step, int) else None
        return step_text(step) if found is None or found.when is None else f"step {step} ({found.when.short})"

    def until(self, supposition: During, condition: Expression) -> str:
        """The time of what is supposed until something: "from step 230 until it decides mode == LAND"."""
        begins = f"from {self._step(supposition.first)} " if supposition.first is not None else ""
        if speaks_of_events(condition, self._interface):
            return f"{begins}until it is so that {event_sentence(condition, self._interface, self._compared)}"
        verb = "decides" if self._verb(condition) == "decide" else "acts so that"
        return f"{begins}until it {verb} {self.formula(condition)}"

    def _is_one_value(self, supposition: Supposition) -> bool:
        """Whether a supposition leaves its variable one value."""
        supposed = supposition.supposed if isinstance(supposition, During) else supposition
        match supposed:
            case Satisfies(ex.Name() | ex.Not(ex.Name()) | ex.Identical()):
                return True
            case Satisfies(ex.Compare(ex.Name() | ex.Characters(), ((Comparison.EQ, value),))):
                return self._is_constant(value)
            case _:
                return False

    def _had(self, supposition: Supposition, *, lasts: bool) -> str:
        """The words after "had": "error been true"."""
        match supposition.supposed if isinstance(supposition, During) else supposition:
            case Within(path) as near:
                return f"{self.called(path)} been {self._near(near)}{self._when(supposition, lasts=lasts)}"
            case Satisfies(formula):
                return f"{self._been(formula, 'been')}{self._when(supposition, lasts=lasts)}"
            case _:
                return ""

    def _near(self, near: Within) -> str:
        """A distance in words that are not taken for each other: a share of what it was, and points of a percentage."""
        if near.share is not None:
            return f"at most {near.share} percent more or less than it was"
        variable = self._known(near.path)
        in_percent = variable is not None and variable.unit == "%"
        distance = f"{near.distance} percentage points" if in_percent else self._with_unit(near.distance, variable)
        return f"within {distance} of what it was"

    def _been(self, formula: Expression, been: str) -> str:
        match formula:
            case ex.Name(path) if self._is_bool(path):
                return f"{self.called(path)} {been} true"
            case ex.Not(ex.Name(path)) if self._is_bool(path):
                return f"{self.called(path)} {been} false"
            case ex.Compare(ex.Name(path), ((Comparison.EQ, value),)) if self._is_constant(value):
                return f"{self.called(path)} {been} {self._amount(value, path)}"
            case ex.Compare(
                ex.Literal() as low, ((Comparison.LE, ex.Name(path)), (Comparison.LE, ex.Literal() as high))
            ):
                return f"{self.called(path)} {been} between {self._amount(low, path)} and {self._amount(high, path)}"
            case ex.Compare(ex.Name(path), ((Comparison.GE, ex.FactOf(same)),)) if path == same:
                return f"{self.called(path)} {been} no lower than it was"
            case ex.Compare(ex.Name(path), ((Comparison.LE, ex.FactOf(same)),)) if path == same:
                return f"{self.called(path)} {been} no higher than it was"
            case ex.Identical(ex.Name(path), value):
                return f"{self.called(path)} {been} {self._amount(value, path)}"
            case ex.Compare(ex.Characters() as text, ((Comparison.EQ, ex.Label() as value),)):
                return f"{self.called(text.array.path)} {been} {expression_text(value)}"
            case ex.Member(ex.Characters() as text, items):
                return f"{self.called(text.array.path)} {been} {listed((_item(item) for item in items), 'or')}"
            case ex.Member(ex.Name(path), items) if all(self._is_constant(item) for item in items):
                return f"{self.called(path)} {been} {listed((self._amount(item, path) for item in items), 'or')}"
            case _:
                return f"it {been} that {self.formula(formula)}"

    def formula(self, formula: Expression) -> str:
        """The text of a formula; its numbers are rounded as in the program."""
        if isinstance(formula, ex.Compare):
            parts = list(walk(formula))
            variables = [self._known(part.path) for part in parts if isinstance(part, ex.Name)]
            known = [variable for variable in variables if variable is not None]
            converted = any(isinstance(part, ex.FunctionCall) and part.function.converts for part in parts)
            if len(known) == 1 and not converted:
                rest = tuple((op, self._rounded(operand, known[0])) for op, operand in formula.rest)
                formula = replace(formula, first=self._rounded(formula.first, known[0]), rest=rest)
        return expression_text(formula)

    def _rounded(self, expression: Expression, variable: Variable) -> Expression:
        if isinstance(expression, ex.Literal) and expression.is_number and isinstance(variable.type, FloatType):
            rounded = parse(variable.type, expression.text)
            return expression if rounded == missing_value(variable.type) else ex.Literal(show(variable.type, rounded))
        return expression

    def _known(self, path: str) -> Variable | None:
        return self._interface.variable(path) if path in self._interface else None

    def called(self, path: str) -> str:
        """A variable in words: its label, followed by its path unless the label suffices.

        An input of later steps (`pilot@231`) is its variable, and its steps.
        """
        base, _, steps = path.partition("@")
        if steps and base in self._interface:
            return f"{self.called(base)} {mark_told(steps)}"
        variable = self._known(path)
        if variable is not None and variable.label in self._alone:
            return variable.label or path_text(path)
        return f"{variable.label} ({path_text(path)})" if variable is not None and variable.label else path_text(path)

    def _is_failure(self, path: str) -> bool:
        variable = self._known(path)
        return variable is not None and is_failure(variable)

    def _is_bool(self, path: str) -> bool:
        variable = self._known(path)
        return variable is not None and isinstance(variable.type, BoolType)

    def _is_constant(self, value: Expression | ex.Between) -> bool:
        if isinstance(value, ex.Between):
            return self._is_constant(value.low) and self._is_constant(value.high)
        is_label = isinstance(value, ex.Name) and self._known(value.path) is None
        return is_label or isinstance(value, ex.Literal | ex.Label)

    def _amount(self, value: Expression | ex.Between, path: str) -> str:
        variable = self._known(path)
        match value:
            case ex.Between(low, high):
                return f"{self._amount(low, path)} to {self._amount(high, path)}"
            case ex.Literal(text) if variable is not None and value.is_number:
                rounded = self._rounded(value, variable)
                return self._with_unit(rounded.text if isinstance(rounded, ex.Literal) else text, variable)
            case ex.Label(text):
                return text
            case _:
                return expression_text(value)

    def _with_unit(self, text: str, variable: Variable | None) -> str:
        if variable is None or not variable.unit or text == "nan":
            return text
        return f"{text} {variable.unit}"


def _item(item: Expression | ex.Between) -> str:
    assert not isinstance(item, ex.Between), "texts have no order"
    return expression_text(item)


def whatever(names: Sequence[str]) -> str:
    """
    >>> whatever(["x"]), whatever(["x", "y"])
    ('whatever x was', 'whatever x and y were')
    """
    return f"whatever {listed(names)} {'was' if len(names) == 1 else 'were'}"


def listed(texts: Iterable[str], word: str = "and") -> str:
    """
    >>> listed(["a", "b", "c"]), listed(["a", "b"], "or")
    ('a, b and c', 'a or b')
    """
    items = list(texts)
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} {word} {items[-1]}"
