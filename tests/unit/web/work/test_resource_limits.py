"""The limits of work on uploaded files: they hold for what is started, and end with the work."""

import resource
import subprocess
import sys

import pytest

from soid.web.work.resource_limits import confined


def test_limits_hold_for_what_is_started_and_are_lifted_afterwards(tmp_path):
    """In a process of its own: a limit of processor time would be one for the tests too."""
    script = """
import resource, subprocess, sys
from soid.web.work import resource_limits as limits
limits.WRITTEN = 1 << 20
def ended(code):
    return subprocess.run([sys.executable, "-c", code], stderr=subprocess.DEVNULL).returncode
before = [resource.getrlimit(each) for each in (resource.RLIMIT_AS, resource.RLIMIT_CPU, resource.RLIMIT_FSIZE)]
with limits.confined(memory=1 << 30, seconds=1):
    assert ended("pass") == 0
    assert ended("while True: pass") < 0
    assert ended("bytearray(6 << 30)") != 0
    assert ended("open('too-large', 'wb').write(bytes(2 << 20))") != 0
assert before == [resource.getrlimit(each) for each in (resource.RLIMIT_AS, resource.RLIMIT_CPU, resource.RLIMIT_FSIZE)]
print("held")
"""
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, cwd=tmp_path)
    assert ran.stdout == "held\n", ran.stderr


def test_limits_are_lifted_when_the_work_fails():
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    with pytest.raises(KeyError), confined():
        _ = {True: "no limit"}[resource.getrlimit(resource.RLIMIT_FSIZE) == before]
    assert resource.getrlimit(resource.RLIMIT_FSIZE) == before
