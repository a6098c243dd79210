"""`soid ask --vnnlib`: a property of a network, answered in the words of the competition of verifiers."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from soid.case.network_property import PropertyAnswer, PropertyExaminer, PropertyResult
from soid.cli import exits
from soid.cli.command_line.question_options import AskOptions
from soid.cli.output import print_json
from soid.cli.terminal.progress import watched
from soid.engine.learned.learned_source import LearnedSource
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
    for each in answer.relies_on if verbose else [one for one in answer.relies_on if not one.is_standing]:
        terminal.prose(f"relies on: {each}", indent=2, first=("; ", ""))
