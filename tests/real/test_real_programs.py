"""Programs as people write them, each asked several questions whose truth was found by trying every scenario.

A program's folder has its sources, a `soid.toml`, a log, and `truth.c` or `truth.cpp`: the questions, each with loops
over its whole family that run the compiled program (see `truth.h`). soid's verdict must be the one found there. What
soid cannot do today is a `NOT_YET` in that file, a verdict that is not the truth a `WRONG`: each fails here on the day
that it is closed.
"""

from __future__ import annotations

import functools
import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from msgspec.structs import replace

from soid import Project, Settings, SoidError, Verdict
from soid.cli import main
from soid.engine.llvm.compiler.toolchain import DEFAULT_TARGET, find_toolchain

HERE: Final = Path(__file__).parent
#: what a question may take that is not answered today: some of them would use up any budget
SECONDS_NOT_YET: Final = 2.0
#: questions that take ten seconds, each beside a shorter one on the same program that asks the same of fewer scenarios
LONG: Final = {("bus_frame", "might fails if data[1] is anything and size is anything and data[0] in {164, 165}")}
#: questions that runs of single scenarios settle. Which are run depends on what is known, so these are asked at first
AFRESH: Final = {("bus_frame", "would return != PARSE_OK if data[3] is anything and data[5] is anything")}
_TEXTS: Final = r'(?:"(?:[^"\\\n]|\\.)*"\s*)+'
_ASKED: Final = re.compile(
    rf"^(?P<kind>QUESTION|NOT_YET|WRONG)\((?:(?P<reason>{_TEXTS}),\s*)?(?P<text>{_TEXTS})\)$", re.MULTILINE
)
#: what soid calls a failure, no more, as in `soid.engine.llvm.compiler.compilation`
_TRAPS: Final = (
    "-fsanitize=undefined,float-cast-overflow,local-bounds",
    "-fsanitize-trap=undefined,float-cast-overflow,local-bounds",
    "-fno-sanitize=shift-base,alignment",
    "-fstrict-flex-arrays=1",
)


class NotAnswered(Exception):
    """soid refused the question, or knows no answer to it."""


class WrongVerdict(Exception):
    """soid gave a verdict that is not the truth."""


def _drivers() -> list[Path]:
    return sorted(HERE.glob("*/truth.c*"))


def _joined(literals: str) -> str:
    """The text of C string literals that stand one after the other."""
    return "".join(re.findall(r'"((?:[^"\\\n]|\\.)*)"', literals))


def _asked() -> list[tuple[Path, str, pytest.MarkDecorator | None]]:
    """Of each question its driver, its text, and how it fails today, if it does."""
    return [
        (driver, _joined(asked["text"]), _mark(asked["kind"], _joined(asked["reason"] or "")))
        for driver in _drivers()
        for asked in _ASKED.finditer(driver.read_text(encoding="utf-8"))
    ]


def _mark(kind: str, reason: str) -> pytest.MarkDecorator | None:
    if kind == "QUESTION":
        return None
    return pytest.mark.xfail(reason=reason, raises=WrongVerdict if kind == "WRONG" else NotAnswered, strict=True)


def _slow(driver: Path, question: str = "") -> list[pytest.MarkDecorator]:
    """A driver in C++ is linked with the C++ library, which a new machine has to build first: more than a minute."""
    return [pytest.mark.soak] if driver.suffix == ".cpp" or (driver.parent.name, question) in LONG else []


def _questions() -> list[object]:
    return [
        pytest.param(
            driver, text, marks=[*_slow(driver, text), *([mark] if mark else [])], id=f"{driver.parent.name}: {text}"
        )
        for driver, text, mark in _asked()
    ]


def _run() -> list[object]:
    return [pytest.param(driver, marks=_slow(driver), id=driver.parent.name) for driver in _drivers()]


@pytest.fixture(scope="module", autouse=True)
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder for what is compiled. soid's cache is in it too: no verdict depends on what an earlier run explored."""
    found = tmp_path_factory.mktemp("real")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SOID_CACHE", str(found / "cache"))
        yield found


@functools.cache
def _truths(driver: Path, scratch: Path) -> dict[str, str]:
    """The verdict of each question of a driver, by its text."""
    toolchain = find_toolchain()
    if driver.suffix == ".cpp":
        toolchain = toolchain.for_cplusplus()
    libraries = (
        ["-lm"] if driver.suffix == ".cpp" else ["-nostdlib", "-lm", "-lc"]
    )  # zig's own take long the first time
    program = scratch / driver.parent.name
    flags = [*toolchain.target_flags(DEFAULT_TARGET), "-O1", "-g0", "-Iinclude", "-ffp-contract=off", *_TRAPS]
    toolchain.compile([*flags, "-w", driver.name, "-o", str(program), *libraries], driver.parent)
    ran = subprocess.run([program], capture_output=True, text=True, check=True)
    lines = [line.split("\t") for line in ran.stdout.splitlines()]
    return {text: verdict for verdict, _, text in lines}


@functools.cache
def _project(folder: Path) -> Project:
    return Project.open(folder)


@pytest.mark.parametrize("driver", _run())
def test_inspect_shows_the_program(driver: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["inspect", "--project", str(driver.parent)]) == 0
    assert "decision" in capsys.readouterr().out


@pytest.mark.parametrize("driver", _run())
def test_inspect_works_before_there_is_a_log(
    driver: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The sources are used as they are, and the manifest may name a log that is still to come."""
    shutil.copytree(driver.parent, tmp_path, dirs_exist_ok=True)
    for log in tmp_path.glob("log.*"):
        log.unlink()
    monkeypatch.chdir(tmp_path)
    assert main(["inspect"]) == 0
    assert "decision" in capsys.readouterr().out


@pytest.mark.parametrize("driver", _run())
def test_every_question_of_a_driver_is_asked(driver: Path, scratch: Path) -> None:
    assert [text for found, text, _ in _asked() if found == driver] == list(_truths(driver, scratch))


def test_each_long_question_is_asked() -> None:
    assert {(driver.parent.name, text) for driver, text, _ in _asked()} >= LONG | AFRESH


@pytest.mark.parametrize(("driver", "question"), _questions())
def test_the_verdict_is_the_truth(
    driver: Path,
    question: str,
    scratch: Path,
    tmp_path: Path,
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    truth = _truths(driver, scratch)[question]
    is_afresh = (driver.parent.name, question) in AFRESH
    if is_afresh:
        monkeypatch.setenv("SOID_CACHE", str(tmp_path))
    seconds = SECONDS_NOT_YET if request.node.get_closest_marker("xfail") else Settings().seconds
    try:
        project = Project.open(driver.parent) if is_afresh else _project(driver.parent)
        answer = replace(project, settings=Settings(seconds=seconds)).ask(question)
    except SoidError as error:
        raise NotAnswered(str(error)) from error
    if answer.verdict in {Verdict.UNKNOWN, Verdict.ERROR}:
        raise NotAnswered(f"{answer.verdict.value}: {answer.reason}")
    if answer.verdict.value != truth:
        raise WrongVerdict(f"{answer.verdict.value}, the truth is {truth}: {answer.reason}")


def test_relays_that_are_logged_as_state_are_answered(tmp_path: Path, scratch: Path) -> None:
    """The remedy that the answers to the questions about relays name, which are unknown otherwise."""
    shutil.copytree(HERE / "alarm_panel", tmp_path, dirs_exist_ok=True)
    manifest, log = tmp_path / "soid.toml", tmp_path / "log.jsonl"
    relays = "".join(f'{relay} = {{ role = "state" }}\n' for relay in ("siren", "call_brigade"))
    manifest.write_text(f"{manifest.read_text()}{relays}")
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    lines[0] |= {"siren": 0, "call_brigade": 0, "siren'": 1, "call_brigade'": 1}
    for line in lines[1:]:
        line |= {"siren": 1, "call_brigade": 1}
    log.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    project = Project.open(tmp_path)
    for question, truth in _truths(HERE / "alarm_panel" / "truth.c", scratch).items():
        kind, rest = question.split(" ", 1)
        behavior, condition, supposed = rest.partition(" if ")
        after = re.sub(r"\b(siren|call_brigade)\b", r"\1'", behavior)
        assert project.ask(f"{kind} {after}{condition}{supposed}").verdict.value == truth, question


def test_functions_that_only_write_need_no_stand_in(tmp_path: Path) -> None:
    shutil.copytree(HERE / "greenhouse", tmp_path, dirs_exist_ok=True)
    manifest = tmp_path / "soid.toml"
    text = re.sub(r'^"(?:level|duty).*\n', "", manifest.read_text(), flags=re.MULTILINE)
    ignored = text.replace(', "board.c"]', ']\nignore = ["pinMode", "digitalWrite", "analogWrite", "delay"]')
    manifest.write_text(ignored)
    log = tmp_path / "log.jsonl"
    log.write_text(log.read_text().replace('"level[7]": 0, "level[8]": 0, "duty[9]": 0, ', ""))
    answer = Project.open(tmp_path).ask("did pumping'")
    assert answer.verdict is Verdict.YES
    assert any(each.id == "ignored-calls" and "digitalWrite" in each.text for each in answer.relies_on)


def test_of_two_builds_none_is_guessed(tmp_path: Path) -> None:
    """A build system lists a file once for each target that it belongs to, here for the tests and for the product."""
    shutil.copytree(HERE / "conveyor", tmp_path, dirs_exist_ok=True)
    manifest, database = tmp_path / "soid.toml", tmp_path / "build" / "compile_commands.json"
    manifest.write_text(
        '[program]\nengine = "c"\nsources = ["scale/scale.c"]\nentry = "scale_classify"\n'
        'compile_commands = "build/compile_commands.json"\n[trace]\nfile = "log.jsonl"\n'
    )
    (tmp_path / "log.jsonl").write_text('{"load_g": 500, "state": 1, "count": 0}\n')
    commands = [f"cc -DHOLD_READINGS={n} -DRING_SIZE=4 -I../include -c ../scale/scale.c" for n in (1, 5)]
    entries = [{"directory": ".", "file": "../scale/scale.c", "command": command} for command in commands]
    database.write_text(json.dumps(entries))
    with pytest.raises(SoidError, match="in 2 ways"):
        Project.open(tmp_path)
