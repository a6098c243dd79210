"""`soid demo`: play an example, or list the examples. `soid example copy`: copy one, to start a project with it."""

from __future__ import annotations

from contextlib import closing

from soid.case.facts import fact_of
from soid.case.project import Project
from soid.cli.command_line.project_options import CopyExampleOptions, DemoOptions
from soid.cli.commands.ask_command import put
from soid.cli.output import print_json
from soid.cli.terminal.progress import watched
from soid.cli.terminal.terminal import Terminal
from soid.cli.terminal.terminal_audience import TerminalAudience
from soid.examples import NAMES, copy, folder
from soid.examples.story import Act, Performance, Played, PlayedQuestion, performance_json, story_of
from soid.program.manifest import FILE_NAME


def demo(options: DemoOptions) -> int:
    """Play it; the exit status is 0 if the answers are those that the story is about."""
    if options.list_all:
        return _list_examples(options)
    performance = _perform(options.name, TerminalAudience(Terminal.stdout(quiet=options.as_json), options.svg))
    if options.as_json:
        print_json(performance_json(options.name, performance))
    return 0 if performance.is_carried else 1


def _list_examples(options: DemoOptions) -> int:
    known = [(name, story_of(name).summary) for name in NAMES]
    if options.as_json:
        print_json({"demos": [{"name": name, "summary": summary} for name, summary in known]})
        return 0
    terminal = Terminal.stdout()
    terminal.table(("example", "what was put on the stand"), known, indent=0, wraps=("what was put on the stand",))
    terminal.blank()
    terminal.prose("`soid demo NAME` plays one; `soid example copy NAME DIR` copies it to start from.", indent=0)
    return 0


def _perform(name: str, audience: TerminalAudience) -> Performance:
    story = story_of(name)
    audience.opens(story)
    acts: list[Played] = []
    total = sum(len(act.asides) for act in story.acts)
    for act in story.acts:
        before = sum(len(played.asked) for played in acts)
        acts.append(_play(name, act, audience, before, total))
    performance = Performance(story, tuple(acts))
    audience.ends(performance)
    return performance


def _play(name: str, act: Act, audience: TerminalAudience, before: int, total: int) -> Played:
    case = watched(lambda _, __: Project.open(folder(name) / act.project), about=f"{act.title}: ")
    assert case.manifest is not None
    asked: dict[int, PlayedQuestion] = {}
    with closing(case.solver):
        audience.act_begins(act, case)
        for place, (number, aside) in enumerate(act.asides.items(), start=before + 1):
            question = case.manifest.questions[number - 1]
            audience.question(place, total, aside, question)
            answer = put(case, question, about=f"question {place} of {total}: ")
            fact = fact_of(answer, case.keyframe)
            asked[number] = PlayedQuestion(place, answer, fact["statement"] if fact is not None else "")
            audience.answered(case, answer)
    played = Played(act, case.program.name, case.keyframe.step, asked)
    audience.act_ends(played)
    return played


def copy_example(options: CopyExampleOptions) -> int:
    to = options.folder
    copy(options.name, to)
    if options.as_json:
        projects = sorted(str(file.parent) for file in to.rglob(FILE_NAME))
        print_json({"example": options.name, "folder": str(to), "projects": projects})
    else:
        Terminal.stdout().prose(f"{to} is ready: `cd {to}`, then `soid inspect` and `soid ask`.", indent=0)
    return 0
