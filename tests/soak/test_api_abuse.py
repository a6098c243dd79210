"""Requests that nobody would think of, made from the API's own description, for ten minutes: no answer is a bug's."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.soak.serving import CASES, QUESTIONS, keep, seconds, serving

#: no bug's answer, and every answer is as the description says
CHECKS = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_schema_conformance",
)
PROGRAM = b"int decide(int speed, float gap) { return speed > 3 && gap < 0.5f; }\n"
LOG = b"step,speed,gap,return\n0,1,0.25,0\n1,5,0.25,1\n"


@pytest.mark.soak
@pytest.mark.timeout(0)
def test_no_request_meets_a_bug(tmp_path):
    schemathesis = shutil.which("schemathesis", path=str(Path(sys.executable).parent)) or shutil.which("schemathesis")
    assert schemathesis is not None, "pip install 'soid[soak]', as `make soak` does"
    cases = tmp_path / "cases"
    cases.mkdir()
    with serving(cases, "--seconds", "2") as url:
        description = tmp_path / "openapi.json"
        description.write_text(json.dumps(described(url)))
        ran = subprocess.run(
            [
                *(schemathesis, "run", str(description), "--url", f"{url}api"),
                *("--header", "x-soid: 1", "--checks", ",".join(CHECKS), "--phases", "coverage,fuzzing"),
                *("--max-time", str(int(seconds(600))), "--request-timeout", "60"),
                *("--exclude-path-regex", "/events$", "--suppress-health-check", "all"),
                *("--continue-on-failure", "--no-color", "--warnings", "off"),
            ],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        keep("api.txt", ran.stdout)
        said = (cases / "server.log").read_text()
        assert "Traceback" not in said, said[-3000:]
        assert ran.returncode == 0, ran.stdout[-5000:]
        assert httpx.get(f"{url}api/cases").status_code == 200


def described(url: str) -> dict[str, Any]:
    """The API's description, with things that are there where it asks for ids: else nearly all would be 404."""
    with httpx.Client(base_url=url, headers={"x-soid": "1"}, timeout=60) as client:
        description: dict[str, Any] = client.get("/api/openapi.json").json()
        area = client.post("/api/staging").json()["id"]
        client.put(f"/api/staging/{area}/files/decide.c", content=PROGRAM)
        client.put(f"/api/staging/{area}/files/log.csv", content=LOG)
        question = QUESTIONS["oven"][0]
        job = client.post("/api/cases/oven/questions", json={"question": question}).json()["id"]
        report = client.post("/api/cases/oven/report").json()["id"]
    real = {
        "case_id": list(CASES),
        "area": [area],
        "job_id": [job, report],
        "number": [1, 2, 3],
        "step": ["0", "3", "11"],
        "name": ["decide.c", "log.csv"],
    }
    del description["paths"]["/staging/{area}"]["delete"]  # the files would be gone after the first
    for path in description["paths"].values():
        for operation in path.values():
            for parameter in operation.get("parameters", []):
                if parameter["in"] == "path":
                    parameter["schema"] = {"enum": real[parameter["name"]]}
    questions = [each for several in QUESTIONS.values() for each in several]
    schemas = description["components"]["schemas"]
    for name in ("Question", "Draft"):
        schemas[name]["properties"]["question"] = {"anyOf": [{"enum": questions}, {"type": "string"}]}
    schemas["MapDraft"]["properties"]["over"] = {
        "anyOf": [{"enum": ["heat is anything", "world.agents[1].signal is anything"]}, {"type": "string"}]
    }
    return description
