"""Questions about C programs, from the source to the witness that was run on the compiled program."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from soid.case.project import Project
from soid.engine.llvm.native.native_replayer import NativeReplayer
from soid.engine.replay import Crashed, NotAvailable, Replay, Replayer, Returned, TimedOut
from soid.engine.summary import Failed
from soid.errors import InternalError
from soid.examples import folder
from soid.oracle.answer import Answer, Verdict
from soid.oracle.inquiry import Settings

RUN = "by running the compiled program (x86_64-linux-gnu, ziglang "
ENGINE_ONLY = "by soid's own evaluation only: "


@pytest.fixture(scope="module", autouse=True)
def _cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SOID_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


def project(at: Path, source: str, log: Mapping[str, Any], tables: str = "", **settings: Any) -> Project:
    (at / "program.c").write_text(source)
    (at / "log.jsonl").write_text(json.dumps({"step": 0, **log}) + "\n")
    program = '[program]\nengine = "c"\nsources = ["program.c"]\nentry = "decide"\n'
    (at / "soid.toml").write_text(f'{program}[trace]\nfile = "log.jsonl"\nkeyframe = 0\n{tables}')
    return Project.open(at, settings=Settings(**settings))


def replayed(answer: Answer) -> str:
    assert answer.witness is not None
    return answer.witness.replayed


def test_every_kind_of_witness_is_run(tmp_path: Path) -> None:
    source = "int decide(int speed, float gap) { return gap < 10.0f && speed > 3 ? 1 : 0; }"
    case = project(tmp_path, source, {"speed": 5, "gap": 12.0, "return": 0})
    for question, verdict in {
        "did return == 0": Verdict.YES,
        "would return == 0 if 0.0 <= gap <= 20.0": Verdict.NO,
        "might return == 1 if 0.0 <= gap <= 20.0": Verdict.YES,
        "would return == 0 if 10.0 <= gap <= 20.0": Verdict.YES,
        "might return == 1 if 0 <= speed <= 3": Verdict.NO,
    }.items():
        answer = case.ask(question)
        assert answer.verdict is verdict
        assert replayed(answer).startswith(RUN), question
        assert not any(each.id == "not-run" for each in answer.relies_on)


def test_the_microwave_operator_in_c_answers_and_is_run() -> None:
    project = Project.open(folder("microwave") / "c")
    assert project.manifest is not None
    for question in project.manifest.questions:
        assert replayed(project.ask(question)).startswith(RUN)


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ("return 100 / (a - 7);", "division by zero"),
        ("return a + 2147483640;", "signed overflow"),
        ("int t[4] = { 1, 2, 3, 4 }; return a < 0 ? 0 : t[a];", "out-of-bounds access"),
        ("assert(a < 7); return a;", "failed assertion"),
        ("if (a == 9) abort(); return a;", "abort"),
        ("return a < 0 ? 0 : 1 << a;", "shift out of range"),
        ("return (int)((double)a * 1e9);", "float-to-integer conversion out of range"),
        ("int *p = a == 7 ? 0 : &a; return *p;", "null dereference"),
    ],
)
def test_failures_are_seen_by_the_compilers_traps(tmp_path: Path, body: str, kind: str) -> None:
    source = f"#include <assert.h>\n#include <stdlib.h>\nint decide(int a) {{ {body} }}"
    answer = project(tmp_path, source, {"a": 1}).ask("might fails if 0 <= a <= 40")
    assert answer.verdict is Verdict.YES and answer.witness is not None
    assert isinstance(answer.witness.ending, Failed) and answer.witness.ending.kind == kind
    assert replayed(answer).startswith(RUN), replayed(answer)


@pytest.mark.parametrize(
    "body",
    [
        "int *p = malloc(4 * sizeof *p); for (int i = 0; i < 4; i++) p[i] = i; int r = p[a]; free(p); return r;",
        "int *p = malloc(4); *p = 3; if (a == 4) free(p); return *p;",
        "int x; if (a < 4) x = 1; if (x) return 1; return 0;",
    ],
)
def test_what_no_trap_catches_is_confirmed_by_the_engine_alone(tmp_path: Path, body: str) -> None:
    source = f"#include <stdlib.h>\nint decide(unsigned a) {{ {body} }}"
    answer = project(tmp_path, source, {"a": 1}).ask("might fails if 0 <= a <= 4")
    assert answer.verdict is Verdict.YES
    assert replayed(answer).startswith(ENGINE_ONLY + "no trap of the compiler has caught it")
    assert any(each.text.startswith("the scenario shown was not run on the compiled") for each in answer.relies_on)


def test_a_decision_left_unset_is_not_compared(tmp_path: Path) -> None:
    source = "void decide(int a, int *out, int *other) { if (a > 3) *out = a; *other = a; }"
    tables = '[variables]\n"*out" = { role = "decision" }\n"*other" = { role = "decision" }\n'
    answer = project(tmp_path, source, {"a": 1}, tables).ask("might *other == 2 if 0 <= a <= 9")
    assert answer.verdict is Verdict.YES and replayed(answer).startswith(RUN)


def test_a_nan_is_as_good_as_another(tmp_path: Path) -> None:
    source = "#include <math.h>\ndouble decide(double x, double *state) { *state = *state / x; return sqrt(x); }"
    case = project(tmp_path, source, {"x": 1.0, "*state": 0.0})
    answer = case.ask("would return >= 0.0 if -1.0 <= x <= 1.0")
    assert answer.verdict is Verdict.NO and replayed(answer).startswith(RUN)


def test_off_says_so_and_runs_nothing(tmp_path: Path) -> None:
    case = project(tmp_path, "int decide(int a) { return a + 1; }", {"a": 1}, replay="off")
    answer = case.ask("might return == 3 if 0 <= a <= 9")
    assert replayed(answer) == f"{ENGINE_ONLY}replaying is switched off"
    assert sum(each.id == "not-run" for each in answer.relies_on) == 2  # the fact, the scenario
    assert case.ask("did return == 2").verdict is Verdict.YES


def test_unconfined_is_still_as_confined_as_can_be(tmp_path: Path) -> None:
    source = "int socket(int, int, int); int decide(int a) { return a == 5 ? socket(2, 1, 0) : a; }"
    case = project(tmp_path, source, {"a": 1}, replay="unconfined")
    assert isinstance(case.replayer, NativeReplayer) and case.replayer.unconfined
    assert replayed(case.ask("did return == 1")).startswith(RUN)
    assert isinstance(case.replayer.replay({"a": 5}), Crashed)


def test_logged_calls_are_replayed_call_by_call(tmp_path: Path) -> None:
    source = """
    float read_sensor(void); long wall_clock(void);
    int decide(float limit) {
        float a = read_sensor(), b = read_sensor();
        return a - b > limit && wall_clock() > 100;
    }"""
    tables = '[inputs_from]\nread_sensor = "sensor"\nwall_clock = "now"\n[lengths]\nsensor = 2\n'
    log = {"limit": 1.0, "sensor": [3.0, 1.0], "now": 500, "return": 1}
    case = project(tmp_path, source, log, tables)
    assert replayed(case.ask("did return == 1")).startswith(RUN)
    answer = case.ask("might return == 0 if 0.0 <= sensor[1] <= 5.0")
    assert answer.verdict is Verdict.YES and replayed(answer).startswith(RUN)


# --- a program that does not do what the engine says ----------------------------------------------------------------


@dataclass
class Fake(Replayer):
    """Gives one replay after the other of a compiled program."""

    answers: list[Replay]
    how: str = "by magic"
    called: str = "the compiled program"
    called_failing: str = "the program compiled with traps"
    doubt: str = ""
    always_shows = NativeReplayer.always_shows

    def replay(self, inputs: Mapping[str, int], environments: Sequence[Mapping[str, int]] = ()) -> Replay:
        return self.answers.pop(0)

    replay_failure = replay


def with_replays(project: Project, *answers: Replay) -> Project:
    return replace(project, replayer=Fake(list(answers)))


@pytest.fixture
def simple(tmp_path: Path) -> Project:
    source = "static int n; int decide(int a) { n += 1; return 100 / (a - 4); }"
    return project(tmp_path, source, {"a": 6, "n": 0})


def test_a_contradicted_fact_is_an_internal_error(simple: Project) -> None:
    with pytest.raises(InternalError, match="the engine says return = 50, the compiled program gives 51"):
        with_replays(simple, Returned({"return": 51, "n'": 1})).ask("did return == 50")
    with pytest.raises(InternalError, match="the engine says n' = 1, the compiled program gives 7"):
        with_replays(simple, Returned({"return": 50, "n'": 7})).ask("did return == 50")
    with pytest.raises(InternalError, match="ended by SIGSEGV"):
        with_replays(simple, Crashed(11)).ask("did return == 50")


def test_a_contradicted_witness_is_an_internal_error(simple: Project) -> None:
    fact = Returned({"return": 50, "n'": 1})
    with pytest.raises(InternalError, match="disagree: the engine says return = 20"):
        with_replays(simple, fact, Returned({"return": 21, "n'": 1})).ask("might return == 20 if 5 <= a <= 9")
    with pytest.raises(InternalError, match="the program compiled with traps returns"):
        with_replays(simple, fact, Returned({})).ask("might fails if 0 <= a <= 9")


@pytest.mark.parametrize("replay", [TimedOut(1.0), NotAvailable("nobody is here"), Crashed(31)])
def test_a_replay_that_says_nothing_leaves_the_engines_word(simple: Project, replay: Replay) -> None:
    answer = with_replays(simple, replay, replay).ask("might return == 20 if 5 <= a <= 9")
    assert answer.verdict is Verdict.YES
    reason = replay.reason if isinstance(replay, NotAvailable) else f"the compiled program {replay}"
    assert replayed(answer) == ENGINE_ONLY + reason


def test_what_does_not_decide_within_its_window_is_confirmed_by_the_engine(tmp_path: Path) -> None:
    source = "int decide(unsigned a) { int n = 0; for (unsigned i = 0; i < a; i++) n++; return n; }"
    project(tmp_path, source, {"a": 1})
    text = (tmp_path / "soid.toml").read_text().replace("[trace]", "window = 5\n[trace]")
    (tmp_path / "soid.toml").write_text(text)
    case = Project.open(tmp_path)
    answer = case.ask("would return < 100 if 0 <= a <= 20")
    assert answer.verdict is Verdict.NO
    assert replayed(answer).startswith(ENGINE_ONLY + "no run shows that a program does not decide")
