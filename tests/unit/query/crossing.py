"""The program that the scripts of the tests are about: cars at a crossing."""

from __future__ import annotations

from soid.errors import KeyframeError
from soid.formula.sorts import FLOAT32
from soid.program.interface import Interface, Role, Variable
from soid.program.types import BoolType, EnumType, FloatType, IntType
from soid.query.language.script.plan import ScriptPlan
from soid.query.language.script.resolver import resolve
from soid.query.language.script.script_errors import located
from soid.query.language.script.script_parser import parse_script
from soid.scenario.written_step import WrittenStep

SIGNAL = EnumType("signal", 8, False, (("STRAIGHT", 0), ("LEFT", 1), ("RIGHT", 2)))
LAST = 20  # step of the log

CROSSING = Interface(
    (
        *(
            variable
            for number in range(3)
            for variable in (
                Variable(f"world.agents[{number}].x", Role.ENVIRONMENT, FloatType(FLOAT32)),
                Variable(f"world.agents[{number}].signal", Role.ENVIRONMENT, SIGNAL),
            )
        ),
        Variable("waited", Role.STATE, IntType(8, signed=False)),
        Variable("move", Role.DECISION, BoolType()),
        Variable("*speed", Role.DECISION, FloatType(FLOAT32)),
        Variable("right_of_way()", Role.INTERNAL, BoolType()),
    ),
    untouched=frozenset({"horn.volume"}),
)


def find_step(written: WrittenStep, log: str | None) -> int:
    step = written if isinstance(written, int) else int(written.text.removesuffix("s"))  # one a second
    if not 0 <= step <= LAST:
        raise KeyframeError(f"step {step} is not in log.jsonl, whose steps go from 0 to {LAST}", "The nearest is 20.")
    return step


def planned(text: str, *, steps: int = 1) -> ScriptPlan:
    with located(text, "crash.soid"):
        return resolve(parse_script(text, "crash.soid"), CROSSING, steps, find_step)
