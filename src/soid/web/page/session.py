"""A Session: the state of one open page. Its case, moment, drafted question and shown answer.

Panels of the page read it, change it through its methods and subscribe to its changes; they do not know each other. It
is independent of the framework that draws them.
"""

from __future__ import annotations

import enum
import math
from collections import defaultdict
from collections.abc import Callable
from functools import partial
from typing import Any, Final, TypeVar, final

from soid.case.asked_line import is_line
from soid.case.case import RecordedAnswer
from soid.case.stored_answer import moment_of
from soid.errors import SoidError
from soid.program.interface import Interface
from soid.program.types import show
from soid.query.steps import Steps
from soid.scenario.log_series import LogSeries
from soid.scenario.origin import Supplied
from soid.scenario.trace import Keyframe, Trace
from soid.scene.handles import Grip, Handle, handles
from soid.scene.picture import Picture, amount, decisions_that_follow, of_keyframe, picture
from soid.scene.scene import Scene
from soid.web.case_service import CaseService
from soid.web.desk_service import DeskService
from soid.web.page.amounts import tidy_angle
from soid.web.page.draft_state import DraftHistory, DraftState
from soid.web.page.query_draft import draft_of
from soid.web.page.question_draft import QuestionDraft
from soid.web.page.supposition_draft import How
from soid.web.page.told_error import ToldError, told_error
from soid.web.user import UserRole
from soid.web.work.job import Job, Trouble
from soid.witness.witness import Shows

T = TypeVar("T")

_UNASKED: Final = ("moment", "film", "ways")  # the kinds of jobs that pages begin by themselves; they are not shown
_SEEN: Final = 560.0  # points of the picture across


@final
class About(enum.Enum):
    """The kinds of changes that a panel can subscribe to."""

    MOMENT = "moment"  # another step or another log
    DRAFT = "draft"  # the drafted question
    ANSWER = "answer"  # another answer is shown, or none, or another side of it
    RECORD = "record"  # the case has new entries
    JOBS = "jobs"  # a job has begun, progressed or ended
    CHOSEN = "chosen"  # another actor is selected
    EDITING = "editing"  # a variable is to be edited
    NOTICES = "notices"  # the list of notices
    LOG = "log"  # what is read of the log, for its plot
    OUTPUTS = "outputs"  # which outputs of the moment follow
    EXPLAINED = "explained"  # an answer was explained
    TEXT = "text"  # a question for which there are no fields waits to be asked as text


@final
class ShownSide(enum.Enum):
    """The side of an answer that is drawn."""

    FACT = "the fact"
    SCENARIO = "the scenario"  # over the fact


Listener = Callable[[], None]


@final
class Session:
    """One page on one case."""

    def __init__(self, desk: DeskService, service: CaseService) -> None:
        self.service = service
        self.case = case = service.case
        moment = case.moment()
        self.log = moment.log
        self.opened: str | None = None  # the address that it was opened with, if that said more than the case
        self.begin = moment.log, moment.step  # what the page shows at first
        self.trace: Trace = case.project_at(log=self.log).trace
        self.shelf = desk.shelf
        self.read: LogSeries | None = None  # what the plot has of the log
        self.scene: Scene | None = case.scene
        self.keyframe: Keyframe = self.trace.keyframe(moment.step)
        self._derived: dict[tuple[str, int], Keyframe] = {}  # moments of which more is known than the log says
        self._looked: set[tuple[str, int]] = set()  # moments for which a worker has looked
        self._deriving: Job | None = None
        self._asked_for = "", 0  # the moment of that job
        self._stood: tuple[str, int] | None = None  # the moment when `derive` was called last
        self.draft = self.new_draft()
        self.unasked = self.draft.state  # before anything is composed
        self.history = DraftHistory(self.unasked)
        self.text = ""  # the question that waits to be asked as text
        self.shown: RecordedAnswer | None = None
        self.side = ShownSide.SCENARIO
        self.explained: dict[int, dict[str, Any]] = {}  # explanations of answers as JSON, by entry
        self.chosen = self._first_actor()
        self.editing = ""  # the variable whose row the editor last opened
        under_way = [job for job in desk.jobs(service.id) if not job.state.is_final and job.kind not in _UNASKED]
        self.jobs: tuple[Job, ...] = tuple(reversed(under_way))  # and those that this page starts, the last first
        self.version = len(case.entries)
        self.notices: tuple[ToldError, ...] = ()  # the last first
        self._named_at = (-1, "")
        self._names: dict[int, str] = {}
        self._listeners: dict[About, list[Listener]] = defaultdict(list)

    def may(self, role: UserRole) -> bool:
        """Whether the page's user may do what this role may."""
        return self.service.user.may(role)

    @property
    def interface(self) -> Interface:
        return self.draft.interface

    def new_draft(self) -> QuestionDraft:
        """An empty question about this moment, with the manifest's number of steps."""
        return QuestionDraft(self.keyframe, steps=Steps.after(self.case.first.program.source.steps))

    def begin_with(self, draft: QuestionDraft) -> None:
        """Go on with a draft that was composed before this page was opened: nothing of it can be undone."""
        self.draft, self.history = draft, DraftHistory(draft.state)

    def hear(self, *about: About, do: Listener) -> None:
        """Call `do` whenever one of these has changed."""
        for each in about:
            self._listeners[each].append(do)

    def changed(self, *about: About) -> None:
        if About.DRAFT in about:
            self.history.note(self.draft.state)
        for listener in dict.fromkeys(do for each in about for do in self._listeners[each]):
            listener()

    def trying(self, do: Callable[[], T]) -> T | None:
        """Call `do`; if it raises a SoidError, show a notice and return None."""
        try:
            return do()
        except SoidError as error:
            self.refused(error)
            return None

    def refused(self, error: SoidError | Trouble) -> None:
        """Show a notice of an error, unless it is shown already."""
        notice = told_error(error)
        if notice not in self.notices:
            self.notices = (notice, *self.notices[:2])
            self.changed(About.NOTICES)

    def hush(self, notice: ToldError) -> None:
        self.notices = tuple(each for each in self.notices if each is not notice)
        self.changed(About.NOTICES)

    # --- the moment

    @property
    def index(self) -> int:
        return self.trace.place(self.keyframe.step)

    def seek(self, index: int) -> None:
        """Make this step the keyframe. The suppositions stay, now relative to the new fact."""
        place = min(max(index, 0), len(self.trace) - 1)
        self._look_at(self.trace.steps[place].time)

    def open_log(self, log: str) -> None:
        self.look_at(self.case.moment(log=log).step, log)

    @property
    def names(self) -> dict[int, str]:
        """The names of this log's moments, by step; looked up again when the record has grown."""
        if self._named_at != (self.version, self.log):
            self._named_at = self.version, self.log
            known = self.case.keyframes.items()
            self._names = {moment.step: name for name, moment in known if moment.log == self.log}
        return self._names

    def seek_step(self, step: int) -> None:
        """Make the step of this number the keyframe, or the nearest one that the log has."""
        at = self.trace.place(step)
        near = self.trace.steps[max(at - 1, 0) : at + 1]
        self._look_at(min(near, key=lambda known: abs(known.time - step)).time)

    def look_at(self, step: int, log: str) -> None:
        """Make a step of a log the keyframe."""
        if log != self.log:
            self.log, self.trace, self.read = log, self.case.project_at(log=log).trace, None
        self._look_at(step)

    def derive(self) -> None:
        """Have a worker derive what is not logged at a moment that is looked at for a while; call it now and then."""
        here, stood, job = (self.log, self.keyframe.step), self._stood, self._deriving
        self._stood = here
        if job is not None:
            if job.state.is_final:
                self._deriving = None
                self._take_derived(job, self._asked_for)
        elif self._lacks and here == stood and here not in self._looked:
            self._deriving, self._asked_for = self.trying(lambda: self.service.moment(here[1], here[0])), here

    @property
    def _lacks(self) -> bool:
        """Whether the log does not have all values of the moment."""
        return bool(self.keyframe.assumed or self.keyframe.open_outputs)

    def _take_derived(self, job: Job, moment: tuple[str, int]) -> None:
        log, step = moment
        if log != self.log:  # another log is looked at meanwhile
            return
        self._looked.add(moment)
        keyframe, before = self.trace.keyframe(step), self._derived.get(moment)
        # if it failed, the values stay as they are, not logged
        found = keyframe if job.result is None else moment_of(job.result, keyframe)
        # an answer that is shown may have derived other inputs: then nothing follows from those that are shown
        if before is None or before.supplied.derived == found.supplied.derived:
            self._derived[moment] = found
        if step != self.keyframe.step:
            return
        if keyframe.assumed:
            self._look_at(step)
        else:  # the inputs stay as they are
            self.keyframe = self.draft.keyframe = self._derived[moment]
            self.changed(About.OUTPUTS)

    def _look_at(self, step: int) -> None:
        derived = self._derived.get((self.log, step))
        keyframe = derived or self.trying(lambda: self.trace.keyframe(step))
        if keyframe is None:
            return
        self.keyframe = self.draft.keyframe = keyframe
        self.draft.derived = derived is not None
        if self.shown is not None and (self.shown.entry.step, self.shown.entry.log) != (keyframe.step, self.log):
            self.shown = None
            self.changed(About.MOMENT, About.DRAFT, About.ANSWER)
        else:
            self.changed(About.MOMENT, About.DRAFT)

    # --- the picture

    def picture(self) -> Picture | None:
        """The picture: the answer's scenario over the fact, else the draft's point over the fact, else the fact."""
        if self.scene is None:
            return None
        if self.shown is not None and self.side is ShownSide.SCENARIO:
            answer = self.shown.answer
            moment = self.keyframe.supplied_with(answer.supplied)
            drawn = of_keyframe(self.scene, moment, decided=answer.fact, witness=answer.witness)
            if drawn.ghost is not None:
                return drawn
        followed, unknown = decisions_that_follow(self.keyframe), frozenset(self.keyframe.assumed)
        fact = {**self.keyframe.decisions, **followed, **self.keyframe.inputs}
        point, taken = self.draft.point, unknown.difference(self.draft.pointed)
        ghost = point if self.draft.pointed and self.shown is None else None
        return picture(
            self.scene,
            fact,
            ghost=ghost,
            caption=self.keyframe.called,
            unknown=unknown,
            taken=taken,
            derived=frozenset(followed),
        )

    @property
    def shows_scenario(self) -> bool:
        """Whether the answer has a scenario that is not the fact."""
        witness = self.shown.answer.witness if self.shown is not None else None
        return witness is not None and witness.shows is not Shows.FACT

    def show_side(self, side: ShownSide) -> None:
        self.side = side
        self.changed(About.ANSWER)

    # --- what may differ

    def choose(self, mark: str) -> None:
        if mark != self.chosen:
            self.chosen = mark
            self.changed(About.CHOSEN)

    def edit(self, path: str) -> None:
        """Open a variable's row in the editor."""
        self.editing = path
        self.changed(About.EDITING)

    def compose(self, change: Callable[[QuestionDraft], object]) -> None:
        """Change the draft."""
        change(self.draft)
        self.drafted()

    def drafted(self) -> None:
        """The draft has changed: an answer to another question is no longer shown."""
        if self.shown is not None:
            self.shown = None
            self.changed(About.DRAFT, About.ANSWER)
        else:
            self.changed(About.DRAFT)

    def undo(self) -> None:
        """Take back the last change of the draft."""
        self._become(self.history.undo())

    def redo(self) -> None:
        """Make the change again that was taken back last."""
        self._become(self.history.redo())

    def _become(self, state: DraftState | None) -> None:
        if state is not None:
            self.draft.become(state)
            self.drafted()

    def take_up(self, question: str) -> bool:
        """Compose what a text asks; False if there are no fields for it. An ill-formed one is a QueryError."""
        if not self._compose_text(question):
            return False
        self.drafted()
        return True

    def paste(self, question: str) -> None:
        """Compose a question that was pasted; if there are no fields for it, it waits to be asked as text."""
        if is_line(question) or not self.take_up(question):
            self.text = question
            self.changed(About.TEXT)

    def _compose_text(self, question: str) -> bool:
        if question == self.draft.read().text:  # it is composed already, perhaps with other fields
            return True
        query = self.case.project_at(self.keyframe.step, self.log).checked(question).query
        state = draft_of(query, self.draft)
        if state is not None:
            self.draft.become(state)
        return state is not None

    def handle(self, mark: str, grip: Grip) -> Handle | None:
        """A handle of an actor in the present picture."""
        drawn = self.picture()
        known = handles(drawn) if drawn is not None else ()
        return next((each for each in known if each.actor.mark == mark and each.grip is grip), None)

    def move(self, mark: str, grip: Grip, x: float, y: float, moved: tuple[bool, bool] = (True, True)) -> None:
        """Suppose an actor's position or heading from a dragged point; `moved` says along which axes."""
        handle = self.handle(mark, grip)
        if handle is None:
            return
        if grip is Grip.HEADING:
            turned = handle.moved(x, y).items()
            values = {path: tidy_angle(self.interface.variable(path), bits) for path, bits in turned}
        else:
            values = self._snapped(handle, (x, y), moved)
        for path, bits in values.items():
            self.draft.put(path, How.EXACTLY, show(self.interface.variable(path).type, bits))
        self.choose(mark)
        self.drafted()

    def stretch(
        self, mark: str, first: tuple[float, float] | None, last: tuple[float, float], moved: tuple[bool, bool]
    ) -> None:
        """Suppose an actor's position anywhere between two points; `first` defaults to its present position."""
        handle = self.handle(mark, Grip.POSITION)
        if handle is None:
            return
        start = handle.figure.values if first is None else self._snapped(handle, first, moved)
        for path, bits in self._snapped(handle, last, moved).items():
            ends = [show(self.interface.variable(path).type, end) for end in (start[path], bits)]
            self.draft.put(path, How.BETWEEN, *sorted(ends, key=float))
        self.choose(mark)
        self.drafted()

    def _snapped(self, handle: Handle, to: tuple[float, float], moved: tuple[bool, bool]) -> dict[str, int]:
        """The moved position variables of an actor dragged to a point, rounded to the picture's resolution."""
        along = zip((handle.actor.x, handle.actor.y), moved, strict=True)
        still = {place for place, was_moved in along if not was_moved}
        values = handle.moved(*to)
        for limit in handle.limits:
            path = limit.variable.path
            number = amount(limit.variable, values[path]) if path in values else None
            if limit.variable in still:
                values.pop(path, None)
            elif number is not None:
                values[path] = limit.bits(self._tidy(number), values[path])
        return values

    def _tidy(self, number: float) -> float:
        """Round to the decimals that are visible in the picture."""
        assert self.scene is not None
        return round(number, -math.floor(math.log10(self.scene.frame.width / _SEEN)))

    def draw_out(self, handle: Handle, along_y: bool, by: float) -> None:
        """Widen the range of an actor's position by a share of the frame; its sign selects the end that moves."""
        place = handle.actor.y if along_y else handle.actor.x
        limit = next((each for each in handle.limits if each.variable == place), None)
        if self.scene is None or limit is None:
            return
        variable, frame = limit.variable, self.scene.frame
        now = handle.figure.values[variable.path]
        low, high = self.draft.extent(variable.path) or (now, now)
        far = by * (frame.bottom - frame.top if along_y else frame.right - frame.left)
        end = amount(variable, high if far > 0 else low)
        if end is None:
            return
        moved = limit.bits(self._tidy(end + far), now)
        ends = (low, moved) if far > 0 else (moved, high)
        self.draft.put(variable.path, How.BETWEEN, *(show(variable.type, bits) for bits in ends))
        self.choose(handle.actor.mark)
        self.drafted()

    def put_back(self, mark: str, grip: Grip) -> None:
        """Remove the suppositions on a position or a heading."""
        handle = self.handle(mark, grip)
        for limit in handle.limits if handle is not None else ():
            self.draft.drop(limit.variable.path)
        self.drafted()

    # --- asking

    def work(self, job: Job) -> Job:
        """Show a job on this page."""
        self.jobs = (job, *self.jobs)
        self.changed(About.JOBS)
        return job

    def cancel(self, job: Job) -> None:
        self.trying(lambda: self.service.cancel(job))

    def dismiss(self, job: Job) -> None:
        """Remove a job that has ended from the page."""
        self.jobs = tuple(each for each in self.jobs if each is not job or not each.state.is_final)
        self.changed(About.JOBS)

    def show(self, number: int) -> None:
        """Show the answer of an entry, at its moment."""
        entry, answer = self.case.entry(number), self.case.recall(number)
        if entry.log is not None and entry.log != self.log:
            self.open_log(entry.log)
        self.shown = None
        if entry.step is not None and answer.supplied != Supplied():
            moment, known = (self.log, entry.step), self._derived.get((self.log, entry.step))
            if known is None or known.supplied.derived != answer.supplied.derived:
                self._derived[moment] = self.trace.keyframe(entry.step).supplied_with(answer.supplied)
            self._look_at(entry.step)
        elif entry.step is not None and entry.step != self.keyframe.step:
            self._look_at(entry.step)
        self.shown, self.side = RecordedAnswer(entry, answer), ShownSide.SCENARIO
        self.changed(About.ANSWER)

    def open_entry(self, number: int) -> None:
        """Show the answer of an entry, and compose its question, if there are fields for it."""
        self.show(number)
        question = self.case.entry(number).question
        if question is not None and self.trying(partial(self._compose_text, question)):
            self.changed(About.DRAFT)

    def hide(self) -> None:
        self.shown = None
        self.changed(About.ANSWER)

    def ask_again_from_here(self) -> None:
        """Ask the same of the scenario that is shown: what differs there is supposed."""
        shown = self.shown
        if shown is None or (witness := shown.answer.witness) is None:
            return
        asked, untils = shown.answer.query, {}
        self._compose_text(shown.entry.question or "")  # if there are no fields for it, those that are filled stay
        if asked.period.count > 1:  # what differs in later steps needs them
            untils = {each.path: each.supposed for each in asked.course(self.keyframe).untils}
        known = {path: bits for path, bits in witness.inputs.items() if path not in witness.assumed}
        self.draft.take(known, [change.variable.path for change in witness.changed], untils)
        self.drafted()

    # --- polling

    def look(self, version: int | None = None) -> None:
        """Check whether the case has new entries; `version` is their number, if it is known."""
        version = version or len(self.case.entries)
        if version != self.version:
            self.version = version
            self.changed(About.RECORD)

    def _first_actor(self) -> str:
        """The actor to select first: present, movable, and if possible not the investigated one."""
        if self.scene is None:
            return ""
        drawn = picture(self.scene, dict(self.keyframe.inputs), unknown=frozenset(self.keyframe.assumed))
        there = [each.actor for each in drawn.fact if each.present and each.actor.draggable]
        others = [actor for actor in there if actor.part.value != "investigated"]
        return next((actor.mark for actor in (*others, *there)), "")
