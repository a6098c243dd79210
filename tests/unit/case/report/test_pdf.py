import os
import threading
import time

import pytest

from soid.budget import Cancellation
from soid.case.report.pdf import print_page
from soid.errors import EnvironmentalError
from tests.unit.cli.chromium import chromium


def test_a_chromium_that_makes_no_pdf_is_quoted(tmp_path, monkeypatch):
    chromium(tmp_path, monkeypatch, "echo no screen here >&2; exit 3")
    with pytest.raises(EnvironmentalError, match="made no PDF: no screen here"):
        print_page("<p>", tmp_path / "a.pdf", Cancellation())
    assert not (tmp_path / "a.pdf").exists()


def test_a_chromium_that_hangs_goes_when_it_is_called_off(tmp_path, monkeypatch):
    chromium(tmp_path, monkeypatch, f"echo $$ > {tmp_path}/pid; sleep 600")
    cancel = Cancellation()

    def call_off() -> None:
        while not (tmp_path / "pid").exists() or not (tmp_path / "pid").read_text().strip():
            time.sleep(0.01)
        cancel.cancel()

    threading.Thread(target=call_off, daemon=True).start()
    with pytest.raises(EnvironmentalError, match="made no PDF"):
        print_page("<p>", tmp_path / "a.pdf", cancel)
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "pid").read_text()), 0)
