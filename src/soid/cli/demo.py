"""`soid demo`: an example played from its log to what the answers come to."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Final

from soid.case.case import Case
from soid.cli.answers import show_verdict, show_witness
from soid.cli.ask import put
from soid.cli.terminal import Terminal
from soid.examples import copy, folder
from soid.examples.story import Conclusion, Story
from soid.oracle.answer import Answer
from soid.program.types import show
from soid.scenario.trace import Step
from soid.witness.witness import Shows, Witness


def demo(name: str) -> int:
    """Play it; 0 if every answer is the one that the story needs."""
    project = folder(name)
    story: Story = importlib.import_module(f"soid.examples.{name}.story").STORY
    terminal = Terminal.stdout()
    case = Case.open(project)
    try:
        _open(terminal, story, case)
        questions = case.manifest.questions if case.manifest else ()
        answers = [_exchange(terminal, story, case, number) for number in range(len(questions))]
    finally:
        case.solver.close()
    return _close(terminal, story, answers)


def copy_example(name: str, to: Path) -> int:
    """Copy an example's files, and say what to do with them."""
    copy(name, to)
    Terminal.stdout().prose(f"{to} is ready: `cd {to}`, then `soid inspect` and `soid ask`.", indent=0)
    return 0


def _open(terminal: Terminal, story: Story, case: Case) -> None:
    terminal.blank()
    terminal.rule(story.title)
    for paragraph in story.opening:
        terminal.prose(paragraph)
        terminal.blank()
    _log(terminal, case)


#: a log with more columns than this is shown with a line for each variable, near the keyframe only
_MOST_COLUMNS: Final = 7
_NEAR: Final = 2


def _log(terminal: Terminal, case: Case) -> None:
    """The log as a table, the keyframe marked; what each variable means below it."""
    interface = case.program.interface
    paths = [variable.path for variable in (*interface.inputs, *interface.decisions)]
    if len(paths) <= _MOST_COLUMNS:
        rows = [(_mark(terminal, case, step.time), *_cells(case, step, paths)) for step in case.trace]
        marked = next(i for i, step in enumerate(case.trace) if step.time == case.keyframe.step)
        terminal.table(("  step", *paths), rows, marked=marked)
    else:
        _log_near(terminal, case, paths)
    terminal.blank()
    meanings = [f"{v.path}: {v.label}" for v in interface if v.label]
    terminal.prose("; ".join(meanings), style="dim")


def _log_near(terminal: Terminal, case: Case, paths: list[str]) -> None:
    """The steps around the keyframe, side by side; what never changes in the log is said once."""
    steps = list(case.trace)
    at = next(i for i, step in enumerate(steps) if step.time == case.keyframe.step)
    near = steps[max(0, at - _NEAR) : at + _NEAR + 1]
    table = {path: [_cells(case, step, [path])[0] for step in steps] for path in paths}
    varying = [path for path in paths if len(set(table[path])) > 1]
    rows = [(path, *(_cells(case, step, [path])[0] for step in near)) for path in varying]
    headers = ("", *(_mark(terminal, case, step.time).strip() for step in near))
    terminal.table(headers, rows)
    constant = [f"{path} = {table[path][0]}" for path in paths if path not in varying and table[path][0]]
    if constant:
        terminal.blank()
        terminal.prose(f"the same throughout: {', '.join(constant)}")


def _mark(terminal: Terminal, case: Case, time: int) -> str:
    return f"{terminal.either('►', '>') if time == case.keyframe.step else ' '} {time}"


def _cells(case: Case, step: Step, paths: list[str]) -> list[str]:
    values = {**step.decisions, **step.inputs}
    interface = case.program.interface
    return [show(interface.variable(path).type, values[path]) if path in values else "" for path in paths]


def _exchange(terminal: Terminal, story: Story, case: Case, number: int) -> Answer:
    """One question and its answer."""
    assert case.manifest is not None
    questions = case.manifest.questions
    terminal.blank()
    terminal.rule(f"Question {number + 1} of {len(questions)}")
    terminal.prose(story.asides[number], style="bold")
    terminal.prose(questions[number], style="dim")
    terminal.blank()
    answer = put(case, questions[number], about=f"question {number + 1} of {len(questions)}: ")
    show_verdict(terminal, answer)
    if answer.witness is not None:
        if answer.witness.shows in (Shows.EXAMPLE, Shows.COUNTEREXAMPLE):
            show_witness(terminal, answer, case.keyframe)
        else:
            terminal.prose(_briefly(answer.witness), indent=4, style="dim")
    return answer


def _briefly(witness: Witness) -> str:
    """A witness in one line: the fact, or one of the scenarios that a proof is about."""
    decided = ", ".join(f"{v.path} = {witness.output_text(v.path)}" for v in witness.interface.decisions)
    if witness.shows is Shows.FACT:
        return f"log and program agree: {decided}"
    changed = "; ".join(str(change) for change in witness.changed)
    return f"one of them, replayed: {changed}, and there {decided}"


def _close(terminal: Terminal, story: Story, answers: list[Answer]) -> int:
    terminal.blank()
    terminal.rule("What the answers come to")
    carried = [conclusion for conclusion in story.conclusions if _is_carried(conclusion, answers)]
    for conclusion in carried:
        from_questions = ", ".join(str(number) for number in sorted(conclusion.needs))
        terminal.prose(f"{conclusion.text} ({from_questions})", indent=4, first=(f"  {terminal.either('•', '*')}", ""))
    terminal.blank()
    seconds = sum(answer.seconds.get("total", 0.0) for answer in answers)
    if len(carried) == len(story.conclusions):
        terminal.prose(story.closing, style="bold")
        terminal.blank()
        terminal.prose(
            f"{len(answers)} questions, each proved or shown by a scenario, in {seconds:.2f} s.", style="dim"
        )
        return 0
    terminal.prose("Not every answer is what this story expects: the conclusions it does not carry are left out.")
    return 1


def _is_carried(conclusion: Conclusion, answers: list[Answer]) -> bool:
    return all(answers[number - 1].verdict.value == verdict for number, verdict in conclusion.needs.items())
