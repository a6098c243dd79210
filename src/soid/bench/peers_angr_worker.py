"""The part of a measurement that angr's own interpreter runs; it gets this text, because it may not have soid.

    python -c "$(cat peers_angr_worker.py)" OBJECT

explores `main` of a compiled harness and writes one JSON object: whether the assertion holds (null if that is not
known, with the reason), and how many paths reached it. It can fail if it fails in some state of one path. It holds only
if every path reached it, no path was left out, and angr made up no value on any of them.
"""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Mapping
from typing import Any, Final

#: how many addresses a read or write may have; beyond that the path ends as an error (by default angr picks one)
_ADDRESSES: Final = 1 << 16

#: angr's stashes of paths that were not left out
_SETTLED: Final = frozenset({"active", "deadended", "unsat"})


def concluded(fails: bool, reached: int, foreign: int, stashes: Mapping[str, int]) -> dict[str, Any]:
    """The result of an exploration that has ended, or has found a failure.

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
    """Explore every path of the harness, until one is found on which the assertion fails."""
    import angr
    import claripy

    project = angr.Project(file, auto_load_libs=False, use_sim_procedures=False)
    ours: set[str] = set()
    fails: list[bool] = []  # for each path that reached the assertion: whether it can fail
    foreign: set[str] = set()

    class AnyWord(angr.SimProcedure):
        """Any 32 bits."""

        def run(self) -> Any:
            word = claripy.BVS(f"any{len(ours)}", 32, explicit_name=True)
            ours.update(word.variables)
            return word.zero_extend(32)

    class Assume(angr.SimProcedure):
        """A supposition."""

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
        """The IEEE square root of a float, which angr does not have."""

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
    # otherwise angr silently drops a path with an unconstrained jump
    manager = project.factory.simulation_manager(state, save_unconstrained=True)
    while manager.active and not any(fails) and not foreign:
        manager.step()
    stashes = {name: len(stash) for name, stash in manager.stashes.items()}
    return concluded(any(fails), len(fails), len(foreign), {**stashes, "errored": len(manager.errored)})


if __name__ == "__main__":
    logging.disable(logging.CRITICAL)
    print(json.dumps(explored(sys.argv[1])), flush=True)  # noqa: T201 the measuring process reads it
