"""Documents that name what is in the code: they name what is there, and leave out nothing of a table."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Iterable
from pathlib import Path

import pytest

import soid
from soid.budget import UNLIMITED, Cancellation
from soid.engine.llvm.c_source import CSource
from soid.engine.llvm.compiler.c_library import OWN_FUNCTIONS
from soid.engine.llvm.llvm_engine import LlvmEngine
from soid.engine.llvm.symbolic.explorer import ExplorationLimits
from soid.engine.llvm.symbolic.library.approximated.approximated_calls import approximated
from soid.engine.llvm.symbolic.library.approximated.true_functions import FUNCTIONS
from soid.engine.llvm.symbolic.library.external_functions import EXTERNALS
from soid.engine.llvm.symbolic.library.library_requests import REQUESTS
from soid.engine.llvm.symbolic.library.mathematics import mathematics
from soid.engine.llvm.variables.discovery import discover
from soid.engine.protocol import Exploration
from soid.engine.registry import GROUP
from soid.engine.summary import Unexplored
from soid.formula.build import TRUE
from soid.formula.checker import Possible
from soid.oracle.inquiry import Settings
from tests.differential.gaps import GAPS

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "soid"


def page(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def table(text: str, heading: str) -> dict[str, str]:
    """The rows below a heading of the table: their first cells and their second ones."""
    rows = text.partition(f"| {heading} |")[2].partition("\n\n")[0].splitlines()[2:]
    cells = (row.strip("|").split(" | ") for row in rows)
    return {first.strip(): second.strip() for first, second in cells}


# --- what soid cannot do ----------------------------------------------------------------------------------------

LIMITS = page("docs/limits.md")
REFUSED = table(LIMITS, "the program calls or does")
LIBRARY = {kind: re.findall(r"`(\w+)`", functions) for kind, functions in table(LIMITS, "kind").items()}

PROGRAM = """
#include <fcntl.h>
#include <fenv.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
struct item { int value; struct item *next; };
static void *work(void *given) { return given; }
long double level;
jmp_buf place;
int decide(int a, struct item *list, int (*given)(int)) {
    char text[9]; pthread_t thread;
    return EXPRESSION;
}
"""


@pytest.mark.parametrize("row", REFUSED)
def test_what_the_page_calls_refused_is_refused_in_these_words(row: str, tmp_path: Path) -> None:
    (tmp_path / "program.c").write_text(PROGRAM.replace("EXPRESSION", row.split("`")[1]))
    found = discover(CSource((Path("program.c"),), "decide"), tmp_path)
    everything = Exploration({}, TRUE, lambda _: Possible({}), UNLIMITED.started(), Cancellation())
    endings = [path.ending for path in LlvmEngine(found.interface, found.loaded).explore(everything).paths]
    assert REFUSED[row] in [ending.reason for ending in endings if isinstance(ending, Unexplored)]


def plain(names: Iterable[str]) -> set[str]:
    """The library's names among those of a table, without the compiler's and those for float and long double."""
    found = {name for name in names if not re.match(r"llvm\.|__|_Z", name)}
    return {name for name in found if not (name.endswith(("f", "l")) and name[:-1] in found)}


def test_the_page_lists_the_library_functions_that_are_known() -> None:
    exact, bounded, known = (names for kind, names in LIBRARY.items() if kind.startswith("floats"))
    whole = LIBRARY["whole numbers"]
    own = {name for kind, names in LIBRARY.items() if kind.startswith("as C code") for name in names}
    others = {name for names in LIBRARY.values() for name in names} - {*exact, *bounded, *known, *whole, *own}
    assert own - {"errno"} == {name for name in OWN_FUNCTIONS if not name.startswith("_")}
    assert others - {"assert"} == plain(EXTERNALS) - {*REQUESTS}
    assert {*exact, *whole} == plain(mathematics()) - plain(approximated())
    assert {*bounded, *known} == plain(approximated())
    assert {*bounded} - {"pow10", "sincos"} == set(FUNCTIONS)  # the two are spelled with others of them


def test_the_page_lists_the_functions_of_long_double() -> None:
    (listed,) = re.findall(r"ending `l` for `long double` these are known: ([^.]*)\.", LIMITS)
    known = mathematics()
    assert set(re.findall(r"`(\w+)`", listed)) == {
        name[:-1] for name in known if name[-1] == "l" and name[:-1] in known
    }


def test_the_page_s_budgets_are_those_of_the_code() -> None:
    words, usual = " ".join(LIMITS.split()), Settings()
    assert f"{usual.seconds:g} seconds, {usual.paths:,} paths and {usual.memory >> 30} GiB of memory" in words
    assert f"{ExplorationLimits().depth:,} calls inside each other" in words


def test_the_page_lists_the_known_gaps() -> None:
    assert table(LIMITS, "what") == {name: gap.why for name, gap in GAPS.items()}


# --- the way around the code ------------------------------------------------------------------------------------

MAPS = ["CONTRIBUTING.md", "docs/ARCHITECTURE.md"]


def named(text: str) -> tuple[set[str], set[str]]:
    """Paths and modules: between backquotes, and in the blocks, which are pictures."""
    words = set(re.findall(r"`([^`\n]+)`", re.sub(r"```.*?```", "", text, flags=re.S)))
    words |= {word.strip("(),;:") for block in re.findall(r"```(.*?)```", text, re.S) for word in block.split()}
    paths = {word for word in words if re.fullmatch(r"[\w./-]*(?:/|\.(?:py|md|toml|c|cpp|lark|txt|js|cff))", word)}
    modules = {word for word in words if re.fullmatch(r"(?:soid|tests)(?:\.\w+)+", word)}
    return paths, modules - paths - {GROUP}


def is_there(path: str) -> bool:
    """Whether a path leads to a file or a folder, from the checkout or from some folder of the package."""
    return (ROOT / path).exists() or any(PACKAGE.rglob(path.rstrip("/")))


@pytest.mark.parametrize("name", MAPS)
def test_what_a_document_names_is_there(name: str) -> None:
    paths, modules = named(page(name))
    assert len(paths) > 20
    assert sorted(path for path in paths if not is_there(path)) == []
    assert sorted(module for module in modules if importlib.util.find_spec(module) is None) == []


# --- the paper --------------------------------------------------------------------------------------------------


def test_the_readme_names_the_paper_as_the_citation_does() -> None:
    citation, readme = page("CITATION.cff"), " ".join(page("README.md").split())
    (title,) = re.findall(r'^    title: "(.*)"$', citation, re.M)
    given, family = (re.findall(rf'{part}-names: "?([^"\n]*)', citation) for part in ("given", "family"))
    names = [" ".join(name) for name in zip(given, family, strict=True)]
    assert f"*{title}* by {', '.join(names[:-1])} and {names[-1]}" in readme
    assert f"\nversion: {soid.__version__}\n" in citation
