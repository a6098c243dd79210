"""Checks the records of a log against an interface: each value becomes the bits of its variable, or an error.

A logged value need not lie in the variable's domain: a domain is what a question ranges over, and the log tells what
was. Of the names for the same bytes, such as the members of a union, a log may have one or several; they must agree.
A column that the manifest maps gives the variables that it is mapped to, and no other (`soid.program.trace_table`).
"""

from __future__ import annotations

import copy
import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final, final

from msgspec import Struct

from soid.errors import ManifestError, TraceError
from soid.program.domain import LoggedValue, Range, some_value
from soid.program.interface import Interface, Role, Variable, normal_path
from soid.program.manifest import FILE_NAME, below
from soid.program.trace_table import EVERYTHING, LogMapping, MappedColumn
from soid.program.types import EnumType, FloatType, missing_value
from soid.scenario.log_formats import Literal, LogRecord, StoredFloat, fail, quoted
from soid.scenario.logs import renamed_columns
from soid.scenario.logs.logged_value import LoggedValueReader, written
from soid.scenario.logs.named_number import Numbered
from soid.scenario.logs.text_cells import character_reader, element_names, is_number

_INDEX: Final = re.compile(r"\[(\d{1,9})\]")
_COMMA: Final = re.compile(r"[+-]?\d+,\d+(?:[eE][+-]?\d+)?")  # a number as in half of the world
_WHOLE: Final = re.compile(r"[+-]?[0-9]{1,100}")


@final
class LoggedRow(Mapping[str, int]):
    """Values by name. Rows with the same names share one mapping of names, to save memory in long logs."""

    __slots__ = ("_places", "_values")

    def __init__(self, places: Mapping[str, int], values: tuple[int, ...]) -> None:
        self._places = places
        self._values = values

    def __getitem__(self, name: str) -> int:
        return self._values[self._places[name]]

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._values)

    def __hash__(self) -> int:
        return hash(frozenset(self.items()))

    def __repr__(self) -> str:
        return repr(dict(self))


@final
class Converted(Struct, frozen=True, gc=False):
    """One step of the log as values."""

    inputs: LoggedRow
    outputs: LoggedRow  # those that are logged
    unlogged: tuple[str, ...]  # inputs that the log does not give: they have some value
    rounded: dict[str, Range]  # name -> the values that a rounded one may stand for
    gap: str = ""  # why values of another file are missing
    nans: tuple[tuple[str, str], ...] = ()  # names of values that are NaN, each with what the log writes
    unseen: tuple[tuple[str, str], ...] = ()  # likewise of categories that training has not seen
    #: what is wrong with a category of a model here, by variable; then no output is kept, and it counts as not logged
    refused: dict[str, TraceError] = {}


@final
class LoggedColumn:
    """Reads and checks the values of one variable."""

    def __init__(
        self,
        name: str,
        variable: Variable,
        mapped: MappedColumn | None,
        numbered: Numbered,
        *,
        is_input: bool,
        place: int,
        told: bool,
    ) -> None:
        self.name = name  # the path, with a prime for the state after the call
        self.is_input = is_input
        self.place = place  # among the inputs, or among the outputs
        self.parts = variable.parts if is_input else ()  # of a view: the bits of inputs that it gives
        self.column = mapped.column if mapped is not None else None
        reader = LoggedValueReader(name, variable, mapped, numbered)
        self.read: Callable[[Literal], LoggedValue] = reader.read
        self.stored, self.is_unseen = reader.stored, reader.is_unseen
        missing = missing_value(variable.type)
        #: a category of a model: what is wrong with one in a row is no reason to refuse the log
        self.is_category = is_input and isinstance(variable.type, EnumType) and bool(variable.type.spellings)
        self.takes_unseen = isinstance(variable.type, EnumType) and variable.type.other is not None
        self.empty = missing if told and is_input else None  # bits where the log has no value; None: not logged
        self.never_empty = told and is_input and missing is None  # an empty cell says what its type cannot be
        self.type = variable.type
        kind = variable.type.format if isinstance(variable.type, FloatType) and missing is None else None
        self.is_text = False  # a cell has the text of the array that this is an element of
        # bits without the sign that are above those of infinity are a NaN, and strange unless it is called missing
        self.unsigned, self.infinity = (0, 0) if kind is None else (kind.sign_bit - 1, kind.infinity)

    def of_text(self, read: Callable[[Literal], LoggedValue]) -> LoggedColumn:
        """The same variable, read from a cell with the text of its array."""
        made = copy.copy(self)
        made.read, made.stored, made.is_text, made.never_empty = read, None, True, False
        return made


@final
class Columns:
    """Turns records into values for an interface."""

    def __init__(
        self,
        file: str,
        interface: Interface,
        step_column: str,
        ignore: frozenset[str],
        mapping: LogMapping = LogMapping(),  # noqa: B008 it is frozen
    ) -> None:
        self._file = file
        self.interface = interface
        self._ignore = ignore
        self._inputs = _places([variable.path for variable in interface.inputs])
        self._masks = [(1 << variable.type.width) - 1 for variable in interface.inputs]
        outputs = [(output.name, output.variable) for output in (*interface.outputs, *interface.seen_outputs)]
        self._outputs = [name for name, _ in outputs]
        self._layouts: dict[tuple[bool, ...], dict[str, int]] = {}  # of outputs, by which of them are logged
        #: by the inputs that a row does not have: the first without an initial value, and places with their values
        self._fillings: dict[tuple[str, ...], tuple[str | None, list[tuple[int, int]]]] = {}
        self._mapped = mapped = {each.name: each for each in mapping.columns}
        told = mapping.empty_is_missing
        columns = [
            *(
                LoggedColumn(v.path, v, mapped.get(v.path), interface.numbered, is_input=True, place=i, told=told)
                for i, v in enumerate(interface.inputs)
            ),
            *(
                LoggedColumn(name, v, mapped.get(name), interface.numbered, is_input=False, place=i, told=told)
                for i, (name, v) in enumerate(outputs)
            ),
            *(
                LoggedColumn(v.path, v, mapped.get(v.path), interface.numbered, is_input=True, place=-1, told=told)
                for v in (*interface.views, *interface.partial_views)
                if v.parts
            ),
        ]
        self._by_name = {column.name: column for column in columns}
        self._refuse_unknown(mapped)
        self._by_key: dict[str, tuple[LoggedColumn, ...]] = {}  # by the log's spelling; empty: no variable
        for each in mapping.columns:
            own = self._by_name.get(each.name)
            given = (own,) if own is not None else self._of_text(each.name, is_told=True)
            self._by_key[each.column] = (*self._by_key.get(each.column, ()), *given)
        self._missing = mapping.missing
        #: by the columns of a table: the inputs that are missing where a column of theirs is empty, with their bits
        self._empties: dict[tuple[str, ...], list[LoggedColumn]] = {}
        self._told = told
        self._unseen = set(self._by_key)  # columns that the manifest names, and that no record had so far
        # If a variable has this name, the column holds its values, and the steps are counted.
        self._step = None if step_column in interface else step_column
        self._meta = {self._step, *((mapping.clock.column,) if mapping.clock is not None else ())}

    def _of_text(self, name: str, *, is_told: bool) -> tuple[LoggedColumn, ...]:
        """The columns of the elements of an array of characters, which one cell gives; empty for any other name."""
        names = element_names(name, self.interface)
        found = [(at, self._by_name[each]) for at, each in enumerate(names) if each in self._by_name]
        return tuple(column.of_text(character_reader(at, len(names), is_told=is_told)) for at, column in found)

    @property
    def missing(self) -> frozenset[str]:
        """What is written where a value is not logged."""
        return self._missing

    @property
    def step_key(self) -> str | None:
        """The column with the numbers of the steps, if there may be one."""
        return self._step

    def keys_of(self, keys: Iterable[str]) -> dict[str, tuple[str, LoggedColumn]] | None:
        """By variable: which of the log's columns it has. None: one was not met before, or says more than one value."""
        found: dict[str, tuple[str, LoggedColumn]] = {}
        for key in keys:
            if key not in self._by_key:
                return None
            for column in self._by_key[key]:
                if column.parts or column.is_text or column.name in found:
                    return None
                found[column.name] = key, column
        return found

    @property
    def unseen(self) -> list[str]:
        """The columns that the manifest maps, and that no record has had so far."""
        return sorted(self._unseen)

    def mapped(self, name: str) -> MappedColumn | None:
        """How a variable is read that some record has had under a name of its own; None: none had."""
        if name in self._mapped:
            return self._mapped[name]
        key = next((key for key, columns in self._by_key.items() if self._by_name.get(name) in columns), None)
        return None if key is None else MappedColumn(name, key)

    def is_mapped(self, name: str) -> bool:
        """Whether the manifest says which column a variable has."""
        return name in self._mapped

    def cell(self, record: LogRecord, column: str) -> Literal | None:
        """What a record writes in a column; None: nothing."""
        literal = record.cells.get(column)
        return None if literal is None or (self._missing and written(literal) in self._missing) else literal

    def _refuse_unknown(self, mapped: Mapping[str, MappedColumn]) -> None:
        for name in mapped:
            if name not in self._by_name and not element_names(name, self.interface):
                remedy = self.interface.suggestion(name) or "Map a column to an input, a decision or a state."
                raise ManifestError(f"{FILE_NAME}: [trace.columns] {name} is no variable that is logged", remedy)

    def convert(self, record: LogRecord) -> Converted:
        inputs: list[int | None] = [None] * len(self._inputs)
        outputs: list[int | None] = [None] * len(self._outputs)
        rounded: dict[str, Range] = {}
        seen: dict[LoggedColumn, int] = {}
        nans: list[tuple[str, str]] = []
        unseen: list[tuple[str, str]] = []
        refused: dict[str, TraceError] = {}
        for key, literal in record.cells.items():
            if self._missing and written(literal) in self._missing:
                continue
            columns = self._by_key[key] if key in self._by_key else self._resolve(record, key)
            for column in columns:
                values = inputs if column.is_input else outputs
                if column in seen if column.parts else values[column.place] is not None:
                    fail(
                        self._file, record.line, f"{column.name} is given twice", "Give each variable one value a step."
                    )
                try:
                    value = column.read(literal)
                    if column.parts and value.rounded is not None:
                        raise ValueError("it is another name for bytes of the program, and a log has them exactly")
                except ValueError as error:
                    problem = self._wrong_value(record, key, column, error)
                    if not column.is_category:
                        raise problem from None
                    refused[column.name] = problem
                    continue
                if column.parts:
                    seen[column] = value.bits
                    continue
                values[column.place] = value.bits
                if value.bits & column.unsigned > column.infinity:
                    nans.append((column.name, written(literal)))
                if column.takes_unseen and column.is_unseen(literal, value.bits):
                    unseen.append((column.name, written(literal)))
                if value.rounded is not None:
                    rounded[column.name] = value.rounded
        if self._unseen:
            self._unseen.difference_update(record.cells, record.columns)
        if self._told and None in inputs and not refused:
            self._fill_empty(record, inputs)
        partial = self._see_through(record, seen, inputs) if seen else ()
        unlogged = (*partial, *(self._fill_in(record, inputs) if None in inputs else ()))
        row = self._all_inputs(inputs), self._logged(outputs if not refused else [None] * len(outputs))
        return Converted(*row, unlogged, rounded, record.gap, tuple(nans), tuple(unseen), refused)

    def _wrong_value(self, record: LogRecord, key: str, column: LoggedColumn, error: ValueError) -> TraceError:
        remedy = f"Correct the log, or what the manifest says of {column.name}."
        name = column.name
        if column.column is not None:
            name = f"{quoted(column.column)} ({name})"
            remedy = f"Correct the log, or what [trace.columns] says of {column.name}."
        if _COMMA.fullmatch(written(record.cells[key])):
            remedy = "Numbers are read with a decimal point: let the recorder write them so."
        if column.is_category:
            remedy = f"Other steps can be asked about; what this is, [trace.columns] can say: labels of {column.name}."
        return TraceError(f"{record.elsewhere.get(key, f'{self._file}:{record.line}')}: {name}: {error}", remedy)

    def _see_through(
        self, record: LogRecord, seen: dict[LoggedColumn, int], inputs: list[int | None]
    ) -> tuple[str, ...]:
        """Set inputs by what views say of their bits; gives those whose other bits are not logged."""
        known: dict[str, tuple[int, int]] = {}  # by input: which bits are given, and what they are
        for column, bits in seen.items():
            for part in column.parts:
                path, mask = part.variable.path, (1 << part.count) - 1
                given, value = known.get(path, (0, 0))
                now = (bits >> part.at & mask) << part.first
                before = inputs[self._inputs[path]]
                for other, theirs in ((given, value), (0 if before is None else -1, before or 0)):
                    if (theirs ^ now) & other & mask << part.first:
                        problem = f"{column.name} is not what another name for the same bytes says ({path})"
                        fail(self._file, record.line, problem, "Correct one of them, or leave it out.")
                known[path] = given | mask << part.first, value | now
        assumed = []
        for path, (given, value) in known.items():
            place = self._inputs[path]
            if inputs[place] is None:
                inputs[place] = self._completed(record, path, given, value)
                if given != self._masks[place]:
                    assumed.append(path)
        return tuple(assumed)

    def _completed(self, record: LogRecord, path: str, given: int, value: int) -> int:
        """The bits of an input of which views give some."""
        place = self._inputs[path]
        rest = self._masks[place] & ~given
        if value & ~self._masks[place]:
            fail(self._file, record.line, f"{path} is a bool, and its byte is given as {value}", "Give it 0 or 1.")
        return value | (rest & self._possible(path) if rest else 0)

    def _fill_in(self, record: LogRecord, values: list[int | None]) -> tuple[str, ...]:
        """Sets inputs that are not logged to their initial values, or to another that they may have."""
        missing = tuple([name for name, place in self._inputs.items() if values[place] is None])
        if missing not in self._fillings:
            first = next((name for name in missing if self.interface.variable(name).initial is None), None)
            self._fillings[missing] = first, [(self._inputs[name], self._possible(name)) for name in missing]
        unset, filling = self._fillings[missing]
        if unset is not None:
            self._refuse_length(record, unset)
        for place, bits in filling:
            values[place] = bits
        return missing

    def _fill_empty(self, record: LogRecord, values: list[int | None]) -> None:
        """Sets inputs whose cells are empty to what says that they are missing."""
        here = record.columns or tuple(record.cells)
        if here not in self._empties:
            columns = (self._by_key.get(key) or (self._by_name.get(self._path(key)),) for key in here)
            known = (column for each in columns for column in each if column is not None)
            self._empties[here] = [column for column in known if column.empty is not None or column.never_empty]
        for column in self._empties[here]:
            if values[column.place] is None:
                values[column.place] = self._when_empty(record, column)

    def _when_empty(self, record: LogRecord, column: LoggedColumn) -> int:
        """What an empty cell stands for."""
        if column.empty is None:
            fail(
                self._file,
                record.line,
                f'{column.name} is empty: by [trace] empty = "missing" it is missing, and {column.type} is never that',
                f'If a model was told so, write {column.name} = {{ type = "float64" }} under [variables]: that is a '
                "number which may be missing.",
            )
        return column.empty

    def _possible(self, name: str) -> int:
        variable = self.interface.variable(name)
        return some_value(variable.type, variable.domain) if variable.initial is None else variable.initial

    def _resolve(self, record: LogRecord, key: str) -> tuple[LoggedColumn, ...]:
        """The variable that a column of the log belongs to; cached for each spelling."""
        path = self._path(key)
        if "'." in path or "'[" in path:  # a nested value after the call: s'.x is s.x'
            path = path.replace("'", "") + "'"
        column = self._by_name.get(path)
        if column is None and not is_number(record.cells[key]) and (characters := self._of_text(path, is_told=False)):
            self._by_key[key] = characters
            return characters
        if column is None and not self._is_nothing(key, path):
            self._refuse_length(record, path)
            self._refuse_renamed(record)
            known = path in self.interface and self.interface.variable(path).role is Role.INTERNAL
            problem = "is internal to the program, and not logged" if known else "is no variable of the program"
            ignore = f'To leave it out, list it in the manifest: [trace] ignore = ["{quoted(key)}"].'
            remedy = ignore
            if not known:
                mapped = f'To say what it is: [trace.columns] VARIABLE = "{quoted(key)}".'
                if self.interface.is_text(path):
                    mapped = f'If its cells are texts: [trace.columns] "{path}" = "{quoted(key)}".'
                remedy = f"{self.interface.suggestion(path)} {ignore} {mapped}"
            fail(self._file, record.paths_line, f"{quoted(key)} {problem}", remedy)
        self._by_key[key] = (column,) if column is not None else ()
        return self._by_key[key]

    def _refuse_renamed(self, record: LogRecord) -> None:
        """Refuse a record that has columns of no variable, and not all that the manifest maps: one may be another."""
        here = (*record.cells, *record.columns)
        lost = [] if record.gap else [each for each in self.unseen if each not in here]  # another file may have them
        if lost:
            unknown = [each for each in dict.fromkeys(here) if self._is_unknown(each)]
            variables = {each: [column.name for column in self._by_key[each]] for each in lost}
            fail(self._file, record.paths_line, *renamed_columns.told(variables, unknown))

    def _path(self, key: str) -> str:
        return self.interface.spellings.get(key) or normal_path(key)

    def _is_unknown(self, key: str) -> bool:
        path = self._path(key)
        return key not in self._by_key and path not in self._by_name and not self._is_nothing(key, path)

    def _refuse_length(self, record: LogRecord, path: str) -> None:
        """Refuse a step with more or fewer elements of an array than the program has; `path` is one of them."""
        for index in _INDEX.finditer(path):
            logged = [normal_path(key) for key in record.cells]
            array = path[: index.start()]
            ours, theirs = (_length(array, paths) for paths in (self._by_name, logged))
            if ours and theirs and ours != theirs:
                found = f"{array}: the log has {theirs} {'element' if theirs == 1 else 'elements'}"
                remedy = f"Log as many, or correct what the manifest says of {array}."
                fail(self._file, record.line, f"{found}, and the program has {ours}", remedy)

    def _is_nothing(self, key: str, path: str) -> bool:
        """Whether a column without a variable is allowed."""
        untouched = path.removesuffix("'") in self.interface.untouched
        if key in self._meta or untouched or EVERYTHING in self._ignore:
            return True
        return any(below(path, ignored) for ignored in self._ignore)

    def number(self, record: LogRecord) -> int | None:
        """The number of the step, where the log has one."""
        literal = record.cells.get(self._step) if self._step is not None else None
        if literal is None:
            return None
        if isinstance(literal, StoredFloat):
            literal = written(literal).removesuffix(".0")
        if not isinstance(literal, str) or not _WHOLE.fullmatch(literal):
            shown = quoted(literal) if isinstance(literal, str) else str(literal).lower()
            problem = f"{self._step}: expected a whole number, found {shown}"
            fail(self._file, record.line, problem, "Number the steps, or leave all the numbers out.")
        return int(literal)

    def _all_inputs(self, values: list[int | None]) -> LoggedRow:
        return LoggedRow(self._inputs, tuple([value for value in values if value is not None]))

    def _logged(self, values: list[int | None]) -> LoggedRow:
        logged = tuple([value is not None for value in values])
        places = self._layouts.get(logged)
        if places is None:
            places = self._layouts[logged] = _places([*itertools.compress(self._outputs, logged)])
        return LoggedRow(places, tuple([value for value in values if value is not None]))


def _length(array: str, paths: Iterable[str]) -> int:
    """How many elements of an array are among paths; 0 if none is."""
    found = (_INDEX.match(path, len(array)) for path in paths if path.startswith(array))
    return max((int(index[1]) + 1 for index in found if index), default=0)


def _places(names: list[str] | tuple[str, ...]) -> dict[str, int]:
    return {name: place for place, name in enumerate(names)}
