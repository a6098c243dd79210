"""What C leaves open, or the project does not say, is never a proof: the answer is unknown, or says what it assumes.

Each row is a program with a question, and the only verdicts that are true of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from soid import Answer, Project, Settings
from soid.assumptions import Assumption, Ledger
from soid.oracle import member_runs
from soid.recipe import SOID
from tests.e2e.headers import included

#: paving an open question takes two seconds each
NO_PAVING = Settings(recipe=SOID.without("paving"))
HEADERS = ("ctype", "errno", "math", "setjmp", "stdatomic", "stddef", "stdint", "stdio", "stdlib", "string")


@dataclass(frozen=True)
class Row:
    """A program whose entry is `f`, and what may be answered."""

    name: str
    source: str
    question: str
    allowed: str  # verdicts
    log: str = '{"x": 1}'
    manifest: str = ""


ANY = "if x is anything"
_TWO = f"would g == 1 or return == 2 {ANY}"
_CALLERS = "struct s { int a, b; }; int *f(struct s *p, int x) { p->a = x; return &p->b; }"
_LOGGED = '{"x": 1, "g": 5}'
_STATE = '[variables]\ng = { role = "state" }'
_BITS = "struct { unsigned a : 3, b : 7; } s; int f(int x) { s.a = x; if (s.a > 4) s.b = 1; return s.a; }"
ROWS = [
    # --- how much lies behind a pointer
    Row(
        "a sum over elements that nothing counts",
        "int f(const int *p, int x) { int s = 0; for (int i = 0; i < x; i++) s += p[i]; return s > 10; }",
        "might return == 1 if x in {2..5}",
        "unknown",
        '{"x": 1, "*p": 3}',
    ),
    Row(
        "the same never fails for sure",
        "int f(const int *p, int x) { int s = 0; for (int i = 0; i < x; i++) s += p[i]; return s > 10; }",
        "might fails if x in {2..5}",
        "unknown",
        '{"x": 1, "*p": 3}',
    ),
    Row(
        "with a length it does",
        "int f(const int *p, int x) { int s = 0; for (int i = 0; i < x; i++) s += p[i]; return s > 10; }",
        "might fails if x in {2..5}",
        "yes",
        '{"x": 1, "p[0]": 3, "p[1]": 3, "p[2]": 3}',
        "[lengths]\np = 3",
    ),
    Row(
        "a length for every index",
        "struct t { int *v; }; int f(const struct t t[2], int x) { return t[x].v[1] > 3; }",
        "might return == 1 if x == 1 and t[1].v[1] == 4",
        "yes",
        '{"x": 0, "t[0].v[0]": 1, "t[0].v[1]": 1, "t[1].v[0]": 1, "t[1].v[1]": 1}',
        '[lengths]\nt = 2\n"t[*].v" = 2',
    ),
    Row(
        "the element before",
        "int f(const int *p, int x) { return p[x] > 3; }",
        "might fails if x == -1",
        "unknown",
        '{"x": 0, "*p": 3}',
    ),
    Row(
        "a copy of more than one element",
        "int f(const int *p, unsigned x) { int b[8] = {0}; memcpy(b, p, 4 * (x & 7)); return b[1]; }",
        "might fails if x in {0..7}",
        "unknown",
        '{"x": 0, "*p": 3}',
    ),
    Row(
        "a string behind a pointer",
        "int f(const char *p, int x) { return strlen(p) > 1 && x; }",
        "might return == 1 if *p == 65",
        "unknown",
        '{"x": 1, "*p": 0}',
    ),
    Row(
        "an array of structs behind a pointer in a struct",
        "struct a { int v; }; struct w { struct a *all; }; int f(const struct w *w, int x) { return w->all[x].v; }",
        "might fails if x == 1",
        "unknown",
        '{"x": 0, "w.all.v": 3}',
    ),
    # --- what a function returns that the program does not define
    Row(
        "an unsigned clock",
        "uint32_t millis(void); int f(int x) { return millis() > 3000000000u && x; }",
        "might return == 1 if now >= 0",
        "yes",
        '{"x": 1, "now": 5}',
        '[inputs_from]\nmillis = "now"',
    ),
    Row(
        "a signed clock",
        "int32_t millis(void); int f(int x) { return millis() < 0 && x; }",
        "might return == 1 if now < 0",
        "yes",
        '{"x": 1, "now": 5}',
        '[inputs_from]\nmillis = "now"',
    ),
    Row(
        "an unsigned byte",
        "unsigned char port(void); int f(int x) { return port() > 200 && x; }",
        "might return == 1 if now > 200",
        "yes",
        '{"x": 1, "now": 5}',
        '[inputs_from]\nport = "now"',
    ),
    Row(
        "a mode by its label",
        "enum mode { OFF, ON = 5 }; enum mode mode(void); int f(int x) { return mode() == ON && x; }",
        "might return == 1 if now == ON",
        "yes",
        '{"x": 1, "now": "OFF"}',
        '[inputs_from]\nmode = "now"',
    ),
    Row(
        "what it writes through a pointer",
        "int adc(int channel, short *out); int f(int x) { short v; return adc(x, &v) ? -1 : v > 3; }",
        "might fails if x is anything",
        "unknown",
        '{"x": 1, "now": 0}',
        '[inputs_from]\nadc = "now"',
    ),
    Row(
        "what it only reads",
        "int adc(const short *in); int f(int x) { short v = x > 3; return adc(&v) + v == 1; }",
        "might return == 1 if x is anything",
        "yes",
        '{"x": 1, "now": 0}',
        '[inputs_from]\nadc = "now"',
    ),
    # --- fixed addresses
    Row(
        "a register", "int f(int x) { return *(volatile uint32_t *)0x40021000u > x; }", f"might fails {ANY}", "unknown"
    ),
    Row("a low register", "int f(int x) { return *(volatile uint8_t *)0x25 > x; }", f"might fails {ANY}", "unknown"),
    Row(
        "a struct of registers",
        "struct port { uint32_t in, out; }; int f(int x) { return ((volatile struct port *)0x40020000)->out > x; }",
        f"might return == 1 {ANY}",
        "unknown",
    ),
    Row(
        "a function at a fixed address",
        "int f(int x) { return ((int (*)(int))0x1000)(x); }",
        f"might fails {ANY}",
        "unknown",
    ),
    Row(
        "two fixed addresses", "int f(int x) { return (char *)8 < (char *)16 && x; }", f"might return == 1 {ANY}", "yes"
    ),
    # --- the order of addresses
    Row(
        "below an array, as a number",
        "int f(unsigned x) { int a[4]; uintptr_t p = (uintptr_t)(a + 2); p -= 4 * (x % 4); return p < (uintptr_t)a; }",
        f"would return == 0 {ANY}",
        "no",
    ),
    Row(
        "a backward scan",
        "int f(int x) { char b[4] = {1, 2, 3, 4}, *e = b + 3; while (e >= b && *e != x) e--; return e >= b; }",
        f"might fails {ANY}",
        "no",
    ),
    Row(
        "a backward scan that finds nothing",
        "int f(int x) { char b[4] = {1, 2, 3, 4}, *e = b + 3; while (e >= b && *e != x) e--; return e >= b; }",
        "might return == 1 if x > 4",
        "no",
    ),
    Row(
        "which of two variables comes first",
        "int f(int x) { int a, b; return (uintptr_t)&a < (uintptr_t)&b && x; }",
        f"might return == 1 {ANY}",
        "unknown",
    ),
    Row(
        "the distance of two variables",
        "int f(int x) { int a, b; return (uintptr_t)&a - (uintptr_t)&b == 4 && x; }",
        f"might return == 1 {ANY}",
        "unknown",
    ),
    Row(
        "far below its object",
        "int f(unsigned x) { int a[4]; return (uintptr_t)a - x < (uintptr_t)a; }",
        f"would return == 1 {ANY}",
        "no unknown",
    ),
    # --- the digits of addresses
    Row(
        "an address is no small number",
        "int f(int x) { return (uintptr_t)&x > 1000 && x; }",
        f"might fails {ANY}",
        "no",
    ),
    Row(
        "an address and a large number",
        "int f(int x) { return (uintptr_t)&x > 0x7000000000 && x; }",
        f"might return == 1 {ANY}",
        "unknown",
    ),
    Row(
        "alignment by digits",
        "int f(int x) { char c[2]; return ((uintptr_t)c & 1) == 0 && x; }",
        f"might return == 1 {ANY}",
        "unknown yes",
    ),
    # --- addresses that may be equal
    Row(
        "the end of one",
        "int f(int x) { int a[1], b[1]; return a + 1 == b && x; }",
        f"might return == 1 {ANY}",
        "unknown",
    ),
    Row(
        "the end of one, by an index",
        "int f(unsigned x) { int a[4], b[4]; return &a[x % 5] == b; }",
        f"might return == 1 {ANY}",
        "unknown",
    ),
    Row("two beginnings", "int f(int x) { int a[1], b[1]; return a == b || x; }", "might return == 1 if x == 0", "no"),
    Row(
        "a freed block and a new one",
        "int f(int x) { int *p = malloc(4); free(p); int *q = malloc(4); return p == q && x; }",
        f"might return == 1 {ANY}",
        "unknown",
    ),
    Row(
        "string literals",
        'int f(int x) { const char *p = "abc", *q = "xabc"; return p == q + 1 && x; }',
        f"might return == 1 {ANY}",
        "unknown",
    ),
    Row(
        "a string literal and a variable",
        'char own[4]; int f(int x) { const char *p = x > 3 ? "abc" : own; return p == own; }',
        "might return == 0 if x > 3",
        "yes",
    ),
    # --- null
    Row(
        "the address of a member",
        "struct s { int a, b; }; int *g(struct s *s) { return &s->b; } int f(int x) { return g(NULL) != NULL && x; }",
        f"might return == 1 {ANY}",
        "no unknown",
    ),
    # --- output
    Row(
        "%n",
        'int f(int x) { int k = 0; printf("abc%n", &k); return k == 3 && x; }',
        f"might return == 1 {ANY}",
        "unknown yes",
    ),
    Row("puts(NULL)", 'int f(int x) { puts(x > 3 ? NULL : "a"); return x; }', "might fails if x > 3", "yes"),
    Row(
        "a string without an end",
        'int f(int x) { char c[2] = {(char)x, (char)x}; printf("%s", c); return x; }',
        "might fails if x == 65",
        "yes",
    ),
    Row(
        "a string with a precision needs no end",
        'int f(int x) { char c[2] = {(char)x, (char)x}; printf("%.2s", c); return x; }',
        "might fails if x == 65",
        "no",
    ),
    Row("an unset number", 'int f(int x) { int y; printf("%d", y); return x; }', f"might fails {ANY}", "yes"),
    Row("too few arguments", 'int f(int x) { printf("%d %d", x); return x; }', f"might fails {ANY}", "yes"),
    Row(
        "how much was printed",
        'int f(int x) { return printf("%d", x) > 3; }',
        f"would return == 0 {ANY}",
        "unknown no",
    ),
    # --- flags
    Row(
        "a combination of flags",
        "enum e { TILT = 1, HEAT = 2, DOOR = 4 }; int f(enum e e) { return e == (TILT | DOOR); }",
        "might return == 1 if e is anything",
        "yes",
        '{"e": "TILT"}',
    ),
    Row(
        "no flag at all",
        "enum e { TILT = 1, HEAT = 2, DOOR = 4 }; int f(enum e e) { return e != 0; }",
        "would return == 1 if e is anything",
        "no",
        '{"e": "TILT"}',
    ),
    # --- conversions
    Row(
        "lround of what no long holds",
        "int f(double x) { return lround(x) < 0; }",
        "might return == 1 if x >= 0.0",
        "unknown yes",
        '{"x": 1.0}',
    ),
    Row(
        "lrintf of what no long holds",
        "int f(float x) { return lrintf(x) < 0; }",
        "might fails if x >= 0.0",
        "unknown no",
        '{"x": 1.0}',
    ),
    # --- what a path leaves as it was
    Row("a global", "int g; void f(int x) { if (x > 3) g = 1; }", "did g == 0", "unknown"),
    Row("it may be anything", "int g; void f(int x) { if (x > 3) g = 1; }", "might g == 7 if x < 3", "unknown"),
    Row("where it is set", "int g; void f(int x) { if (x > 3) g = 1; }", "would g == 1 if x > 3", "yes"),
    Row("where it does not matter", "int g; int f(int x) { if (x > 3) g = 1; return 2; }", _TWO, "yes"),
    Row("what it was in fact", "int g; void f(int x) { if (x > 3) g = 1; }", "would g == fact(g) if x > 3", "unknown"),
    Row("logged, it is no mismatch", "int g; void f(int x) { if (x > 3) g = 1; }", "did g == 5", "unknown", _LOGGED),
    Row("logged, and set", "int g; void f(int x) { g = x; }", "did g == 5", "error", _LOGGED),
    Row("as state it is known", "int g; void f(int x) { if (x > 3) g = 1; }", "did g' == 5", "yes", _LOGGED, _STATE),
    Row("as state it starts as C does", "int g = 4; void f(int x) { g = 1; }", "did g' == 1", "yes", manifest=_STATE),
    Row(
        "a step that does not set it keeps it",
        "int g; void f(int x, int *out) { if (x > 3) g = *out = x; }",
        "did *out == 5 and g == 5 after 2 steps",
        "yes",
        '{"x": 5}\n{"x": 1}',
    ),
    Row(
        "a step that fails after one that kept it",
        "int g; int f(int x) { if (x > 3) g = 1; return 6 / (x - 2); }",
        "did g == 1 within 2 steps",
        "unknown",
        '{"x": 1}\n{"x": 2}',
    ),
    Row(
        "the caller's memory", "void f(int x, int *out) { if (x > 3) *out = 1; }", "might *out == 1 if x < 3", "unknown"
    ),
    Row(
        "other elements", "int a[3]; void f(int x) { a[x & 1] = 5; }", f"might a[0] == 5 and a[1] == 5 {ANY}", "unknown"
    ),
    Row("the element", "int a[3]; void f(int x) { a[x & 1] = 5; }", f"would a[0] == 5 or a[1] == 5 {ANY}", "yes"),
    Row("other bits", _BITS, f"might s.b == 3 {ANY}", "unknown"),
    Row("bits that are read back", _BITS, "would s.a == 2 and return == 2 if x == 10", "yes"),
    Row("other bits, optimised", _BITS, f"might s.b == 3 {ANY}", "unknown", manifest="flags = ['-O2']"),
    Row("bits read back, optimised", _BITS, "would s.a == 2 if x == 10", "yes", manifest="flags = ['-O2']"),
    Row(
        "other bytes of a union",
        "union { int i; unsigned char c[4]; } u; void f(int x) { if (x > 3) u.i = x; else u.c[0] = 1; }",
        "might u.bytes[1] == 0 if x < 3",
        "unknown",
    ),
    Row(
        "one of two",
        "int g, h; void f(int x) { int *p = x > 3 ? &g : &h; *p = 4; }",
        "might h == 4 if x > 3",
        "unknown",
    ),
    Row(
        "said to be a decision, and read",
        "int g; int f(int x) { if (x > 3) g = x; return g > 3; }",
        "might return == 1 if x < 3",
        "unknown",
        manifest='[variables]\ng = { role = "decision" }',
    ),
    # --- pointers after the call
    Row("returned, the caller's", _CALLERS, f"might *return == 1 {ANY}", "unknown"),
    Row("returned", "int g; int *f(int x) { g = x; return &g; }", "would *return == 4 if x == 4", "yes"),
    Row("returned, kept", "int g; int *f(int x) { if (x > 3) g = x; return &g; }", "did *return == 0", "unknown"),
    Row("returned, of others", "int g[2]; int *f(int x) { return g + (x & 1); }", "did *return == 0", "unknown"),
    Row(
        "returned, null", "int g; int *f(int x) { g = x; return x > 3 ? &g : 0; }", "might *return == 1 if x < 3", "no"
    ),
    Row(
        "given, and changed",
        "struct m { int w; } o; struct n { struct m *q; }; void f(struct n *p, int x) { p->q->w = x; p->q = &o; }",
        "did p.q.w == 3",
        "unknown",
    ),
    # --- the bits of floats
    Row(
        "the sign of a computed NaN",
        "int f(float x) { return signbit(x / x) != 0; }",
        "might return == 1 if x is anything",
        "unknown",
        '{"x": 1.0}',
    ),
    Row(
        "the sign of what is no NaN",
        "int f(float x) { return signbit(x / 2) != 0; }",
        "would return == 0 if x > 0.0",
        "yes",
        '{"x": -1.0}',
    ),
    Row(
        "a NaN that is compared by its bits",
        "int f(float x) { union { float f; uint32_t u; } w = {x / x}; return w.u == 0x7fc00000u; }",
        "might return == 1 if x == 0.0",
        "unknown",
        '{"x": 1.0}',
    ),
    Row(
        "a long double that was kept",
        "static long double sum; int f(int x) { sum += x; return sum > 10; }",
        f"might return == 1 {ANY}",
        "unknown",
    ),
    # --- jumps
    Row(
        "a local variable that changed before longjmp",
        "static jmp_buf b; int f(int x) { int n = 1; if (!setjmp(b)) { n = 2; longjmp(b, 1); } return n == x; }",
        f"might return == 1 {ANY}",
        "unknown",
    ),
    Row(
        "longjmp to where nothing was set",
        "static jmp_buf b; int f(int x) { if (x) longjmp(b, 1); return 0; }",
        f"might fails {ANY}",
        "unknown",
    ),
    Row(
        "two labels at one place",
        "int f(int x) { void *p = x ? &&a : &&b; a: b: return p == &&a; }",
        "would return == 0 if x == 0",
        "unknown",
    ),
    # --- assembly
    Row(
        "what empty assembly leaves in a register",
        'int f(int x) { int y; __asm__("" : "=r"(y)); return x && y; }',
        f"might return == 1 {ANY}",
        "unknown",
    ),
    # --- soid's own library
    Row("isalpha of what is no character", "int f(int x) { return isalpha(x) != 0; }", "might fails if x == -5", "yes"),
    Row("isalpha of EOF", "int f(int x) { return isalpha(x) != 0; }", "might fails if x == -1", "no"),
    Row("atoi of no int", 'int f(int x) { return atoi(x ? "2147483648" : "1"); }', "might fails if x == 0", "no"),
    Row(
        "atoi of no int fails", 'int f(int x) { return atoi(x ? "2147483648" : "1"); }', "might fails if x == 2", "yes"
    ),
    Row(
        "errno as it was before",
        "int f(int x) { return errno == ERANGE && x; }",
        f"might return == 1 {ANY}",
        "unknown",
    ),
    Row(
        "errno as strtol leaves it",
        'int f(int x) { errno = 0; strtol(x ? "99999999999999999999" : "9", NULL, 10); return errno == ERANGE; }',
        "would return == 1 if x is anything and x != 0",
        "yes",
    ),
    Row(
        "errno of an earlier call of the program",
        "int f(int x) { static int n; if (!n) { n = 1; errno = 5; return 0; } return errno == 5 && x; }",
        f"might return == 1 after 2 steps held {ANY}",
        "unknown",
        log='{"x": 1, "f.n": 0}',
    ),
    Row(
        "strtok goes on with an earlier text",
        'int f(int x) { return strtok(NULL, ",") != NULL && x; }',
        f"might return == 1 {ANY}",
        "unknown",
    ),
    Row(
        "an address as text",
        'int f(int x) { char c[30]; snprintf(c, 30, "%p", c); return c[0] == x; }',
        f"might return == 1 {ANY}",
        "unknown",
    ),
    Row(
        "a float as text",
        'int f(int x) { char c[30]; snprintf(c, 30, "%f", x / 8.0); return c[0] == 48; }',
        f"might return == 1 {ANY}",
        "unknown yes",
    ),
    Row(
        "a float as text that is not read",
        'int f(int x) { char c[30]; snprintf(c, 30, "%f", x / 8.0); return x > 3; }',
        "would return == 1 if x > 3",
        "yes",
    ),
    Row(
        "a float as text that may not fit",
        'int f(int x) { char c[9]; snprintf(c, 30, "%f", x / 8.0); return x > 3; }',
        "might fails if x in {0..9}",
        "unknown no",
    ),
    Row(
        "a string without an end, by a va_list",
        "#include <stdarg.h>\n"
        "void say(const char *f, ...) { va_list l; va_start(l, f); vfprintf(stderr, f, l); va_end(l); }"
        'int f(int x) { char c[2] = {65, (char)x}; say("%d %f %s", x, x / 3.0, c); return x; }',
        "might fails if x == 65",
        "yes",
    ),
    Row(
        "a null pointer as text",
        'int f(int x) { char c[9]; return snprintf(c, 9, "%s", x ? NULL : "a"); }',
        "might fails if x > 3",
        "yes",
    ),
    Row(
        "a text into itself",
        'int f(int x) { char c[9] = "ab"; return x + snprintf(c, 9, "x%s", c); }',
        "might fails if x == 2",
        "yes",
    ),
    Row(
        "a text without room",
        'int f(int x) { char c[3]; return sprintf(c, "%d", x); }',
        "would fails if x > 99",
        "yes",
    ),
    Row(
        "a number that sscanf cannot store",
        'int f(int x) { int k = 0; sscanf(x ? "2147483648" : "1", "%d", &k); return k; }',
        "might fails if x == 2",
        "yes",
    ),
    Row(
        "the order of equal elements",
        "struct e { int k, n; }; int c(const void *a, const void *b) { return *(int *)a - *(int *)b; }"
        "int f(int x) { struct e e[2] = {{x, 1}, {3, 2}}; qsort(e, 2, sizeof *e, c); return e[0].n; }",
        "would return == 1 if x == 3",
        "unknown",
    ),
    Row(
        "equal elements that do not differ",
        "struct e { char k; int n; }; int c(const void *a, const void *b) { return *(char *)a - *(char *)b; }"
        "int f(int x) { struct e e[2]; e[0].k = e[1].k = 3; e[0].n = e[1].n = x; qsort(e, 2, sizeof *e, c);"
        "return e[0].n == x; }",
        f"would return == 1 {ANY}",
        "yes unknown",
    ),
    Row(
        "a comparison that contradicts itself",
        "int c(const void *a, const void *b) { return *(int *)a > *(int *)b; }"
        "int f(int x) { int a[2] = {x, 3}; qsort(a, 2, sizeof *a, c); return a[0]; }",
        "might fails if x == 7",
        "yes",
    ),
    Row(
        "how often elements are compared",
        "static int n; int c(const void *a, const void *b) { n++; return *(int *)a - *(int *)b; }"
        "int f(int x) { int a[3] = {x, 3, 5}; n = 0; qsort(a, 3, sizeof *a, c); return n > 2; }",
        "would return == 1 if x in {1..9}",
        "unknown",
        '{"x": 1, "n": 0}',
    ),
    Row(
        "which elements are compared",
        "int c(const void *a, const void *b) { return *(int *)a - *(int *)b; }"
        "int f(int x) { int a[3] = {-2147483647, x, 2147483647}; qsort(a, 3, sizeof *a, c); return a[1]; }",
        "might fails if x == 0",
        "unknown",
    ),
    Row(
        "a function of the program's own with a name of the library's",
        'int atoi(const char *text) { return 7; } int f(int x) { return atoi("3") == x; }',
        "might return == 1 if x == 7",
        "yes",
    ),
    Row(
        "a function of the library's that the manifest describes",
        'int f(int x) { return atoi("3") == x; }',
        "might return == 1 if x == 5",
        "yes",
        '{"x": 1, "given": 5}',
        '[inputs_from]\natoi = "given"',
    ),
    Row(
        "a window counts no loop of the library's",
        'int f(int x) { return strtol("123456", NULL, 10) == 123456 && x; }',
        "would return == 1 if x == 2",
        "yes",
        manifest="window = 2",
    ),
    Row("a negative length", "int f(int x) { int a[x]; a[0] = 1; return a[0]; }", "might fails if x < 0", "yes"),
    # --- the stack
    Row(
        "ten megabytes of local variables",
        "static int g(int n) { volatile char b[1000000]; b[n] = n; return n ? g(n - 1) + b[n] : 0; }"
        " int f(int x) { return g(x); }",
        "might fails if x == 9",
        "unknown",
    ),
    Row(
        "a stack of which the manifest says that it is larger",
        "static int g(int n) { volatile char b[1000000]; b[n] = n; return n ? g(n - 1) + b[n] : 0; }"
        " int f(int x) { return g(x); }",
        "might fails if x == 9",
        "no",
        manifest="stack = 16000000",
    ),
    Row(
        "a stack of which the manifest says that it is smaller",
        "int f(int x) { volatile char b[1000]; b[0] = x; return b[0]; }",
        f"might fails {ANY}",
        "unknown",
        manifest="stack = 500",
    ),
    Row(
        "arrays of a loop that end with each round",
        "int f(int x) { int s = 0; for (int i = 0; i < 20; i++) { char b[x]; b[x - 1] = 1; s += b[x - 1]; }"
        " return s; }",
        "would return == 20 if x == 1000000",
        "yes",
    ),
]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_an_open_result_is_no_proof(row: Row, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(member_runs, "_SOME", 40)  # the long test below runs 400
    answer = _answer(row, tmp_path, NO_PAVING)
    assert answer.verdict.value in row.allowed.split(), answer.reason


@pytest.mark.soak
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_paving_makes_no_proof_of_it_either(row: Row, tmp_path: Path) -> None:
    answer = _answer(row, tmp_path, Settings())
    assert answer.verdict.value in row.allowed.split(), answer.reason


def _answer(row: Row, tmp_path: Path, settings: Settings) -> Answer:
    (tmp_path / "p.c").write_text(included(row.source, HEADERS) + row.source)
    (tmp_path / "log.jsonl").write_text(row.log)
    (tmp_path / "soid.toml").write_text(
        f'[program]\nengine = "llvm"\nsources = ["p.c"]\nentry = "f"\n{row.manifest}\n[trace]\nfile = "log.jsonl"\n'
    )
    return Project.open(tmp_path, step=0, settings=settings).ask(row.question)


#: programs without a meaning in C, each with a brother that has one: what the first alone relies on
ASSUMED = [
    (
        Ledger.OPEN_ORDER.of("p.c:11"),
        "int f(int x) { int i = x & 7; i = i++ + ++i; return i; }",
        "int f(int x) { int i = x & 7; i++; i = i + 1; return i; }",
    ),
    (
        Ledger.RESTRICT.of("both"),
        "static int both(int *restrict p, int *restrict q) { return *p = *q; } int f(int x) { return both(&x, &x); }",
        "int one(int *restrict p, int *restrict q) { return *p = *q; } int f(int x) { int y; return one(&y, &x); }",
    ),
    (
        Ledger.NULL_BLOCK.of(),
        "int f(int x) { char b[4] = {0}; memcpy(b, x == 9 ? NULL : &x, 0); return b[0]; }",
        "int f(int x) { char b[4] = {0}; memcpy(b, &x, 0); return b[0] + x; }",
    ),
    (
        Ledger.OUTSIDE.of(),
        "int f(int x) { int a[4] = {1, 2, 3, 4}, *p = a + 3; while (p >= a && *p != x) p--; return p >= a; }",
        "int f(int x) { int a[4] = {1, 2, 3, 4}, *p = a + 4; while (p > a && p[-1] != x) p--; return p > a; }",
    ),
    (
        Ledger.OUTSIDE.of(),
        "int f(int x) { int a[4]; return a + x == a; }",
        "int f(int x) { int a[4]; return a + (x & 3) == a; }",
    ),
]


@pytest.mark.parametrize(("assumption", "without", "defined"), ASSUMED)
def test_what_a_program_without_a_meaning_relies_on(
    assumption: Assumption, without: str, defined: str, tmp_path: Path
) -> None:
    asked = "might return == 77 if x in {0..20}"
    found = [_answer(Row("", source, asked, ""), tmp_path, NO_PAVING).relies_on for source in (without, defined)]
    assert [assumption in each for each in found] == [True, False]


def test_an_answer_about_atomics_says_that_nothing_else_runs(tmp_path: Path) -> None:
    source = "_Atomic int n; int f(int x) { int e = 0; return x > 1 && atomic_compare_exchange_weak(&n, &e, x); }"
    (tmp_path / "p.c").write_text(included(source, HEADERS) + source)
    (tmp_path / "log.jsonl").write_text('{"x": 3, "n": 0}')
    (tmp_path / "soid.toml").write_text('[program]\nengine = "llvm"\nsources = ["p.c"]\nentry = "f"\n')
    project = Project.open(tmp_path, trace=tmp_path / "log.jsonl", step=0)
    used, unused = project.ask("did return == 1"), project.ask("would return == 0 if x == 0")
    assert (used.verdict.value, unused.verdict.value) == ("yes", "yes")
    assert {Ledger.ALONE.of(), Ledger.NOT_SPURIOUS.of()} <= set(used.relies_on)
    assert not {Ledger.ALONE.of(), Ledger.NOT_SPURIOUS.of()} & set(unused.relies_on)
