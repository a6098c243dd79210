"""The inputs a program is run on: ordinary values, edges of each type, and small domains for brute force."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

from .model import Port, Vector
from .scalars import CType, TypeKind, bits_of, is_nan_bits

__all__ = ["choose_domains", "choose_vectors", "edge_bits"]

VECTORS = 16
MOST_STATES = 64

QUIET_NAN = {16: 0x7E00, 32: 0x7FC00000, 64: 0x7FF8000000000000}
# Without the sign bit: zero, least and greatest subnormal, least normal, greatest, infinity, quiet NaN.
_MAGNITUDES = {
    16: (0, 1, 0x03FF, 0x0400, 0x7BFF, 0x7C00, QUIET_NAN[16]),
    32: (0, 1, 0x7FFFFF, 0x800000, 0x7F7FFFFF, 0x7F800000, QUIET_NAN[32]),
    64: (0, 1, (1 << 52) - 1, 1 << 52, 0x7FEFFFFFFFFFFFFF, 0x7FF0000000000000, QUIET_NAN[64]),
}
_REALS = (0.5, 1.0, -1.0, 1.5, 2.0, 3.25, -0.1, 7.0, 10.0, 99.5, 100.0, 127.0, 128.0, 255.5, -128.5, 1e6, 2.0**31, 1e19)


def edge_bits(ctype: CType) -> tuple[int, ...]:
    """The raw bits at the edges of a type; for bool and enums, all its values."""
    if ctype.is_float:
        sign = 1 << (ctype.bits - 1)
        return tuple(bits | s for bits in _MAGNITUDES[ctype.bits] for s in (0, sign))
    if ctype.kind is TypeKind.ENUM:
        return ctype.values
    values = (ctype.low, ctype.low + 1, -1, 0, 1, 2, ctype.high - 1, ctype.high)
    return tuple(dict.fromkeys(bits_of(ctype, v) for v in values if ctype.low <= v <= ctype.high))


def _ordinary(rng: random.Random, ctype: CType) -> int:
    if ctype.is_float:
        return bits_of(ctype, rng.choice(_REALS) if rng.random() < 0.6 else round(rng.uniform(-50, 150), 3))
    if ctype.kind is not TypeKind.INT:
        return rng.choice(edge_bits(ctype))
    return bits_of(ctype, rng.randint(max(ctype.low, -20), min(ctype.high, 40)))


def _wild(rng: random.Random, ctype: CType) -> int:
    """Any bits, but one NaN for all: a signalling one may turn quiet merely by being passed along."""
    if ctype.kind is not TypeKind.INT and not ctype.is_float:
        return rng.choice(edge_bits(ctype))
    bits = rng.getrandbits(ctype.bits)
    return QUIET_NAN[ctype.bits] if is_nan_bits(ctype, bits) else bits


def choose_vectors(rng: random.Random, ports: Sequence[Port], fixed: Vector) -> tuple[Vector, ...]:
    """The first vector is ordinary throughout; the later ones mix in edges and arbitrary bits."""
    vectors: list[Vector] = []
    for number in range(VECTORS):
        edges, wild = (0.0, 0.0) if number < 3 else (rng.choice((0.1, 0.3, 0.8)), rng.choice((0.0, 0.2)))
        vector: dict[str, int] = {}
        for port in ports:
            roll = rng.random()
            if roll < edges:
                vector[port.path] = rng.choice(edge_bits(port.ctype))
            elif roll < edges + wild:
                vector[port.path] = _wild(rng, port.ctype)
            else:
                vector[port.path] = _ordinary(rng, port.ctype)
        vectors.append({**vector, **fixed})
    return tuple(vectors)


def choose_domains(rng: random.Random, ports: Sequence[Port], base: Vector) -> Mapping[str, tuple[int, ...]]:
    """One to three free inputs, each with a few values among them its value in `base`: at most 64 states."""
    chosen = rng.sample(list(ports), min(len(ports), rng.randint(1, 3)))
    most = {1: 32, 2: 8, 3: 4}[len(chosen)]
    return {port.path: _domain(rng, port.ctype, base[port.path], rng.randint(2, most)) for port in chosen}


def _domain(rng: random.Random, ctype: CType, factual: int, size: int) -> tuple[int, ...]:
    values = {factual}
    for _ in range(4 * size):  # a bool has no more than two
        if len(values) >= size:
            break
        values.add(rng.choice(edge_bits(ctype)) if rng.random() < 0.3 else _ordinary(rng, ctype))
    return tuple(sorted(values))
