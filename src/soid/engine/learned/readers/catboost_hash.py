"""CatBoost knows a category by a hash of its text: the lower half of CityHash64, version 1.0.

A JSON file has the hashes of one-hot categories, and their texts only if it was saved with a pool. With this function a
text that a log or a manifest gives is found among the hashes.

>>> category_code("x")
3510494104
"""

from __future__ import annotations

from typing import Final

_ALL: Final = (1 << 64) - 1
_K0: Final = 0xC3A5C85C97CB3127
_K1: Final = 0xB492B66FBE98F273
_K2: Final = 0x9AE16A3B2F90404F
_K3: Final = 0xC949D7C7509E6557
_FOLD: Final = 0x9DDFEA08EB382D69


def category_code(text: str) -> int:
    """The code of a category, as CatBoost computes it from its text; of an integer: from its decimals."""
    return city_hash(text.encode("utf-8")) & 0xFFFFFFFF


def city_hash(data: bytes) -> int:
    """CityHash64 1.0 of some bytes."""
    size = len(data)
    if size > 64:
        return _long(data)
    if size > 32:
        return _up_to_64(data)
    if size > 16:
        return _up_to_32(data)
    if size > 8:
        last = _word(data, size - 8)
        return _folded(_word(data, 0), _turned(last + size, size)) ^ last
    if size >= 4:
        return _folded(size + (_half(data, 0) << 3), _half(data, size - 4))
    if size:
        low = data[0] + (data[size // 2] << 8)
        high = size + (data[-1] << 2)
        return _shifted((low * _K2 ^ high * _K3) & _ALL) * _K2 & _ALL
    return _K2


def _word(data: bytes, at: int) -> int:
    return int.from_bytes(data[at : at + 8], "little")


def _half(data: bytes, at: int) -> int:
    return int.from_bytes(data[at : at + 4], "little")


def _turned(word: int, places: int) -> int:
    """Rotated to the right."""
    word &= _ALL
    return (word >> places | word << 64 - places) & _ALL


def _shifted(word: int) -> int:
    return word ^ word >> 47


def _folded(one: int, other: int) -> int:
    """Two words to one."""
    one, other = one & _ALL, other & _ALL
    mixed = _shifted((one ^ other) * _FOLD & _ALL)
    return _shifted((other ^ mixed) * _FOLD & _ALL) * _FOLD & _ALL


def _up_to_32(data: bytes) -> int:
    size = len(data)
    first, second = _word(data, 0) * _K1, _word(data, 8)
    last, before = _word(data, size - 8) * _K2, _word(data, size - 16) * _K0
    return _folded(
        _turned(first - second, 43) + _turned(last, 30) + before, first + _turned(second ^ _K3, 20) - last + size
    )


def _up_to_64(data: bytes) -> int:
    size = len(data)
    start = _word(data, 0) + (size + _word(data, size - 16)) * _K0
    front = _quarter(data[8:32], start)
    back = _quarter(data[size - 24 :], _word(data, 16) + _word(data, size - 32))
    mixed = _shifted(((front[0] + back[1]) * _K2 + (back[0] + front[1]) * _K0) & _ALL)
    return _shifted((mixed * _K0 + front[1]) & _ALL) * _K2 & _ALL


def _quarter(words: bytes, start: int) -> tuple[int, int]:
    """Three words mixed into a start."""
    last = _word(words, 16)
    second = start + _word(words, 0)
    third = second + _word(words, 8)
    return third + last, _turned(start + last, 52) + _turned(third, 31) + _turned(start, 37) + _turned(second, 7)


def _block(data: bytes, at: int, one: int, other: int) -> tuple[int, int]:
    """Four words mixed into a pair."""
    first, second, third, last = (_word(data, at + 8 * place) for place in range(4))
    one += first
    three = one + second + third
    return three + last & _ALL, _turned(other + one + last, 21) + _turned(three, 44) + one & _ALL


def _long(data: bytes) -> int:
    size = len(data)
    y = _word(data, size - 16) ^ _K1
    z = _word(data, size - 56) ^ _K0
    v, w = _block(data, size - 64, size, y), _block(data, size - 32, size * _K1, _K0)
    z += _shifted(v[1]) * _K1
    x = _turned(z + _word(data, 0), 39) * _K1
    y = _turned(y, 33) * _K1
    for at in range(0, (size - 1) & ~63, 64):
        x = _turned(x + y + v[0] + _word(data, at + 16), 37) * _K1 & _ALL ^ w[1]
        y = _turned(y + v[1] + _word(data, at + 48), 42) * _K1 & _ALL ^ v[0]
        z = _turned(z & _ALL ^ w[0], 33)
        v, w = _block(data, at, v[1] * _K1, x + w[0]), _block(data, at + 32, z + w[1], y)
        x, z = z, x
    return _folded(_folded(v[0], w[0]) + _shifted(y & _ALL) * _K1 + z, _folded(v[1], w[1]) + x)
