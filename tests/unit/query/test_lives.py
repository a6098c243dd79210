"""Questions about pairs: two lives of a program that differ in what is named, and in nothing else."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from soid.case.facts import fact_of
from soid.case.project import Project
from soid.cli import main
from soid.errors import QueryError
from soid.program.interface import Interface, Role, Variable
from soid.program.types import BoolType
from soid.query.language.query_parser import parse
from soid.query.language.query_printer import to_text
from soid.query.language.script.script_parser import parse_script
from soid.query.language.script.script_printer import script_text
from soid.query.words import Words, sentence
from soid.scenario.expression_text import expression_text
from soid.scenario.supposition import supposition_text

LENDING = """
enum sex { FEMALE, MALE };
struct person { enum sex sex; int age; double income; double debt; int postcode; };
int decide(const struct person *p) {
    double score = p->income - 2.0 * p->debt;
    if (p->age < 25) score -= 1000.0;
    if (p->postcode / 1000 == 12) score -= 500.0;
    if (p->sex == FEMALE && p->debt > 4000.0 && p->income < 30000.0) score -= 1.0;
    return score > 20000.0 ? 1 : 0;
}
"""
MANIFEST = """
[program]
engine = "c"
sources = ["lending.c"]
entry = "decide"
[trace]
file = "log.jsonl"
[variables]
"p->age" = { domain = [18, 90] }
"p->income" = { domain = [0.0, 200000.0], unit = "EUR" }
"p->debt" = { domain = [0.0, 200000.0], unit = "EUR" }
"p->postcode" = { domain = [1000, 99999] }
"""
LOG = '{"p": {"sex": "FEMALE", "age": 40, "income": 25000.0, "debt": 1000.0, "postcode": 11000}, "return": 1}\n'


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    folder: Path = tmp_path_factory.mktemp("lending")
    for name, text in (("lending.c", LENDING), ("soid.toml", MANIFEST), ("log.jsonl", LOG)):
        (folder / name).write_text(text)
    return Project.open(folder)


@pytest.mark.parametrize(
    ("asked", "normal"),
    [
        (
            "would risk be the same if patient.sex differs, for every patient with 18 <= age <= 90",
            "would risk be the same if patient.sex differs, for every patient with 18 <= age <= 90",
        ),
        (
            "might limit drop if income rises, all else equal, for any applicant",
            "might limit fall if income rises, for any applicant",
        ),
        (
            "would limit not drop if income rises and debt falls",
            "would limit not fall if income rises and debt falls, for every case",
        ),
        (
            "would score differ by at most 0.05 if x differs by at most 1 %, for each car with z > 1 and keep w",
            "would score differ by at most 0.05 if x differs by at most 1 %, for every car with z > 1 and keep w",
        ),
        ("would count' stay the same if x differs", "would count' be the same if x differs, for every case"),
    ],
)  # fmt: skip
def test_a_question_about_pairs_is_read_and_printed(asked: str, normal: str) -> None:
    assert to_text(parse(asked)) == normal
    assert parse(normal) == parse(to_text(parse(asked)))


SCRIPT = """let earned = p.income
let aged = p.age

when would return not fall if earned rises, for every applicant:
    when might return fall if earned rises and p.debt rises, for any applicant with aged > 30:
        conclude "debts"
"""


def test_a_script_has_questions_about_pairs_by_its_own_names(
    project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    """Printing one forgot what it asks, and wrote `would true`."""
    assert script_text(parse_script(SCRIPT)) == SCRIPT
    short = script_text(parse_script(SCRIPT.replace(", for every applicant:", ":  # all")))
    assert short.splitlines()[3] == "when would return not fall if earned rises, for every case:  # all"
    quick = SCRIPT.replace("every applicant:", "every applicant with p.debt == 0.0:")
    quick = quick.replace("aged > 30:", "aged > 30 and p.postcode == 11000 and p.income <= 100000.0 and p.sex == MALE:")
    file = project.program.folder / "pairs.soid"
    file.write_text(quick)
    assert main(["run", str(file), "--quiet"]) == 0
    assert capsys.readouterr().out.strip() == "debts"


@pytest.mark.parametrize(
    "text", ["would rise == 1", "might drop", "would fall and drop if rise is anything", "did differ"]
)
def test_variables_may_be_called_like_these_words(text: str) -> None:
    assert to_text(parse(text)) == text
    assert parse(text).lives is None


def test_somebody_is_decided_otherwise_by_sex_alone(project: Project) -> None:
    found = project.ask("would return be the same if p.sex differs, for every applicant")
    assert found.verdict.value == "no" and found.witness is not None
    inputs, outputs = found.witness.inputs, found.witness.outputs
    assert {inputs["p.sex"], inputs["other.p.sex"]} == {0, 1}
    assert {outputs["return"], outputs["other.return"]} == {0, 1}
    assert "running the compiled program" in found.witness.replayed


def test_nobody_is_where_debts_are_small(project: Project) -> None:
    found = project.ask("would return be the same if p.sex differs, for every applicant with p.debt <= 4000.0")
    assert found.verdict.value == "yes"


def test_a_condition_holds_of_both_lives(project: Project) -> None:
    """If it held of the first alone, the second might have any age."""
    asked = "would return be the same if p.age differs, for every applicant with p.age >= 25"
    assert project.ask(asked).verdict.value == "yes"
    assert project.ask("would return be the same if p.age differs, for every applicant").verdict.value == "no"


def test_more_income_never_hurts(project: Project) -> None:
    """Two rounded sums rise with their terms: no solver finds that bit by bit in this time."""
    found = project.ask("would return not fall if p.income rises, for every applicant")
    assert found.verdict.value == "yes" and found.settled_by.get("monotone")
    assert project.ask("might return fall if p.income rises and p.debt rises, for any applicant").verdict.value == "yes"


def test_nearness(project: Project) -> None:
    near = "would return be the same if p.income differs by at most 1 %, for every applicant with"
    assert project.ask(f"{near} p.income >= 30000.0 and p.debt <= 2000.0").verdict.value == "yes"
    assert project.ask(f"{near} p.income >= 20000.0").verdict.value == "no"


def test_what_is_kept_is_as_in_fact(project: Project) -> None:
    kept = "keep p.income and keep p.debt and keep p.postcode"
    assert (
        project.ask(f"would return be the same if p.sex differs, for every applicant with {kept}").verdict.value
        == "yes"
    )


@pytest.mark.parametrize(
    ("asked", "cause"),
    [
        ("would return be the same if return differs", "is no input"),
        ("would p.age rise if p.sex differs", "is an input"),
        ("would return be the same if p.sex rises", "have no order"),
        ("would return fall if p.income rises by 3", "expected how it differs"),
        ("would return be the same if p.sex differs and p.sex differs", "said twice to differ so"),
        ("would return be the same if p.sex differs, for every one with p.age is anything", "everything is free"),
        ("did return differ if p.sex differs", "is a `would` or a `might`"),
        ("would return be the same if p.sex differs, for every applicant p.age > 3", "follows `with`"),
    ],
)
def test_what_makes_no_sense_is_refused(project: Project, asked: str, cause: str) -> None:
    with pytest.raises(QueryError, match=cause):
        project.ask(asked)


def test_a_change_has_a_direction_and_a_bound(project: Project) -> None:
    asked = "might return fall if p.income rises and p.income differs by at most 2.5"
    pair = project.ask(f"{asked}, for every applicant with 1000 <= p.income <= 2000")
    assert "p.income rises and p.income differs by at most 2.5" in pair.text
    never = project.ask("might return fall if p.income rises and p.income falls")
    assert never.verdict.value == "vacuous"


def test_a_truth_rises_from_false_to_true() -> None:
    variables = (Variable("approve", Role.DECISION, BoolType()), Variable("icy", Role.ENVIRONMENT, BoolType()))
    interface = Interface(variables)
    asked = parse("would approve not fall if icy rises, for every case")
    assert sentence(asked, interface) == (
        "If only icy goes from false to true, does it always hold that approve does not go from true to false, "
        "for every case?"
    )
    meant = asked.checked(interface).query
    assert expression_text(meant.behavior.expression) == "not (not other.approve and approve)"
    assert "not icy and other.icy" in [supposition_text(each) for each in meant.suppositions]


def test_the_words(project: Project) -> None:
    query = parse("would return not fall if p.income rises, for every applicant with p.age >= 20")
    assert sentence(query, project.program.interface) == (
        "If only income rises, does it always hold that what it returns does not fall, for every applicant with age "
        "being at least 20?"
    )
    words = Words(project.program.interface)
    asked = parse("would return be the same if p.income differs and p.age differs")
    assert asked.lives is not None
    told = words.of_pairs(asked.lives, occurs=True), words.of_pairs(asked.lives, occurs=False)
    assert told == (
        "For every case it is so that, if only income and age differ, what it returns is the same",
        "For no case is it so that, if only income and age differ, what it returns is the same",
    )


def test_a_pair_is_told_with_whose_values_are_which(project: Project) -> None:
    answer = project.ask("might return rise if p.income rises, for every case")
    fact = fact_of(answer, project.keyframe)
    assert fact is not None
    assert re.fullmatch(
        r"There are two that differ in nothing but income, \S+ EUR for the one and \S+ EUR for the other: "
        r"what it returns is \S+ for the one and \S+ for the other\.",
        fact["statement"],
    )


def test_a_name_of_the_second_life_that_is_taken(tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text(
        "struct car { int x; }; int decide(const struct car *other, int y) { return other->x < y; }\n"
    )
    (tmp_path / "soid.toml").write_text(
        '[program]\nengine = "c"\nsources = ["a.c"]\nentry = "decide"\n[trace]\nfile = "log.jsonl"\n'
    )
    (tmp_path / "log.jsonl").write_text('{"other": {"x": 1}, "y": 2, "return": 1}\n')
    found = Project.open(tmp_path).ask("would return not rise if other.x rises")
    assert found.verdict.value == "yes" and found.witness is not None
    assert "another.other.x" in found.witness.inputs


REMEMBERING = """
struct memory { signed char n; };
int decide(signed char x, struct memory *m) {
    int more = m->n > x;
    m->n = (signed char)(m->n < 5 ? m->n + 1 : 0);
    return more;
}
"""


def remembered(x: int, n: int) -> tuple[int, int]:
    return int(n > x), n + 1 if n < 5 else 0


def test_lives_may_differ_in_what_the_program_remembers(tmp_path: Path) -> None:
    """Each life has a memory of its own, before the call and after it: compared with trying every pair."""
    (tmp_path / "s.c").write_text(REMEMBERING)
    (tmp_path / "log.jsonl").write_text('{"x": 1, "m": {"n": 2}, "return": 1}\n')
    (tmp_path / "soid.toml").write_text(
        MANIFEST.partition("[variables]")[0].replace("lending.c", "s.c")
        + '[variables]\nx = { domain = [0, 6] }\n"m.n" = { domain = [0, 6] }\n'
    )
    project, all_of = Project.open(tmp_path), range(7)
    pairs = [(remembered(x, n), remembered(x, m)) for x in all_of for n in all_of for m in all_of if m > n]
    expected = {
        "would return not fall if m.n rises": all(two[0] >= one[0] for one, two in pairs),
        "would m.n' not fall if m.n rises": all(two[1] >= one[1] for one, two in pairs),
        "might m.n' be the same if m.n rises": any(two[1] == one[1] for one, two in pairs),
    }
    assert {asked: project.ask(asked).verdict.value == "yes" for asked in expected} == expected


def test_what_is_kept_is_told_in_words(project: Project) -> None:
    query = parse("would return be the same if p.sex differs, for every applicant with p.age >= 20 and keep p.debt")
    told = sentence(query, project.program.interface)
    assert told.endswith("for every applicant with age being at least 20 and debt being as in fact?")
