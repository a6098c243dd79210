"""The help page: what the other pages do, in their own words, for a first-time user."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final
from urllib.parse import quote

from soid.case.report.phrases import MEANINGS, badge
from soid.web.page import parts, tour

#: sections with terms and their meanings
_WORDS: Final = """
# What may differ

what you name
varies within what you say of it. All that you say holds together.

everything else
stays exactly as it was. “What it rests on”, below the answer, lists what varied, and over what.

in the scene
Drag a car to a place, or along a stretch on which it might have been; turn it by the knob in front of it. With the
keyboard: Tab to a car, arrow keys move it, with Shift they draw out a stretch, Escape puts it back.

in the list
Choose how a variable may differ, and type the values; unit and limits stand beside them.

steps
Over several steps, what you suppose holds in all of them, or only at some: “at step”, “from step”, or “until” the
program decides something.

a formula
says what one variable alone cannot, such as that one car came before the other.

# What can be asked

did
Did the program do it at this moment, given what the log says that it perceived?

would
Would it always have done it, in every scenario that is as you suppose? One exception is a no.

might
Might it have done it, in at least one scenario that is as you suppose? One example is a yes.

the moment
Every question is about the step at which the slider stands. What happened in fact is never among the scenarios that
“would” and “might” are about.

the plot
under the slider has the log: numbers as curves with the least and the greatest value of every place, so that no spike
is lost, decisions as bands, and moments that have names. Click or drag in it to go to a step; drag with Shift to zoom.
With the keyboard: Tab to its cursor; arrow keys, Page Up and Page Down, Home and End move it, + and - zoom, 0 shows
everything, n and p go to the next and the previous change.

several steps
A question may be about several steps from the moment on. Then say which world they are in: as logged, held,
anything, or a closed loop where the project has a world.

a whole question
can be pasted, into a field or beside all of them: it is taken apart into the fields. Ctrl-Enter asks from anywhere on
the page; the arrows beside Ask, or Ctrl-Z and Ctrl-Shift-Z, undo and redo what was composed.

was this why?
asks of what is composed whether it was the reason: whether both happened, whether it always would where this holds,
and whether it never would otherwise. “What caused it?” looks for the smallest sets of facts without which it does not
happen.

questions to begin with
stand beside the scene when a case is opened: one click asks one. Once there are answers, the same place says what to
ask next; a question that has its answer shows it.

a script
asks one question after the other, and what it asks next hangs on the answers. Run it below the workbench and watch it
line by line; its answers and its conclusion stay on the record.

# What comes of it

the scenario
Where one settles the question it is shown, with what changed first. Below it stands how it was checked: as a rule by
running the program itself.

Ask again from here
makes that scenario what is supposed, so that the next question begins there.

Why?
says which changes mattered, between which two values it flips, or what the proof needed.

Decision map
shows what the program does along one variable or two. Regions are proved, not sampled; what is not settled is drawn so.
Where an input is not known, a region has a decision only if that is the same for every value; else it depends on it.

Compare programs
puts the same questions to each of several programs, and shows two or three side by side, with maps: point at one, and
the place is marked in all.

Where two programs part
says whether two programs decide alike, in fact and in all that “What if” leaves open, and if not, where.

Compare moments
puts the same questions at two or three moments of the log, and shows answers and maps side by side. Go to a moment and
add it.

Step by step
shows what happened and the scenario moving, side by side, if the question is about what happens in a world.

Abstraction
draws what all answers together have shown of the program, and what is not known yet.

# The record

FACTS
Each yes and each no adds one. Vacuous, unknown and error add none; “every answer” lists them, too.

Log and program
Compares the whole log with the program, step by step, and tests why they differ. The result stays on the record.

Copy link
gives the address of an entry: whoever may come in sees it there as you do. The address of the page holds the moment
and the question under way as well.

Take back
Nothing is ever deleted: what is taken back stays on the record, with the reason, and no longer counts.

report
A page for people who do not read code, to be printed or sent.

evidence
A file with which others check every fact for themselves: `soid verify`.

sealed
This number stands for all that is on the record so far. Write it down: any later change of these entries is noticed.
"""


def _sections() -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """Headings, each with its terms and their meanings."""
    for section in _WORDS.strip().removeprefix("# ").split("\n# "):
        heading, *entries = section.strip().split("\n\n")
        terms = (entry.partition("\n") for entry in entries)
        yield heading, [(term, " ".join(meaning.split())) for term, _, meaning in terms]


def help_page(case_id: str | None) -> None:
    """`case_id` is a case on whose page the tour can be taken; None: there is none."""
    parts.head("Help", "A program is put on the stand: you ask, it answers, with proof.", parts.TO_CASES, helped=False)
    with parts.box("div", "main index help"):
        with parts.card("A tour of one minute", "tour"):
            if case_id is None:
                parts.text("It leads over the page of a case: begin with an example, and it is offered there.", tag="p")
            else:
                parts.text("It leads over the page of a case, part by part. Escape ends it.", tag="p")
                parts.link("Take the tour", f"/case/{quote(case_id)}?{tour.QUERY}=1", "button go")
        with parts.card("The five answers", "verdicts"), parts.box("dl"):
            for verdict, meaning in MEANINGS.items():
                with parts.box("dt"):
                    parts.Markup(badge(verdict), tag="span")
                parts.text(meaning, tag="dd")
        for number, (heading, terms) in enumerate(_sections()):
            with parts.box("section", "card", aria_labelledby=f"help-{number}"):
                parts.text(heading, tag="h2", id=f"help-{number}")
                with parts.box("dl"):
                    for term, meaning in terms:
                        parts.text(term, tag="dt")
                        parts.text(meaning, tag="dd")
