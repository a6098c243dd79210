"""Expressions over a program's variables. Behaviors and suppositions consist of them.

They are one closed union of immutable nodes; the text form and the Python form of a question build the same nodes.
Equality ignores the place in the text (`span`).

>>> Compare(Name("move"), ((Comparison.EQ, Literal("1")),)) == Compare(
...     Name("move", span=TextSpan(4, 8)), ((Comparison.EQ, Literal("1")),), span=TextSpan(4, 13))
True
"""

from __future__ import annotations

import enum
import operator
import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache, cached_property
from typing import Any, Final, TypeVar, final

from msgspec import Struct
from msgspec.structs import replace

from soid.errors import QueryError

#: questions nested deeper are refused, so that functions over expressions may recurse
MAX_DEPTH: Final = 120

_NUMBER: Final = re.compile(
    r"-?(?:\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|0[xX][0-9a-fA-F]+(?:\.[0-9a-fA-F]+)?(?:[pP][+-]?\d+)?|inf|nan)", re.ASCII
)
_BITS: Final = re.compile(r"(?:nan|bits)\(0x[0-9a-fA-F]+\)")
_CHARACTER: Final = re.compile(r"'(?:([^'\\\n])|\\x([0-9a-fA-F]{2})|\\(.))'")

#: what follows a backslash in a character or a text, besides the character that it stands for
ESCAPES: Final = {"0": "\0", "a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}


@final
class TextSpan(Struct, frozen=True):
    """A piece of a text: the offset of its first character, and the offset after its last."""

    start: int
    end: int


class Located(Struct, frozen=True, kw_only=True, dict=True):
    """The base class of nodes: equality, hash and repr ignore the place in the text."""

    span: TextSpan | None = None  # the place in the text, if there is a text

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return type(other) is type(self) and _said_by(type(self))(self) == _said_by(type(self))(other)

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash((type(self), _said_by(type(self))(self)))

    @cached_property
    def below(self) -> tuple[Any, ...]:
        """All nodes below it, in preorder. It does not recurse, so the depth does not matter."""
        parts = children(self)
        if all(part.__class__ in _LEAVES for part in parts):  # so it is in most questions
            return parts
        found: list[Located] = []
        stack: list[Located] = [*reversed(parts)]
        while stack:
            found.append(node := stack.pop())
            stack += reversed(children(node))
        return tuple(found)

    @cached_property
    def speaking(self) -> tuple[Name | FactOf | Fails | Decides, ...]:
        """Those that name something, or say how the program ends; itself if it does."""
        return tuple([node for node in (self, *self.below) if node.__class__ in _SPEAKING])

    def __repr__(self) -> str:
        said = {name: getattr(self, name) for name in self.__struct_fields__ if name != "span"}
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in said.items())})"


@cache
def _said_by(kind: type[Located]) -> Callable[[Located], object]:
    """What reads all that nodes of a kind say, which is all but their place."""
    names = [name for name in kind.__struct_fields__ if name != "span"]
    return operator.attrgetter(*names) if names else lambda _: ()


@final
class Comparison(enum.Enum):
    """The operators that compare two values."""

    EQ = "=="
    NE = "!="
    LT = "<"
    LE = "<="
    GT = ">"
    GE = ">="

    @property
    def mirrored(self) -> Comparison:
        """The operator that says the same of the two sides in the other order."""
        return _MIRRORED[self]


_MIRRORED: Final = {each: Comparison(each.value.translate(str.maketrans("<>", "><"))) for each in Comparison}


@final
class ArithmeticOp(enum.Enum):
    """The operators that compute with two numbers."""

    ADD = "+"
    SUB = "-"
    MUL = "*"
    DIV = "/"  # of whole numbers: the exact quotient, a fraction
    FLOOR = "//"  # the quotient rounded down
    MOD = "%"  # what `//` leaves: it has the sign of the divisor
    BIT_AND = "&"  # bit by bit, in two's complement with as many bits as it takes
    BIT_OR = "|"
    BIT_XOR = "xor"
    LEFT = "<<"  # multiplied by a power of two
    RIGHT = ">>"  # divided by a power of two, rounded down


@final
class NumberFunction(enum.Enum):
    """What is written like a call, by its name."""

    ABS = "abs"
    MIN = "min"
    MAX = "max"
    QUOT = "quot"  # C's quotient, rounded toward zero
    REM = "rem"  # C's remainder, which has the sign of the dividend
    INT8 = "int8"  # the conversions: the same number in another type
    INT16 = "int16"
    INT32 = "int32"
    INT64 = "int64"
    UINT8 = "uint8"
    UINT16 = "uint16"
    UINT32 = "uint32"
    UINT64 = "uint64"
    FLOAT16 = "float16"
    FLOAT32 = "float32"
    FLOAT64 = "float64"

    @property
    def converts(self) -> bool:
        return self.value[-1].isdigit()

    @property
    def is_total(self) -> bool:
        """Whether it has a value wherever its operands have one."""
        return self in (NumberFunction.ABS, NumberFunction.MIN, NumberFunction.MAX) or self.value.startswith("float")

    @property
    def counts(self) -> range:
        """How many numbers it takes."""
        if self in (NumberFunction.MIN, NumberFunction.MAX):
            return range(2, 1000)
        return range(2, 3) if self in (NumberFunction.QUOT, NumberFunction.REM) else range(1, 2)


# --- values ---------------------------------------------------------------------------------------------------


@final
class Name(Located, frozen=True):
    """A variable; or, if no variable has this name, a label of the enumeration it is compared with."""

    path: str  # normal form: dots, no blanks; also safe_to_enter() and decide:closest
    primed: bool = False  # after the call


@final
class Literal(Located, frozen=True):
    """A number or a character as written, or true or false."""

    text: str  # -1.5e3, 0x1f, 0x1.8p3, inf, nan; 'A'; nan(0x7fc00001) and bits(0x1f) for `is`; true, false

    def __post_init__(self) -> None:
        if not (self.is_truth or self.is_number or self.is_bits or self.code is not None):
            raise ValueError(f"{self.text!r} is no literal")

    @property
    def is_truth(self) -> bool:
        return self.text in ("true", "false")

    @property
    def is_number(self) -> bool:
        return _NUMBER.fullmatch(self.text) is not None

    @property
    def is_bits(self) -> bool:
        return _BITS.fullmatch(self.text) is not None

    @property
    def code(self) -> int | None:
        """The number of a character; None for any other literal, and beyond ASCII, where encodings differ.

        >>> Literal("'A'").code, Literal(r"'\\n'").code, Literal("65").code
        (65, 10, None)
        """
        found = _CHARACTER.fullmatch(self.text)
        if found is None:
            return None
        plain, number, escaped = found.groups()
        code = int(number, 16) if number else ord(plain or ESCAPES.get(escaped, escaped))
        return code if code < 128 else None


@final
class Label(Located, frozen=True):
    """A text in quotes: that of an array of characters, or a label of an enumeration that is no word."""

    text: str  # without the quotes


@final
class FactOf(Located, frozen=True):
    """The factual value of a variable; or its value in the scenario that an answer of a script has shown."""

    path: str
    primed: bool = False
    shown: int | None = None  # the number of that question; such a value is put in before the question is asked


@final
class Arithmetic(Located, frozen=True):
    """Two numbers, computed with by an operator."""

    op: ArithmeticOp
    left: Expression
    right: Expression


@final
class Negate(Located, frozen=True):
    """Minus a number. The operand is no literal number: `negate` makes a literal of that."""

    operand: Expression

    def __post_init__(self) -> None:
        if isinstance(self.operand, Literal) and self.operand.is_number:
            raise ValueError(f"minus {self.operand.text} is a literal of its own")


@final
class Complement(Located, frozen=True):
    """All bits of a whole number turned over: -1 - x."""

    operand: Expression


@final
class FunctionCall(Located, frozen=True):
    """A function of numbers: the least of some, or the same number in another type."""

    function: NumberFunction
    operands: tuple[Expression, ...]  # as many as the function takes


@final
class Characters(Located, frozen=True):
    """The first characters of an array of them, as many as a comparison with texts looks at.

    A question names the array; `soid.scenario.character_arrays` puts its elements in the place of the name.
    """

    elements: tuple[Name | FactOf, ...]  # at least one
    whole: bool  # whether these are all elements that the array has
    primed: bool  # after the call; elements that the call itself gives have no prime

    @property
    def array(self) -> Name | FactOf:
        """The array as a question names it."""
        first = self.elements[0]
        return replace(first, path=first.path.removesuffix("[0]"), primed=self.primed, span=self.span)


# --- formulas -------------------------------------------------------------------------------------------------


@final
class Compare(Located, frozen=True):
    """A chain of comparisons, all of which hold: `1.0 <= x <= 1.5`."""

    first: Expression
    rest: tuple[tuple[Comparison, Expression], ...]  # at least one


@final
class Between(Located, frozen=True):
    """From one value to another, both included: an item of a set, `1..3`."""

    low: Expression
    high: Expression


@final
class Member(Located, frozen=True):
    """The operand is one of some values, or in one of some ranges."""

    operand: Expression
    items: tuple[Expression | Between, ...]  # at least one


@final
class Identical(Located, frozen=True):
    """The operand has the same bits as a value, `x is -0.0`; or is any NaN, `x is nan`."""

    operand: Expression
    value: Literal | Label | Name  # a name is a label


@final
class Not(Located, frozen=True):
    """The operand does not hold."""

    operand: Expression


@final
class And(Located, frozen=True):
    """All operands hold."""

    operands: tuple[Expression, ...]  # at least two


@final
class Or(Located, frozen=True):
    """At least one operand holds."""

    operands: tuple[Expression, ...]  # at least two


@final
class Implies(Located, frozen=True):
    """If the left side holds, the right one does."""

    left: Expression
    right: Expression


@final
class Iff(Located, frozen=True):
    """Both sides hold, or neither does."""

    left: Expression
    right: Expression


@final
class SmtLib(Located, frozen=True):
    """A formula in SMT-LIB: the last resort for what the language does not say."""

    text: str
    names: tuple[Name | FactOf, ...]  # the variables that it speaks of, in the order of its symbols


@final
class Fails(Located, frozen=True):
    """The program fails: it divides by zero, aborts, reads outside an array ..."""


@final
class Decides(Located, frozen=True):
    """The program comes to a decision."""


Expression = (
    Name | Literal | Label | FactOf | Arithmetic | Negate | Complement | FunctionCall | Characters
    | Compare | Member | Identical | Not | And | Or | Implies | Iff | SmtLib | Fails | Decides
)  # fmt: skip


def negate(operand: Expression, span: TextSpan | None = None) -> Expression:
    """Minus the operand; minus a literal is the literal with the other sign.

    >>> negate(Literal("1.5")), negate(Literal("-1.5")), negate(Name("x"))
    (Literal(text='-1.5'), Literal(text='1.5'), Negate(operand=Name(path='x', primed=False)))
    """
    if isinstance(operand, Literal) and operand.is_number:
        return Literal(operand.text[1:] if operand.text.startswith("-") else f"-{operand.text}", span=span)
    return Negate(operand, span=span)


def call(function: NumberFunction, operands: tuple[Expression, ...], span: TextSpan | None = None) -> FunctionCall:
    """The function of these operands; refused if it takes another number of them.

    >>> call(NumberFunction.ABS, (Name("x"), Name("y")))
    Traceback (most recent call last):
    soid.errors.QueryError: abs takes one number, and this is 2
    Write abs(x).
    """
    if len(operands) not in function.counts:
        least = function.counts[0]
        takes = "one number" if least == 1 else "two numbers" if len(function.counts) == 1 else "two numbers or more"
        shape = "x" if least == 1 else "x, y"
        raise QueryError(
            f"{function.value} takes {takes}, and this is {len(operands)}", f"Write {function.value}({shape})."
        )
    return FunctionCall(function, operands, span=span)


# --- walking --------------------------------------------------------------------------------------------------

Node = TypeVar("Node", bound=Located)

#: nodes without parts
_PLAIN: Final = (Name, Literal, Label, FactOf, Fails, Decides)
_LEAVES: Final = frozenset(_PLAIN)
_SPEAKING: Final = frozenset({Name, FactOf, Fails, Decides})


def children(node: Located) -> tuple[Expression | Between, ...]:
    """The parts of a node, in the order in which they are written."""
    if isinstance(node, _PLAIN):
        return ()
    if isinstance(node, Compare):  # most questions have many of these
        return (node.first, *[operand for _, operand in node.rest])
    found: list[Expression | Between] = []
    _collect([getattr(node, name) for name in node.__struct_fields__], found)
    return tuple(found)


def _collect(values: Iterable[Any], found: list[Expression | Between]) -> None:
    for value in values:
        if isinstance(value, tuple):
            _collect(value, found)
        elif isinstance(value, Located):
            found.append(value)  # type: ignore[arg-type]


def rebuilt(node: Located, change: Callable[[Any], Any]) -> Any:
    """The node with `change` applied to each of its parts; minus a literal number becomes a literal."""
    changed = {name: _changed(getattr(node, name), change) for name in node.__struct_fields__}
    return negate(**changed) if isinstance(node, Negate) else replace(node, **changed)


def _changed(part: Any, change: Callable[[Any], Any]) -> Any:
    if isinstance(part, tuple):
        return tuple(_changed(each, change) for each in part)
    return change(part) if isinstance(part, Located) else part


def moved(node: Node, span: TextSpan | None) -> Node:
    """The node with one span for itself and all nodes below it."""
    here: Node = rebuilt(node, lambda part: moved(part, span))
    return replace(here, span=span)


def walk(root: Located) -> Iterator[Expression | Between]:
    """The node and all nodes below it, in preorder."""
    yield root  # type: ignore[misc]
    yield from root.below


_PARTIAL: Final = frozenset({
    ArithmeticOp.DIV, ArithmeticOp.FLOOR, ArithmeticOp.MOD, ArithmeticOp.LEFT, ArithmeticOp.RIGHT
})  # fmt: skip


def is_partial(node: Expression | Between) -> bool:
    """Whether a node may have no value though its parts have one: a quotient by zero, a number that does not fit."""
    match node:
        case Arithmetic(op):
            return op in _PARTIAL
        case FunctionCall(function):
            return not function.is_total
        case _:
            return isinstance(node, SmtLib)


def check_depth(root: Expression) -> None:
    """Refuse an expression nested deeper than `MAX_DEPTH`."""
    if len(root.below) < MAX_DEPTH:
        return
    level: list[Expression | Between] = [root]
    for _ in range(MAX_DEPTH):
        level = [child for node in level for child in children(node)]
        if not level:
            return
    error = QueryError(
        f"the question is nested more than {MAX_DEPTH} levels deep", "Ask it as several questions, or with fewer signs."
    )
    raise placed(error, level[0].span)


# --- where an error is ----------------------------------------------------------------------------------------


def placed(error: QueryError, span: TextSpan | None) -> QueryError:
    """The error with its place in the text. A place that is already set stays."""
    if span is not None:
        vars(error).setdefault("span", span)
    return error


def error_at(span: TextSpan | None, cause: str, remedy: str = "") -> QueryError:
    return placed(QueryError(cause, remedy), span)


def span_of(error: QueryError) -> TextSpan | None:
    """The place of an error in the text, if it is known."""
    span: TextSpan | None = vars(error).get("span")
    return span


@final
class pointing_at:  # noqa: N801 it is used as a function; a generator would take as long as what is done inside
    """Sets the place of errors raised inside, unless it is set already."""

    __slots__ = ("_span",)

    def __init__(self, span: TextSpan | None) -> None:
        self._span = span

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if error is not None and isinstance(error, QueryError):
            placed(error, self._span)
