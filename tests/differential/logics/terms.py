"""Expressions of a decision logic: each is its SMT-LIB text and the Python function that computes it."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from tests.differential.logics.kinds import (
    Kind,
    Value,
    decode,
    encode,
    rounded,
    smt_sort,
    smt_value,
)

State = Mapping[str, int]  # bits of each input


@dataclass(frozen=True)
class Expr:
    smt: str
    run: Callable[[State], Value]  # numbers wrapped to their kind, floats rounded to theirs


@dataclass(frozen=True)
class Input:
    """An input as expressions read it."""

    name: str
    kind: Kind
    smt_name: str  # with bars where they are needed
    as_bits: bool  # declared as a bit-vector although it is a float or a bool

    @property
    def declared(self) -> str:
        if self.as_bits:
            return f"(_ BitVec {8 if self.kind.sort == 'bool' else self.kind.width})"
        return smt_sort(self.kind)

    def read(self) -> Expr:
        name, kind = self.name, self.kind
        smt = self.smt_name
        if self.as_bits and kind.sort == "bool":
            smt = f"(not (= {smt} #x00))"
        elif self.as_bits and kind.sort == "float":
            smt = f"((_ to_fp {smt_sort(kind)[len('(_ FloatingPoint ') : -1]}) {smt})"
        return Expr(smt, lambda state: decode(kind, state[name]))


def constant(kind: Kind, bits: int) -> Expr:
    value = decode(kind, bits)
    return Expr(smt_value(kind, bits), lambda _: value)


def _same_float(a: Value, b: Value) -> bool:
    """SMT-LIB's `=`: one NaN, two zeros."""
    if math.isnan(a) or math.isnan(b):
        return math.isnan(a) and math.isnan(b)
    return a == b and math.copysign(1, a) == math.copysign(1, b)


def binary(op: str, a: Expr, b: Expr, compute: Callable[[Value, Value], Value]) -> Expr:
    left, right = a.run, b.run
    return Expr(f"({op} {a.smt} {b.smt})", lambda state: compute(left(state), right(state)))


def unary(op: str, a: Expr, compute: Callable[[Value], Value]) -> Expr:
    inner = a.run
    return Expr(f"({op} {a.smt})", lambda state: compute(inner(state)))


def choice(condition: Expr, a: Expr, b: Expr) -> Expr:
    test, left, right = condition.run, a.run, b.run
    return Expr(f"(ite {condition.smt} {a.smt} {b.smt})", lambda state: left(state) if test(state) else right(state))


def negation(a: Expr) -> Expr:
    return unary("not", a, lambda x: not x)


_CONNECTIVES: dict[str, Callable[[Value, Value], Value]] = {
    "and": lambda a, b: bool(a and b),
    "or": lambda a, b: bool(a or b),
    "xor": lambda a, b: bool(a) != bool(b),
    "=>": lambda a, b: bool(not a or b),
}
_ORDERS: dict[str, Callable[[Value, Value], Value]] = {
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
}
_FLOAT_ORDERS: dict[str, Callable[[Value, Value], Value]] = {
    "fp.lt": lambda a, b: a < b,
    "fp.leq": lambda a, b: a <= b,
    "fp.gt": lambda a, b: a > b,
    "fp.eq": lambda a, b: a == b,
    "=": _same_float,
}
_FLOAT_TESTS: dict[str, Callable[[Value], Value]] = {
    "fp.isNaN": math.isnan,
    "fp.isInfinite": math.isinf,
    "fp.isZero": lambda a: a == 0,
    "fp.isNegative": lambda a: not math.isnan(a) and math.copysign(1, a) < 0,
}


class Maker:
    """Makes random expressions over some inputs."""

    def __init__(self, rng: random.Random, inputs: Sequence[Input], specials: Mapping[Kind, Sequence[int]]) -> None:
        self.rng = rng
        self.inputs = inputs
        self.specials = specials  # bits worth comparing with

    def of_kind(self, kind: Kind, depth: int) -> Expr:
        if kind.sort == "bool":
            return self.boolean(depth)
        known = [each.read() for each in self.inputs if each.kind == kind]
        if known and (depth <= 0 or self.rng.random() < 0.4):
            return self.rng.choice(known)
        if depth <= 0 or self.rng.random() < 0.4:
            return constant(kind, self._bits(kind))
        if self.rng.random() < 0.4 or kind.sort == "enum":
            return choice(self.boolean(depth - 1), self.of_kind(kind, depth - 1), self.of_kind(kind, depth - 1))
        return self._float(kind, depth) if kind.sort == "float" else self._integer(kind, depth)

    def _bits(self, kind: Kind) -> int:
        if kind.sort == "enum" and self.rng.random() < 0.9:
            return self.rng.choice(kind.labels)[1] & kind.mask
        if kind.sort == "float":
            return self.rng.choice(self.specials[kind])
        return self.rng.randrange(1 << kind.width)

    def _integer(self, kind: Kind, depth: int) -> Expr:
        def wrapped(value: Value) -> Value:
            return decode(kind, encode(kind, value))

        a, b = self.of_kind(kind, depth - 1), self.of_kind(kind, depth - 1)
        op = self.rng.choice(["bvadd", "bvsub", "bvmul", "bvand", "bvudiv"])
        compute: Callable[[Value, Value], Value]
        if op == "bvudiv":
            # over the bits, whatever they stand for; a division by zero gives all ones
            def compute(x: Value, y: Value) -> Value:
                top, bottom = encode(kind, x), encode(kind, y)
                return decode(kind, top // bottom if bottom else kind.mask)
        elif op == "bvand":

            def compute(x: Value, y: Value) -> Value:
                return decode(kind, encode(kind, x) & encode(kind, y))
        elif op == "bvmul":

            def compute(x: Value, y: Value) -> Value:
                return wrapped(x * y)
        elif op == "bvsub":

            def compute(x: Value, y: Value) -> Value:
                return wrapped(x - y)
        else:

            def compute(x: Value, y: Value) -> Value:
                return wrapped(x + y)

        return binary(op, a, b, compute)

    def _float(self, kind: Kind, depth: int) -> Expr:
        a = self.of_kind(kind, depth - 1)
        op = self.rng.choice(["fp.neg", "fp.abs", "fp.add RNE", "fp.sub RNE", "fp.mul RNE"])
        if op == "fp.neg":
            return unary(op, a, lambda x: -x)
        if op == "fp.abs":
            return unary(op, a, abs)
        b = self.of_kind(kind, depth - 1)
        if op == "fp.add RNE":
            return binary(op, a, b, lambda x, y: rounded(kind, x + y))
        if op == "fp.sub RNE":
            return binary(op, a, b, lambda x, y: rounded(kind, x - y))
        return binary(op, a, b, lambda x, y: rounded(kind, x * y))

    def boolean(self, depth: int) -> Expr:
        if depth > 0 and self.rng.random() < 0.35:
            op = self.rng.choice(["not", *_CONNECTIVES])
            if op == "not":
                return negation(self.boolean(depth - 1))
            return binary(op, self.boolean(depth - 1), self.boolean(depth - 1), _CONNECTIVES[op])
        subject = self.rng.choice(self.inputs)
        kind, read = subject.kind, subject.read()
        if kind.sort == "bool":
            return read
        if kind.sort == "float" and self.rng.random() < 0.3:
            test = self.rng.choice(list(_FLOAT_TESTS))
            return unary(test, read, _FLOAT_TESTS[test])
        other = self.of_kind(kind, depth - 1)
        if kind.sort == "float":
            order = self.rng.choice(list(_FLOAT_ORDERS))
            return binary(order, read, other, _FLOAT_ORDERS[order])
        if kind.sort == "enum" or self.rng.random() < 0.3:
            return binary("=", read, other, lambda a, b: a == b)
        order = self.rng.choice(list(_ORDERS))
        return binary(f"bv{'s' if kind.signed else 'u'}{order}", read, other, _ORDERS[order])

    def converted(self, kind: Kind) -> tuple[Expr, Callable[[State], bool]] | None:
        """A float input cut down to a whole number, and where that means something at all."""
        floats = [each.read() for each in self.inputs if each.kind.sort == "float"]
        if not floats or kind.sort != "int":
            return None
        source = self.rng.choice(floats)
        low, high = (-(1 << kind.width - 1), (1 << kind.width - 1) - 1) if kind.signed else (0, kind.mask)

        def fits(state: State) -> bool:
            value = source.run(state)
            return math.isfinite(value) and low <= math.trunc(value) <= high

        op = f"(_ fp.to_{'s' if kind.signed else 'u'}bv {kind.width})"
        return (
            Expr(f"({op} RTZ {source.smt})", lambda state: math.trunc(source.run(state)) if fits(state) else 0),
            fits,
        )
