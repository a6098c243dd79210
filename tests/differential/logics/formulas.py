"""Formulas of questions: each is its text and the Python function that says whether it holds, fails to, or neither.

Whole numbers are exact, floats round to their own format and compare as programs compare them; what has no value (a
decision of a program that failed) makes a formula neither true nor false, in Kleene's sense.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from tests.differential.logics.kinds import Kind, Value, decode, is_nan, plain, rounded, text_of
from tests.differential.logics.logic import DECIDES, FAILS, SPECIALS, Outcome

Three = bool | None


@dataclass(frozen=True)
class Moment:
    """One state, what the logic does there, and the fact."""

    state: Mapping[str, int]
    outcome: Outcome | None  # None: nobody may look at it (in suppositions)
    fact: Mapping[str, int]  # bits of inputs and of outputs as far as known


@dataclass(frozen=True)
class Operand:
    text: str
    kind: Kind
    bits: Callable[[Moment], int | None] | None  # None: it is computed, and has a value only
    value: Callable[[Moment], Value | None]
    mentions: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Formula:
    text: str
    holds: Callable[[Moment], Three]
    mentions: frozenset[str] = frozenset()  # inputs
    endings: bool = False  # whether it says `fails` or `decides`


def operand(text: str, kind: Kind, bits: Callable[[Moment], int | None], mentions: frozenset[str]) -> Operand:
    def value(moment: Moment) -> Value | None:
        found = bits(moment)
        return None if found is None else decode(kind, found)

    return Operand(text, kind, bits, value, mentions)


def input_of(name: str, kind: Kind) -> Operand:
    return operand(name, kind, lambda moment: moment.state[name], frozenset({name}))


def output_of(name: str, kind: Kind) -> Operand:
    def bits(moment: Moment) -> int | None:
        assert moment.outcome is not None
        return moment.outcome.outputs.get(name)

    return operand(name, kind, bits, frozenset())


def fact_of(name: str, kind: Kind) -> Operand:
    return operand(f"fact({name})", kind, lambda moment: moment.fact.get(name), frozenset())


# --- connectives ----------------------------------------------------------------------------------------------


def both(parts: Sequence[Formula], word: str = "and") -> Formula:
    """All of them; with the word `or`, one of them."""
    stops = word == "or"

    def holds(moment: Moment) -> Three:
        found = [part.holds(moment) for part in parts]
        if stops in found:
            return stops
        return None if None in found else not stops

    text = f" {word} ".join(f"({part.text})" for part in parts)
    mentions = frozenset().union(*(part.mentions for part in parts))
    return Formula(text, holds, mentions, any(part.endings for part in parts))


def opposite(part: Formula) -> Formula:
    def holds(moment: Moment) -> Three:
        found = part.holds(moment)
        return None if found is None else not found

    return Formula(f"not ({part.text})", holds, part.mentions, part.endings)


def _ending(word: str, ending: str) -> Formula:
    def holds(moment: Moment) -> Three:
        assert moment.outcome is not None
        return moment.outcome.ending == ending

    return Formula(word, holds, endings=True)


ENDINGS = (_ending("fails", FAILS), _ending("decides", DECIDES))

# --- comparisons ----------------------------------------------------------------------------------------------

_ORDERS: dict[str, Callable[[Value, Value], bool]] = {
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}
_EQUALITIES: dict[str, Callable[[Value, Value], bool]] = {"==": lambda a, b: a == b, "!=": lambda a, b: a != b}
_ALL = _ORDERS | _EQUALITIES


def compared(a: Operand, op: str, b: Operand) -> Formula:
    test, left, right = _ALL[op], a.value, b.value

    def holds(moment: Moment) -> Three:
        x, y = left(moment), right(moment)
        return None if x is None or y is None else test(x, y)

    return Formula(f"{a.text} {op} {b.text}", holds, a.mentions | b.mentions)


def number(kind: Kind, text: str) -> Operand:
    """A number as written; for a float it is rounded to the float's format."""
    value: Value
    if kind.sort == "float":
        value = rounded(kind, float.fromhex(text) if "x" in text else float(text))
    else:
        value = float(text) if "." in text or "inf" in text else int(text)
    return Operand(text, kind, None, lambda _: value)


def _given(text: str, kind: Kind, value: Value) -> Operand:
    return Operand(text, kind, None, lambda _: value)


def same_bits(a: Operand, bits: int) -> Formula:
    """`is`: the bits; any NaN where a plain `nan` is written."""
    assert a.bits is not None
    any_nan = is_nan(a.kind, bits) and plain(a.kind, bits) == bits
    read = a.bits

    def holds(moment: Moment) -> Three:
        found = read(moment)
        if found is None:
            return None
        return is_nan(a.kind, found) if any_nan else found == bits

    return Formula(f"{a.text} is {text_of(a.kind, bits)}", holds, a.mentions)


def one_of(a: Operand, items: Sequence[tuple[Operand, Operand]]) -> Formula:
    """`in {1, 2..3}`: each item from one value to another."""
    links = [
        compared(a, "==", low) if low is high else both([compared(a, ">=", low), compared(a, "<=", high)])
        for low, high in items
    ]
    text = ", ".join(low.text if low is high else f"{low.text}..{high.text}" for low, high in items)
    whole = both(links, "or")
    return Formula(f"{a.text} in {{{text}}}", whole.holds, whole.mentions)


def chain(low: Operand, a: Operand, high: Operand, ops: tuple[str, str]) -> Formula:
    whole = both([compared(low, ops[0], a), compared(a, ops[1], high)])
    return Formula(f"{low.text} {ops[0]} {a.text} {ops[1]} {high.text}", whole.holds, whole.mentions)


def arithmetic(a: Operand, op: str, b: Operand) -> Operand:
    compute: dict[str, Callable[[Value, Value], Value]] = {
        "+": lambda x, y: x + y,
        "-": lambda x, y: x - y,
        "*": lambda x, y: x * y,
    }
    kind = a.kind if a.kind.width >= b.kind.width else b.kind

    def value(moment: Moment) -> Value | None:
        x, y = a.value(moment), b.value(moment)
        if x is None or y is None:
            return None
        result = compute[op](x, y)
        return rounded(kind, result) if kind.sort == "float" else result

    return Operand(f"({a.text} {op} {b.text})", kind, None, value, a.mentions | b.mentions)


def absolute(a: Operand) -> Operand:
    def value(moment: Moment) -> Value | None:
        found = a.value(moment)
        return None if found is None else abs(found)

    return Operand(f"abs({a.text})", a.kind, None, value, a.mentions)


# --- random ones ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Writer:
    """Writes random formulas over some operands."""

    rng: random.Random
    operands: Sequence[Operand]
    extras: Sequence[Formula] = field(default=())  # atoms of another kind: fails, decides

    def formula(self, depth: int) -> Formula:
        if depth > 0 and self.rng.random() < 0.45:
            way = self.rng.choice(["not", "and", "or"])
            if way == "not":
                return opposite(self.formula(depth - 1))
            return both([self.formula(depth - 1) for _ in range(self.rng.randint(2, 3))], way)
        if self.extras and self.rng.random() < 0.2:
            return self.rng.choice(self.extras)
        return self.atom(self.rng.choice(self.operands))

    def atom(self, a: Operand) -> Formula:
        match a.kind.sort:
            case "bool":
                return self._about_bool(a)
            case "enum":
                return self._about_enum(a)
            case "int":
                return self._about_int(a)
            case _:
                return self._about_float(a)

    def _peer(self, a: Operand, *, exactly: bool) -> Operand | None:
        """Another operand that it can be compared with."""
        peers = [
            b for b in self.operands if b is not a and (b.kind == a.kind if exactly else b.kind.sort == a.kind.sort)
        ]
        return self.rng.choice(peers) if peers else None

    def _about_bool(self, a: Operand) -> Formula:
        peer = self._peer(a, exactly=True)
        if peer and self.rng.random() < 0.4:
            return compared(a, self.rng.choice(["==", "!="]), peer)
        if self.rng.random() < 0.5:
            value = a.value
            return Formula(a.text, lambda moment: None if value(moment) is None else bool(value(moment)), a.mentions)
        bits = self.rng.randint(0, 1)
        word = text_of(a.kind, bits) if self.rng.random() < 0.8 else str(bits)
        return compared(a, self.rng.choice(["==", "!="]), Operand(word, a.kind, None, lambda _: bool(bits)))

    def _about_enum(self, a: Operand) -> Formula:
        peer = self._peer(a, exactly=True)
        if peer and self.rng.random() < 0.3:
            return compared(a, self.rng.choice(["==", "!="]), peer)
        if self.rng.random() < 0.4:
            some = self.rng.sample(a.kind.labels, self.rng.randint(1, 2))
            labels = [_given(label, a.kind, value) for label, value in some]
            return one_of(a, [(label, label) for label in labels])
        bits = self.rng.choice(a.kind.labels)[1] & a.kind.mask
        if self.rng.random() < 0.15:
            bits = self.rng.randrange(1 << a.kind.width)
        value = decode(a.kind, bits)
        text = text_of(a.kind, bits)
        if text[0].isalpha() and self.rng.random() < 0.2:
            text = f'"{text}"'
        return compared(a, self.rng.choice(["==", "!="]), Operand(text, a.kind, None, lambda _: value))

    def _about_int(self, a: Operand) -> Formula:
        if self.rng.random() < 0.05:
            value = a.value
            return Formula(a.text, lambda moment: None if value(moment) is None else value(moment) != 0, a.mentions)
        peer = self._peer(a, exactly=False)
        order = self.rng.choice(list(_ORDERS))
        if peer and self.rng.random() < 0.5:
            if self.rng.random() < 0.5:
                return compared(a, self.rng.choice(list(_ALL)), peer)
            left = arithmetic(a, self.rng.choice("+-*"), peer)
            if self.rng.random() < 0.3:
                left = absolute(left)
            return compared(left, order, self._bound(a))
        low, high = sorted(self.rng.sample(range(1 << a.kind.width), 2))
        if a.kind.signed:
            low, high = low - (1 << a.kind.width - 1), high - (1 << a.kind.width - 1)
        lower, upper = number(a.kind, str(low)), number(a.kind, str(high))
        way = self.rng.randrange(4)
        if way == 0:
            return compared(a, self.rng.choice(["==", "!="]), lower)
        if way == 1:
            return one_of(a, [(lower, upper)] if self.rng.random() < 0.5 else [(lower, lower), (upper, upper)])
        if way == 2:
            return chain(lower, a, upper, (self.rng.choice(["<", "<="]), self.rng.choice(["<", "<="])))
        return compared(a, order, self._bound(a))

    def _bound(self, a: Operand) -> Operand:
        return number(a.kind, self.rng.choice(["0", "1", "2", "3", "-1", "-3", "2.5", "7", "300", "-inf"]))

    def _about_float(self, a: Operand) -> Formula:
        peer = self._peer(a, exactly=False)
        if peer and self.rng.random() < 0.35:
            if self.rng.random() < 0.6:
                return compared(a, self.rng.choice(list(_ALL)), peer)
            left = arithmetic(a, self.rng.choice("+-*"), peer)
            order = self.rng.choice(list(_ORDERS))
            return compared(left, order, number(left.kind, self._literal(a).text))  # in the wider format of the two
        if a.bits is not None and self.rng.random() < 0.35:
            return same_bits(a, self._pattern(a))
        if self.rng.random() < 0.2:
            a = absolute(a)
        way = self.rng.randrange(3)
        if way == 0:
            return compared(a, self.rng.choice(list(_ALL)), self._literal(a))
        low, high = sorted((self._literal(a) for _ in range(2)), key=_as_written)
        if way == 1:
            return one_of(a, [(low, high)] if self.rng.random() < 0.5 else [(low, low), (high, high)])
        return chain(low, a, high, (self.rng.choice(["<", "<="]), self.rng.choice(["<", "<="])))

    def _pattern(self, a: Operand) -> int:
        """Bits for `is`; those of a NaN other than the plain one only where the bits are known, as inputs' are."""
        bits = self.rng.choice(SPECIALS[a.kind])
        return bits if a.mentions else plain(a.kind, bits)

    def _literal(self, a: Operand) -> Operand:
        if self.rng.random() < 0.3:
            return number(a.kind, self.rng.choice(["0.1", "-0.3", "2.5", "1", "0", "0x1.8p1", "1e-9"]))
        numbers = [bits for bits in SPECIALS[a.kind] if not is_nan(a.kind, bits)]
        return number(a.kind, text_of(a.kind, self.rng.choice(numbers)))


def _as_written(literal: Operand) -> float:
    """The number before it is rounded: a range may not end below its start as it is written."""
    return float.fromhex(literal.text) if "x" in literal.text else float(literal.text)
