"""Completion in IPython, as a notebook asks for it: whole expressions, with jedi and without."""

import sys
from collections.abc import Iterator
from typing import Any

import pytest
from IPython.core.completer import provisionalcompleter
from IPython.core.interactiveshell import InteractiveShell

from soid.query.name_completion import offer_names


@pytest.fixture(scope="module")
def shell() -> Iterator[Any]:
    displayhook, excepthook = sys.displayhook, sys.excepthook
    shell = InteractiveShell.instance()
    shell.run_cell("import soid; project = soid.open(soid.example('crash')); v = project.variables; it = {}")
    yield shell
    InteractiveShell.clear_instance()
    sys.displayhook, sys.excepthook = displayhook, excepthook


def proposed(shell: Any, line: str, *, jedi: bool) -> set[str]:
    """The lines that may come of this one."""
    shell.Completer.use_jedi = jedi
    with provisionalcompleter():
        return {line[: each.start] + each.text for each in shell.Completer.completions(line, len(line))}


@pytest.mark.parametrize("jedi", [True, False])
@pytest.mark.parametrize(
    ("line", "some"),
    [
        ("v.wor", {"v.world"}),
        ("v.world.agents[1].s", {"v.world.agents[1].signal", "v.world.agents[1].speed"}),
        ("soid.would(v.world.agents[1].si", {"soid.would(v.world.agents[1].signal"}),
        ('v["world.agents[1]"].si', {'v["world.agents[1]"].signal'}),
        ('v.world["agents[1].si', {'v.world["agents[1].signal'}),
        ("project.variables.world.agents[0].pre", {"project.variables.world.agents[0].present"}),
        ("v.move.anyt", {"v.move.anything"}),
        ("soid.thr", {"soid.throughout"}),
    ],
)
def test_names_are_completed(shell: Any, line: str, some: set[str], jedi: bool) -> None:
    assert proposed(shell, line, jedi=jedi) == some


def test_what_is_no_part_of_a_program_is_left_to_ipython(shell: Any) -> None:
    assert proposed(shell, "it.key", jedi=False) == {"it.keys"}
    assert not proposed(shell, "v.world.agents[77].s", jedi=False) - {"v.world.agents[77].supposition"}


def test_it_is_offered_once(shell: Any) -> None:
    before = len(shell.Completer.custom_matchers)
    offer_names()
    assert len(shell.Completer.custom_matchers) == before == 1


def test_without_ipython_nothing_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "IPython")
    offer_names()
    assert "IPython" not in sys.modules
