"""A logic written out as a project: soid.toml, SMT-LIB paths in one of the forms that soid reads, and a log."""

from __future__ import annotations

import random
from pathlib import Path

from tests.differential.logics.kinds import json_of, smt_sort
from tests.differential.logics.logic import DECIDES, Leaf, Logic, Variable, bars
from tests.differential.logics.terms import Expr


def write(logic: Logic, folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    rng = random.Random(f"{logic.seed} text")
    (folder / "soid.toml").write_text(manifest(logic), encoding="utf-8")
    (folder / "log.jsonl").write_text(log(logic), encoding="utf-8")
    paths = folder / "paths"
    paths.mkdir(exist_ok=True)
    written = [leaf for leaf in logic.leaves if leaf.written]
    if logic.one_file:
        named = [f"(assert (! (and true {' '.join(_said(leaf, logic, rng))}) :named {leaf.name}))" for leaf in written]
        (paths / "all.smt2").write_text("\n".join([*_declarations(logic), *named, "(check-sat)\n"]), encoding="utf-8")
    else:
        for leaf in written:
            lines = [*_declarations(logic), *_asserted(_said(leaf, logic, rng), rng), "(check-sat)", "(exit)\n"]
            (paths / f"{leaf.name}.smt2").write_text("\n".join(lines), encoding="utf-8")
    return folder


def manifest(logic: Logic) -> str:
    endings = [f'{leaf.name} = "{leaf.words}"' for leaf in logic.leaves if leaf.written and leaf.words]
    lines = [
        "[program]",
        'engine = "smtlib"',
        'paths = ["paths/*.smt2"]',
        "[trace]",
        'file = "log.jsonl"',
        "[endings]",
        *endings,
        "[variables]",
        *(_entry(variable) for variable in logic.variables),
    ]
    return "\n".join(lines) + "\n"


def _entry(variable: Variable) -> str:
    kind = variable.kind
    keys = [f'role = "{variable.role}"', f'type = "{kind.name}"']
    if kind.sort == "enum":
        labels = ", ".join(f"{label} = {number}" for label, number in kind.labels)
        keys += [f"labels = {{ {labels} }}", f"width = {kind.width}", f"signed = {str(kind.signed).lower()}"]
    if variable.domain:
        keys.append(f"domain = {variable.domain}")
    if variable.smt_name != variable.name:
        keys.append(f'smtlib = "{variable.smt_name}"')
        if variable.role == "state":
            keys.append(f'smtlib_after = "{variable.smt_after}"')
    return f'"{variable.name}" = {{ {", ".join(keys)} }}'


def log(logic: Logic) -> str:
    cells = [f'"{v.name}": {json_of(v.kind, logic.fact[v.name])}' for v in logic.inputs]
    cells += [f'"{name}": {json_of(logic.outputs[name].kind, bits)}' for name, bits in logic.logged.items()]
    return "{" + ", ".join(cells) + "}\n"


def _declarations(logic: Logic) -> list[str]:
    lines = [f"(declare-const {bars(v.smt_name)} {v.reader.declared})" for v in logic.inputs]
    for name, variable in logic.outputs.items():
        lines.append(f"(declare-const {_output(name, variable)} {_output_sort(variable)})")
    return lines


def _output(name: str, variable: Variable) -> str:
    return bars(variable.smt_after if name.endswith("'") else variable.smt_name)


def _output_sort(variable: Variable) -> str:
    return "(_ BitVec 8)" if variable.kind.sort == "bool" and variable.as_bits else smt_sort(variable.kind)


def _said(leaf: Leaf, logic: Logic, rng: random.Random) -> list[str]:
    """Everything a path says, its outputs in one of the ways in which an output can be said."""
    said = [guard.smt for guard in leaf.guards]
    for name, expr in leaf.outputs.items() if leaf.ending == DECIDES else ():
        said.append(_equation(_output(name, logic.outputs[name]), logic.outputs[name], expr, rng))
    rng.shuffle(said)
    return said


def _equation(name: str, variable: Variable, expr: Expr, rng: random.Random) -> str:
    kind = variable.kind
    if kind.sort == "bool":
        if variable.as_bits:
            return f"(= {name} (ite {expr.smt} #x01 #x00))"
        plainly = {"true": name, "false": f"(not {name})"}
        return plainly.get(expr.smt, f"(= {name} {expr.smt})")
    if kind.sort in ("int", "enum") and rng.random() < 0.15:
        # one bit at a time
        bits = [f"(= ((_ extract {i} {i}) {name}) ((_ extract {i} {i}) {expr.smt}))" for i in range(kind.width)]
        return f"(and {' '.join(bits)})"
    return f"(= {name} {expr.smt})" if rng.random() < 0.7 else f"(= {expr.smt} {name})"


def _asserted(said: list[str], rng: random.Random) -> list[str]:
    if len(said) > 1 and rng.random() < 0.3:
        return [f"(assert (and {' '.join(said)}))"]
    return [f"(assert {one})" for one in said]
