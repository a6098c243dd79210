"""The engine for learned models: one path, whose numbers are functions of the features."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from pathlib import Path as FilePath
from pathlib import PurePosixPath
from typing import Final, final

from msgspec.structs import replace

from soid.assumptions import Assumption, Ledger
from soid.engine.learned.feature_names import respelled
from soid.engine.learned.kept_models import ReadModel, read_model
from soid.engine.learned.learned_source import LearnedSource, Threshold
from soid.engine.learned.library_process import LibraryRun
from soid.engine.learned.library_replayer import LibraryReplayer, rejection
from soid.engine.learned.model import MISSING, UNSEEN, ModelFeature
from soid.engine.learned.model_application import ModelApplication, applied
from soid.engine.learned.model_interface import DECISION, LearnedProgram, ModelInterface, interface_of, is_narrowed
from soid.engine.learned.model_numbers import KnownNumber, ModelNumbers, ModelParts, decided_by, label_of
from soid.engine.learned.network import NetworkSum
from soid.engine.learned.network_description import described
from soid.engine.learned.networks.runtime_functions import network_assumptions
from soid.engine.learned.python_witness import is_python, retold
from soid.engine.learned.sum_functions import CODE_WIDTH
from soid.engine.protocol import PERCEPTION_OPEN, Engine, Exploration, RecordedRun
from soid.engine.replay import Replayer
from soid.engine.summary import Decided, Failed, OutputValue, Path, PathSummary, Unexplored
from soid.formula import build
from soid.formula import softfloat as sf
from soid.formula.build import FALSE, TRUE
from soid.formula.checker import Impossible
from soid.formula.operators import signed
from soid.formula.reach import Reach
from soid.formula.sorts import FLOAT64, BitVec
from soid.formula.term import Term
from soid.program.interface import Interface, Variable
from soid.program.types import BoolType, EnumType, IntType, reading

#: a state that is known between two ends is no number that the next call could be given
_STATE_BETWEEN: Final = "the last bits of a state depend on the order in which a sum is added, so its next call is open"
_SHOWN: Final = 12  # labels that a note names
_GIVEN: Final = 4096  # of what features are given terms are kept: most is the same from question to question

_OUTPUTS: Final = 64  # results of a model, and terms for them, of which the outputs are kept

_ONE: Final = build.const(FLOAT64, sf.float_to_bits64(1.0))
_ZERO: Final = build.const(FLOAT64, sf.float_to_bits64(0.0))


@final
class LearnedEngine(Engine):
    """Explores one model."""

    name = "model"
    disjoint = True
    has_ways = False

    def __init__(
        self,
        read: ReadModel,
        parts: ModelParts,
        found: ModelInterface,
        thresholds: tuple[Threshold, ...],
        file: FilePath | None = None,
        application: ModelApplication | None = None,
    ) -> None:
        self._file = file  # as the library reads it, seen from the manifest's folder; None: there is none
        self.application = application or ModelApplication(read.model)
        self.model = self.application.model
        self.last_digits = read.model.last_digits
        self.read = read
        self.interface = found.interface
        self._inputs = found.inputs
        self._thresholds = thresholds
        self._parts = parts
        self._given = lru_cache(maxsize=_GIVEN)(self._made_given)
        self._refused = lru_cache(maxsize=_GIVEN)(self._made_refused)
        self._outputs = lru_cache(maxsize=_OUTPUTS)(self._made_outputs)

    @property
    def learned(self) -> LearnedProgram:
        contents = [self.read.content, *(content for _, content in self.read.beside)]
        sha256 = hashlib.sha256(b"".join(contents)).hexdigest()
        return LearnedProgram(self.model, self._inputs, self._thresholds, sha256, tuple(self._states()))

    def _states(self) -> Iterator[tuple[str, str]]:
        """The outputs that the next call is given, each with what it is in this one."""
        for feature, output in self.application.states:
            variable = self._inputs[feature]
            assert variable is not None
            yield f"{variable.path}'", output

    @property
    def files(self) -> tuple[FilePath, ...]:
        """The files beside the model that it has parts in."""
        return () if self._file is None else tuple(self._file.parent / name for name, _ in self.read.beside)

    def explore(self, exploration: Exploration) -> PathSummary:
        """One path for each step in which the library may reject what it is given, and one that decides in all."""
        made = ModelNumbers(self.model, self._parts)
        is_possible = _Possibility(exploration)
        paths: list[Path] = []
        earlier: list[Mapping[str, OutputValue]] = []
        condition = TRUE
        for step in range(exploration.steps):
            unclear = exploration.open_after(earlier) if step else FALSE
            if unclear is not FALSE:
                here = build.and_(condition, unclear)
                paths.append(Path(f"open {step}", here, Unexplored(PERCEPTION_OPEN), {}, tuple(earlier)))
                condition = build.and_(condition, build.not_(unclear))
            features = [self._feature(number, exploration, earlier) for number in range(len(self.model.features))]
            for number, (feature, term) in enumerate(zip(self.model.features, features, strict=True)):
                rejected = FALSE if term is None else self._refused(number, term)
                if rejected is not FALSE and is_possible(condition, rejected):
                    ending = Failed(rejection(self.model, feature))
                    name = f"{feature.name} rejected in step {step + 1}"
                    paths.append(Path(name, build.and_(condition, rejected), ending, {}, tuple(earlier)))
                    condition = build.and_(condition, build.not_(rejected))
            earlier.append(self._outputs(tuple(made.of(features, step).values())))
            if self.application.states and step + 1 < exploration.steps:
                paths.append(Path(f"state {step}", condition, Unexplored(_STATE_BETWEEN), {}, tuple(earlier)))
                return PathSummary(tuple(paths), self._relies_on, tuple(made.approximations))
        *before, last = earlier
        paths.append(Path("decides", condition, Decided(), last, tuple(before)))
        kept = tuple(path for path in paths if path.condition is not FALSE)
        return PathSummary(kept, self._relies_on, tuple(made.approximations))

    @property
    def notes(self) -> tuple[str, ...]:
        model = self.model
        trees = sum(len(each.trees.roots) for each in self._parts.forests)
        counts = [(trees, "tree")] * bool(trees) + [(len(model.features), "feature")]
        size = [f"{count:,} {word}" + "s" * (count != 1) for count, word in counts]
        of = f"{model.family}, {model.library} {model.version}".strip()
        unused = [feature.name for number, feature in enumerate(model.features) if number not in self._parts.used]
        return (
            f"{of}: {', '.join(size)}",
            *described(replace(self.model, given=self.read.model.given)),
            *((f"The application gives it: {'; '.join(self.application.told)}.",) if self.application.told else ()),
            *((f"The model does not use: {', '.join(unused)}.",) if unused else ()),
            *self._respelled(),
            *model.remarks,
        )

    def _respelled(self) -> Iterator[str]:
        """How labels are called here that are no names in questions."""
        for variable in self.interface:
            told = respelled(variable.type) if isinstance(variable.type, EnumType) else []
            if told:
                more = f" and {len(told) - _SHOWN} more" if len(told) > _SHOWN else ""
                yield f"Labels of {variable.path}: {', '.join(told[:_SHOWN])}{more}."

    def retold(self, run: RecordedRun) -> Mapping[str, bytes]:
        return {} if self._file is None else retold(self.learned, self._file, run)

    def accepts(self, retold: FilePath, project: PurePosixPath) -> bool:
        return is_python(retold)

    def replayer(self, *, unconfined: bool) -> Replayer:
        run = LibraryRun(self.read.model, self.read.content, unconfined=unconfined, beside=self.read.beside)
        return LibraryReplayer(self.model, self._inputs, self._thresholds, run, self.application)

    @cached_property
    def _relies_on(self) -> tuple[Assumption, ...]:
        model = self.model
        library = f"{model.library} {model.version}".strip()
        unordered = [each.name for each in model.sums if each.any_order and not isinstance(each, NetworkSum)]
        inexact = [each for each in model.links if not each.exact]
        pairs = zip(model.features, self._inputs, strict=True)
        stated = [f"{own.path} is {own.type}" for one, own in pairs if own is not None and is_narrowed(one, own)]
        known = [one for one in self._thresholds if one.guessed is None]
        prepared = self.application.told
        return (
            Ledger.MODEL_FILE.of(library),
            Ledger.MODEL_ROW.of(),
            *((Ledger.STATED_TYPE.of(", ".join(stated)),) if stated else ()),
            *((Ledger.MODEL_BITS.of(model.library),) if model.trees or not model.networks else ()),
            *(each for one in model.networks for each in network_assumptions(one, model.library)),
            *map(Ledger.MODEL_READ.of, model.remarks),
            *((Ledger.ANY_ORDER.of(model.library, ", ".join(unordered)),) if unordered else ()),
            *(Ledger.LINK_ERROR.of(each.name, each.ulps) for each in inexact),
            *((Ledger.THRESHOLD.of("; ".join(map(str, known))),) if known else ()),
            *((Ledger.PREPARED.of("; ".join(prepared)),) if prepared else ()),
            *(Ledger.GUESSED_THRESHOLD.of(one, one.guessed) for one in self._thresholds if one.guessed is not None),
        )

    def _feature(
        self, number: int, exploration: Exploration, earlier: Sequence[Mapping[str, OutputValue]]
    ) -> Term | None:
        """The number, or the label of a category, that the model is given; None for a feature that it does not use."""
        variable = self._inputs[number]
        if variable is None:
            return None
        if not earlier and variable.path in exploration.computed:
            return _widened(variable, exploration.computed[variable.path])
        bits = exploration.fixed.get(variable.path)
        if bits is not None and not earlier:
            return self._given(number, bits)
        return self._given(number, exploration.perceived(variable, earlier))

    def _made_given(self, number: int, bits: int | Term) -> Term:
        """What the model is given for a feature, from its value or from a term for that."""
        variable = self._inputs[number]
        assert variable is not None
        return _as_number(variable, bits if isinstance(bits, Term) else build.const(variable.symbol.sort, bits))

    def _made_refused(self, number: int, value: Term) -> Term:
        return _rejected(self.model.features[number], value)

    def _made_outputs(self, given: tuple[KnownNumber, ...]) -> Mapping[str, OutputValue]:
        """The outputs that follow from a model's numbers, which come in its order: sums, leads, then links."""
        names = (each.name for each in (*self.model.sums, *self._parts.leads, *self.model.links))
        numbers = dict(zip(names, given, strict=True))
        why = f"the last bits of a sum depend on the order in which {self.model.library} adds"
        if self.model.networks:
            why += ", or numbers may be too large for its floats"
        found = {each.name: numbers[each.number].output(why) for each in self.model.outputs}
        by_name = {each.name: numbers[each.number] for each in self.model.outputs}
        if self.model.label is not None:
            found[DECISION] = label_of(self.model.label.rule, numbers, why)
        found |= {each.name: label_of(each.choice.rule, numbers, why) for each in self.model.choices}
        found |= {state: found[output] for state, output in self._states()}
        compared = {one.name: numbers[one.compared] if one.is_made else by_name[one.number] for one in self._thresholds}
        return found | {one.name: decided_by(one, compared[one.name], why) for one in self._thresholds}


def _as_number(variable: Variable, bits: Term) -> Term:
    kind = variable.type
    if isinstance(kind, BoolType):
        return build.ite(bits, _ONE, _ZERO)
    if isinstance(kind, IntType):
        return (build.fp_from_signed if kind.signed else build.fp_from_unsigned)(FLOAT64, bits)
    if isinstance(kind, EnumType):
        return bits
    return _widened(variable, reading(kind, bits))


def _widened(variable: Variable, read: Term) -> Term:
    """A value as the application has it, as the number that the model is given."""
    kind = variable.type
    if isinstance(kind, BoolType | IntType):
        return _as_number(variable, read)
    return read if isinstance(kind, EnumType) or read.sort == FLOAT64 else build.fp_to_fp(FLOAT64, read)


@final
class _Possibility:
    """Whether some state of an exploration satisfies conditions: by intervals, else by the checker."""

    def __init__(self, exploration: Exploration) -> None:
        self._exploration = exploration

    def __call__(self, condition: Term, rejected: Term) -> bool:
        if self._exploration.mechanisms.intervals and self._reach.excludes(rejected):
            return False
        both = build.and_(condition, rejected)
        if both is FALSE or both is TRUE:
            return both is TRUE
        return not isinstance(self._exploration.check([self._exploration.precondition, both]), Impossible)

    @cached_property
    def _reach(self) -> Reach:
        """Worked out at the first of them: most models reject nothing."""
        return self._exploration.reach(self._exploration.precondition)


def _rejected(feature: ModelFeature, value: Term) -> Term:
    """Where the library refuses a value with an error."""
    if value.is_const:  # most features of a question are: terms would be made only to be folded
        return TRUE if _rejects(feature, value.value) else FALSE
    if feature.kind == "category":
        assert isinstance(value.sort, BitVec)
        none = [code for code, takes in ((MISSING, feature.takes_missing), (UNSEEN, feature.takes_unseen)) if not takes]
        return build.any_of(build.eq(value, build.const(value.sort, code & value.sort.mask)) for code in none)
    found = [] if feature.takes_missing else [build.fp_is_nan(value)]
    if feature.least is not None:
        found.append(build.fp_lt(value, build.const(FLOAT64, sf.float_to_bits64(feature.least))))
    if feature.greatest is not None:
        found.append(build.fp_lt(build.const(FLOAT64, sf.float_to_bits64(feature.greatest)), value))
    return build.any_of(found)


def _rejects(feature: ModelFeature, bits: int) -> bool:
    """Whether the library refuses one value with an error."""
    if feature.kind == "category":
        code = signed(bits, CODE_WIDTH)
        return (code == MISSING and not feature.takes_missing) or (code == UNSEEN and not feature.takes_unseen)
    number = sf.bits64_to_float(bits)
    if math.isnan(number):
        return not feature.takes_missing
    too_low = feature.least is not None and number < feature.least
    return too_low or (feature.greatest is not None and feature.greatest < number)


def open_model(source: LearnedSource, folder: FilePath) -> tuple[Interface, LearnedEngine]:
    """Read the model of a manifest; gives its interface, and an engine for it."""
    file = folder / source.model
    within = folder if file.resolve().is_relative_to(folder.resolve()) else None
    read = read_model(file, folder=within, unpickle=source.unpickle)
    application = applied(read.model, source)
    parts = ModelParts.of(application.model)
    states = [feature for feature, _ in application.states]
    found = interface_of(application.model, parts.used, source.thresholds, source.declarations, states)
    place = None if source.unpickle else source.model
    return found.interface, LearnedEngine(read, parts, found, source.thresholds, place, application)
