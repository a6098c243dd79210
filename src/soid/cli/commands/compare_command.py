"""`soid compare` and `soid differ`: several programs on the stand, and where two of them part."""

from __future__ import annotations

from contextlib import closing
from functools import partial

from soid.case.program_comparison import ComparedQuestion, ProgramComparison, ProgramDifference
from soid.case.project import Project
from soid.case.shown_pair import shown_pair
from soid.cli import exits
from soid.cli.command_line.question_options import CompareOptions, DifferOptions
from soid.cli.commands.ask_command import opened, settings_of
from soid.cli.output import print_json, write_file
from soid.cli.terminal.answers import SIGNS, show_reason, show_witness
from soid.cli.terminal.progress import watched
from soid.cli.terminal.terminal import Terminal
from soid.errors import QueryError
from soid.mapping.map_svg import svg
from soid.mapping.map_text import rows, signs
from soid.oracle.answer import Answer, Verdict
from soid.program.interface import Interface
from soid.query.lives import of_one_life
from soid.query.words import Words
from soid.scenario.trace import Keyframe
from soid.solver.chain import chain
from soid.witness.witness import Shows


def compare(options: CompareOptions) -> int:
    """Put the questions to each program; the exit status tells whether all were settled."""
    with closing(chain()) as solver:
        project = opened(options, settings_of(options), solver)
        asked = options.questions or _listed(project)
        wanted = partial(project.compare, asked, programs=options.programs)
        made = watched(lambda cancel, report: wanted(cancel=cancel, progress=report), about="compare: ")
    if options.as_json:
        print_json(made.document)
    else:
        where = f"{project.program.name}, {project.keyframe.called}"
        show_comparison(Terminal.stdout(), made, project.program.interface, where)
    return exits.of_answers(one.verdict.value for each in made.questions for one in each.answers.values())


def _listed(project: Project) -> tuple[str, ...]:
    """The questions that the manifest has for all programs."""
    listed = project.manifest.compared if project.manifest else ()
    if not listed:
        raise QueryError(
            "there is no question: none was given, and the manifest lists none to compare programs by",
            'Ask one, such as: soid compare "did move". Or list some: [questions] compare = ["did move"].',
        )
    return listed


def show_comparison(terminal: Terminal, made: ProgramComparison, interface: Interface, where: str) -> None:
    terminal.rule("Comparison", where)
    for number, each in enumerate(made.questions, start=1):
        terminal.prose(_asked(each, interface), indent=5, first=(f"  {number}", "bold"))
        terminal.prose(each.text, indent=5, style="dim")
    terminal.blank()
    cells = [[_verdict(terminal, each.answers[name]) for name in made.programs] for each in made.questions]
    terminal.table(("", *made.programs), [(str(at), *row) for at, row in enumerate(cells, start=1)])
    terminal.blank()
    for number, each in enumerate(made.questions, start=1):
        for name, answer in each.answers.items():
            told = f"{answer.reason}{_changes(answer)}"
            terminal.prose(told, indent=5, first=(f"  {number} {name}: ", "bold"))


def _asked(compared: ComparedQuestion, interface: Interface) -> str:
    """The question in words, as it is put to each program."""
    return Words(interface, alone=True).sentence(next(iter(compared.answers.values())).query)


def _verdict(terminal: Terminal, answer: Answer) -> str:
    sign, plain, _ = SIGNS[answer.verdict]
    return f"{terminal.either(sign, plain)} {answer.verdict.value}"


def _changes(answer: Answer) -> str:
    """How the scenario of an answer differs from the fact, or one of a pair from the other."""
    if answer.witness is None or answer.witness.shows not in (Shows.EXAMPLE, Shows.COUNTEREXAMPLE):
        return ""
    pair = shown_pair(answer, answer.witness)
    if pair is not None:
        rows = (*pair.differing, *pair.shared)
        words = Words(of_one_life(answer.witness.interface))
        told = (f"{words.called(row.name)}: {row.told(row.one)} and {row.told(row.other)}" for row in rows)
    else:
        words = Words(answer.witness.interface)
        told = (
            f"{words.called(each.variable.path)}: {each.told(each.variable.amount(each.after))} instead of {each.was}"
            for each in answer.told(answer.witness)
        )
    return f" ({', '.join(told)})"


def differ(options: DifferOptions) -> int:
    """Compare two programs; the exit status tells whether they decide alike."""
    with closing(chain()) as solver:
        project = opened(options, settings_of(options), solver)
        wanted = partial(project.differ, options.one, options.other, options.over, by=options.by)
        made = watched(lambda cancel, report: wanted(cancel=cancel, progress=report), about="differ: ")
    drawn = options.svg if made.drawn is not None else None
    if drawn is not None and made.drawn is not None:
        write_file(drawn, svg(made.drawn, caption=f"{options.one} and {options.other}, {project.keyframe.called}"))
    if options.as_json:
        print_json(made.document, svg=str(drawn) if drawn is not None else None)
    else:
        where = f"{project.program.name}, {project.keyframe.called}"
        show_difference(Terminal.stdout(), made, project.keyframe, where, verbose=options.verbose)
        if options.svg is not None:
            terminal = Terminal.stdout()
            no_map = "There is no picture: it needs one variable or two that vary."
            terminal.prose(f"The picture is in {drawn}." if drawn is not None else no_map)
    return exits.of_difference(made.in_fact.verdict.value, made.elsewhere.verdict.value)


def show_difference(
    terminal: Terminal, made: ProgramDifference, keyframe: Keyframe, where: str, *, verbose: bool = False
) -> None:
    terminal.rule(f"{made.one} and {made.other}", where)
    terminal.prose(made.question(keyframe), style="bold")
    terminal.prose(made.elsewhere.text, style="dim")
    terminal.blank()
    if made.headline:
        terminal.prose(made.headline, style="bold")
        terminal.blank()
    for answer, told in zip((made.in_fact, made.elsewhere), made.sentences, strict=True):
        show_reason(terminal, answer.verdict, told)
    differing = [each for each in (made.in_fact, made.elsewhere) if each.verdict is Verdict.NO]
    for answer in differing or [made.elsewhere]:
        if answer.witness is not None:
            show_witness(terminal, answer, answer.witness, keyframe, verbose=verbose)
    if made.map is not None:
        terminal.blank()
        for row in rows(made.map, min(terminal.width - 2, 80)):
            terminal.line((f"  {row.name}  ", "dim"), (row.signs.rstrip(), ""))
        for sign, region in zip(signs(made.map.regions), made.map.regions, strict=True):
            terminal.prose(made.told(region.label), indent=5, first=(f"  {sign}", "bold"))
