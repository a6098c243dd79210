"""The five verdicts, distinguished by shape, by colour and by word."""

from __future__ import annotations

from typing import Final

from soid.case.report.markup import Html, element
from soid.oracle.answer import Verdict

#: shape and sign, in a box of 20 by 20; verdicts other than yes and no are hollow
_SIGNS: Final = {
    Verdict.YES: ("M10 1a9 9 0 1 0 0 18a9 9 0 1 0 0-18z", "M5.6 10.4l3 3l5.8-6.4"),
    Verdict.NO: ("M2 2h16v16h-16z", "M6 6l8 8M14 6l-8 8"),
    Verdict.VACUOUS: ("M10 .8l9.2 9.2l-9.2 9.2l-9.2-9.2z", "M6.5 10h7"),
    Verdict.UNKNOWN: (
        "M5.5 2.2h9l4.5 7.8l-4.5 7.8h-9l-4.5-7.8z",
        "M7.4 7.6c0-3.4 5.2-3.4 5.2-.2c0 2-2.6 2.1-2.6 4.2M10 14v.6",
    ),
    Verdict.ERROR: ("M10 1.4l9 16.4h-18z", "M10 7.4v5M10 14.8v.6"),
}

#: the meaning of each, for a reader without previous knowledge
MEANINGS: Final = {
    Verdict.YES: "It is so: the fact or a scenario shows it, or it is proved for every scenario that was asked about.",
    Verdict.NO: "It is not so: the fact or a scenario shows it, or it is proved for every scenario asked about.",
    Verdict.VACUOUS: "No other scenario is as was supposed: the question is about nothing, and nothing follows.",
    Verdict.UNKNOWN: "It could not be settled within the time given, or with what is supported. Neither yes nor no.",
    Verdict.ERROR: "The question could not be put: it does not fit the program, or the log and the program disagree.",
}


def badge(verdict: Verdict) -> Html:
    shape, sign = _SIGNS[verdict]
    drawing = element(
        "svg",
        element("path", d=shape, class_="shape"),
        element("path", d=sign, class_="sign"),
        viewBox="0 0 20 20",
        width="20",
        height="20",
        aria_hidden="true",
        focusable="false",
    )
    return element("span", drawing, element("span", verdict.value), class_=f"verdict {verdict.value}")
