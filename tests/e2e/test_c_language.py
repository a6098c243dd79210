"""A program in C, asked with its own texts, enumerators, bits and quotients; a case of it, bundled and verified."""

from __future__ import annotations

from pathlib import Path

import pytest

from soid.case.case import Case
from soid.case.project import Project
from soid.errors import QueryError
from soid.evidence.bundle import bundle
from soid.evidence.verification_report import Standing
from soid.evidence.verify import verify

PROGRAM = """
#include <string.h>
enum offence { OFF_NONE, OFF_THEFT = 3, OFF_VIOLENT = 7 };
enum { LIMIT_LOW = 10, LIMIT_HIGH = 20 };
enum mode { MODE_IDLE, MODE_RUN, MODE_HALT };
enum left { LEFT_SAME = 1 };
enum right { RIGHT_SAME = 2 };
typedef struct { char degree[16]; int offence; char grade; unsigned char flags; float score; int count; } candidate;
static struct { enum mode mode; char tag[4]; } p;

int decide(const candidate *c) {
    enum left left = LEFT_SAME;
    if (p.mode == MODE_HALT) return left;
    p.tag[0] = p.tag[0] == 'x' ? 'y' : 'x';
    p.tag[1] = 0;
    if (c->offence == OFF_VIOLENT) { p.mode = MODE_HALT; return 0; }
    if (c->count > LIMIT_HIGH && (c->flags & 4)) return 0;
    if (strcmp(c->degree, "PhD") == 0) { p.mode = MODE_RUN; return 2; }
    if (c->grade == 'A' && c->score > 1.5f) return 1;
    return 0;
}
"""
MANIFEST = """
[program]
engine = "llvm"
sources = ["decide.c"]
entry = "decide"

[trace]
file = "log.jsonl"
"""
LOG = """\
{"c": {"degree": "PhD", "offence": 7, "grade": 65, "flags": 5, "score": 1.25, "count": -3}, \
"p": {"mode": "MODE_IDLE", "tag[0]": 120}, "p'": {"mode": "MODE_HALT"}}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place: Path = tmp_path_factory.mktemp("decide")
    (place / "decide.c").write_text(PROGRAM)
    (place / "soid.toml").write_text(MANIFEST)
    (place / "log.jsonl").write_text(LOG)
    return place


@pytest.fixture(scope="module")
def project(folder: Path) -> Project:
    return Project.open(folder)


QUESTIONS = [
    ('did c.degree == "PhD"', "yes"),
    ('did c.degree != "PhD"', "no"),
    ('did p.tag\' == "y"', "yes"),
    ("did p.mode == MODE_HALT", "no"),
    ("did p.mode' == MODE_HALT", "yes"),
    ("did c.offence == OFF_VIOLENT and c.grade == 'A'", "yes"),
    ('would return == 2 if c.degree in {"PhD", "MSc"} and c.offence == OFF_NONE', "no"),
    ('would return == 2 if c.degree == "PhD" and c.offence in {OFF_NONE, OFF_THEFT}', "yes"),
    ('might return == 2 if c.degree == "Phd" and c.offence == OFF_NONE', "no"),
    ("would return == 0 if c.flags & 4 == 4 and c.count > LIMIT_HIGH and c.offence is anything", "yes"),
    ("would 3 + 2.34 * c.count >= -1.87 if c.count in {-2..100}", "yes"),
    ("would 10 // c.offence < 11 if c.offence is anything", "no"),
    ("might not (10 // c.offence < 11) if c.offence in {0..3}", "no"),
    ("would 10 // c.offence < 11 if 10 // c.offence < 100", "yes"),
    ('might smtlib("(bvult |c.flags| #x02)") if c.flags & 1 == 1', "yes"),
    ('might return == 1 if c.count / 3 > 2.5 and c.score * c.count > 4 and c.offence == 0 and c.degree == "BA"', "yes"),
]


@pytest.mark.parametrize(("question", "verdict"), QUESTIONS)
def test_questions(project: Project, question: str, verdict: str) -> None:
    assert project.ask(question).verdict.value == verdict


def test_an_answer_says_how_the_question_was_read(project: Project) -> None:
    answer = project.ask("did p.mode == MODE_HALT")
    assert answer.remarks == ("p.mode is the state before the call; the state after it is written p.mode'",)
    assert project.ask("did p.mode' == MODE_HALT").remarks == ()


def test_what_has_no_value_is_neither_true_nor_false(project: Project) -> None:
    answer = project.ask("would 10 // c.offence < 11 if c.offence is anything")
    assert answer.reason_code.value == "no_value" and "division by zero" in answer.reason
    assert answer.witness is not None and answer.witness.inputs["c.offence"] == 0


def test_a_change_of_a_text_is_told_as_one(project: Project) -> None:
    answer = project.ask('would return == 2 if c.degree in {"PhD", "MSc"} and c.offence == OFF_NONE')
    assert answer.witness is not None
    assert [str(each) for each in answer.told(answer.witness)] == ['c.degree: "PhD" -> "MSc"', "c.offence: 7 -> 0"]


def test_an_enumerator_of_another_enumeration_is_no_label(project: Project) -> None:
    with pytest.raises(QueryError, match="OFF_THEFT is a label of enum offence, not of enum mode"):
        project.ask("did p.mode == OFF_THEFT")
    with pytest.raises(QueryError, match="compare a variable with it"):
        project.ask("did OFF_THEFT > 3")
    with pytest.raises(QueryError, match=r"Write p\.tag' for the text after the call"):
        project.ask('did p.tag == "y"')
    with pytest.raises(QueryError, match="Did you mean OFF_VIOLENT"):
        project.ask("did c.offence == OFF_VIOLANT")


def test_a_case_of_it_is_verified(folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "decide.case"
    with Case.create(file, folder, who="ada") as case:
        for question, _ in QUESTIONS:
            case.ask(question)
    packed = tmp_path / "decide.zip"
    packed.write_bytes(bundle(file).data)
    report = verify(packed)
    assert [fact.standing for fact in report.facts] == [Standing.REPROVED] * len(QUESTIONS)
