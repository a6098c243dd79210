"""Behaviors as deeds, which follow "would": "drive on", "set the brake to at least 0.5 bar", "choose LEFT as the turn".

The manifest has the verbs of a decision (`says`); without them they are made from the decision's name.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from typing import Final

from soid.program.interface import Interface, Role, Variable
from soid.program.product_interface import is_failure
from soid.program.types import BoolType, EnumType, FloatType, IntType, parse, show
from soid.query.words.condition_words import ConditionWords, joins
from soid.query.words.lists import listed
from soid.query.words.readable_numbers import readable
from soid.query.words.variable_names import RETURN, VariableNames, named
from soid.scenario import expression as ex
from soid.scenario.expression import Comparison, Expression, walk
from soid.scenario.origin import Origin

_BESIDE_FACT: Final = {
    Comparison.EQ: "as in fact",
    Comparison.NE: "otherwise than in fact",
    Comparison.LT: "lower than in fact",
    Comparison.LE: "no higher than in fact",
    Comparison.GT: "higher than in fact",
    Comparison.GE: "no lower than in fact",
}


class Deeds:
    """Words for behaviors of one interface's program."""

    def __init__(self, interface: Interface, names: VariableNames) -> None:
        self._interface = interface
        self._names = names
        self._conditions = ConditionWords(interface, names, in_a_call=True)

    def deed(self, formula: Expression, *, inner: bool = False) -> str:
        """What is done, or would be, after "would" and "did"; several deeds are in parentheses if something follows."""
        match formula:
            case ex.Fails():
                return "fail"
            case ex.Decides():
                return "come to a decision"
            case ex.Name(path) if self._is_failure(path):
                return "fail"
            case ex.Not(ex.Fails() | ex.Decides() | ex.Name() as ending) if self._is_ending(ending):
                return f"not {self.deed(ending)}"
            case _ if len(self.programs(formula)) > 1:
                told = self.compared(formula)
                return f"hold that ({told})" if inner and joins(formula) else f"hold that {told}"
            case _:
                clause = self._conditions.clause(formula, inner=inner)
                return self._decided(formula, inner=inner) or f"{self._verb(formula)} {clause}"

    def clause(self, formula: Expression) -> str:
        """A behavior as a clause: "the mode after the call is LAND"."""
        return self._conditions.clause(formula)

    def decides(self, formula: Expression) -> str:
        """The same as a clause about the program: "it decides to drive on"; or a clause that needs none."""
        if len(self.programs(formula)) > 1:
            return self.compared(formula)
        decided = self._decided(formula, inner=False)
        return f"it {_deciding(decided)}" if decided else self.clause(formula)

    def denied(self, formula: Expression) -> str:
        """What is not done if something is done, where a formula is the denial of a deed; empty if it is none."""
        if isinstance(formula, ex.Not) and self._is_ending(formula.operand):
            return self.deed(formula.operand)
        match formula:
            case ex.Compare(ex.Name(path, False) as name, ((Comparison.NE, value),)) if self._said(path, value):
                formula = ex.Not(ex.Compare(name, ((Comparison.EQ, value),)))
        done = self._decided(formula, inner=False) or ""
        return done.removeprefix("not ") if isinstance(formula, ex.Not) and done.startswith("not ") else ""

    def undone(self, formula: Expression) -> str:
        """What is done where a denial of deeds is false: "cancel" for `not (action == CANCEL)`; empty if it is none."""
        match formula:
            case ex.Not(ex.Fails() | ex.Decides() | ex.Name() as ending) if self._is_ending(ending):
                return self.deed(ending)
            case ex.Compare(ex.Name(path, False), ((Comparison.NE, value),)):
                return self._said(path, value)
            case ex.Not(operand) if self.denies(formula):
                return self._decided(operand, inner=False) or ""
            case _:
                return ""

    def denies(self, formula: Expression) -> bool:
        """Whether the words for a formula begin with a denial: "not cancel", "neither cancel nor open the door"."""
        return self.deed(formula).startswith(("not ", "neither "))

    # --- decisions ----------------------------------------------------------------------------------------------

    def _decided(self, formula: Expression, *, inner: bool) -> str | None:
        """A formula about decisions alone; None if it is another one."""
        match formula:
            case ex.And(parts) | ex.Or(parts):
                done = self._all_decided(parts, "and" if isinstance(formula, ex.And) else "or")
                return f"({done})" if inner and done is not None else done
            case ex.Not(ex.Or((one, other))) if not joins(one) and not joins(other):
                done = self._all_decided((one, other), "nor")
                return None if done is None else f"neither {done}"
            case ex.Not(ex.And((one, other))) if not joins(one) and not joins(other):
                done = self._all_decided((one, other), "and")
                return None if done is None else f"not both {done}"
            case ex.Not(operand) if joins(operand):
                return None
            case ex.Name(path, False):
                return self._chosen(path, ex.Literal("true"))
            case ex.Not(ex.Name(path, False)):
                return self._chosen(path, ex.Literal("false"))
            case ex.Not(ex.Identical(_, ex.Literal(text="nan"))):
                return self._set(formula)
            case ex.Not(ex.Compare() | ex.Member() | ex.Identical() as operand):
                done = self._decided(operand, inner=inner)
                return None if done is None else f"not {done}"
            case ex.Compare(ex.Name(path, False), ((Comparison.EQ, value),)) if self._conditions.is_constant(value):
                return self._chosen(path, value)
            case ex.Compare(ex.Name(path, False), ((Comparison.NE, value),)) if self._said(path, value):
                return f"not {self._said(path, value)}"
            case ex.Compare(ex.Name(path, False) as name, ((comparison, ex.FactOf(same, False)),)) if path == same:
                return f"set {self._names.called(path)} {_BESIDE_FACT[comparison]}" if self._decision(name) else None
            case ex.Member(ex.Name(path, False), items) if all(self._said(path, each) for each in items):
                done = listed((self._said(path, each) for each in items), "or")
                return f"({done})" if inner and len(items) > 1 else done
            case ex.Compare() | ex.Member() | ex.Identical():
                return self._set(formula)
            case _:
                return None

    def _all_decided(self, parts: Sequence[Expression], word: str) -> str | None:
        done = [self._decided(each, inner=True) for each in parts]
        told = [each for each in done if each is not None]
        return listed(told, word) if len(told) == len(done) else None

    def _chosen(self, path: str, value: Expression) -> str | None:
        """A decision for one value."""
        variable = self._decision(ex.Name(path))
        if variable is None:
            return None
        said = self._said(path, value)
        if said:
            return said
        if isinstance(variable.type, BoolType):
            called = variable.label or f'"{named(path)}"'
            return f"decide {'for' if value == ex.Literal('true') else 'against'} {called}"
        return self._set(ex.Compare(ex.Name(path), ((Comparison.EQ, value),)))

    def _set(self, formula: ex.Compare | ex.Member | ex.Identical | ex.Not) -> str | None:
        """A decision in words that fit any: "choose LEFT as the turn", "set the brake to at least 0.5 bar"."""
        nodes = [
            node for node in walk(formula) if isinstance(node, ex.Name | ex.FactOf) and node.path in self._interface
        ]
        first = self._decision(nodes[0]) if nodes else None
        subject, said = self._conditions.parts(formula)
        if first is None or any(node.primed for node in nodes) or subject != self._names.called(first.path):
            return None
        done = listed(f"anything {each}" if each.startswith("other than") else each for each in said)
        if first.path.rpartition(".")[2] == RETURN and not first.label:
            return f"return {done}"
        if isinstance(first.type, EnumType):
            return f"choose {done} as {subject}"
        return f"set {subject} to {done}"

    def _said(self, path: str, value: Expression | ex.Between) -> str:
        """The verb that the manifest has for a value of a decision; empty if it has none."""
        variable = self._decision(ex.Name(path))
        if variable is None or not variable.says:
            return ""
        match value:
            case ex.Literal(text) | ex.Label(text) | ex.Name(text):
                pass
            case _:
                return ""
        try:
            return dict(variable.says).get(parse(variable.type, text), "")
        except ValueError:
            return ""

    def choices(
        self, values: Mapping[str, int], *, verb: str = "decides", derived: Container[str] = (), alone: bool = False
    ) -> str:
        """What is decided by values of decisions: "it decides to drive on", "v1 decides to refuse and v2 to approve".

        Those that are `derived` and not logged are marked. What one program `alone` decides is told without its name.
        Without a decision it is empty.
        """
        by_program: dict[str, list[str]] = {}
        for path, bits in values.items():
            aim = _aim(self._value_chosen(self._interface.variable(path), bits))
            mark = f" ({Origin.DERIVED.value})" if path in derived else ""
            program = "it" if alone else self._interface.program_of(path) or "it"
            by_program.setdefault(program, []).append(f"{aim}{mark}")
        told = [f"{program} {verb} {listed(aims)}" for program, aims in by_program.items()]
        return listed(told) if told else ""

    def _value_chosen(self, variable: Variable, bits: int) -> str:
        """A decision for the value that it has, whose number is rounded for reading."""
        if isinstance(variable.type, IntType | FloatType) and not dict(variable.says).get(bits):
            returned = variable.path.rpartition(".")[2] == RETURN and not variable.label
            amount = readable(variable, bits)
            return f"return {amount}" if returned else f"set {self._names.called(variable.path)} to {amount}"
        text = show(variable.type, bits)
        value = ex.Literal(text) if isinstance(variable.type, BoolType) else ex.Label(text)
        return self._chosen(variable.path, value) or f"set {self._names.called(variable.path)} to {text}"

    # --- what a formula speaks of ---------------------------------------------------------------------------------

    def programs(self, formula: Expression) -> list[str]:
        """Those of several programs whose outputs a formula names."""
        known = self._interface
        named_ones = [node for node in walk(formula) if isinstance(node, ex.Name) and node.path in known]
        outputs = [node.path for node in named_ones if node.primed or not known.variable(node.path).is_input]
        return [each for each in dict.fromkeys(map(known.program_of, outputs)) if each]

    def compared(self, formula: Expression) -> str:
        """What is said of several programs: "v1 decides to refuse and v2 decides to approve"."""
        match formula:
            case ex.And(parts) if not any(map(joins, parts)):
                return listed(map(self.compared, parts))
            case _ if len(owners := self.programs(formula)) == 1 and (done := self._decided(formula, inner=True)):
                return f"{owners[0]} {_deciding(done)}"
            case _:
                return self.clause(formula)

    def _verb(self, formula: Expression) -> str:
        """The verb: "find that" for inputs only, else "act so that"."""
        nodes = [node for node in walk(formula) if isinstance(node, ex.Name) and node.path in self._interface]
        if not nodes or any(isinstance(node, ex.Fails | ex.Decides) for node in walk(formula)):
            return "act so that"
        given = (not node.primed and self._interface.variable(node.path).is_input for node in nodes)
        return "find that" if all(given) else "act so that"

    def _decision(self, node: Expression | ex.Between) -> Variable | None:
        if not isinstance(node, ex.Name | ex.FactOf) or node.path not in self._interface:
            return None
        variable = self._interface.variable(node.path)
        return variable if variable.role is Role.DECISION and not node.primed else None

    def _is_failure(self, path: str) -> bool:
        return path in self._interface and is_failure(self._interface.variable(path))

    def _is_ending(self, formula: Expression) -> bool:
        return isinstance(formula, ex.Fails | ex.Decides) or (
            isinstance(formula, ex.Name) and self._is_failure(formula.path)
        )


def _deciding(deed: str) -> str:
    return f"decides {_aim(deed)}"


def _aim(deed: str) -> str:
    """What stands after "decides".

    >>> _aim("drive on"), _aim('decide for "move"')
    ('to drive on', 'for "move"')
    """
    return deed.removeprefix("decide ") if deed.startswith("decide ") else f"to {deed}"
