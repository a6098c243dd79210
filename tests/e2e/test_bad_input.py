"""Each mistake gets its own words and its own exit status, on the terminal and as JSON."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from tests.e2e.running import Soid


def nothing(soid: Soid) -> None:
    pass


@dataclass(frozen=True)
class Mistake:
    """How to make it, and what is to be heard about it."""

    name: str
    status: int
    says: tuple[str, ...]
    spoil: Callable[[Soid], object] = nothing
    arguments: tuple[str, ...] = ("did action == CANCEL",)
    kind: str = ""


MISTAKES = (
    Mistake(
        "malformed log",
        15,
        ("log.jsonl:2",),
        lambda soid: soid.edit("log.jsonl", '{"step": 1, "error"', '{"step": 1, error'),
        kind="TraceError",
    ),
    Mistake(
        "ill-typed value in the log",
        15,
        ("log.jsonl:1", "action", "STOP", "START, CANCEL, OPEN, CLOSE, NOTHING"),
        lambda soid: soid.edit("log.jsonl", '"START"', '"STOP"'),
        kind="TraceError",
    ),
    Mistake(
        "empty trace", 16, ("log.jsonl", "no step"), lambda soid: soid.write("log.jsonl", ""), kind="EmptyTraceError"
    ),
    Mistake(
        "keyframe outside the trace",
        17,
        ("step 99", "from 0 to 4", "The nearest is step 4."),
        arguments=("did action == CANCEL", "--step", "99"),
        kind="KeyframeError",
    ),
    Mistake(
        "keyframe of the manifest outside the trace",
        17,
        ("step 33",),
        lambda soid: soid.edit("soid.toml", "keyframe = 3", "keyframe = 33"),
        kind="KeyframeError",
    ),
    Mistake(
        "unknown variable",
        19,
        ("there is no variable eror", "would action == CANCEL if eror == true", "^^^^", "Did you mean error?"),
        arguments=("would action == CANCEL if eror == true",),
        kind="UnknownVariableError",
    ),
    Mistake(
        "wrong sort in a behavior",
        20,
        ("did action == 1.5", "^"),
        arguments=("did action == 1.5",),
        kind="SortMismatchError",
    ),
    Mistake("no question", 18, ("did, would", "might"), arguments=("is action CANCEL",), kind="QueryError"),
    Mistake(
        "unreadable SMT-LIB",
        13,
        ("2-cancel-on-error.smt2",),
        lambda soid: soid.edit("paths/2-cancel-on-error.smt2", "(assert error)", "(assert error"),
        kind="SmtLibError",
    ),
    Mistake(
        "SMT-LIB that is no text",
        13,
        ("2-cancel-on-error.smt2", "byte 8 is not UTF-8"),
        lambda soid: (soid.project / "paths/2-cancel-on-error.smt2").write_bytes(b"(assert \xff"),
        kind="SmtLibError",
    ),
    Mistake(
        "SMT-LIB outside the fragment",
        13,
        ("2-cancel-on-error.smt2", "Real"),
        lambda soid: soid.edit(
            "paths/2-cancel-on-error.smt2", "(declare-const heat Bool)", "(declare-const heat Real)"
        ),
        kind="SmtLibError",
    ),
    Mistake(
        "a path that does not say what is decided",
        12,
        ("2-cancel-on-error", "action"),
        lambda soid: soid.edit("paths/2-cancel-on-error.smt2", "(assert (= action #x01))", ""),
        kind="ProgramError",
    ),
    Mistake(
        "paths that contradict each other",
        14,
        ("1-close-while-heating", "2-cancel-on-error", "closed = false"),
        lambda soid: soid.edit("paths/2-cancel-on-error.smt2", "(assert (not (and (not closed) heat)))", ""),
        kind="OverlapError",
    ),
    Mistake(
        "a manifest that names paths that are not there",
        11,
        ("soid.toml:6", "no file matches nowhere/*.smt2"),
        lambda soid: soid.edit("soid.toml", "paths/*.smt2", "nowhere/*.smt2"),
        kind="ManifestError",
    ),
    Mistake(
        "a manifest that names a log that is not there",
        11,
        ("soid.toml", "there is no log lost.jsonl"),
        lambda soid: soid.edit("soid.toml", '"log.jsonl"', '"lost.jsonl"'),
        kind="ManifestError",
    ),
    Mistake(
        "a manifest that is no TOML",
        11,
        ("soid.toml",),
        lambda soid: soid.edit("soid.toml", "[program]", "[program"),
        kind="ManifestError",
    ),
    Mistake(
        "no project",
        11,
        ("nowhere", "Name a soid.toml, or the folder it is in."),
        arguments=("did action == CANCEL", "--project", "nowhere"),
        kind="ManifestError",
    ),
    Mistake(
        "a log that is not there",
        15,
        ("lost.jsonl",),
        arguments=("did action == CANCEL", "--trace", "lost.jsonl"),
        kind="TraceError",
    ),
    Mistake(
        "a solver that is not there",
        22,
        ("mathsat", "bitwuzla"),
        arguments=("did action == CANCEL", "--solver", "mathsat"),
        kind="SolverMissingError",
    ),
    Mistake("wrong use", 64, ("--sekonds", "soid ask --help"), arguments=("--sekonds", "3"), kind="UsageError"),
    Mistake("a number that is none", 64, ("--seconds", "number"), arguments=("--seconds", "soon"), kind="UsageError"),
)


#: the kinds that must never be taken for one another
KINDS = {
    "malformed log",
    "unknown variable",
    "wrong sort in a behavior",
    "empty trace",
    "keyframe outside the trace",
    "unreadable SMT-LIB",
    "a manifest that names paths that are not there",
}
CHOSEN = [mistake for mistake in MISTAKES if mistake.name in KINDS]


def check_words(mistake: Mistake, out: str, err: str) -> None:
    assert out == ""
    assert err.startswith("error: ")
    for words in mistake.says:
        assert words in err
    assert len(err.strip().splitlines()) >= 2, "a cause and a remedy"


def test_each_kind_has_a_status_of_its_own():
    assert len({mistake.status for mistake in CHOSEN}) == len(KINDS) == len(CHOSEN)


@pytest.mark.parametrize("mistake", CHOSEN[:2], ids=[mistake.name for mistake in CHOSEN[:2]])
def test_the_installed_command_says_what_is_wrong(microwave, mistake):
    mistake.spoil(microwave)
    ran = microwave.installed("ask", *mistake.arguments)
    assert ran.status == mistake.status
    check_words(mistake, ran.out, ran.err)


@pytest.mark.parametrize("mistake", MISTAKES, ids=[mistake.name for mistake in MISTAKES])
def test_a_mistake_is_said_in_words_and_as_json(microwave, mistake):
    mistake.spoil(microwave)
    ran = microwave("ask", *mistake.arguments)
    assert ran.status == mistake.status
    check_words(mistake, ran.out, ran.err)

    ran = microwave("ask", *mistake.arguments, "--json")
    assert ran.status == mistake.status
    assert ran.err == ""
    said = ran.json
    assert set(said) == {"verdict", "reason", "error"}
    assert said["verdict"] == "error"
    assert said["error"]["type"] == mistake.kind
    assert said["error"]["cause"] == said["reason"]
    assert said["error"]["remedy"]


def test_a_bad_question_among_good_ones_is_found_before_any_is_asked(microwave):
    ran = microwave("ask", "did action == CLOSE", "did acton == CLOSE")
    assert (ran.status, ran.out) == (19, "")


def test_a_manifest_without_questions_says_how_to_ask(microwave):
    text = (microwave.project / "soid.toml").read_text()
    microwave.write("soid.toml", text[: text.index("[questions]")])
    ran = microwave("ask")
    assert ran.status == 18
    assert "there is no question" in ran.err
