"""A property of a network, put as questions: is there an input for which all assertions hold?

A property knows no log and no fact. Each of its cases is a `might` about all inputs in a box; what stands for the fact
lies outside of the box, so that no input is left out. Bounds of inputs are rounded inwards to the inputs' own floats,
which changes nothing: no float lies in between. Relations of outputs are about the floats that the runtime gives,
added as real numbers.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Final, final

from msgspec.structs import replace

from soid.assumptions import Assumption, Ledger
from soid.budget import Budget, Cancellation, Deadline
from soid.case.project import Project
from soid.case.property_answer import PropertyAnswer, PropertyResult
from soid.engine.learned.float_places import SORTS
from soid.engine.learned.learned_source import LearnedSource, Threshold
from soid.engine.learned.model_interface import LearnedProgram
from soid.engine.protocol import replayer_for
from soid.engine.registry import open_program
from soid.engine.replay import Returned
from soid.errors import InputError
from soid.formula import softfloat as sf
from soid.oracle.answer import Answer, Verdict
from soid.oracle.inquiry import QuestionProgress, Settings
from soid.program.interface import Interface
from soid.program.program import Program
from soid.program.types import FloatType, show
from soid.query.vnnlib import Condition, LinearRelation, NetworkProperty, PropertyCase
from soid.scenario.trace import Step, Trace
from soid.solver.protocol import Solver

#: the places of the least and the greatest float of each input
Box = list[tuple[int, int]]
_NAMED: Final = "relation_{}"
#: what a property does not rest on: a log, an application around the network, domains
_OF_NO_PROPERTY: Final = frozenset(
    each.value for each in (Ledger.DOMAIN, Ledger.LOG, Ledger.MODEL_ROW, Ledger.THRESHOLD)
)


@final
class PropertyExaminer:
    """A network and a property of it, ready to be asked about."""

    def __init__(self, model: Path, asked: NetworkProperty, settings: Settings, solver: Solver) -> None:
        network = _network(model)
        _check_fit(model, network, asked)
        self.network = network
        self._property = asked
        self._relations: dict[LinearRelation, str] = {}
        for case in asked.cases:
            self._note(case.sought)
        self._outputs = tuple(each.name for each in network.model.outputs)
        thresholds = tuple(_threshold(name, one, self._outputs) for one, name in self._relations.items())
        program, engine = open_program(_program(model, thresholds))
        self._inputs, self._features = network.inputs, network.model.features
        log = Trace(program.interface, (Step(0, {each.path: 0 for each in program.interface.inputs}, {}),))
        replayer = replayer_for(engine, settings.replay)
        quick = replace(settings, witness_seconds=0.0)  # there is no fact that a scenario could be near to
        self._project = Project(program, log, log.keyframe(0), engine, solver, quick, None, replayer)

    def _note(self, sought: Condition) -> None:
        """Give each relation a name."""
        if isinstance(sought, LinearRelation):
            self._relations.setdefault(sought, _NAMED.format(len(self._relations) + 1))
        else:
            for each in sought.parts:
                self._note(each)

    def answer(
        self, cancel: Cancellation | None = None, progress: Callable[[QuestionProgress], None] = lambda _: None
    ) -> PropertyAnswer:
        """Ask case by case, until one is satisfied; all have the time of one question together."""
        begin, deadline = time.monotonic(), Budget(self._project.settings.seconds).started()
        relies_on, asked, open_ = dict[Assumption, None](), 0, ""
        for case, box in self.cases():
            found, asked = self._asked(case, box, deadline, cancel, progress), asked + 1
            relies_on |= dict.fromkeys(each for each in found.relies_on if each.id not in _OF_NO_PROPERTY)
            if found.verdict is Verdict.YES:
                return self._satisfied(found, box, asked, tuple(relies_on), time.monotonic() - begin)
            open_ = open_ or ("" if found.verdict is Verdict.NO else found.reason)
        result = PropertyResult.UNKNOWN if open_ else PropertyResult.UNSAT
        reason = open_ or "no input does: proved over all of them"
        return PropertyAnswer(result, reason, asked, (), (), "", tuple(relies_on), time.monotonic() - begin)

    def cases(self) -> Iterator[tuple[PropertyCase, Box]]:
        """The cases in which there is an input, each with its box."""
        for case in self._property.cases:
            box = self._box(case)
            if box is not None:
                yield case, box

    def outputs_at(self, inputs: Sequence[int]) -> tuple[int, ...] | None:
        """The bits of the outputs that the runtime gives for an input; None if it does not run."""
        bits = {own.path: each for own, each in zip(self._inputs, inputs, strict=True) if own is not None}
        run = self._project.replayer.replay(bits) if self._project.replayer is not None else None
        known = run.outputs if isinstance(run, Returned) else {}
        return tuple(known[name] for name in self._outputs) if set(self._outputs) <= known.keys() else None

    def _box(self, case: PropertyCase) -> Box | None:
        """None if there is no float for one of the inputs."""
        sorts = [SORTS[each.precision] for each in self._features]
        ends = [(~sort.infinity + 1, sort.infinity - 1) for sort in sorts]
        for each in case.box:
            (_, place, factor), *_ = each.terms
            (low, high), sort, bound, is_open = ends[place], sorts[place], each.bound / factor, each.comparison == "<"
            below, above = (sf.ordinal(sort, end(sort, bound)) for end in (sf.floor_fraction, sf.ceil_fraction))
            if factor > 0:
                ends[place] = low, min(high, above - 1 if is_open else below)
            else:
                ends[place] = max(low, below + 1 if is_open else above), high
        return ends if all(low <= high for low, high in ends) else None

    def _asked(
        self, case: PropertyCase, box: Box, deadline: Deadline, cancel: Cancellation | None,
        progress: Callable[[QuestionProgress], None],
    ) -> Answer:  # fmt: skip
        """One case as a question."""
        supposed, fact, outside = [], {}, False
        for variable, (low, high) in zip(self._inputs, box, strict=True):
            if variable is None:
                continue
            assert isinstance(variable.type, FloatType)
            sort, kind = variable.type.format, variable.type
            ends = [show(kind, sf.from_ordinal(sort, place)) for place in (low, high)]
            supposed.append(f"{ends[0]} <= {variable.path} <= {ends[1]}")
            is_beyond = not outside and high < sort.infinity - 1
            fact[variable.path] = sf.from_ordinal(sort, high + 1 if is_beyond else low)
            outside = outside or is_beyond
        if not outside:
            raise InputError("no input has an upper bound", "A property is about inputs in a box: bound them.")
        log = Trace(self._project.program.interface, (Step(0, fact, {}),))
        settings = replace(self._project.settings, seconds=deadline.seconds_left)
        project = replace(self._project.over(log, 0), settings=settings)
        question = f"might {self._text(case.sought)} if {' and '.join(supposed)}"
        return project.ask(question, cancel=cancel, progress=progress)

    def _text(self, sought: Condition) -> str:
        if isinstance(sought, LinearRelation):
            return self._relations[sought]
        if not sought.parts:
            return "decides" if sought.every else "not decides"
        return "(" + (" and " if sought.every else " or ").join(map(self._text, sought.parts)) + ")"

    def _satisfied(
        self, found: Answer, box: Box, asked: int, relies_on: tuple[Assumption, ...], seconds: float
    ) -> PropertyAnswer:
        witness = found.witness
        assert witness is not None
        bits = [  # of an input that no output depends on, any value will do
            sf.from_ordinal(SORTS[each.precision], low) if variable is None else witness.inputs[variable.path]
            for variable, each, (low, _) in zip(self._inputs, self._features, box, strict=True)
        ]
        given = *self.shown(bits, self.outputs_at(bits)), witness.replayed
        return PropertyAnswer(PropertyResult.SAT, "this input does", asked, *given, relies_on, seconds)

    def values(self, outputs: Sequence[int]) -> list[Fraction | None]:
        """Outputs as numbers; None: it is infinite, or no number."""
        found: list[Fraction | None] = []
        for name, bits in zip(self._outputs, outputs, strict=True):
            kind = self._project.program.interface.variable(name).type
            assert isinstance(kind, FloatType)
            found.append(sf.to_fraction(kind.format, bits) if sf.is_finite(kind.format, bits) else None)
        return found

    def shown(self, inputs: Sequence[int], outputs: Sequence[int] | None) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Decimals that read back to the same floats."""
        kinds = [FloatType(SORTS[each.precision]) for each in self._features]
        given = tuple(show(kind, bits) for kind, bits in zip(kinds, inputs, strict=True))
        interface = self._project.program.interface
        found = zip(self._outputs, outputs, strict=True) if outputs else ()
        return given, tuple(show(interface.variable(name).type, bits) for name, bits in found)


def _program(model: Path, thresholds: tuple[Threshold, ...]) -> Program:
    return Program(model.name, Interface(()), LearnedSource(Path(model.name), thresholds), model.parent)


def _network(model: Path) -> LearnedProgram:
    _, engine = open_program(_program(model, ()), replayed=False)
    if engine.learned is None or not engine.learned.model.networks:
        raise InputError(f"{model} is no neural network", "Properties are asked of networks, in ONNX files.")
    return engine.learned


def _check_fit(model: Path, network: LearnedProgram, asked: NetworkProperty) -> None:
    given, shown = len(network.model.features), len(network.model.outputs)
    if (given, shown) != (asked.inputs, asked.outputs):
        problem = f"the property has {asked.inputs} inputs and {asked.outputs} outputs"
        raise InputError(f"{problem}, and {model.name} {given} and {shown}", "Is it a property of this network?")
    if any(each.kind != "number" for each in network.model.features):
        raise InputError(f"{model.name} has inputs that are no floats", "A property is about real numbers.")
    if not any(network.inputs):
        raise InputError(f"no output of {model.name} depends on its inputs", "There is nothing to ask.")


def _threshold(name: str, one: LinearRelation, outputs: Sequence[str]) -> Threshold:
    """A relation of outputs as a decision."""
    scale = abs(one.terms[0][2]) if len(one.terms) == 1 else Fraction(1)
    terms = tuple((outputs[place], float(factor / scale)) for _, place, factor in one.terms)
    if any(Fraction(kept) != factor / scale for (_, kept), (_, _, factor) in zip(terms, one.terms, strict=True)):
        raise InputError(
            f"a relation of {', '.join(output for output, _ in terms)} has a factor that is no float64",
            "Multiply the relation by a power of ten.",
        )
    return Threshold(name, "", one.comparison, str(one.bound / scale), terms=terms)
