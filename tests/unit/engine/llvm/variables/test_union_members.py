"""Unions: which member is a variable, how logs and questions name the others, and what they free."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from soid import Project, Verdict
from soid.assumptions import Ledger
from soid.engine.llvm.c_source import CSource
from soid.engine.llvm.variables.discovery import Discovered, discover
from soid.engine.manifest_reader import load
from soid.errors import ManifestError, SoidError, TraceError
from soid.program.types import json_value
from soid.scenario.origin import Origin

HEAD = '[program]\nengine = "c"\nsources = ["p.c"]\nentry = "decide"\n[trace]\nfile = "log.jsonl"\n'
TAGGED = """
#include <stdint.h>
struct reading { int kind; union { float f; int32_t i; }; };
int decide(const struct reading *r) { return r->kind ? r->f > 2.5f : r->i > 100; }
"""
WIDE = """
#include <stdint.h>
union cell { uint32_t word; uint8_t low; uint16_t half[2]; };
int decide(const union cell *c) { return c->word == 0x01020304 ? 2 : c->half[1] == 7; }
"""


def found(folder: Path, text: str, variables: str = "") -> Discovered:
    (folder / "p.c").write_text(text)
    (folder / "soid.toml").write_text(f"{HEAD}[variables]\n{variables}")
    (folder / "log.jsonl").write_text("{}\n")
    source = load(folder).program.source
    assert isinstance(source, CSource)
    return discover(source, folder)


def project(folder: Path, text: str, log: dict[str, object], variables: str = "") -> Project:
    found(folder, text, variables)
    (folder / "log.jsonl").write_text(json.dumps(log) + "\n")
    return Project.open(folder)


def inputs(some: Discovered) -> list[str]:
    return [variable.path for variable in some.interface.inputs]


def views(some: Discovered) -> dict[str, list[tuple[str, int, int]]]:
    members = [view for view in some.interface.views if "bytes[" not in view.path]
    return {v.path: [(part.variable.path, part.first, part.count) for part in v.parts] for v in members}


# --- the choice


def test_a_float_stands_for_the_bytes_and_an_integer_is_a_view(tmp_path: Path) -> None:
    some = found(tmp_path, TAGGED)
    assert inputs(some) == ["r.kind", "r.f"]
    assert views(some) == {"r.i": [("r.f", 0, 32)]}


def test_the_manifest_chooses_by_naming_a_member(tmp_path: Path) -> None:
    some = found(tmp_path, TAGGED, '"r.i" = { unit = "m" }\n"r.f" = { unit = "s" }\n')
    assert inputs(some) == ["r.kind", "r.i"]
    assert [(view.path, view.unit) for view in some.interface.views[:1]] == [("r.f", "s")]


def test_what_is_said_of_inputs_alone_is_refused_of_a_view(tmp_path: Path) -> None:
    with pytest.raises(ManifestError, match=r"r\.i is another name for bytes of r\.f") as refused:
        found(tmp_path, TAGGED, '"r.f" = { unit = "s" }\n"r.i" = { initial = 3 }\n')
    assert "Say it of r.f" in refused.value.remedy


def test_a_member_of_which_the_program_uses_all_comes_before_a_larger_one(tmp_path: Path) -> None:
    text = "union u { double d; float f; }; int decide(const union u *u) { return u->f > 1; }"
    some = found(tmp_path, text)
    assert inputs(some) == ["u.f"]
    assert [view.path for view in some.interface.partial_views[:1]] == ["u.d"]


def test_bits_that_no_chosen_member_has_are_bytes_of_the_union(tmp_path: Path) -> None:
    text = """
    union u { struct { unsigned a : 3; unsigned : 2; unsigned b : 11; } s; unsigned char raw[4]; };
    int decide(const union u *u) { return u->s.a + u->s.b + u->raw[0] + u->raw[1] + u->raw[2]; }
    """
    some = found(tmp_path, text, '"u.s.a" = { unit = "m" }\n')
    assert inputs(some) == ["u.s.a", "u.bytes[0].bit3", "u.s.b", "u.raw[2]"]
    assert views(some)["u.raw[0]"] == [("u.s.a", 0, 3), ("u.bytes[0].bit3", 0, 2), ("u.s.b", 0, 3)]


def test_two_unions_without_a_name_and_one_with_a_member_called_bytes(tmp_path: Path) -> None:
    text = """
    struct s { union { int a; void *p; }; union { int b; float c; }; union { unsigned char bytes[4]; float d; } u; };
    int decide(const struct s *s) { return s->a + (s->p != 0) + s->b + s->u.bytes[1] + (s->u.d > 1); }
    """
    some = found(tmp_path, text)
    assert inputs(some) == ["s.a", *(f"s.bytes[{i}]" for i in range(4, 8)), "s.c", "s.u.d"]
    paths = {view.path for view in some.interface.views}
    assert {"s.bytes[0]", "s.bytes[8]", "s.u.bytes[1]", "s.u.raw_bytes[3]"} <= paths


def test_arrays_of_unions_behind_a_pointer_and_in_a_global(tmp_path: Path) -> None:
    text = """
    union e { int missing; float f; };
    union e all[2];
    int decide(const union e *e) { return e->missing == -1 || all[1].f > all[0].f; }
    """
    some = found(tmp_path, text)
    assert inputs(some) == ["e.f", "all[0].f", "all[1].f"]


# --- the log


@pytest.mark.parametrize(
    "log",
    [
        {"c.word": 0x00070105},
        {"c.low": 5, "c.half[0]": 0x0105, "c.half[1]": 7},
        {"c.bytes[0]": 5, "c.bytes[1]": 1, "c.bytes[2]": 7, "c.bytes[3]": 0},
        {"c.low": 5, "c.word": 0x00070105},
    ],
)
def test_a_log_names_any_members_that_give_all_bits(log: dict[str, object], tmp_path: Path) -> None:
    asked = project(tmp_path, WIDE, log)
    assert asked.keyframe.inputs == {"c.word": 0x00070105}
    assert asked.ask("did return == 1 and c.half[1] == 7 and c.low == 5").verdict is Verdict.YES


@pytest.mark.parametrize(
    ("log", "cause"),
    [
        ({"c.word": 1, "c.low": 2}, r"c\.low is not what another name for the same bytes says \(c\.word\)"),
        ({"c.low": 1, "c.half[0]": 2, "c.half[1]": 0}, r"c\.half\[0\] is not what another name"),
    ],
)
def test_members_that_disagree_are_refused(log: dict[str, object], cause: str, tmp_path: Path) -> None:
    with pytest.raises(TraceError, match=cause):
        project(tmp_path, WIDE, log)


def test_members_that_leave_bits_open_make_no_fact(tmp_path: Path) -> None:
    asked = project(tmp_path, WIDE, {"c.low": 1, "c.half[1]": 2})  # 24 of 32 bits
    assert asked.keyframe.origin("c.word") is Origin.ASSUMED
    assert asked.ask("did c.half[0] == 1").verdict is Verdict.UNKNOWN


def test_a_log_may_give_more_than_the_program_uses(tmp_path: Path) -> None:
    text = """
    static union { unsigned int w; struct { unsigned char lo, hi; } s; } memory;
    int decide(void) { return memory.s.lo; }
    """
    asked = project(tmp_path, text, {"memory.w": 0x1203})
    assert asked.keyframe.inputs == {"memory.s.lo": 3} and not asked.keyframe.assumed
    with pytest.raises(SoidError, match=r'uses of it only memory\.s\.lo; .*"memory\.w" = {}'):
        asked.ask("did memory.w == 0x1203")
    with pytest.raises(TraceError, match=r"memory\.w is not what another name"):
        project(tmp_path, text, {"memory.w": 0x1203, "memory.s.lo": 4})
    named = project(tmp_path, text, {"memory.w": 0x1203}, '"memory.w" = {}\n')
    assert named.ask("did memory.w == 0x1203 and return == 3").verdict is Verdict.YES


def test_bits_that_are_not_logged_are_as_the_program_starts_them(tmp_path: Path) -> None:
    text = "union { int i; unsigned char low; } g = { 0x1200 }; int decide(void) { return g.i; }"
    answer = project(tmp_path, text, {"g.low": 5}).ask("did return == 0x1205")
    assert answer.verdict is Verdict.YES
    assert Ledger.UNLOGGED.of("g.i = 4613") in answer.relies_on


# --- what a question frees


def test_a_view_frees_its_bits_and_the_others_keep_the_fact(tmp_path: Path) -> None:
    asked = project(tmp_path, WIDE, {"c.word": 0x01020300})
    shown = asked.ask("might return == 2 if c.low is anything")
    assert shown.verdict is Verdict.YES and shown.witness is not None
    assert shown.witness.inputs == {"c.word": 0x01020304}
    assert [(each.variable.path, each.before, each.after) for each in shown.seen(shown.witness)] == [("c.low", 0, 4)]
    assert [each.variable.path for each in shown.told(shown.witness)] == ["c.low"]
    both = asked.ask("might return == 2 if c.low is anything and c.half[1] == 0x0102")
    assert both.witness is not None
    assert [each.variable.path for each in both.told(both.witness)] == ["c.low"]
    assert asked.ask("might return == 1 if c.low is anything").verdict is Verdict.NO  # the upper half is as it was
    assert asked.ask("would return == 1 if c.half[1] == 7").verdict is Verdict.YES
    assert asked.ask("might return == 2 if c.half[0] is anything and c.low == 5").verdict is Verdict.NO


def test_an_integer_view_of_a_float_ranges_over_all_its_bits(tmp_path: Path) -> None:
    """-1 is a NaN as a float, which the float's own domain does not have."""
    text = "union e { int missing; float f; }; int decide(const union e *e) { return e->missing == -1 ? 2 : e->f > 1; }"
    asked = project(tmp_path, text, {"e.f": 0.5})
    assert asked.ask("might return == 2 if e.missing is anything").verdict is Verdict.YES
    assert asked.ask("might return == 2 if e.f is anything").verdict is Verdict.NO
    assert asked.ask("would return == 2 if e.missing == -1").verdict is Verdict.YES
    assert asked.ask("would return == 1 if e.missing in {1065353217..1065353300}").verdict is Verdict.YES
    assert asked.ask("might return == 1 if e.missing within 10 of fact").verdict is Verdict.NO


def test_a_truth_in_a_union_is_true_or_false(tmp_path: Path) -> None:
    text = "union u { _Bool b; unsigned char raw; }; int decide(const union u *u) { return u->b ? u->raw : 0; }"
    asked = project(tmp_path, text, {"u.b": False})
    assert asked.ask("would return in {0, 1} if u.b is anything").verdict is Verdict.YES
    assert asked.ask("would return == 1 if u.b").verdict is Verdict.YES
    assert asked.ask("might return == 3 if u.raw is anything").verdict is Verdict.YES


def test_keeping_one_name_and_freeing_another_is_a_contradiction(tmp_path: Path) -> None:
    asked = project(tmp_path, WIDE, {"c.word": 7})
    with pytest.raises(SoidError, match="to vary and to be kept"):
        asked.ask("might return == 2 if c.word is anything and keep c.low")


def test_the_family_through_views_is_what_brute_force_finds(tmp_path: Path) -> None:
    text = """
    union u { unsigned short both; struct { unsigned char lo, hi; } s; };
    int decide(const union u *u) { return u->both % 7 == 3 && u->s.hi > u->s.lo; }
    """
    asked = project(tmp_path, text, {"u.both": 0x0102}, '"u.both" = { domain = [0, 5000] }\n')

    def truth(lo: int, hi: int) -> bool:
        return (hi << 8 | lo) % 7 == 3 and hi > lo

    for lows in (range(3), range(100, 140)):
        every = [truth(lo, 1) for lo in lows if lo != 2]
        question = f"return == 1 if u.s.lo in {{{lows[0]}..{lows[-1]}}}"
        assert (asked.ask(f"might {question}").verdict is Verdict.YES) == any(every)
        assert (asked.ask(f"would {question}").verdict is Verdict.YES) == all(every)
    both = [truth(lo, hi) for lo in range(4) for hi in range(6) if (lo, hi) != (2, 1) and (hi << 8 | lo) <= 5000]
    question = "return == 1 if u.s.lo in {0..3} and u.s.hi in {0..5} and u.both is anything"
    assert (asked.ask(f"might {question}").verdict is Verdict.YES) == any(both)


# --- decisions


DECIDES = """
struct out { int kind; union { float f; double d; int i; }; };
void decide(int x, struct out *out) {
    out->kind = x > 10;
    if (x > 10) out->d = 2.5; else out->i = x;
}
"""


def test_a_decision_is_the_member_that_a_path_sets(tmp_path: Path) -> None:
    asked = project(tmp_path, DECIDES, {"x": 3, "out.i": 3})
    assert asked.ask("did out.i == 3 and out.kind == 0").verdict is Verdict.YES
    assert asked.ask("would out.d == 2.5 if x > 10").verdict is Verdict.YES
    assert asked.ask("might fails if x is anything").verdict is Verdict.NO
    assert asked.ask("would out.i == x if x <= 10").verdict is Verdict.YES
    # where only the first bytes were set, the others are what they were before
    assert asked.ask("might out.d == 2.5 or out.d != 2.5 if x <= 10").verdict is Verdict.UNKNOWN


def test_a_state_is_read_by_any_member_after_the_call(tmp_path: Path) -> None:
    text = """
    static union { unsigned int i; unsigned char raw[4]; } memory;
    int decide(unsigned char x) { memory.i = memory.i << 8 | x; return memory.raw[3]; }
    """
    asked = project(tmp_path, text, {"x": 4, "memory.i": 0x00010203})
    assert (
        asked.ask("did memory.raw[0]' == 4 and memory.raw[1] == 2 and memory.i' == 0x01020304").verdict is Verdict.YES
    )
    twice = "would memory.raw[0]' == x and memory.raw[1]' == memory.raw[0] after 2 steps held if x is anything"
    assert asked.ask(twice).verdict is Verdict.YES
    late = asked.ask("would memory.raw[1]' == 3 if x is anything")
    assert late.verdict is Verdict.YES
    after = asked.ask("did memory.raw[3]' == 1")
    assert after.witness is not None
    view = asked.program.interface.variable("memory.raw[3]")
    assert json_value(view.type, after.witness.outputs["memory.raw[3]'"]) == 1
