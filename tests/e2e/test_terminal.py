"""How it behaves: in a pipe, on a terminal, without colour, when it is stopped, when its reader goes away."""

from __future__ import annotations

import contextlib
import os
import pty
import re
import signal
import subprocess
import time

import pytest

from tests.e2e.running import Soid

COLOUR = re.compile(r"\x1b\[[0-9;]*\b(?:3[0-8]|4[0-8]|9[0-7]|10[0-7])(?:;[0-9;]*)?m")
WIDE = "would action == CANCEL if error == true and closed is anything and heat is anything"


def on_a_terminal(soid: Soid, *arguments: str, **variables: str) -> str:
    """What a user sees: standard output and standard error are a terminal."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [soid.command, *arguments],
        cwd=soid.project,
        env=soid.environment | variables,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
    )
    os.close(theirs)
    seen = b""
    with contextlib.suppress(OSError):  # the other end is closed
        while read := os.read(ours, 65536):
            seen += read
    process.wait()
    os.close(ours)
    return seen.decode()


@pytest.mark.parametrize(
    "arguments",
    [
        ("ask", WIDE),
        ("ask", "-v", WIDE),
        ("inspect", "--step", "3"),
        ("doctor",),
        ("demo", "microwave"),
        ("demo", "--list"),
        ("--help",),
        ("ask", "--help"),
    ],
    ids=" ".join,
)
def test_a_pipe_gets_plain_text(microwave, arguments):
    # help is typer's, and how it writes is settled when it is loaded
    run = microwave.installed if arguments == ("ask", WIDE) or "--help" in arguments else microwave
    ran = run(*arguments)
    assert ran.status in (0, 1)
    assert all("Ctrl-C stops" in line for line in ran.err.splitlines())  # a busy machine may take more than a second
    assert "\x1b" not in ran.out and "\r" not in ran.out
    assert all(len(line) <= 80 or "/" in line for line in ran.out.splitlines())  # a path is never broken, however long


def test_a_terminal_gets_colour_unless_it_is_not_wanted(microwave):
    assert COLOUR.search(on_a_terminal(microwave, "ask", WIDE))
    assert not COLOUR.search(on_a_terminal(microwave, "ask", WIDE, NO_COLOR="1"))
    assert "\x1b" not in on_a_terminal(microwave, "ask", WIDE, TERM="dumb")


@pytest.mark.parametrize("columns", ["20", "40", "60", "200"])
def test_no_number_is_broken_however_narrow(hard, columns):
    hard.write("log.jsonl", '{"a": 18446744073709551557, "b": 18446744073709551533, "found": false}')
    ran = hard("ask", "did found", "-v", COLUMNS=columns)
    assert ran.status == 1
    assert "18446744073709551557" in ran.out and "18446744073709551533" in ran.out


def test_a_terminal_that_knows_only_ascii(microwave):
    ran = microwave.installed("ask", WIDE, PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert ran.status == 0
    assert "+ YES" in ran.out
    assert ran.out.isascii()


def test_ctrl_c_stops_everything(hard):
    process = subprocess.Popen(
        [hard.command, "ask", "might found if a is anything and b is anything", "--seconds", "9000"],
        cwd=hard.project,
        env=hard.environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stderr is not None
    assert "Ctrl-C stops" in process.stderr.readline()  # it is at work
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to the command and to the solvers it started
    out, err = process.communicate()
    assert process.returncode == 130
    assert "Stopped: nothing was concluded." in err
    assert "Traceback" not in err
    assert out == ""
    wait_for_the_end(process.pid)


def wait_for_the_end(group: int) -> None:
    """Return when no process of the group is left; dead ones count until their parent has collected them."""
    with contextlib.suppress(ProcessLookupError):
        while True:
            os.killpg(group, 0)
            time.sleep(0.05)


def test_a_reader_that_goes_away_is_no_verdict(microwave):
    shell = f"'{microwave.command}' ask | head -n 1; echo ${{PIPESTATUS[0]}}"
    ran = subprocess.run(
        ["bash", "-c", shell],
        cwd=microwave.project,
        env=microwave.environment,
        capture_output=True,
        text=True,
        check=False,
    )
    first, status = ran.stdout.splitlines()
    assert first.startswith("Question 1 of 7")
    assert status in ("0", "141")  # 0: everything was written before the reader went
    assert ran.stderr == ""


def test_a_full_disk_is_said_plainly(microwave):
    for option in ("--json", "--verbose"):
        ran = subprocess.run(
            ["bash", "-c", f"'{microwave.command}' ask 'did action == CLOSE' {option} > /dev/full"],
            cwd=microwave.project,
            env=microwave.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert ran.returncode == 74
        assert ran.stderr.startswith("error: the output cannot be written: No space left on device")
