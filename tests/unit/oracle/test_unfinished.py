"""What is kept of an open question is used for that question alone, and not if a bit of it has changed."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from random import Random

import msgspec
import pytest

from soid import Project
from soid.assumptions import Assumption
from soid.cache import sealed, unsealed
from soid.oracle import open_share, unfinished
from soid.oracle.inquiry import Settings
from soid.oracle.unfinished import OpenBoxes, Unfinished, UnfinishedQuestions
from soid.query.language.query_parser import parse_suppositions
from soid.scenario.family import Family
from tests.unit.oracle.test_resumption import APART, QUESTION_ROOT, project, stopped_after

LOG = '{"x": 1.0, "y": 1.0}'


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SOID_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(open_share, "BRIEFLY", 100.0)
    monkeypatch.setattr(open_share, "_OFTEN", 0.0)


@pytest.fixture
def left(tmp_path: Path) -> Path:
    """A folder with a project of which a question was left open."""
    assert stopped_after(3, project(tmp_path / "p", APART, LOG), QUESTION_ROOT).resumable
    return tmp_path / "p"


def file_of(folder: Path) -> Path:
    (file,) = (folder.parent / "cache" / "unfinished").iterdir()
    return file


def family(opened: Project) -> Family:
    interface = opened.program.interface
    given = parse_suppositions("1.0 <= x <= 1.5 and 1.0 <= y <= 1.5", interface)
    return Family(interface, opened.keyframe.inputs, given)


def test_it_is_resumed_if_all_is_as_it_was(left: Path) -> None:
    assert stopped_after(1, project(left, APART, LOG), QUESTION_ROOT, resume=True).before is not None


def questions(left: Path, opened: Project) -> UnfinishedQuestions:
    return UnfinishedQuestions(lambda: "known", left.parent / "cache" / "unfinished")


def test_a_file_of_which_anything_has_changed_is_ignored(left: Path) -> None:
    opened, random = project(left, APART, LOG), Random(0)
    file, kept = file_of(left), questions(left, opened)
    whole, about = file.read_bytes(), family(opened)
    assert kept.find(file.stem, about) is not None
    for _ in range(300):
        at, bit = random.randrange(len(whole)), 1 << random.randrange(8)
        file.write_bytes(whole[:at] + bytes([whole[at] ^ bit]) + whole[at + 1 :])
        assert kept.find(file.stem, about) is None
    for length in range(0, len(whole), max(len(whole) // 40, 1)):
        file.write_bytes(whole[:length])
        assert kept.find(file.stem, about) is None
    file.write_bytes(whole + b"\n")
    assert kept.find(file.stem, about) is None
    file.write_bytes(whole)
    assert kept.find(file.stem, about) is not None


def test_a_file_under_the_name_of_another_question_is_ignored(left: Path) -> None:
    """Its boxes would fit: the inputs that vary are the same."""
    first = file_of(left)
    other = QUESTION_ROOT.replace("return == 0", "return == 1")
    opened = project(left, APART, LOG)
    stopped_after(1, opened, "would return <= 0 if 1.0 <= x <= 1.5 and 1.0 <= y <= 1.5")
    (second,) = (each for each in first.parent.iterdir() if each != first)
    shutil.copy(first, second)
    assert questions(left, opened).find(second.stem, family(opened)) is None
    assert stopped_after(1, project(left, APART, LOG), other, resume=True).before is None


@pytest.mark.parametrize(
    "spoil",
    [
        lambda kept: kept["open"].update(stuck=kept["open"]["stuck"][1:]),
        lambda kept: kept["open"]["boxes"][0].pop(),
        lambda kept: kept["open"]["boxes"][0].__setitem__(0, [5, 4]),
        lambda kept: kept.update(open=3),
        lambda kept: kept.pop("tried"),
    ],
)
def test_a_file_whose_parts_do_not_fit_is_ignored(left: Path, spoil: Callable[[dict[str, object]], object]) -> None:
    opened, file = project(left, APART, LOG), file_of(left)
    kept = msgspec.json.decode(unsealed(file.read_bytes()) or b"")
    spoil(kept)
    file.write_bytes(sealed(msgspec.json.encode(kept)))
    assert questions(left, opened).find(file.stem, family(opened)) is None
    assert stopped_after(1, opened, QUESTION_ROOT, resume=True).before is None


def test_open_boxes_outside_of_the_family_are_ignored(left: Path) -> None:
    """The question begins anew with the whole family, and is answered."""
    opened, file = project(left, APART, LOG), file_of(left)
    kept = msgspec.json.decode(unsealed(file.read_bytes()) or b"")
    kept["open"]["boxes"] = [[[0, 1], [0, 1]]]
    kept["open"]["stuck"] = [False]
    file.write_bytes(sealed(msgspec.json.encode(kept)))
    answer = stopped_after(2, opened, QUESTION_ROOT, resume=True)
    assert answer.settled is None or answer.settled.share < 1


CHANGES: dict[str, Callable[[Path], object]] = {
    "the program": lambda folder: (folder / "p.c").write_text(APART.replace("0.2f", "0.3f")),
    "the moment": lambda folder: (folder / "log.jsonl").write_text('{"x": 1.0, "y": 1.25}'),
    "a domain": lambda folder: (folder / "soid.toml").write_text(
        (folder / "soid.toml").read_text() + "[variables.x]\ndomain = [0.0, 2.0]\n"
    ),
}


@pytest.mark.parametrize("what", CHANGES)
def test_after_a_change_of_anything_it_depends_on_it_begins_anew(left: Path, what: str) -> None:
    opened = project(left, APART, LOG)
    CHANGES[what](left)
    changed = Project.open(left, settings=opened.settings, solver=opened.solver)
    assert stopped_after(1, changed, QUESTION_ROOT, resume=True).before is None


def test_with_another_window_another_soid_or_another_question_it_begins_anew(
    left: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for window in (7, None):
        opened = project(left, APART, LOG, window=window)
        resumed = stopped_after(1, opened, QUESTION_ROOT, resume=True).before is not None
        assert resumed is (window is None)
    assert stopped_after(1, opened, QUESTION_ROOT.replace("1.5", "1.25"), resume=True).before is None
    monkeypatch.setattr(unfinished, "all_of_soid", lambda: "another")
    assert stopped_after(1, project(left, APART, LOG), QUESTION_ROOT, resume=True).before is None


def test_a_program_whose_files_changed_since_it_was_opened_keeps_nothing(tmp_path: Path) -> None:
    """What is in memory is the earlier program, whatever time the new file claims to be from."""
    opened = project(tmp_path / "p", APART, LOG)
    copy = tmp_path / "p.c"
    copy.write_text(APART.replace("0.2f", "0.3f"))
    os.utime(copy, (1_000_000_000, 1_000_000_000))
    copy.replace(tmp_path / "p" / "p.c")
    assert not stopped_after(3, opened, QUESTION_ROOT).resumable
    assert not (tmp_path / "cache" / "unfinished").exists()


def test_a_folder_that_took_the_place_of_the_project_keeps_nothing(tmp_path: Path) -> None:
    other = project(tmp_path / "q", APART.replace("0.2f", "0.3f"), LOG)
    opened = project(tmp_path / "p", APART, LOG)
    (tmp_path / "p").rename(tmp_path / "before")
    (tmp_path / "q").rename(tmp_path / "p")
    assert not stopped_after(3, opened, QUESTION_ROOT).resumable
    assert isinstance(other.settings, Settings)


def test_a_short_attempt_does_not_replace_a_long_one_and_assumptions_are_kept(tmp_path: Path) -> None:
    opened = project(tmp_path / "p", APART, LOG)
    kept, about = UnfinishedQuestions(lambda: "known", tmp_path / "kept"), family(opened)
    boxes = OpenBoxes(("x", "y"), (((1, 2), (3, 4)),), (False,))
    assumed = (Assumption("unlogged", "that it is so"),)
    long = Unfinished(600.0, open=boxes, relies_on=assumed)
    assert kept.keep("ab", long, about)
    assert kept.keep("ab", Unfinished(1.0, open=boxes), about)
    assert kept.find("ab", about) == long
    assert not kept.keep("cd", Unfinished(1.0), about)  # nothing was settled
