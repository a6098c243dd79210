"""A Project: a program, its log and a moment of it, to which questions are put.

>>> from soid.examples import folder
>>> from soid.query.python import would
>>> project = Project.open(folder("microwave"))
>>> answer = project.ask("would action in {CANCEL, CLOSE} if error == true and closed is anything and heat is anything")
>>> answer.verdict.value
'yes'

The same question in Python:

>>> v = project.variables
>>> cancels = would(v.action.any_of("CANCEL", "CLOSE"))
>>> same = project.ask(cancels.given(v.error == True, v.closed.anything(), v.heat.anything()))
>>> same.text == answer.text
True
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Hashable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Self, TypeAlias, Unpack, final

from msgspec import Struct, field
from msgspec.structs import replace

from soid.budget import Cancellation
from soid.cache import cache_folder
from soid.case.background_work import in_background
from soid.engine.manifest_reader import load
from soid.engine.program_identity import identity_of
from soid.engine.protocol import Engine, replayer_for
from soid.engine.registry import kept_summaries, open_program
from soid.engine.replay import Replayer
from soid.engine.summary_cache.summaries import Summaries
from soid.errors import InputError, QueryError, TraceError
from soid.oracle.answer import Answer
from soid.oracle.fact import KeptFact
from soid.oracle.inquiry import Context, Limits, QuestionProgress, Settings, with_time_left
from soid.oracle.log_run import LogRun
from soid.oracle.log_walk import EXPLORING, ComparedStep
from soid.oracle.pipeline import answer
from soid.oracle.unfinished import UnfinishedQuestions
from soid.oracle.whole_log import LISTED, LogComparison, check_log
from soid.program.manifest import Manifest
from soid.program.program import Program
from soid.query.language.query_parser import parse_checked, parse_suppositions
from soid.query.language.query_printer import to_text
from soid.query.name_completion import offer_names
from soid.query.query import CheckedQuery, Query, QueryKind, Supposable, supposition_of
from soid.query.steps import ONE, Steps
from soid.query.variables import Variables
from soid.scenario.future import usual_future
from soid.scenario.logs.log_source import TableObject
from soid.scenario.moment_value import MomentValue, typed_moment
from soid.scenario.supposition import Supposition
from soid.scenario.trace import Keyframe, Trace
from soid.scenario.trace_reader import read_for
from soid.scenario.typed_step import step_of
from soid.solver.chain import NAMES, chain
from soid.solver.protocol import Solver

if TYPE_CHECKING:
    from distributed import Client

    from soid.case.program_comparison import ProgramComparison, ProgramDifference
    from soid.explanation.causes import ActualCauses
    from soid.explanation.explainer import Explanation
    from soid.mapping.decision_map import DecisionMap
    from soid.mapping.partition import Fineness
    from soid.oracle.shared_proofs import SharedProofs
    from soid.sweep.sweep import Sweep
    from soid.sweep.sweep_row import SweepRow

#: what may differ: as text, or what Python writes, one or several
Supposed: TypeAlias = str | Supposable | Supposition | Sequence[str | Supposable | Supposition]


@final
class Project(Struct, frozen=True):
    """One moment of one log of one program."""

    program: Program
    trace: Trace
    logged: Keyframe  # the moment, as the log has it
    engine: Engine
    solver: Solver
    settings: Settings = field(default_factory=Settings)
    manifest: Manifest | None = None
    replayer: Replayer | None = None
    summaries: Summaries | None = None  # paths that earlier questions have found
    log_run: LogRun | None = None  # what follows from running the program over the log
    facts: dict[Hashable, KeptFact] = field(default_factory=dict)  # of moments that earlier questions were about
    unfinished: UnfinishedQuestions | None = None  # how far open questions have come
    shared: SharedProofs | None = None  # proofs about several moments, in a sweep

    @classmethod
    def open(
        cls,
        project: Path | str | Manifest,
        *,
        trace: Path | str | TableObject | Trace | None = None,
        step: MomentValue | None = None,
        settings: Settings | None = None,
        solver: Solver | None = None,
        cancel: Cancellation | None = None,
        progress: Callable[[QuestionProgress], None] = lambda _: None,
    ) -> Self:
        """Open a project: a folder with a `soid.toml`, or that file. Log and moment default to what it names.

        Without a file, pass a Manifest. The log may be a table of pandas, polars or pyarrow. The moment is a step's
        number, or a time by the log's clock, such as "45s": see `at`. Opening may take as much time and memory as a
        question.
        """
        if settings is not None and not isinstance(settings, Settings):
            raise InputError(f"{settings!r} are no settings", "Give soid.Settings(seconds=10.0).")
        chosen, opened_at = settings or Settings(), time.time()
        with chosen.opening(cancel):
            progress(QuestionProgress("program"))
            declared = project if isinstance(project, Manifest) else load(project)
            program, engine = open_program(declared.program, replayed=chosen.replay != "off")
            manifest = replace(declared, program=program)
            progress(QuestionProgress("log"))
            log = trace if isinstance(trace, Trace) else read_for(manifest, trace)
            if log.interface != manifest.program.interface:
                problem = f"{log.source or 'the log'} was read for a program with other variables"
                raise TraceError(problem, "Name its file, to read it for this one.")
        wanted = step if step is not None else manifest.keyframe
        moment = log.last if wanted is None else wanted
        replayer = replayer_for(engine, chosen.replay)
        recipe = chosen.recipe
        asked = solver or chain(recipe.solvers or NAMES, mechanisms=recipe.mechanisms)
        kept = kept_summaries(program, engine)
        identity = identity_of(program, engine, manifest.file, opened_at)
        unfinished = UnfinishedQuestions(identity, cache_folder() / "unfinished")
        given = program, log, _keyframe(log, moment), engine, asked, chosen, manifest, replayer
        opened = cls(*given, summaries=kept, unfinished=unfinished)
        return replace(opened, log_run=opened._run_over(log, cancel, progress))

    def __reduce__(self) -> tuple[object, ...]:
        """Pickled as its folder, log, moment and settings: it is opened anew there, with solvers of its own."""
        if self.manifest is None or not self.manifest.file.name:
            raise InputError("a project without a soid.toml cannot be pickled", "Write one, and open its folder.")
        return _opened_anew, (self.manifest.file.absolute(), self.trace, self.logged.step, self.settings)

    def __repr__(self) -> str:
        return f"Project({self.program.name} at {self.logged!r})"

    @property
    def keyframe(self) -> Keyframe:
        """The moment, with all that follows for it: the first look at it may take as long as a question."""
        if self.log_run is None:
            return self.logged
        return dataclasses.replace(self.log_run.keyframe(self.logged.step), source=self.logged.source)

    def _derived(
        self, cancel: Cancellation | None, progress: Callable[[QuestionProgress], None] = lambda _: None
    ) -> Keyframe:
        """The moment, within the time that a question has."""
        if self.logged.assumed:
            progress(QuestionProgress("state"))
        with self.settings.opening(cancel):
            return self.keyframe

    def at(self, step: MomentValue) -> Self:
        """The same project at another moment: a step's number, or a time by the log's clock.

        A time is a text such as "45s", a datetime as the log writes them, or since its first row a timedelta or seconds
        as a float; those of pandas, polars and numpy will do. It means the step that is in force then.

        >>> from soid.examples import folder
        >>> oven = Project.open(folder("microwave"))
        >>> oven.at(2).ask("did heat").verdict
        <Verdict.YES: 'yes'>
        """
        return replace(self, logged=_keyframe(self.trace, step))

    def sharing(self, proofs: SharedProofs) -> Self:
        """The same project, with proofs about several moments: an answer that one of them gives has no scenario.

        Kept paths are left out of use: looking through those of thousands of moments takes longer than exploring.
        """
        return replace(self, shared=proofs, summaries=None)

    def over(self, log: Trace, step: int) -> Self:
        """The same project with another log."""
        run = self._run_over(log) if self.log_run is None else self.log_run.over(log)
        return replace(self, trace=log, log_run=run).at(step)

    def _run_over(
        self,
        log: Trace,
        cancel: Cancellation | None = None,
        progress: Callable[[QuestionProgress], None] = lambda _: None,
    ) -> LogRun:
        from_start = self.manifest is not None and self.manifest.from_start
        return LogRun(log, self.context(cancel, progress), from_start=from_start)

    def compare_log(
        self,
        *,
        seconds: float | None = EXPLORING,
        most: int = LISTED,
        note: Callable[[ComparedStep], None] = lambda _: None,
        cancel: Cancellation | None = None,
        progress: Callable[[QuestionProgress], None] = lambda _: None,
    ) -> LogComparison:
        """Run the program over the whole log: where they differ, why, and what was not logged."""
        from_start = self.manifest is not None and self.manifest.from_start
        context = self.context(cancel, progress)
        return check_log(self.trace, context, from_start=from_start, seconds=seconds, most=most, note=note)

    @property
    def variables(self) -> Variables:
        """The program's variables, for questions written in Python; IPython and Jupyter complete their names.

        >>> from soid.examples import folder
        >>> Project.open(folder("microwave")).variables
        6 variables: error, closed, heat, running, started, action
        """
        offer_names()
        return Variables(self.program.interface)

    def context(
        self, cancel: Cancellation | None = None, progress: Callable[[QuestionProgress], None] = lambda _: None
    ) -> Context:
        """What its questions are answered with."""
        if cancel is not None and not isinstance(cancel, Cancellation):
            raise InputError(f"{cancel!r} cancels nothing", "Give soid.Cancellation(), and call its cancel().")
        if not callable(progress):
            raise InputError(f"{progress!r} cannot be told how far it is", "Give a function of one argument.")
        kept = self.summaries, self.settings, cancel or Cancellation(), progress, self.facts, self.unfinished
        return Context(self.engine, self.solver, self.replayer, *kept, shared=self.shared)

    def ask(
        self,
        question: Query | CheckedQuery | str,
        *,
        resume: bool = False,
        cancel: Cancellation | None = None,
        progress: Callable[[QuestionProgress], None] = lambda _: None,
        **limits: Unpack[Limits],
    ) -> Answer:
        """The answer. With `resume` a question that was left open goes on from what it had come to.

        `cancel` stops it from another thread, `progress` is told how far it is, and limits such as `seconds` and
        `memory` hold for this question alone. Several threads may ask one project, each its own questions.

        >>> from soid.examples import folder
        >>> oven = Project.open(folder("microwave"))
        >>> oven.ask("did action == CLOSE", seconds=5).verdict
        <Verdict.YES: 'yes'>
        """
        limited = self.limited(limits)
        checked, timed = limited.checked(question), with_time_left(progress, limited.settings)
        context = replace(limited.context(cancel, progress), progress=timed, resume=resume)
        return answer(checked, limited._derived(cancel, progress), context)

    def limited(self, limits: Limits) -> Self:
        """The same project with limits of one question in place of its own."""
        if unknown := sorted(limits.keys() - Limits.__annotations__.keys()):
            raise InputError(
                f"{unknown[0]} is no limit of a question", f"Its limits are {', '.join(Limits.__annotations__)}."
            )
        return replace(self, settings=replace(self.settings, **limits)) if limits else self

    def explain(
        self,
        question: Query | str,
        *,
        others: int | None = None,
        cancel: Cancellation | None = None,
        progress: Callable[[QuestionProgress], None] = lambda _: None,
        **limits: Unpack[Limits],
    ) -> Explanation:
        """Put a question and explain the answer: what mattered to it, or what its proof needed.

        >>> from soid.examples import folder
        >>> oven = Project.open(folder("microwave"))
        >>> why = oven.explain("might action == CANCEL if heat is anything and error is anything")
        >>> [found.scenario.witness for found in why.mattered.sets]
        [Witness(heat: true -> false)]
        """
        from soid.explanation.explainer import OTHERS, explain  # loaded on demand: most questions need no explanation

        wanted = OTHERS if others is None else others
        limited = self.limited(limits)
        given = limited.checked(question), limited._derived(cancel, progress), limited.context(cancel, progress)
        return explain(*given, others=wanted)

    def causes(
        self,
        question: Query | str,
        over: Supposed = (),
        *,
        hold: Sequence[tuple[str, int]] = (),
        size: int | None = None,
        agents: Mapping[str, Sequence[str]] | None = None,
        cancel: Cancellation | None = None,
        progress: Callable[[QuestionProgress], None] = lambda _: None,
        **limits: Unpack[Limits],
    ) -> ActualCauses:
        """The actual causes of what happened, among what may differ: a `did` with `over`, or a `would` by itself.

        `hold` has variables and later steps that may be held as they were; `size` bounds the variables of a cause;
        `agents` says by name which variables belong to an agent.

        >>> from soid.examples import folder
        >>> oven = Project.open(folder("microwave"))
        >>> found = oven.causes("did action == CLOSE", "error is anything and closed is anything")
        >>> [cause.paths for cause in found.causes], found.complete
        ([('closed',)], True)
        """
        from soid.explanation.causes import SIZE, causes

        limited = self.limited(limits)
        given = limited._derived(cancel, progress), limited.context(cancel, progress)
        wanted = SIZE if size is None else size
        return causes(self.causing(question, over), *given, hold=hold, size=wanted, agents=agents)

    def causing(self, question: Query | str, over: Supposed = ()) -> CheckedQuery:
        """The `would` whose counterexamples are the causes of what happened: of a `did` what may differ is `over`."""
        checked = self.checked(question)
        if checked.query.kind is not QueryKind.DID:
            return checked
        return self.checked(replace(checked.query, kind=QueryKind.WOULD, suppositions=self.supposed(over)))

    def supposed(self, over: Supposed) -> tuple[Supposition, ...]:
        """What may differ, of whatever form it is written in."""
        if isinstance(over, str):
            return parse_suppositions(over, self.program.interface) if over else ()
        several = over if isinstance(over, Sequence) else (over,)
        return tuple(found for each in several for found in self._supposed_by(each))

    def _supposed_by(self, each: str | Supposable | Supposition) -> tuple[Supposition, ...]:
        return parse_suppositions(each, self.program.interface) if isinstance(each, str) else (supposition_of(each),)

    def map(
        self,
        over: Supposed,
        *,
        by: str | None = None,
        fineness: Fineness | None = None,
        cancel: Cancellation | None = None,
        progress: Callable[[QuestionProgress], None] = lambda _: None,
        **limits: Unpack[Limits],
    ) -> DecisionMap:
        """The regions of behavior along the one or two variables that the suppositions free.

        `by` distinguishes regions by outputs (`"move"`, `"move, brake"`) or by a behavior (`"brake > 0.5"`); the
        default is all decisions.

        >>> from soid.examples import folder
        >>> oven = Project.open(folder("microwave"))
        >>> made = oven.map(oven.variables.heat.anything(), by="action")
        >>> len(made.regions), made.open
        (2, 0)
        """
        from soid.mapping.claims import by_text
        from soid.mapping.survey import survey

        interface, limited = self.program.interface, self.limited(limits)
        told_apart = by_text(by, interface)
        made = survey(
            interface,
            limited._derived(cancel, progress),
            self.supposed(over),
            told_apart,
            limited.context(cancel, progress),
            steps=self._steps or ONE,
            fineness=fineness,
        )
        return made.relabelled(lambda label: told_apart.worded(label, interface))

    def compare(
        self,
        questions: Sequence[Query | str],
        *,
        programs: Sequence[str] = (),
        cancel: Cancellation | None = None,
        progress: Callable[[QuestionProgress], None] = lambda _: None,
        **limits: Unpack[Limits],
    ) -> ProgramComparison:
        """The same questions put to each of several programs, or to some of them.

        >>> from soid.examples import folder
        >>> three = Project.open(folder("crash") / "together")
        >>> made = three.compare(["would move if world.agents[1].signal is anything"])
        >>> {name: answer.verdict.value for name, answer in made.questions[0].answers.items()}
        {'standard': 'no', 'impatient': 'yes', 'pathological': 'yes'}
        """
        from soid.case.program_comparison import compare  # loaded on demand: most projects have one program

        return compare(self.limited(limits), questions, programs, cancel, progress)

    def differ(
        self,
        one: str,
        other: str,
        over: Supposed,
        *,
        by: str | None = None,
        cancel: Cancellation | None = None,
        progress: Callable[[QuestionProgress], None] = lambda _: None,
        **limits: Unpack[Limits],
    ) -> ProgramDifference:
        """Whether two of several programs decide alike, in fact and over a family; if not, where.

        `by` names the decisions that count, such as a network's advisory and not its scores; the default is all.

        >>> from soid.examples import folder
        >>> three = Project.open(folder("crash") / "together")
        >>> made = three.differ("standard", "impatient", "world.agents[1].signal is anything")
        >>> made.in_fact.verdict.value, made.elsewhere.verdict.value
        ('yes', 'no')
        """
        from soid.case.program_comparison import differ

        return differ(self.limited(limits), one, other, over, by, cancel, progress)

    def sweep(
        self,
        questions: Sequence[Query | CheckedQuery | str] | str | Path,
        *,
        logs: Sequence[Path | str] = (),
        steps: str = "all",
        to: Path | None = None,
        resume: bool = False,
        workers: int | None = None,
        client: Client | None = None,
        cancel: Cancellation | None = None,
        progress: Callable[[QuestionProgress], None] = lambda _: None,
        note: Callable[[SweepRow], None] = lambda _: None,
        **limits: Unpack[Limits],
    ) -> Sweep:
        """Put the same questions at many moments: of this log, or of others, named by paths and patterns.

        The questions may be those of a script, given as its Path: `soid docs scripts` says what it may not have then.
        `steps` are `all`, numbers such as `3, 10..20`, `where CONDITION`, or `changed`: where a decision changed. Rows
        are written `to` a file as they come (.csv, .jsonl, .parquet) and noted; `resume` goes on with such a file.
        `workers` are processes; as many as there are cores, if there is enough to do. `client` is a
        `distributed.Client` of a Dask cluster: its workers answer, on whatever machines they are.

        >>> from soid.examples import folder
        >>> oven = Project.open(folder("microwave"))
        >>> made = oven.sweep(["might action == CLOSE if heat is anything"])
        >>> made.summary()
        'At all 5 moments it would never close the door, whatever the heater had been.'
        >>> made.rows[0].step, made.rows[0].verdict.value, made.rows[0].reason
        (0, 'no', 'in no scenario does it: proved over all of them')
        """
        from soid.case.project_sweep import asked_in, sweep  # loaded on demand: most projects are asked at one moment

        if client is not None and workers is not None:
            raise InputError("a sweep has workers of a cluster, or processes here", "Give client, or workers.")
        asked = asked_in(questions, self) if isinstance(questions, Path) else questions
        limited, stop = self.limited(limits), cancel or Cancellation()
        return sweep(
            limited,
            [asked] if isinstance(asked, str) else asked,
            logs,
            steps,
            to=to,
            resume=resume,
            workers=workers,
            client=client,
            cancel=stop,
            progress=progress,
            note=note,
        )

    #: `ask` for an event loop: cancelling its task stops the work, and `progress` is called in the loop's own thread
    ask_async = in_background(ask)
    #: `explain` for an event loop
    explain_async = in_background(explain)
    #: `causes` for an event loop
    causes_async = in_background(causes)
    #: `map` for an event loop
    map_async = in_background(map)
    #: `compare` for an event loop
    compare_async = in_background(compare)
    #: `differ` for an event loop
    differ_async = in_background(differ)
    #: `sweep` for an event loop: `note` is called in its thread too; of a cancelled sweep the rows in its file remain
    sweep_async = in_background(sweep)
    #: `compare_log` for an event loop
    compare_log_async = in_background(compare_log)

    def checked(self, question: Query | CheckedQuery | str) -> CheckedQuery:
        """The question parsed and checked against this program; its steps default to the manifest's, and to the log."""
        written = self.written(question)
        query = written.query
        if query.steps is None:
            query = replace(query, steps=self._steps)
        return replace(written, query=query.going(usual_future(self.program.interface)))

    def written(self, question: Query | CheckedQuery | str) -> CheckedQuery:
        """The question parsed and checked against this program, with nothing that it does not say itself."""
        if isinstance(question, str):
            return parse_checked(question, self.program.interface, self.trace)
        if isinstance(question, Query):
            return question.checked(self.program.interface, self.trace)
        if not isinstance(question, CheckedQuery):
            raise QueryError(
                f"{question!r} is no question",
                'Ask a text, "might move if signal is anything", or might(v.move).given(v.signal.anything()).',
            )
        return question

    def normal_text(self, question: CheckedQuery | str) -> str:
        """A question as a record has it: in its normal form, with its future; with its steps if it has a future."""
        written = self.written(question)
        meant = self.checked(written).query
        return to_text(meant if meant.period.future is not None else written.query)

    @property
    def _steps(self) -> Steps | None:
        """The manifest's number of steps, if it has one."""
        return Steps.after(self.program.source.steps)


def _opened_anew(file: Path, log: Trace, step: int, settings: Settings) -> Project:
    return Project.open(file, trace=log, step=step, settings=settings)


def _keyframe(log: Trace, moment: MomentValue) -> Keyframe:
    step = typed_moment(moment)
    return log.keyframe(step_of(step, log, {}) if isinstance(step, str) else step)


#: `open` for an event loop
open_async = in_background(Project.open)
