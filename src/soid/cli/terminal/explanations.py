"""An Explanation on the terminal: what mattered, where it flips, where the ways part; or what a proof needed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from soid.cli.terminal.answers import show_question, show_verdict
from soid.cli.terminal.terminal import Terminal
from soid.engine.trail import TakenBranch
from soid.explanation.counterfactuals import Counterfactual, Mattered, in_words, several, wherever
from soid.explanation.divergence import At, Parting
from soid.explanation.explainer import Explanation
from soid.explanation.flips import Flip, NoFlip
from soid.explanation.proof_needs import Proof
from soid.explanation.study import IN_WORDS
from soid.oracle.answer import Verdict
from soid.program.types import show
from soid.query.query import QueryKind
from soid.query.words import listed, whatever
from soid.scenario.trace import Keyframe
from soid.witness.witness import Change, Witness

_LABEL: Final = 18  # columns of the labels at the left
_NEEDED: Final = {True: "needed", False: "not needed", None: "not settled"}


def show_explanation(terminal: Terminal, explanation: Explanation, keyframe: Keyframe, heading: str) -> None:
    """Show the answer, then what mattered or what its proof needed, and what was not settled."""
    answer = explanation.answer
    terminal.rule(heading, keyframe.called)
    show_question(terminal, answer.query, answer.text, keyframe)
    show_verdict(terminal, answer)
    if explanation.fact_depends:
        _heading(terminal, "What happened in fact")
        terminal.prose(explanation.fact_depends, indent=4)
    if explanation.mattered is not None:
        _mattered(terminal, explanation.mattered, explanation.parting)
    if explanation.proof is not None:
        _proof(terminal, explanation.proof)
    if explanation.mattered is None and explanation.proof is None and not explanation.unsettled:
        terminal.blank()
        terminal.prose(_nothing(explanation))
    if explanation.unsettled:
        _heading(terminal, "Not settled")
        for text in explanation.unsettled:
            terminal.prose(text, indent=6, first=(f"    {terminal.either('•', '-')}", ""))
        terminal.prose("More time may settle it: --seconds 600.", indent=4, style="dim")


def _nothing(explanation: Explanation) -> str:
    answer = explanation.answer
    if answer.verdict.is_definite and answer.query.kind is QueryKind.DID:
        return "That is what happened. To learn what mattered to it, ask what might or would have happened otherwise."
    if answer.verdict is Verdict.VACUOUS:
        return "There is no scenario, so there is nothing to explain."
    return "Nothing was concluded, so there is nothing to explain."


# --- a scenario -----------------------------------------------------------------------------------------------


def _mattered(terminal: Terminal, matter: Mattered, parting: Parting | None) -> None:
    if not matter.sets:
        if matter.complete:
            _heading(terminal, "What mattered")
            terminal.prose(several(matter.whatever), indent=4)
        return
    first, *others = matter.sets
    _heading(terminal, "What mattered")
    happens = in_words(IN_WORDS[matter.happens], matter.whatever)  # other changes may lead to something else
    terminal.prose(_enough(first, happens), indent=4)
    _changes(terminal, [("", first.scenario.witness.changed)])
    _heading(terminal, "Where it flips")
    for each in first.flips:
        _flip(terminal, each, alone=len(first.flips) == 1)
    if parting is not None:
        _heading(terminal, "Where the ways part")
        _parting(terminal, parting)
        if taken := _taken(first.scenario.witness):
            terminal.prose(f"Both with {taken}.", indent=4, style="dim")
    if others or matter.complete:
        _heading(terminal, "Other variables that would do")
        _changes(terminal, [(str(n), one.scenario.witness.changed) for n, one in enumerate(others, start=1)])
        if matter.complete:
            none = "" if others else "None. "
            terminal.prose(f"{none}{wherever(happens, [each.variables for each in matter.sets])}", indent=4)
    if matter.more:
        terminal.prose("There are more: --others 10 shows up to ten.", indent=4, style="dim")


def _enough(one: Counterfactual, happens: str) -> str:
    count = len(one.variables)
    if count == 1:
        return f"With one change from the fact {happens}."
    if one.smallest:
        return f"With {count} changes from the fact {happens}, and with no fewer: proved."
    return f"With {count} changes from the fact {happens}; whether with fewer was not settled."


def _changes(terminal: Terminal, sets: Sequence[tuple[str, Sequence[Change]]]) -> None:
    rows = [("" if at else name, *_row(change)) for name, changed in sets for at, change in enumerate(changed)]
    if rows:
        terminal.table(("", "changed", "in fact", "in the scenario", "unit"), rows, indent=4)


def _row(change: Change) -> tuple[str, str, str, str]:
    return change.variable.path, change.was, show(change.variable.type, change.after), change.variable.unit


def _flip(terminal: Terminal, flip: Flip | NoFlip, *, alone: bool) -> None:
    path, unit = flip.variable.path, f" {flip.variable.unit}" if flip.variable.unit else ""
    if isinstance(flip, NoFlip):
        terminal.prose(f"{path}: {flip.reason}", indent=4)
        return
    last, first = (show(flip.variable.type, bits) + unit for bits in flip.values)
    others = "" if alone else ", the rest as in the scenario"
    terminal.line((f"    {path} at {first}{others}", ""))
    width = max(len(last), len(first))
    for text, scenario in ((last, flip.last), (first, flip.first)):
        terminal.line((f"      {text.ljust(width)}  the program {IN_WORDS[scenario.happens]}", ""))
    if flip.neighbours:
        terminal.prose("No value lies between these two; both were run.", indent=6, style="dim")
    if taken := _taken(flip.last.witness):
        names = whatever(flip.last.witness.assumed)
        terminal.prose(f"Both with {taken}; at {first} it is so {names}.", indent=6, style="dim")
    if not flip.nearest:
        terminal.prose("Values nearer to the fact were left unexplored.", indent=6, style="dim")


def _taken(witness: Witness) -> str:
    """The values that a scenario has for inputs that are not known."""
    known = [(path, witness.interface.variable(path)) for path in witness.assumed]
    values = [f"{path} = {show(v.type, witness.inputs[path])} {v.unit}".rstrip() for path, v in known]
    return listed(values) if values else ""


def _parting(terminal: Terminal, parting: Parting) -> None:
    match parting.at:
        case At.BRANCH:
            assert parting.one is not None and parting.other is not None
            _source_line(terminal, parting.one)
            for label, branch in (("in fact", parting.one), ("in the scenario", parting.other)):
                if branch.where != parting.one.where:
                    _source_line(terminal, branch)
                terminal.prose(_side(branch), indent=6 + _LABEL, first=(f"      {label}", ""))
        case At.END:
            if parting.branch is not None:
                _source_line(terminal, parting.branch)
            for label, ending in zip(("in fact", "in the scenario"), parting.endings, strict=True):
                terminal.prose(f"the program {ending}", indent=6 + _LABEL, first=(f"      {label}", ""))
        case At.DATA:
            terminal.prose("Nowhere: they take the same way, and only values differ.", indent=4)
            for name, where in parting.set_at.items():
                terminal.prose(f"{name} gets its value at {where}", indent=6)
        case At.PATHS:
            for label, path in zip(("in fact", "in the scenario"), parting.paths, strict=True):
                terminal.prose(f"path {path}", indent=6 + _LABEL, first=(f"      {label}", ""))


def _source_line(terminal: Terminal, branch: TakenBranch) -> None:
    step = f", step {branch.step + 1}" if branch.step else ""
    terminal.line((f"    {branch.where or 'a place without a line'}", "bold"), (f" in {branch.function}{step}", ""))
    if branch.text:
        terminal.line((f"      {branch.text}", "dim"))


def _side(branch: TakenBranch) -> str:
    """Which side of the branch was taken, and why."""
    truth = branch.side in ("true", "false")
    if branch.condition:
        why = f"{branch.condition} is {branch.side}" if truth else f"{branch.condition}: {branch.side}"
    else:
        why = "" if truth else branch.side
    on = f"on at line {branch.goes_to.line}" if branch.goes_to is not None else ""
    return ", ".join(part for part in (why, on) if part) or branch.side


# --- a proof --------------------------------------------------------------------------------------------------


def _proof(terminal: Terminal, proof: Proof) -> None:
    if proof.suppositions:
        _heading(terminal, "What the proof needed")
        for need in proof.suppositions:
            _labelled(terminal, _NEEDED[need.needed], need.supposition)
            if need.needed:
                _labelled(terminal, "", f"without it, for example, {_scenario(need.witness)}", style="dim")
    _heading(terminal, "Which variables matter")
    free = [each.variable.path for each in proof.variables if each.irrelevant]
    if free:
        _labelled(terminal, "can be anything", ", ".join(free))
        _labelled(terminal, "", _together(free, proof), style="dim")
    for each in proof.variables:
        if each.irrelevant is False:
            _labelled(terminal, "matters", each.variable.path)
            assert each.scenario is not None
            what = IN_WORDS[each.scenario.happens]
            with_ = f" with {taken}" if (taken := _taken(each.scenario.witness)) else ""
            shown = f"{_scenario(each.scenario.witness)}{with_}: there the program {what}"
            _labelled(terminal, "", shown, style="dim")
        elif each.irrelevant is None:
            _labelled(terminal, "not settled", each.variable.path)


def _together(free: Sequence[str], proof: Proof) -> str:
    if len(free) == 1:
        return "whatever it is, the answer is the same: proved"
    if proof.together:
        return "whatever they are, the answer is the same: proved"
    return "each by itself: proved" + ("; not all of them at once" if proof.together is False else "")


def _scenario(witness: Witness | None) -> str:
    if witness is None:
        return ""
    if not witness.changed:
        return "the fact itself"
    return listed(_instead(change) for change in witness.changed)


def _instead(change: Change) -> str:
    path, before, after, unit = _row(change)
    return f"{path} {after} {unit}".rstrip() + f" instead of {before}"


def _labelled(terminal: Terminal, label: str, text: str, *, style: str = "") -> None:
    terminal.prose(text, indent=4 + _LABEL, style=style, first=(f"    {label}", ""))


def _heading(terminal: Terminal, text: str) -> None:
    terminal.blank()
    terminal.line((f"  {text}", "bold"))
