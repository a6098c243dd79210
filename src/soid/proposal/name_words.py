"""The words that a name is made of, and the unit that it ends with: recorders and programs spell the same differently.

>>> named_words("sensors.fluidTemp_c")
NamedWords(words=('fluid', 'temp'), around=('sensors',), unit='degC')
>>> named_words("v [km/h]"), named_words("Alt(ft)").unit
(NamedWords(words=('v',), around=(), unit='km/h'), 'ft')
>>> likeness("temp", "temperature"), likeness("v", "speed"), likeness("hgt", "height"), likeness("hot", "shot")
(0.8, 0.9, 0.6, 0.0)
"""

from __future__ import annotations

import difflib
import re
from functools import lru_cache
from typing import Final, final

from msgspec import Struct

from soid.program.identifier import words_of
from soid.program.units import unit

_BRACKETED: Final = re.compile(r"\s*[\[(<{]\s*([^\])>}]*?)\s*[\])>}]\s*$")
_PLACES: Final = re.compile(r"->|::|[./]")  # what stands between the parts of a path

#: what names end with, and the unit that it means
_SUFFIXES: Final = {
    "ft": "ft", "feet": "ft", "m": "m", "mm": "mm", "cm": "cm", "km": "km", "mi": "mi", "nmi": "nmi", "inch": "in",
    "s": "s", "sec": "s", "secs": "s", "seconds": "s", "ms": "ms", "msec": "ms", "us": "us", "usec": "us", "ns": "ns",
    "nsec": "ns", "minutes": "min", "hours": "h", "kmh": "km/h", "kph": "km/h", "mps": "m/s", "mph": "mph", "kn": "kn",
    "kt": "kn", "kts": "kn", "knots": "kn", "fps": "ft/s", "fpm": "ft/min", "mps2": "m/s2", "deg": "deg",
    "degrees": "deg", "rad": "rad", "radians": "rad", "mrad": "mrad", "dps": "deg/s", "rpm": "rpm", "kg": "kg",
    "g": "g", "mg": "mg", "lb": "lb", "lbs": "lb", "pa": "Pa", "hpa": "hPa", "kpa": "kPa", "mbar": "mbar", "bar": "bar",
    "psi": "psi", "mmhg": "mmHg", "v": "V", "volt": "V", "volts": "V", "mv": "mV", "a": "A", "amps": "A", "ma": "mA",
    "pct": "percent", "percent": "percent", "perc": "percent", "c": "degC", "celsius": "degC", "degc": "degC",
    "f": "degF", "degf": "degF", "fahrenheit": "degF", "k": "K", "kelvin": "K", "n": "N", "newton": "N",
}  # fmt: skip
#: what names end with that is a unit too, of a kind that is not converted
_OTHERS: Final = frozenset(
    ("ul", "ml", "l", "hz", "khz", "w", "kw", "wh", "mah", "ah", "ppm", "lux", "db", "dbm", "bpm")
)

_PREDICTED: Final = ("value", "probability", "decision", "score")  # of a learned model
#: short forms of which no letter or not enough are the beginning of the word
_SHORT: Final = {
    "v": ("speed", "velocity"), "vel": ("speed", "velocity"), "velocity": ("speed",), "spd": ("speed", "velocity"),
    "acc": ("acceleration",), "hdg": ("heading",), "cmd": ("command",), "sw": ("switch",), "bat": ("battery",),
    "vbat": ("battery",), "thr": ("throttle",), "brk": ("brake",), "sig": ("signal",), "ctr": ("counter",),
    "cnt": ("count", "counter"), "t": ("temperature", "time"), "p": ("pressure", "probability"),
    "h": ("height", "altitude"), "prediction": _PREDICTED, "predicted": _PREDICTED, "pred": _PREDICTED,
    "ok": ("works", "valid"), "lng": ("longitude",), "qty": ("quantity",), "no": ("number",), "nr": ("number",),
}  # fmt: skip
_LEAST: Final = 3  # letters of a beginning that stands for a word
_ALIKE: Final = 0.84  # from here on two words are spelt alike


@final
class NamedWords(Struct, frozen=True):
    """A name, taken apart."""

    words: tuple[str, ...]  # of its last part, in lower case
    around: tuple[str, ...]  # of the parts before it
    unit: str | None  # the one that it ends with

    @property
    def all(self) -> frozenset[str]:
        return frozenset((*self.words, *self.around))


def known_unit(text: str) -> str | None:
    """The unit that a text means, as manifests have it; None if there is none of that name.

    >>> known_unit("km / h"), known_unit("a"), known_unit("1")
    ('km/h', None, None)
    """
    name = "".join(text.split())
    try:
        unit(name)
    except ValueError:
        return None
    return None if name == "1" else name


def named_words(name: str) -> NamedWords:
    """The words of a column's or a variable's name."""
    bare, measured = _without_brackets(name)
    parts = [part for part in _PLACES.split(bare) if part.strip()] or [bare]
    words = words_of(parts[-1])
    if measured is None and len(words) > 1:
        *rest, last = words
        measured = _SUFFIXES.get(last)
        if measured is not None or last in _OTHERS:
            words = tuple(rest)
    return NamedWords(words, tuple(word for part in parts[:-1] for word in words_of(part)), measured)


def _without_brackets(name: str) -> tuple[str, str | None]:
    """A name without the unit in brackets that it ends with, and the unit if it is known."""
    found = _BRACKETED.search(name)
    if found is None or found[1].isdigit() or not name[: found.start()].strip():
        return name, None
    return name[: found.start()], known_unit(found[1]) or _SUFFIXES.get(found[1].lower())


@lru_cache(1 << 16)  # wide logs have the same words over and over
def likeness(ours: str, theirs: str) -> float:
    """How surely two words mean the same, from 0 to 1."""
    if ours == theirs or ours.rstrip("s") == theirs.rstrip("s") != "":
        return 1.0
    if ours.isdigit() or theirs.isdigit():
        return 0.0
    if theirs in _SHORT.get(ours, ()) or ours in _SHORT.get(theirs, ()):
        return 0.9
    short, long = sorted((ours, theirs), key=len)
    if len(short) >= _LEAST and long.startswith(short):
        return 0.8
    if len(short) >= _LEAST and short[0] == long[0] and _leaves_out(short, long):
        return 0.6
    if len(short) > _LEAST and difflib.SequenceMatcher(None, ours, theirs).ratio() >= _ALIKE:
        return 0.6
    return 0.0


def _leaves_out(short: str, long: str) -> bool:
    """Whether a word is another without some of its letters, most of them vowels."""
    left = iter(long)
    return (
        all(letter in left for letter in short)
        and len(short) >= len([sign for sign in long if sign not in "aeiouy"]) - 1
    )
