"""Questions that no solver settles in any time worth waiting for: boxes and runs of single scenarios do."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from msgspec.structs import replace

from soid import Project, Settings, Verdict
from soid.oracle.answer import Answer
from soid.oracle.reason import ReasonCode
from soid.recipe import SOID
from soid.solver.chain import NAMES

POWER = "int f(float t) { return 80.614f + (float)(20.0 * t * pow(0.5, fabs((double)t))) < 70.0f; }"
SCORE = """
static float sigmoid(float z) { return 1.0f / (1.0f + expf(-z)); }
int f(int age, int score) {
    float z = -3.1f + 0.041f * (float)age + 0.37f * (float)score, p = sigmoid(z);
    return p * sigmoid(2.0f * p - 0.7f * z) > 0.31f;
}
"""
#: a witness is settled on a busy machine too
PATIENT = Settings(witness_seconds=50.0)
GAMMA = "int f(int n) { return tgamma((double)n) > 100.0; }"


def asked(folder: Path, source: str, log: str, question: str, settings: Settings | None = None) -> Answer:
    (folder / "p.c").write_text(f"#include <math.h>\n{source}\n")
    (folder / "log.jsonl").write_text(log + "\n")
    (folder / "soid.toml").write_text(
        '[program]\nengine = "c"\nsources = ["p.c"]\nentry = "f"\n[trace]\nfile = "log.jsonl"\n'
    )
    return replace(Project.open(folder), settings=settings or Settings()).ask(question)


def network() -> str:
    """A network of 4, 8, 8 and 2 neurons with tanh."""
    source = random.Random(1)

    def numbers(rows: int, columns: int, size: float) -> str:
        return ", ".join(
            "{" + ", ".join(f"{source.uniform(-size, size):.4f}f" for _ in range(columns)) + "}" for _ in range(rows)
        )

    return f"""
struct in {{ float x[4]; }};
static const float W1[8][4] = {{ {numbers(8, 4, 1)} }}, W2[8][8] = {{ {numbers(8, 8, 1)} }};
static const float W3[2][8] = {{ {numbers(2, 8, 1)} }};
int f(const struct in *in) {{
    float a[8], b[8], o[2];
    for (int i = 0; i < 8; i++) {{
        float s = 0.0f;
        for (int j = 0; j < 4; j++) s += W1[i][j] * in->x[j];
        a[i] = tanhf(s);
    }}
    for (int i = 0; i < 8; i++) {{
        float s = 0.1f;
        for (int j = 0; j < 8; j++) s += W2[i][j] * a[j];
        b[i] = tanhf(s);
    }}
    for (int i = 0; i < 2; i++) {{
        o[i] = 0.0f;
        for (int j = 0; j < 8; j++) o[i] += W3[i][j] * b[j];
    }}
    return o[1] > o[0];
}}"""


def test_boxes_know_library_functions_by_their_bounds(tmp_path: Path) -> None:
    """A narrow valley of `pow`: found, and its nearest edge proved to be one."""
    answer = asked(tmp_path, POWER, '{"t": 0.0}', "might return == 1 if -2.0 <= t <= -1.0", PATIENT)
    assert answer.verdict is Verdict.YES and answer.witness is not None and answer.witness.settled
    assert answer.settled_by["boxes"] and "bitwuzla" not in answer.settled_by
    assert any(each.id == "library-error" for each in answer.relies_on)
    proof = asked(tmp_path, POWER.replace("70.0f", "69.9f"), '{"t": 0.0}', "might return == 1 if -2.0 <= t <= -1.0")
    assert proof.verdict is Verdict.NO and "bitwuzla" not in proof.settled_by


@pytest.mark.parametrize(
    ("question", "verdict"),
    [
        ("would return == 1 if age in {41..48}", "yes"),
        ("might return == 1 if age in {1..8}", "no"),
        ("might return == 1 if age in {1..9} and score in {0..2}", "no"),
    ],
)
def test_few_states_of_expf_are_settled_without_a_solver(tmp_path: Path, question: str, verdict: str) -> None:
    answer = asked(tmp_path, SCORE, '{"age": 40, "score": 3}', question)
    assert answer.verdict.value == verdict
    assert answer.settled_by.keys().isdisjoint(NAMES)


def test_a_network_is_refuted_by_one_of_its_states(tmp_path: Path) -> None:
    log = '{"in.x[0]": 0.1, "in.x[1]": 0.2, "in.x[2]": -0.3, "in.x[3]": 0.5}'
    ranges = " and ".join(f"-1.0 <= in.x[{i}] <= 1.0" for i in range(4))
    settings = Settings(recipe=SOID.without("settling"))
    found = {
        kind: asked(tmp_path, network(), log, f"{kind} if {ranges}", settings)
        for kind in ("would return == 0", "would return == 1", "might return == 1")
    }
    assert [answer.verdict.value for answer in found.values()] == ["no", "no", "yes"]
    assert all(answer.settled_by.keys() & {"boxes", "runs"} for answer in found.values())


def test_what_is_known_for_single_arguments_only_is_run(tmp_path: Path) -> None:
    answer = asked(tmp_path, GAMMA, '{"n": 2}', "would return == 0 if n in {1..5}")
    assert (answer.verdict, answer.reason_code) == (Verdict.YES, ReasonCode.ALWAYS_BY_RUNS)
    assert any(each.id == "library-results" for each in answer.relies_on)
    answer = asked(tmp_path, GAMMA, '{"n": 2}', "would return == 0 if n in {1..9}", PATIENT)
    assert answer.verdict is Verdict.NO and answer.witness is not None
    assert answer.witness.inputs["n"] == 6 and answer.witness.settled
    answer = asked(tmp_path, GAMMA, '{"n": 2}', "might return == 1 if n is anything")
    assert answer.verdict is Verdict.YES and answer.witness is not None and not answer.witness.settled
    assert asked(tmp_path, GAMMA, '{"n": 2}', "would return == 0 if n < 0").verdict is Verdict.UNKNOWN
