"""Runs cells of the table: a trick in a variant, by a user, by each way in; and the same without confinement."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from soid.jail.launcher import packaged_zig
from tests.escape.project import bundled, flags_of, lay_out
from tests.escape.traces import Surroundings, now
from tests.escape.trick import Trace, Trick, Variant, Way

ROOT = Path(__file__).parents[2]
#: root is there only where the tests run as root; the ordinary user is then another one
USERS = {"root": 0, "nobody": 65534} if os.geteuid() == 0 else {"nobody": os.geteuid()}
#: seconds that a run may take: far more than the five that it is given, on a busy machine too
PATIENCE = 60.0
_UPLOADABLE = (".c", ".cc", ".cpp", ".cxx", ".h", ".hh", ".hpp", ".inc", ".def", ".jsonl")
_CALLER = "extern int decide(int); int main(void) { return decide(5); }\n"
_CONTROL_PATIENCE = 20.0  # seconds


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
        os.chown(self.home, uid, uid)
        environment = {
            name: value for name, value in os.environ.items() if name not in ("XDG_CACHE_HOME", "SOID_CACHE")
        }
        environment |= {
            "HOME": str(self.home),
            "SOID_CACHE": str(self.home / "cache"),
            "PYTHONPATH": os.pathsep.join(["src", "."]),
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
        assert self._process.stdin is not None
        self._process.stdin.close()
        with suppress(subprocess.TimeoutExpired):
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
        answer = self._asked({"way": way.value, "place": str(around.place), "seconds": seconds})
        said = (around.place / "output").read_bytes() if (around.place / "output").exists() else b""
        if around.project.exists():
            shutil.rmtree(around.project)  # what the stranger wrote is no trace
        (around.place / "output").unlink(missing_ok=True)
        traces = around.left(said, since, (self.home / "cache",))
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

    def unconfined(self, trick: Trick, variant: Variant) -> frozenset[Trace]:
        """What the trick leaves if its program is compiled, and run, as any other."""
        around = self.around()
        bystander = subprocess.Popen(["sleep", "1000"])
        around.words["BYSTANDER"] = str(bystander.pid)
        try:
            lay_out(trick, variant, around)
            if trick.prepare is not None:
                trick.prepare(around, b"")
            since = now()
            said, found = _without_soid(trick, variant, around)
            shutil.rmtree(around.project)
            traces = around.left(said, since) | found
            if bystander.poll() is not None:
                traces.add(Trace.SIGNAL)
            return frozenset(traces)
        finally:
            bystander.kill()
            bystander.wait()
            around.close()


#: LLVM's reader in a process of its own, as soid calls it
_READER = """
import sys
from llvmlite import binding
data = open(sys.argv[1], "rb").read()
module = binding.parse_bitcode(data) if data[:2] == b"BC" else binding.parse_assembly(data.decode())
module.verify()
str(module)
"""
_SOLVER = "import sys, z3; print(z3.Z3_eval_smtlib2_string(z3.main_ctx().ref(), open(sys.argv[1]).read()))"


def _without_soid(trick: Trick, variant: Variant, around: Surroundings) -> tuple[bytes, set[Trace]]:
    """What is said, and what is left, where the same files are given to the tools alone."""
    name = {Variant.CPLUSPLUS: "p.cpp", Variant.TEXT: "p.ll", Variant.BITCODE: "p.bc"}.get(variant, "p.c")
    if trick.control in ("read", "solve"):
        text, file = (_READER, name) if trick.control == "read" else (_SOLVER, "formula.smt2")
        return _ran([sys.executable, "-c", text, file], around)
    traps = ("-fsanitize=undefined", "-fsanitize-trap=undefined") if variant is Variant.TRAPPING else ()
    level = ("-O0",) if variant is Variant.TWIN else ()
    flags = [*flags_of(trick, variant), *level, *(traps or ("-fno-sanitize=all",)), "-fno-stack-protector"]
    defines = [around.fill(f"-D{define}") for define in trick.defines]
    (around.project / "caller.c").write_text(_CALLER)
    runs = trick.control == "run"
    more = (name, "caller.o", "-o", "program") if runs else ("-c", name, "-o", "program")
    compiler = [str(packaged_zig()), "cc", "-target", "x86_64-linux-gnu", "-Wno-override-module"]
    said = b""
    found: set[Trace] = set()
    for words in ([*compiler, "-c", "caller.c"], [*compiler, *flags, *defines, *more]):
        out, left = _ran(words, around)
        said, found = said + out, found | left
    if runs and (around.project / "program").exists():
        out, left = _ran(["./program"], around)
        said, found = said + out, found | left
    elif (around.project / "program").exists() and around.secret.encode() in (around.project / "program").read_bytes():
        found.add(Trace.SECRET)
    if runs and (around.project / "program").exists():
        if around.secret.encode() in (around.project / "program").read_bytes():
            found.add(Trace.SECRET)
    return said, found


def _ran(words: Sequence[str], around: Surroundings) -> tuple[bytes, set[Trace]]:
    """A command's output, and whether it came to an end."""
    output = around.place / "said"
    with output.open("wb") as file:
        process = subprocess.Popen(
            words, cwd=around.project, stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.STDOUT
        )
        try:
            status = process.wait(_CONTROL_PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            return b"", {Trace.HANG}
    said = output.read_bytes()
    output.unlink()
    return said, {Trace.CRASH} if status < 0 else set()
