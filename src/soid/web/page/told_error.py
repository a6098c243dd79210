"""An error as a page tells it: a sentence that says what is wrong, and others that say what can be done on the page.

Remedies name commands and options where a terminal is the nearest means. Here another stands in their place:

>>> from soid.errors import QueryError
>>> told_error(QueryError("there is no entry 9", "The record lists its entries; in the terminal, `soid case show`."))
ToldError(cause='There is no entry 9.', remedy='The record lists its entries.')
>>> str(told_error(QueryError("the time was too short", "Ask about less. Give it more time: --seconds.")))
'The time was too short. Ask about less. Whoever runs this server can allow more time.'
"""

from __future__ import annotations

import re
from typing import Final, final

from msgspec import Struct

from soid.allowance import MORE_MEMORY, MORE_TIME
from soid.errors import SoidError
from soid.program.interface import LISTED
from soid.web.page.amounts import capital
from soid.web.work.job import Trouble

#: what a page says instead of a sentence that names this
_INSTEAD: Final = {
    "--seconds": MORE_TIME.page,
    "--memory": MORE_MEMORY.page,
    "--accept-log-mismatch": "Give the log of this program; or ask what happened, and accept the difference there.",
    "--key": "Ask for a signed one, or leave the fingerprint out.",
    "--over": "Suppose that something may differ.",
    "--hold": "Name what is perceived after the first step, or what is decided in a world.",
    "pip install": "Whoever runs this server can install what is missing.",
    "soid inspect": LISTED.page,
    "soid bundle": "Send one as a case's page makes it: “Evidence”.",
    "soid verify": "Larger ones are checked where soid is installed.",
    "soid serve": "Tell whoever runs this server: what it wrote there says where.",
    "soid log": "“Compare the whole log” finds out why.",
}
_NOTHING: Final = "Whoever runs this server can do more about it."

#: a command or an option: no word of a page, and nothing that a formula has
_COMMAND: Final = re.compile(r"`soid [a-z]|\bpip install|(?<![\w-])--[a-z]")
_ASIDE: Final = re.compile(r"[;,:]? (?:or |in the terminal, )(?:by |with )?`soid [^`]*`")
_SENTENCES: Final = re.compile(r"(?<=[.?!])\s+(?=[A-Z“`])")


@final
class ToldError(Struct, frozen=True):
    """What is wrong, and what to do."""

    cause: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.cause} {self.remedy}".strip()


NO_ERROR: Final = ToldError("", "")


def told_error(error: SoidError | Trouble) -> ToldError:
    return in_sentences(error.cause, error.remedy)


def in_sentences(cause: str, remedy: str) -> ToldError:
    """The same of an error that came as its two texts."""
    said = capital(cause.strip())
    if said and said[-1] not in ".?!:…" and "\n" not in said:  # several lines draw a place in a file
        said += "."
    return ToldError(said, _on_page(remedy.strip()))


def _on_page(remedy: str) -> str:
    if not _COMMAND.search(remedy):
        return remedy
    kept = [_sentence(each) for each in _SENTENCES.split(_ASIDE.sub("", remedy))]
    return " ".join(dict.fromkeys(filter(None, kept))) or _NOTHING


def _sentence(sentence: str) -> str:
    if not _COMMAND.search(sentence):
        return sentence
    return next((instead for named, instead in _INSTEAD.items() if named in sentence), "")
