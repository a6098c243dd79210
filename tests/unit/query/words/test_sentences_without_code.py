"""What a lay reader reads has no operator, no index and no path: in every example, and for any question."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest
from hypothesis import given
from msgspec.structs import replace

from soid import Project
from soid.case.facts import fact_of
from soid.examples import NAMES, folder
from soid.oracle.inquiry import Settings
from soid.program.interface import Interface
from soid.query.language.query_parser import parse
from soid.query.program_names import of_program
from soid.query.query import Query
from soid.query.words import sentence
from soid.scenario import expression as ex
from soid.scenario.expression import rebuilt
from soid.scenario.supposition import During
from tests.unit.query.queries import INTERFACE, queries

#: operators, calls, indices, paths, primes and marks of steps
CODE = re.compile(r"[<>=]|!|\w\(|\w\[|[a-z_]\w*\.[a-z_]|[a-z]_[a-z]|\w'(?!s )|@\d|&&|\|\||\*")
MANIFESTS = sorted(file for name in NAMES for file in folder(name).rglob("soid.toml"))
PATHS = [variable.path for variable in INTERFACE.variables]


def called(manifest: Path) -> str:
    return "/".join(manifest.parent.parts[manifest.parent.parts.index("examples") + 1 :])


def questions(manifest: Path, interface: Interface) -> Iterator[Query]:
    """Those that a manifest lists, and those that it puts to each of its programs."""
    listed = tomllib.loads(manifest.read_text(encoding="utf-8")).get("questions", {})
    yield from (parse(text, interface) for text in listed.get("ask", []))
    for text in listed.get("compare", []):
        yield from (of_program(parse(text), program, interface) for program in interface.programs)


@pytest.mark.parametrize("manifest", MANIFESTS, ids=called)
def test_the_questions_of_examples_have_no_code(manifest: Path) -> None:
    interface = Project.open(manifest).program.interface
    told = [sentence(query, interface) for query in questions(manifest, interface)]
    assert [text for text in told if CODE.search(text)] == []


@pytest.mark.parametrize("name", ["crash/together", "diabetes", "lending", "microwave", "proper_response"])
def test_the_facts_of_examples_have_no_code(name: str) -> None:
    project = Project.open(folder(name.partition("/")[0]) / name.partition("/")[2], settings=Settings(replay="off"))
    assert project.manifest is not None
    short = [text for text in project.manifest.questions if "steps" not in text]
    facts = [fact_of(project.ask(text), project.keyframe) for text in short]
    told = [fact["statement"] for fact in facts if fact is not None]
    assert len(told) > 1
    assert [text for text in told if CODE.search(text)] == []


def some_path(path: str) -> str:
    return PATHS[crc32(path.encode()) % len(PATHS)]


def plain(node: Any) -> Any:
    """The node about variables that there are, with texts that are words."""
    match node:
        case ex.Name(path, primed):
            return ex.Name(some_path(path), primed)
        case ex.FactOf(path, primed):
            return ex.FactOf(some_path(path), primed)
        case ex.Label() | ex.Literal(text="'\\''" | "'\\x1b'" | "'\"'" | "'A'"):
            return ex.Label("two words")
        case During(supposed, until=until):
            return replace(node, supposed=plain(supposed), until=None if until is None else plain(until))
        case _ if hasattr(node, "path"):
            return replace(node, path=some_path(node.path))
        case _:
            return rebuilt(node, plain)


@given(queries)
def test_no_question_has_code(query: Query) -> None:
    behavior, suppositions = plain(query.behavior), tuple(map(plain, query.suppositions))
    told = sentence(replace(query, behavior=behavior, suppositions=suppositions), INTERFACE)
    assert not CODE.search(told), told
