"""The class hierarchy of a program, by type infos: which type catches which exception, and at which offset.

A base class catches an object of a derived class if the base is public and the only one of its type. The IR lists the
bases of a program's own classes. It does not list those of the standard library's exceptions, so they stand here.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, final

from soid.engine.llvm.ir.ir_module import Module
from soid.engine.llvm.ir.operands import ConstAggregate, Constant, ConstGep, ConstInt, GlobalRef
from soid.engine.llvm.symbolic.paths.path_end import NotModelled

ANYTHING: Final = "..."

_EXCEPTION: Final = "_ZTISt9exception"
_STANDARD: Final = {
    **dict.fromkeys(("11logic_error", "13runtime_error", "9bad_alloc", "8bad_cast", "10bad_typeid"), _EXCEPTION),
    **dict.fromkeys(("13bad_exception", "18bad_variant_access", "19bad_optional_access"), _EXCEPTION),
    **dict.fromkeys(
        ("12domain_error", "16invalid_argument", "12length_error", "12out_of_range"), "_ZTISt11logic_error"
    ),
    **dict.fromkeys(("11range_error", "14overflow_error", "15underflow_error"), "_ZTISt13runtime_error"),
    "20bad_array_new_length": "_ZTISt9bad_alloc",
}
_BASES: Final = {f"_ZTISt{name}": base for name, base in _STANDARD.items()}
_KNOWN: Final = frozenset({_EXCEPTION, *_BASES})

_WITHOUT_BASES: Final = frozenset(
    f"_ZTVN10__cxxabiv1{name}E" for name in ("17__class_type_info", "16__enum_type_info", "23__fundamental_type_info")
)
_VIRTUAL, _PUBLIC = 1, 2  # flags of a base among several


@final
class Hierarchy:
    """The classes of a program, by the symbols of their type infos."""

    def __init__(self, module: Module) -> None:
        self._module = module
        self._numbers: dict[str, int] = {}

    def number(self, kind: str) -> int:
        """The number of a type in landing pads; never 0, which means cleanup."""
        return self._numbers.setdefault(kind, len(self._numbers) + 1)

    def is_pointer(self, kind: str) -> bool:
        return kind.startswith("_ZTIP")

    def offset(self, kind: str, wanted: str) -> int | None:
        """The offset of the wanted type in an object of a type; None where it does not catch it."""
        if wanted in (kind, ANYTHING):
            return 0
        if self.is_pointer(kind) or self.is_pointer(wanted):
            if self.is_pointer(kind) and self.is_pointer(wanted):
                raise NotModelled("an exception that is a pointer of another type than is caught")
            return None
        found = list(self._parts(kind, wanted))
        return found[0][0] if len(found) == 1 and found[0][1] else None

    def _parts(self, kind: str, wanted: str) -> Iterator[tuple[int, bool]]:
        """The offsets of bases of the wanted type, and whether all inheritance on the way is public."""
        for base, at, public in self._bases(kind):
            if base == wanted:
                yield at, public
            else:
                yield from ((at + inside, public and also) for inside, also in self._parts(base, wanted))

    def _bases(self, kind: str) -> list[tuple[str, int, bool]]:
        if kind in _BASES:
            return [(_BASES[kind], 0, True)]
        variable = self._module.globals.get(kind)
        initializer = variable.initializer if variable is not None else None
        if not isinstance(initializer, ConstAggregate):
            if kind in _KNOWN or _is_plain(kind):
                return []
            raise NotModelled(f"the bases of {kind}")
        return _written(initializer.elements)


def _is_plain(kind: str) -> bool:
    """Whether a type info belongs to a built-in type, which has no bases: `_ZTIi` is int."""
    return len(kind) == len("_ZTIi")


def _written(parts: tuple[Constant, ...]) -> list[tuple[str, int, bool]]:
    """The bases that a type info lists: none, a public one at offset 0, or several with offsets and access."""
    name = _table(parts[0])
    if name in _WITHOUT_BASES:
        return []
    if name == "_ZTVN10__cxxabiv120__si_class_type_infoE" and isinstance(parts[2], GlobalRef):
        return [(parts[2].name, 0, True)]
    if name == "_ZTVN10__cxxabiv121__vmi_class_type_infoE":
        found = []
        for base, where in zip(parts[4::2], parts[5::2], strict=True):
            if not isinstance(base, GlobalRef) or not isinstance(where, ConstInt) or where.value & _VIRTUAL:
                raise NotModelled("an exception with virtual bases")
            found.append((base.name, where.signed >> 8, bool(where.value & _PUBLIC)))
        return found
    raise NotModelled("an exception of a type that is no class")


def _table(constant: Constant) -> str:
    if isinstance(constant, ConstGep) and isinstance(constant.base, GlobalRef):
        return constant.base.name
    return ""
