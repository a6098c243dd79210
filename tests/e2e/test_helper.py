"""The helper changes nothing but the time: what a command prints, its status and its end are as without one."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from soid.cli.helper.meeting_place import peer
from tests.e2e.running import Ran, Soid
from tests.e2e.test_terminal import on_a_terminal
from tests.waiting import is_running, stop, until

WIDE = "would action == CANCEL if error == true and closed is anything and heat is anything"
HARD = ("ask", "might found if a is anything and b is anything", "--seconds", "9000")

OVEN = """\
#include "limit.h"
int heat, glow;
void step(void) { glow = heat > LIMIT; }
"""
MANIFEST = """\
[program]
engine = "c"
sources = ["oven.c"]
entry = "step"
[trace]
file = "log.jsonl"
[questions]
ask = ["did glow == 1"]
"""


class Helped:
    """A user with a helper: commands in a project, each with it and without."""

    def __init__(self, soid: Soid, place: Path) -> None:
        self.soid = soid
        self.place = place / "soid"

    @property
    def processes(self) -> list[int]:
        """The helpers, as the kernel knows them."""
        found = []
        for path in self.place.glob("*.socket"):
            with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as connection:
                connection.connect(str(path))
                found.append(peer(connection)[0])
        return found

    @property
    def process(self) -> int:
        (one,) = self.processes
        return one

    def begin(self, *question: str) -> int:
        """Have the helper started by a command, and wait until it is there."""
        self.soid.installed("ask", "--quiet", *question)
        until(lambda: self.processes)
        return self.process

    def __call__(self, *arguments: str, **variables: str) -> Ran:
        """Run a command, which the helper has run."""
        before = work_of_forks(helper := self.process)
        ran = self.soid.installed(*arguments, **variables)
        until(lambda: work_of_forks(helper) > before)
        return ran

    def alone(self, *arguments: str, **variables: str) -> Ran:
        return self.soid.installed(*arguments, **variables, SOID_HELPER="off")

    def same(self, *arguments: str, **variables: str) -> Ran:
        """Run a command with the helper and without: nothing may differ but seconds."""
        alone, ran = self.alone(*arguments, **variables), self(*arguments, **variables)
        assert ran.status == alone.status
        assert (timeless(ran.out), timeless(ran.err)) == (timeless(alone.out), timeless(alone.err))
        return ran


def timeless(text: str) -> str:
    """The text without what the clock says, and without progress, which a busy machine shows."""
    lines = [line for line in text.splitlines() if "Ctrl-C stops" not in line]
    text = re.sub(r'"seconds": \{[^}]*\}', "", "\n".join(lines))
    return re.sub(r"  seconds .*", "", text)


def work_of_forks(helper: int) -> int:
    """The page faults of all forks that the helper has seen end: each has some."""
    return int(Path(f"/proc/{helper}/stat").read_text().rpartition(")")[2].split()[8])


@pytest.fixture
def helped(microwave, tmp_path) -> Iterator[Helped]:
    yield from _helped(microwave, tmp_path)


def _helped(soid: Soid, tmp_path: Path) -> Iterator[Helped]:
    place = tmp_path / "run"
    place.mkdir(mode=0o700)
    soid.environment.update(SOID_HELPER="5", XDG_RUNTIME_DIR=str(place), XDG_CONFIG_HOME=str(tmp_path / "config"))
    soid.environment.pop("CI", None)
    yield Helped(soid, place)
    soid.installed("helper", "stop")


def test_whatever_is_run_is_the_same_as_without(helped):
    helped.begin()
    for arguments in (
        ("ask",),
        ("ask", "--json", WIDE),
        ("ask", "would action =="),
        ("ask", "--sekonds"),
        ("ask", "did action == CANCEL", "--project", "elsewhere"),
        ("explain", "--json", WIDE),
        ("inspect", "--step", "3"),
        ("log", "check"),
        ("scene", "--help"),
    ):
        helped.same(*arguments)
    assert helped.same("ask", WIDE, COLUMNS="60").out != helped.same("ask", WIDE, COLUMNS="120").out
    text = helped("inspect", "--help", COLUMNS="60").out
    assert max(map(len, text.splitlines())) <= 60 and text == helped.alone("inspect", "--help", COLUMNS="60").out


def test_where_no_locale_is_set_it_is_the_same_too(helped):
    """Python then changes its own environment as it starts."""
    for name in {each for each in helped.soid.environment if each == "LANG" or each.startswith("LC_")}:
        del helped.soid.environment[name]
    helped.begin()
    helped.same("ask", WIDE)


def test_a_terminal_sees_the_same(helped):
    helped.begin()
    assert timeless(on_a_terminal(helped.soid, "ask", WIDE)) == timeless(
        on_a_terminal(helped.soid, "ask", WIDE, SOID_HELPER="off")
    )


def test_files_folder_and_umask_are_the_command_s_own(helped, tmp_path):
    helper = helped.begin()
    made = {}
    for way in ("5", "off"):
        before, place = work_of_forks(helper), tmp_path / f"with {way}"
        place.mkdir()
        project = os.open(helped.soid.project, os.O_RDONLY)
        ran = subprocess.run(
            [helped.soid.command, "ask", "--quiet", WIDE, "-p", f"/dev/fd/{project}", "--log-queries", "queries"],
            cwd=place,
            env=helped.soid.environment | {"SOID_HELPER": way},
            pass_fds=(project,),
            umask=0o027,
            capture_output=True,
            text=True,
            check=False,
        )
        os.close(project)
        assert (ran.returncode, ran.stdout) == (0, "yes\n"), ran.stderr
        assert way == "off" or work_of_forks(helper) > before
        made[way] = [(each.name, each.stat().st_mode & 0o777) for each in sorted(place.rglob("*"))]
    assert made["5"] == made["off"] and ("queries", 0o750) in made["5"]


@pytest.fixture
def oven(tmp_path, command, environment) -> Iterator[Helped]:
    """A program in C, with a header, of which the helper keeps what it has read."""
    project = tmp_path / "oven"
    project.mkdir()
    soid = Soid(command, project, environment)
    for name, text in (("oven.c", OVEN), ("limit.h", "#define LIMIT 10\n"), ("soid.toml", MANIFEST)):
        soid.write(name, text)
    soid.write("log.jsonl", '{"heat": 12, "glow": 1}\n')
    yield from _helped(soid, tmp_path)


def test_no_change_of_a_file_is_missed(oven):
    """Also of the same size and at the same time, which is all that looking at a file's status would see."""
    question = ("ask", "--json", "might glow == 1 if heat in {1, 5, 20}")
    oven.begin()

    def verdict() -> str:
        alone, ran = oven.alone(*question).json, oven(*question).json
        assert ran["verdict"] == alone["verdict"]
        return str(ran["verdict"])

    def rewritten(name: str, text: str) -> None:
        path = oven.soid.project / name
        times = path.stat().st_atime_ns, path.stat().st_mtime_ns
        path.write_text(text)
        os.utime(path, ns=times)

    assert [verdict(), verdict()] == ["yes", "yes"]
    rewritten("limit.h", "#define LIMIT 90\n")
    rewritten("log.jsonl", '{"heat": 12, "glow": 0}\n')
    assert verdict() == "no"
    rewritten("oven.c", OVEN.replace("> LIMIT", "< LIMIT"))
    assert verdict() == "error"  # the log says otherwise
    rewritten("log.jsonl", '{"heat": 12, "glow": 1}\n')
    assert verdict() == "yes"
    oven.soid.write("soid.toml", MANIFEST.replace('"oven.c"]', '"oven.c"]\ndefines = ["heat=cold"]'))
    assert verdict() == "error" and oven.same("inspect").out.count("cold")
    shutil.rmtree(oven.soid.project)
    oven.soid.project.mkdir()
    assert oven.same(*question).status == oven.alone(*question).status


def test_another_environment_has_another_helper(helped):
    helped.begin()
    helped.soid.installed("ask", "--quiet", SOID_RECIPE_OF_NO_MEANING="1")
    until(lambda: len(helped.processes) == 2)
    plain = helped.soid.installed("ask", WIDE, LC_ALL="C")
    assert timeless(plain.out) == timeless(helped.alone("ask", WIDE, LC_ALL="C").out)


def test_commands_at_the_same_time_do_not_meet(helped):
    helped.begin()
    questions = [WIDE, "did action == CANCEL", "did action == CLOSE", WIDE]
    expected = [helped.alone("ask", "--quiet", each).out for each in questions]
    command = [str(helped.soid.command), "ask", "--quiet"]
    where = {"cwd": helped.soid.project, "env": helped.soid.environment}
    running = [subprocess.Popen([*command, each], stdout=subprocess.PIPE, text=True, **where) for each in questions]
    assert [each.communicate()[0] for each in running] == expected


# --- what ends in the middle ----------------------------------------------------------------------------------


@pytest.fixture
def at_work(hard, tmp_path) -> Iterator[tuple[subprocess.Popen[str], int, int]]:
    """A command that would take hours, in a fork; the helper's process and the fork's."""
    for helped in _helped(hard, tmp_path):
        helper = helped.begin("did found")
        command = subprocess.Popen(
            [hard.command, *HARD],
            cwd=hard.project,
            env=hard.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert command.stderr is not None
        assert "Ctrl-C stops" in command.stderr.readline()
        (fork,) = map(int, Path(f"/proc/{helper}/task/{helper}/children").read_text().split())
        yield command, helper, fork
        command.kill()
        command.communicate()


def test_ctrl_c_stops_the_fork(at_work):
    command, _, fork = at_work
    command.send_signal(signal.SIGINT)
    out, err = command.communicate()
    assert (command.returncode, out) == (130, "") and "Stopped: nothing was concluded." in err
    until(lambda: not is_running(fork))


def test_a_command_that_is_killed_takes_its_fork_along(at_work):
    command, helper, fork = at_work
    command.kill()
    until(lambda: not is_running(fork))
    assert is_running(helper)


def test_a_fork_that_is_killed_is_a_command_that_is_killed(at_work):
    command, _, fork = at_work
    os.kill(fork, signal.SIGKILL)
    out, _ = command.communicate()
    assert (command.returncode, out) == (-signal.SIGKILL, "")


def test_a_helper_that_is_killed_leaves_the_command_as_it_is(at_work):
    command, helper, fork = at_work
    os.kill(helper, signal.SIGKILL)
    until(lambda: not is_running(helper))
    assert is_running(fork) and command.poll() is None
    command.send_signal(signal.SIGINT)
    assert "Stopped: nothing was concluded." in command.communicate()[1]
    assert command.returncode == 130


def test_after_a_killed_helper_there_is_another(helped):
    os.kill(helped.begin(), signal.SIGKILL)
    assert helped.soid.installed("ask", "did action == CANCEL").status == 1
    assert helped.begin()
    helped.same("ask", WIDE)


def test_a_helper_that_hangs_is_not_waited_for(helped):
    stop(helper := helped.begin())
    ran = helped.soid.installed("ask", "did action == CANCEL")
    assert ran.status == 1
    os.kill(helper, signal.SIGCONT)


# --- its beginning and its end --------------------------------------------------------------------------------


def test_an_idle_helper_ends(helped):
    helped.soid.environment["SOID_HELPER"] = "0.04"
    helped.soid.installed("ask", "--quiet")
    until(lambda: [*helped.place.glob("*.socket")])  # without a question to it, which would keep it
    until(lambda: not [*helped.place.iterdir()])


def test_a_user_can_do_without(helped):
    helper = helped.begin()
    assert "no helper" in helped.soid.installed("helper", "off").out
    assert not is_running(helper)
    helped.soid.installed("ask", WIDE)
    said = helped.soid.installed("helper", "status", "--json").json
    assert (said["used"], said["running"]) == (False, [])
    helped.soid.installed("helper", "on")
    assert helped.soid.installed("helper", "status", "--json").json["used"] is True


def test_a_folder_that_others_may_enter_is_not_used(helped):
    helped.place.mkdir(mode=0o755)
    assert helped.soid.installed("ask", "did action == CANCEL").status == 1
    assert not list(helped.place.iterdir())


def test_a_helper_of_another_soid_ends(helped, tmp_path):
    """A folder that Python searches for modules has changed: what was loaded may be of another version."""
    site = tmp_path / "site"
    site.mkdir()
    helped.soid.environment["PYTHONPATH"] = str(site)
    helper = helped.begin()
    (site / "soid_extra.py").write_text("")
    helped.soid.installed("ask", WIDE)
    until(lambda: not is_running(helper))
