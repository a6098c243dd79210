"""Variables as Python writes them: nested, by attributes and by items."""

import copy

import pytest

from soid.errors import UnknownVariableError
from soid.program.interface import Interface, Role, Variable
from soid.program.types import BoolType, IntType, VariableType
from soid.query.language.query_printer import to_text
from soid.query.python import would
from soid.query.variables import Variables

CHARACTER = IntType(8, signed=True)
TYPES: dict[str, VariableType] = {
    "world.agents[0].signal": BoolType(),
    "world.agents[1].signal": BoolType(),
    "world.agents[10].signal": BoolType(),
    "world.agents_seen": BoolType(),
    "c.degree[0]": CHARACTER,
    "c.degree[1]": CHARACTER,
    "grid[0][1]": BoolType(),
    "*gap": BoolType(),
    "safe_to_enter()": BoolType(),
    "loan amount (total)": BoolType(),
    "text": BoolType(),
    "items": BoolType(),
    "move": BoolType(),
}
INTERFACE = Interface(tuple(Variable(path, Role.ENVIRONMENT, kind) for path, kind in TYPES.items()))
v = Variables(INTERFACE)


@pytest.mark.parametrize(
    ("handle", "path"),
    [
        (v.world.agents[1].signal, "world.agents[1].signal"),
        (v["world"]["agents"][10]["signal"], "world.agents[10].signal"),
        (v["world.agents[0]"].signal, "world.agents[0].signal"),
        (v.world["agents[1].signal"], "world.agents[1].signal"),
        (v.world["agents"]["[1]"].signal, "world.agents[1].signal"),
        (v["world->agents[ 1 ].signal"], "world.agents[1].signal"),
        (v.world.agents_seen, "world.agents_seen"),
        (v.c.degree[1], "c.degree[1]"),
        (v.grid[0][1], "grid[0][1]"),
        (v["*gap"], "*gap"),
        (v.safe_to_enter, "safe_to_enter()"),
        (v["loan amount (total)"], "loan amount (total)"),
        (v.text, "text"),
        (v.items, "items"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_each_form_leads_to_the_variable(handle: object, path: str) -> None:
    assert handle.variable is INTERFACE.variable(path)  # type: ignore[attr-defined]


def test_all_variables_are_reached_by_what_is_proposed() -> None:
    def reached(part: Variables) -> set[str]:
        found = set()
        for key in part._ipython_key_completions_():
            found.add(part[key].variable.path)
        return found

    assert reached(v) == set(TYPES)
    assert reached(v.world.agents) == {path for path in TYPES if path.startswith("world.agents[")}
    assert dir(v) == sorted(["world", "c", "grid", "safe_to_enter", "text", "items", "move"])
    assert dir(v.world) == ["agents", "agents_seen"] and dir(v.world.agents[1]) == ["signal"]
    for name in dir(v):
        assert getattr(v, name) is not None


def test_parts() -> None:
    assert len(v) == len(TYPES) and [each.variable for each in v] == list(INTERFACE)
    assert len(v.world) == 4 and len(v.world.agents) == 3 and len(v.world.agents[1]) == 1
    assert "world" in v and "agents[1]" in v.world and 1 in v.world.agents and "safe_to_enter" in v
    assert 2 not in v.world.agents and "agent" not in v.world and None not in v and "" not in v
    assert repr(v.world.agents) == "3 variables of world.agents: [0], [1], [10]"
    assert repr(v.world.agents[1]) == "1 variable of world.agents[1]: signal"
    assert "\n" not in repr(v) and repr(v.world.agents[1].signal) == "world.agents[1].signal"
    assert copy.deepcopy(v.world).agents[1].signal.variable.path == "world.agents[1].signal"


@pytest.mark.parametrize(
    ("slip", "told"),
    [
        (lambda: v.world.agents[2], r"no variable world\.agents\[2\]"),
        (lambda: v.world.agents.signal, "no variable world.agents.signal"),
        (lambda: v.wrold, "no variable wrold"),
        (lambda: v.mvoe, "Did you mean move"),
    ],
)
def test_what_is_not_there_is_told(slip: object, told: str) -> None:
    assert callable(slip)
    with pytest.raises(UnknownVariableError, match=told):
        slip()
    with pytest.raises(AttributeError):  # so hasattr, and what looks for methods by name, find nothing
        slip()
    assert not hasattr(v, "_repr_html_") and not hasattr(v.world, "shape")


def test_a_text_is_compared_as_a_whole() -> None:
    assert to_text(would(v.move).given(v.c.degree == "PhD")) == 'would move if c.degree == "PhD"'
