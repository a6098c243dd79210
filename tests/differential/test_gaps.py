"""Each known gap, on a program that shows it: the test of a gap that closes fails until its entry is removed."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from soid.budget import UNLIMITED, Cancellation
from soid.engine.llvm.c_source import CSource
from soid.engine.llvm.llvm_engine import LlvmEngine
from soid.engine.llvm.variables.discovery import discover
from soid.engine.protocol import Exploration
from soid.engine.summary import Decided
from soid.formula.build import TRUE
from soid.formula.checker import Possible
from tests.differential.gaps import GAPS, Gap
from tests.differential.linking import linked

gaps = pytest.mark.parametrize("gap", GAPS.values(), ids=GAPS)


@pytest.mark.xfail(reason="the engine does not see it", raises=AssertionError, strict=True)
@gaps
def test_the_engine_decides_nothing_that_c_leaves_open(gap: Gap, tmp_path: Path) -> None:
    (tmp_path / "gap.c").write_text(gap.source)
    found = discover(CSource((Path("gap.c"),), "decide"), tmp_path)
    one_state = Exploration(gap.inputs, TRUE, lambda _: Possible({}), UNLIMITED.started(), Cancellation())
    (path,) = LlvmEngine(found.interface, found.loaded).explore(one_state).paths
    assert not isinstance(path.ending, Decided)


@pytest.fixture(scope="module")
def trapping(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One executable of all programs: given a number, it runs that one with the compiler's checks."""
    folder: Path = tmp_path_factory.mktemp("gaps")
    text = "#include <stdlib.h>\n"
    for number, gap in enumerate(GAPS.values()):
        text += f"#define decide decide{number}\n{gap.source}\n#undef decide\n"
    calls = (
        f"case {n}: decide{n}({', '.join(map(str, g.inputs.values()))}); break;" for n, g in enumerate(GAPS.values())
    )
    text += f"int main(int n, char **words) {{ switch (atoi(words[1])) {{ {' '.join(calls)} }} return 0; }}\n"
    (folder / "gaps.c").write_text(text)
    return linked("gaps.c", folder, "-fsanitize=undefined", "-fsanitize-trap=undefined")


@pytest.mark.parametrize("name", GAPS)
def test_where_the_compiler_has_a_check_the_program_stops(name: str, trapping: Path) -> None:
    """So the program does have the undefined behaviour that the engine does not see."""
    ran = subprocess.run([str(trapping), str(list(GAPS).index(name))], check=False)
    assert (ran.returncode < 0) is GAPS[name].traps
