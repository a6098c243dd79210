"""Words for people: questions, what is found and what is supposed, as sentences of labels, phrases and units.

Terminal, page, report, record and API all take their sentences from here.
"""

from soid.query.words.lists import counted, listed, whatever
from soid.query.words.readable_numbers import RoundedText, borders_of, readable, readable_number, reader
from soid.query.words.sentences import Words, sentence
from soid.query.words.shares import percent
from soid.query.words.variable_names import called

__all__ = [
    "RoundedText",
    "Words",
    "borders_of",
    "called",
    "counted",
    "listed",
    "percent",
    "readable",
    "readable_number",
    "reader",
    "sentence",
    "whatever",
]
