"""Words for people: questions, what is found and what is supposed, as sentences of labels, phrases and units.

Terminal, page, report, record and API all take their sentences from here.
"""

from soid.query.words.lists import listed, whatever
from soid.query.words.sentences import Words, sentence

__all__ = ["Words", "listed", "sentence", "whatever"]
