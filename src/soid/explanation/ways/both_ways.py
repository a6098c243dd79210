"""The ways of the fact and of an answer's scenario, by whatever the program is: source, paths, or trees of a model."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePosixPath

from soid.explanation.refusal import refusal
from soid.explanation.study import Study
from soid.explanation.ways.branch_ways import branch_ways, path_ways
from soid.explanation.ways.told_ways import BothWays, BranchWays, has_ways
from soid.formula.build import TRUE
from soid.oracle.answer import Answer
from soid.oracle.inquiry import Context, Inquiry
from soid.query.words.variable_names import VariableNames
from soid.scenario.trace import Keyframe


def both_ways(keyframe: Keyframe, answer: Answer, context: Context) -> BothWays | None:
    """The ways; None where there is nothing that could be told of them, as of a neural network."""
    if answer.witness is None or not has_ways(answer) or refusal(answer.query, keyframe) is not None:
        return None
    study = Study.of(keyframe, answer, Inquiry(context))
    learned, is_one_step = context.engine.learned, answer.query.period.count == 1
    if learned is not None:
        from soid.explanation.ways.tree_ways import tree_ways  # numpy takes long to load

        names = VariableNames(keyframe.interface)
        return tree_ways(learned, names, study.fact, answer.witness.inputs) if is_one_step else None
    fact, scenario = study.factual, study.scenario(answer.witness.inputs)
    trails = study.trail(fact), study.trail(scenario)
    if trails[0] is not None and trails[1] is not None:
        return branch_ways(trails[0], trails[1])
    return _paths(study, fact.witness.path, scenario.witness.path, scenario.state) if is_one_step else None


def _paths(study: Study, fact: str, scenario: str, state: Mapping[str, int]) -> BranchWays:
    """Of a program that consists of paths."""
    given = {path: bits for path, bits in study.fact.items() if path not in study.interface}
    conditions = {path.name: path.condition for path in study.explored(given, TRUE).summary.paths}
    taken = [(PurePosixPath(name).stem, conditions[name]) for name in (fact, scenario) if name in conditions]
    symbols = {variable.path: variable.symbol for variable in study.interface.inputs}
    states = [{symbols[path]: bits for path, bits in each.items() if path in symbols} for each in (study.fact, state)]
    return path_ways(taken, states)
