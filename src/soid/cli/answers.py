"""An Answer on the terminal: the question in words, the verdict, what changed, what the program did, what it rests on.

Question ────────────────────────────────────────────────────────────── step 3
  Would it always decide action == CANCEL, had error been true?
  would action == CANCEL if error == true

  ✘ NO  in the scenario shown it decides otherwise
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from msgspec.structs import replace

from soid.cli.terminal import Terminal
from soid.documents import json_of
from soid.engine.summary import Decided
from soid.oracle.answer import Answer, Verdict
from soid.program.interface import Interface
from soid.program.types import show
from soid.query.words import sentence
from soid.scenario.trace import Keyframe
from soid.witness.witness import Shows, Witness

#: sign, the same in ASCII, style: told apart by sign and word as well as by colour; red is for errors alone
SIGNS: Final = {
    Verdict.YES: ("✔", "+", "bold green"),
    Verdict.NO: ("✘", "-", "bold blue"),
    Verdict.VACUOUS: ("∅", "0", "bold yellow"),
    Verdict.UNKNOWN: ("?", "?", "bold magenta"),
    Verdict.ERROR: ("!", "!", "bold red"),
}

_SHOWN_AS: Final = {
    Shows.FACT: "What happened",
    Shows.EXAMPLE: "A scenario in which it does",
    Shows.COUNTEREXAMPLE: "A scenario in which it does not",
    Shows.MEMBER: "One of the scenarios this is about",
}

UNFOLDED: Final = 8  # inputs that did not change, shown without --verbose
FOLDED: Final = 2  # of what an answer relies on, shown without --verbose
_LABEL: Final = 12  # columns of the labels in the figures below an answer


def show_answer(
    terminal: Terminal, answer: Answer, keyframe: Keyframe, *, heading: str = "Question", verbose: bool = False
) -> None:
    """All of it; `verbose` unfolds the rest."""
    terminal.rule(heading, f"step {answer.step}")
    terminal.prose(sentence(answer.query, keyframe.interface), style="bold")
    terminal.prose(answer.text, style="dim")
    terminal.blank()
    show_verdict(terminal, answer)
    show_witness(terminal, answer, keyframe, verbose=verbose)
    if answer.contrast is not None:
        show_witness(terminal, replace(answer, witness=answer.contrast), keyframe, verbose=verbose)
    _figures(terminal, answer, verbose=verbose)


def show_verdict(terminal: Terminal, answer: Answer) -> None:
    sign, plain, style = SIGNS[answer.verdict]
    opening = f"  {terminal.either(sign, plain)} {answer.verdict.value.upper()}  "
    terminal.prose(answer.reason, indent=len(opening), first=(opening, style))
    hint = _hint(answer)
    if hint:
        terminal.prose(hint, indent=len(opening))


def _hint(answer: Answer) -> str:
    """What can be done about an answer that is neither yes nor no."""
    hints = []
    if answer.verdict is Verdict.UNKNOWN:
        hints.append("That is neither a yes nor a no.")
        if answer.why.out_of_time:
            hints.append("More time may settle it: --seconds 600.")
    if answer.why.awaits_acceptance:
        hints.append("Check that this log was made by this program. To go on all the same, on the record:")
        hints.append("--accept-log-mismatch; in a case, `soid case accept`.")
    return " ".join(hints)


# --- the witness ----------------------------------------------------------------------------------------------


def show_witness(terminal: Terminal, answer: Answer, keyframe: Keyframe, *, verbose: bool = False) -> None:
    """What changed against the fact first, then what the program did there."""
    witness = answer.witness
    if witness is None:
        return
    terminal.blank()
    terminal.line((f"  {_SHOWN_AS[witness.shows]}", "bold"))
    if witness.changed:
        rows = [
            (c.variable.path, show(c.variable.type, c.before), show(c.variable.type, c.after), c.variable.unit)
            for c in witness.changed
        ]
        terminal.table(("changed", "in fact", "in the scenario", "unit"), rows, indent=4)
    if verbose:
        terminal.blank()
        _inputs(terminal, witness)
    else:
        terminal.prose(_unchanged(witness), indent=4, style="dim")
    terminal.blank()
    _outcome(terminal, witness, keyframe, keyframe.decisions if witness.shows is Shows.FACT else answer.fact)
    if not witness.settled:
        terminal.prose("Nobody looked further: there may be a scenario nearer to the fact.", indent=4, style="dim")


def _inputs(terminal: Terminal, witness: Witness) -> None:
    rows = [(v.path, show(v.type, witness.inputs[v.path]), v.unit, v.label) for v in witness.interface.inputs]
    terminal.table(("input", "value", "unit", "meaning"), rows, indent=4, wraps=("meaning",))


def _unchanged(witness: Witness) -> str:
    """The inputs that are as in fact: in one sentence where they are few, else only how many there are."""
    changed = {change.variable.path for change in witness.changed}
    rest = [v for v in witness.interface.inputs if v.path not in changed]
    if len(rest) > UNFOLDED:
        return f"{len(rest)} inputs as in fact (--verbose shows them)"
    values = ", ".join(f"{v.path} = {show(v.type, witness.inputs[v.path])} {v.unit}".rstrip() for v in rest)
    if not rest:
        return ""
    return f"given: {values}" if witness.shows is Shows.FACT else f"as in fact: {values}"


def _outcome(terminal: Terminal, witness: Witness, keyframe: Keyframe, fact: Mapping[str, int]) -> None:
    """What the program did there, beside what it did in fact; over several steps, step by step."""
    if witness.earlier:
        _step_by_step(terminal, witness, keyframe)
    if not isinstance(witness.ending, Decided):
        when = f"in step {_number(witness, keyframe, len(witness.earlier))} " if witness.earlier else ""
        terminal.line((f"    {when}the program ", ""), (str(witness.ending), "bold"))
        return
    if witness.earlier:
        return
    rows = []
    for name in witness.outputs:
        unit = witness.interface.variable(name.removesuffix("'")).unit
        rows.append((name, _known(name, fact, witness.interface), witness.output_text(name), unit))
    if witness.shows is Shows.FACT:
        terminal.table(("outcome", "the log says", "the program gives", "unit"), rows, indent=4)
    else:
        terminal.table(("outcome", "in fact", "in the scenario", "unit"), rows, indent=4)


def _step_by_step(terminal: Terminal, witness: Witness, keyframe: Keyframe) -> None:
    """A row for each step; steps in a row that gave the same are one."""
    names = list(witness.steps[0])
    rows: list[tuple[str, ...]] = []
    first = 0
    for number, step in enumerate(witness.steps):
        if number + 1 < len(witness.steps) and witness.steps[number + 1] == step:
            continue
        ends = [str(_number(witness, keyframe, each)) for each in dict.fromkeys((first, number))]
        kinds = [witness.interface.variable(name.removesuffix("'")).type for name in names]
        shown = [show(kind, step[name]) if name in step else "" for name, kind in zip(names, kinds, strict=True)]
        rows.append((" to ".join(ends), *shown))
        first = number + 1
    terminal.table(("step", *names), rows, indent=4)


def _number(witness: Witness, keyframe: Keyframe, index: int) -> int:
    """A step's number: in fact as the log has it, in a scenario from 1."""
    return index + (keyframe.step if witness.shows is Shows.FACT else 1)


def _known(name: str, fact: Mapping[str, int], interface: Interface) -> str:
    bits = fact.get(name)
    return "(not logged)" if bits is None else show(interface.variable(name.removesuffix("'")).type, bits)


# --- the figures ----------------------------------------------------------------------------------------------


def _figures(terminal: Terminal, answer: Answer, *, verbose: bool) -> None:
    """How it was found and what it rests on, folded."""
    terminal.blank()
    if answer.witness is not None:
        _figure(terminal, "replayed", f"{answer.witness.replayed} (path {answer.witness.path})")
    if verbose:
        for number, supposition in enumerate(answer.suppositions):
            _figure(terminal, "" if number else "supposed", supposition)
    _figure(terminal, "freed", _freed(answer))
    shown = answer.relies_on if verbose else answer.relies_on[:FOLDED]
    for number, text in enumerate(shown):
        _figure(terminal, "" if number else "relies on", text)
    if len(shown) < len(answer.relies_on):
        _figure(terminal, "", f"and {len(answer.relies_on) - len(shown)} more: --verbose")
    _figure(terminal, "paths", ", ".join(f"{count} {ending}" for ending, count in answer.paths.items() if count))
    _figure(terminal, "settled by", _settled(answer))
    if verbose:
        _figure(terminal, "solver", ", ".join(f"{count} {what}" for what, count in answer.solver.items()))
    _figure(terminal, "seconds", _seconds(answer))


def _figure(terminal: Terminal, label: str, text: str) -> None:
    if text:
        terminal.prose(text, indent=2 + _LABEL, style="dim", first=(f"  {label}", "dim"))


def _freed(answer: Answer) -> str:
    """Variables that range over the same are said together."""
    together: dict[str, list[str]] = {}
    for freed in answer.freed:
        shape = json_of(freed.document)
        over = f"{shape['over']} {shape['unit']}".rstrip()
        together.setdefault(over, []).append(freed.variable.path)
    return "; ".join(f"{', '.join(paths)} over {over}" for over, paths in together.items())


def _settled(answer: Answer) -> str:
    """Who spared whom how much work."""
    return ", ".join(f"{name.replace('_', ' ')} {count}" for name, count in answer.settled_by.items())


def _seconds(answer: Answer) -> str:
    stages = {stage: seconds for stage, seconds in answer.seconds.items() if stage != "total" and seconds >= 0.005}
    total = answer.seconds.get("total", 0.0)
    parts = ", ".join(f"{stage} {seconds:.2f}" for stage, seconds in stages.items())
    return f"{total:.2f}" + (f" ({parts})" if parts else "")
