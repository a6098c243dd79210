"""Verifying on a machine that can neither lock files away nor hide them: a stranger's program is not run there."""

from __future__ import annotations

import json
import platform
import subprocess
import sys
from pathlib import Path

import pytest

from tests.escape.project import honest_bundle
from tests.unit.evidence.conftest import made_once

#: the calls for Landlock and namespaces fail from here on, as under an older kernel or in a container
VERIFY = """
import ctypes, json, struct, sys
from pathlib import Path

def instruction(code, jt, jf, k):
    return struct.pack("<HBBI", code, jt, jf, k)

LOAD, EQUAL, RETURN, DENY, ALLOW = 0x20, 0x15, 0x06, 0x00050001, 0x7FFF0000
rules = [instruction(LOAD, 0, 0, 0)]
for number in (444, 272):  # landlock_create_ruleset, unshare
    rules += [instruction(EQUAL, 0, 1, number), instruction(RETURN, 0, 0, DENY)]
rules.append(instruction(RETURN, 0, 0, ALLOW))
buffer = ctypes.create_string_buffer(b"".join(rules))
program = struct.pack("<HxxxxxxQ", len(rules), ctypes.addressof(buffer))
libc = ctypes.CDLL(None, use_errno=True)
assert libc.prctl(38, 1, 0, 0, 0) == 0 and libc.syscall(317, 1, 0, program) == 0

from soid.evidence.verify import verify
from soid.jail.launcher import layers

assert layers().filter and not layers().locks_files
report = verify(Path(sys.argv[1]), replay=sys.argv[2])
runs = [(fact, check) for fact in report.facts for check in fact.checks if check.about == "the run"]
print(json.dumps([(fact.standing.value, check.words) for fact, check in runs]))
"""


@pytest.mark.skipif(
    sys.platform != "linux" or platform.machine() != "x86_64", reason="the numbers are those of Linux on x86-64"
)
def test_facts_are_proved_anew_without_a_replay(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    bundle = made_once("car", tmp_path_factory, lambda: honest_bundle(tmp_path_factory.mktemp("honest") / "place"))
    (tmp_path / "car.zip").write_bytes(bundle)

    def verified(replay: str) -> list[tuple[str, str]]:
        command = [sys.executable, "-c", VERIFY, str(tmp_path / "car.zip"), replay]
        told = json.loads(subprocess.run(command, capture_output=True, check=True, text=True).stdout)
        return [(standing, words) for standing, words in told]

    missing = "not confirmed: this machine cannot confine it, and it may not run unconfined"
    assert verified("confined") == [("re-explored only", missing)] * 2
    assert {standing for standing, _ in verified("unconfined")} == {"re-proved"}
