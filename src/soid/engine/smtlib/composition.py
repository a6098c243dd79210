"""Several steps: the paths of one call composed with those of the next, the state fed back.

    step 1   open               count' = count + 1
    step 2   open, count < 3    count' = count + 1

    both     open, open, count + 1 < 3    earlier: count' = count + 1    count' = count + 1 + 1

A term over the value of a float reads what the step before computed. A term over its bits is supported only if these
are known: the bits of a computed NaN are not.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, final

from soid.engine.summary import Decided, OutputValue, Path, assuming
from soid.formula import build
from soid.formula import operators as ops
from soid.formula import softfloat as sf
from soid.formula.passes import free_variables, substitute
from soid.formula.term import Term
from soid.program.interface import Interface, Role, Variable
from soid.program.perception import Given
from soid.program.types import FloatType, reading

START = Path("", build.TRUE, Decided())
_BITS: Final = "the bits of {}, which is a computed float"


@final
class StepComposition:
    """Composes the paths of one call, step by step."""

    def __init__(self, interface: Interface, paths: Sequence[Path]) -> None:
        self.interface = interface
        self._paths = paths
        terms = [t for path in paths for t in (path.condition, *(value.term for value in path.outputs.values()))]
        self._by_bits = {variable.path for variable in interface.inputs if _is_used_by_bits(variable, terms)}

    def first(self, fixed: Mapping[str, int], computed: Mapping[str, Term]) -> list[Path] | str:
        """The paths of the first step; or what is not supported in them."""
        replacements = self._given(fixed)
        for path, value in computed.items():
            variable = self.interface.variable(path)
            fed = _fed_back(variable, value)
            if variable.symbol not in fed and path in self._by_bits:
                return _BITS.format(path)
            replacements |= fed
        return assuming(self._paths, replacements)

    def next(self, before: Path, perceived: Callable[[Variable, Sequence[Given]], Term]) -> list[Path] | str:
        """The paths that continue one that has decided; or what is not supported in them.

        `perceived` gives the bits of a variable in the step after some.
        """
        earlier = outputs_so_far(before)
        replacements: dict[Term, Term] = {}
        for variable in self.interface.inputs:
            if variable.role is Role.ENVIRONMENT:
                replacements[variable.symbol] = perceived(variable, earlier)
            else:
                left = before.outputs[f"{variable.path}'"].term
                fed = _fed_back(variable, left)
                if variable.symbol not in fed and variable.path in self._by_bits:
                    return _BITS.format(variable.path)
                replacements |= fed
        return [_joined(before, path) for path in assuming(self._paths, replacements)]

    def _given(self, fixed: Mapping[str, int]) -> dict[Term, Term]:
        inputs = [variable for variable in self.interface.inputs if variable.path in fixed]
        return {variable.symbol: build.const(variable.symbol.sort, fixed[variable.path]) for variable in inputs}


def outputs_so_far(path: Path) -> tuple[Mapping[str, OutputValue], ...]:
    """The outputs of each step of a path that the next step continues."""
    return (*path.earlier, path.outputs) if path is not START else ()


def _joined(before: Path, path: Path) -> Path:
    condition = build.and_(before.condition, path.condition)
    return Path(f"{before.name}, {path.name}", condition, path.ending, path.outputs, outputs_so_far(before))


def _fed_back(variable: Variable, left: Term) -> dict[Term, Term]:
    """What replaces a state variable in the step after one that left `left` in it."""
    if not isinstance(variable.type, FloatType):
        return {variable.symbol: left}
    if left.op is ops.FP_FROM_BITS:
        return {variable.symbol: left.args[0]}
    if left.is_const and not sf.is_nan(variable.type.format, left.value):
        return {variable.symbol: build.const(variable.symbol.sort, left.value)}
    return {reading(variable.type, variable.symbol): left}


def _is_used_by_bits(variable: Variable, terms: Sequence[Term]) -> bool:
    """Whether the terms mention a float's bits and not only its value."""
    if not isinstance(variable.type, FloatType):
        return False
    read = reading(variable.type, variable.symbol)
    return variable.symbol in free_variables(substitute(terms, {read: build.const(read.sort, 0)}))
