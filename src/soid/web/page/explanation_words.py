"""An explanation in words, made from the result of its job: see `explain` in docs/json.md."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from soid.explanation.counterfactuals import in_words, several, wherever
from soid.program.interface import Interface
from soid.program.types import from_python
from soid.query.words import listed, whatever
from soid.web.page.amounts import called, shown

Told = Mapping[str, Any]


def explanation(told: Told, interface: Interface) -> Iterator[tuple[str, list[str]]]:
    """Headings, each with its lines."""
    derived = told["answer"]["origins"]["derived"]
    words = _Words(interface, frozenset(each["variable"] for each in derived))
    if told["fact_depends"]:
        yield "What happened in fact", [told["fact_depends"]]
    if told["mattered"] and told["mattered"]["sets"]:
        yield from words.mattered(told["mattered"], told["parting"])
    elif told["mattered"] and told["mattered"]["complete"]:
        yield "What mattered", [several([words.called(path) for path in told["mattered"]["whatever"]])]
    if told["proof"]:
        yield from words.proof(told["proof"])
    if told["unsettled"]:
        yield "Not settled in the time given", list(told["unsettled"])
    if not (told["mattered"] or told["proof"] or told["unsettled"]):
        nothing = "That is what happened. Ask what might or would have been, to learn what mattered."
        yield "Nothing to explain", [nothing]


class _Words:
    """The parts of an explanation in words."""

    def __init__(self, interface: Interface, derived: frozenset[str]) -> None:
        self._interface = interface
        self._derived = derived  # inputs whose factual values are not logged, and follow

    def mattered(self, told: Told, parting: Told | None) -> Iterator[tuple[str, list[str]]]:
        first, *others = told["sets"]
        count, happens = len(first["variables"]), in_words(told["happens"], list(map(self.called, told["whatever"])))
        if count == 1:
            enough = f"With one change from the fact {happens}:"
        elif first["smallest"]:
            enough = f"With {count} changes from the fact {happens}, and with no fewer, which is proved:"
        else:
            enough = f"With {count} changes from the fact {happens}; whether with fewer was not settled:"
        yield "What mattered", [enough, *map(self._change, first["changed"])]
        yield "Where it flips", [*map(self._flip, first["flips"]), *map(self._no_flip, first["no_flips"])]
        if parting:
            yield "Where the ways part", list(_parting(parting))
        more = [listed(map(self._change, each["changed"])) for each in others]
        if told["complete"]:
            names = [[self.called(path) for path in each["variables"]] for each in told["sets"]]
            more.append(f"{'' if others else 'None. '}{wherever(happens, names)}")
        elif told["more"]:
            more.append("There are more.")
        if more:
            yield "Other variables that would do", more

    def proof(self, told: Told) -> Iterator[tuple[str, list[str]]]:
        needed = {True: "needed", False: "not needed", None: "not settled"}
        needs = [f"{each['supposition']}: {needed[each['needed']]}" for each in told["suppositions"]]
        if needs:
            yield "What the proof needed", needs
        lines = []
        free = [self.called(each["variable"]) for each in told["variables"] if each["irrelevant"]]
        if free:
            together = ", of all of them at once" if told["irrelevant_together"] else ", of each by itself"
            proved = f"which is proved{together if len(free) > 1 else ''}"
            lines.append(f"{listed(free)}: whatever it is, the answer is the same, {proved}")
        for each in told["variables"]:
            if each["irrelevant"] is False:
                lines.append(f"{self.called(each['variable'])} matters: {listed(map(self._change, each['changed']))}")
            elif each["irrelevant"] is None:
                lines.append(f"{self.called(each['variable'])}: not settled")
        yield "Which variables matter", lines

    def called(self, path: str) -> str:
        return called(self._interface.variable(path))

    def _amount(self, path: str, value: Any) -> str:
        variable = self._interface.variable(path)
        return shown(variable, from_python(variable.type, value))

    def _change(self, told: Told) -> str:
        path = told["variable"]
        after, before = (self._amount(path, told[which]) for which in ("scenario", "fact"))
        derived = " (derived)" if path in self._derived else ""
        return f"{self.called(path)}: {after} instead of {before}{derived}"

    def _flip(self, told: Told) -> str:
        path = told["variable"]
        last, first = (self._amount(path, told[which]) for which in ("last", "first"))
        before, after = told["happens_at_last"], told["happens_at_first"]
        said = f"{self.called(path)}: at {last} the program {before}, at {first} it {after}"
        near = "; no value lies between these two" if told["neighbours"] else ""
        taken = [f"{self.called(path)} {self._amount(path, value)}" for path, value in told["taken"].items()]
        near += (
            f"; both with {listed(taken)}, at {first} it is so {whatever(list(map(self.called, told['taken'])))}"
            if taken
            else ""
        )
        return f"{said}{near}{'' if told['nearest'] else '; values nearer to the fact were left unexplored'}"

    def _no_flip(self, told: Told) -> str:
        return f"{self.called(told['variable'])}: {told['reason']}"


def _parting(told: Told) -> Iterator[str]:
    match told["at"]:
        case "branch":
            one, other = told["branch"]
            yield f"{one['file']}:{one['line']} in {one['function']}: {one['text']}"
            yield f"in fact: {_side(one)}"
            yield f"in the scenario: {_side(other)}"
        case "end":
            yield from (f"{where}: the program {end}" for where, end in zip(_WHERE, told["endings"], strict=True))
        case "data":
            yield "Nowhere: they take the same way, and only values differ."
            yield from (f"{name} gets its value at {where}" for name, where in told["set_at"].items())
        case _:
            yield from (f"{where}: path {path}" for where, path in zip(_WHERE, told["paths"], strict=True))


_WHERE = ("in fact", "in the scenario")


def _side(branch: Told) -> str:
    truth = branch["side"] in ("true", "false")
    condition = branch["condition"]
    why = f"{condition} is {branch['side']}" if truth and condition else f"{condition} {branch['side']}".strip()
    return f"{why}, on at line {branch['goes_to']}" if branch["goes_to"] is not None else why
