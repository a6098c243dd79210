"""Questions about the future that was logged, from the question to the evidence: asked, recorded, recalled, proved."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from soid.assumptions import Ledger
from soid.case.case import Case
from soid.case.facts import fact_of
from soid.case.project import Project
from soid.case.stored_answer import keep, recall
from soid.documents import json_of
from soid.errors import KeyframeError, QueryError
from soid.evidence.verification_report import Standing
from soid.evidence.verify import verify
from soid.explanation.flips import Flip, NoFlip
from tests.unit.evidence.conftest import bundled

PROGRAM = """
static int bad;
static int mode;
int decide(int gps, int pilot)
{
    bad = gps ? 0 : bad + 1;
    if (bad >= 3)
        mode = 3;
    else if (mode != 3 && pilot)
        mode = pilot;
    return mode;
}
"""
#: gps is lost from step 34 to step 36
LOST = range(34, 37)

#: a question about step 30, its verdict, and what the program decides in each step of the scenario that is shown
ASKED = [
    ("did return == 3 within 8 steps", "yes", [0, 0, 0, 0, 0, 0, 3, 3]),
    ("would return == 3 within 8 steps as logged if pilot in {1, 2}", "yes", [1, 1, 1, 1, 1, 1, 3, 3]),
    ("might return == 3 within 8 steps held if pilot in {1, 2}", "no", [1] * 8),
    ("might return != 3 after 8 steps as logged if gps is anything at step 35", "yes", [0] * 8),
    ("would return == 2 after 6 steps as logged if pilot == 2 at step 32", "yes", [0, 0, 2, 2, 2, 2]),
    ("might return == 3 after 4 steps anything if pilot == 1", "yes", [1, 1, 1, 3]),
    ("would return != 3 after 2 steps anything if pilot == 1", "yes", [1, 1]),
    ("might return == 3 after 6 steps held if gps is anything from step 32", "yes", [0, 0, 0, 0, 3, 3]),
    # with gps it is what happened: what is supposed ends with the first step, and gps was there then
    ("would return == 3 after 3 steps as logged if gps is anything until bad' == 0", "yes", [0, 0, 3]),
    ("might return == 2 after 4 steps held if pilot is anything from step 32 until return == 2", "yes", [0, 0, 2, 2]),
    ("might return == 1 after 3 steps anything if pilot == 2 until return == 2", "yes", [2, 2, 1]),
]
#: the same, not put on record
ALSO_ASKED = [
    ("would return == 3 within 8 steps as logged if pilot == 1 until return == 1", "yes", [1, 1, 1, 1, 1, 1, 3, 3]),
    ("might return == 3 after 6 steps as logged if gps == 0 until return == 3", "yes", [0, 0, 3, 3, 3, 3]),
    # what is perceived in a step, in the behavior
    ("would pilot == 0 after 3 steps as logged if pilot == 2 until return == 2", "yes", [2, 2, 2]),
    ("might pilot == 2 and gps == 0 after 5 steps as logged if pilot == 2 until bad' == 1", "yes", [2] * 5),
]


def project(folder: Path) -> Path:
    (folder / "program.c").write_text(PROGRAM)
    lines: list[dict[str, Any]] = []
    bad = mode = 0
    for step in range(28, 40):
        gps = int(step not in LOST)
        lines.append({"step": step, "gps": gps, "pilot": 0, "bad": bad, "mode": mode})
        bad = 0 if gps else bad + 1
        mode = 3 if bad >= 3 else mode
        lines[-1]["return"] = mode
    (folder / "log.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    (folder / "soid.toml").write_text(
        '[program]\nengine = "llvm"\nsources = ["program.c"]\nentry = "decide"\n'
        '[trace]\nfile = "log.jsonl"\nkeyframe = 30\n'
        "[variables]\ngps = { domain = [0, 1] }\npilot = { domain = [0, 2] }\n"
    )
    return folder


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return Project.open(project(tmp_path_factory.mktemp("futures")))


@pytest.mark.parametrize(("question", "verdict", "decided"), ASKED + ALSO_ASKED)
def test_asked_and_recalled(question: str, verdict: str, decided: list[int], opened: Project) -> None:
    answer = opened.ask(question)
    assert (answer.verdict.value, answer.text) == (verdict, question)
    assert answer.witness is not None and "by running the compiled program" in answer.witness.replayed
    if verdict == "yes" and not question.startswith("would return != 3"):
        assert [step["return"] for step in answer.witness.steps] == decided
    assert Ledger.UNREACTIVE.of() in answer.relies_on or answer.future != "as logged"
    again = recall(json.loads(json.dumps(keep(answer))), opened.keyframe)
    assert json_of(again.document) == {**json_of(answer.document), "seconds": json_of(again.document)["seconds"]}
    assert again.witness == answer.witness and fact_of(again, opened.keyframe) == fact_of(answer, opened.keyframe)


def test_an_answer_of_a_version_that_knew_no_future_was_held(opened: Project) -> None:
    answer = opened.ask("might return == 3 within 8 steps held if pilot in {1, 2}")
    kept = keep(answer)
    kept["question"] = kept["question"].replace(" held", "")
    del kept["future"]
    again = recall(kept, opened.keyframe)
    assert again.future == "held" and again.witness == answer.witness
    stated = fact_of(again, opened.keyframe)
    assert stated is not None and stated["statement"].endswith("; all else as at step 30.")


def test_the_default_is_as_logged_and_a_log_that_ends_is_an_error(opened: Project) -> None:
    assert opened.ask("would return == 3 within 8 steps if pilot == 1").future == "as logged"
    with pytest.raises(KeyframeError, match="step 40 is not in"):
        opened.ask("would return == 3 within 11 steps if pilot == 1")
    assert opened.ask("would return == 3 within 11 steps held if pilot == 1").verdict.value == "no"


def test_what_the_log_does_not_have_is_no_fact(opened: Project) -> None:
    at = opened.at(38)
    answer = at.ask("might return == 2 after 4 steps anything if mode == 0")
    assert answer.verdict.value == "yes"
    (pilot,) = (each for each in json_of(answer.document)["changed"] if each["variable"] != "mode")
    assert pilot["variable"] in ("pilot@40", "pilot@41") and pilot["fact"] is None and pilot["scenario"] == 2
    stated = fact_of(answer, at.keyframe)
    ended = "been 2; all else as it was recorded from step 38 on, and as at step 38 where nothing is."
    assert stated is not None and stated["statement"].endswith(ended)
    # what comes after the log may be as it was: only a scenario in which something known differs is another one
    other = at.ask("might return == 3 after 4 steps anything")
    assert other.witness is not None
    changed = {change.variable.path: (change.before, change.after) for change in other.told(other.witness)}
    assert changed == {"pilot@39": (0, 1)}
    within = opened.ask("might return == 2 after 4 steps anything if mode == 0 and keep gps")
    stated = fact_of(within, opened.keyframe)
    assert stated is not None and "all else as it was recorded from step 30 to step 33" in stated["statement"]


def test_what_mattered_is_told_with_its_steps(opened: Project) -> None:
    found = opened.explain("might return == 2 after 6 steps if pilot in {0, 1, 2} at step 32 and gps is anything")
    assert found.mattered is not None and found.mattered.complete
    # gps was lost in the last steps: one value of it in all of them is another one than in fact
    (one,) = found.mattered.sets
    assert [found.called(path) for path in one.variables] == ["gps from step 30 on", "pilot at step 32"]
    gps, pilot = one.flips
    assert isinstance(gps, NoFlip) and gps.reason.startswith("it does the same with what was logged")
    assert isinstance(pilot, Flip) and pilot.values == (1, 2) and pilot.nearest
    assert "by running the compiled program" in one.scenario.witness.replayed
    assert found.parting is not None and found.parting.branch is not None and found.parting.branch.step == 2
    assert not found.unsettled and found.lasting == ("gps",)


def test_a_value_that_the_log_changes_flips_between_what_was_logged_and_the_scenario(opened: Project) -> None:
    found = opened.explain("might return != 3 after 8 steps if gps is anything from step 34 to step 35")
    assert found.mattered is not None
    (flip,) = found.mattered.sets[0].flips
    assert isinstance(flip, Flip) and flip.shown == ("0", "1")  # it was lost in both
    found = opened.explain("might return != 3 after 8 steps if gps is anything from step 33 to step 36")
    assert found.mattered is not None
    (same,) = found.mattered.sets[0].flips
    assert isinstance(same, NoFlip)
    assert same.reason.startswith("as logged it is otherwise; with 1 in all of these steps, as in the first of them")


def test_what_a_proof_needed_has_steps_too(opened: Project) -> None:
    found = opened.explain("would return == 2 after 6 steps if pilot == 2 at step 32 and gps is anything at step 30")
    assert found.proof is not None
    (need,) = found.proof.suppositions
    assert need.needed and need.question.endswith("gps is anything at step 30 and pilot is anything at step 32")
    told = {found.called(each.variable.path): each.irrelevant for each in found.proof.variables}
    assert told == {"gps at step 30": True, "pilot at step 32": False}


def test_every_value_of_every_later_step_may_matter(opened: Project) -> None:
    found = opened.explain("might return == 3 after 4 steps anything", others=9)
    assert found.mattered is not None and found.mattered.complete
    told = [[found.called(path) for path in each.variables] for each in found.mattered.sets]
    assert told == [["gps at step 31", "gps at step 32", "gps at step 33"]]
    found = opened.explain("would return != 3 after 3 steps anything if keep gps")
    assert found.proof is not None and found.proof.suppositions[0].needed  # else gps may be lost three times
    assert [each.irrelevant for each in found.proof.variables] == [True, True] and found.proof.together


def test_what_ends_with_a_decision_is_explained_if_the_log_has_one_value_of_it(opened: Project) -> None:
    found = opened.explain("might return == 2 after 6 steps if pilot is anything from step 31 until return == 2")
    assert found.mattered is not None
    assert found.called(found.mattered.sets[0].variables[0]) == "pilot from step 31 until return == 2"
    with pytest.raises(QueryError, match="gps until return == 2 ends in another step in each scenario"):
        opened.explain("might return == 3 after 8 steps if gps is anything until return == 2")
    with pytest.raises(QueryError, match="gps at steps 40 to 42 and pilot at steps 40 to 42 are not known in fact"):
        opened.at(38).explain("might return == 3 after 5 steps anything")


def test_a_map_has_no_later_steps(opened: Project) -> None:
    with pytest.raises(QueryError, match="a map shows one moment"):
        opened.map("pilot is anything at step 31")
    with pytest.raises(QueryError, match="a map shows one moment"):
        opened.map("pilot is anything until return == 3")


def test_a_log_that_differs_later_is_told(tmp_path: Path) -> None:
    folder = project(tmp_path)
    text = (folder / "log.jsonl").read_text()
    (folder / "log.jsonl").write_text(text.replace('"mode": 3, "return": 3}', '"mode": 3, "return": 1}'))
    answer = Project.open(folder).ask("would return == 3 within 8 steps if pilot == 1")
    assert answer.verdict.value == "error" and "at step 37 the log says " in answer.reason
    assert Project.open(folder).ask("would return == 1 within 6 steps if pilot == 1").verdict.value == "yes"


def test_on_record_and_proved_again(tmp_path: Path) -> None:
    folder = project(tmp_path)
    questions = tuple(question.replace(" as logged", "") for question, _, _ in ASKED)
    (tmp_path / "case.zip").write_bytes(bundled(tmp_path, folder, questions))
    found = verify(tmp_path / "case.zip").facts
    assert [fact.standing for fact in found] == [Standing.REPROVED] * len(ASKED)
    with Case.open(tmp_path / "test.case", who="ada") as case:
        recorded = [entry.question for entry in case.facts]
        assert recorded == [question for question, _, _ in ASKED]
        assert case.answer_to(questions[1]) is not None


def test_what_is_supposed_until_something_is_told(opened: Project) -> None:
    answer = opened.ask("might return == 3 within 8 steps if gps == 0 from step 31 until (return == 3 and bad' > 2)")
    stated = fact_of(answer, opened.keyframe)
    assert stated is not None
    told = "had gps been 0 from step 31 until what it returns is 3 and bad after the call is more than 2"
    assert told in stated["statement"]
    nothing = opened.ask("would return == 3 within 8 steps if gps == 1 until bad' == 0")
    assert nothing.verdict.value == "vacuous"  # it ends with step 30, where gps was there: this is what happened
    assert opened.ask("would return == 3 within 8 steps if gps == 1 until bad' == 3").verdict.value == "no"
    assert nothing.witness is None and fact_of(nothing, opened.keyframe) is None


def test_until_when_the_fact_is_not_known(tmp_path: Path) -> None:
    """When it would have ended depends on the state, which is not logged."""
    folder = project(tmp_path)
    lines = [json.loads(line) for line in (folder / "log.jsonl").read_text().splitlines()]
    short = [{name: line[name] for name in ("step", "gps", "pilot", "mode", "return")} for line in lines[5:]]
    (folder / "log.jsonl").write_text("".join(json.dumps(line) + "\n" for line in short))
    opened = Project.open(folder, step=33)
    answer = opened.ask("would return == 3 within 5 steps if gps == 1 until bad' == 0")
    assert answer.verdict.value == "unknown" and answer.reason_code.value == "until_open" and "bad" in answer.reason
    assert opened.ask("would return == 3 within 5 steps if pilot == 1 until bad' == 0").verdict.value == "yes"


def test_until_something_that_is_not_known(tmp_path: Path) -> None:
    """Where the decision keeps what it was before the call, it is not known whether what is supposed has ended."""
    (tmp_path / "program.c").write_text("int out;\nint decide(int x) { if (x > 2) out = x; return x; }\n")
    (tmp_path / "log.jsonl").write_text("".join(f'{{"step": {n}, "x": {n % 2}}}\n' for n in range(4)))
    (tmp_path / "soid.toml").write_text(
        '[program]\nengine = "llvm"\nsources = ["program.c"]\nentry = "decide"\n[trace]\nfile = "log.jsonl"\n'
        '[variables]\nx = { domain = [0, 9] }\nout = { role = "decision" }\n'
    )
    opened = Project.open(tmp_path, step=0)
    open_ = opened.ask("would return == 1 after 2 steps if x == 1 until out == 7")
    assert open_.verdict.value == "unknown" and "whether what `until` says has come true is not known" in open_.reason
    assert opened.ask("would return == 1 after 2 steps if x in {3..9} until out > 2").verdict.value == "yes"
    assert opened.ask("would return == 1 after 4 steps if x in {3..9} until out > 3").verdict.value == "no"
    # a condition that is true whatever that was
    assert (
        opened.ask("would return == 1 after 2 steps if x == 7 until (out == 6 or return == 7)").verdict.value == "yes"
    )
    # with 0 it may be what happened, if that has ended with the first step
    may = opened.ask("might return == 0 after 2 steps if x in {0, 7} until out == 7")
    assert may.verdict.value == "unknown" and may.reason_code.value == "until_open"


def test_until_a_step_that_the_program_does_not_survive(tmp_path: Path) -> None:
    (tmp_path / "program.c").write_text("int decide(int x, int y) { return x / y; }\n")
    (tmp_path / "log.jsonl").write_text("".join(f'{{"step": {n}, "x": 8, "y": {2 - n}}}\n' for n in range(4)))
    (tmp_path / "soid.toml").write_text(
        '[program]\nengine = "llvm"\nsources = ["program.c"]\nentry = "decide"\n[trace]\nfile = "log.jsonl"\n'
        "[variables]\nx = { domain = [0, 9] }\ny = { domain = [-4, 4] }\n"
    )
    opened = Project.open(tmp_path, step=0)
    answer = opened.ask("might fails within 3 steps if y in {1..4} until return == 2")
    assert answer.verdict.value == "yes" and answer.witness is not None  # y == 3 until 8 / 3, then 1, then 0
    assert answer.witness.inputs["y"] == 3 and str(answer.witness.ending).startswith("fails: division by zero")
    assert opened.ask("might fails within 3 steps if y in {1, 2} until return == 2").verdict.value == "no"


def test_until_where_the_fact_is_rounded(tmp_path: Path) -> None:
    """What rounds to the logged value is no scenario; when it would have ended depends on which of these it was."""
    (tmp_path / "program.c").write_text("int decide(float x) { return x > 1.5f; }\n")
    lines = [{"step": n, "x": x, "return": int(x > 1.5)} for n, x in enumerate((1.4, 1.4, 2.0, 2.0))]
    (tmp_path / "log.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    (tmp_path / "soid.toml").write_text(
        '[program]\nengine = "llvm"\nsources = ["program.c"]\nentry = "decide"\n[trace]\nfile = "log.jsonl"\n'
        "[variables]\nx = { domain = [0.0, 9.0], logged = { decimals = 1 } }\n"
    )
    opened = Project.open(tmp_path, step=0)
    open_ = opened.ask("might return == 1 within 4 steps if 1.3 <= x <= 1.4 until return == 0")
    assert open_.verdict.value == "unknown" and "x, which is logged rounded" in open_.reason
    assert opened.ask("would return == 1 within 4 steps if 3.0 <= x <= 4.0 until return == 1").verdict.value == "yes"
    # it lasts for all steps, and the log went on otherwise
    assert opened.ask("might return == 1 after 4 steps if 0.0 <= x <= 1.0 until return == 1").verdict.value == "no"
