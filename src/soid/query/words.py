"""A query as one plain sentence, with the program's own names.

    would action == CANCEL if error and closed is anything and heat is anything

reads "Would it always decide action == CANCEL, had error been true, whatever closed and heat had been?". A number is
rounded to the type of the variable that it is compared with, and has the variable's unit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from msgspec.structs import replace

from soid.program.interface import Interface, Role, Variable
from soid.program.types import BoolType, FloatType, parse, show
from soid.query.query import Query, QueryKind
from soid.query.steps import Over
from soid.scenario.expression import (
    Between,
    Compare,
    Comparison,
    Decides,
    Expression,
    Fails,
    Identical,
    Label,
    Literal,
    Member,
    Name,
    Not,
    walk,
)
from soid.scenario.expression_text import expression_text, path_text
from soid.scenario.supposition import AnyBits, Anything, Keep, Satisfies, Supposition, Within

_OPENING = {QueryKind.DID: "Did it", QueryKind.WOULD: "Would it always", QueryKind.MIGHT: "Might it ever"}

#: worded so that `not move within 5 steps` does not read as `not (move within 5 steps)`
_STEPS = {Over.AFTER: "in the last of", Over.WITHIN: "at least once in", Over.THROUGHOUT: "in each of"}


def sentence(query: Query, interface: Interface, *, paths: bool = True) -> str:
    """The question in words. Without `paths`, a variable with a unique label is named by its label alone."""
    return Words(interface, paths=paths).sentence(query)


class Words:
    """Describes queries about one interface in words."""

    def __init__(self, interface: Interface, *, paths: bool = True) -> None:
        self._interface = interface
        labels = Counter(variable.label for variable in interface.variables)
        self._alone = frozenset() if paths else frozenset(label for label, count in labels.items() if count == 1)

    def sentence(self, query: Query) -> str:
        asked = f"{_OPENING[query.kind]} {self.doing(query)}"
        return ", ".join([asked, *self.family(query.suppositions)]) + "?"

    def doing(self, query: Query) -> str:
        """The behavior with its steps: "decide move == 1 in each of 5 steps"."""
        done = self.behavior(query.behavior.expression)
        if query.period.count > 1:
            done += f" {_STEPS[query.period.over]} {query.period.count} steps"
        return done

    def behavior(self, formula: Expression) -> str:
        """The behavior: "decide move == 1", "fail"."""
        match formula:
            case Fails():
                return "fail"
            case Decides():
                return "come to a decision"
            case Not(Fails() | Decides() as ending):
                return f"not {self.behavior(ending)}"
            case _:
                return f"{self._verb(formula)} {self.formula(formula)}"

    def _verb(self, formula: Expression) -> str:
        """The verb: "decide" for decisions only, "find that" for inputs only, else "act so that"."""
        nodes = list(walk(formula))
        named = [
            (variable.role, node.primed)
            for node in nodes
            if isinstance(node, Name) and (variable := self._known(node.path))
        ]
        if not named or any(isinstance(node, Fails | Decides) for node in nodes):
            return "act so that"
        if all(role is Role.DECISION for role, _ in named):
            return "decide"
        given = all(role in (Role.ENVIRONMENT, Role.STATE) and not primed for role, primed in named)
        return "find that" if given else "act so that"

    def family(self, suppositions: tuple[Supposition, ...]) -> list[str]:
        """The suppositions, one phrase for each kind."""
        said = [text for each in suppositions if (text := self._had(each))]
        whatever = [self.called(each.path) for each in suppositions if isinstance(each, Anything)]
        bits = [self.called(each.path) for each in suppositions if isinstance(each, AnyBits)]
        kept = [self.called(each.path) for each in suppositions if isinstance(each, Keep)]
        parts = []
        if said:
            parts.append(f"had {listed(said)}")
        if whatever:
            parts.append(f"whatever {listed(whatever)} had been")
        if bits:
            parts.append(f"whatever bits {listed(bits)} had held")
        if kept:
            parts.append(f"with {listed(kept)} as in fact")
        return parts

    def _had(self, supposition: Supposition) -> str:
        """The words after "had": "error been true"."""
        match supposition:
            case Within(path, distance):
                near = self._with_unit(distance, self._known(path))
                return f"{self.called(path)} been within {near} of what it was"
            case Satisfies(formula):
                return self._been(formula)
            case _:
                return ""

    def _been(self, formula: Expression) -> str:
        match formula:
            case Name(path) if self._is_bool(path):
                return f"{self.called(path)} been true"
            case Not(Name(path)) if self._is_bool(path):
                return f"{self.called(path)} been false"
            case Compare(Name(path), ((Comparison.EQ, value),)) if self._is_constant(value):
                return f"{self.called(path)} been {self._amount(value, path)}"
            case Compare(Literal() as low, ((Comparison.LE, Name(path)), (Comparison.LE, Literal() as high))):
                return f"{self.called(path)} been between {self._amount(low, path)} and {self._amount(high, path)}"
            case Identical(Name(path), value):
                return f"{self.called(path)} been {self._amount(value, path)}"
            case Member(Name(path), items) if all(self._is_constant(item) for item in items):
                return f"{self.called(path)} been {listed((self._amount(item, path) for item in items), 'or')}"
            case _:
                return f"it been that {self.formula(formula)}"

    def formula(self, formula: Expression) -> str:
        """The text of a formula; its numbers are rounded as in the program."""
        if isinstance(formula, Compare):
            variables = [self._known(part.path) for part in walk(formula) if isinstance(part, Name)]
            known = [variable for variable in variables if variable is not None]
            if len(known) == 1:
                formula = self._rounded_chain(formula, known[0])
        return expression_text(formula)

    def _rounded_chain(self, formula: Compare, variable: Variable) -> Compare:
        rest = tuple((op, self._rounded(operand, variable)) for op, operand in formula.rest)
        return replace(formula, first=self._rounded(formula.first, variable), rest=rest)

    def _rounded(self, expression: Expression, variable: Variable) -> Expression:
        if isinstance(expression, Literal) and expression.is_number and isinstance(variable.type, FloatType):
            return Literal(show(variable.type, parse(variable.type, expression.text)))
        return expression

    # --- names and amounts

    def _known(self, path: str) -> Variable | None:
        return self._interface.variable(path) if path in self._interface else None

    def called(self, path: str) -> str:
        """A variable in words: its label, followed by its path unless the label suffices."""
        variable = self._known(path)
        if variable is not None and variable.label in self._alone:
            return variable.label or path_text(path)
        return f"{variable.label} ({path_text(path)})" if variable is not None and variable.label else path_text(path)

    def _is_bool(self, path: str) -> bool:
        variable = self._known(path)
        return variable is not None and isinstance(variable.type, BoolType)

    def _is_constant(self, value: Expression | Between) -> bool:
        if isinstance(value, Between):
            return self._is_constant(value.low) and self._is_constant(value.high)
        return isinstance(value, Literal | Label) or (isinstance(value, Name) and self._known(value.path) is None)

    def _amount(self, value: Expression | Between, path: str) -> str:
        variable = self._known(path)
        match value:
            case Between(low, high):
                return f"{self._amount(low, path)} to {self._amount(high, path)}"
            case Literal(text) if variable is not None and value.is_number:
                rounded = self._rounded(value, variable)
                return self._with_unit(rounded.text if isinstance(rounded, Literal) else text, variable)
            case Label(text):
                return text
            case _:
                return expression_text(value)

    def _with_unit(self, text: str, variable: Variable | None) -> str:
        if variable is None or not variable.unit or text == "nan":
            return text
        return f"{text} {variable.unit}"


def listed(texts: Iterable[str], word: str = "and") -> str:
    """
    >>> listed(["a", "b", "c"]), listed(["a", "b"], "or")
    ('a, b and c', 'a or b')
    """
    items = list(texts)
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} {word} {items[-1]}"
