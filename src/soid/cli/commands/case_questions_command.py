"""`soid case questions`: the story of a case, and what to ask of it."""

from __future__ import annotations

from itertools import groupby

from soid.case.case import Case
from soid.case.suggested_questions import HEADINGS, suggested_questions
from soid.case.told_story import told_story
from soid.cli.command_line.case_options import SuggestOptions
from soid.cli.output import print_json
from soid.cli.terminal.progress import watched
from soid.cli.terminal.terminal import Terminal, warn


def questions(options: SuggestOptions) -> int:
    with Case.open(options.file, read_only=True) as case:
        at = watched(lambda _, __: case.project_at(options.step, options.log).keyframe, quiet=options.as_json)
        story = told_story(case, step=options.step, log=options.log, at=at)
        found = suggested_questions(case, step=options.step, log=options.log, at=at)
        if options.as_json:
            print_json({"story": story, "questions": found})
            return 0
        warn(case.warnings)
        terminal = Terminal.stdout()
        terminal.rule(case.title or case.first.program.name)
        for told in (story.happened, story.moment, *story.harm):
            terminal.prose(told)
        for topic, suggested in groupby(found, lambda each: each.topic):
            terminal.blank()
            terminal.line((HEADINGS[topic], "bold"))
            for each in suggested:
                answered = "" if each.verdict is None else f" {each.verdict.value}: entry {each.entry}"
                terminal.prose(f"{each.sentence}{answered}")
                terminal.prose(each.question, indent=4, style="dim")
    return 0
