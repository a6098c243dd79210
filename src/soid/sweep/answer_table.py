"""Several answers as one table: for notebooks, data frames and files.

>>> from soid.case.project import Project
>>> from soid.examples import folder
>>> oven = Project.open(folder("microwave"))
>>> answers = Answers(oven.at(step).ask("might action == CANCEL if heat is anything") for step in (2, 3))
>>> answers
Answers(1 yes, 1 no)
>>> answers.to_pandas()[["step", "verdict"]].values.tolist()
[[2, 'no'], [3, 'yes']]
>>> answers.witnesses().select(["step", "heat"]).to_pylist()
[{'step': 2, 'heat': False}, {'step': 3, 'heat': False}]
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Self, final

from soid.errors import InputError
from soid.oracle.answer import Answer, Verdict
from soid.program.interface import Variable
from soid.program.types import BoolType, FloatType, IntType, json_value
from soid.shown import Shown
from soid.sweep.row_file import arrow, table
from soid.sweep.sweep_row import SweepRow

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa


@final
class Answers(Shown, tuple[Answer, ...]):
    """Answers in the order in which they were given; a row each, with the columns of a sweep."""

    __slots__ = ()

    def __new__(cls, answers: Iterable[Answer] = ()) -> Self:
        given = tuple(answers)
        for each in given:
            if not isinstance(each, Answer):
                raise InputError(f"{each!r} is no answer", "Give what project.ask(...) gives.")
        return super().__new__(cls, given)

    def __repr__(self) -> str:
        found = Counter(each.verdict for each in self)
        told = ", ".join(f"{found[each]} {each.value}" for each in Verdict if found[each])
        return f"Answers({told or 'none'})"

    @property
    def rows(self) -> tuple[SweepRow, ...]:
        return tuple(SweepRow.of(_log(each), each.text, each, sum(each.seconds.values())) for each in self)

    def to_arrow(self) -> pa.Table:
        """The table of the answers."""
        return table(self.rows)

    def to_pandas(self) -> pd.DataFrame:
        """It as a data frame of pandas, which has to be installed."""
        return self.to_arrow().to_pandas()

    def to_polars(self) -> pl.DataFrame:
        """It as a data frame of polars, which has to be installed."""
        import polars as pl

        return pl.DataFrame(self.to_arrow())

    def witnesses(self) -> pa.Table:
        """The scenarios that the answers show, a row each: all inputs, each with its unit and meaning as metadata.

        The fact counts as one where it is what an answer shows. Answers about other programs have other columns: where
        a row has no such input, its value is missing.
        """
        pa = arrow().pa
        shown = [(each, each.witness) for each in self if each.witness is not None]
        inputs = {v.path: v for _, witness in shown for v in witness.interface.inputs}
        fields = [pa.field(name, kind) for name, kind in (("log", pa.string()), ("step", pa.int64()))]
        fields += [pa.field("question", pa.string()), pa.field("verdict", pa.string()), pa.field("shows", pa.string())]
        fields += [_field(pa, each) for each in inputs.values()]
        rows = [
            {"log": _log(each), "step": each.step, "question": each.text, "verdict": each.verdict.value}
            | {"shows": witness.shows.value}
            | {path: _cell(inputs[path], bits) for path, bits in witness.inputs.items()}
            for each, witness in shown
        ]
        return pa.Table.from_pylist(rows, schema=pa.schema(fields))


def _log(answer: Answer) -> str:
    log = answer.keyframe.trace if answer.keyframe is not None else None
    return log.source if log is not None else ""


def _field(pa: Any, variable: Variable) -> Any:
    told = {"unit": variable.unit, "label": variable.label}
    return pa.field(variable.path, _kind(pa, variable), metadata={name: text for name, text in told.items() if text})


def _kind(pa: Any, variable: Variable) -> Any:
    kind = variable.type
    if isinstance(kind, BoolType):
        return pa.bool_()
    if isinstance(kind, FloatType):
        return pa.float64()
    if isinstance(kind, IntType):
        return pa.int64() if kind.signed or kind.width < 64 else pa.uint64()
    return pa.string()


def _cell(variable: Variable, bits: int) -> object:
    value = json_value(variable.type, bits)
    if value is None or isinstance(variable.type, BoolType | IntType):
        return value
    return float(value) if isinstance(variable.type, FloatType) else str(value)  # nan and inf are texts in JSON
