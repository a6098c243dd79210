"""An explanation in words, made from the result of its job: see `explain` in docs/json.md."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from msgspec import convert

from soid.engine.trail import way_told
from soid.explanation.counterfactuals import several, unaffected, wherever
from soid.explanation.document_words import outcome, supposed
from soid.explanation.explainer import UNCHANGED
from soid.explanation.flips import ALIKE, AS_LOGGED
from soid.explanation.hindrance_words import HEADING
from soid.explanation.hindrance_words import told as hindered
from soid.explanation.hindrances import HindranceDocument
from soid.oracle.answer import Verdict
from soid.program.interface import Interface
from soid.program.types import FloatType, IntType, from_python
from soid.query.language.query_parser import parse
from soid.query.query import QueryKind
from soid.query.words import RoundedText, Words, listed, whatever
from soid.query.words.amount_words import read, shown
from soid.query.words.lists import are_several, is_plural
from soid.scenario import input_names
from soid.scenario.origin import NOT_KNOWN

Told = Mapping[str, Any]
_THE_FACT: Final = "in fact itself the outcome is another one"


def explanation(told: Told, interface: Interface) -> list[tuple[str, list[RoundedText]]]:
    """Headings, each with its lines."""
    ways = (_headings(told, interface, exact=exact) for exact in (False, True))
    return [
        (heading, [RoundedText(*both) for both in zip(read, exact, strict=True)])
        for (heading, read), (_, exact) in zip(*ways, strict=True)
    ]


def _headings(told: Told, interface: Interface, *, exact: bool) -> Iterator[tuple[str, list[str]]]:
    """The same with all digits, or rounded for reading."""
    derived = told["answer"]["origins"]["derived"]
    words = _Words(interface, told, frozenset(each["variable"] for each in derived), exact=exact)
    if told["fact_depends"]:
        yield "What happened in fact", [told["fact_depends"]]
    found = convert(told.get("hindrance"), HindranceDocument | None)
    if found is not None:
        yield HEADING, hindered(found, words.query, interface, exact=exact)
    made_none = found is not None and found.like_fact  # no difference: then no change of what was supposed mattered
    if told["mattered"] and not made_none and told["mattered"]["sets"]:
        yield from words.mattered(told["mattered"], told["parting"])
    elif told["mattered"] and not made_none and told["mattered"]["complete"]:
        yield "What mattered", [several(words.all_called(told["mattered"]["whatever"]))]
    if told["proof"]:
        yield from words.proof(told["proof"])
    if told["unsettled"]:
        yield "Not settled in the time given" if told["out_of_time"] else "Not settled", list(told["unsettled"])
    if not (told["mattered"] or told["proof"] or told["unsettled"]):
        yield "Nothing to explain", [_nothing(told["answer"])]


def _nothing(answer: Told) -> str:
    """Why there is nothing to explain, and what to do."""
    if answer["verdict"] == Verdict.VACUOUS.value:
        return "No scenario is as supposed, so there is nothing to explain. Suppose less."
    if answer["kind"] == QueryKind.DID.value and answer["verdict"] in (Verdict.YES.value, Verdict.NO.value):
        return "That is what happened. Ask what might or would have been, to learn what mattered."
    return "Nothing was concluded, so there is nothing to explain."


class _Words:
    """The parts of an explanation in words."""

    def __init__(self, interface: Interface, told: Told, derived: frozenset[str], *, exact: bool) -> None:
        self._interface = interface
        self._words, self.query = Words(interface), parse(told["answer"]["question"], interface)
        self._exact = exact  # all digits are told
        self._steps: Mapping[str, str] = told["steps"]
        self._lasting = frozenset(told["lasting"])
        self._first: int = told["answer"]["step"]
        self._several = told["answer"]["future"] is not None
        # what a scenario is compared with, and it
        self._sides = UNCHANGED[told["answer"]["future"]], "in the scenario"
        self._derived = derived  # inputs whose factual values are not logged, and follow

    def mattered(self, told: Told, parting: Told | None) -> Iterator[tuple[str, list[str]]]:
        first, *others = told["sets"]
        count, happens = len(first["variables"]), self._outcome(told["happens"])
        happens += f", {whatever(self.all_called(told['whatever']))}" if told["whatever"] else ""
        if count == 1 and [each["reason"] in ALIKE for each in first["no_flips"]] == [True]:
            yield "What mattered", [unaffected(self.all_called(first["variables"]), happens)]
            return
        if count == 1:
            enough = f"With one change from the fact {happens}:"
        elif first["smallest"]:
            enough = f"With {count} changes from the fact {happens}, and with no fewer, which is proved:"
        else:
            enough = f"With {count} changes from the fact {happens}; whether with fewer was not settled:"
        yield "What mattered", [enough, *map(self._change, first["changed"])]
        yield "Where it flips", [*map(self._flip, first["flips"]), *map(self._no_flip, first["no_flips"])]
        if parting:
            yield "Where the ways part", list(self._parting(parting))
        more = [listed(map(self._change, each["changed"])) for each in others]
        if told["complete"]:
            names = [self.all_called(each["variables"]) for each in told["sets"]]
            more.append(f"{'' if others else 'None. '}{wherever(happens, names)}")
        elif told["more"]:
            more.append("There are more.")
        if more:
            yield "Other variables that would do", more

    def proof(self, told: Told) -> Iterator[tuple[str, list[str]]]:
        needed = {True: "needed", False: "not needed", None: "not settled"}
        needs = [
            f"{supposed(each['supposition'], self._interface)}: {needed[each['needed']]}{self._without(each)}"
            for each in told["suppositions"]
        ]
        if needs:
            yield "What the proof needed", needs
        lines = []
        free = [each["variable"] for each in told["variables"] if each["irrelevant"]]
        if free:
            together = ", of all of them at once" if told["irrelevant_together"] else ", of each by itself"
            proved = f"which is proved{together if len(free) > 1 else ''}"
            names, stays = self.all_called(free), self._lasting & {*free}
            they, stay = ("they are", "stay") if are_several(names) else ("it is", "stays")
            same = f", and {stay} so" if stays else ""
            lines.append(f"{listed(names)}: whatever {they}{same}, the answer is the same, {proved}")
        for each in told["variables"]:
            if each["irrelevant"] is False:
                name = self.called(each["variable"])
                matters = f"{name} {'matter' if is_plural(name) else 'matters'}"
                lines.append(f"{matters}: {self._otherwise(each['changed'])}")
        left = [each["variable"] for each in told["variables"] if each["irrelevant"] is None]
        lines += [f"{name}: not settled" for name in self.all_called(left)]
        yield "Which variables matter", lines

    def _without(self, need: Told) -> str:
        """The scenario that is possible without a supposition that is needed, and excludes it."""
        return f"; without it, for example, {self._otherwise(need['changed'])}" if need["needed"] else ""

    def _otherwise(self, changed: Sequence[Told]) -> str:
        """That what is proved is not so in another scenario: "with the weight at 700.0 lb instead of 249.9 lb ..."."""
        return f"with {listed(map(self._instead, changed))} it is otherwise" if changed else _THE_FACT

    def called(self, path: str) -> str:
        return input_names.called(path, self._steps, self._label)

    def all_called(self, paths: Iterable[str]) -> list[str]:
        return input_names.all_called(paths, self._steps, self._label)

    def _outcome(self, happens: str) -> str:
        return outcome(happens, self.query, self._interface)

    def _label(self, path: str) -> str:
        return self._words.called(path)

    def _amount(self, path: str, value: Any, *apart: Any) -> str:
        """A value, which is never told like another one that it stands beside."""
        variable = self._interface.variable(path.partition("@")[0])
        bits = from_python(variable.type, value)
        if self._exact:
            return shown(variable, bits)
        return read(self.query, variable, [from_python(variable.type, each) for each in apart])(bits)

    def _change(self, told: Told) -> str:
        return f"{self.called(told['variable'])}: {self._values(told)}"

    def _instead(self, told: Told) -> str:
        """A change within a sentence: "the weight at 700.0 lb instead of 249.9 lb"."""
        variable = self._interface.variable(told["variable"].partition("@")[0])
        amounts = isinstance(variable.type, IntType | FloatType)
        return f"{self.called(told['variable'])} {'at' if amounts else 'being'} {self._values(told)}"

    def _values(self, told: Told) -> str:
        path, known = told["variable"], [told[which] for which in ("scenario", "fact") if told[which] is not None]
        after, before = (
            NOT_KNOWN if told[which] is None else self._amount(path, told[which], *known)
            for which in ("scenario", "fact")
        )
        derived = " (derived)" if path in self._derived else ""
        return f"{after} instead of {before}{derived}"

    def _flip(self, told: Told) -> str:
        path = told["variable"]
        before, after = self._outcome(told["happens_at_last"]), self._outcome(told["happens_at_first"])
        apart = told["last"], told["first"]
        first = self._amount(path, told["first"], *(each for each in apart if each is not None))
        if border := self._border(told):
            said, near = f"{self.called(path)}: {border}", ""
        else:
            last = AS_LOGGED if told["as_logged"] else f"at {self._amount(path, told['last'], *apart)}"
            said = f"{self.called(path)}: {last} {before}, at {first} {after}"
            near = "; no value lies between these two" if told["neighbours"] else ""
        near += "; between these two it is not settled" if told["open_between"] else ""
        if (ran := [told.get(which) for which in ("run_last", "run_first")]) != [None, None]:
            values = " and ".join(self._amount(path, each, *ran) for each in ran)
            near += f", and in the runs made here it flips between {values}"
        taken = [f"{self.called(path)} at {self._amount(path, value)}" for path, value in told["taken"].items()]
        near += (
            f"; both with {listed(taken)}, at {first} it is so {whatever(self.all_called(told['taken']))}"
            if taken
            else ""
        )
        return f"{said}{near}{'' if told['nearest'] else '; values nearer to the fact were left unexplored'}"

    def _border(self, told: Told) -> str:
        """Where it flips, if no value lies between the two and they differ in the last digits alone."""
        if not told["neighbours"]:
            return ""
        last, first = (self._amount(told["variable"], told[which]) for which in ("last", "first"))
        if last != first:
            return ""
        before, after = self._outcome(told["happens_at_last"]), self._outcome(told["happens_at_first"])
        return f"it flips at {first}; just before that {before}, just beyond {after}"

    def _no_flip(self, told: Told) -> str:
        return f"{self.called(told['variable'])}: {told['reason']}"

    def _parting(self, told: Told) -> Iterator[str]:
        since = "" if told["differ_in"] is None else f", from step {self._first + told['differ_in'] - 1} on"
        match told["at"]:
            case "branch":
                one, other = told["branch"]
                step = f", step {self._first + one['step'] - 1}" if self._several else ""
                yield f"{one['file']}:{one['line']} in {one['function']}{step}: {one['text']}"
                yield from (
                    f"{where}: {way_told(each['side'], each['condition'], each['goes_to'])}"
                    for where, each in zip(self._sides, (one, other), strict=True)
                )
            case "end":
                ends = zip(self._sides, told["endings"], strict=True)
                yield from (f"{where}: the program {end}" for where, end in ends)
            case "data":
                yield f"Nowhere: they take the same way, and only values differ{since}."
                yield from (f"{name} gets its value at {where}" for name, where in told["set_at"].items())
            case _:
                yield from (f"{where}: path {path}" for where, path in zip(self._sides, told["paths"], strict=True))
                yield from [f"What the program gives differs{since}."] if since else []
