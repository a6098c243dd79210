"""`soid demo`: play an example, or list the examples."""

from __future__ import annotations

from soid.cli.command_line.project_options import DemoOptions
from soid.cli.demo.performance import Audience, perform, performance_json, story_of
from soid.cli.demo.terminal_audience import TerminalAudience
from soid.cli.output import print_json
from soid.cli.terminal.terminal import Terminal
from soid.examples import NAMES


def demo(options: DemoOptions) -> int:
    """Play it; the exit status is 0 if the answers are those that the story is about."""
    if options.list_all:
        return _list_examples(options)
    performance = perform(options.name, Audience() if options.as_json else TerminalAudience(Terminal.stdout()))
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
