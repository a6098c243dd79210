"""Bit patterns of floats worth testing with: every special value, sparse significands, and plain random bits.

They come by the batch from a random generator, which `tests.randomness` supplies: drawing each bit through hypothesis
would cost a hundred times the arithmetic under test, and there is little to shrink.
"""

from __future__ import annotations

from functools import cache
from random import Random

from soid.formula.sorts import Float


@cache
def special_patterns(f: Float) -> tuple[int, ...]:
    """Zeros, ones, infinities, NaNs, and both ends of the subnormals and of the normals, with either sign."""
    least_normal = 1 << (f.significand - 1)
    one = f.bias << (f.significand - 1)
    magnitudes = {0, 1, 2, least_normal - 1, least_normal, least_normal + 1, one - 1, one, one + 1}
    magnitudes |= {f.max_finite - 1, f.max_finite, f.infinity, f.infinity + 1, f.nan, f.sign_bit - 1}
    return tuple(sorted(m | sign for m in magnitudes for sign in (0, f.sign_bit)))


def patterns(random: Random, f: Float, count: int) -> list[int]:
    """Any bit patterns, the special ones often."""
    return [_pattern(random, f) for _ in range(count)]


def operands(random: Random, f: Float, arity: int, count: int) -> list[tuple[int, ...]]:
    """Patterns in tuples; often with exponents so close and significands so sparse that results are ties."""
    return [_operands(random, f, arity) for _ in range(count)]


def _pattern(random: Random, f: Float) -> int:
    match random.randrange(3):
        case 0:
            return random.choice(special_patterns(f))
        case 1:
            return _sparse(random, f, random.getrandbits(f.exponent))
        case _:
            return random.getrandbits(f.width)


def _operands(random: Random, f: Float, arity: int) -> tuple[int, ...]:
    if random.randrange(2):
        return tuple(patterns(random, f, arity))
    largest = (1 << f.exponent) - 1
    middle, reach = random.randint(0, largest), f.significand + 2
    exponents = [random.randint(max(0, middle - reach), min(largest, middle + reach)) for _ in range(arity)]
    return tuple(_sparse(random, f, exponent) for exponent in exponents)


def _sparse(random: Random, f: Float, exponent: int) -> int:
    """A pattern whose fraction has none, one or two bits set, or all but so many."""
    ones = (1 << (f.significand - 1)) - 1
    # One place past the end, so that there may be fewer bits than two.
    fraction = (1 << random.randrange(f.significand) | 1 << random.randrange(f.significand)) & ones
    if random.randrange(2):
        fraction ^= ones
    return random.choice((0, f.sign_bit)) | exponent << (f.significand - 1) | fraction
