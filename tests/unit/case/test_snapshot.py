"""What a case holds of a project: all that is needed and nothing else, and every name leads where it did."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from soid.case.project import Project
from soid.case.snapshot import Snapshot, Taken, take
from soid.documents import json_of
from soid.errors import CaseError, TraceError
from soid.examples import folder

DECIDE = '#include "limits.h"\n#include "deep/units.h"\nint decide(int speed) { return speed > LIMIT * UNIT; }\n'


@pytest.fixture
def project(tmp_path) -> Path:
    """A C project in several folders: sources above the manifest, headers through -I, and a file that is not needed."""
    car: Path = tmp_path / "work" / "car"
    for each in ("work/car", "work/include/deep", "work/empty", "work/shared"):
        (tmp_path / each).mkdir(parents=True)
    (tmp_path / "work/shared/decide.c").write_text(DECIDE)
    (tmp_path / "work/include/limits.h").write_text('#include "../shared/limit.h"\n')
    (tmp_path / "work/shared/limit.h").write_text("#define LIMIT 50\n")
    (tmp_path / "work/include/deep/units.h").write_text("#include <stdint.h>\n#define UNIT 1\n")
    (tmp_path / "work/include/unused.h").write_text("#error\n")
    (tmp_path / "work/car/notes.txt").write_text("nothing to the program\n")
    (car / "log.csv").write_text("step,speed,return\n0,60,1\n")
    (car / "soid.toml").write_text(
        '[program]\nengine = "c"\nsources = ["../shared/*.c"]\nentry = "decide"\n'
        'include = ["../include", "../empty"]\n[trace]\nfile = "log.csv"\n'
    )
    return car


def laid_out(taken: Taken) -> Path:
    return taken.snapshot.lay_out(taken.contents.__getitem__)


@pytest.fixture(autouse=True)
def _own_layouts(tmp_path, monkeypatch):
    """Layouts in a folder of the test's own; compiled programs stay where they are."""
    monkeypatch.setattr("soid.case.snapshot.cache_folder", lambda: tmp_path / "cache")


def test_a_project_in_several_folders(project):
    taken = take(project)
    assert [file.path for file in taken.snapshot.files] == [
        "work/car/log.csv",
        "work/car/soid.toml",
        "work/include/deep/units.h",
        "work/include/limits.h",
        "work/shared/decide.c",
        "work/shared/limit.h",
    ]
    assert taken.snapshot.folders == (
        "work",
        "work/car",
        "work/empty",
        "work/include",
        "work/include/deep",
        "work/shared",
    )
    place = laid_out(taken)
    shutil.rmtree(project.parent)
    case = Project.open(place / taken.snapshot.manifest, trace=place / taken.snapshot.logs[0])
    assert case.ask("did return == 1").verdict.value == "yes"
    case.solver.close()


def test_relative_names_of_the_project_are_fine(project, monkeypatch):
    whole = take(project)
    monkeypatch.chdir(project)
    assert take(".") == take("soid.toml") == take("../car") == whole
    monkeypatch.chdir(project.parent)
    assert take("car") == whole


def test_it_comes_back_from_json(project):
    snapshot = take(project).snapshot
    assert Snapshot.from_json(json_of(snapshot)) == snapshot


@pytest.mark.parametrize("name", ["crash/standard", "crash", "pedestrian/self_reliant", "microwave"])
def test_the_examples(name):
    first, *rest = name.split("/")
    taken = take(folder(first).joinpath(*rest))
    held = {file.path for file in taken.snapshot.files}
    assert not any(path.endswith(".py") for path in held)
    if name == "crash/standard":
        assert held >= {"crash/car.c", "crash/table_standard.h", "crash/standard/soid.toml", "crash/standard/log.jsonl"}
        assert "crash/table_impatient.h" not in held
    if name == "microwave":
        assert len(held) == 9


def test_what_klee_left_beside_a_path_is_held(tmp_path):
    project = tmp_path / "oven"
    shutil.copytree(folder("microwave"), project, ignore=shutil.ignore_patterns("*.py", "__pycache__", "c"))
    (project / "paths" / "6-start.ptr.err").write_text("Error: memory error\nFile: oven.c\nLine: 7\n")
    (project / "paths" / "5-open-when-done.early").write_text("")
    (project / "paths" / "6-start.ktest").write_text("")
    held = {file.path for file in take(project).snapshot.files}
    assert held >= {"oven/paths/6-start.ptr.err", "oven/paths/5-open-when-done.early"}
    assert "oven/paths/6-start.ktest" not in held


def test_files_that_the_manifest_mentions_are_held(tmp_path):
    project = tmp_path / "oven"
    shutil.copytree(folder("microwave"), project, ignore=shutil.ignore_patterns("*.py", "__pycache__", "c"))
    edit(project / "soid.toml", '"the timer"', '"looks/scene.toml"')
    (project / "looks").mkdir()
    (project / "looks" / "scene.toml").write_text('[scene]\nground = ["ground.svg", "sky.svg", 3]\n')
    (project / "looks" / "ground.svg").write_text("<svg/>")
    held = {file.path for file in take(project).snapshot.files}
    assert held >= {"oven/looks/scene.toml", "oven/looks/ground.svg"}


@pytest.mark.parametrize(
    "path", ["../x", "a/../../x", "/etc/passwd", "", ".", "./x", "a//b", "a/", "a/./b", "..", "a\0b", "a/.."]
)
@pytest.mark.parametrize("where", ["files", "folders", "logs", "manifest"])
def test_a_case_that_would_write_elsewhere_is_refused(path, where):
    given = {"manifest": "p/soid.toml", "logs": ["p/log.csv"], "files": [], "folders": ["p"], "origin": "/"}
    Snapshot.from_json(given)
    wrong = {"files": [{"path": path, "sha256": "", "size": 0}], "manifest": path}.get(where, [path])
    with pytest.raises(CaseError, match="no name below its own folder"):
        Snapshot.from_json(given | {where: wrong})


# --- what cannot be held --------------------------------------------------------------------------------------


def edit(file: Path, old: str, new: str) -> None:
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))


def test_what_is_named_from_the_root_of_a_machine_is_refused(project):
    edit(project / "soid.toml", '"../include"', f'"{project.parent}/include"')
    with pytest.raises(CaseError, match=r"limits\.h, which its manifest names from the root"):
        take(project)


def test_so_is_what_a_flag_names(project):
    edit(project / "soid.toml", 'include = ["../include", "../empty"]', f'flags = ["-I{project.parent}/include"]')
    with pytest.raises(CaseError, match="from the root"):
        take(project)


def test_and_a_log(project):
    edit(project / "soid.toml", '"log.csv"', f'"{project.parent.parent}/log.csv"')
    shutil.copy(project / "log.csv", project.parent.parent)
    with pytest.raises(CaseError, match="from the root"):
        take(project)


def test_a_name_that_leads_through_a_link_is_refused(project, tmp_path):
    (tmp_path / "far" / "away").mkdir(parents=True)
    shutil.copy(project / "log.csv", tmp_path / "far" / "log.csv")
    (project / "away").symlink_to(tmp_path / "far" / "away")
    edit(project / "soid.toml", '"log.csv"', '"away/../log.csv"')
    with pytest.raises(CaseError, match="link"):
        take(project)


def test_a_linked_file_is_held_where_it_is_named(project, tmp_path):
    content = (project / "log.csv").read_bytes()
    (project / "log.csv").rename(tmp_path / "kept.csv")
    (project / "log.csv").symlink_to(tmp_path / "kept.csv")
    taken = take(project)
    assert taken.snapshot.logs == ("work/car/log.csv",)
    assert content in taken.contents.values()


def test_a_project_without_a_log_needs_one(project, tmp_path):
    edit(project / "soid.toml", '[trace]\nfile = "log.csv"\n', "")
    with pytest.raises(TraceError, match="names no log"):
        take(project)
    (project / "log.csv").rename(tmp_path / "log.csv")
    assert take(project, [tmp_path / "log.csv"]).snapshot.logs == ("work/car/logs/log.csv",)


def test_two_logs_of_one_name_are_told(project, tmp_path):
    for each in ("a", "b"):
        (tmp_path / each).mkdir()
        shutil.copy(project / "log.csv", tmp_path / each / "more.csv")
    with pytest.raises(CaseError, match=r"would both be held as work/car/logs/more\.csv"):
        take(project, [tmp_path / "a" / "more.csv", tmp_path / "b" / "more.csv"])


# --- laid out -------------------------------------------------------------------------------------------------


SPOILED: dict[str, Callable[[Path], object]] = {
    "changed": lambda place: (place / "work/shared/decide.c").write_text("int decide(int speed) { return 0; }\n"),
    "new": lambda place: (place / "work/shared/more.c").write_text("int more;\n"),
    "gone": lambda place: (place / "work/car/log.csv").unlink(),
    "no folder": lambda place: (place / "work/empty").rmdir(),
}


def test_a_layout_that_was_spoiled_is_put_right(project):
    taken = take(project)
    for spoil in (*SPOILED.values(), lambda place: None):
        place = laid_out(taken)
        assert (place / "work/shared/decide.c").read_text() == DECIDE
        assert (place / "work/empty").is_dir()
        assert {path.relative_to(place).as_posix() for path in place.rglob("*") if path.is_file()} == {
            file.path for file in taken.snapshot.files
        }
        spoil(place)


def test_a_cache_that_cannot_be_written_is_told(project, tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setattr("soid.case.snapshot.cache_folder", lambda: tmp_path / "file")
    with pytest.raises(CaseError, match="SOID_CACHE"):
        laid_out(take(project))


# --- changes --------------------------------------------------------------------------------------------------


def test_changes_where_it_was_taken(project):
    snapshot = take(project).snapshot
    assert snapshot.changes() == ()
    (project / "notes.txt").write_text("still nothing to the program\n")
    assert snapshot.changes() == ()
    (project.parent / "shared" / "more.c").write_text("int more;\n")
    assert snapshot.changes() == ("work/shared/more.c is new",)
    (project.parent / "include" / "limits.h").write_text("#define LIMIT 90\n")
    assert snapshot.changes() == ("work/include/limits.h has changed",)
    edit(project / "soid.toml", "entry", "entree")
    assert snapshot.changes() == ("work/car/soid.toml has changed", "work/include/limits.h has changed")
    shutil.rmtree(project)
    assert snapshot.changes() == ()
