import errno
import json

import pytest

from soid.cli import failure
from soid.errors import InternalError, UnknownVariableError


def raising(error: BaseException):
    def command(arguments: list[str]) -> int:
        raise error

    return command


@pytest.fixture(autouse=True)
def state_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("COLUMNS", "200")
    return tmp_path / "state" / "soid" / "reports"


def test_an_error_says_cause_and_remedy(capsys):
    error = UnknownVariableError("there is no variable eror\n  did eror\n      ^^^^", "Did you mean error?")
    assert failure.guarded(raising(error), ["ask"]) == 19
    out, err = capsys.readouterr()
    assert out == ""
    assert err == "error: there is no variable eror\n  did eror\n      ^^^^\n  Did you mean error?\n"


def test_an_error_is_an_object_for_scripts(capsys):
    error = UnknownVariableError("there is no variable eror", "Did you mean error?")
    assert failure.guarded(raising(error), ["ask", "--json"]) == 19
    out, err = capsys.readouterr()
    assert err == ""
    assert json.loads(out) == {
        "verdict": "error",
        "reason": "there is no variable eror",
        "error": {
            "code": "unknown_variable",
            "type": "UnknownVariableError",
            "cause": "there is no variable eror",
            "remedy": "Did you mean error?",
        },
    }


@pytest.mark.parametrize("error", [InternalError("a contradiction"), ZeroDivisionError("division by zero")])
def test_a_bug_is_called_one_and_leaves_a_report(error, capsys, state_folder):
    assert failure.guarded(raising(error), ["ask", "did x == 1"]) == 70
    err = capsys.readouterr().err
    assert "a bug in soid" in err
    assert "Traceback" not in err
    (report,) = state_folder.iterdir()
    assert str(report) in err
    text = report.read_text()
    assert "Traceback" in text and type(error).__name__ in text and "'did x == 1'" in text


def test_a_report_finds_a_place_where_the_state_folder_cannot_be_written(capsys, monkeypatch, tmp_path):
    blocked = tmp_path / "a-file"
    blocked.write_text("")
    monkeypatch.setenv("XDG_STATE_HOME", str(blocked))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert failure.guarded(raising(InternalError("a contradiction")), []) == 70
    (report,) = tmp_path.glob("soid-*.txt")
    assert str(report) in capsys.readouterr().err


def test_ctrl_c_is_said_plainly(capsys):
    assert failure.guarded(raising(KeyboardInterrupt()), []) == 130
    assert "Stopped" in capsys.readouterr().err


def test_a_full_disk_is_no_bug():
    full = OSError(errno.ENOSPC, "No space left on device")
    assert failure.describe(full, []).exit_code == 74
