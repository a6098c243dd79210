"""Programs in a world: whether harm comes of what they decide."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from soid.case.facts import fact_of
from soid.case.project import Project
from soid.engine.protocol import Exploration
from soid.engine.summary import PathSummary
from soid.engine.world import world_engine
from soid.engine.world.world_engine import WorldEngine
from soid.errors import KeyframeError, ManifestError, QueryError
from soid.formula.reach import Reach
from soid.formula.term import Term
from soid.oracle.answer import Answer
from soid.oracle.inquiry import Settings
from soid.oracle.reason import ReasonCode
from soid.recipe import SOID
from tests.gap_world import DRIVER, MANIFEST, WHOLE_WORLD, WORLD, collides, gap_project
from tests.unit.engine.world.two_cars import two_cars


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return gap_project(tmp_path_factory.mktemp("world"))


def test_the_log_shows_that_they_collided(project: Project) -> None:
    assert project.ask("did collision within 20 steps").verdict.value == "yes"
    assert project.ask("did collision within 16 steps").verdict.value == "no"


def test_had_the_signal_been_true_they_would_not_have_collided(project: Project) -> None:
    found = project.ask("would not collision throughout 20 steps if v.signal in {STRAIGHT, LEFT}")
    assert found.verdict.value == "yes" and found.text.endswith("closed loop if v.signal in {STRAIGHT, LEFT}")
    assert found.witness is not None and "in the compiled world" in found.witness.replayed
    assert any(each.id == "world" for each in found.relies_on)


def test_intervals_under_a_condition_are_worked_out_once_for_all_steps(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[Term] = []

    def counted(condition: Term) -> Reach:
        made.append(condition)
        return Reach(condition)

    monkeypatch.setattr(world_engine, "Reach", counted)
    at_once = Settings(seconds=None, recipe=SOID.without("runs"))  # one exploration, however long it takes
    anew = replace(project, summaries=None, facts={}, settings=at_once)
    found = anew.ask("would not collision throughout 12 steps if v.signal is anything and 1.0 <= v.speed <= 2.0")
    assert found.verdict.value == "yes" and len(made) > 1
    assert len(set(made)) == len(made)


def test_steps_in_which_all_is_constant_are_explored_once_for_all_questions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = gap_project(tmp_path)
    assert isinstance(project.engine, WorldEngine)
    explored = 0
    for part in (project.engine.program_engine, project.engine.world_engine):

        def counted(exploration: Exploration, explore: Callable[..., PathSummary] = part.explore) -> PathSummary:
            nonlocal explored
            explored += 1
            return explore(exploration)

        monkeypatch.setattr(part, "explore", counted)

    def asked(question: str, anew: Project) -> tuple[int, Answer]:
        nonlocal explored
        explored = 0
        found = anew.ask(question)
        return explored, found

    first, again = (asked("did collision within 12 steps", replace(project, facts={})) for _ in range(2))
    assert first[0] >= 12 and again[0] == 0
    assert first[1].relies_on == again[1].relies_on and first[1].paths == again[1].paths
    assert asked("did collision within 14 steps", replace(project, facts={}))[0] <= 4  # those that come after
    paper = replace(project, facts={}, summaries=None, settings=Settings(recipe=SOID.without("summaries")))
    assert asked("did collision within 12 steps", paper)[0] == first[0]  # nothing is kept for a measurement without


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """The world gives all that is perceived, the signal too."""
    return gap_project(tmp_path_factory.mktemp("alone"), world=WHOLE_WORLD)


def test_what_the_world_gave_later_is_in_the_log_and_is_the_fact_there(project: Project, alone: Project) -> None:
    """The gap was 30 m at first and 24 m three steps later: that is what happened, and the 30 m are not."""
    for each in (project, alone):
        nearer = each.ask("might collision within 5 steps if v.gap == 24.0 at step 3")
        assert (nearer.verdict.value, nearer.why.code) == ("vacuous", ReasonCode.ONLY_THE_FACT)
        for gap, verdict in ((30.0, "yes"), (1.0, "no")):
            found = each.ask(f"would not collision throughout 5 steps if v.gap == {gap} at step 3")
            assert found.verdict.value == verdict
        stays = each.ask("would v.gap == 30.0 throughout 4 steps if v.gap == 30.0 from step 0 to step 3")
        assert stays.verdict.value == "yes"


def test_what_the_world_gave_after_the_end_of_the_log_is_not_known(alone: Project, tmp_path: Path) -> None:
    assert alone.manifest is not None
    shutil.copytree(alone.program.folder, tmp_path / "short")
    log = tmp_path / "short" / "log.jsonl"
    log.write_text("".join(log.read_text().splitlines(keepends=True)[:3]))
    short = Project.open(tmp_path / "short")
    known = short.ask("might collision within 5 steps if v.gap == 26.0 at step 2")
    assert known.verdict.value == "vacuous"
    maybe = short.ask("might v.gap > 0.0 after 5 steps if v.gap == 24.0 at step 3")
    assert (maybe.verdict.value, maybe.why.code) == ("unknown", ReasonCode.ASSUMED_OPEN)
    proved = short.ask("would not collision throughout 5 steps if v.gap == 24.0 at step 3")
    assert proved.verdict.value == "yes"
    with pytest.raises(QueryError, match=r"what v\.gap was at step 3 is not logged"):
        short.ask("might collision within 5 steps if v.gap == 30.0 from step 0 to step 3")


def test_an_until_in_a_closed_loop_ends_as_the_log_shows(alone: Project) -> None:
    """The driver never braked: a gap of 30 m until it does not brake is what happened, one until it brakes is not."""
    found = alone.ask("might collision within 3 steps if v.gap == 30.0 until return == 0")
    assert (found.verdict.value, found.why.code) == ("vacuous", ReasonCode.ONLY_THE_FACT)
    found = alone.ask("would not collision throughout 3 steps if v.gap == 30.0 until return == 1")
    assert found.verdict.value == "yes"


def test_another_world_and_another_course_beside_it_have_another_answer(tmp_path: Path) -> None:
    """What an answer relies on matters: brakes that hardly brake, and a signal that changes after the moment."""
    asked = "would not collision throughout 20 steps if v.speed == 1.75"
    straight = MANIFEST.replace('"v->speed"', '"v->signal" = {}\n"v->speed"')
    signals = {"kept": ["STRAIGHT"] * 20, "changed": ["STRAIGHT", *["RIGHT"] * 19], "short": ["STRAIGHT"]}
    told, verdicts = {}, {}
    for name, each in signals.items():
        rows = [f'{{"v": {{"gap": 30.0, "speed": 1.5, "signal": "{signal}"}}, "return": 0}}' for signal in each]
        folder = tmp_path / name
        gap_project(folder, manifest=straight)
        (folder / "log.jsonl").write_text("\n".join(rows) + "\n")
        found = Project.open(folder).ask(asked)
        told[name], verdicts[name] = {one.id for one in found.relies_on}, found.verdict.value
    assert verdicts == {"kept": "yes", "changed": "no", "short": "yes"}
    assert "beside-world-logged" in told["changed"] and "beside-world-held" in told["short"]
    weak = gap_project(tmp_path / "weak", world=WORLD.replace("0.5f", "0.01f"))
    found = weak.ask("would not collision throughout 20 steps if v.signal == STRAIGHT")
    assert found.verdict.value == "no" and "world" in {one.id for one in found.relies_on}


def test_the_program_reacts_to_the_world_and_the_world_to_the_program(project: Project) -> None:
    """Without the reaction, as logged, the car goes on into the other one."""
    asked = "would not collision throughout 20 steps {} if v.signal == STRAIGHT"
    assert project.ask(asked.format("closed loop")).verdict.value == "yes"
    assert project.ask(asked.format("as logged")).verdict.value == "no"


def test_a_speed_at_which_braking_comes_too_late(project: Project) -> None:
    found = project.ask("might collision within 20 steps if v.signal == STRAIGHT and 1.0 <= v.speed <= 6.0")
    assert found.verdict.value == "yes" and found.witness is not None
    speed = found.witness.changed[0].variable.path
    assert speed == "v.speed"
    steps = [*found.witness.earlier, found.witness.outputs]
    assert [step["collision"] for step in steps].count(1) > 0
    assert (
        project.ask("might collision within 20 steps if v.signal == STRAIGHT and 1.0 <= v.speed <= 3.5").verdict.value
        == "no"
    )


def test_what_the_world_computes_can_be_asked_about(project: Project) -> None:
    asked = "would *impact <= 0.5 throughout 20 steps if v.signal == STRAIGHT and 1.0 <= v.speed <= 3.5"
    assert project.ask(asked).verdict.value == "yes"
    assert project.ask("might *impact > 1.0 within 20 steps if v.speed in {2.5, 3.0}").verdict.value == "yes"


@pytest.mark.parametrize("speed", [2.0, 3.75, 4.0, 4.25, 5.0])
@pytest.mark.parametrize("signal", ["STRAIGHT", "RIGHT"])
def test_single_scenarios_are_those_of_a_simulation(project: Project, speed: float, signal: str) -> None:
    asked = f"might collision within 12 steps if v.signal == {signal} and v.speed == {speed} and v.gap == 31.0"
    assert (project.ask(asked).verdict.value == "yes") is collides(31.0, speed, signal, 12)


def test_where_a_world_breaks_down_nothing_is_known_of_what_comes(tmp_path: Path) -> None:
    """Not even that they never collide: that was called proved."""
    project = gap_project(tmp_path, world=WORLD.replace("*impact =", "brake = 10 / (int)(v->gap - 26.0f); *impact ="))
    for asked in (
        "would not collision throughout 9 steps",
        "might collision within 9 steps",
        "would *impact < 1.0 throughout 9 steps",
    ):
        found = project.ask(f"{asked} if v.signal == STRAIGHT")
        assert found.verdict.value == "unknown" and "the world division by zero at world.c:7" in found.reason
    assert project.ask("might collision within 2 steps if v.signal == STRAIGHT").verdict.value == "no"
    assert project.ask("did return == 0 within 3 steps").verdict.value == "yes"
    assert project.ask("did collision within 3 steps").verdict.value == "no"
    assert project.ask("did *impact > 0.0 within 3 steps").verdict.value == "unknown"


def test_what_happens_before_a_world_breaks_down_has_happened(tmp_path: Path) -> None:
    """It fails in the very step in which they collide."""
    breaks = WORLD.replace("v->gap = v->gap", "if (v->gap < 0.0f) __builtin_trap();\n    v->gap = v->gap")
    project = gap_project(tmp_path, world=breaks)
    found = project.ask("might collision within 20 steps if v.speed == 2.5")
    assert found.verdict.value == "yes" and found.witness is not None
    assert "the world trap" in str(found.witness.ending) and "with the compiler's traps" in found.witness.replayed
    assert project.ask("would not collision throughout 20 steps if v.speed == 2.5").verdict.value == "no"
    assert project.ask("did collision within 20 steps").verdict.value == "yes"


def test_what_a_world_remembers_and_no_log_has_is_not_what_it_starts_with(tmp_path: Path) -> None:
    """It was taken for a constant, "which it never writes", and proofs rested on that at any step of the log."""
    blown = WORLD.replace("v->gap = ", "static float wind = 8.0f; wind = wind * 0.5f; v->gap = ").replace(
        "- v->speed;", "- v->speed - wind;", 1
    )
    project = gap_project(tmp_path, world=blown)
    for step in (0, 3):
        found = project.at(step).ask("would v.gap' > 21.5 if v.speed == 1.0")
        assert (found.verdict.value, found.why.code) == ("unknown", ReasonCode.DEPENDS)
        assert "it depends on wind, which is not logged" in found.reason
    found = project.ask("might v.gap' < 25.0 if v.speed == 1.0 and step.wind == 4.0")
    assert found.verdict.value == "no"


def test_what_happens_before_a_program_breaks_down_has_happened(tmp_path: Path) -> None:
    """It fails in the very step in which they collide: that they would never collide was called proved."""
    guarded = DRIVER.replace("int decide(", "#include <assert.h>\nint decide(")
    project = gap_project(tmp_path, driver=guarded.replace("if (v->signal", "assert(v->gap >= 0.0f); if (v->signal"))
    for behavior in ("collision", "v.gap < 0.0"):
        found = project.ask(f"might {behavior} within 20 steps if v.speed == 3.0")
        assert found.verdict.value == "yes" and found.witness is not None
        assert "failed assertion" in str(found.witness.ending) and "with the compiler's traps" in found.witness.replayed
    found = project.ask("would not collision throughout 20 steps if v.speed == 3.0")
    assert found.verdict.value == "no" and found.why.code is ReasonCode.DECIDES_OTHERWISE
    assert project.ask("might return == 1 within 20 steps if v.speed == 3.0").verdict.value == "no"
    assert project.ask("might collision within 10 steps if v.speed == 3.0").verdict.value == "no"


def test_where_a_program_breaks_down_the_world_goes_on_and_it_is_not_known_how(tmp_path: Path) -> None:
    """A `would` is refuted by its failing; that they never collide was called proved too."""
    divides = DRIVER.replace("if (v->signal", "if (1 / (int)(v->gap - 22.0f) > 9) return 1; if (v->signal")
    project = gap_project(tmp_path, driver=divides)
    for asked in ("might collision within 20 steps", "might v.speed < 1.0 after 9 steps"):
        found = project.ask(f"{asked} if v.signal == STRAIGHT")
        assert found.verdict.value == "unknown" and "division by zero at driver.c:6" in found.reason
    assert project.ask("might collision within 4 steps if v.signal == STRAIGHT").verdict.value == "no"
    assert project.ask("might collision within 1 steps if v.gap == 22.0").verdict.value == "no"
    found = project.ask("would not collision throughout 20 steps if v.signal == STRAIGHT")
    assert found.verdict.value == "no" and found.why.code is ReasonCode.FAILS
    assert project.ask("might return == 1 within 20 steps if v.signal == STRAIGHT").verdict.value == "no"
    assert project.ask("would fails within 9 steps if v.signal == STRAIGHT").verdict.value == "yes"


def test_of_several_programs_too_a_world_that_breaks_down_is_run(tmp_path: Path) -> None:
    """The replay of what they decide had each program's own names for it, and the question ended in a KeyError."""
    project = two_cars(tmp_path)
    breaks = (
        "void step(int *a, int *b, int go_a, int go_b) { if (*b - *a < 5) __builtin_trap(); *a += go_a; *b += go_b; }\n"
    )
    (tmp_path / "road.c").write_text(breaks)
    project = Project.open(tmp_path)
    found = project.ask("would not meeting throughout 4 steps if *b == 8")
    assert found.verdict.value == "unknown" and "the world" in found.reason
    found = project.ask("might not meeting within 4 steps if *b == 4")
    assert found.verdict.value == "yes" and found.witness is not None
    assert "the world trap" in str(found.witness.ending) and "with the compiler's traps" in found.witness.replayed


def test_what_the_world_leaves_can_be_asked_about_in_the_same_step(tmp_path: Path) -> None:
    """An event that speaks of v.gap' happens a step earlier than one that speaks of v.gap."""
    left = 'collision = { when = "v.gap\' < 0.0", harm = true }'
    project = gap_project(
        tmp_path, manifest=MANIFEST.replace("[events]", f"[events]\n{left.replace('collision', 'early')}")
    )
    for steps in (9, 10, 11, 12):
        late = collides(30.0, 3.0, "RIGHT", steps)
        assert (project.ask(f"might collision within {steps} steps if v.speed == 3.0").verdict.value == "yes") is late
        early = collides(30.0, 3.0, "RIGHT", steps + 1)
        for behavior in ("early", "v.gap' < 0.0"):
            found = project.ask(f"might {behavior} within {steps} steps if v.speed == 3.0")
            assert (found.verdict.value == "yes") is early, (steps, behavior)
    with pytest.raises(QueryError, match=r"v\.signal is not changed by the call"):
        project.ask("did v.signal' == RIGHT")


def test_a_program_that_fails_decides_nothing_whatever_is_done_in_its_place(tmp_path: Path) -> None:
    project = two_cars(tmp_path)
    fragile = (
        "int decide(int mine, int theirs) { int z = 10 / (mine - 5); return z == 99 ? z : theirs > mine ? 1 : -1; }\n"
    )
    (tmp_path / "fragile.c").write_text(fragile)
    manifest = (tmp_path / "soid.toml").read_text().partition("[programs.behind]")
    behind = manifest[1] + manifest[2].replace("car.c", "fragile.c", 1)
    (tmp_path / "soid.toml").write_text(manifest[0] + behind)
    found = Project.open(tmp_path).ask("would meeting within 8 steps if behind.return == -1 at step 1 and *a == -1")
    assert project.program.interface.programs and found.verdict.value == "unknown"


def test_a_driver_that_remembers(tmp_path: Path) -> None:
    """It brakes from the third time on that the other car is near."""
    driver = DRIVER.replace("int decide", "static int seen;\nint decide").replace(
        "return v->gap < 20.0f;", "if (v->gap < 20.0f) seen = seen + 1;\n    return seen > 2;"
    )
    manifest = MANIFEST.replace("keyframe = 0", "keyframe = 0\nfrom_start = true")
    project = gap_project(tmp_path, driver=driver, manifest=manifest)
    near = "v.signal == STRAIGHT and v.speed == {}"
    assert project.ask(f"might collision within 20 steps if {near.format(2.5)}").verdict.value == "no"
    assert project.ask(f"might collision within 20 steps if {near.format(3.75)}").verdict.value == "yes"


@pytest.mark.parametrize(
    ("changed", "cause"),
    [
        (('acts = { brake = "return" }', 'acts = { stop = "return" }'), "does not read stop"),
        (('acts = { brake = "return" }', 'acts = { brake = "v.gap" }'), "is no decision"),
        (("acts = {", 'logged = ["v.gpa"]\nacts = {'), r"leaves no v\.gpa"),
        (("v.gap < 0.0", "v.gap < fact(v.gap)"), "speaks of what is"),
        (("v.gap < 0.0", "gpa < 0.0"), "no variable gpa"),
    ],
)
def test_mistakes_in_the_manifest(tmp_path: Path, changed: tuple[str, str], cause: str) -> None:
    with pytest.raises(ManifestError, match=cause):
        gap_project(tmp_path, manifest=MANIFEST.replace(*changed))


def simulated(a: int, b: int, steps: int) -> bool:
    """Whether two cars that step towards each other are in one place in one of some steps."""

    def goes(mine: int, theirs: int) -> int:
        return 1 if theirs > mine + 1 else -1 if theirs < mine - 1 else 0

    for _ in range(steps):
        if a == b:
            return True
        a, b = a + goes(a, b), b + goes(b, a)
    return False


def test_the_names_of_the_first_program_too_are_those_of_questions(tmp_path: Path) -> None:
    inputs = {each.path for each in two_cars(tmp_path).program.interface.inputs}
    assert inputs == {"*a", "*b"}


def test_several_programs_act_in_one_world(tmp_path: Path) -> None:
    project = two_cars(tmp_path)
    assert {each.path for each in project.program.interface.inputs} == {
        "*a",
        "*b",
    }  # the first program has other names too
    for first in range(-2, 3):
        for second in (3, 4, 7):
            found = project.ask(f"might meeting within 6 steps if *a == {first} and *b == {second}")
            assert (found.verdict.value == "yes") is simulated(first, second, 6), (first, second)
    outcomes = [simulated(first, 6, 6) for first in range(-3, 4) if first != 0]
    asked = project.ask("would meeting within 6 steps if -3 <= *a <= 3")
    assert (asked.verdict.value == "yes") is all(outcomes)
    assert project.ask("might meeting within 6 steps if -3 <= *a <= 3").verdict.value == (
        "yes" if any(outcomes) else "no"
    )


def test_what_goes_on_as_logged_though_the_world_could_give_it(tmp_path: Path) -> None:
    """The other car's way is as it was: braking changes the own speed, and the gap closes all the same."""
    stops = "would not collision throughout 20 steps if return == 1 from step 0"
    assert gap_project(tmp_path / "given").ask(stops).verdict.value == "yes"
    manifest = MANIFEST.replace("acts =", 'logged = ["v.gap"]\nacts =')
    project = gap_project(tmp_path / "logged", manifest=manifest)
    found = project.ask(stops)
    assert found.verdict.value == "no" and found.witness is not None
    assert [step["v.speed'"] for step in found.witness.earlier][-1] == 0
    told = next(each.text for each in found.relies_on if each.id == "beside-world-logged")
    assert told.endswith("v.gap, v.signal")
    check = project.engine.world_check(project.trace)
    assert check is not None and [each.variable.path for each in check.one_step] == ["v.speed"]
    log = tmp_path / "logged" / "log.jsonl"
    log.write_text("".join(log.read_text().splitlines(keepends=True)[:3]))
    with pytest.raises(KeyframeError, match="step 3 is not in"):
        Project.open(tmp_path / "logged").ask(stops)


def test_what_a_driver_reads_by_calling_a_function_follows_the_world(tmp_path: Path) -> None:
    """The gap comes from a function that the program does not define: in each step it gives what the world has left."""
    driver = "float read_gap(void);\nint decide(void) { return read_gap() < 20.0f; }\n"
    world = "void step(float *gap, float speed, int brake) { if (!brake) *gap = *gap - speed; }\n"
    manifest = """
[program]
engine = "c"
sources = ["driver.c"]
entry = "decide"
[inputs_from]
read_gap = "gap"
[world]
engine = "c"
sources = ["world.c"]
entry = "step"
names = { "*gap" = "gap" }
acts = { brake = "return" }
[events]
near = { when = "gap < 15.0" }
[trace]
file = "log.jsonl"
[variables]
gap = { domain = [0.0, 100.0] }
"""
    gap_project(tmp_path)
    for name, text in (("driver.c", driver), ("world.c", world), ("soid.toml", manifest)):
        (tmp_path / name).write_text(text)
    (tmp_path / "log.jsonl").write_text('{"gap": 30.0, "speed": 2.0, "return": 0}\n')
    project = Project.open(tmp_path)
    assert project.ask("would not near throughout 12 steps if 25.0 <= gap <= 40.0").verdict.value == "yes"
    assert project.ask("might near within 12 steps if 25.0 <= gap <= 40.0 and speed == 8.0").verdict.value == "yes"


def test_a_number_that_is_none_does_not_go_on_in_the_world(tmp_path: Path) -> None:
    world = WORLD.replace("v->gap = v->gap - v->speed;", "v->gap = (v->gap - v->gap) / (v->speed - v->speed);")
    found = gap_project(tmp_path, world=world).ask("might collision within 3 steps if v.signal == STRAIGHT")
    assert found.verdict.value == "unknown" and "NaN" in found.reason


def test_answer_and_fact_speak_of_the_event_by_its_sentence_and_say_that_it_is_harm(project: Project) -> None:
    found = project.ask("would not collision throughout 20 steps if v.signal in {STRAIGHT, LEFT}")
    fact = fact_of(found, project.keyframe)
    assert fact is not None
    assert fact["statement"].startswith("It would never happen in any of 20 steps that the two cars collide, had")
    assert found.because == "it is so in every scenario: proved over all of them"
    assert found.harm == "This is about harm: the two cars collide."
    decided = project.ask("did return == 0")
    assert decided.events == () and decided.harm == ""


def counting(folder: Path, names: str) -> Project:
    """Two programs that count, the one in ones and the other in tens, in state that is called alike in both."""
    for name, by in (("one", 1), ("other", 10)):
        source = f"struct m {{ int n; }};\nint decide(int x, struct m *m) {{ m->n += {by} + 0 * x; return m->n; }}\n"
        (folder / f"{name}.c").write_text(source)
    (folder / "world.c").write_text("void step(int *x, int a, int b) { *x = b - a; }\n")
    (folder / "log.jsonl").write_text('{"*x": 0, "m": {"n": 0}, "mine": 0, "return": 1}\n')
    program = '[programs.{0}]\nengine = "c"\nsources = ["{0}.c"]\nentry = "decide"\nnames = {{ "x" = "*x"{1} }}\n'
    (folder / "soid.toml").write_text(
        '[program]\nname = "two"\n'
        + program.format("one", "")
        + program.format("other", names)
        + '[world]\nengine = "c"\nsources = ["world.c"]\nentry = "step"\n'
        'acts = { a = "one.return", b = "other.return" }\n[events]\nhigh = { when = "*x > 20" }\n'
        f'[trace]\nfile = "log.jsonl"\n{"" if names else NO_COLUMN}'
    )
    return Project.open(folder)


NO_COLUMN = 'ignore = ["mine"]\n'


def test_in_a_world_programs_do_not_go_on_from_what_others_remember(tmp_path: Path) -> None:
    """The second one has counted to 20 after two steps; from the first one's count it would be at 11."""
    for place in ("own", "shared"):
        (tmp_path / place).mkdir()
    own = counting(tmp_path / "own", ', "m.n" = "mine"')
    for count, verdict in ((20, "yes"), (11, "no")):
        assert own.ask(f"might other.return == {count} after 2 steps if *x == 5").verdict.value == verdict
    shared = counting(tmp_path / "shared", "")
    for count in (20, 11):
        found = shared.ask(f"might other.return == {count} after 2 steps if *x == 5")
        assert found.verdict.value == "unknown" and "n (m.n) is state of several programs" in found.reason


SENSED = """
#include <stdbool.h>
struct view { float gap; float speed; enum signal { STRAIGHT, LEFT, RIGHT } signal; };
void step(struct view *v, int brake, float *place, const float *wall) {
    *place += v->speed;
    v->speed = brake ? v->speed / 2.0f : v->speed;
    v->gap = *wall - *place;
}
"""


def test_what_a_world_computes_anew_is_perceived(tmp_path: Path) -> None:
    """Its sensor gives the gap; no step reads the gap of the step before."""
    project = gap_project(tmp_path, world=SENSED)
    log = tmp_path / "log.jsonl"
    log.write_text(
        '{"v": {"gap": 30.0, "speed": 2.0, "signal": "RIGHT"}, "*place": 70.0, "*wall": 100.0, "return": 0}\n'
    )
    project = Project.open(tmp_path)
    assert project.program.interface.produced == {"v.gap", "v.speed", "*place"}
    assert project.ask("might v.gap == 29.0 after 2 steps if v.speed == 1.0").verdict.value == "yes"
    found = project.ask("would v.gap == 100.0 - 70.0 - 2.0 * 4 after 5 steps if v.signal == LEFT and v.gap == 25.0")
    assert found.verdict.value == "yes", found.reason
    assert project.ask("would collision within 20 steps if v.gap == 25.0").verdict.value == "yes"
    assert project.ask("might collision within 40 steps if v.signal == STRAIGHT").verdict.value == "no"


def test_what_the_world_makes_is_explored_only_where_it_is_asked_about(tmp_path: Path) -> None:
    """A world that fails has no part in what is decided in the first step."""
    failing = WORLD.replace("*impact =", "brake = 10 / (1 - brake); *impact =")
    project = gap_project(tmp_path, world=failing)
    assert project.ask("would return == 1 if v.signal == STRAIGHT and v.gap == 10.0").verdict.value == "yes"
    assert project.ask("would not collision if v.signal == STRAIGHT and v.gap == 10.0").verdict.value == "yes"
    found = project.ask("would *impact == 0.0 if v.signal == STRAIGHT and v.gap == 10.0")
    assert found.verdict.value == "unknown" and "the world" in found.reason
