"""Random decision programs in C++: classes with virtual functions, templates, lambdas, the library's small helpers,
objects that clean up behind themselves, and, where asked for, exceptions that are caught inside.

    program = generate_cplusplus(7, Mode.FAULTY, exceptions=True)

All programs see, keep and decide the same things; what they do with them is random. SAFE programs compute modulo 2^32
where they might overflow; FAULTY ones leave some of that to chance.
"""

from __future__ import annotations

import random
from collections.abc import Callable

from .model import GeneratedProgram, Mode, Port, PortKind
from .scalars import DOUBLE, FLOAT, INT32, UINT8, UINT32, CType, TypeKind
from .vectors import choose_domains, choose_vectors

__all__ = ["generate_cplusplus"]

_MODE = CType("Mode", TypeKind.ENUM, 8, False, ("IDLE", "SLOW", "FAST"), (0, 1, 2))
_SEEN: dict[str, CType] = {
    "a": INT32,
    "b": INT32,
    "u": UINT32,
    "d": DOUBLE,
    "mode": _MODE,
    **{f"pos[{i}].{field}": ctype for i in range(2) for field, ctype in (("x", FLOAT), ("y", INT32))},
}
_KEPT: dict[str, CType] = {"count": INT32, "mask": UINT32}
_OUT: dict[str, CType] = {"go": INT32, "gain": FLOAT, "why": UINT8}

_HEAD = """#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <tuple>
#include <utility>
enum class Mode : std::uint8_t { IDLE, SLOW, FAST };
struct Pos { float x; int y; };
struct Seen { int a; int b; unsigned u; double d; Mode mode; Pos pos[2]; };
struct Kept { int count; unsigned mask; };
struct Out { int go; float gain; unsigned char why; };
struct Trouble { int code; explicit Trouble(int c) : code(c) {} };
struct Grave : Trouble { explicit Grave(int c) : Trouble(c) {} };
template <typename T> T pick(bool first, T a, T b) { return first ? a : b; }
static inline int add(int a, int b) { return static_cast<int>(static_cast<unsigned>(a) + static_cast<unsigned>(b)); }
static inline int mul(int a, int b) { return static_cast<int>(static_cast<unsigned>(a) * static_cast<unsigned>(b)); }
class Guard {
public:
    Guard(int &to, int by) : to_(to), by_(by) {}
    ~Guard() { to_ = add(to_, by_); }
private:
    int &to_;
    int by_;
};
class Rule {
public:
    virtual ~Rule() = default;
    virtual int judge(const Seen &seen, const Kept &kept) const = 0;
    virtual int weight() const { return 1; }
};
"""
_SYMBOLS = ("Mode", "Pos", "Seen", "Kept", "Out", "Trouble", "Grave", "pick", "add", "mul", "Guard", "Rule", "decide")


class _Writer:
    """One program on its way."""

    def __init__(self, seed: int, mode: Mode, *, exceptions: bool) -> None:
        self.rng = random.Random(f"c++ {seed} {mode.value} {exceptions}")
        self.faulty = mode is Mode.FAULTY
        self.exceptions = exceptions
        self.locals: list[str] = []
        self.names = 0
        self.features: set[str] = set()
        self.faults: list[str] = []

    def fresh(self, root: str) -> str:
        self.names += 1
        return f"{root}{self.names}"

    def pick(self, *choices: str) -> str:
        return self.rng.choice(choices)

    # --- expressions --------------------------------------------------------------------------------------------

    def leaf(self) -> str:
        known = ["seen.a", "seen.b", "kept.count", "seen.pos[0].y", "seen.pos[1].y", "static_cast<int>(seen.mode)"]
        return self.rng.choice([*known, *self.locals * 2, str(self.rng.randint(-9, 40))])

    def number(self, depth: int = 2) -> str:
        if depth == 0 or self.rng.random() < 0.2:
            return self.leaf()
        a, b = self.number(depth - 1), self.number(depth - 1)
        if self.faulty and self.rng.random() < 0.12:
            return self._unguarded(a, b)
        low = self.rng.randint(-50, 20)
        made: list[Callable[[], str]] = [
            lambda: f"add({a}, {b})",
            lambda: f"mul({a}, {self.rng.randint(-3, 5)})",
            lambda: f"std::min({a}, {b})" if "static_cast" not in a + b else f"std::min<int>({a}, {b})",
            lambda: f"std::max<int>({a}, {b})",
            lambda: f"std::clamp<int>({a}, {low}, {low + self.rng.randint(1, 90)})",
            lambda: f"pick<int>({self.truth(depth - 1)}, {a}, {b})",
            lambda: f"({self.truth(depth - 1)} ? {a} : {b})",
            lambda: f"({a} {self.pick('&', '|', '^')} {b})",
            lambda: f"({a} / {self.rng.randint(2, 9)})",
            lambda: f"static_cast<int>(static_cast<unsigned>({a}) >> {self.rng.randint(1, 20)})",
            lambda: f"static_cast<int>(std::clamp({self.real()}, -100.0, 100.0))",
        ]
        return self.rng.choice(made)()

    def _unguarded(self, a: str, b: str) -> str:
        kind = self.pick("overflow", "division", "shift")
        self.faults.append(kind)
        return {"overflow": f"({a} + {b})", "division": f"({a} % {b})", "shift": f"(1 << ({a} & 63))"}[kind]

    def real(self) -> str:
        # a NaN makes std::clamp give a NaN, which no integer holds: what is clamped here is none
        a = self.pick("seen.d", "static_cast<double>(seen.pos[0].x)", "static_cast<double>(seen.pos[1].x)")
        return f"({a} == {a} ? {a} * {self.pick('0.5', '2.0', '-1.0')} : {self.rng.randint(-3, 3)}.0)"

    def truth(self, depth: int = 1) -> str:
        kind = self.rng.randrange(5)
        if kind == 0:
            return f"(seen.mode {self.pick('==', '!=')} Mode::{self.pick('IDLE', 'SLOW', 'FAST')})"
        if kind == 1:
            return f"(seen.d {self.pick('<', '>', '<=')} {self.rng.randint(-5, 60)}.5)"
        if kind == 2:
            return f"((kept.mask >> {self.rng.randint(0, 31)} & 1u) != 0)"
        a, b = self.number(max(0, depth - 1)), self.number(0)
        return f"({a} {self.pick('<', '>', '<=', '>=', '==', '!=')} {b})"

    # --- statements ---------------------------------------------------------------------------------------------

    def statements(self, depth: int, count: int) -> list[str]:
        outer = list(self.locals)
        lines: list[str] = []
        for _ in range(count):
            lines += self._statement(depth)
        self.locals = outer
        return lines

    def _statement(self, depth: int) -> list[str]:
        kinds: list[Callable[[int], list[str]]] = [
            self._assign,
            self._assign,
            self._local,
            self._lambda,
            self._optional,
        ]
        kinds += [self._pair, self._rule]
        if depth > 0:
            kinds += [self._if, self._loop, self._switch, self._guard]
            kinds += [self._try, self._try] if self.exceptions else []
        return self.rng.choice(kinds)(depth)

    def _assign(self, depth: int) -> list[str]:
        target = self.rng.randrange(4)
        if target == 0:
            return [f"out.gain = static_cast<float>({self.number()}) * 0.5f;"]
        if target == 1:
            return [f"kept.mask ^= static_cast<unsigned>({self.number()});"]
        if target == 2 and self.locals:
            return [f"{self.rng.choice(self.locals)} = {self.number()};"]
        return [f"out.go = {self.number()};"]

    def _local(self, depth: int) -> list[str]:
        name = self.fresh("v")
        line = f"int {name} = {self.number()};"
        self.locals.append(name)
        return [line]

    def _lambda(self, depth: int) -> list[str]:
        self.features.add("lambda")
        name, value = self.fresh("f"), self.number(1)
        body = f"auto {name} = [&](int x) {{ kept.count = add(kept.count, 1); return add(x, {value}); }};"
        return [body, f"out.go = {name}({self.number(1)});"]

    def _optional(self, depth: int) -> list[str]:
        self.features.add("optional")
        name = self.fresh("o")
        return [
            f"std::optional<int> {name};",
            f"if ({self.truth()}) {name} = {self.number(1)};",
            f"out.go = add(out.go, {name}.value_or({self.rng.randint(-4, 4)}));",
        ]

    def _pair(self, depth: int) -> list[str]:
        self.features.add("pair")
        a, b = self.fresh("p"), self.fresh("q")
        lines = [f"auto [{a}, {b}] = std::make_pair({self.number(1)}, static_cast<unsigned>({self.number(1)}));"]
        return [*lines, f"kept.mask += {b}; out.why = static_cast<unsigned char>({a});"]

    def _rule(self, depth: int) -> list[str]:
        self.features.add("virtual")
        name = self.fresh("r")
        first = f"static_cast<const Rule *>(new First({self.number(1)}))"
        return [
            f"const Rule *{name} = {self.truth()} ? {first} : new Second();",
            f"out.go = add({name}->judge(seen, kept), {name}->weight());",
            f"delete {name};",
        ]

    def _if(self, depth: int) -> list[str]:
        inner, other = self.statements(depth - 1, 2), self.statements(depth - 1, 1)
        return [f"if ({self.truth(2)}) {{", *inner, "} else {", *other, "}"]

    def _loop(self, depth: int) -> list[str]:
        self.features.add("range-for")
        name = self.fresh("e")
        cells = ", ".join(self.number(0) for _ in range(3))
        self.locals.append(name)
        inner = self.statements(depth - 1, 1)
        self.locals.remove(name)
        return [f"for (int {name} : std::array<int, 3>{{{cells}}}) {{", *inner, "}"]

    def _switch(self, depth: int) -> list[str]:
        lines = ["switch (seen.mode) {"]
        for label in ("IDLE", "FAST"):
            lines += [f"case Mode::{label}: {{", *self.statements(depth - 1, 1), "break; }"]
        return [*lines, "default:", "out.why = 7;", "}"]

    def _guard(self, depth: int) -> list[str]:
        self.features.add("destructor")
        name = self.fresh("g")
        return ["{", f"Guard {name}(kept.count, {self.number(0)});", *self.statements(depth - 1, 1), "}"]

    def _try(self, depth: int) -> list[str]:
        self.features.add("exception")
        inner, thrown = self.statements(depth - 1, 1), self.pick("Trouble", "Grave", "int")
        value = f"Trouble({self.number(1)})" if thrown == "Trouble" else f"Grave({self.number(1)})"
        value = self.number(1) if thrown == "int" else value
        name = self.fresh("g")
        return [
            "try {",
            f"Guard {name}(kept.count, 3);",
            f"if ({self.truth()}) throw {value};",
            *inner,
            "} catch (const Grave &grave) { out.go = mul(grave.code, 2);",
            "} catch (const Trouble &trouble) { out.go = trouble.code;",
            "} catch (int number) { out.go = add(number, 1); }",
        ]


def generate_cplusplus(seed: int, mode: Mode, *, exceptions: bool = False) -> GeneratedProgram:
    """The program of a seed."""
    writer = _Writer(seed, mode, exceptions=exceptions)
    rules = [
        "class First final : public Rule {",
        "public:",
        "    explicit First(int bias) : bias_(bias) {}",
        f"    int judge(const Seen &seen, const Kept &kept) const override {{ return add(bias_, {writer.number()}); }}",
        "private:",
        "    int bias_;",
        "};",
        "class Second : public Rule {",
        "public:",
        f"    int judge(const Seen &seen, const Kept &kept) const override {{ return {writer.number()}; }}",
        f"    int weight() const override {{ return {writer.rng.randint(2, 9)}; }}",
        "};",
    ]
    body = writer.statements(2, writer.rng.randint(4, 7))
    prototype = "int decide(const Seen &seen, Kept &kept, Out &out)"
    source = "\n".join(
        [
            *(_HEAD.rstrip(), *rules, f"{prototype} {{"),
            "    out.go = 0; out.gain = 0.0f; out.why = 0;",
            *(f"    {line}" for line in body),
            f"    return {writer.number()};",
            "}",
        ]
    )
    seen = tuple(Port(f"seen.{path}", ctype, PortKind.ENVIRONMENT, f"arg_seen.{path}") for path, ctype in _SEEN.items())
    kept = tuple(Port(f"kept.{path}", ctype, PortKind.STATE, f"arg_kept.{path}") for path, ctype in _KEPT.items())
    out = tuple(Port(f"out.{path}", ctype, PortKind.DECISION, f"arg_out.{path}") for path, ctype in _OUT.items())
    returned = Port("return", INT32, PortKind.RETURN, "result_value")
    inputs = (*seen, *kept)
    vectors = choose_vectors(writer.rng, inputs, {})
    return GeneratedProgram(
        seed=seed,
        mode=mode,
        source=source + "\n",
        entry="decide",
        prototype=prototype,
        symbols=(*_SYMBOLS, "First", "Second"),
        arguments="Seen arg_seen; Kept arg_kept; Out arg_out;",
        call="int result_value = decide(arg_seen, arg_kept, arg_out);",
        inputs=inputs,
        outputs=(*kept, *out, returned),
        vectors=vectors,
        domains=choose_domains(writer.rng, inputs, vectors[0]),
        features=frozenset(writer.features),
        fault_sites=tuple(writer.faults),
    )
