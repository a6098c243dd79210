"""`soid ask --vnnlib`: a property of a network, answered in the words of the competition of verifiers."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Final

from soid.case.network_property import PropertyExaminer
from soid.case.property_answer import PropertyAnswer, PropertyResult, SecondOpinion
from soid.case.second_opinion import with_second_opinion
from soid.cli import exits
from soid.cli.command_line.question_options import AskOptions
from soid.cli.output import print_json
from soid.cli.terminal.progress import watched
from soid.engine.learned.learned_source import LearnedSource
from soid.engine.learned.marabou import Marabou
from soid.engine.manifest_reader import load
from soid.errors import InputError, QueryError
from soid.oracle.inquiry import Settings
from soid.query.vnnlib import read_vnnlib
from soid.solver.protocol import Solver

_STATUS: Final = {PropertyResult.SAT: "yes", PropertyResult.UNSAT: "no", PropertyResult.UNKNOWN: "unknown"}


def ask_property(options: AskOptions, settings: Settings, solver: Solver) -> int:
    """Answer the property; sat is a yes, unsat a no."""
    if options.vnnlib is None or options.questions:
        raise QueryError("a network's property stands alone", "Write: soid ask --vnnlib prop.vnnlib --model net.onnx")
    try:
        text = options.vnnlib.read_text()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{options.vnnlib} cannot be read: {error}", "Name a VNN-LIB file.") from error
    asked = read_vnnlib(text, options.vnnlib.name)
    with settings.opening():
        examiner = PropertyExaminer(options.model or _model_of(options.project), asked, settings, solver)
    answer = watched(examiner.answer, about="property: ", quiet=options.quiet)
    if options.cross_check:
        with closing(Marabou()) as marabou:
            answer = watched(
                lambda *watching: with_second_opinion(answer, examiner, marabou, settings.seconds, *watching),
                about="second opinion: ",
                quiet=options.quiet,
            )
    if options.as_json:
        print_json(answer)
    else:
        print("\n".join(filter(None, (answer.result.value, answer.counterexample))))
        if not options.quiet:
            _show(answer, verbose=options.verbose)
    return exits.VERDICTS[_STATUS[answer.result]]


def _model_of(project: Path) -> Path:
    program = load(project).program
    if not isinstance(program.source, LearnedSource):
        raise InputError("the project's program is no neural network", "Name one: --model net.onnx.")
    return program.folder / program.source.model


def _show(answer: PropertyAnswer, *, verbose: bool) -> None:
    """What stands behind the word, as remarks."""
    from soid.cli.terminal.terminal import Terminal  # imports rich, which scripts do not need

    terminal = Terminal.stdout()
    boxes = "1 box" if answer.cases == 1 else f"{answer.cases} boxes"
    replayed = f"; replayed {answer.replayed}" if answer.replayed else ""
    terminal.prose(f"{answer.reason}; {boxes} of inputs; {answer.seconds:.2f} s{replayed}", indent=2, first=("; ", ""))
    if (other := answer.second_opinion) is not None:
        terminal.prose(_told(other), indent=2, first=("; ", ""))
    for each in answer.relies_on if verbose else [one for one in answer.relies_on if not one.is_standing]:
        terminal.prose(f"relies on: {each}", indent=2, first=("; ", ""))


def _told(other: SecondOpinion) -> str:
    """A second opinion in words, with the point that it found."""
    if other.result == "not asked":
        return f"{other.verifier} was not asked: {other.reason}"
    values = (("X", other.inputs), ("Y", other.outputs))
    point = ", ".join(f"{letter}_{place} = {value}" for letter, all_ in values for place, value in enumerate(all_))
    shown = f": {point}" if point and not (other.agrees and other.satisfied) else ""
    return f"{other.verifier} says {other.result}, about {other.about}, in {other.seconds:.2f} s: {other.reason}{shown}"
