"""docs/json.md is compared with the types of the documents: each table has a type's fields, with their types."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest
from pydantic import BaseModel

import soid
from soid.assumptions import Assumption
from soid.bench.growth import Grown, GrowthDocument
from soid.bench.measurement import Measurement
from soid.bench.paper import PaperDocument
from soid.bench.paper_research import Research
from soid.bench.peers_ratios import Compared
from soid.bench.sweep_growth import SweptPoint
from soid.case.abstraction import AbstractionDocument, AbstractStateDocument, VisitedDocument
from soid.case.asked_line import DirectionDocument, WhyDocument
from soid.case.custody.anchor import CheckedAnchor
from soid.case.custody.custody import Custody
from soid.case.custody.log_attestation import CheckedLog
from soid.case.custody.signatures import UsedKey
from soid.case.inside_visit import InsideDocument
from soid.case.numbered_facts import NumberedFactDocument
from soid.case.program_comparison import ComparedDocument, ComparisonDocument, DifferenceDocument
from soid.case.record.entry import EntryDocument
from soid.case.script_documents import AskedDocument, OutcomeDocument, StudiedDocument
from soid.case.suggested_questions import SuggestedQuestion
from soid.case.told_story import ToldStory
from soid.cli.bench.bench_check import CheckBenchDocument
from soid.cli.bench.bench_engine import EngineBenchDocument
from soid.cli.bench.bench_growth import GrowthBenchDocument
from soid.cli.bench.bench_model_peers import ModelPeersBenchDocument
from soid.cli.bench.bench_paper import PaperBenchDocument
from soid.cli.bench.bench_peers import PeersBenchDocument
from soid.cli.bench.bench_sweep import SweepBenchDocument
from soid.cli.commands.doctor_command import Compiler, DoctorDocument, Jail, ModelLibrary, SolverHealth
from soid.cli.commands.helper_command import HelpersDocument, RunningHelper
from soid.cli.commands.inspect_command import InspectDocument
from soid.cli.commands.inspected_variable import InspectedVariableDocument
from soid.engine.trail import BranchDocument
from soid.engine.world.world_check import DeviationDocument, WorldCheckDocument
from soid.errors import ErrorDocument
from soid.evidence.checks import Check
from soid.evidence.verification_report import CheckedFact, CheckedStudy, Report
from soid.explanation.causes import ActualCauseDocument, CausesDocument
from soid.explanation.counterfactuals import CounterfactualDocument, MatteredDocument
from soid.explanation.divergence import PartingDocument
from soid.explanation.explainer import ExplanationDocument
from soid.explanation.flips import FlipDocument
from soid.explanation.hindrances import HindranceDocument
from soid.explanation.proof_needs import ProofDocument
from soid.mapping.decision_map import AxisDocument, MapDocument, RegionDocument
from soid.oracle.answer import AnswerDocument, FreedDocument
from soid.oracle.likely_cause import LikelyCause
from soid.oracle.next_step import NextStep
from soid.oracle.precomputation import CompiledDocument
from soid.oracle.settled_share import SettledDocument
from soid.oracle.whole_log import LogComparison, UnloggedValue
from soid.proposal.proposal_document import InitDocument, MatchedColumnDocument
from soid.scenario.log_document import CellDocument, LogOverviewDocument, TrackDocument
from soid.sweep.changed_inputs import ChangedInput
from soid.sweep.sweep import SweepDocument, TalliedQuestion
from soid.sweep.sweep_row import SweepRow
from soid.sweep.verdict_timeline import OutstandingMoment
from soid.web.api.models import JobView
from soid.witness.witness import ChangeDocument, WitnessDocument
from tests.json_page import TABLES

#: the tables of the page, by their headings
TYPES: Final[dict[str, type]] = {
    "ask": AnswerDocument,
    "witness": WitnessDocument,
    "settled": SettledDocument,
    "next_steps": NextStep,
    "changed": ChangeDocument,
    "freed": FreedDocument,
    "relies_on": Assumption,
    "error": ErrorDocument,
    "explain": ExplanationDocument,
    "hindrance": HindranceDocument,
    "world check": WorldCheckDocument,
    "deviation": DeviationDocument,
    "actual causes": CausesDocument,
    "a cause": ActualCauseDocument,
    "because": WhyDocument,
    "directions": DirectionDocument,
    "mattered": MatteredDocument,
    "sets": CounterfactualDocument,
    "flips": FlipDocument,
    "parting": PartingDocument,
    "branch": BranchDocument,
    "proof": ProofDocument,
    "compile": CompiledDocument,
    "map": MapDocument,
    "axes": AxisDocument,
    "regions": RegionDocument,
    "compare": ComparisonDocument,
    "compared": ComparedDocument,
    "differ": DifferenceDocument,
    "abstraction": AbstractionDocument,
    "visited": VisitedDocument,
    "inside": InsideDocument,
    "states": AbstractStateDocument,
    "init": InitDocument,
    "columns": MatchedColumnDocument,
    "inspect": InspectDocument,
    "variables": InspectedVariableDocument,
    "log show": LogOverviewDocument,
    "log check": LogComparison,
    "decisions": UnloggedValue,
    "causes": LikelyCause,
    "tracks": TrackDocument,
    "cells": CellDocument,
    "story": ToldStory,
    "suggested questions": SuggestedQuestion,
    "numbered facts": NumberedFactDocument,
    "entries": EntryDocument,
    "custody": Custody,
    "keys": UsedKey,
    "anchors": CheckedAnchor,
    "logs": CheckedLog,
    "run": AskedDocument,
    "a study of a script": StudiedDocument,
    "the end of a script": OutcomeDocument,
    "sweep": SweepRow,
    "the end of a sweep": SweepDocument,
    "a question of a sweep": TalliedQuestion,
    "a changed input of a sweep": ChangedInput,
    "a moment that stands out": OutstandingMoment,
    "job": JobView,
    "verify": Report,
    "facts": CheckedFact,
    "studies": CheckedStudy,
    "checks": Check,
    "bench engine": EngineBenchDocument,
    "figures": Measurement,
    "bench growth": GrowthBenchDocument,
    "series": GrowthDocument,
    "points": Grown,
    "bench sweep": SweepBenchDocument,
    "points of sweeps": SweptPoint,
    "bench check": CheckBenchDocument,
    "bench peers": PeersBenchDocument,
    "summary": Compared,
    "bench peers --models": ModelPeersBenchDocument,
    "bench paper": PaperBenchDocument,
    "rows": PaperDocument,
    "research": Research,
    "helper status": HelpersDocument,
    "running": RunningHelper,
    "doctor": DoctorDocument,
    "solvers": SolverHealth,
    "compilers": Compiler,
    "libraries": ModelLibrary,
    "jail": Jail,
}

#: what a command knows besides the document, and writes with it
ADDED: Final = {
    "compile": {"program": "text"},
    "explain": {"entry": "number or null"},
    "log show": {
        "program": "text",
        "log": "text",
        "step": "number or null",
        "svg": "text or null",
        "warnings": "list of texts",
    },
    "log check": {"program": "text", "verdict": "text", "entry": "number or null"},
    "map": {"svg": "text or null"},
    "differ": {"svg": "text or null"},
    "sweep": {"event": "text"},
    "verify": {"summary": "text"},
}

_RUN: Final = "one command makes it, in one place; tests/e2e/ compares the types with a run"
#: tables without a type
WITHOUT_TYPE: Final = {
    **dict.fromkeys(["errors", "scene", "actors", "scenario", "handles", "demo", "acts"], _RUN),
    **dict.fromkeys(["case", "docs", "report", "fmt", "bundle", "serve", "token new", "token list"], _RUN),
    "fact": "it is part of the record, whose hashes are over this very JSON; tests/e2e/ compares it with a run",
}

#: document types that the page does not show
WITHOUT_TABLE: Final = {
    "Document": "the base of the others",
    "VariableDocument": "`InspectedVariableDocument`, `variables` on the page, adds the factual values to it",
    "CauseDocument": "`AskedDocument`, `run` on the page, adds entry and answer to it",
    "CoverDocument": "a file of a bundle, read by `soid verify` alone",
    "CoverVariable": "part of that file",
}

#: what the page calls by a shorter name
SHORT: Final = {"list of lists of lists of values": "list of boxes", "list of lists of two numbers": "list of pairs"}


def schemas() -> tuple[dict[str, Any], dict[str, Any]]:
    """The JSON Schema of each table's type, and of all types that it uses, by name."""
    structs = {heading: kind for heading, kind in TYPES.items() if not issubclass(kind, BaseModel)}
    _, parts = msgspec.json.schema_components(structs.values())
    found = {heading: parts[kind.__name__] for heading, kind in structs.items()}
    for heading, kind in TYPES.items():
        if issubclass(kind, BaseModel):
            found[heading] = kind.model_json_schema()
            parts |= {**found[heading]["$defs"], kind.__name__: found[heading]}
    return found, parts


SCHEMAS, PARTS = schemas()


def resolved(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    found: Mapping[str, Any] = PARTS[schema["$ref"].rpartition("/")[2]] if "$ref" in schema else schema
    return found


def words(schema: Mapping[str, Any]) -> str:
    """A type in the page's words."""
    schema = resolved(schema)
    if "anyOf" in schema:
        kinds = [words(each) for each in schema["anyOf"]]
        present = set(kinds) - {"null"}
        one = "value" if present == {"bool", "number", "text"} else " or ".join(present)
        return f"{one} or null" if "null" in kinds else one
    if "enum" in schema:
        return "text"
    if schema["type"] == "array":
        (item,) = {words(each) for each in schema.get("prefixItems", [schema["items"]])}
        return f"list of {'two ' if 'prefixItems' in schema else ''}{_plural(item)}"
    plain = {"string": "text", "integer": "number", "boolean": "bool"}
    return plain.get(schema["type"], str(schema["type"]))


def _plural(name: str) -> str:
    """
    >>> _plural("text"), _plural("list of numbers"), _plural("object or null")
    ('texts', 'lists of numbers', 'objects or nulls')
    """
    return f"lists {name.removeprefix('list ')}" if name.startswith("list ") else f"{name.replace(' or ', 's or ')}s"


@pytest.mark.parametrize("heading", TYPES)
def test_a_table_has_the_fields_and_the_types_of_its_document(heading: str) -> None:
    found = {name: words(schema) for name, schema in SCHEMAS[heading]["properties"].items()}
    expected = {name: SHORT.get(kind, kind) for name, kind in found.items()} | ADDED.get(heading, {})
    assert TABLES[heading].fields == expected


def test_each_table_has_a_type_or_a_reason() -> None:
    assert TABLES.keys() == TYPES.keys() | WITHOUT_TYPE.keys()
    assert not TYPES.keys() & WITHOUT_TYPE.keys()


def used(schema: Any) -> Iterator[str]:
    """The objects that a schema uses directly, by the names of their types."""
    for name in re.findall(r"'#/\$defs/(\w+)'", str(schema)):
        if "properties" in PARTS[name]:
            yield name


NAMES: Final = {kind.__name__: heading for heading, kind in TYPES.items()}


@pytest.mark.parametrize("heading", TYPES)
def test_an_object_without_a_table_is_described_where_it_is_used(heading: str) -> None:
    waiting, seen = list(used(SCHEMAS[heading]["properties"])), set()
    while waiting:
        name = waiting.pop()
        if name not in NAMES and name not in seen:
            seen.add(name)
            fields = PARTS[name]["properties"]
            others = [table.fields.keys() for table in TABLES.values() if table.fields.keys() < fields.keys()]
            assert any(fields.keys() <= TABLES[heading].named | other for other in [set(), *others]), name
            waiting += used(fields)


def test_each_document_type_is_on_the_page_or_has_a_reason() -> None:
    package = Path(soid.__file__).parent
    classes = (node for file in package.rglob("*.py") for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))))
    documents = {node.name for node in classes if isinstance(node, ast.ClassDef) and node.name.endswith("Document")}
    assert len(documents) > 30
    assert documents - PARTS.keys() - WITHOUT_TABLE.keys() == set()
