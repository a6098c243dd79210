"""What mattered to a scenario, on the terminal: changes, where it flips, where the ways part, what else would do."""

from __future__ import annotations

from collections.abc import Sequence

from soid.cli.terminal.explained_terms import LABEL, ExplainedTerms
from soid.engine.trail import TakenBranch
from soid.explanation.counterfactuals import Counterfactual, Mattered, several, unaffected, wherever
from soid.explanation.divergence import At, Parting
from soid.explanation.flips import Flip, NoFlip
from soid.query.words import whatever
from soid.witness.witness import Change


def show_mattered(terms: ExplainedTerms, matter: Mattered) -> None:
    terminal, unknown = terms.terminal, terms.all_called(matter.whatever)
    if not matter.sets:
        if matter.complete:
            terms.heading("What mattered")
            terminal.prose(several(unknown), indent=4)
        return
    first, *others = matter.sets
    terms.heading("What mattered")
    # other changes may lead to something else
    happens = terms.outcome(matter.happens) + (f", {whatever(unknown)}" if unknown else "")
    if first.is_like_fact:
        terminal.prose(unaffected(terms.all_called(first.variables), happens), indent=4)
        return
    terminal.prose(_enough(first, happens), indent=4)
    _changes(terms, [("", first.scenario.witness.changed)])
    terms.heading("Where it flips")
    for each in first.flips:
        _flip(terms, each, alone=len(first.flips) == 1)
    if terms.explanation.parting is not None:
        terms.heading("Where the ways part")
        _parting(terms, terms.explanation.parting)
        if taken := terms.taken(first.scenario.witness):
            terminal.prose(f"Both with {taken}.", indent=4, style="dim")
    if others or matter.complete:
        terms.heading("Other variables that would do")
        _changes(terms, [(str(n), one.scenario.witness.changed) for n, one in enumerate(others, start=1)])
        if matter.complete:
            names = [terms.all_called(each.variables) for each in matter.sets]
            terminal.prose(f"{'' if others else 'None. '}{wherever(happens, names)}", indent=4)
    if matter.more:
        terminal.prose("There are more: --others 10 shows up to ten.", indent=4, style="dim")


def _enough(one: Counterfactual, happens: str) -> str:
    count = len(one.variables)
    if count == 1:
        return f"With one change from the fact {happens}."
    if one.smallest:
        return f"With {count} changes from the fact {happens}, and with no fewer: proved."
    return f"With {count} changes from the fact {happens}; whether with fewer was not settled."


def _changes(terms: ExplainedTerms, sets: Sequence[tuple[str, Sequence[Change]]]) -> None:
    rows = [("" if at else name, *terms.row(change)) for name, changed in sets for at, change in enumerate(changed)]
    if rows:
        terms.terminal.table(("", "changed", "in fact", "in the scenario", "unit"), rows, indent=4)


# --- where it flips -------------------------------------------------------------------------------------------


def _flip(terms: ExplainedTerms, flip: Flip | NoFlip, *, alone: bool) -> None:
    terminal, name = terms.terminal, terms.called(flip.variable.path)
    if isinstance(flip, NoFlip):
        terminal.prose(f"{name}: {flip.reason}", indent=4)
        return
    last, first = flip.shown
    others = "" if alone else ", the rest as in the scenario"
    at = ", at" if flip.variable.path in terms.explanation.steps else " at"
    terminal.line((f"    {name}{at} {first}{others}", ""))
    width = max(len(last), len(first))
    for text, scenario in ((last, flip.last), (first, flip.first)):
        value = f"      {text.ljust(width)}  "
        terminal.prose(terms.outcome(scenario.happens), indent=len(value), first=(value, ""))
    if flip.neighbours:
        terminal.prose("No value lies between these two; both were run.", indent=6, style="dim")
    if flip.open_between:
        terminal.prose("Both were run. Between them it is not settled which it is.", indent=6, style="dim")
    if flip.in_runs is not None:
        last, first = (flip.variable.amount(bits) for bits in flip.in_runs)
        said = f"In the runs made here it flips between {last} and {first}, and no value lies between these two; "
        terminal.prose(f"{said}another order of summation may flip elsewhere.", indent=6, style="dim")
    if taken := terms.taken(flip.last.witness):
        names = whatever(terms.all_called(flip.last.witness.assumed))
        terminal.prose(f"Both with {taken}; at {first} it is so {names}.", indent=6, style="dim")
    if not flip.nearest:
        terminal.prose("Values nearer to the fact were left unexplored.", indent=6, style="dim")


# --- where the ways part --------------------------------------------------------------------------------------


def _parting(terms: ExplainedTerms, parting: Parting) -> None:
    terminal, labels = terms.terminal, (terms.explanation.unchanged, "in the scenario")
    match parting.at:
        case At.BRANCH:
            assert parting.one is not None and parting.other is not None
            _source_line(terms, parting.one)
            for label, branch in zip(labels, (parting.one, parting.other), strict=True):
                if branch.where != parting.one.where:
                    _source_line(terms, branch)
                terminal.prose(branch.told, indent=6 + LABEL, first=(f"      {label}", ""))
        case At.END:
            if parting.branch is not None:
                _source_line(terms, parting.branch)
            for label, ending in zip(labels, parting.endings, strict=True):
                terminal.prose(f"the program {ending}", indent=6 + LABEL, first=(f"      {label}", ""))
        case At.DATA:
            since = _since(terms, parting)
            terminal.prose(f"Nowhere: they take the same way, and only values differ{since}.", indent=4)
            for name, where in parting.set_at.items():
                terminal.prose(f"{name} gets its value at {where}", indent=6)
        case At.PATHS:
            for label, path in zip(labels, parting.paths, strict=True):
                terminal.prose(f"path {path}", indent=6 + LABEL, first=(f"      {label}", ""))
            if since := _since(terms, parting):
                terminal.prose(f"What the program gives differs{since}.", indent=6)


def _since(terms: ExplainedTerms, parting: Parting) -> str:
    """From which step on two runs of several steps give different values."""
    return "" if parting.differ_in is None else f", from step {terms.keyframe.step + parting.differ_in} on"


def _source_line(terms: ExplainedTerms, branch: TakenBranch) -> None:
    step = f", step {terms.keyframe.step + branch.step}" if terms.answer.query.period.count > 1 else ""
    where = f"    {branch.where or 'a place without a line'}"
    terms.terminal.line((where, "bold"), (f" in {branch.function}{step}", ""))
    if branch.text:
        terms.terminal.line((f"      {branch.text}", "dim"))
