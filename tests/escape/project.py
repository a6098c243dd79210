"""A trick as files: as a project, as a bundle, and as an upload."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from functools import cache
from pathlib import Path

from soid.jail.launcher import packaged_zig
from tests.escape.payload import HEAD
from tests.escape.traces import Surroundings
from tests.escape.trick import LOG, Content, Trick, Variant
from tests.unit.evidence.forging import Payloads, rewritten, sealed

_CONDITIONS = {
    # the run that lists which files are read has no flag of the builds: there the stack is protected
    Variant.UNLISTED: "!defined(__SSP_STRONG__)",
    Variant.TRAPPING: "__has_feature(undefined_behavior_sanitizer) && !defined(__SSP_STRONG__)",
    Variant.OPTIMISED: "defined(__OPTIMIZE__)",
    Variant.TWIN: "!defined(__OPTIMIZE__)",
}
_NAMES = {Variant.CPLUSPLUS: "p.cpp", Variant.TEXT: "p.ll", Variant.BITCODE: "p.bc"}
_WRITER = """
import sys
from llvmlite import binding
text = open(sys.argv[1], encoding="latin-1").read()
sys.stdout.buffer.write(binding.parse_assembly(text).as_bitcode())
"""
#: as soid compiles for analysis
_IR = ("-g", "-O0", "-fno-sanitize=all", "-fno-stack-protector", "-Xclang", "-disable-O0-optnone", "-emit-llvm")


def zig(*arguments: str, folder: Path, seconds: float = 60.0) -> subprocess.CompletedProcess[bytes]:
    """The compiler, without soid around it."""
    binary = packaged_zig()
    assert binary is not None
    return subprocess.run(
        [str(binary), "cc", "-target", "x86_64-linux-gnu", *arguments],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=seconds,
        check=False,
    )


def lay_out(trick: Trick, variant: Variant, around: Surroundings) -> dict[str, bytes]:
    """The project's files, as the trick has them in this variant."""
    name = _NAMES.get(variant, "p.c")
    files = {"soid.toml": manifest(trick, variant, name), "log.jsonl": LOG}
    given = {path: _content(content, around) for path, content in {**files, **trick.files}.items()}
    if name not in trick.files:
        given[name] = _program(trick, variant, around)
    for path, data in given.items():
        (around.project / path).parent.mkdir(parents=True, exist_ok=True)
        (around.project / path).write_bytes(data)
    return given


def manifest(trick: Trick, variant: Variant, name: str) -> str:
    lines = [] if "engine =" in trick.program else ['engine = "llvm"', 'entry = "decide"']
    if "sources =" not in trick.program and lines:
        lines.append(f'sources = ["{name}"]')
    if flags := flags_of(trick, variant):
        lines.append(f"flags = {json.dumps(flags)}")
    if trick.defines:
        lines.append(f"defines = {json.dumps(trick.defines)}")
    trace = "" if "[trace]" in trick.tables else '[trace]\nfile = "log.jsonl"\n'
    return "[program]\n" + "\n".join(lines) + f"\n{trick.program}\n{trace}{trick.tables}"


def flags_of(trick: Trick, variant: Variant) -> list[str]:
    return [*trick.flags, *(["-O2"] if variant in (Variant.OPTIMISED, Variant.TWIN) else [])]


def text_of(trick: Trick, variant: Variant, around: Surroundings) -> str:
    """The program in C or C++."""
    body = _content(trick.body, around).decode("latin-1")
    head = around.fill(HEAD) if any(word in body for word in ("leave", "syscall(", "tell(", "__assert_fail(")) else ""
    decide = f'extern "C" {trick.decide}' if variant is Variant.CPLUSPLUS else trick.decide
    if condition := _CONDITIONS.get(variant):
        return f"#if {condition}\n{head}{body}\n#endif\n{around.fill(decide)}"
    return f"{head}{body}\n{around.fill(decide)}"


def _program(trick: Trick, variant: Variant, around: Surroundings) -> bytes:
    text = text_of(trick, variant, around).encode("latin-1")
    if variant not in (Variant.TEXT, Variant.BITCODE):
        return text
    ir = _compiled(text, around) + around.fill(trick.ir).encode("latin-1")
    return ir if variant is Variant.TEXT else _bitcode(ir, around.place)


def _compiled(text: bytes, around: Surroundings) -> bytes:
    folder = around.place / "ready"
    folder.mkdir(exist_ok=True)
    (folder / "p.c").write_bytes(text)
    done = zig("-S", *_IR, "p.c", "-o", "p.ll", folder=folder)
    assert done.returncode == 0, done.stderr.decode()
    return (folder / "p.ll").read_bytes()


def _bitcode(text: bytes, place: Path) -> bytes:
    """By LLVM itself, in a process of its own: some of these texts end it."""
    (place / "ready.ll").write_bytes(text)
    done = subprocess.run(
        [sys.executable, "-c", _WRITER, str(place / "ready.ll")], capture_output=True, timeout=60.0, check=False
    )
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout


def _content(content: Content, around: Surroundings) -> bytes:
    made = content() if callable(content) else content
    if isinstance(made, bytes):
        return made
    return around.fill(made).encode("latin-1") if len(made) < 1 << 16 else made.encode("latin-1")


def bundled(base: bytes, project: dict[str, bytes]) -> bytes:
    """An honest bundle in which the project is another one, and the record says that it always was."""
    held = {f"car/{path}": data for path, data in project.items()}
    folders = sorted({str(Path(path).parent) for path in held})

    def change(payloads: Payloads) -> None:
        payloads[0]["folders"] = folders
        payloads[0]["files"] = [
            {"path": path, "sha256": hashlib.sha256(data).hexdigest(), "size": len(data)}
            for path, data in sorted(held.items())
        ]

    files = {name: data for name, data in rewritten(base, change).items() if not name.startswith("project/")}
    return sealed(files | {f"project/{path}": data for path, data in held.items()})


@cache
def honest_bundle(place: Path) -> bytes:
    """The bundle that the forged ones are made of: one fact of a decision, one of a failure."""
    from soid.case.case import Case
    from soid.evidence.bundle import bundle
    from tests.escape.guest import QUESTIONS
    from tests.escape.trick import DECIDE

    project = place / "car"
    project.mkdir(parents=True)
    plain = Trick("honest", "none", ())
    (project / "p.c").write_text(DECIDE)
    (project / "log.jsonl").write_text(LOG)
    (project / "soid.toml").write_text(manifest(plain, Variant.PLAIN, "p.c"))
    with Case.create(place / "car.case", project, title="A car", who="ada") as case:
        for question in QUESTIONS:
            case.ask(question)
    made = bundle(place / "car.case", solvers=("bitwuzla",))
    assert len(made.facts) == len(QUESTIONS) and made.refused == ()
    return made.data
