"""Roles by what a program does: each way to read and write once, then random programs whose roles are known."""

from __future__ import annotations

from pathlib import Path

import pytest

from soid.engine.llvm.compiler.compilation import Build
from soid.engine.llvm.loaded_program import load
from soid.engine.llvm.variables.roles import examine, roles_of

TYPES = """
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
struct inner { float a, b; };
struct bits { unsigned lo : 3; int mid : 5; unsigned hi : 8; unsigned spare : 4; _Bool on : 1; };
struct pair { struct inner *left, *right; int n; };
struct row { int v[4]; int n; };
struct base { int kind; };
struct derived { struct base base; int x; };
"""

#: the program, and its roles: e(nvironment), s(tate), d(ecision); what is not named has none
CASES = {
    "read": ("int decide(int a, int unused) { return a; }", "a:e return:d"),
    "write": ("void decide(const int *a, int *b) { *b = *a; }", "*a:e *b:d"),
    "read and write": ("void decide(int *a) { *a += 1; }", "*a:s"),
    "write and then read": ("int decide(int *a) { *a = 3; return *a; }", "*a:d return:d"),
    "write on one way only": ("void decide(int c, int *a) { if (c) *a = 1; if (*a) *a = 2; }", "c:e *a:s"),
    "write on both ways": ("void decide(int c, int *a) { if (c) *a = 1; else *a = 5; if (*a) *a = 2; }", "c:e *a:d"),
    "write in a loop that may not run": (
        "void decide(int n, int *a) { for (int i = 0; i < n; i++) *a = 0; *a += n; }",
        "n:e *a:s",
    ),
    "fields": ("void decide(struct inner *s) { s->b = s->a; }", "s.a:e s.b:d"),
    "helpers for two structs": (
        ("static void set(float *p, float v) { *p = v; } static float get(const float *p) { return *p; }\n"
        "void decide(struct inner *s, struct inner *o) { set(&o->a, get(&s->a)); set(&s->b, 1); o->b = get(&s->b); }"),
        "s.a:e s.b:d o.a:d o.b:d",
    ),
    "a helper that writes first": (
        ("static void clear(struct inner *s) { s->a = 0; s->b = 0; }\n"
        "void decide(struct inner *s, int c) { clear(s); if (c) s->a += 1; }"),
        "s.a:d s.b:d c:e",
    ),
    "a helper that may not return": (
        "static void stop(int *a) { *a = 1; abort(); } void decide(int *a) { if (*a) stop(a); }",
        "*a:s",
    ),
    "arrays by index": ("void decide(struct row *r) { r->v[r->n] = 1; }", "r.v[0]:d r.v[1]:d r.v[2]:d r.v[3]:d r.n:e"),
    "an array walked along": (
        "int decide(struct row *r) { int s = 0; for (int *p = r->v; p != r->v + 4; p++) s += *p; return s; }",
        "r.v[0]:e r.v[1]:e r.v[2]:e r.v[3]:e return:d",
    ),
    "recursion": (
        ("static int sum(struct row *r, int i) { return i < 0 ? 0 : r->v[i] + sum(r, i - 1); }\n"
        "int decide(struct row *r) { return sum(r, 3); }"),
        "r.v[0]:e r.v[1]:e r.v[2]:e r.v[3]:e return:d",
    ),
    "memset": ("void decide(struct inner *s) { memset(s, 0, sizeof *s); s->a += 1; }", "s.a:d s.b:d"),
    "memcpy": ("void decide(struct inner *s, struct inner *o) { memcpy(o, s, 4); o->b += 1; }", "s.a:e o.a:d o.b:s"),
    "memmove along an array": (
        "void decide(struct row *r) { memmove(r->v + 1, r->v, 12); r->v[0] = 0; }",
        "r.v[0]:s r.v[1]:s r.v[2]:s r.v[3]:d",
    ),
    "a copy of a struct": (
        ("struct big { int v[8]; int n; }; static int f(struct big b) { b.n = 1; return b.v[0]; }\n"
        "int decide(struct big *b) { int k = f(*b); b->n += k; return k; }"),
        " ".join([*(f"b.v[{i}]:e" for i in range(8)), "b.n:s return:d"]),
    ),
    "pointers in structs": (
        "void decide(struct pair *p) { p->left->a = p->right->b; if (p->n) p->right->a += 1; }",
        "p.left.a:d p.right.a:s p.right.b:e p.n:e",
    ),
    "pointers kept in memory": (
        "void decide(int *a, int *b) { int *both[2]; both[0] = a; both[1] = b; *both[1] = *both[0]; }",
        "*a:e *b:d",
    ),
    "a pointer that may be one of two": (
        "void decide(int c, int *a, int *b) { int *p = c ? a : b; *p = 1; if (*a) *b += 1; }",
        "c:e *a:s *b:s",
    ),
    "from a member to its struct": (
        ("#define AROUND(p) ((struct inner *)((char *)p - offsetof(struct inner, b)))\n"
        "void decide(struct inner *s) { float *p = &s->b; AROUND(p)->a = *p; }"),
        "s.a:d s.b:e",
    ),
    "from the first member to its struct": (
        "void decide(struct derived *d) { struct base *b = &d->base; ((struct derived *)b)->x = b->kind; }",
        "d.base.kind:e d.x:d",
    ),
    "bit-fields": (
        "void decide(const struct bits *s, struct bits *o) { o->lo = s->mid & 7; o->on = s->on; o->hi = 0; }",
        "s.mid:e s.on:e o.lo:d o.hi:d o.on:d",
    ),
    "a bit-field that is counted up": ("void decide(struct bits *s) { s->lo++; }", "s.lo:s"),
    "function pointers": (
        ("static void put(int *p) { *p = 1; } static void add(int *p) { *p += 1; }\n"
        "static void (*const table[])(int *) = { put, add };\n"
        "void decide(int c, int *a) { table[c & 1](a); }"),
        "c:e *a:s",
    ),
    "variable arguments": (
        ("static int sum(int n, ...) { va_list l; va_start(l, n); int s = 0; while (n--) s += *va_arg(l, int *);\n"
        "  va_end(l); return s; }\n"
        "int decide(int *a, int *b, int *c) { *c = 0; return sum(2, a, b); }"),
        "*a:e *b:e *c:d return:d",
    ),
    "the heap": (
        "void decide(int *a, int *b) { int **h = malloc(sizeof *h); *h = a; *b = **h; free(h); }",
        "*a:e *b:d",
    ),
    "globals": (
        ("int mode; static int count; static int scratch; int out; const int limit = 3; int idle;\n"
        "void decide(void) { scratch = mode; if (scratch > limit) count++; out = scratch; }"),
        "mode:e count:s scratch:d out:d",
    ),
    "statics of functions": (
        ("static int tick(void) { static int n = 5; return ++n; }\n"
        "static int fresh(void) { static int k; k = 2; return k; }\n"
        "int decide(void) { return tick() + fresh(); }"),
        "tick.n:s return:d",
    ),
    "a struct by value": ("int decide(struct inner s, int b) { b = 1; return b + s.a; }", "s.a:e b:e return:d"),
    "a struct returned": (
        "struct row decide(int x) { struct row r; r.n = x; r.v[0] = r.n; return r; }",
        "x:e return.v[0]:d return.v[1]:d return.v[2]:d return.v[3]:d return.n:d",
    ),
    "an unknown function": (
        "void other(struct pair *p); void decide(struct pair *p, int *b) { other(p); *b = 1; }",
        "p.left.a:s p.left.b:s p.right.a:s p.right.b:s p.n:s *b:d",
    ),
    "strings and what is printed": (
        '#include <stdio.h>\nvoid decide(char *s, int *b) { printf("%d", *b); *b = !strcmp(s, "stop"); }',
        "*s:e *b:s",
    ),
    "text copied and appended": (
        'struct t { char a[4], b[4], c[4]; }; void decide(struct t *t) { strcpy(t->a, t->b); strcat(t->c, "x"); }',
        " ".join(f"t.{name}[{i}]:{role}" for name, role in zip("abc", "des", strict=True) for i in range(4)),
    ),
    "an address as a number": (
        "#include <stdint.h>\nvoid decide(int *a) { *(int *)(uintptr_t)a = 1; }",
        "*a:d",
    ),
}  # fmt: skip

LETTERS = {"e": "environment", "s": "state", "d": "decision"}


@pytest.mark.parametrize("name", CASES)
def test_roles(tmp_path: Path, name: str) -> None:
    text, expected = CASES[name]
    (tmp_path / "program.c").write_text(TYPES + text)
    loaded = load(Build((Path("program.c"),), root=tmp_path), "decide")
    roles = roles_of(loaded, examine(loaded))
    wanted = {path: LETTERS[role] for path, role in (part.rsplit(":", 1) for part in expected.split())}
    assert {path: role.value for path, role in roles.items()} == wanted


def test_a_function_that_gives_a_logged_value_touches_nothing(tmp_path: Path) -> None:
    text = "int read_it(int *where); int decide(int *a) { return read_it(a); }"
    (tmp_path / "program.c").write_text(text)
    loaded = load(Build((Path("program.c"),), root=tmp_path), "decide")
    assert list(roles_of(loaded, examine(loaded, frozenset({"read_it"})))) == ["return"]
    assert list(roles_of(loaded, examine(loaded))) == ["*a", "return"]


def test_a_long_array_is_walked_along_at_once(tmp_path: Path) -> None:
    text = """
    struct s { int head; float data[20000]; int tail; };
    int decide(struct s *s) { int n = 0; for (float *p = s->data; p != s->data + 20000;) n += *p++ > 1; return n; }
    """
    (tmp_path / "program.c").write_text(text)
    loaded = load(Build((Path("program.c"),), root=tmp_path), "decide")
    roles = roles_of(loaded, examine(loaded))
    assert len(roles) == 20001
    assert not {"s.head", "s.tail"} & set(roles)
