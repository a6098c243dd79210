"""The course of a question about other scenarios: what is supposed of its steps, and how the rest goes on.

An input stands for a variable in some steps. What is left is as the future says: as logged, held, or free. In a closed
loop an input may stand for a decision too: the program decides, and the world is given the input.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from functools import cached_property
from typing import Final, assert_never

from msgspec.structs import replace

from soid.errors import KeyframeError, QueryError
from soid.program.domain import LoggedValue
from soid.program.interface import Interface, Role, Variable
from soid.program.perception import Lapsing, OutputCondition, Perceived, PerceivedValue, Produced
from soid.scenario.course import Course, Until, marked
from soid.scenario.expression import Expression, Name, error_at, rebuilt
from soid.scenario.future import Future
from soid.scenario.origin import is_constant
from soid.scenario.output_conditions import output_condition
from soid.scenario.supposition import (
    AnyBits,
    Anything,
    During,
    Keep,
    Satisfies,
    Supposition,
    Within,
    freed,
    mentioned,
    supposition_text,
)
from soid.scenario.trace import Keyframe, Step
from soid.scenario.written_step import number_of


def supposed_course(keyframe: Keyframe, suppositions: tuple[Supposition, ...], count: int, future: Future) -> Course:
    """The course of `count` steps from a keyframe on."""
    for each in suppositions:
        _check_steps(each, keyframe.step, count)
        _check_acts(each, keyframe.interface, count, future)
    if future is Future.HELD and not any(isinstance(each, During) for each in suppositions):
        texts, unknown = tuple(map(supposition_text, suppositions)), frozenset(keyframe.assumed)
        fact = keyframe.interface, keyframe.inputs, suppositions, texts, (), keyframe.rounded
        return Course(*fact, {}, unknown, (), count, keyframe.fitting)
    following = _following(keyframe, count, future, kept=any(isinstance(each, Keep) for each in suppositions))
    made = _Making(keyframe, suppositions, count, future, following)
    return made.course()


def _following(keyframe: Keyframe, count: int, future: Future, *, kept: bool) -> tuple[Step, ...]:
    """The steps of the log after the keyframe, as far as the future needs them.

    `anything` needs them only for what is kept, and else has those that there are; `held` never has any, and a closed
    loop has all of them or none.
    """
    if future is Future.HELD:
        return ()
    if future is Future.CLOSED_LOOP:  # the log gives what the world does not give, if it has all steps
        try:
            return keyframe.following(count - 1) if _beside_the_world(keyframe) else ()
        except KeyframeError:
            if keyframe.interface.as_logged:
                raise
            return ()
    try:
        return keyframe.following(count - 1)
    except KeyframeError as error:
        if future is Future.ANYTHING and not kept:
            return keyframe.followed_by(count - 1)
        raise KeyframeError(
            error.cause,
            f"{error.remedy} Or say what is perceived afterwards: `{count} steps held` (as at step "
            f"{keyframe.step}, in all of them), or `{count} steps anything` (whatever it may be).",
        ) from None


def _beside_the_world(keyframe: Keyframe) -> list[str]:
    """What is perceived and not given by a world."""
    interface = keyframe.interface
    perceived = (v.path for v in interface.inputs if v.role is Role.ENVIRONMENT)
    return [path for path in perceived if path not in interface.produced]


def _check_steps(supposition: Supposition, first: int, count: int) -> None:
    if isinstance(supposition, During):
        last = first + count - 1
        if supposition.until is not None and count == 1:
            raise error_at(
                supposition.span,
                "`until` is for questions about several steps",
                "Ask about more of them: `within 30 steps`.",
            )
        for step in (number_of(each) for each in (supposition.first, supposition.last) if each is not None):
            if not first <= step <= last:
                steps = f"steps {first} to {last}" if count > 1 else f"step {first}"
                raise error_at(
                    supposition.span,
                    f"step {step} is not one that the question is about: {steps}",
                    f"Name one of them, or ask about more steps: `within {max(step - first + 1, 2)} steps`."
                    if step > last
                    else "Name one of them, or ask about an earlier moment.",
                )


def _check_acts(supposition: Supposition, interface: Interface, count: int, future: Future) -> None:
    """Refuse something else done where nothing comes of it."""
    if not interface.acted or count == 1 or future is Future.CLOSED_LOOP:
        return
    acts = [each.path for each in mentioned(interface, supposition) if not each.is_input]
    if acts:
        raise error_at(
            supposition.span,
            f"`{future.value}`, nothing comes of what is done, so nothing can be supposed of {acts[0]}",
            f"Ask about `{count} steps closed loop`: then the world goes on from it.",
        )


#: values of later steps that may be free; more would take all memory before the first of them is looked at
_MOST_FREE: Final = 20_000


class _Making:
    """A course while it is made. Steps are counted from 0 here, the keyframe's being the first."""

    def __init__(
        self,
        keyframe: Keyframe,
        suppositions: tuple[Supposition, ...],
        count: int,
        future: Future,
        following: tuple[Step, ...],
    ) -> None:
        self._keyframe = keyframe
        self._suppositions = suppositions
        self._count = count
        self._future = future
        self._following = following
        #: nothing changes but what a world gives
        self._holds = future is Future.HELD or (future is Future.CLOSED_LOOP and not following)
        self._perceived = [v for v in keyframe.interface.inputs if v.role is Role.ENVIRONMENT]
        #: what a world gives after each step; what it was in fact is in the log, as far as that goes on
        self._produced = keyframe.interface.produced if future is Future.CLOSED_LOOP else frozenset[str]()
        #: what no world gives: the log has it, as far as the future says
        self._perceived_beside = {v.path for v in self._perceived} - self._produced
        #: decisions in whose place something else is done
        self._acts = [v for each in suppositions for v in mentioned(keyframe.interface, each) if not v.is_input]
        self._inputs: dict[str, tuple[Variable, Variable]] = {}  # of later steps, by path; with their variables
        self._views: dict[str, Variable] = {}
        self._taken: dict[str, dict[int, str]] = {
            v.path: {} for v in (*self._perceived, *self._acts)
        }  # by variable and step: an input
        self._after: dict[str, dict[int, str]] = {path: {} for path in self._taken}  # the same, once that has lapsed
        self._untils: dict[str, tuple[OutputCondition, int] | None] = {}  # by input: when it lapses, and since when
        self._lapsing: dict[str, During] = {}  # by input, if it lapses

    def course(self) -> Course:
        if self._future is not Future.ANYTHING:
            for path in freed(self._keyframe.interface, self._suppositions):
                if path not in self._produced:  # the world goes on from what it is at first
                    self._last(path)
        suppositions = tuple(self._renamed(each) for each in self._suppositions)
        if self._future is Future.ANYTHING:
            suppositions += tuple(self._anything())
        self._leave_open()
        interface, keyframe = self._keyframe.interface, self._keyframe
        added = tuple(made for made, _ in self._inputs.values())
        views = (*interface.views, *self._views.values())
        logged = {path: self._logged(base.path, self._steps(path, base)[0]) for path, (_, base) in self._inputs.items()}
        ranges = {path: value.rounded for path, value in logged.items() if value.rounded is not None}
        environments = tuple(self._at(step) for step in range(1, self._count))
        untils = tuple(self._until(path, supposed) for path, supposed in self._lapsing.items())
        known = {v.path: v for v in self._perceived if 0 in self._taken[v.path]}
        known |= {path: base for path, (_, base) in self._inputs.items()}
        return Course(
            dataclasses.replace(interface, variables=(*interface.variables, *added), views=views),
            {**keyframe.inputs, **{path: value.bits for path, value in logged.items()}},
            suppositions,
            tuple(map(supposition_text, self._suppositions)),
            environments if any(environments) else (),
            {**keyframe.rounded, **ranges},
            {path: later for path, base in known.items() if (later := self._recorded(path, base))},
            frozenset(keyframe.assumed)
            | {path for path, (_, base) in self._inputs.items() if not self._is_recorded(path, base)},
            self._following,
            self._count,
            keyframe.fitting,
            untils,
            tuple(self._factual(step) for step in range(1, self._count)),
            acts=self._done(0),
        )

    def _last(self, path: str) -> None:
        """What is supposed without steps has the supposed value in all of them."""
        if path in self._taken:
            self._taken[path] |= dict.fromkeys(range(self._count), path)
            self._untils[path] = None

    def _renamed(self, supposition: Supposition) -> Supposition:
        """What is supposed, of the inputs that stand for its variables in its steps."""
        if not isinstance(supposition, During):
            self._check_views(supposition, self._count)
            return supposition
        interface = self._keyframe.interface
        begin = 0 if supposition.first is None else number_of(supposition.first) - self._keyframe.step
        end = self._count if supposition.last is None else number_of(supposition.last) - self._keyframe.step + 1
        self._check_views(supposition, end - begin)

        def mark_of(variable: Variable) -> str:
            """The first step has the program's own inputs; what is done there is an input of its own."""
            return supposition.mark(self._keyframe.step) if begin or not variable.is_input else ""

        for variable in mentioned(interface, supposition):
            mark = mark_of(variable)
            for source in variable.sources:
                self._take(source, mark, range(begin, end), supposition)
            if variable.parts and mark:
                parts = tuple(replace(part, variable=marked(part.variable, mark)) for part in variable.parts)
                self._views[f"{variable.path}{mark}"] = replace(marked(variable, mark), parts=parts)

        def renamed(node: Expression) -> Expression:
            if isinstance(node, Name) and node.path in interface:
                variable = interface.variable(node.path)
                return replace(node, path=f"{variable.path}{mark_of(variable)}")
            changed: Expression = rebuilt(node, renamed)
            return changed

        supposed = supposition.supposed
        match supposed:
            case Satisfies(formula):
                return replace(supposed, formula=renamed(formula))
            case Anything(path) | AnyBits(path) | Within(path, _):
                variable = interface.variable(path)
                return replace(supposed, path=f"{variable.path}{mark_of(variable)}")
            case _:
                assert_never(supposed)

    def _check_views(self, supposition: Supposition, steps: int) -> None:
        """Refuse a name for a part of a variable over several logged steps: its other bits would not be as logged."""
        if isinstance(supposition, Keep) or steps == 1 or self._future is not Future.AS_LOGGED:
            return
        for variable in mentioned(self._keyframe.interface, supposition):
            if variable.parts and variable.role is Role.ENVIRONMENT:
                named = ", ".join(source.path for source in variable.sources)
                raise error_at(
                    supposition.span,
                    f"{variable.path} is another name for bits of {named}, whose other bits the log has step by step",
                    f"Suppose something of {named}, or of one step alone, or ask with `{self._count} steps held`.",
                )

    def _take(self, variable: Variable, mark: str, steps: range, supposition: During) -> None:
        """An input stands for a variable in some steps; refused if another one does so in some of them."""
        path = f"{variable.path}{mark}"
        if mark:
            self._inputs[path] = marked(variable, mark), variable
        else:
            self._check_fact(variable, steps, supposition)
        condition = supposition.until and output_condition(supposition.until, self._keyframe.interface)
        until = condition and (condition, steps.start)
        if until is not None:
            self._lapsing.setdefault(path, supposition)
        same = self._untils.setdefault(path, until) == until
        for step in steps:
            if self._taken[variable.path].setdefault(step, path) != path or not same:
                raise error_at(
                    supposition.span,
                    f"two things are supposed of {variable.path} at step {self._keyframe.step + step}",
                    "Give each its own steps: `from step A to step B`; what is supposed without steps lasts for all.",
                )

    def _check_fact(self, variable: Variable, steps: range, supposition: During) -> None:
        """Refuse steps of which it is not known what a world gave in fact, after one of which it is known."""
        unknown = [step for step in steps if step and not self._is_known(variable, step)]
        if variable.path in self._produced and unknown:
            first = self._keyframe.step
            raise error_at(
                supposition.span,
                f"what {variable.path} was at step {first + unknown[0]} is not logged, so what happened is not known",
                f"Suppose it of step {first} alone: the world goes on from there.",
            )

    def _anything(self) -> Iterator[Supposition]:
        """Every value of every later step that nothing else is supposed of is free, unless it is kept."""
        if self._count * len(self._perceived) > _MOST_FREE:
            raise QueryError(
                f"{self._count} steps anything leave {self._count * len(self._perceived):,} values open",
                f"Ask about fewer steps: at most {_MOST_FREE:,} values.",
            )
        named = (self._keyframe.interface.variable(each.path) for each in self._suppositions if isinstance(each, Keep))
        kept = {source.path for variable in named for source in variable.sources}
        for step in range(1, self._count):
            for variable in self._perceived:
                if (free := self._unsupposed(variable, step)) is not None and variable.path not in kept:
                    made = marked(variable, f"@{self._keyframe.step + step}")
                    self._inputs[made.path] = made, variable
                    free[step] = made.path
                    yield Anything(made.path)

    def _leave_open(self) -> None:
        """What nothing is supposed of, and is not known at a later step, is an input of its own too."""
        for variable in (each for each in self._perceived if each.path not in self._produced):
            for step in range(1, self._count):
                free = self._unsupposed(variable, step)
                if free is None or self._is_known(variable, step):
                    continue
                # what is held has one value in all the steps; if nothing is supposed of it, that of the first
                held = self._holds
                if held and 0 not in self._taken[variable.path]:
                    continue
                made = marked(variable, f"@{self._keyframe.step + 1}.." if held else f"@{self._keyframe.step + step}")
                self._inputs[made.path] = made, variable
                free[step] = made.path

    def _unsupposed(self, variable: Variable, step: int) -> dict[int, str] | None:
        """Where to note an input for what nothing is supposed of, or no longer; None: there is one, or none is needed.

        A value that lapses does so after its first step at the earliest.
        """
        taken, after = self._taken[variable.path], self._after[variable.path]
        if step not in taken:
            return taken
        until = self._untils.get(taken[step])
        return None if until is None or step <= until[1] or step in after else after

    def _is_known(self, variable: Variable, step: int) -> bool:
        """Whether the fact is known at a step; where all is held, the fact is the keyframe's."""
        if not variable.is_input:
            there = self._logged_step(variable.path, step)
            return there is not None and variable.path in there.decisions
        if step == 0 or (self._holds and variable.path not in self._produced):
            return variable.path not in self._keyframe.assumed
        there = self._logged_step(variable.path, step)
        return there is not None and (variable.path not in there.unlogged or is_constant(variable))

    def _at(self, step: int) -> Perceived:
        """What is perceived at a later step, where it is not what it is in the first."""
        found: dict[str, PerceivedValue] = {}
        for variable in self._perceived:
            by = self._taken[variable.path].get(step)
            value: PerceivedValue
            value = self._unless_supposed(variable, step) if by is None else self._input(variable, by)
            if by is not None and (until := self._untils.get(by)) is not None and step > until[1]:
                after = self._after[variable.path].get(step)
                otherwise = self._unless_supposed(variable, step) if after is None else self._input(variable, after)
                value = Lapsing(self._input(variable, by), otherwise, *until)
            if value != variable:
                found[variable.path] = value
        return {**found, **self._done(step)}

    def _done(self, step: int) -> Perceived:
        """What is done at a step in the place of decisions."""
        done = ((each, self._taken[each.path].get(step)) for each in self._acts)
        return {each.path: self._input(each, by) for each, by in done if by is not None}

    def _input(self, variable: Variable, path: str) -> Variable:
        """The input of a path that stands for a variable."""
        return self._inputs[path][0] if path in self._inputs else variable

    def _unless_supposed(self, variable: Variable, step: int) -> int | Variable | Produced:
        """What is perceived of a variable at a step if nothing is supposed of it."""
        if variable.path in self._produced:
            return Produced(f"{variable.path}'")
        if not self._holds:
            return self._following[step - 1].inputs[variable.path]
        # held: what it is in the first step, unless something is supposed of that
        return self._keyframe.inputs[variable.path] if 0 in self._taken[variable.path] else variable

    def _factual(self, step: int) -> Perceived:
        """What the fact perceives at a later step, and what was decided; a world gives what the log lacks."""
        return {v.path: self._logged(v.path, step).bits for v in self._acts if self._is_known(v, step)} | {
            v.path: Produced(f"{v.path}'")
            if v.path in self._produced and not self._is_known(v, step)
            else self._logged(v.path, step).bits
            for v in self._perceived
        }

    def _until(self, path: str, supposed: During) -> Until:
        """What is known of an input that is supposed until something."""
        variable = self._inputs[path][1] if path in self._inputs else self._keyframe.interface.variable(path)
        until, steps = self._untils[path], self._steps(path, variable)
        assert until is not None, "it lapses"
        after = tuple(self._after[variable.path].get(step, "") for step in steps)
        return Until(path, supposed, *until, tuple(self._logged(variable.path, step) for step in steps), after)

    def _steps(self, path: str, base: Variable) -> list[int]:
        """The steps in which an input stands for its variable."""
        standing = (self._taken[base.path], self._after[base.path])
        return sorted(step for inputs in standing for step, by in inputs.items() if by == path)

    def _is_recorded(self, path: str, base: Variable) -> bool:
        """Whether the fact of an input is known, in all of its steps."""
        return all(self._is_known(base, step) for step in self._steps(path, base))

    def _logged(self, path: str, step: int) -> LoggedValue:
        """What the fact had at a step, or at the keyframe if the log is not used."""
        there = self._logged_step(path, step) or self._keyframe
        decided = there.decisions.get(path, 0)  # 0: it is not known
        return LoggedValue(there.inputs.get(path, decided), there.rounded.get(path))

    def _logged_step(self, path: str, step: int) -> Step | Keyframe | None:
        """The step of the log that has what a variable was at a step."""
        if step == 0:
            return self._keyframe
        steps = self._following if path in self._perceived_beside else self._later
        return steps[step - 1] if step <= len(steps) else None

    @cached_property
    def _later(self) -> tuple[Step, ...]:
        """The steps of the log after the keyframe, as far as they go; a question may have more of them."""
        return self._following or self._keyframe.followed_by(self._count - 1)

    def _recorded(self, path: str, base: Variable) -> tuple[LoggedValue, ...]:
        """What the log has of an input in the steps after its first one."""
        if not self._following and base.path in self._perceived_beside:
            return ()
        later = [step for step in self._steps(path, base)[1:] if self._is_known(base, step)]
        return tuple(dict.fromkeys(self._logged(base.path, step) for step in later))
