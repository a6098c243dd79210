"""Signals that ask a command to end: noted, so that a KeyboardInterrupt that gets lost still ends the work."""

from __future__ import annotations

import signal
import subprocess
import sys

COMMAND = """
import signal, sys, threading, weakref
from soid.cli.stop_signals import heed_stop_signals
from soid.cli.terminal.progress import watched

heed_stop_signals()

class Thing: pass

def lose(_):  # as an import does: what is raised in here is printed, and lost
    signal.raise_signal(signal.{name})

thing = Thing()
reference = weakref.ref(thing, lose)
sys.unraisablehook = lambda _: None
del thing
try:
    watched(lambda cancel, report: threading.Event().wait(1000), quiet=True)
except KeyboardInterrupt:
    print("stopped", flush=True)
"""


def test_a_signal_whose_exception_gets_lost_stops_the_work_all_the_same():
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        if signal.getsignal(signal.Signals[name]) is signal.SIG_IGN:
            continue  # under nohup it stops nothing
        script = COMMAND.format(name=name)
        words = [sys.executable, "-c", f"import soid.cli.terminal.progress as p; p.GRACE = 0.1\n{script}"]
        ran = subprocess.run(words, capture_output=True, text=True, check=False)
        assert ran.stdout == "stopped\n", ran.stderr


def test_a_signal_that_is_ignored_stays_ignored():
    script = (
        "import signal; signal.signal(signal.SIGHUP, signal.SIG_IGN); from soid.cli.stop_signals import *; "
        "heed_stop_signals(); signal.raise_signal(signal.SIGHUP); print(asked_to_stop())"
    )
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert ran.stdout == "False\n", ran.stderr
