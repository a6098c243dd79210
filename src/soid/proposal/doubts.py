"""What is not certain about a proposal: each doubt has choices, and running the program over the log may settle it.

A choice is tried with everything else as proposed. One with which the program decides as logged in more steps than
with any other settles the doubt; if several fit as well, a person is asked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import permutations
from typing import Final

from msgspec.structs import replace

from soid.budget import Deadline
from soid.program.types import MISSING, BoolType, EnumType
from soid.program.units import UNITS, unit
from soid.proposal.column_doubt import ColumnChoice, Doubt, ProposedReading
from soid.proposal.column_entry import reasons
from soid.proposal.column_match import LEAST, ColumnMatch, LogTarget, fitting, matched
from soid.proposal.column_survey import SurveyedColumn
from soid.proposal.entry_candidates import EntryCandidate
from soid.proposal.label_match import LabelMatch, match_labels
from soid.proposal.log_agreement import LogAgreement
from soid.proposal.name_words import named_words

_MOST: Final = 24  # choices that are tried
_COLUMNS: Final = 9  # that may have an input's values


def doubts_of(candidate: EntryCandidate) -> list[Doubt]:
    """What is not certain about the columns."""
    unsure = [_doubt(match, candidate.targets) for match in candidate.matches if not match.is_sure]
    wanting = [target for target in candidate.targets if target.variable in candidate.missing]
    lacking = [_lack(target, candidate) for target in wanting if target.name == target.variable.path]
    lacking += [_lack(target, candidate) for target in candidate.targets if _lacks_labels(target, candidate)]
    return [*unsure, *(doubt for doubt in lacking if len(doubt.choices) > 1), *_empty(candidate)]


def _lacks_labels(target: LogTarget, candidate: EntryCandidate) -> bool:
    """Whether it is the class that a model chooses, of which the file has no labels, and the log may have them."""
    kind, known = target.variable.type, {match.target.name for match in candidate.matches}
    is_class = target.is_exact and isinstance(kind, EnumType) and not target.variable.is_input
    return is_class and target.name not in known


def _empty(candidate: EntryCandidate) -> Iterator[Doubt]:
    """Cells without a value, in columns of inputs that may be missing."""
    names = [
        each.target.name
        for each in candidate.matches
        if each.may_be_missing and each.column.rows < candidate.survey.rows
    ]
    if names:
        unknown = ColumnChoice("it is not known what the program was given there", None, False)
        told = ColumnChoice(f'the program was told that it is missing: empty = "{MISSING}"', None, True)
        yield Doubt(None, f"some cells have no value: {', '.join(names)}", (unknown, told))


def lacking_number(found: Sequence[ColumnMatch]) -> Doubt:
    """A number of a model of which no column has the name, and columns that seem to have its values."""
    return _lacking(found[0].target, found)


def _lack(target: LogTarget, candidate: EntryCandidate) -> Doubt:
    """An input of which no column has the name: those that could have its values."""
    free = candidate.free_columns
    if not target.variable.is_input:
        free = tuple(each for each in free if _may_be_class(each, target))
    fits = [match for match in fitting(target, free) if not match.column.is_constant][:_COLUMNS]
    return _lacking(target, [*fits, *(other for match in fits for other in _in_other_orders(match))])


def _lacking(target: LogTarget, fits: Sequence[ColumnMatch]) -> Doubt:
    choices = [ColumnChoice(f"the column {_meaning(match, match.column.name)}", match) for match in fits]
    none = ColumnChoice("none of them: it is not in the log", None)
    return Doubt(None, f"no column seems to have the values of {target.name}", (none, *choices))


def _may_be_class(column: SurveyedColumn, target: LogTarget) -> bool:
    """A column of numbers, or of yes and no, is rather a decision by threshold, unless the classes are such numbers."""
    kind = target.variable.type
    if (
        isinstance(kind, EnumType)
        and len(kind.labels) > 2
        and all(kind.number(text) is not None for text in column.texts)
    ):
        return True
    meant = match_labels(BoolType(), column.texts, ())
    return not column.is_number and (meant is None or not meant.share)


def _doubt(match: ColumnMatch, targets: Sequence[LogTarget]) -> Doubt:
    name, column = match.target.name, match.column.name
    choices = [ColumnChoice(_meaning(match), match), *_turned(match), *_converted(match), *_later(match, targets)]
    if match.rivals or match.score < LEAST * 2:
        choices += [ColumnChoice(_meaning(other), other) for other in _others(match, targets)]
    choices.append(ColumnChoice("none of the program's variables", None))
    words = f"the column {column} may be {name}: {'; '.join(reasons(match))}"
    return Doubt(column, words, tuple(choices))


def _meaning(match: ColumnMatch, name: str = "") -> str:
    """A match in words; `name` stands for it, or else the variable's name."""
    labels = match.labels.labels if match.labels is not None else {}
    meant = ", ".join(f"{text} is {value}" for text, value in list(labels.items())[:4])
    units = f"{match.unit}, in the program {match.ours or match.unit}" if match.unit else ""
    inner = "; ".join(filter(None, (meant, units)))
    shown = name or match.target.name
    return f"{shown} ({inner})" if inner else shown


def _turned(match: ColumnMatch) -> Iterator[ColumnChoice]:
    """The same with true and false exchanged, or the labels of a class in every other order."""
    for other in _in_other_orders(match):
        yield ColumnChoice(_meaning(other), other)


def _in_other_orders(match: ColumnMatch) -> Iterator[ColumnMatch]:
    labels, orders = match.labels, list[dict[str, str]]()
    if labels is None or not labels.guessed:
        return
    if isinstance(match.target.variable.type, BoolType):
        orders = [{text: "false" if value == "true" else "true" for text, value in labels.labels.items()}]
    elif not labels.share:
        texts, values = zip(*labels.labels.items(), strict=True)
        orders = [dict(zip(texts, each, strict=True)) for each in permutations(values)][1:]
    for other in orders:
        yield replace(match, labels=LabelMatch(other, labels.share, labels.guessed))


def _converted(match: ColumnMatch) -> Iterator[ColumnChoice]:
    """The same with the program's unit being the one that programs mostly have."""
    if match.lacks_unit and match.unit is not None:
        measured = unit(match.unit)
        usual = {"angle": "rad", "turning": "rad/s", "temperature": "degC"}.get(measured.measures)
        base = usual or next(
            name for name, each in UNITS.items() if each.measures == measured.measures and each.factor == 1
        )
        if unit(base) != measured:
            converted = replace(match, ours=base, unit_guessed=True)
            yield ColumnChoice(_meaning(converted), converted)


def _later(match: ColumnMatch, targets: Sequence[LogTarget]) -> Iterator[ColumnChoice]:
    """State as the call left it, instead of before, or the other way round."""
    path = match.target.variable.path
    for target in targets if match.lacks_time else ():
        if target.variable.path == path and target.name != match.target.name:
            other = replace(match, target=target)
            yield ColumnChoice(_meaning(other), other)


def _others(match: ColumnMatch, targets: Sequence[LogTarget]) -> Iterator[ColumnMatch]:
    for target in targets:
        if target.name in match.rivals:
            other = matched(match.column, named_words(match.column.name), target)
            if other is not None:
                yield other


def tried(
    doubts: Sequence[Doubt],
    reading: ProposedReading,
    fit: Callable[[ProposedReading], LogAgreement],
    deadline: Deadline,
) -> list[Doubt]:
    """The doubts with their choices tried, the best first. A choice that was settled counts for all the others.

    So those before it are tried once more: how well they fit was found with something else in its place.
    """
    found = list(doubts)
    left, last = _MOST, len(found)  # in the first turn all are tried, then those before the last one that was settled
    for _ in range(2):
        before, last = last, -1
        for at, doubt in enumerate(found[:before]):
            if len(doubt.choices) > left or deadline.is_over:
                continue
            left -= len(doubt.choices)
            again = _tried(doubt, reading, fit)
            if not doubt.is_settled or (again.is_settled and again.choices[0].words == doubt.choices[0].words):
                found[at] = again
            if found[at].is_settled and not doubt.is_settled:
                last = at
                reading = reading.with_choice(doubt.column, found[at].choices[0])
    return found


def _tried(doubt: Doubt, reading: ProposedReading, fit: Callable[[ProposedReading], LogAgreement]) -> Doubt:
    made = [replace(each, fits=fit(reading.with_choice(doubt.column, each))) for each in doubt.choices]
    best = replace(doubt, choices=tuple(sorted(made, key=_disagreement)))
    # a column whose name says nothing is taken only if nothing else fits
    return best if doubt.column is not None or best.is_settled else replace(doubt, choices=tuple(made))


def _disagreement(choice: ColumnChoice) -> tuple[int, bool]:
    return -choice.fits.fitting if choice.fits is not None else 0, choice.match is None
