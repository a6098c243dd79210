"""Scripts as people run them: the examples' conclusions, statuses, one form, and no answer lost."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
from pathlib import Path

import pytest

from soid.case.case import Case
from soid.case.script_run import ScriptFile, ScriptRun
from soid.case.script_runner import AnsweredQuestion, Ending, KnownAnswer, KnownStudy, ScriptOutcome, run
from soid.cli import main
from soid.examples import folder
from soid.oracle.answer import Verdict
from soid.query.language.script.plan import PlannedMoment, PutStudy
from soid.query.language.script.script_printer import script_text
from tests.e2e.running import Soid

EXAMPLES = Path(folder("microwave")).parent
SCRIPTS = sorted(EXAMPLES.rglob("*.soid"))

#: script, project, and how what it concludes begins
CONCLUSIONS = [
    ("crash/broadside.soid", "crash/standard", "reasonable:"),
    ("crash/broadside.soid", "crash/impatient", "impatient:"),
    ("crash/broadside.soid", "crash/pathological", "pathological:"),
    ("crash/together/harm.soid", None, "the signal:"),
    ("proper_response/guard.soid", None, "the brakes:"),
    ("pedestrian/manager/manager.soid", None, "the manager:"),
    ("diabetes/assessment.soid", None, "wrong units:"),
    ("diabetes/assessment.soid", "diabetes/repaired", "right:"),
    ("pedestrian/crossing.soid", None, "the intersection manager:"),
    ("pedestrian/self_reliant/crossing.soid", None, "the car:"),
    ("overdraft/overdraft.soid", None, "a proxy, and it is repaired:"),
    ("lending/lending.soid", None, "the postcode stood in for the group:"),
    ("triage/triage.soid", None, "the missing value decided:"),
    ("advisory/advisory.soid", None, "a fault of what it learned:"),
    ("advisory/advisory.soid", "advisory/retrained", "it never descends towards an aircraft"),
    ("microwave/oven.soid", None, "it answers every error:"),
    ("microwave/c/oven.soid", None, "it answers every error:"),
]


@pytest.mark.parametrize(("script", "project", "conclusion"), CONCLUSIONS)
def test_an_example_s_script_comes_to_the_right_conclusion(script: str, project: str | None, conclusion: str) -> None:
    source = ScriptFile.read(EXAMPLES / script)
    with ScriptRun(source, project=EXAMPLES / project if project is not None else None) as opened:
        *_, outcome = opened.events()
    assert isinstance(outcome, ScriptOutcome)
    assert outcome.ending is Ending.CONCLUDED and outcome.text.startswith(conclusion)


@pytest.mark.parametrize("script", ["pedestrian/crossing.soid", "pedestrian/self_reliant/crossing.soid"])
def test_the_pedestrian_s_conclusion_rests_on_all_four_questions(script: str) -> None:
    with ScriptRun(ScriptFile.read(EXAMPLES / script)) as opened:
        *events, truly = opened.events()
        asked = [event for event in events if isinstance(event, AnsweredQuestion)]
        assert len(asked) == 4 and isinstance(truly, ScriptOutcome)
        for turned in asked:
            for verdict in Verdict:
                if verdict is turned.reply.verdict:
                    continue
                told = {(each.put.text, each.moment.step): each.reply for each in asked}
                told[turned.put.text, turned.moment.step] = KnownAnswer(verdict, "turned")
                *_, outcome = run(opened.plan, _Told(told))
                assert isinstance(outcome, ScriptOutcome) and outcome.text != truly.text
                definite = Ending.CONCLUDED if verdict.is_definite else Ending.STOPPED
                assert outcome.ending is definite, (turned.put.text, verdict)


class _Told:
    """Answers as it was told to."""

    def __init__(self, replies: dict[tuple[str, int | None], KnownAnswer]) -> None:
        self._replies = replies

    def recorded(self, question: str, moment: PlannedMoment, /) -> KnownAnswer | None:
        return self._replies[question, moment.step]

    def ask(self, question: str, moment: PlannedMoment, /) -> KnownAnswer:
        raise AssertionError(question)

    def study(self, put: PutStudy, moment: PlannedMoment, explained: KnownAnswer | None, /) -> KnownStudy:
        raise AssertionError(put.text)


def test_every_script_of_the_examples_is_here_and_in_form() -> None:
    assert {str(script.relative_to(EXAMPLES)) for script in SCRIPTS} == {script for script, _, _ in CONCLUSIONS}
    for script in SCRIPTS:
        source = ScriptFile.read(script)
        assert script_text(source.script) == source.text, script


# --- statuses -------------------------------------------------------------------------------------------------

FREE = "closed is anything and heat is anything and running is anything and started is anything"
UNKNOWN = f"would action in {{CANCEL, CLOSE, OPEN, NOTHING}} if error is anything and {FREE}"
VACUOUS = "would action == CLOSE if error == true"


@pytest.mark.parametrize(
    ("script", "status", "said"),
    [
        ('when did action == CLOSE:\n  conclude "it closed"', 0, "it closed"),
        ('when did action == OPEN:\n  conclude "it opened"', 1, "no conclusion: the script came to its end"),
        (f'when {VACUOUS}:\n  conclude "a"', 2, "no conclusion: “Would it always close the door"),
        ('when did action == OPEN within 9 steps:\n  conclude "a"', 4, "no conclusion: “Did it "),
        (f'{VACUOUS}\nconclude "on"', 0, "on"),
        ("did action == OPEN", 0, "no conclusion: the script came to its end"),
        (f"did action == OPEN\n{VACUOUS}", 2, "no conclusion: the script came to its end"),
        ("did acton == OPEN", 19, None),
        ("wuold", 18, None),
        ('project "nowhere"', 11, None),
    ],
)
def test_statuses(
    script: str, status: int, said: str | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "a.soid"
    file.write_text(script)
    project = () if "project" in script else ("--project", str(folder("microwave")))
    assert main(["run", str(file), *project, "--quiet"]) == status
    out = capsys.readouterr().out
    assert out.startswith(said) if said is not None else not out


def test_what_nobody_knows_ends_with_3(microwave: Soid) -> None:
    (microwave.project / "paths" / "6-start.smt2").unlink()
    microwave.write(
        "a.soid", f'when {UNKNOWN.replace("!= OPEN", "in {CANCEL, CLOSE, OPEN, NOTHING}")}:\n  conclude "a"'
    )
    ran = microwave("run", "a.soid", "--json")
    assert ran.status == 3
    assert [(event["event"], event["verdict"]) for event in ran.all_json] == [
        ("asked", "unknown"),
        ("stopped", "unknown"),
    ]


def test_answers_are_told_as_they_come_and_the_record_is_named(microwave: Soid) -> None:
    ran = microwave("run", "oven.soid", "--case", "oven.case")
    assert ran.status == 0
    assert " because " in ran.out and "Conclusion" in ran.out and "made now" in ran.out
    again = microwave("run", "oven.soid", "--case", "oven.case")
    assert "continued" in again.out and again.out.count("from the record, entry") == 8
    verbose = microwave("run", "oven.soid", "--verbose")
    assert "relies on" in verbose.out and "Nothing was kept" in verbose.out


# --- one form -------------------------------------------------------------------------------------------------


def test_fmt(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good, bad = tmp_path / "good.soid", tmp_path / "bad.soid"
    good.write_text("did x\n")
    bad.write_text("did   (x)  #why\n\n\n")
    bad.chmod(0o640)
    link = tmp_path / "link.soid"
    link.symlink_to(bad)
    assert main(["fmt", "--check", str(good), str(link)]) == 1
    assert bad.read_text() == "did   (x)  #why\n\n\n"
    assert main(["fmt", str(good), str(link), "--json"]) == 0
    assert json.loads(capsys.readouterr().out.splitlines()[-1]) == {
        "files": [str(good), str(link)],
        "changed": [str(link)],
    }
    assert (bad.read_text(), bad.stat().st_mode & 0o777, link.is_symlink()) == ("did x  #why\n", 0o640, True)
    assert main(["fmt", "--check", str(good), str(bad)]) == 0
    assert {file.name for file in tmp_path.iterdir()} == {"good.soid", "bad.soid", "link.soid"}


def test_fmt_writes_nothing_if_one_script_is_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fine, wrong = tmp_path / "fine.soid", tmp_path / "wrong.soid"
    fine.write_text("did   x")
    wrong.write_text("did\n")
    assert main(["fmt", str(fine), str(wrong)]) == 18
    assert "wrong.soid, line 1, column 4" in capsys.readouterr().err
    assert fine.read_text() == "did   x"


# --- no answer is lost ----------------------------------------------------------------------------------------

ACTIONS = ("START", "CANCEL", "OPEN")
LONG = "\n".join(
    [
        *(f"at step {step}\ndid action == {action}" for step in range(3) for action in ACTIONS),
        f"might action == OPEN if {FREE}",
        'conclude "done"',
    ]
)


def killed(soid: Soid, after: int) -> list[dict[str, object]]:
    """What a run shows until it is killed, which happens as soon as so many lines were read."""
    process = subprocess.Popen(
        [soid.command, "run", "long.soid", "--case", "a.case", "--json"],
        cwd=soid.project,
        env=soid.environment,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stdout is not None
    with process, process.stdout:
        seen = [process.stdout.readline() for _ in range(after)]
        os.killpg(process.pid, signal.SIGKILL)
        lines = "".join(seen) + process.stdout.read()  # shown before it was dead
    return [json.loads(line) for line in lines.split("\n")[:-1]]


@pytest.mark.parametrize(
    ("kills", "seed"), [(1, 0), *(pytest.param(10, seed, marks=pytest.mark.soak) for seed in range(1, 6))]
)
def test_a_script_that_is_killed_goes_on_and_loses_nothing(kills: int, seed: int, microwave: Soid) -> None:
    microwave.write("long.soid", LONG)
    chance = random.Random(seed)
    shown: dict[tuple[object, object], object] = {}
    for number in range(kills):
        for event in killed(microwave, chance.randint(1, 4) + 6 * number // kills):
            if event["event"] in ("asked", "recorded"):
                key = (event["question"], event["step"])
                assert event["event"] == ("recorded" if key in shown else "asked")
                assert shown.setdefault(key, event["verdict"]) == event["verdict"]
    ran = microwave("run", "long.soid", "--case", "a.case", "--json")
    *events, last = ran.all_json
    assert (ran.status, last["conclusion"]) == (0, "done")
    assert {(event["question"], event["step"]) for event in events if event["event"] == "recorded"} >= shown.keys()
    with Case.open(microwave.project / "a.case") as case:
        case.verify_chain()
        facts = {(fact.question, fact.step): fact.verdict.value for fact in case.facts if fact.verdict is not None}
    assert shown.items() <= facts.items()
    assert len(facts) == len(events) == 10


def test_ctrl_c_at_the_prompt_calls_the_question_off_and_not_the_session(hard: Soid) -> None:
    process = subprocess.Popen(
        [hard.command, "investigate", "hard.case", "--project", "."],
        cwd=hard.project,
        env=hard.environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stdin is not None and process.stderr is not None and process.stdout is not None
    process.stdin.write("might found if a is anything and b is anything\nfacts\nquit\n")
    process.stdin.flush()
    life = ""  # its sign: it is at work on the question, no longer opening the project
    while "Ctrl-C stops" not in life or life.startswith("opening"):
        assert process.poll() is None
        life = process.stderr.readline()
    os.killpg(process.pid, signal.SIGINT)
    with process:
        out, _ = process.communicate()
    assert process.returncode == 0
    assert "Called off" in out and "Nothing has been established yet" in out
    with Case.open(hard.project / "hard.case", read_only=True) as case:
        assert [entry.kind.value for entry in case.entries] == ["opened", "asked"]
