"""Builds the nodes for each rule of the grammar.

The builder runs during parsing, so it does not recurse and depth does not matter. Suppositions such as `keep x` are no
formulas: they may only be operands of an `and` at the top, and are refused anywhere else.
"""

from __future__ import annotations

import re
from typing import Any, Final, cast, final

from lark import Token, Transformer
from msgspec.structs import replace

from soid.program.interface import normal_path
from soid.query.behavior import Behavior
from soid.query.every_input import EVERY_INPUT
from soid.query.lives import NO_BEHAVIOR, LifeRelation, Lives, way_of
from soid.query.query import Query, QueryKind
from soid.query.steps import Over, Steps
from soid.scenario import expression as ex
from soid.scenario.expression import (
    ESCAPES,
    ArithmeticOp,
    Comparison,
    Expression,
    Located,
    NumberFunction,
    TextSpan,
    check_depth,
    error_at,
    negate,
    pointing_at,
)
from soid.scenario.future import Future
from soid.scenario.supposition import (
    AnyBits,
    Anything,
    During,
    Keep,
    Satisfies,
    Supposition,
    Untimed,
    Within,
    supposition_text,
)
from soid.scenario.written_step import written_step

_BLANKS_INSIDE: Final = re.compile(r"\w\s+\w")
_SIGNS: Final = {each.value: each for each in Comparison}


@final
class _Conjunction(Located, frozen=True):
    """An `and`. Whether it joins suppositions or formulas is known later."""

    parts: tuple[_Built, ...]


@final
class _Items(Located, frozen=True):
    """The items of a set."""

    items: tuple[Expression | ex.Between, ...]


_Built = Expression | Supposition | _Conjunction

#: the same as classes: `isinstance` with a union takes ten times as long, and every part of every question is asked
_SUPPOSITIONS: Final = frozenset({Anything, AnyBits, Keep, Within, Satisfies, During})


def span_over(*parts: Any) -> TextSpan:
    """The span from the first part to the last; parts are tokens or nodes."""
    first, last = parts[0], parts[-1]
    start = first.start_pos if isinstance(first, Token) else first.span.start
    end = last.end_pos if isinstance(last, Token) else last.span.end
    assert start is not None and end is not None
    return TextSpan(start, end)


def as_formula(part: _Built) -> Expression:
    """The part as a formula; a supposition inside one is an error."""
    if isinstance(part, _Conjunction):
        return ex.And(tuple(as_formula(each) for each in part.parts), span=part.span)
    if part.__class__ in _SUPPOSITIONS:
        supposed = cast("Supposition", part)
        raise error_at(
            supposed.span,
            f"`{supposition_text(supposed)}` is no formula: it stands after `if`, and only `and` may join it to others",
            _instead(supposed),
        )
    return part  # type: ignore[return-value] # nothing else is left


def _instead(part: Supposition) -> str:
    if isinstance(part, Within):
        share = f"{part.share} / 100 * abs(fact({part.path}))" if part.share is not None else part.distance
        return f"Write abs({part.path} - fact({part.path})) <= {share}."
    return "Take it out of this formula, and put it after `if`, joined by `and`."


def as_suppositions(part: _Built) -> tuple[Supposition, ...]:
    parts = part.parts if isinstance(part, _Conjunction) else (part,)
    found: list[Supposition] = []
    for each in parts:
        if isinstance(each, Supposition):
            found.append(each)
        else:
            formula = as_formula(each)
            check_depth(formula)
            found.append(Satisfies(formula, span=each.span))
    return tuple(found)


def as_behavior(part: _Built) -> Behavior:
    formula = as_formula(part)
    check_depth(formula)
    return Behavior(formula, span=part.span)


def _variable(part: _Built, says: str) -> str:
    """The path of the variable that a supposition is about."""
    if isinstance(part, ex.Name) and not part.primed:
        return part.path
    primed = isinstance(part, ex.Name)
    raise error_at(
        part.span,
        "a supposition speaks of what comes before the call" if primed else f"only a variable can {says}",
        f"Write it without the prime: {part.path}." if isinstance(part, ex.Name) else "Name the variable.",
    )


class Builder(Transformer[Token, Any]):
    """One method for each alias of the grammar; it turns the children into a node."""

    def question(self, parts: list[Any]) -> Query:
        kind, formula, *steps = parts
        return Query(QueryKind(str(kind)), as_behavior(formula), steps=next(iter(steps), None))

    def question_if(self, parts: list[Any]) -> Query:
        kind, formula, *steps, _, suppositions = parts
        supposed = as_suppositions(suppositions)
        return Query(QueryKind(str(kind)), as_behavior(formula), supposed, next(iter(steps), None))

    def question_of_pairs(self, parts: list[Any]) -> Query:
        kind, outcome, _, changes, *rest = parts
        population = next((each for each in rest if not isinstance(each, Token)), None)
        lives = Lives(outcome, changes) if population is None else Lives(outcome, changes, *population)
        return Query(QueryKind(str(kind)), NO_BEHAVIOR, lives=lives)

    def relations(self, parts: list[Any]) -> tuple[LifeRelation, ...]:
        return tuple(part for part in parts if isinstance(part, LifeRelation))

    def relation(self, parts: list[Any]) -> LifeRelation:
        variable, words, *distance = parts
        denied, way = way_of(str(words))
        most, percent = (distance[0].text, len(distance) > 1) if distance else ("", False)
        span = span_over(variable, parts[-1])
        return LifeRelation(variable.path, way, variable.primed, denied, most, percent, span=span)

    def population(self, parts: list[Any]) -> tuple[tuple[Supposition, ...], str]:
        words = str(parts[0]).replace(",", " ").split()
        if (len(words) > 3) != (len(parts) > 1):
            raise error_at(
                span_over(*parts), "a condition follows `with`", f"Write: for every {words[2]} with 18 <= age <= 90."
            )
        return (as_suppositions(parts[1]) if len(parts) > 1 else ()), words[2]

    def behavior(self, parts: list[Any]) -> Behavior:
        return as_behavior(parts[0])

    def suppositions(self, parts: list[Any]) -> tuple[Supposition, ...]:
        return as_suppositions(parts[0])

    def steps(self, parts: list[Any]) -> Steps:
        word, count = parts
        number, _, *future = count.split()
        with pointing_at(span_over(*parts)):
            return Steps(Over(str(word)), int(number), Future(" ".join(future)) if future else None)

    # formulas

    def disjunction(self, parts: list[Any]) -> Expression:
        return ex.Or(tuple(as_formula(part) for part in parts[::2]), span=span_over(*parts))

    def implication(self, parts: list[Any]) -> Expression:
        return ex.Implies(as_formula(parts[0]), as_formula(parts[2]), span=span_over(*parts))

    def equivalence(self, parts: list[Any]) -> Expression:
        return ex.Iff(as_formula(parts[0]), as_formula(parts[2]), span=span_over(*parts))

    def conjunction(self, parts: list[Any]) -> _Conjunction:
        return _Conjunction(tuple(parts[::2]), span=span_over(*parts))

    def negation(self, parts: list[Any]) -> Expression:
        return ex.Not(as_formula(parts[1]), span=span_over(*parts))

    def parentheses(self, parts: list[Any]) -> _Built:
        inner: _Built = parts[1]
        inner = as_formula(inner) if isinstance(inner, _Conjunction) else inner
        return replace(inner, span=span_over(*parts))

    # comparisons

    def chain(self, parts: list[Any]) -> Expression:
        first, *operands = map(as_formula, parts[::2])
        signs = map(_SIGNS.__getitem__, parts[1::2])
        return ex.Compare(first, tuple(zip(signs, operands, strict=True)), span=span_over(*parts))

    def member(self, parts: list[Any]) -> Expression:
        return ex.Member(as_formula(parts[0]), parts[-1].items, span=span_over(*parts))

    def not_member(self, parts: list[Any]) -> Expression:
        return ex.Not(self.member(parts), span=span_over(*parts))

    def identical(self, parts: list[Any]) -> Expression:
        return ex.Identical(as_formula(parts[0]), parts[-1], span=span_over(*parts))

    def not_identical(self, parts: list[Any]) -> Expression:
        return ex.Not(self.identical(parts), span=span_over(*parts))

    def set(self, parts: list[Any]) -> _Items:
        items = tuple(part if isinstance(part, ex.Between) else as_formula(part) for part in parts[1::2])
        return _Items(items, span=span_over(*parts))

    def between(self, parts: list[Any]) -> ex.Between:
        return ex.Between(as_formula(parts[0]), as_formula(parts[2]), span=span_over(*parts))

    # suppositions

    def anything(self, parts: list[Any]) -> Supposition:
        return Anything(_variable(parts[0], "be anything"), span=span_over(*parts))

    def any_bits(self, parts: list[Any]) -> Supposition:
        return AnyBits(_variable(parts[0], "be any bits"), span=span_over(*parts))

    def within(self, parts: list[Any]) -> Supposition:
        distance = f"{parts[2].text} %" if len(parts) == 6 else parts[2].text
        return Within(_variable(parts[0], "be near to the fact"), distance, span=span_over(*parts))

    def may_only(self, parts: list[Any]) -> Expression:
        """A direction: not below the fact, or not above it."""
        name, direction = _variable(parts[0], "rise or fall"), str(parts[1]).split()[-1]
        sign = Comparison.GE if direction == "rise" else Comparison.LE
        fact = ex.FactOf(name, False, span=span_over(*parts))
        return ex.Compare(as_formula(parts[0]), ((sign, fact),), span=span_over(*parts))

    def during(self, parts: list[Any]) -> Supposition:
        supposed = _to_be_timed(parts[0])
        word, _, steps = " ".join(str(parts[1]).split()).partition(" ")
        begins, _, ends = ("", "", steps) if word == "to" else steps.partition(" to ")
        first, last = (written_step(each) if each else None for each in (begins, ends))
        with pointing_at(span_over(*parts)):
            return During.of(supposed, word, first, last, span_over(*parts))

    def until(self, parts: list[Any]) -> Supposition:
        supposed, *begins, _, condition = parts
        begun = self.during([supposed, *begins]) if begins else During(_to_be_timed(supposed), None, None)
        assert isinstance(begun, During), "it is made so"
        return begun.ending(as_formula(condition), span_over(*parts))

    def until_step(self, parts: list[Any]) -> Supposition:
        """Refuse a step in the place of a condition: it is written with another word."""
        _, _, step = " ".join(str(parts[-1]).split()).partition(" ")
        raise error_at(
            span_over(parts[-1]),
            f"`until` is followed by what the program does, not by when: {step}",
            f"Write `to {step}`, which includes that step: `x == 1 to {step}`, `x == 1 from step A to {step}`.",
        )

    def keep(self, parts: list[Any]) -> Supposition:
        return Keep(_variable(parts[1], "be kept"), span=span_over(*parts))

    # values

    def arithmetic(self, parts: list[Any]) -> Expression:
        left, sign, right = parts
        return ex.Arithmetic(ArithmeticOp(str(sign)), as_formula(left), as_formula(right), span=span_over(*parts))

    def minus(self, parts: list[Any]) -> Expression:
        return negate(as_formula(parts[1]), span=span_over(*parts))

    def complement(self, parts: list[Any]) -> Expression:
        return ex.Complement(as_formula(parts[1]), span=span_over(*parts))

    def call(self, parts: list[Any]) -> Expression:
        function, operands = NumberFunction(str(parts[0])), tuple(as_formula(part) for part in parts[2::2])
        with pointing_at(span_over(*parts)):
            return ex.call(function, operands, span_over(*parts))

    def smtlib(self, parts: list[Any]) -> Expression:
        from soid.scenario.smtlib_formula import smtlib_formula  # loaded on demand: few questions need a reader

        with pointing_at(span_over(parts[2])):
            return smtlib_formula(unquoted(str(parts[2])), span_over(*parts))

    def variable(self, parts: list[Any]) -> Expression:
        return ex.Name(parts[0].path, primed=len(parts) == 2, span=span_over(*parts))

    def fact_of(self, parts: list[Any]) -> Expression:
        return ex.FactOf(parts[2].path, parts[2].primed, span=span_over(*parts))

    def path(self, parts: list[Any]) -> ex.Name:
        text = str(parts[0])
        bare = text[1:-1].replace("``", "`") if text.startswith("`") else text
        is_path = not _BLANKS_INSIDE.search(bare)  # else it is the name of a model's feature, as its file has it
        return ex.Name(normal_path(bare) if is_path else bare, span=span_over(*parts))

    def every_input(self, parts: list[Any]) -> ex.Name:
        return ex.Name(EVERY_INPUT, span=span_over(*parts))

    def behind(self, parts: list[Any]) -> ex.Name:
        return ex.Name(f"*{parts[1].path}", span=span_over(*parts))

    def literal(self, parts: list[Any]) -> ex.Literal:
        text = str(parts[0])
        if text.startswith("'"):
            text = _character(text, span_over(*parts))
        return ex.Literal(text, span=span_over(*parts))

    def number(self, parts: list[Any]) -> ex.Literal:
        return ex.Literal("".join(parts), span=span_over(*parts))

    def label(self, parts: list[Any]) -> ex.Label:
        return ex.Label(unquoted(str(parts[0])), span=span_over(*parts))

    def constant(self, parts: list[Any]) -> ex.Literal | ex.Label | ex.Name:
        part = parts[0]
        if isinstance(part, ex.Literal | ex.Name):
            return part
        return self.label(parts) if part.type == "LABEL" else self.literal(parts)

    def fails(self, parts: list[Any]) -> Expression:
        return ex.Fails(span=span_over(*parts))

    def decides(self, parts: list[Any]) -> Expression:
        return ex.Decides(span=span_over(*parts))


def _to_be_timed(part: Any) -> Untimed:
    """What steps are said of."""
    (supposed,) = as_suppositions(as_formula(part) if isinstance(part, _Conjunction) else part)
    if isinstance(supposed, Keep | During):
        raise error_at(
            supposed.span,
            f"`{supposition_text(supposed)}` takes no steps",
            "What is not supposed to differ is as the future says: `as logged`, `held` or `anything`.",
        )
    return supposed


def _character(text: str, span: TextSpan) -> str:
    """A character as it is written; refused if it has no number that every encoding agrees on."""
    try:
        return ex.Literal(text).text
    except ValueError:
        raise error_at(
            span,
            f"{text} has another number in each encoding",
            "Write the number of one byte, or compare an array of characters with a text in quotes, which is UTF-8.",
        ) from None


_ESCAPED: Final = re.compile(r"\\(?:x([0-9a-fA-F]{2})|(.))")


def unquoted(text: str) -> str:
    r"""A text without its quotes and escapes: `\"`, `\\`, `\n`, `\t` and others of C, `\x41`.

    >>> unquoted(r'"a \"b\" \x41\n"')
    'a "b" A\n'
    """
    return _ESCAPED.sub(
        lambda found: chr(int(found[1], 16)) if found[1] else ESCAPES.get(found[2], found[2]), text[1:-1]
    )
