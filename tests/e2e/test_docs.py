"""What the docs say is what the code does: commands and their output, questions, fields, exit statuses."""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import shlex
import shutil
import subprocess
import textwrap
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace
from onnx import helper

import soid
from soid import Project, errors
from soid.cli import exits, main
from soid.cli.command_line import command_table
from soid.cli.commands import doctor_command
from soid.cli.prompt.prompt_commands import COMMANDS
from soid.engine.manifest_reader import load
from soid.engine.registry import open_program
from soid.errors import InternalError, QueryError, SoidError
from soid.examples import NAMES, copy, folder
from soid.oracle.inquiry import Settings
from soid.program.interface import Interface, Variable
from soid.query.language.query_parser import parse
from soid.query.language.query_printer import to_text
from soid.query.language.script.nodes import WORDS
from soid.query.language.script.script_parser import parse_script
from soid.query.language.script.script_printer import script_text
from soid.scene.scene import scene_of
from tests.e2e.running import Soid
from tests.json_page import misfits
from tests.network_files import FLOAT, network_file

DOCS = Path(__file__).parents[2] / "docs"
#: every page by its name, and the README
PAGES = {
    file.relative_to(DOCS).with_suffix("").as_posix(): file.read_text(encoding="utf-8") for file in DOCS.rglob("*.md")
} | {"README": (DOCS.parent / "README.md").read_text(encoding="utf-8")}
README, LANGUAGE, SCRIPTS, JSON, MODELS, NETWORKS, DRONE = (
    PAGES[name] for name in ("README", "language", "scripts", "json", "models", "networks", "drone")
)
PROJECT, LOGS, IN_C, PICTURES = (PAGES[f"guide/{name}"] for name in ("project", "logs", "c", "pictures"))


def blocks(text: str, kind: str) -> list[str]:
    """The fenced blocks of one kind."""
    found = re.finditer(rf"^( *)```{kind}\n(.*?)^ *```$", text, re.M | re.S)
    return [textwrap.dedent(match[2]) for match in found]


def cells(line: str) -> list[str]:
    return [cell.strip().strip("`") for cell in line.strip("|").split("|")]


# --- the guide and the README ---------------------------------------------------------------------------------


def without_figures(text: str) -> str:
    """Without what is this machine's: how long it took and by what, its compiler, where lines break because of that."""
    text = re.sub(r"^.*\(\d+ s; Ctrl-C stops\)\n", "", text, flags=re.M)  # a sign of life, on a busy machine
    text = re.sub(r"^(  (?:seconds|settled by) +).*(?:\n {14}\S.*)*$", r"\1...", text, flags=re.M)
    text = re.sub(r"compiled by clang version .*?, without", "compiled by clang version ..., without", text, flags=re.S)
    text = re.sub(r"running the model in (\w+) [\d.]+", r"running the model in \1 ...", text)
    return re.sub(r"\s+", " ", re.sub(r"compiled program \(.*?\)", "compiled program (...)", text, flags=re.S))


def transcripts(page: str) -> list[tuple[str, str]]:
    """The commands of the console blocks, each with what it prints."""
    text = "\n".join(blocks(page, "console"))
    commands = re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n?)*)", text, re.M)
    return [(line, printed) for line, printed in commands]


@pytest.mark.parametrize(
    ("name", "least"),
    [
        ("README", 3),
        ("guide/first", 7),
        ("guide/cases", 7),
        ("guide/pairs", 4),
        ("guide/programs", 2),
        ("guide/c", 3),
        ("guide/sweeps", 2),
        *(pytest.param(name, 4, marks=pytest.mark.slow) for name in ("drone", "models")),
    ],
)
def test_commands_print_what_the_page_says(name, least, tmp_path, command, environment):
    """Each in the folder that `soid example copy` made last."""
    assert len(transcripts(PAGES[name])) >= least
    project = tmp_path
    for line, expected in transcripts(PAGES[name]):
        words = shlex.split(line)
        if words[0] == "cd":
            assert project.name == words[1]
            continue
        if words[0] == "sed":
            subprocess.run(words, cwd=project, check=True)
            continue
        copied = words[1:3] == ["example", "copy"]
        ran = Soid(command, tmp_path if copied else project, environment)(*words[1:])
        assert without_figures(ran.out + ran.err).strip() == without_figures(expected).strip(), line
        project = tmp_path / words[-1] if copied else project


@pytest.mark.parametrize(
    "name", [name for name, page in PAGES.items() if name.startswith("howto/") and blocks(page, "sh")]
)
def test_a_how_to_can_be_followed(name, tmp_path, monkeypatch, capsys):
    """Each line of its shell, in an empty folder: it answers with one of the verdicts, or does what it says."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SOID_USER", "ada")
    lines = [line for block in blocks(PAGES[name], "sh") for line in block.splitlines()]
    for line in lines:
        command, *words = shlex.split(line)
        if command == "cd":
            monkeypatch.chdir(words[0])
            continue
        assert command == "soid"
        status = main(words)
        printed = capsys.readouterr()
        assert status == 0 or (status == 1 and words[0] in ("ask", "differ", "explain")), (line, status, printed)


def test_every_page_with_transcripts_is_among_those(pytestconfig):
    ran = next(mark for mark in test_commands_print_what_the_page_says.pytestmark if mark.name == "parametrize")
    named = {getattr(each, "values", each)[0] for each in ran.args[1]}
    served = {"api", "evidence"}  # a server's addresses and somebody else's keys: tests of their own go through both
    assert {name for name, page in PAGES.items() if transcripts(page)} == named | served


@pytest.mark.parametrize(
    "name", [name for name, page in PAGES.items() if blocks(page, "python") and name != "networks"]
)
def test_python_of_the_pages_runs(name, capsys):
    """What it prints last, a comment at the end says. Not the calls of other libraries that export a network."""
    for program in blocks(PAGES[name], "python"):
        with ThreadPoolExecutor(1) as own:  # tests of pages leave an event loop running in this thread
            own.submit(exec, compile(program, name, "exec"), {}).result()
        assert capsys.readouterr().out == program.rpartition("# ")[2]


def test_the_page_about_python_has_every_public_name():
    named = re.findall(r"^::: soid\.(\w+)$", PAGES["python"], re.M)
    assert sorted(named) == sorted(soid.__all__)


def test_the_guide_s_manifest_and_log_can_be_read(tmp_path):
    manifest, endings = blocks(PROJECT, "toml")
    (log,) = blocks(LOGS, "csv")
    (tmp_path / "paths").mkdir()
    for name in ("test000003", "test000004"):
        (tmp_path / "paths" / f"{name}.smt2").write_text(
            "(declare-const |speed| (_ BitVec 32))\n(assert (= speed speed))\n"
        )
    (tmp_path / "soid.toml").write_text(manifest + endings)
    (tmp_path / "log.csv").write_text(log)
    assert main(["inspect", "--project", str(tmp_path), "--step", "1"]) == 0


def test_the_models_page_shows_manifests_of_the_examples(tmp_path):
    manifest, missing = blocks(MODELS, "toml")
    copy("lending", tmp_path)
    (tmp_path / "soid.toml").write_text(manifest)
    assert Project.open(tmp_path, step=3, settings=Settings(replay="off")).ask("did approve").verdict.value == "no"
    lines = [line.partition("#")[0].split() for line in missing.splitlines()]
    trace = [line.partition("#")[0].split() for line in (folder("triage") / "soid.toml").read_text().splitlines()]
    assert all(line in trace for line in lines)


def test_the_models_page_shows_a_manifest_of_a_network(tmp_path: Path) -> None:
    (manifest,) = blocks(NETWORKS, "toml")
    weights = {"w": np.ones((6, 5), np.float32), "v": np.ones((1, 1), np.float32)}
    nodes = [helper.make_node("MatMul", ["x", "w"], ["y"]), helper.make_node("MatMul", ["h_in", "v"], ["h_out"])]
    given = {"x": (FLOAT, (1, 6)), "h_in": (FLOAT, (1, 1))}
    (tmp_path / "acas.onnx").write_bytes(network_file(nodes, given, ["y", "h_out"], weights))
    (tmp_path / "soid.toml").write_text(manifest + '[trace]\nfile = "log.jsonl"\n')
    row = {"distance": 100.0, "angle": 1.0, "weather": "RAIN", "gear": "UP", "h_in": 0.5}
    (tmp_path / "log.jsonl").write_text(json.dumps(row) + "\n")
    opened = Project.open(tmp_path, settings=Settings(replay="off"))
    assert {"distance", "angle", "weather", "gear", "h_in"} == {each.path for each in opened.program.interface.inputs}
    assert opened.ask("did brake").verdict.value == "yes"


def test_the_drone_s_page_shows_its_files() -> None:
    (mapping,), (rows,) = blocks(DRONE, "toml"), blocks(DRONE, "csv")
    assert mapping in (folder("drone") / "soid.toml").read_text()
    assert set(rows.splitlines()) <= set((folder("drone") / "recorder.csv").read_text().splitlines())


FLYING = """
enum pilot { PILOT_NONE, PILOT_RTH };
struct sensors { float alt; float lat; enum pilot pilot; _Bool armed; };
int decide(const struct sensors *s) { return s->armed && s->pilot == PILOT_RTH && s->alt + s->lat > 9; }
"""


def test_the_guide_s_mapping_of_a_log_can_be_read(tmp_path):
    program = '[program]\nengine = "llvm"\nsources = ["fly.c"]\nentry = "decide"\n'
    units = '[variables]\n"s.alt" = { unit = "m" }\n'
    (tmp_path / "soid.toml").write_text(program + blocks(LOGS, "toml")[0] + units)
    (tmp_path / "fly.c").write_text(FLYING)
    (tmp_path / "flight.csv").write_text("t,Alt(ft),cmd,ARM,volts\n100,NA,-,1,11.5\n200,1250,RTH,1,11.4\n")
    (tmp_path / "gps.csv").write_text("stamp,lat\n0.05,48.5\n")
    assert "s.alt = not known" in Project.open(tmp_path, step=0).keyframe.describe()
    (tmp_path / "flight.csv").write_text("t,Alt(ft),cmd,ARM,volts\n100,10,-,1,NA\n200,1250,RTH,1,11.4\n")
    shown = Project.open(tmp_path).keyframe.describe()
    assert all(part in shown for part in ("s.alt = 381.0 m", "s.lat = 48.5", "s.pilot = PILOT_RTH", "s.armed = true"))


DECIDE = """
struct agent { float pos_x; };
struct world { struct agent *agents; };
struct plan { int reason; };
int read_sensor(void);
double wall_clock(void);
int blocked(void);
static int started;
extern int config;
void log_line(const char *text);
void init(void) { started = blocked(); }
void decide(const struct world *world, struct plan *plan)
{
    log_line("deciding");
    plan->reason = read_sensor() + read_sensor() + (wall_clock() > world->agents[3].pos_x) + started++;
    if (*(volatile unsigned *)0x40021000 > (unsigned)config) plan->reason = 0;
}
"""
STUBS = "int blocked(void) { return 1; }\n"


def test_the_guide_s_manifest_of_a_c_program_can_be_read(tmp_path, capsys):
    (tmp_path / "soid.toml").write_text(blocks(IN_C, "toml")[0])
    (tmp_path / "decide.c").write_text(DECIDE)
    (tmp_path / "board_stubs.c").write_text(STUBS)
    (tmp_path / "log.jsonl").touch()
    variables = written(capsys, "inspect", "--project", str(tmp_path))["variables"]
    roles = {variable["path"]: variable["role"] for variable in variables}
    assert roles["world.agents[3].pos_x"] == roles["sensor[1]"] == roles["now"] == "environment"
    assert roles["config"] == roles["RCC_CR"] == "environment"
    assert (roles["plan.reason"], roles["started"]) == ("decision", "state")


def test_the_guide_s_scene_can_be_drawn(tmp_path):
    (tmp_path / "soid.toml").write_text("\n".join((*blocks(IN_C, "toml"), *blocks(PICTURES, "toml"))))
    (tmp_path / "decide.c").write_text(DECIDE.replace("agents[3]", "agents[0]"))
    (tmp_path / "board_stubs.c").write_text(STUBS)
    (tmp_path / "log.jsonl").touch()
    declared = load(tmp_path)
    (actor,) = scene_of(replace(declared, program=open_program(declared.program)[0])).actors
    assert isinstance(actor.x, Variable)
    assert (actor.x.path, actor.x.unit, actor.heading) == ("world.agents[0].pos_x", "m", 0.0)


DRAWN = [line for block in blocks(PAGES["gallery"], "sh") for line in block.splitlines()]


@pytest.mark.parametrize("line", DRAWN, ids=lambda line: line.partition("--svg ")[2])
def test_a_picture_of_the_gallery_is_what_its_command_draws(line, tmp_path, monkeypatch):
    """With UPDATE_GOLDEN=1 they are drawn anew. The README has one of them too."""
    monkeypatch.chdir(tmp_path)
    _, *words = shlex.split(line)
    example = Path(words[words.index("-p") + 1]).parts[0]
    copy(example, tmp_path / example)
    assert main(words) == 0
    made = [tmp_path / words[words.index(option) + 1] for option in ("--svg", "--ways") if option in words]
    for file in made:
        if os.environ.get("UPDATE_GOLDEN"):
            shutil.copy(file, DOCS / file.name)
        assert f"]({file.name})" in PAGES["gallery"]
        assert file.read_text(encoding="utf-8") == (DOCS / file.name).read_text(encoding="utf-8")


def test_every_drawing_has_its_command():
    drawn = set(re.findall(r"\]\(([\w/]+\.svg)\)", PAGES["gallery"]))
    assert drawn == {name for line in DRAWN for name in re.findall(r"--(?:svg|ways) (\S+)", line)}
    assert "](docs/scene.svg)" in README


def test_the_gallery_lists_the_examples():
    rows = [
        cells(line) for line in PAGES["gallery"].splitlines() if re.match(r"\| `[a-z_]+` \| an? |\| `crash` ", line)
    ]
    assert [name for name, _ in rows] == list(NAMES)


def _raised(kind: type[SoidError] = SoidError) -> list[type[SoidError]]:
    below = [each for child in kind.__subclasses__() if child.__module__ == errors.__name__ for each in _raised(child)]
    return [kind, *below]


def test_every_exit_status_is_listed():
    rows = [cells(line) for line in PAGES["exit-status"].splitlines() if re.match(r"\| \d+ \|", line)]
    verdicts = {int(status): verdict.partition("`")[0] for status, verdict, *_ in rows if int(status) < 10}
    assert verdicts == {code: verdict for verdict, code in exits.VERDICTS.items()}
    named = {int(row[0]): row[1] for row in rows if int(row[0]) >= 10}
    expected = {kind.exit_code: kind.__name__ for kind in _raised() if "exit_code" in vars(kind)}
    expected |= {10: "InputError", InternalError.exit_code: "InternalError", exits.USAGE: "UsageError"}
    expected |= {exits.OUTPUT: "", exits.INTERRUPTED: "", exits.BROKEN_PIPE: ""}
    assert named == expected


@pytest.fixture(scope="module")
def known_options() -> set[str]:
    """The options of all commands, and of soid itself."""
    shown = io.StringIO()
    with contextlib.redirect_stdout(shown):
        assert not any(main([*words.split(), "--help"]) for words in ("", *command_table.COMMANDS))
    return set(re.findall(r"--[a-z-]+", shown.getvalue()))


#: lines about other tools, which have options of their own
OTHERS = re.compile(r"\b(pip|curl|dask|openssl|unzip|apt-get)\b")


@pytest.mark.parametrize("name", PAGES)
def test_options_that_the_docs_speak_of_exist(name, known_options):
    ours = "\n".join(line for line in PAGES[name].splitlines() if not OTHERS.search(line))
    assert set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", ours)) <= known_options


@pytest.mark.parametrize("name", PAGES)
def test_commands_that_the_docs_speak_of_exist(name):
    groups = {first for first, _, second in (words.partition(" ") for words in command_table.COMMANDS) if second}
    lines = "\n".join(f"$ {line}" for block in blocks(PAGES[name], "sh") for line in block.splitlines())
    spoken = re.findall(r"(?:`|^\$ )soid ([a-z]+)(?: ([a-z]+))?", f"{PAGES[name]}\n{lines}", re.M)
    named = {f"{first} {second}" if first in groups and second else first for first, second in spoken}
    assert named <= {*command_table.COMMANDS, *groups}


def test_pages_that_the_code_speaks_of_exist():
    source = Path(soid.__file__).parent
    texts = "\n".join(file.read_text(encoding="utf-8") for file in source.rglob("*.py"))
    short = {name.rpartition("/")[2] for name in PAGES}
    assert len(named := set(re.findall(r"`soid docs ([\w/-]+)`", texts))) > 3
    assert named <= {*PAGES, *short}
    assert set(re.findall(r"docs/([\w/-]+)\.md", texts)) <= PAGES.keys()


# --- the language ---------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def interface(tmp_path_factory) -> Interface:
    project = tmp_path_factory.mktemp("language")
    (project / "paths").mkdir()
    (project / "paths" / "one.smt2").touch()
    (project / "soid.toml").write_text(blocks(LANGUAGE, "toml")[0])
    return load(project).program.interface


QUESTIONS = [line for block in blocks(LANGUAGE, "soid") for line in block.splitlines()]


@pytest.mark.parametrize("question", QUESTIONS)
def test_the_language_s_questions_can_be_asked(question, interface):
    query = parse(question, interface)
    assert parse(to_text(query), interface) == query


def test_the_language_s_questions_about_several_programs_can_be_asked():
    several = Project.open(folder("crash") / "together").program.interface
    questions = [line for block in blocks(LANGUAGE, "soid-together") for line in block.splitlines()]
    assert len(questions) > 5
    for question in questions:
        query = parse(question, several)
        assert parse(to_text(query), several) == query


@pytest.mark.parametrize("complaint", blocks(LANGUAGE, "soid-error"), ids=lambda text: text.splitlines()[1].strip())
def test_the_language_s_mistakes_are_told_as_it_says(complaint, interface):
    with pytest.raises(QueryError) as caught:
        parse(complaint.splitlines()[1].strip(), interface)
    assert str(caught.value) == complaint.rstrip("\n")


def test_the_language_speaks_of_every_word(interface):
    grammar = (Path(parse.__code__.co_filename).parent / "grammar.lark").read_text()
    words = re.findall(r'^[A-Z]+: "([a-z]+)"$', grammar, re.M)
    assert len(words) > 15
    assert [word for word in words if not re.search(rf"\b{word}\b", LANGUAGE)] == []


# --- scripts --------------------------------------------------------------------------------------------------

#: it goes for a right turn, and stays for everything else
PATHS = {
    "go": "(assert (= signal #x03))(assert (= move #x01))(assert (= brake #x00000000))(assert (= |started'| true))",
    "stay": "(assert (not (= signal #x03)))(assert (= move #x00))(assert (= brake #x3f800000))"
    "(assert (= |started'| started))",
}
DECLARED = """
(declare-const signal (_ BitVec 8)) (declare-const started Bool) (declare-const count (_ BitVec 32))
(declare-const move (_ BitVec 8)) (declare-const brake (_ BitVec 32)) (declare-const |started'| Bool)
(declare-const |count'| (_ BitVec 32)) (assert (= |count'| count))
"""
SAME: dict[str, object] = {"x": 1.0, "y": 0.0, "speed": 10.0, "lanes": 2, "icy": False, "started": True, "count": 0}
SAME |= {"world.agents[1].pos_x": 2.0, "world.agents[2].pos_x": 5.0, "flags": 5, "offence": 3, "name": "Bob"}


@pytest.fixture(scope="module")
def crossing(tmp_path_factory) -> Path:
    """The program of the language's page, and a log of it."""
    project: Path = tmp_path_factory.mktemp("crossing")
    (project / "soid.toml").write_text(blocks(LANGUAGE, "toml")[0] + '[trace]\nfile = "log.jsonl"\n')
    (project / "paths").mkdir()
    for name, text in PATHS.items():
        (project / "paths" / f"{name}.smt2").write_text(DECLARED + text)
    steps = [("OFF", 0, 1.0), ("LEFT", 0, 1.0), ("RIGHT", 1, 0.0)]
    log = ({**SAME, "signal": signal, "move": move, "brake": brake} for signal, move, brake in steps)
    (project / "log.jsonl").write_text("".join(f"{json.dumps(step)}\n" for step in log))
    return project


EXAMPLES = list(zip(blocks(SCRIPTS, "soid-script"), blocks(SCRIPTS, "soid-outcome"), strict=True))


@pytest.mark.parametrize(("script", "outcome"), EXAMPLES, ids=[outcome.strip()[:30] for _, outcome in EXAMPLES])
def test_the_language_s_scripts_end_as_it_says(script, outcome, crossing, capsys):
    file = crossing / "example.soid"
    file.write_text(script)
    main(["run", str(file), "--quiet"])
    assert capsys.readouterr().out == outcome
    if "\n        if" not in script:  # the one that shows how a line goes on
        assert script_text(parse_script(script)) == script


@pytest.mark.parametrize("mistake", blocks(SCRIPTS, "soid-script-error"), ids=lambda text: text.splitlines()[-1])
def test_the_language_s_mistakes_in_scripts_are_told_as_it_says(mistake, crossing, monkeypatch, capsys):
    monkeypatch.chdir(crossing)
    complaint, _, script = mistake.partition("---\n")
    (crossing / "crash.soid").write_text(script)
    main(["run", "crash.soid", "--json"])
    error = json.loads(capsys.readouterr().out)["error"]
    assert f"{error['cause']}\n{error['remedy']}\n" == complaint


def test_the_language_speaks_of_every_word_of_scripts_and_every_command_of_the_prompt():
    words = {*WORDS, *COMMANDS}
    assert [word for word in sorted(words) if not re.search(rf"\b{word}\b", LANGUAGE + SCRIPTS)] == []


# --- JSON -----------------------------------------------------------------------------------------------------


def written(capsys, *arguments: str) -> dict[str, Any]:
    main([*arguments, "--json"])
    said: dict[str, Any] = json.loads(capsys.readouterr().out)
    return said


OVEN = ("--project", str(folder("microwave")))
SIGNALS = "world.agents[1].signal is anything"


@pytest.mark.parametrize(
    ("heading", "arguments"),
    [
        ("ask", ("ask", "might action == CANCEL if heat is anything", *OVEN)),
        ("ask", ("ask", "would action == CANCEL", *OVEN)),  # vacuous: without a witness
        ("explain", ("explain", "might action == CANCEL if heat is anything", *OVEN)),
        ("map", ("map", "--over", "heat is anything", *OVEN)),
        ("compare", ("compare", "did move", "--project", str(folder("crash") / "together"))),
        (
            "differ",
            ("differ", "standard", "impatient", "--over", SIGNALS, "--project", str(folder("crash") / "together")),
        ),
        ("abstraction", ("abstraction", "did action == CLOSE", "would action == CLOSE if heat is anything", *OVEN)),
        ("inspect", ("inspect", *OVEN)),
        ("log show", ("log", "show", *OVEN)),
        ("log check", ("log", "check", *OVEN)),
        ("compile", ("compile", str(folder("microwave") / "c"))),
        ("doctor", ("doctor",)),
    ],
)
def test_a_command_writes_what_its_table_says(heading, arguments, capsys, monkeypatch):
    """Its own fields; what is inside is compared type by type in tests/unit/test_json_schema.py."""
    monkeypatch.setattr(doctor_command, "started_version", lambda name: "1.0")  # starting them takes seconds
    assert misfits(written(capsys, *arguments), heading) == {}


def test_the_values_of_inspect(capsys):
    said = written(capsys, "inspect", "--step", "3", *OVEN)
    facts = {each["path"]: (each["fact"], each["fact_after"]) for each in said["variables"]}
    assert (facts["closed"], facts["started"], facts["action"]) == ((False, None), (True, True), (None, "CLOSE"))


def test_the_fields_of_an_error(capsys):
    said = written(capsys, "ask", "did acton == CANCEL", *OVEN)
    assert misfits(said, "errors") == misfits(said["error"], "error") == {}


def test_the_fields_of_scene(capsys):
    project = ("--project", str(folder("proper_response")))
    said = written(capsys, "scene", "--question", "might not guard.active' if road.distance is anything", *project)
    assert misfits(said, "scene") == misfits(said["scenario"], "scenario") == misfits(said["answer"], "ask") == {}
    assert [misfits(each, "actors") for each in (*said["actors"], *said["scenario"]["actors"])] == [{}] * 4
    assert [each.pop("mark") for each in said["scenario"]["differences"]]
    assert [misfits(each, "changed") for each in said["scenario"]["differences"]] == [{}]
    assert [misfits(each, "handles") for each in said["handles"]] == [{}]


def test_the_fields_of_demo(capsys):
    said = written(capsys, "demo", "microwave")
    assert misfits(said, "demo") == {}
    assert [misfits(each, "acts") for each in said["acts"]] == [{}]
    assert misfits(said["acts"][0]["answers"][0], "ask") == {}


def test_the_fields_of_a_case(tmp_path, capsys):
    file = str(tmp_path / "oven.case")
    opened = written(capsys, "case", "new", file, *OVEN)
    assert misfits(opened, "entries") == {}
    answer = written(capsys, "case", "ask", file, "might action == CANCEL if heat is anything")
    fact = answer.pop("fact")
    assert (answer.pop("entry"), len(answer.pop("hash"))) == (3, 64)
    assert misfits(answer, "ask") == misfits(fact, "fact") == {}
    case = written(capsys, "case", "show", file)
    assert misfits(case, "case") == {}
    assert [misfits(each, "entries") for each in case["entries"]] == [{}] * 3
    payloads = dict(re.findall(r"^\| `(\w+)` \| (.*) \|$", JSON[JSON.index("### payloads") :], re.M))
    for each in case["entries"][:2]:
        told = re.sub(r"\(.*?\)", "", payloads[each["kind"]])
        assert set(each["payload"]) == set(re.findall(r"`(\w+)`", told)) - {"called"}  # no file had another name
    verified = written(capsys, "case", "verify", file)
    assert set(verified) == {"holds", "entries", "head", "custody"}
    assert misfits(verified["custody"], "custody") == misfits(verified["custody"]["keys"][0], "keys") == {}
    assert misfits(written(capsys, "report", file), "report") == {}


def test_the_fields_of_run(capsys, tmp_path):
    file = tmp_path / "a.soid"
    file.write_text('action == CLOSE because not closed and heat\nconclude "done"\n')
    assert main(["run", str(file), *OVEN, "--json"]) == 0
    events = {event["event"]: event for event in map(json.loads, capsys.readouterr().out.splitlines())}
    assert events.keys() == {"asked", "cause", "concluded"}
    assert misfits(events["asked"], "run") == misfits(events["concluded"], "the end of a script") == {}
    assert misfits(events["cause"], "run").keys() == {"entry", "answer"}


def test_the_fields_of_fmt(capsys, tmp_path):
    (tmp_path / "a.soid").touch()
    assert misfits(written(capsys, "fmt", str(tmp_path / "a.soid")), "fmt") == {}
