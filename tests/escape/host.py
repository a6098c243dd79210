"""Runs cells of the table: a trick in a variant, by a user, by each way in."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from tests.escape.project import bundled, flags_of, lay_out
from tests.escape.traces import Surroundings, now
from tests.escape.trick import Trace, Trick, Variant, Way

ROOT = Path(__file__).parents[2]
#: root is there only where the tests run as root; the ordinary user is then another one
USERS = {"root": 0, "nobody": 65534} if os.geteuid() == 0 else {"nobody": os.geteuid()}
#: seconds of processor time that a command may take: far more than the five that it is given
PATIENCE = 20.0
#: how many commands a way in has, about
_COMMANDS = {Way.VERIFY: 1, Way.CASE: 1, Way.ASK: 2, Way.UPLOAD: 3}
_UPLOADABLE = (".c", ".cc", ".cpp", ".cxx", ".h", ".hh", ".hpp", ".inc", ".def", ".jsonl")


@dataclass(frozen=True)
class Found:
    """What came of a run."""

    traces: frozenset[Trace]
    output: str
    seconds: float  # that it took
    used: float  # of processor time


class Host:
    """A user's machine: a process of that user, with its own home and caches."""

    def __init__(self, uid: int) -> None:
        self.uid = uid
        self.base = Path(tempfile.mkdtemp(prefix="soid-escape-", dir="/tmp"))
        self.base.chmod(0o755)
        self.home = self.base / "home"
        self.home.mkdir()
        if os.geteuid() == 0:
            os.chown(self.home, uid, uid)
        environment = {
            name: value for name, value in os.environ.items() if name not in ("XDG_CACHE_HOME", "SOID_CACHE")
        }
        environment |= {
            "HOME": str(self.home),
            "SOID_CACHE": str(self.home / "cache"),
            "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)]),  # runs change their folder
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.escape.guest", *([str(uid)] if uid != os.geteuid() else [])],
            cwd=ROOT,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._bystander = self._heard()["bystander"]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.close()
        self._process.stdout.close()
        with suppress(subprocess.TimeoutExpired):  # then it is killed
            self._process.wait(10)
        self._process.kill()
        self._process.wait()
        shutil.rmtree(self.base, ignore_errors=True)

    def _heard(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert line, "the guest has ended"
        answer: dict[str, Any] = json.loads(line)
        return answer

    def around(self) -> Surroundings:
        return Surroundings(self.base, self.uid, self._bystander)

    def run(self, trick: Trick, variant: Variant, base: bytes, seconds: float = PATIENCE) -> dict[Way, Found]:
        """Each way in, one after the other."""
        found = {}
        for way in trick.ways:
            if way is Way.UPLOAD and variant in (Variant.TEXT, Variant.BITCODE):
                continue  # no such file can be uploaded
            around = self.around()
            try:
                found[way] = self._run(trick, variant, way, around, base, seconds)
            finally:
                around.close()
        return found

    def _run(
        self, trick: Trick, variant: Variant, way: Way, around: Surroundings, base: bytes, seconds: float
    ) -> Found:
        project = lay_out(trick, variant, around)
        bundle = bundled(base, project) if way is Way.VERIFY else b""
        if trick.prepare is not None:
            bundle = trick.prepare(around, bundle) or bundle
        if way is Way.VERIFY:
            (around.place / "bundle.zip").write_bytes(bundle)
            shutil.rmtree(around.project)  # a bundle comes alone
        elif way is Way.UPLOAD:
            self._upload(trick, variant, project, around)
        around.own()
        since = now()
        answer = self._asked({"way": way.value, "place": str(around.place), "seconds": seconds * _COMMANDS[way]})
        said = (around.place / "output").read_bytes() if (around.place / "output").exists() else b""
        if around.project.exists():
            shutil.rmtree(around.project)  # what the stranger wrote is no trace
        (around.place / "output").unlink(missing_ok=True)
        traces = around.left(said, since, (self.home,))
        if answer["trouble"]:
            traces.add(Trace(answer["trouble"]))
        if answer.get("signal"):
            traces.add(Trace.SIGNAL)
        return Found(frozenset(traces), said.decode("utf-8", "replace"), answer["seconds"], answer["used"])

    def _upload(self, trick: Trick, variant: Variant, project: dict[str, bytes], around: Surroundings) -> None:
        area = around.place / "files"
        area.mkdir()
        names = [name for name in project if name.endswith(_UPLOADABLE) and "/" not in name]
        for name in names:
            (area / name).write_bytes(project[name])
        sources = [name for name in names if name.endswith((".c", ".cc", ".cpp", ".cxx"))]
        declared = {"sources": sources, "flags": flags_of(trick, variant), "defines": list(trick.defines)}
        (around.place / "declared.json").write_text(around.fill(json.dumps(declared)))
        shutil.rmtree(around.project)

    def _asked(self, job: dict[str, Any]) -> dict[str, Any]:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(job) + "\n")
        self._process.stdin.flush()
        answer = self._heard()
        self._bystander = answer["bystander"]
        return answer
