"""Programs that csmith writes: the engine against the compiled program, on single states and on a small family.

    python -m tests.differential.csmith 1000 --jobs 2

csmith comes with Debian (`csmith`, `libcsmith-dev`). Its programs have no undefined behaviour and end in a checksum of
all their variables, which is the decision here. The entry's parameter changes one variable before the program begins. A
program that does not end natively within three seconds is left out. Refusals are counted by their reasons.
"""

from __future__ import annotations

import argparse
import multiprocessing
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Final

from soid import Project
from soid.engine.llvm.compiler.toolchain import find_toolchain
from soid.errors import LimitError
from soid.oracle.inquiry import Settings

RUNTIME: Final = Path("/usr/include/csmith")
STATES: Final = (0, 1, 2, 5)
_SCALAR: Final = re.compile(r"^static (?:volatile )?u?int(?:8|16|32|64)_t (g_\d+) = ", re.MULTILINE)
_WRAPPER: Final = """
#define main csmith_main
#include "program.c"
#undef main
uint32_t decide(uint32_t x) {{ {change} csmith_main(); return crc32_context ^ 0xFFFFFFFFu; }}
#ifdef NATIVE
int main(int count, char **words) {{ printf("\\n%u\\n", decide((uint32_t)strtoul(words[1], 0, 10))); return 0; }}
#endif
"""
_MANIFEST: Final = """
[program]
engine  = "llvm"
sources = ["entry.c"]
include = ["runtime"]
entry   = "decide"
flags   = ["-w"]
"""


@dataclass
class Outcome:
    """What came of some programs."""

    counts: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)  # programs by reason
    found: list[str] = field(default_factory=list)  # disagreements
    said: list[str] = field(default_factory=list)  # which programs were refused, and why

    def add(self, other: Outcome) -> None:
        self.counts.update(other.counts)
        self.refused.update(other.refused)
        self.found += other.found


def write_program(seed: int, folder: Path) -> None:
    """A program with its entry, a manifest, and csmith's headers beside it."""
    file = folder / "program.c"
    command = ["csmith", "--seed", str(seed), "--output", str(file), "--no-argc", "--concise"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd=folder)
    changed = _SCALAR.search(file.read_text())
    change = f"{changed[1]} ^= x;" if changed else "(void)x;"
    (folder / "entry.c").write_text(f"#include <stdlib.h>{_WRAPPER.format(change=change)}")
    (folder / "runtime").symlink_to(RUNTIME)
    (folder / "soid.toml").write_text(_MANIFEST)


def native(folder: Path) -> dict[int, int] | None:
    """The checksums by state; None where a run does not end."""
    flags = ["-O0", "-w", "-fno-sanitize=all", "-DNATIVE", "-Iruntime", "entry.c", "-o", "native"]
    find_toolchain().compile(flags, folder)
    found = {}
    for state in STATES:
        try:
            ran = subprocess.run(
                [str(folder / "native"), str(state)], check=True, capture_output=True, text=True, timeout=3
            )
        except (subprocess.TimeoutExpired, subprocess.CalledProcessError):
            return None
        found[state] = int(ran.stdout.split()[-1])
    return found


def examine(seed: int, seconds: float = 30.0) -> Outcome:
    """One program: `did` on each state, and a question about all of them."""
    outcome = Outcome()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        write_program(seed, folder)
        truth = native(folder)
        if truth is None:
            outcome.counts["does not end natively"] += 1
            return outcome
        outcome.counts["programs"] += 1
        try:
            _compare(seed, folder, truth, outcome, seconds)
        except LimitError as error:
            outcome.refused[error.cause] += 1
            outcome.counts["refused"] += 1
            outcome.said.append(f"refused {seed}: {error.cause}")
        except Exception as error:  # noqa: BLE001 -- whatever it is, it is a finding, and the other programs go on
            outcome.found.append(f"{seed}: {type(error).__name__}: {error}")
    return outcome


def _compare(seed: int, folder: Path, truth: dict[int, int], outcome: Outcome, seconds: float) -> None:
    log = folder / "log.jsonl"
    log.write_text("".join(f'{{"step": {state}, "x": {state}}}\n' for state in truth))
    settings = Settings(seconds=seconds)
    refusals = set()
    for state, checksum in truth.items():
        answer = Project.open(folder, trace=log, step=state, settings=settings).ask(f"did return == {checksum}")
        verdict = answer.verdict.value
        outcome.counts[f"did: {verdict}"] += 1
        if verdict == "unknown":
            refusals.add(re.sub(r" at \S+:\d+.*| after [\d,]+ rounds.*", "", str(answer.reason)))
            break  # the other states would be refused too, as slowly
        if verdict != "yes":
            outcome.found.append(f"{seed} at {state}: {verdict}, not {checksum}: {answer.reason}")
    outcome.refused.update(refusals)
    if refusals:
        outcome.counts["refused"] += 1
        outcome.said.append(f"refused {seed}: {'; '.join(sorted(refusals))}")
        return
    states = ", ".join(str(state) for state in truth if state != 0)
    others = [checksum for state, checksum in truth.items() if state != 0]
    expected = "yes" if others.count(truth[0]) == len(others) else "no"
    project = Project.open(folder, trace=log, step=0, settings=settings)
    verdict = project.ask(f"would return == {truth[0]} if x in {{{states}}}").verdict.value
    outcome.counts[f"would: {verdict}"] += 1
    if verdict not in (expected, "unknown"):
        outcome.found.append(f"{seed}: would is {verdict}, not {expected}")


def main() -> int:
    """Examine as many programs as were asked for."""
    parser = argparse.ArgumentParser(description="csmith's programs against the engine")
    parser.add_argument("programs", type=int)
    parser.add_argument("--first", type=int, default=1, help="the first seed")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=30.0, help="for each question")
    asked = parser.parse_args()
    total, started = Outcome(), time.monotonic()
    seeds = range(asked.first, asked.first + asked.programs)
    with multiprocessing.get_context("spawn").Pool(asked.jobs, maxtasksperchild=20) as pool:
        for number, found in enumerate(pool.imap_unordered(partial(examine, seconds=asked.seconds), seeds), 1):
            total.add(found)
            for words in (*found.said, *(f"DISAGREEMENT {each}" for each in found.found)):
                _say(words)
            if number % 20 == 0:
                _say(f"{number} of {asked.programs}, {time.monotonic() - started:.0f} s: {dict(total.counts)}")
    _say(f"{dict(total.counts)}\nrefused: {dict(total.refused)}\n{len(total.found)} disagreements")
    return 1 if total.found else 0


def _say(words: str) -> None:
    sys.stdout.write(words + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
