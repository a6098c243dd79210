"""Scripts on an open case: what it holds, which logs and moments are meant, what goes on the record."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from soid.case.case import Case
from soid.case.case_script import CaseScript, held_script, held_scripts
from soid.case.script_run import ScriptFile
from soid.case.script_runner import AnsweredQuestion, ScriptOutcome
from soid.case.validity import conclusions
from soid.errors import CaseError, QueryError
from soid.examples import folder


def run(case: Case, text: str) -> list[object]:
    return list(CaseScript(case, ScriptFile.of(text, "own.soid")).events())


@pytest.mark.parametrize("name", ["diabetes", "pedestrian", "triage", "lending"])
def test_the_scripts_of_the_examples_are_held_and_conclude(name, tmp_path):
    example, _, part = name.partition("/")
    with Case.create(tmp_path / "a.case", folder(example) / part) as case:
        (held,) = held_scripts(case)
        script = CaseScript(case, ScriptFile.of(held.text, held.file))
        begun: list[int] = []
        *_, last = script.events(lambda span: begun.append(script.source.line(span)))
        assert isinstance(last, ScriptOutcome) and begun
        assert [each.text for each in conclusions(case.entries)] == [last.text]


@pytest.mark.parametrize("name", ["overdraft", "crash/together"])
def test_long_scripts_of_the_examples_are_held(name, tmp_path):
    """What they conclude is tested without a case, by `tests/e2e/test_scripts.py`: they take seconds."""
    example, _, part = name.partition("/")
    with Case.create(tmp_path / "a.case", folder(example) / part) as case:
        (held,) = held_scripts(case)
        assert held.text == (folder(example) / part / held.file).read_text()


def test_a_case_holds_its_scripts_when_the_project_is_gone(tmp_path):
    project = tmp_path / "oven"
    shutil.copytree(folder("microwave"), project)
    with Case.create(tmp_path / "oven.case", project) as case:
        text = held_script(case, "oven.soid").text
    shutil.rmtree(project)
    with Case.open(tmp_path / "oven.case") as case:
        assert held_script(case, "oven.soid").text == text
        with pytest.raises(CaseError, match="holds no script"):
            held_script(case, "../oven.soid")


def test_no_file_is_read_that_the_case_does_not_hold(tmp_path):
    project, secret = tmp_path / "oven", tmp_path / "secret.txt"
    shutil.copytree(folder("microwave"), project)
    secret.write_text("a secret\n")
    toml = project / "soid.toml"
    toml.write_text(toml.read_text().replace('["oven.soid"]', f'["oven.soid", "{secret}"]'))
    with Case.create(tmp_path / "oven.case", project) as case:
        assert [each.name for each in held_scripts(case)] == ["oven.soid"]


def test_its_moments_get_names_and_its_logs_are_those_of_the_case(oven):
    with Case.open(oven) as case:
        question = "did action == CLOSE\n"
        text = f'trace "./log.jsonl" at step 2\nkeyframe evening = step 3\n{question}at evening\n{question}'
        answered = [each for each in run(case, text) if isinstance(each, AnsweredQuestion)]
        assert [each.moment.step for each in answered] == [2, 3]
        assert case.keyframes["evening"].step == 3
        with pytest.raises(CaseError, match="the case calls step 3"):
            run(case, "keyframe evening = step 2\nat evening\ndid action == CLOSE\n")
        with pytest.raises(CaseError, match=r"no one log other\.jsonl"):
            run(case, 'trace "other.jsonl"\ndid action == CLOSE\n')


def test_a_script_about_another_program_asks_nothing(oven):
    with Case.open(oven) as case:
        before = len(case.entries)
        with pytest.raises(QueryError, match=r"own\.soid, line 2"):
            run(case, "did action == CLOSE\ndid move\n")
        assert len(case.entries) == before


def test_a_script_that_cannot_be_parsed_is_held_with_the_name_of_its_file(tmp_path):
    project = tmp_path / "oven"
    shutil.copytree(folder("microwave"), project)
    Path(project / "oven.soid").write_text("wuold x\n")
    with Case.create(tmp_path / "oven.case", project) as case:
        assert [(each.title, each.text) for each in held_scripts(case)] == [("oven", "wuold x\n")]
