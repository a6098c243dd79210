"""When what a question supposes `until` something would have ended in fact.

A scenario is the fact if everything that it perceives is what was logged. What is supposed until something is perceived
only so long; so the program is run on what was logged, and the step is looked for in which the condition comes true.

    pilot == RTH until mode == LAND     logged: pilot RTH, RTH, HOLD; mode FLY, LAND, LAND
    with RTH it is the fact: nothing perceives that the pilot went on to HOLD
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from soid.engine.summary import ConcreteRun, Decided, Unexplored
from soid.formula.build import TRUE
from soid.formula.checker import Checker, Impossible
from soid.formula.term import Term
from soid.oracle.encoding import concrete_path
from soid.program import domain as domains
from soid.program.interface import Variable
from soid.program.perception import Perceived
from soid.scenario.course import Course, Until
from soid.scenario.supposition import freed

#: runs the program on what is perceived from the second step on, observing some variables
RunOn = Callable[[tuple[Perceived, ...], frozenset[str]], ConcreteRun]


def lapses(going_on: Course, run_on: RunOn, check: Checker) -> Mapping[str, int] | str:
    """In how many steps each supposed value would have been perceived in fact; or why that is not known.

    Empty: nothing depends on it.
    """
    untils = [each for each in going_on.untils if each.matters]
    if not untils:
        return {}
    supposed = [going_on.interface.variable(path) for path in freed(going_on.interface, going_on.suppositions)]
    after = {path for each in untils for path in each.after}
    known = [variable for variable in supposed if variable.path not in going_on.assumed | after]
    logged = (_is_logged(variable, going_on) for variable in known)
    if isinstance(check([going_on.family().precondition, *logged]), Impossible):
        return {}  # no scenario begins as it was
    if going_on.assumed:
        return f"it may depend on {', '.join(sorted(going_on.assumed))}, which is not known"
    if rounded := [variable.path for variable in known if variable.path in going_on.rounded]:
        return f"it may depend on {', '.join(rounded)}, which is logged rounded"
    names = frozenset(name.removesuffix("'") for each in untils for name, _ in each.condition.outputs)
    run = run_on(going_on.factual, names)
    found = {each.path: _lasts(each, going_on, run) for each in untils}
    unknown = (each for each in found.values() if isinstance(each, str))
    return next(unknown, None) or {path: steps for path, steps in found.items() if isinstance(steps, int)}


def _is_logged(variable: Variable, going_on: Course) -> Term:
    """An input has what was logged of it in its first step, or what rounds to that."""
    rounded = going_on.rounded.get(variable.path)
    if rounded is None:
        return variable.equals(going_on.fact[variable.path])
    return domains.formula(variable.type, rounded, variable.symbol)


def _lasts(until: Until, going_on: Course, run: ConcreteRun) -> int | str:
    """The number of steps; a program that ends before leaves those that it does not reach as they are."""
    condition, first = until.condition, until.first
    path = concrete_path("", run.path.ending, (*run.earlier, run.outputs), going_on.interface, run.between)
    given = (*path.earlier, path.outputs) if isinstance(run.path.ending, Decided) else path.earlier
    for step in range(first, len(given)):
        true, neither = condition.in_step(given[step])
        if true is TRUE:
            return step - first + 1
        if neither is TRUE:
            return "an output that it speaks of has no known value in the run on what was logged"
    if isinstance(run.path.ending, Unexplored):
        return f"the run on what was logged was left {run.path.ending}"
    return len(until.logged)
