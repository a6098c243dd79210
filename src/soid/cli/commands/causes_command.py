"""`soid causes`: the actual causes of what happened, each with the scenario in which it does not happen."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import closing
from typing import Final

from soid.case.report.phrases import assumptions_told
from soid.cli.command_line.question_options import CausesOptions
from soid.cli.commands.ask_command import opened, settings_of
from soid.cli.output import print_json
from soid.cli.terminal.progress import watched
from soid.cli.terminal.terminal import Terminal
from soid.errors import QueryError
from soid.explanation.causes import ActualCause, ActualCauses
from soid.explanation.document_words import clauses, outcome
from soid.explanation.study import IN_WORDS
from soid.program.interface import Interface
from soid.query.language.query_parser import parse
from soid.query.words import Words, listed
from soid.solver.chain import chain
from soid.surface import Advice

_MORE: Final = Advice(
    command="There are more causes; --size bounds how large they are.",
    python="There are more causes; size= bounds how large they are.",
)


def find_causes(options: CausesOptions) -> int:
    """Show the causes; the exit status is 2 if something was not settled."""
    hold, agents = [held_in(text) for text in options.hold], agents_in(options.agents)
    with closing(chain()) as solver:
        project = opened(options, settings_of(options), solver)
        found = watched(
            lambda cancel, report: project.causes(
                options.question,
                options.over,
                hold=hold,
                size=options.size,
                agents=agents,
                cancel=cancel,
                progress=report,
            ),
            about="causes: ",
        )
    if options.as_json:
        print_json(found.document)
    else:
        where = f"{project.program.name}, {project.keyframe.called}"
        show_causes(Terminal.stdout(), found, where, project.program.interface)
    return 2 if found.unsettled else 0


def held_in(text: str) -> tuple[str, int]:
    match = re.fullmatch(r"\s*(\S+)\s+at\s+step\s+(\d+)\s*", text)
    if match is None:
        raise QueryError(f"{text!r} names nothing that is held", "Write: --hold 'x at step 3'.")
    return match[1], int(match[2])


def agents_in(texts: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Which variables belong to each agent.

    >>> agents_in(["suzy = s.suzy, s.late"])
    {'suzy': ('s.suzy', 's.late')}
    """
    found: dict[str, tuple[str, ...]] = {}
    for text in texts:
        name, sign, names = text.partition("=")
        own = tuple(each.strip() for each in names.split(",") if each.strip())
        if not (sign and name.strip() and own):
            raise QueryError(f"{text!r} names no agent", "Write: --agent 'A = cars[0].signal, cars[0].speed'.")
        found[name.strip()] = own
    return found


def show_causes(terminal: Terminal, found: ActualCauses, where: str, interface: Interface) -> None:
    query, words = parse(found.question, interface), Words(interface)
    terminal.rule("Causes", where)
    terminal.prose(f"among what may differ in: {words.sentence(query)}")
    terminal.prose(found.question, style="dim")
    if found.happened is False:
        terminal.prose("It did not happen, so it has no cause.")
        return
    for number, cause in enumerate(found.causes, start=1):
        there = outcome(IN_WORDS[cause.scenario.happens], query, interface)
        _show_cause(terminal, number, cause, there, interface)
    for path, degree in found.responsibility.items():
        terminal.prose(f"responsibility of {words.called(path)}: {_degree(degree)}", indent=4, style="dim")
    for agent, degree in found.shares.items():
        terminal.prose(f"responsibility of {agent}: {_degree(degree)}", indent=4, style="dim")
    if found.complete:
        terminal.prose("There are no other causes: proved." if found.causes else "None of these is a cause: proved.")
    elif found.more:
        terminal.prose(str(_MORE))
    for text in found.unsettled:
        terminal.prose(f"Not settled: {text}")
    particular = assumptions_told((each for each in found.relies_on if not each.is_standing), interface)
    for place, text in enumerate(particular):
        terminal.prose(text, indent=14, style="dim", first=("" if place else "  relies on", "dim"))


def _degree(degree: float | None) -> str:
    return "open" if degree is None else f"{degree:.3g}"


def _show_cause(terminal: Terminal, number: int, cause: ActualCause, there: str, interface: Interface) -> None:
    words = Words(interface)
    names = listed(map(words.called, cause.paths)) + (" together" if len(cause.paths) > 1 else "")
    proved = "proved minimal" if cause.minimal else "whether a part of it is a cause is open"
    terminal.blank()
    terminal.prose(f"{number}. {names} ({'but for it; ' if cause.but_for else ''}{proved})")
    rows = [(words.called(each.variable), _shown(each.fact), _shown(each.scenario)) for each in cause.document.changed]
    terminal.table(("changed", "in fact", "in the scenario"), rows, indent=5)
    if cause.held:
        terminal.prose(f"with {clauses(map(str, cause.held), interface)}, as it was", indent=5)
    scenario = cause.scenario
    terminal.prose(f"There {there}; replayed {scenario.witness.replayed}.", indent=5)


def _shown(value: object) -> str:
    """A value of a scenario as questions write it."""
    return str(value).lower() if isinstance(value, bool) else str(value)
