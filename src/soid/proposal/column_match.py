"""Which column of a log has the values of which variable: by names, units, labels, comments and types.

A pair has a score. The best pairs are taken one after the other. A pair is sure if its score is high and no other
pair of the same column, or of the same variable, comes near it; all else is a guess, and says so.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final, final

from msgspec import Struct
from msgspec.structs import replace

from soid.allowance import paced
from soid.program.identifier import words_of
from soid.program.interface import Interface, Role, Variable
from soid.program.types import BoolType, EnumType, FloatType, IntType, missing_value, number
from soid.program.units import unit
from soid.proposal.column_survey import LogSurvey, SurveyedColumn
from soid.proposal.label_match import LabelMatch, match_labels
from soid.proposal.name_words import NamedWords, likeness, named_words
from soid.proposal.source_comments import SourceComment

SURE: Final = 0.6  # from here on a score needs no question
_NUMBERED: Final = re.compile(r"(?:f|x|feature|column)_?(\d{1,4})", re.IGNORECASE | re.ASCII)
_CLASS: Final = re.compile(r"class_\d+")  # how a model without names for its classes calls them
LEAST: Final = 0.3  # below it two things have nothing in common
_SCORE: Final = "score"  # of a model; applications call its probability so, too
_NEAR: Final = 0.9  # of a score: another that reaches it makes the pair unsure
_OWN, _KIND, _AROUND, _COMMENT = 1.0, 0.8, 0.6, 0.5  # what a word counts in the name, its type, its path, its comment
_SAME_UNIT: Final = 0.3
_SPELT, _NORMALISED = 2.0, 1.9  # a column is called as the program calls a variable, or as questions do
_LABELS: Final = 0.6
_NAMED: Final = 0.5  # a text of the log is a word of the variable's name


@final
class LogTarget(Struct, frozen=True):
    """A variable that a log may have: an input, a decision, or with a prime the state after the call."""

    name: str
    variable: Variable
    named: NamedWords
    kind_words: tuple[str, ...]  # of an enumeration's name
    comment: SourceComment | None
    is_exact: bool = (
        False  # the program was given what the log has, digit for digit; an answer says that it relies on it
    )
    spelling: str = ""  # how the program itself writes its name, where that is no path: a feature called "debt ratio"

    @property
    def unit(self) -> str | None:
        """The program's unit, as its name or its comment says it."""
        return self.named.unit or (self.comment.unit if self.comment else None)


@final
class ColumnMatch(Struct, frozen=True):
    """A column that has the values of a variable."""

    target: LogTarget
    column: SurveyedColumn
    score: float
    unit: str | None  # of the log's numbers
    ours: str | None  # the program's unit
    labels: LabelMatch | None
    rivals: tuple[str, ...] = ()  # other variables that it may be as well
    unit_guessed: bool = False  # nothing says that `ours` is the program's unit

    @property
    def is_sure(self) -> bool:
        guessed = self.labels is not None and bool(self.labels.guessed)
        return self.score >= SURE and not (
            self.rivals or guessed or self.lacks_unit or self.unit_guessed or self.lacks_time
        )

    @property
    def lacks_time(self) -> bool:
        """Whether it is state, and nothing says if the log has it from before the call or from after it."""
        return (
            self.target.variable.role is Role.STATE and self.column.name.removesuffix("'") != self.target.variable.path
        )

    @property
    def lacks_unit(self) -> bool:
        """Whether the log has a unit, and nothing says which one the program has."""
        return self.unit is not None and self.ours is None

    @property
    def may_be_missing(self) -> bool:
        """Whether a program can be told that its input has no value: each number of a model, by a type that says so."""
        kind = self.target.variable.type
        is_whole = isinstance(kind, IntType) and self.target.is_exact
        return (is_whole or missing_value(kind) is not None) and self.target.variable.is_input

    @property
    def own_labels(self) -> tuple[str, ...]:
        """The log's labels, in the order of the program's, where the program has numbers alone for its classes."""
        kind = self.target.variable.type
        if not isinstance(kind, EnumType) or self.labels is None:
            return ()
        texts = {label: text for text, label in self.labels.labels.items() if text.isascii() and text.isidentifier()}
        names = [label for label, _ in kind.labels]
        is_number = all(_CLASS.fullmatch(label) for label in names)
        return tuple(texts[label] for label in names) if is_number and texts.keys() == set(names) else ()

    @property
    def is_spelt(self) -> bool:
        """Whether the log calls it as questions do."""
        return self.column.name == self.target.name

    @property
    def is_named(self) -> bool:
        """Whether the log calls it as the program itself does: then it is no guess."""
        return self.column.name == (self.target.spelling or self.target.name)


def targets_of(interface: Interface, comments: Mapping[str, SourceComment], *, exact: bool = False) -> list[LogTarget]:
    """The variables that a log may have; `exact`: it has them digit for digit."""
    spellings = {path: name for name, path in interface.spellings.items()}
    known = [(each.path, each) for each in interface.inputs] + [
        (each.name, each.variable) for each in interface.outputs
    ]
    return [
        replace(_target(name, variable, comments, spellings.get(name, "")), is_exact=exact) for name, variable in known
    ]


def _target(name: str, variable: Variable, comments: Mapping[str, SourceComment], spelling: str) -> LogTarget:
    named = named_words(spelling or name.removesuffix("'"))
    if named.words == ("return",):
        named = NamedWords((), named.around, None)
    kind = variable.type
    inner = words_of(kind.name) if isinstance(kind, EnumType) else ()
    last = name.removesuffix("'").rpartition(".")[2].partition("[")[0].lstrip("*")
    return LogTarget(name, variable, named, inner, comments.get(last), spelling=spelling)


def pairs(survey: LogSurvey, targets: Sequence[LogTarget]) -> list[ColumnMatch]:
    """Every column with every variable that it may have, the best first.

    A column that is called as a variable has its values, and is compared with no other. What the program itself writes
    comes first: a model's feature `a b` may be called a_b_2 in questions, and another column so in the log.
    """
    by_name = {target.name: target for target in targets} | {each.spelling: each for each in targets if each.spelling}
    every = [(column, named_words(column.name)) for column in survey.columns]
    named = [(column, words) for column, words in every if column.rows]
    spelt = [_spelt(column, words, by_name[column.name]) for column, words in every if column.name in by_name]
    found = [match for match in spelt if match is not None]
    known, columns = {match.target.name for match in found}, {match.column.name for match in found}
    for match in [each for each in found if each.target.is_exact and each.target.name == _SCORE]:
        numbers = [each for each in targets if not each.variable.is_input and isinstance(each.variable.type, FloatType)]
        found += [replace(match, target=each, score=match.score - 0.1) for each in numbers if each.name not in known]
    rest = [target for target in targets if target.name not in known]
    for column, words in paced(named, "matching the log's columns"):
        if column.name not in columns:
            others = [matched(column, words, target) for target in rest]
            found += [match for match in others if match is not None and match.score >= LEAST]
    return sorted(found, key=lambda match: -match.score)


def _spelt(column: SurveyedColumn, words: NamedWords, target: LogTarget) -> ColumnMatch | None:
    """A column that is called as a variable.

    A model's feature is the column of its name, whatever is in it: reading the log says which value is none of it.
    """
    found = matched(column, words, target)
    if found is None and target.is_exact and target.variable.is_input:
        return ColumnMatch(target, column, _SPELT, *_units(words, target), None)
    return found


def matched(column: SurveyedColumn, words: NamedWords, target: LogTarget) -> ColumnMatch | None:
    """A column as a variable's, with its score; None if the values do not fit the variable's type."""
    labels = _labels(column, words, target) if column.rows else None
    if isinstance(labels, str):
        return None
    if column.name in (target.name, target.spelling):
        score = _SPELT if column.name == (target.spelling or target.name) else _NORMALISED
        return ColumnMatch(target, column, score, *_units(words, target), labels)
    if target.name.endswith("'") != _is_after(column, words) and target.variable.role is Role.STATE:
        return None
    score = name_score(words, target)
    if labels is not None:
        score += _LABELS * labels.share if isinstance(target.variable.type, EnumType) else _NAMED * labels.named
    if words.unit is not None and target.unit is not None:
        score += _SAME_UNIT if _measures(words.unit) == _measures(target.unit) else -1.0
    return ColumnMatch(target, column, score, *_units(words, target), labels)


def _units(words: NamedWords, target: LogTarget) -> tuple[str | None, str | None]:
    """The log's unit and the program's. A column that is called as its variable has the variable's unit."""
    if not isinstance(target.variable.type, FloatType | IntType):
        return None, None
    return words.unit, target.unit


def _is_after(column: SurveyedColumn, words: NamedWords) -> bool:
    """Whether a column says that it is what the call left."""
    return column.name.endswith("'") or bool({"after", "new", "next", "post"} & words.all)


def _measures(name: str) -> str:
    return unit(name).measures


def name_score(column: NamedWords, target: LogTarget) -> float:
    """How well a column's name fits a variable's, from 0 to 1.2."""
    own, around = target.named.words, target.named.around
    if not column.words:
        return 0.0
    comment = words_of(target.comment.text) if target.comment else ()
    places = ((own, _OWN), (target.kind_words, _KIND), (around, _AROUND), (comment, _COMMENT))
    best = [
        max((w * likeness(word, each) for words, w in places for each in words), default=0.0) for word in column.words
    ]
    covered = [max((likeness(word, each) for word in column.words), default=0.0) for each in own]
    share = sum(covered) / len(covered) if covered else 1.0
    beside = any(likeness(word, each) == 1.0 for word in column.around for each in around)
    return sum(best) / len(best) * (0.5 + 0.5 * share) + 0.2 * beside


def _labels(column: SurveyedColumn, words: NamedWords, target: LogTarget) -> LabelMatch | str | None:
    """What a column's texts mean to a variable, None for numbers; a text says why they do not fit."""
    kind = target.variable.type
    match kind:
        case FloatType() if target.is_exact and not target.variable.is_input and column.is_flag:
            return "a class, and no number of a model"
        case FloatType():
            return None if column.is_number or (kind.flags and column.is_flags) else "no numbers"
        case IntType() if column.is_number and not column.is_integral:
            same = words.unit == target.unit or words.unit is None or target.unit is None
            return "no whole numbers" if same else None  # 68.9 degF are 20.5 degC, which the program has as 20
        case IntType() if not column.is_number:  # C has no bools of its own: 1 is true, 0 is false
            flags = match_labels(BoolType(), column.texts, target.named.words) if column.has_few else None
            return "other texts" if flags is None or not flags.share else flags.as_numbers
        case IntType():
            fits = column.is_integral and column.low is not None and column.high is not None
            in_range = fits and kind.least <= column.low and column.high <= kind.greatest  # type: ignore[operator]
            return None if in_range else "no whole numbers of this type"
        case EnumType() if kind.spellings and column.is_number and column.has_few:
            found = match_labels(kind, column.texts, target.named.words)
            return "other numbers" if found is None else found if found.labels else None
        case EnumType() if column.is_whole and any(kind.number(text) is None for text in column.texts):
            known = {number(kind, value & (1 << kind.width) - 1) for _, value in kind.labels}
            return None if all(int(text.removesuffix(".0")) in known for text in column.texts) else "other numbers"
        case EnumType() if all(kind.number(text) is not None for text in column.texts):
            return None if column.is_whole else LabelMatch({}, 1.0)  # numbers say nothing of what they mean
        case EnumType() | BoolType():
            found = match_labels(kind, column.texts, target.named.words) if column.has_few else None
            return "other texts" if found is None else found


def numbered(survey: LogSurvey, targets: Sequence[LogTarget]) -> list[ColumnMatch]:
    """Columns in their order for a model whose features have numbers alone: f0, f1; no pair is sure."""
    inputs = [(target, _NUMBERED.fullmatch(target.name)) for target in targets if target.variable.is_input]
    found: list[ColumnMatch] = []
    for target, spelt in inputs:
        place = int(spelt[1]) if spelt is not None else len(survey.columns)
        if not target.is_exact or place >= len(survey.columns):
            return []
        match = matched(survey.columns[place], named_words(survey.columns[place].name), target)
        if match is None:
            return []
        found.append(replace(match, score=LEAST))
    return found


def assigned(found: Sequence[ColumnMatch]) -> list[ColumnMatch]:
    """The best pairs, no column and no variable twice; each says which others come near it."""
    taken: dict[str, ColumnMatch] = {}  # by variable
    columns: dict[str, list[ColumnMatch]] = {}  # all pairs of a column
    for match in found:
        if match.target.name not in taken and all(
            taken.get(o.target.name) is not o for o in columns.get(match.column.name, ())
        ):
            taken[match.target.name] = match
        columns.setdefault(match.column.name, []).append(match)
    return [replace(match, rivals=_rivals(match, columns[match.column.name], taken)) for match in taken.values()]


def _rivals(match: ColumnMatch, found: Sequence[ColumnMatch], taken: Mapping[str, ColumnMatch]) -> tuple[str, ...]:
    """The other variables that a column may be, unless those have a better column."""
    return tuple(
        other.target.name
        for other in found
        if other.target.name != match.target.name
        and other.score >= _NEAR * match.score
        and (other.target.name not in taken or taken[other.target.name].score <= other.score)
    )


def fitting(variable: LogTarget, columns: Sequence[SurveyedColumn]) -> list[ColumnMatch]:
    """The columns whose values fit a variable's type, however they are called; the best name first."""
    found = [matched(column, named_words(column.name), variable) for column in columns if column.rows]
    return sorted((match for match in found if match is not None), key=lambda match: -match.score)


def needs_column(variable: Variable) -> bool:
    """Whether no step can be read without its value."""
    return variable.role in (Role.ENVIRONMENT, Role.STATE) and variable.initial is None
