"""Questions in Python. They read like the text form and build the same nodes.

>>> from soid.program.interface import Role, Variable
>>> from soid.program.types import BoolType, FloatType
>>> from soid.formula.sorts import FLOAT32
>>> from soid.query.language.query_printer import to_text
>>> interface = Interface((
...     Variable("x", Role.ENVIRONMENT, FloatType(FLOAT32)), Variable("move", Role.DECISION, BoolType())))
>>> x, move = (VariableHandle(variable, interface) for variable in interface)
>>> to_text(would(~move | fails).given(x.between(1.0, 1.5)))
'would not move or fails if 1.0 <= x <= 1.5'
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from decimal import Decimal
from typing import ClassVar, Final, NoReturn, SupportsIndex, TypeAlias, final

from soid.errors import QueryError
from soid.program.interface import Interface, Variable
from soid.program.types import MISSING
from soid.query.behavior import Behavior
from soid.query.query import Query, QueryKind, supposition_of
from soid.query.steps import Over, Steps
from soid.scenario import expression as ex
from soid.scenario.expression import ArithmeticOp, Comparison, Expression
from soid.scenario.expression_text import PLAIN_PATH, RESERVED, expression_text
from soid.scenario.future import Future
from soid.scenario.moment_value import MomentValue, typed_moment
from soid.scenario.supposition import AnyBits, Anything, During, Keep, Satisfies, Supposition, Untimed, Within
from soid.scenario.written_step import WrittenStep, written_time

#: the Python values that a variable is compared and computed with; a str is a label. Numbers of numpy count too
Plain: TypeAlias = bool | SupportsIndex | float | Decimal | str


class Formula:
    """A formula. `&` and `|` join formulas, `~` negates one."""

    __slots__ = ("node",)

    node: Expression

    def __init__(self, node: Expression) -> None:
        self.node = node

    def __and__(self, other: Formula) -> Formula:
        left = self.node.operands if isinstance(self.node, ex.And) else (self.node,)
        return Formula(ex.And((*left, _node_of(other))))

    def __or__(self, other: Formula) -> Formula:
        left = self.node.operands if isinstance(self.node, ex.Or) else (self.node,)
        return Formula(ex.Or((*left, _node_of(other))))

    def __invert__(self) -> Formula:
        return Formula(ex.Not(self.node))

    def implies(self, other: Formula) -> Formula:
        """If this holds, the other does: `icy implies speed < 2`."""
        return Formula(ex.Implies(self.node, _node_of(other)))

    def iff(self, other: Formula) -> Formula:
        """Both hold, or neither does."""
        return Formula(ex.Iff(self.node, _node_of(other)))

    def __bool__(self) -> NoReturn:
        raise QueryError(
            "this is a formula about the program, not a truth of Python's",
            "Join formulas with &, | and ~ (each in parentheses) instead of and, or, not; "
            "write x.between(1.0, 1.5) instead of 1.0 <= x <= 1.5.",
        )

    def __repr__(self) -> str:
        return expression_text(self.node)

    @property
    def supposition(self) -> Satisfies:
        """What it is to suppose that it holds."""
        return Satisfies(self.node)


def _comparing(op: Comparison) -> Callable[[Quantity, Quantity | Plain], Formula]:
    return lambda self, other: Formula(ex.Compare(self.node, ((op, self._beside(other)),)))


def _computing(op: ArithmeticOp, *, reflected: bool = False) -> Callable[[Quantity, Quantity | Plain], Quantity]:
    """The method of an operator; if reflected, the one for a left operand that is no quantity."""
    if reflected:
        return lambda self, other: Quantity(ex.Arithmetic(op, _node(other), self.node))
    return lambda self, other: Quantity(ex.Arithmetic(op, self.node, _node(other)))


class Quantity(Formula):
    """A value to compare and to compute with. A bool or a whole number is also a formula: it holds if it is not 0."""

    __slots__ = ("_interface",)
    __hash__: ClassVar[None] = None  # type: ignore[assignment]  # == builds a formula, so it cannot be a dictionary key
    __array_ufunc__: ClassVar[None] = None  # so numpy's numbers leave operators to it where they stand on the left

    def __init__(self, node: Expression, interface: Interface | None = None) -> None:
        super().__init__(node)
        self._interface = interface  # to tell a label from a variable of the same name

    __eq__ = _comparing(Comparison.EQ)  # type: ignore[assignment]
    __ne__ = _comparing(Comparison.NE)  # type: ignore[assignment]
    __lt__ = _comparing(Comparison.LT)
    __le__ = _comparing(Comparison.LE)
    __gt__ = _comparing(Comparison.GT)
    __ge__ = _comparing(Comparison.GE)
    __add__ = _computing(ArithmeticOp.ADD)
    __radd__ = _computing(ArithmeticOp.ADD, reflected=True)
    __sub__ = _computing(ArithmeticOp.SUB)
    __rsub__ = _computing(ArithmeticOp.SUB, reflected=True)
    __mul__ = _computing(ArithmeticOp.MUL)
    __rmul__ = _computing(ArithmeticOp.MUL, reflected=True)
    __truediv__ = _computing(ArithmeticOp.DIV)
    __rtruediv__ = _computing(ArithmeticOp.DIV, reflected=True)
    __floordiv__ = _computing(ArithmeticOp.FLOOR)
    __rfloordiv__ = _computing(ArithmeticOp.FLOOR, reflected=True)
    __mod__ = _computing(ArithmeticOp.MOD)
    __rmod__ = _computing(ArithmeticOp.MOD, reflected=True)
    __lshift__ = _computing(ArithmeticOp.LEFT)
    __rlshift__ = _computing(ArithmeticOp.LEFT, reflected=True)
    __rshift__ = _computing(ArithmeticOp.RIGHT)
    __rrshift__ = _computing(ArithmeticOp.RIGHT, reflected=True)

    def __neg__(self) -> Quantity:
        return Quantity(ex.negate(self.node))

    def __abs__(self) -> Quantity:
        return Quantity(ex.FunctionCall(ex.NumberFunction.ABS, (self.node,)))

    def between(self, low: Quantity | Plain, high: Quantity | Plain) -> Formula:
        """From low to high, both included: `low <= x <= high`."""
        links = ((Comparison.LE, self.node), (Comparison.LE, self._beside(high)))
        return Formula(ex.Compare(self._beside(low), links))

    def any_of(self, *values: Quantity | Plain | range) -> Formula:
        """One of some values: `signal in {LEFT, RIGHT}`; a range(1, 4) is `1..3`."""
        if not values:
            raise QueryError("a set without values holds nothing", "Give any_of at least one value.")
        items = (_range(value) if isinstance(value, range) else self._beside(value) for value in values)
        return Formula(ex.Member(self.node, tuple(items)))

    def is_(self, value: Plain) -> Formula:
        """The same bits: `x is nan` is x.is_("nan"), `x is -0.0` is x.is_(-0.0)."""
        node = ex.Literal(value) if isinstance(value, str) and _is_literal(value) else self._beside(value)
        if isinstance(value, Formula) or not isinstance(node, ex.Literal | ex.Label | ex.Name):
            raise QueryError(f"{value!r} is no single value", "Write x == y to compare two variables.")
        return Formula(ex.Identical(self.node, node))

    def as_type(self, name: str) -> Quantity:
        """The same number in another type: v.count.as_type("float64") is float64(count)."""
        known = [each.value for each in ex.NumberFunction if each.converts]
        if name not in known:
            raise QueryError(f"{name!r} is no type to convert to", f"Write one of {', '.join(known)}.")
        return Quantity(ex.FunctionCall(ex.NumberFunction(name), (self.node,)))

    def _beside(self, value: Quantity | Plain) -> Expression:
        """The node of the other operand. A str is a label; in quotes if it could be read as something else."""
        if not isinstance(value, str):
            return _node(value)
        if isinstance(self.node, ex.Name | ex.FactOf) and self._interface is not None:
            if self._interface.is_text(self.node.path):
                return ex.Label(value)
        a_word = PLAIN_PATH.fullmatch(value) and value not in RESERVED
        a_variable = self._interface is not None and value in self._interface
        return ex.Name(value) if a_word and not a_variable else ex.Label(value)


@final
class VariableHandle(Quantity):
    """A variable of the program."""

    __slots__ = ("variable",)

    variable: Variable

    def __init__(self, variable: Variable, interface: Interface) -> None:
        super().__init__(ex.Name(variable.path), interface)
        self.variable = variable

    @property
    def after(self) -> Quantity:
        """The state after the call: `started'`."""
        return Quantity(ex.Name(self.variable.path, primed=True), self._interface)

    def anything(self) -> Anything:
        return Anything(self.variable.path)

    def any_bits(self) -> AnyBits:
        return AnyBits(self.variable.path)

    def keep(self) -> Keep:
        return Keep(self.variable.path)

    def missing(self) -> Formula:
        """The variable has no value, where it may have none: `income is missing`."""
        return self.is_(MISSING)

    def may_only_rise(self) -> Formula:
        """The variable is not below its factual value: `income may only rise`."""
        return self >= fact(self)

    def may_only_fall(self) -> Formula:
        """The variable is not above its factual value."""
        return self <= fact(self)

    def within(self, distance: SupportsIndex | float | str) -> Within:
        """The variable is at most this far from its factual value; `"10 %"` is a share of that value's size."""
        text = distance if isinstance(distance, str) else _number_text(distance)
        return Within(self.variable.path, f"{text[:-1].rstrip()} %" if text.endswith("%") else text)


@final
class TextHandle(Quantity):
    """An array of characters, which is compared with a text: v.c.degree == "PhD". v.c.degree[0] is one of them."""

    __slots__ = ()

    def __init__(self, path: str, interface: Interface) -> None:
        super().__init__(ex.Name(path), interface)
        self._interface: Interface = interface

    def __getitem__(self, index: SupportsIndex) -> VariableHandle:
        assert isinstance(self.node, ex.Name)
        return VariableHandle(self._interface.variable(f"{self.node.path}[{index.__index__()}]"), self._interface)


fails: Final = Formula(ex.Fails())
decides: Final = Formula(ex.Decides())


def fact(quantity: Quantity) -> Quantity:
    """The factual value of a variable: `fact(brake)`.

    >>> import soid
    >>> v = soid.open(soid.example("proper_response")).variables
    >>> soid.would(v.limits.brake).given(v.road.distance <= soid.fact(v.road.distance))
    Query('would limits.brake if road.distance <= fact(road.distance)')
    """
    if not isinstance(quantity, Quantity):
        raise QueryError(f"{quantity!r} is no variable of the program", "Write fact(v.brake).")
    if not isinstance(quantity.node, ex.Name):
        raise QueryError("only a variable has a factual value", "Write fact(x) + 1 rather than fact(x + 1).")
    return Quantity(ex.FactOf(quantity.node.path, quantity.node.primed), quantity._interface)


def minimum(*numbers: Quantity | Plain) -> Quantity:
    """The least of some numbers: `min(x, y)`.

    >>> import soid
    >>> v = soid.open(soid.example("proper_response")).variables
    >>> soid.minimum(v.road.rear_speed, v.road.front_speed) < 2
    min(road.rear_speed, road.front_speed) < 2
    """
    return _called(ex.NumberFunction.MIN, *numbers)


def maximum(*numbers: Quantity | Plain) -> Quantity:
    """The greatest of some numbers: `max(x, y)`.

    >>> import soid
    >>> v = soid.open(soid.example("proper_response")).variables
    >>> soid.maximum(v.road.rear_speed, v.road.front_speed) < 2
    max(road.rear_speed, road.front_speed) < 2
    """
    return _called(ex.NumberFunction.MAX, *numbers)


def quot(x: Quantity | Plain, y: Quantity | Plain) -> Quantity:
    """C's quotient, rounded toward zero.

    >>> import soid
    >>> v = soid.open(soid.example("overdraft")).variables
    >>> soid.quot(v.applicant.age, 10) == 3
    quot(applicant.age, 10) == 3
    """
    return _called(ex.NumberFunction.QUOT, x, y)


def rem(x: Quantity | Plain, y: Quantity | Plain) -> Quantity:
    """C's remainder, which has the sign of x.

    >>> import soid
    >>> v = soid.open(soid.example("overdraft")).variables
    >>> soid.rem(v.applicant.age, 10) == 3
    rem(applicant.age, 10) == 3
    """
    return _called(ex.NumberFunction.REM, x, y)


def _called(function: ex.NumberFunction, *numbers: Quantity | Plain) -> Quantity:
    return Quantity(ex.call(function, tuple(map(_node, numbers))))


def bits_and(x: Quantity | Plain, y: Quantity | Plain) -> Quantity:
    """The bits that two whole numbers have in common: `x & y`. In Python & joins formulas.

    >>> import soid
    >>> v = soid.open(soid.example("overdraft")).variables
    >>> soid.bits_and(v.applicant.postcode, 0xFF) == 3
    applicant.postcode & 255 == 3
    """
    return _of_bits(ArithmeticOp.BIT_AND, x, y)


def bits_or(x: Quantity | Plain, y: Quantity | Plain) -> Quantity:
    """The bits that one of two whole numbers has: `x | y`.

    >>> import soid
    >>> v = soid.open(soid.example("overdraft")).variables
    >>> soid.bits_or(v.applicant.postcode, 1) == 3
    applicant.postcode | 1 == 3
    """
    return _of_bits(ArithmeticOp.BIT_OR, x, y)


def bits_xor(x: Quantity | Plain, y: Quantity | Plain) -> Quantity:
    """The bits that one of two whole numbers has, and not both: `x xor y`.

    >>> import soid
    >>> v = soid.open(soid.example("overdraft")).variables
    >>> soid.bits_xor(v.applicant.postcode, 1) == 3
    applicant.postcode xor 1 == 3
    """
    return _of_bits(ArithmeticOp.BIT_XOR, x, y)


def bits_not(x: Quantity) -> Quantity:
    """The other bits of a whole number, -1 - x: `~x`.

    >>> import soid
    >>> v = soid.open(soid.example("overdraft")).variables
    >>> soid.bits_not(v.applicant.postcode) == 3
    ~applicant.postcode == 3
    """
    return Quantity(ex.Complement(_node(x)))


def _of_bits(op: ArithmeticOp, x: Quantity | Plain, y: Quantity | Plain) -> Quantity:
    return Quantity(ex.Arithmetic(op, _node(x), _node(y)))


def smtlib(text: str) -> Formula:
    """A formula in SMT-LIB over the program's variables: smtlib("(bvult x #x0a)").

    >>> import soid
    >>> soid.smtlib("(bvult x #x0a)")
    smtlib("(bvult x #x0a)")
    """
    from soid.scenario.smtlib_formula import smtlib_formula  # loaded on demand: few questions need a reader

    return Formula(smtlib_formula(text))


def after(count: int, future: Future | str | None = None) -> Steps:
    """In the last of `count` steps: would(v.move, steps=after(5)).

    `future` says what is perceived in them: "as logged", the default, "held" or "anything".

    >>> import soid
    >>> v = soid.open(soid.example("microwave")).variables
    >>> soid.would(v.action == "CLOSE", steps=soid.after(2, "held")).given(v.heat.anything())
    Query('would action == CLOSE after 2 steps held if heat is anything')
    """
    return _steps(Over.AFTER, count, future)


def within(count: int, future: Future | str | None = None) -> Steps:
    """At least once in `count` steps.

    >>> import soid
    >>> v = soid.open(soid.example("microwave")).variables
    >>> soid.did(v.action == "CANCEL", steps=soid.within(2))
    Query('did action == CANCEL within 2 steps')
    """
    return _steps(Over.WITHIN, count, future)


def throughout(count: int, future: Future | str | None = None) -> Steps:
    """In each of `count` steps.

    >>> import soid
    >>> v = soid.open(soid.example("microwave")).variables
    >>> soid.would(v.action == "CLOSE", steps=soid.throughout(3)).given(v.heat.anything())
    Query('would action == CLOSE throughout 3 steps if heat is anything')
    """
    return _steps(Over.THROUGHOUT, count, future)


def _steps(over: Over, count: int, future: Future | str | None) -> Steps:
    known = [each.value for each in Future]
    if isinstance(future, str) and future not in known:
        raise QueryError(f"{future!r} is no future", f"Write one of {', '.join(known)}.")
    return Steps(over, _whole(count, "number of steps"), None if future is None else Future(future))


def at_step(step: MomentValue, supposed: Formula | Supposition) -> During:
    """What is supposed of one later step, by its number in the log or its time: at_step(231, v.pilot == "RTH").

    >>> import soid
    >>> v = soid.open(soid.example("microwave")).variables
    >>> soid.might(v.action == "CLOSE", steps=soid.within(3)).given(soid.at_step(3, v.error == True))
    Query('might action == CLOSE within 3 steps if error == true at step 3')
    """
    return _during("at", supposed, step, None)


def from_step(first: MomentValue, supposed: Formula | Supposition, *, to: MomentValue | None = None) -> During:
    """What is supposed from one step on, or up to another: from_step(230, v.pilot == "RTH", to=239).

    A step is a number, or a time by the log's clock: from_step("45s", v.pilot == "RTH", to="1:30"), or as `Project.at`
    takes one.

    >>> import soid
    >>> v = soid.open(soid.example("microwave")).variables
    >>> soid.might(v.action == "CLOSE", steps=soid.within(4)).given(soid.from_step(2, v.error == True, to=3))
    Query('might action == CLOSE within 4 steps if error == true from step 2 to step 3')
    """
    return _during("from", supposed, first, to)


def until(condition: Formula, supposed: Formula | Supposition) -> During:
    """What is supposed until the program first does something: until(v.mode == "LAND", v.pilot == "RTH").

    `supposed` may have a first step: until(v.mode == "LAND", from_step(230, v.pilot == "RTH")).

    >>> import soid
    >>> v = soid.open(soid.example("microwave")).variables
    >>> soid.would(v.action == "CLOSE", steps=soid.after(3)).given(soid.until(v.action == "CANCEL", v.heat.anything()))
    Query('would action == CLOSE after 3 steps if heat is anything until action == CANCEL')
    """
    known = supposition_of(supposed)
    begun = known if isinstance(known, During) else During(_untimed(known), None, None)
    return begun.ending(_node_of(condition))


def _during(word: str, supposed: Formula | Supposition, first: MomentValue, last: MomentValue | None) -> During:
    return During.of(_untimed(supposition_of(supposed)), word, _step(first), None if last is None else _step(last))


def _step(step: MomentValue) -> WrittenStep:
    typed = typed_moment(step)
    return written_time(typed) if isinstance(typed, str) else typed


def _whole(value: SupportsIndex, what: str) -> int:
    if not isinstance(value, SupportsIndex):
        raise QueryError(f"{value!r} is no {what}", "Give a whole number.")
    return operator.index(value)


def _untimed(supposed: Supposition) -> Untimed:
    if isinstance(supposed, Keep | During):
        raise QueryError("this takes no steps", "Give a formula, or a variable that is anything.")
    return supposed


def did(behavior: Formula, *, steps: Steps | None = None) -> Query:
    """Did it do this?

    >>> import soid
    >>> v = soid.open(soid.example("microwave")).variables
    >>> soid.did(v.action == "CLOSE")
    Query('did action == CLOSE')
    """
    return Query(QueryKind.DID, Behavior(_node_of(behavior)), steps=steps)


def would(behavior: Formula, *, steps: Steps | None = None) -> Query:
    """Would it always have done this, had things been so? would(v.move).given(v.signal.anything())

    >>> import soid
    >>> v = soid.open(soid.example("microwave")).variables
    >>> soid.would(v.action == "CLOSE").given(v.heat.anything(), v.error == True)
    Query('would action == CLOSE if heat is anything and error == true')
    >>> soid.would(~soid.fails).given(v.closed.anything())
    Query('would not fails if closed is anything')
    """
    return Query(QueryKind.WOULD, Behavior(_node_of(behavior)), steps=steps)


def might(behavior: Formula, *, steps: Steps | None = None) -> Query:
    """Might it ever have done this, had things been so?

    >>> import soid
    >>> v = soid.open(soid.example("microwave")).variables
    >>> soid.might((v.action == "CANCEL") | v.started.after).given(v.heat.anything())
    Query("might action == CANCEL or started' if heat is anything")
    """
    return Query(QueryKind.MIGHT, Behavior(_node_of(behavior)), steps=steps)


def _node_of(formula: Formula) -> Expression:
    if not isinstance(formula, Formula):
        raise QueryError(
            f"{formula!r} is no formula about the program",
            "Compare a variable, and put each comparison in parentheses; bits are computed with bits_and, bits_or.",
        )
    return formula.node


def _node(value: Quantity | Plain) -> Expression:
    if isinstance(value, Formula):
        return value.node
    if getattr(value, "ndim", None) == 0:  # a number of numpy, or a bool, which is no number there
        plain: Plain = value.item()  # type: ignore[union-attr]
        return _node(plain)
    if isinstance(value, bool):
        return ex.Literal("true" if value else "false")
    if isinstance(value, str):
        return ex.Label(value)
    return ex.Literal(_number_text(value))


def _range(value: range) -> ex.Between:
    if value.step != 1 or not value:
        raise QueryError(f"{value} has gaps or is empty", "Give a range of neighbouring numbers, or list them.")
    return ex.Between(_node(value[0]), _node(value[-1]))


def _number_text(value: Plain) -> str:
    """The number as text; a float as its shortest decimal."""
    if isinstance(value, float):
        return float.__repr__(value)
    if isinstance(value, Decimal) and value.is_finite():
        return str(value)
    if not isinstance(value, SupportsIndex):
        raise QueryError(
            f"{value!r} is no value of a program",
            "Give a bool, a number, or the text of a label. That x has no value is x.missing(); "
            "one of several values is x.any_of(1, 2, 3).",
        )
    return str(operator.index(value))


def _is_literal(text: str) -> bool:
    try:
        ex.Literal(text)
    except ValueError:
        return False
    return True
