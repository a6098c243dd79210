"""The ledger of assumptions: everything that an answer may take for granted.

An answer lists what its verdict used under *relies on*, each with the id under which docs/assumptions.md explains it.
All sentences come from the table here. No code parses a sentence.

>>> print(Ledger.NOT_NULL.of("p"))
no pointer that the program was given is null: p
>>> Ledger.NOT_NULL.of("p").id
'not-null'
"""

from __future__ import annotations

from enum import Enum
from typing import Any, Final, Self, final

from msgspec import Struct


@final
class Assumption(Struct, frozen=True):
    """Something that an answer takes for granted; it is its own document."""

    id: str  # of the ledger
    text: str  # the ledger's sentence, with the data of one answer

    def __str__(self) -> str:
        return self.text

    @property
    def comes_first(self) -> bool:
        """Whether a reader who looks at few must see it: the answer may be otherwise where it does not hold."""
        return self.id in ("accepted", "unchecked", "unreactive", "guessed-threshold", "by-hand")

    @property
    def is_standing(self) -> bool:
        """Whether all answers about programs of a kind rely on it, whatever they are."""
        return self.id in ("compiled", "choices", "unseen", "log", "tools", "model-file", "model-row", "model-bits")


@final
class Ledger(Enum):
    """Each assumption's id and its sentence, with placeholders for the data of one answer."""

    sentence: str

    # the log
    UNLOGGED = "unlogged", "not logged, and taken to be as the program starts, which never writes it: {}"
    DERIVED = "derived", "not logged, and computed by running the program over its log since {}: {}"
    FROM_START = "from-start", "the log begins with the first call of the program, as its manifest says"
    ASSUMED = "assumed", "not known, so that every value of its domain counts: {}"
    ACCEPTED = "accepted", "log mismatch, accepted on the record: {}"
    UNCHECKED = "unchecked", "the log was not checked against the program{}"
    ROUNDED = (
        "rounded",
        "the logged value stands for the fact where it is rounded ({}); what rounds to the same is no scenario",
    )
    ROUNDED_ALIKE = "rounded-alike", "on the logged values {}; a state that rounds to them gives what is logged"
    MAPPED = "mapped", "the columns of the log are what the manifest says: {}"
    JOINED = "joined", "at each step the program was given what was logged last in {}"
    EVERY_CALL = "every-call", "each row of the log is one call of the program, and none is missing{}"
    BY_HAND = "by-hand", "the run that was logged was changed by hand, and what came of that is the fact: {}"
    UNREAD = "unread", "the log is large: only the parts with the steps that were asked about were read and checked"
    OUTSIDE_DOMAIN = (
        "outside-domain",
        "logged outside of its domain, and the fact all the same: {}; where it is free, it has the domain's values",
    )
    # the question
    STEADY = "steady", "what the program perceives stays the same for {} steps, its state fed back"
    UNREACTIVE = (
        "unreactive",
        "all that is not supposed to differ goes on as it was recorded: it does not react to what the program does",
    )
    WORLD = "world", "the world is a model: what it makes of the decisions, in {}, is taken for what comes of them"
    ACTED = (
        "acted",
        "something else is done than what was decided, and the program does not know: what it remembers is its own: {}",
    )
    WORLD_FITS = (
        "world-fits",
        "the world is as near to what happens as to the log: one step on from each of {} steps {}; {}",
    )
    WORLD_UNCHECKED = (
        "world-unchecked",
        "how well the world reproduces the log was not looked at: see `soid world check`, and bound it by `tolerance`",
    )
    BESIDE_WORLD_LOGGED = "beside-world-logged", "what the world does not give goes on as it was recorded: {}"
    BESIDE_WORLD_HELD = "beside-world-held", "what the world does not give stays as at the moment: {}"
    LASTING = "lasting", "what is supposed of several steps has the same value in all of them: {}"
    DOMAIN = "domain", "what varies has only the values of its domain: {}"
    WINDOW = "window", "for each decision it has a window of {} rounds of loops and calls"
    NOT_RUN = "not-run", "{} was not run on {}: {}"
    # memory that the program is given
    NOT_NULL = "not-null", "no pointer that the program was given is null: {}"
    ONE_ELEMENT = "one-element", "one element lies behind a pointer for which the manifest gives no length: {}"
    LENGTH = "length", "as many elements lie behind a pointer as the manifest says: {}"
    SEPARATE = "separate", "these share no memory, whatever the caller passes: {}"
    KEPT_POINTERS = "kept-pointers", "pointers in globals are as the program starts them: {}"
    FUNCTION_POINTERS = (
        "function-pointers",
        "function pointers point to functions of the program other than its entry, or to none: {}",
    )
    REGISTERS = "registers", "registers do not change by themselves while the program decides: {}"
    REGISTERS_KEPT = "registers-kept", "registers that the program writes give back what it wrote: {}"
    # the machine
    HEAP = "heap", "malloc, calloc and realloc always find memory"
    ADDRESSES = "addresses", "no variable lies in the first {} bytes of the address space, or in the last {}"
    ALONE = "alone", "nothing else changes what the program reads while it decides: no device, no interrupt, no thread"
    FLOAT_MODE = "float-mode", "the processor rounds floats to the nearest and keeps the smallest, as a program starts"
    ROUNDED_TWICE = "rounded-twice", "a * b + c is rounded after each of its two operations, not once"
    STACK = "stack", "the stack had room for {} bytes of local variables"
    NOT_SPURIOUS = (
        "not-spurious",
        "a weak compare-and-exchange fails only where it finds another value",
    )
    # functions that the program does not define
    LIBRARY_RESULTS = "library-results", "{}: results as this machine's {} returns them"
    LIBRARY_ERROR = (
        "library-error",
        "{}: results are within {} units in the last place of the true ones, and have their sign",
    )
    DIFFERENCE = "difference", "{} gives the difference of the first bytes that differ; C promises its sign and no more"
    LOGGED_CALLS = "logged-calls", "{} of {} gives the logged {}, and changes nothing {}"
    IGNORED_CALLS = "ignored-calls", "what {} does changes nothing that the program reads later"
    FIRST_CALL = "first-call", "the static variable at {} is initialised in this call: none before has done so"
    OWN_LIBRARY = "own-library", "the C library does what soid's own C code for it does, in the locale C: {}"
    STUBS = "stubs", "functions do what their stubs in {} do: {}"
    SETUP = "setup", "{}() ran once before, and what it left in memory was not changed until the call"
    EXTERN = "extern", "what no source defines has the type that the program declares for it: {}"
    # the program as it was compiled
    COMPILED = "compiled", "the program that decided was compiled by {}"
    CHOICES = (
        "choices",
        "where C leaves the compiler a choice, such as which operand comes first, that compiler chose as this one does",
    )
    OPEN_ORDER = "open-order", "of several orders that C allows, this compiler's is the right one, at {}"
    RESTRICT = "restrict", "what the restrict pointers of {} reach does not overlap"
    NULL_BLOCK = "null-block", "memcpy and the like do nothing where they get a null pointer and no bytes"
    OUTSIDE = "outside", "addresses outside of their arrays, which C does not define, are numbers like all others"
    OPEN_LOCALS = "open-locals", "no local variable that changed between setjmp and longjmp is read after the jump"
    UNSEEN = "unseen", "the program does nothing undefined of the few kinds that leave no trace in compiled code"
    PROMISES = (
        "promises",
        "what the compiler was told of addresses holds: how they are aligned, which differ, how much lies behind them",
    )
    REMOVED = "removed", "the optimiser has done away with {}"
    HIDDEN = "hidden", "variables without debug info start as the program says: {}"
    GIVEN_PATHS = (
        "given-paths",
        "the paths were made by another tool: soid has not seen the program that they stand for",
    )
    # a learned model
    MODEL_FILE = "model-file", "the model that decided is the one in the file, and ran in {}"
    MODEL_ROW = (
        "model-row",
        (
            "the library was given each feature as the log has it, as a float64 or by its label; NaN alone is missing, "
            "and it predicts without further settings (missing=0, base_margin, iteration_range)"
        ),
    )
    STATED_TYPE = "stated-type", "what the application gives has the type that the manifest says: {}"
    MODEL_BITS = "model-bits", "{} computes with the roundings, and in the order, that soid has been compared with"
    MODEL_READ = "model-read", "of the model's file: {}"
    ANY_ORDER = (
        "any-order",
        "{} adds in an order that is not fixed: what is proved holds for every order, fused or not: {}",
    )
    NETWORK_FLOATS = (
        "network-floats",
        (
            "{} rounds each sum and product of the network to the nearest float{}: what is proved holds for any order "
            "of sums, fused with products or not, and whether the smallest numbers become 0 or not as they are computed"
            "; where two are compared or one is converted, the smallest are taken for what they are"
        ),
    )
    NETWORK_FUNCTIONS = (
        "network-functions",
        "results of {} are off by no more than this, which is at least twice what was measured of {}: {}",
    )
    LINK_ERROR = "link-error", "{}: results are within {} units in the last place of those of this machine's functions"
    THRESHOLD = "threshold", "the application decides by comparing the model's number exactly: {}"
    PREPARED = (
        "prepared",
        "the application makes what it gives to the network so, and rounds after each operation: {}",
    )
    GUESSED_THRESHOLD = (
        "guessed-threshold",
        "the threshold is GUESSED from the log: {}. The bound may be any between {}, and what hangs on it is unknown",
    )
    # every answer
    LOG = "log", "the log tells what the program was given"
    TOOLS = (
        "tools",
        "what compiles or runs the program, the solvers and soid make no mistake that their checks on each other miss",
    )

    def __new__(cls, id: str, sentence: str) -> Self:
        made = object.__new__(cls)
        made._value_ = id
        made.sentence = sentence
        return made

    def of(self, *about: object) -> Assumption:
        return Assumption(self.value, self.sentence.format(*about))


#: what every answer relies on
STANDING: Final = (Ledger.LOG.of(), Ledger.TOOLS.of())
_UNNAMED: Final = "unnamed"  # of answers that were stored before assumptions had ids


def stored(kept: Any) -> Assumption:
    """An assumption of a stored answer; earlier versions stored its sentence alone."""
    return Assumption(_UNNAMED, kept) if isinstance(kept, str) else Assumption(kept["id"], kept["text"])
