"""The part of a measurement that angr's own interpreter runs: given to it as text, for soid need not be there.

    python -c "$(cat peers_angr_worker.py)" OBJECT

explores `main` of a compiled harness and writes one JSON object: whether the assertion holds, null if that is not known
and why, and how many paths came to it. It can fail if one path has a state on which it does. It holds only if every
path came to it, none was left out, and no value on any was made up by angr.
"""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Mapping
from typing import Any, Final

#: addresses that one read or write may have; beyond, the path ends as an error. (angr's own way is to choose one.)
_ADDRESSES: Final = 1 << 16

#: of angr: where paths are that need not be looked at
_SETTLED: Final = frozenset({"active", "deadended", "unsat"})


def concluded(fails: bool, reached: int, foreign: int, stashes: Mapping[str, int]) -> dict[str, Any]:
    """What an exploration says that has come to its end, or to a failure.

    >>> concluded(False, 3, 0, {"deadended": 3})
    {'holds': True, 'paths': 3, 'why': ''}
    >>> concluded(True, 1, 0, {"active": 2})
    {'holds': False, 'paths': 1, 'why': ''}
    >>> concluded(False, 2, 0, {"deadended": 2, "errored": 1})
    {'holds': None, 'paths': 2, 'why': 'paths were left out: errored 1'}
    """
    left = ", ".join(f"{name} {count}" for name, count in stashes.items() if count and name not in _SETTLED)
    holds: bool | None = None
    why = ""
    if foreign:
        why = "values were made up"
    elif fails:
        holds = False
    elif left:
        why = f"paths were left out: {left}"
    elif stashes.get("active") or not reached or reached != stashes.get("deadended", 0):
        why = "not every path came to the assertion"
    else:
        holds = True
    return {"holds": holds, "paths": reached, "why": why}


def explored(file: str) -> dict[str, Any]:
    """Every path of the harness, until one is found on which the assertion fails."""
    import angr
    import claripy

    project = angr.Project(file, auto_load_libs=False, use_sim_procedures=False)
    ours: set[str] = set()
    fails: list[bool] = []  # by path that came to the assertion
    foreign: set[str] = set()

    class AnyWord(angr.SimProcedure):
        """Any 32 bits."""

        def run(self) -> Any:
            word = claripy.BVS(f"any{len(ours)}", 32, explicit_name=True)
            ours.update(word.variables)
            return word.zero_extend(32)

    class Assume(angr.SimProcedure):
        """What is supposed."""

        def run(self, condition: Any) -> None:
            self.state.add_constraints(condition[31:0] != 0)

    class Assert(angr.SimProcedure):
        """The behavior: paths end here."""

        def run(self, condition: Any) -> None:
            solver = self.state.solver
            for each in (condition, *solver.constraints):
                foreign.update(each.variables - ours)
            fails.append(solver.satisfiable(extra_constraints=[condition[31:0] == 0]))
            self.exit(0)

    class SquareRoot(angr.SimProcedure):
        """Of a float, rounded as IEEE says; angr knows no such function."""

        def run(self) -> None:
            value = self.state.regs.xmm0[31:0].raw_to_fp()
            root = claripy.fpSqrt(claripy.fp.RM.RM_NearestTiesEven, value)
            self.state.regs.xmm0 = claripy.Concat(self.state.regs.xmm0[127:32], root.raw_to_bv())

    known = {
        "nondet_unsigned": AnyWord,
        "__CPROVER_assume": Assume,
        "__CPROVER_assert": Assert,
        "sqrtf": SquareRoot,
    }
    unknown = sorted(set(project.loader.main_object.imports) - set(known))
    if unknown:
        return {"holds": None, "paths": 0, "why": f"nothing is known of {', '.join(unknown)}"}
    for name, procedure in known.items():
        project.hook_symbol(name, procedure())
    state = project.factory.call_state(project.loader.find_symbol("main").rebased_addr)
    every = angr.concretization_strategies.SimConcretizationStrategyRange(_ADDRESSES)
    state.memory.read_strategies = [every]
    state.memory.write_strategies = [every]
    # where a jump may go anywhere, angr would drop the path without a word
    manager = project.factory.simulation_manager(state, save_unconstrained=True)
    while manager.active and not any(fails) and not foreign:
        manager.step()
    stashes = {name: len(stash) for name, stash in manager.stashes.items()}
    return concluded(any(fails), len(fails), len(foreign), {**stashes, "errored": len(manager.errored)})


if __name__ == "__main__":
    logging.disable(logging.CRITICAL)
    print(json.dumps(explored(sys.argv[1])), flush=True)  # noqa: T201 it is what is read
