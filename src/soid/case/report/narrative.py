"""Each moment that the case is about, from its log, in words and as a picture."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from soid.case.report.contents import Contents
from soid.case.report.markup import Html, code, element, link, paragraphs, separated, table, together
from soid.case.report.phrases import (
    amount,
    called,
    computed_from,
    fact_value,
    moment_called,
    moment_in_time,
    output_called,
    precision,
    sentence_of,
)
from soid.case.validity import Moment, acceptance
from soid.engine.summary import Decided
from soid.oracle.answer import Answer
from soid.program.interface import Role, Variable
from soid.query.words import Words
from soid.scenario.trace import Keyframe
from soid.scene.picture import Picture, of_keyframe
from soid.scene.scene_svg import svg
from soid.witness.witness import Shows


def happened(contents: Contents) -> Html:
    return together(
        paragraphs(f"There is no picture: {contents.no_scene}." if contents.no_scene else ""),
        *(_moment(contents, moment) for moment in contents.moments),
    )


def _moment(contents: Contents, moment: Moment) -> Html:
    keyframe = contents.keyframe(moment)
    when = keyframe.when
    program = contents.entries[0].payload["program"]
    opening = element(
        "p",
        f"At step {moment.step} of the log ",
        code(moment.log),
        "" if when is None else f", {when.short} after its first row (its clock says {when.logged}),",
        f" the program “{program}” was called, and was given what is listed below. ",
        *_decided(keyframe, contents.facts_at(moment)),
    )
    drawn = of_keyframe(contents.scene, keyframe) if contents.scene is not None else None
    return element(
        "section",
        element("h3", sentence_of(moment_called(moment.step, moment.name)).removesuffix(".")),
        opening,
        _accepted(contents, moment),
        figure(drawn) if drawn is not None else "",
        _given(keyframe, drawn),
        _outcome(keyframe, _computed(contents.facts_at(moment))),
        class_="moment",
    )


def figure(picture: Picture) -> Html:
    """A picture that soid draws: its text is escaped, and it has a caption and a description for screen readers."""
    return element("figure", Html(svg(picture)))


def _decided(keyframe: Keyframe, answers: tuple[Answer, ...]) -> tuple[str, ...]:
    """The logged decision; else the program's on the logged values, which may differ if they are rounded."""
    if _logged(keyframe):
        return ("The log says that ", _told(keyframe, keyframe.decisions, "decided"), ".")
    opening = "What it decided is not in the log. "
    if any(each.path in _computed(answers) for each in keyframe.interface.decisions):
        values = "the values as logged, which are rounded," if keyframe.rounded else "these values"
        return (opening, f"Given {values} ", _told(keyframe, _computed(answers), "decides"), ".")
    ran = [each.witness for each in answers if each.witness is not None and each.witness.shows is Shows.FACT]
    known = [each for each in ran if not each.earlier and not each.assumed]
    ended = [each.ending for each in known if not isinstance(each.ending, Decided)]
    return (opening, "Given these values the program ", element("strong", str(ended[0])), ".") if ended else (opening,)


def _logged(keyframe: Keyframe) -> bool:
    return any(each.path in keyframe.decisions for each in keyframe.interface.decisions)


def _told(keyframe: Keyframe, known: Mapping[str, int], verb: str) -> Html:
    decided = {each.path: known[each.path] for each in keyframe.interface.decisions if each.path in known}
    return element("strong", Words(keyframe.interface).decided(decided, verb=verb))


def _computed(answers: tuple[Answer, ...]) -> Mapping[str, int]:
    return answers[0].fact if answers else {}


def _accepted(contents: Contents, moment: Moment) -> str:
    """A warning that log and program differ here, and who accepted it."""
    number = acceptance(contents.entries, moment)
    if number is None:
        return ""
    entry = contents.entries[number - 1]
    return element(
        "p",
        element("strong", "Log and program differ here. "),
        sentence_of(entry.payload["mismatch"]),
        f" {entry.who} accepted this on {moment_in_time(entry.when)} (",
        link(contents.place(number), f"entry {number}"),
        "), because: ",
        element("q", entry.payload["why"]),
        class_="warning",
    )


# --- the values -----------------------------------------------------------------------------------------------


def _given(keyframe: Keyframe, drawn: Picture | None) -> Html:
    """Tables of the labelled inputs; below them the inputs of absent actors, and those without a label."""
    inputs = keyframe.interface.inputs
    absent = _absent(drawn) if drawn is not None else frozenset()
    worded = [each for each in inputs if each.label] or list(inputs)
    of_absent = [each for each in worded if each.path in absent]
    rest = [each for each in inputs if each not in worded]
    worded = [each for each in worded if each not in of_absent]
    perceived = [each for each in worded if each.role is Role.ENVIRONMENT]
    remembered = [each for each in worded if each.role is Role.STATE]
    return together(
        _values("What the program perceived", perceived, keyframe),
        _values("What it remembered from before", remembered, keyframe),
        _others("Inputs about an actor that is not there: ", of_absent, keyframe),
        _others("Further inputs, for which the project has no words: ", rest, keyframe),
    )


def _absent(drawn: Picture) -> frozenset[str]:
    """The inputs about actors that are not present, except the input that says so."""
    gone = [each.actor for each in drawn.fact if not each.present]
    return frozenset(variable.path for actor in gone for variable in actor.variables if variable != actor.present)


def _values(caption: str, variables: Iterable[Variable], keyframe: Keyframe) -> str:
    rows = [(called(each), fact_value(each, keyframe), precision(each, keyframe)) for each in variables]
    return table(caption, ("what", "value", "remark"), rows, class_="values") if rows else ""


def _others(opening: str, variables: list[Variable], keyframe: Keyframe) -> str:
    if not variables:
        return ""
    by_value: dict[str, list[str]] = {}
    for each in variables:
        by_value.setdefault(fact_value(each, keyframe), []).append(each.path)
    groups = [
        together(separated(map(code, paths)), f" {'is' if len(paths) == 1 else 'are'} {value}")
        for value, paths in by_value.items()
    ]
    return element("p", opening, separated(groups), ".", class_="small")


def _outcome(keyframe: Keyframe, computed: Mapping[str, int]) -> str:
    rows = []
    for output in keyframe.interface.outputs:
        name, logged = output.name, keyframe.decisions
        if name in logged or name in computed:
            bits = logged[name] if name in logged else computed[name]
            remark = "as logged" if name in logged else computed_from(keyframe)
            rows.append((output_called(name, keyframe.interface), amount(output.variable, bits), remark))
    caption = "What it decided" if _logged(keyframe) else "What the program decides"
    return table(caption, ("what", "value", "remark"), rows, class_="values") if rows else ""
