"""How far onnxruntime's own functions are off: measured (`test_runtime_functions.py`), and doubled at least.

Sampled maxima of onnxruntime 1.31.1 on two x86-64 machines (AVX2, AVX-512), 80 million arguments of all exponents, in
units u = 2^-24: Sigmoid 2.99 absolute, Tanh 5.46 absolute, Exp 1.8 relative. In float64, u = 2^-53: Sigmoid 1.5, Tanh
8.1, Exp 2.5. Softmax of 2 to 1000 elements: at most 0.21 of `share_errors`. None of the functions is monotone to the
bit, so a range of results is that of the real function with room at both ends.

A softmax has for an element d = x - max, which is rounded: its e^d is off by a factor e^(u |d|), and since |d| e^d is
at most 1/e, that is u/e absolute at most in a share. Each exponential is off by 4 u of itself, the sum of n by n more
roundings and by n/e u for the differences, and the quotient by 3: less than (2 n + 16) u of the share and u/2.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, TypeGuard

from soid.assumptions import Assumption, Ledger
from soid.engine.learned.network import Activated, Extreme, Layer, Network, Selected, Softmaxed
from soid.engine.learned.networks.float_errors import LEAST, UNIT

RUNTIME: Final = "onnxruntime 1.31.1"

#: in units u: the absolute errors of results of sigmoid and tanh, and the relative ones of exp
ABSOLUTE: Final = {("sigmoid", 32): 8, ("tanh", 32): 14, ("sigmoid", 64): 6, ("tanh", 64): 24}
RELATIVE: Final = {32: 4, 64: 8}

_MEASURED: Final = ("sigmoid", "tanh", "exp")  # activations that a runtime brings itself

#: an argument of exp up to which no result overflows
EXPONENT: Final = {32: 87.0, 64: 690.0}


def network_assumptions(network: Network, library: str) -> Iterator[Assumption]:
    """What bounds of a network rest on."""
    precisions = sorted({layer.precision for layer in network.layers if not isinstance(layer, Selected | Extreme)})
    yield Ledger.NETWORK_FLOATS.of(library, " and float".join(map(str, precisions)) or network.precision)
    used = {(str(each.function), int(each.precision)) for each in network.layers if _is_measured(each)}
    used |= {("softmax", int(each.precision)) for each in network.layers if isinstance(each, Softmaxed)}
    if used:
        told = [f"{name} by {_room(name, precision)} in float{precision}" for name, precision in sorted(used)]
        yield Ledger.NETWORK_FUNCTIONS.of(", ".join(sorted({name for name, _ in used})), RUNTIME, "; ".join(told))


def _is_measured(layer: Layer) -> TypeGuard[Activated]:
    return isinstance(layer, Activated) and layer.function in _MEASURED


def _room(name: str, precision: int) -> str:
    unit = UNIT[precision]
    if name == "exp":
        return f"{RELATIVE[precision] * unit:.1e} of itself"
    if name == "softmax":
        return f"{share_errors(1.0, 2, precision):.1e} or more, by how many classes there are"
    return f"{ABSOLUTE[name, precision] * unit:.1e}"


def share_errors(shares: Any, count: int, precision: int) -> Any:
    """By how much shares of a softmax over so many elements may be off."""
    unit = UNIT[precision]
    return (2 * count + 16) * unit * shares + 0.5 * unit + 4 * LEAST[precision]


def lead_margin(precision: int) -> float:
    """A lead in the argument of a softmax with which an element has the greatest share, alone, as floats too.

    If x_i leads all others, it is the maximum itself: its difference is 0 and its exponential at least 1 - r u, where r
    is RELATIVE. The difference of another is -d with d >= lead (1 - u), its exponential at most e^-d (1 + r u). Both
    are multiplied with the same number, or divided by it, and rounded: the results differ if the exponentials do by a
    factor of 1 + 4 u. For lead = (4 r + 8) u, e^-d (1 + r u) (1 + 4 u) is below 1 - r u.
    """
    return (4 * RELATIVE[precision] + 8) * UNIT[precision]
