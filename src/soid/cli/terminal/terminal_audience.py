"""A performance on the terminal: the scene, the questions, the answers, and what they support."""

from __future__ import annotations

from pathlib import Path
from typing import Final, final

from soid.case.filmed import filmed, told_of
from soid.case.project import Project
from soid.case.shown_pair import shown_pair
from soid.cli.output import write_file
from soid.cli.terminal.answers import show_verdict, show_witness
from soid.cli.terminal.scene_panels import show_legend, show_panels
from soid.cli.terminal.terminal import Terminal
from soid.examples.story import Act, Performance, Played, Story
from soid.oracle.answer import Answer
from soid.program.types import show
from soid.scenario.trace import Step
from soid.scene.film_svg import film_svg
from soid.scene.picture import Picture, of_keyframe
from soid.scene.scene import Scene, scene_of
from soid.scene.scene_words import differing, elsewhere
from soid.witness.witness import Shows, Witness

#: a log with more columns is shown near the keyframe only, with a line for each variable
_MOST_COLUMNS: Final = 7
_NEAR: Final = 2


@final
class TerminalAudience:
    """Prints the performance as it happens."""

    def __init__(self, terminal: Terminal, film: Path | None = None) -> None:
        self.terminal = terminal
        self._film = film  # where the first scenario is drawn that goes on in a world; None: nowhere, or it is drawn
        self._drawn: list[Picture] = []  # the moments that have been shown

    def opens(self, story: Story) -> None:
        self.terminal.blank()
        self.terminal.rule(story.title)
        self._paragraphs(story.opening)

    def act_begins(self, act: Act, project: Project) -> None:
        terminal = self.terminal
        terminal.blank()
        terminal.rule(act.title, project.keyframe.called)
        scene = _scene(project)
        self._paragraphs(act.opening)
        if act.opening and (act.log or scene is not None):
            terminal.blank()
        if act.log:
            _show_log(terminal, project)
        if act.log and scene is not None:
            terminal.blank()
        if scene is not None:
            self._moment(of_keyframe(scene, project.keyframe))

    def _moment(self, picture: Picture) -> None:
        """Draw the scene at the keyframe, unless the same scene was drawn before."""
        if any((known.fact, known.outcome) == (picture.fact, picture.outcome) for known in self._drawn):
            self.terminal.prose(f"The same scene as above, to the last bit: {picture.outcome}.")
            return
        self._drawn.append(picture)
        show_panels(self.terminal, picture)
        self.terminal.blank()
        show_legend(self.terminal, picture)

    def question(self, number: int, total: int, aside: str, question: str) -> None:
        terminal = self.terminal
        terminal.blank()
        terminal.rule(f"Question {number} of {total}")
        terminal.prose(aside, style="bold")
        terminal.prose(question, style="dim")
        terminal.blank()

    def answered(self, project: Project, answer: Answer) -> None:
        terminal, witness = self.terminal, answer.witness
        show_verdict(terminal, answer, project.keyframe)
        if witness is None:
            return
        self._draw_film(project, answer)
        if witness.shows not in (Shows.EXAMPLE, Shows.COUNTEREXAMPLE):
            terminal.prose(_briefly(project, answer, witness), indent=4, style="dim")
            return
        scene = _scene(project)
        beside = None
        if scene is not None:
            beside = of_keyframe(scene, project.keyframe, decided=answer.fact, witness=witness)
        if beside is not None and beside.is_visible:
            terminal.blank()
            self._beside(beside, witness)
        else:
            show_witness(terminal, answer, witness, project.keyframe)

    def _draw_film(self, project: Project, answer: Answer) -> None:
        moving = filmed(project, answer) if self._film is not None else None
        if moving is None or self._film is None:
            return
        write_file(self._film, film_svg(moving, told_of(project, answer)))
        self.terminal.prose(f"drawn step by step, beside what happened in fact, in {self._film}", indent=4, style="dim")
        self._film = None

    def _beside(self, picture: Picture, witness: Witness) -> None:
        """Draw the scenario beside the fact, and list what differs."""
        terminal = self.terminal
        show_panels(terminal, picture)
        terminal.blank()
        for figure in picture.fact:
            for change in differing(picture, figure.actor):
                said = f"{figure.actor.name}, {change}"
                terminal.prose(self._plain(said), indent=5, first=(f" {figure.actor.mark}", "bold magenta"))
        for change in elsewhere(picture):
            terminal.prose(self._plain(change), indent=5)
        terminal.prose(f"replayed {witness.replayed}", indent=5, style="dim")

    def act_ends(self, played: Played) -> None:
        terminal = self.terminal
        terminal.blank()
        terminal.rule("FACTS", played.program)
        for asked in played.asked.values():
            if asked.statement:
                terminal.prose(asked.statement, indent=6, first=(f"{asked.number:>4}.", "bold"))
        carried = [text for text, is_carried in played.carried.items() if is_carried]
        if not carried:
            return
        terminal.blank()
        terminal.line(("  What they come to", "bold"))
        for text in carried:
            facts = ", ".join(str(played.asked[number].number) for number in sorted(played.act.conclusions[text]))
            terminal.prose(f"{text} ({facts})", indent=4, first=(f"  {terminal.either('•', '*')}", ""))

    def ends(self, performance: Performance) -> None:
        terminal, story = self.terminal, performance.story
        terminal.blank()
        if story.pattern.rows:
            terminal.rule("What the answers support")
            self._pattern(performance)
            terminal.blank()
        if not performance.is_carried:
            terminal.prose("Not every answer is what this story expects: what they do not carry is left out.")
            return
        terminal.prose(story.closing, style="bold")
        terminal.blank()
        answers = [each.answer for played in performance.acts for each in played.asked.values()]
        seconds = sum(answer.seconds.get("total", 0.0) for answer in answers)
        terminal.prose(
            f"{len(answers)} questions, each proved or shown by a scenario, in {seconds:.2f} s.", style="dim"
        )

    def _pattern(self, performance: Performance) -> None:
        terminal, pattern = self.terminal, performance.story.pattern
        terminal.prose("The answers that tell them apart, in this order:")
        for number, question in enumerate(pattern.questions, start=1):
            terminal.prose(question, indent=6, first=(f"{number:>4}.", ""))
        terminal.blank()
        rows = [
            (row, f"({', '.join(performance.verdicts(row))})", performance.supported(row) or _UNKNOWN_PATTERN)
            for row in pattern.rows
        ]
        terminal.table(("", "answers", _SUPPORTS), rows, wraps=(_SUPPORTS,))

    def _paragraphs(self, text: str) -> None:
        for number, paragraph in enumerate(text.split("\n\n")):
            if number:
                self.terminal.blank()
            self.terminal.prose(" ".join(paragraph.split()))

    def _plain(self, text: str) -> str:
        return text.replace("→", self.terminal.either("→", "->"))


_SUPPORTS: Final = "this supports"
_UNKNOWN_PATTERN: Final = "none of what this story knows"


def _scene(project: Project) -> Scene | None:
    return scene_of(project.manifest) if project.manifest is not None and project.manifest.scene is not None else None


def _briefly(project: Project, answer: Answer, witness: Witness) -> str:
    """Describe a witness in one line: the fact, or one of the scenarios or pairs that a proof is about."""
    pair = shown_pair(answer, witness)
    if pair is not None:
        both, decided = (
            ", ".join(f"{row.name} = {row.told(row.one)} and {row.told(row.other)}" for row in rows)
            for rows in ((*pair.differing, *pair.shared), pair.outcomes)
        )
        return f"one of them, replayed: {both}; and there {decided}"
    happened = _happened(project, answer, witness)
    if happened and witness.shows is Shows.FACT:
        return f"as logged: {happened}"
    outcomes = witness.outcomes[-1] if witness.outcomes else {}
    known = [v.path for v in witness.interface.decisions if v.path in outcomes]
    if witness.shows is Shows.FACT:
        known = [path for path in known if path in project.keyframe.decisions]
    decided = ", ".join(f"{path} = {witness.output_text(path)}" for path in known)
    if witness.shows is Shows.FACT:
        return f"log and program agree: {decided}" if known else "the log has no decision to compare"
    changed = "; ".join(str(change) for change in witness.changed)
    return f"one of them, replayed: {changed}, and there {happened or decided}"


def _happened(project: Project, answer: Answer, witness: Witness) -> str:
    """When the events happen that a question speaks of; empty where it speaks of none."""
    told = []
    for event in sorted(answer.query.behavior.names & witness.interface.events):
        called = witness.interface.variable(event).label or event
        at = next((place for place, step in enumerate(witness.steps) if step.get(event)), None)
        step = "" if at is None else f"happens at step {witness.step_number(at, project.keyframe.step)}"
        told.append(f"it {step or 'does not happen'} that {called}")
    return ", and ".join(told)


def _show_log(terminal: Terminal, project: Project) -> None:
    """Show the log as a table with the keyframe marked, and below it what each variable means."""
    interface = project.program.interface
    paths = [variable.path for variable in (*interface.inputs, *interface.decisions)]
    if len(paths) <= _MOST_COLUMNS:
        rows = [
            (_mark(terminal, project, step.time), *(_cell(project, step, path) for path in paths))
            for step in project.trace
        ]
        terminal.table(("  step", *paths), rows, marked=project.trace.place(project.keyframe.step))
    else:
        _log_near(terminal, project, paths)
    terminal.blank()
    meanings = [f"{v.path}: {v.label}" for v in interface if v.label]
    terminal.prose("; ".join(meanings), style="dim")


def _log_near(terminal: Terminal, project: Project, paths: list[str]) -> None:
    """Show the steps around the keyframe side by side; values that never change in the log are listed once."""
    steps = list(project.trace)
    at = project.trace.place(project.keyframe.step)
    near = slice(max(0, at - _NEAR), at + _NEAR + 1)
    table = {path: [_cell(project, step, path) for step in steps] for path in paths}
    varying = [path for path in paths if len(set(table[path])) > 1]
    headers = ("", *(_mark(terminal, project, step.time).strip() for step in steps[near]))
    terminal.table(headers, [(path, *table[path][near]) for path in varying])
    constant = [f"{path} = {table[path][0]}" for path in paths if path not in varying and table[path][0]]
    if constant:
        terminal.blank()
        terminal.prose(f"the same throughout: {', '.join(constant)}")


def _mark(terminal: Terminal, project: Project, time: int) -> str:
    return f"{terminal.either('►', '>') if time == project.keyframe.step else ' '} {time}"


def _cell(project: Project, step: Step, path: str) -> str:
    """The logged value; empty where there is none."""
    bits = None if path in step.unlogged else step.inputs.get(path, step.decisions.get(path))
    return "" if bits is None else show(project.program.interface.variable(path).type, bits)
