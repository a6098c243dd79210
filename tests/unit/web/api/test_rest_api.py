"""The API: everything that can be done, what it answers, and what it says to what cannot be done."""

import hashlib
import json
import os
import pickle
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from soid.case.case import Case, default_user
from soid.examples import folder
from tests.escape.project import flags_of, lay_out
from tests.escape.table import trick_named
from tests.escape.traces import Surroundings, now
from tests.escape.trick import Variant
from tests.half_settled import half_settled
from tests.json_page import TABLES, misfits
from tests.projects.clocked_oven import clocked_oven
from tests.unit.web.conftest import ENDLESS, QUICK
from tests.waiting import PATIENCE

PROGRAM = b"int helper(int a) { return a; }\nint decide(int speed, float gap) { return speed > 3 && gap < 0.5f; }\n"
OTHER = "world.agents[1]"
ZIPPED = b"PK\x03\x04\x14\0\0\0\x08\0" + bytes(range(256)) * 40
LOG = b"step,speed,gap,return\n0,1,0.25,0\n1,5,0.25,1\n"


def done(client: httpx.Client, answer: httpx.Response) -> dict[str, Any]:
    """A job's last word, as its events tell it."""
    assert answer.status_code == 202, answer.text
    *_, last = events(client, answer.json()["id"])
    return last


def events(client: httpx.Client, job: str) -> list[dict[str, Any]]:
    with client.stream("GET", f"/api/jobs/{job}/events", timeout=PATIENCE) as stream:
        assert stream.headers["content-type"].startswith("text/event-stream")
        return [json.loads(line.removeprefix("data: ")) for line in stream.iter_lines() if line.startswith("data: ")]


def test_a_log_comes_in_parts(client):
    whole = client.get("/api/cases/oven/steps")
    numbers = [step["step"] for step in whole.json()]
    assert len(numbers) > 4 and "link" not in whole.headers
    found, parts, url = [], 0, "/api/cases/oven/steps?limit=2&from=1"
    while url:
        part = client.get(url)
        found += [step["step"] for step in part.json()]
        assert len(part.json()) <= 2
        parts, url = parts + 1, part.links.get("next", {}).get("url")
    assert found == numbers[1:] and parts == -(-len(found) // 2)
    named = client.get("/api/cases/oven/steps", params={"from": 1, "to": 2, "limit": 2})
    assert [step["step"] for step in named.json()] == [1, 2] and "link" not in named.headers
    assert client.get("/api/cases/oven/steps", params={"from": 99}).json() == []
    held = client.get("/api/cases/oven/steps", params={"where": "heat and not closed", "limit": 1})
    wanted = [step for step in whole.json() if step["inputs"]["heat"] and not step["inputs"]["closed"]]
    assert held.json() == wanted[:1] and ("next" in held.links) is (len(wanted) > 1)
    assert client.get("/api/cases/oven/steps", params={"where": "heat >"}).status_code == 422
    assert {step["time"] for step in whole.json()} == {None}  # it has no clock


def test_a_case_tells_its_story_and_what_to_ask(client):
    story = client.get("/api/cases/oven/story").json()
    assert story["moment"] == "At step 3 it decided to close the door." and "oven" in story["happened"]
    assert client.get("/api/cases/oven/story", params={"step": "99"}).status_code in (404, 409, 422)
    first, *others = client.get("/api/cases/oven/questions", params={"step": "2"}).json()
    assert first["topic"] == "listed" and first["sentence"] == "Did it cancel?" and others
    asked = done(client, client.post("/api/cases/oven/questions", json={"question": first["question"], "step": 2}))
    again = client.get("/api/cases/oven/questions", params={"step": "2"}).json()[0]
    assert (again["entry"], again["verdict"]) == (asked["result"]["entry"], asked["result"]["answer"]["verdict"])


def test_a_script_is_run_and_followed_line_by_line(client):
    (held,) = client.get("/api/cases/oven/scripts").json()
    assert (held["name"], held["title"]) == ("oven.soid", "The microwave operator") and "family" in held["text"]
    answer = client.post("/api/cases/oven/scripts", json={"name": "oven.soid"})
    *_, last = events(client, answer.json()["id"])
    assert last["state"] == "done" and last["result"]["event"] == "concluded", last
    lines = held["text"].splitlines()
    asked = [each for each in last["events"] if each["event"] == "asked"]
    assert asked and all("action" in lines[each["line"] - 1] or "happened" in lines[each["line"] - 1] for each in asked)
    notes = [each for each in client.get("/api/cases/oven/entries").json() if each["kind"] == "note"]
    assert any(last["result"]["conclusion"] in each["payload"]["text"] for each in notes)


def test_a_script_may_be_sent_and_one_that_is_wrong_is_refused_at_once(client):
    sent = {"name": "mine", "text": 'did action == CLOSE\nconclude "so it is"\n'}
    assert done(client, client.post("/api/cases/oven/scripts", json=sent))["result"]["conclusion"] == "so it is"
    for given, why in (
        ({"name": "none.soid"}, "the case holds no script"),
        ({"name": "mine", "text": "wuold x"}, "mine, line 1"),
        ({"name": "a: b", "text": "did action == CLOSE"}, "is no name for a script"),
    ):
        refused = client.post("/api/cases/oven/scripts", json=given)
        assert refused.status_code in (409, 422) and why in refused.json()["cause"], refused.text


def test_a_step_has_the_decisions_that_follow_and_says_so(client, desk):
    file = desk.folder / "canal.case"
    Case.create(file, folder("drone"), who="ada").close()
    try:
        listed = client.get("/api/cases/canal/steps", params={"from": 236, "limit": 1}).json()[0]
        assert listed["decisions"] == {"return.mode": "MODE_HOVER"}
        assert listed["origins"] == {"bad_gps_ticks": "not logged", "low_battery_ticks": "not logged"}
        step = client.get("/api/cases/canal/steps/236").json()
        assert (step["decisions"]["return.mode"], step["decisions"]["return.alarm"]) == ("MODE_HOVER", True)
        assert step["decisions"]["bad_gps_ticks'"] == 12
        assert "return.mode" not in step["origins"] and set(step["origins"].values()) == {"derived"}
    finally:
        file.unlink()


def test_the_steps_of_a_log_with_a_clock_have_times(client, desk, tmp_path):
    file = desk.folder / "clocked.case"
    Case.create(file, clocked_oven(tmp_path), who="ada").close()
    try:
        wanted = {"seconds": 0.5, "logged": "7500", "unit": "ms"}
        assert client.get("/api/cases/clocked/steps", params={"from": 2}).json()[0]["time"] == wanted
        assert client.get("/api/cases/clocked/steps/2").json()["time"] == wanted
        overview = client.get("/api/cases/clocked/overview", params={"name": "action", "from": 1, "to": 3}).json()
        assert (overview["first_time"], overview["last_time"]) == (0.25, 0.75)
    finally:
        file.unlink()


def test_an_investigation_from_the_list_of_cases_to_the_report(client):
    assert {card["id"] for card in client.get("/api/cases").json()} >= {"oven", "nut"}
    case = client.get("/api/cases/oven").json()
    assert case["title"] == "The oven" and case["step"] == 3 and not case["scene"]
    assert {v["path"] for v in client.get("/api/cases/oven/interface").json()} >= {"heat", "action"}
    assert [step["step"] for step in client.get("/api/cases/oven/steps").json()][:2] == [0, 1]

    overview = client.get("/api/cases/oven/overview", params={"name": ["action", "heat"], "from": 1, "to": 3}).json()
    assert (overview["first"], overview["last"], overview["steps"]) == (1, 3, 3)
    assert [track["name"] for track in overview["tracks"]] == ["action", "heat"]

    named = client.post("/api/cases/oven/keyframes", json={"step": 3, "name": "the error"})
    assert named.status_code == 201
    assert client.get("/api/cases/oven/steps/the error").json()["inputs"]["error"] is True

    shown = client.post("/api/cases/oven/preview", json={"question": QUICK}).json()
    assert shown["text"] == QUICK and shown["sentence"].startswith("Might it ever cancel")
    before = client.get("/api/cases/oven/version").json()["version"]
    job = done(client, client.post("/api/cases/oven/questions", json={"question": QUICK, "step": "the error"}))
    assert (job["state"], job["result"]["answer"]["verdict"]) == ("done", "yes")
    number = job["result"]["entry"]
    assert client.get("/api/cases/oven/version").json()["version"] == before + 2

    answer = client.get(f"/api/cases/oven/answers/{number}").json()
    assert answer["who"] == default_user() and answer["counts"] and answer["answer"]["verdict"] == "yes"
    for drawn in (f"answers/{number}/picture", "picture"):  # the oven has no scene: its inputs are drawn as bars
        assert "in fact true" in client.get(f"/api/cases/oven/{drawn}").text
    explained = done(client, client.post(f"/api/cases/oven/answers/{number}/explanation", json={}))
    assert explained["result"]["mattered"] is not None
    wanted = {"kind": "explanation", "entry": number, "question": QUICK, "others": 3}
    studied = done(client, client.post("/api/cases/oven/studies", json={"wanted": wanted}))
    assert studied["result"]["statement"].startswith(
        "At step 3: “Might it ever cancel, whatever the heater had been?” Yes."
    )
    assert client.post("/api/cases/oven/studies", json={"wanted": {"kind": "guess"}}).status_code in (409, 422)
    shown = done(client, client.post("/api/cases/oven/abstraction"))["result"]
    assert QUICK in [each["question"] for each in shown["questions"]]
    assert shown["svg"].startswith("<svg") and "may go anywhere" in shown["svg"]
    assert (
        client.post("/api/cases/oven/notes", json={"entry": number, "text": "so the heater matters"}).status_code == 201
    )
    assert number in [fact["entry"] for fact in client.get("/api/cases/oven/facts").json()]

    report = done(client, client.post("/api/cases/oven/report"))
    page = client.get(f"/api/jobs/{report['id']}/file")
    assert page.status_code == 200 and "so the heater matters" in page.text
    assert "attachment" in page.headers["content-disposition"]

    assert client.post("/api/cases/oven/retractions", json={"entry": number, "why": "a slip"}).status_code == 201
    assert number not in [fact["entry"] for fact in client.get("/api/cases/oven/facts").json()]
    assert [entry["kind"] for entry in client.get(f"/api/cases/oven/entries?after={number}").json()] == [
        "studied",
        "note",
        "retracted",
    ]
    assert client.get(f"/api/cases/oven/entries/{number}").json()["number"] == number


def test_whether_it_was_why_is_asked_as_four_questions(client):
    asked = "action == CLOSE because closed == false"
    seen = client.post("/api/cases/oven/preview", json={"question": asked}).json()
    assert seen == {"text": asked, "sentence": "Did it close the door because the door switch was false?"}
    last = done(client, client.post("/api/cases/oven/questions", json={"question": asked}))
    assert (last["kind"], last["state"], last["question"]) == ("because", "done", asked)
    result = last["result"]
    assert misfits(result, "because") == {} and misfits(result["directions"][0], "directions") == {}
    assert [each["question"] for each in result["directions"]] == [
        "did closed == false",
        "did action == CLOSE",
        "would action == CLOSE if closed == false",
        "would action != CLOSE if closed != false",
    ]
    for each in result["directions"]:
        answer = client.get(f"/api/cases/oven/answers/{each['entry']}").json()["answer"]
        assert (answer["question"], answer["verdict"]) == (each["question"], each["verdict"])
    before = len(client.get("/api/cases/oven/entries").json())
    again = done(client, client.post("/api/cases/oven/questions", json={"question": asked}))
    assert again["result"] == result and len(client.get("/api/cases/oven/entries").json()) == before
    refused = client.post("/api/cases/oven/questions", json={"question": "action == CLOSE because heat is anything"})
    assert refused.status_code == 422 and "nothing here can be a cause" in refused.json()["cause"]


def test_causes_and_maps_are_asked_for_as_text(client):
    asked = "causes of action == CLOSE over closed is anything and error is anything"
    seen = client.post("/api/cases/oven/preview", json={"question": asked}).json()
    assert seen["text"] == asked and seen["sentence"].startswith("Did it close the door, and what caused it, among ")
    last = done(client, client.post("/api/cases/oven/questions", json={"question": asked}))
    assert (last["kind"], last["state"]) == ("study", "done")
    entry = client.get(f"/api/cases/oven/entries/{last['result']['entry']}").json()
    assert entry["kind"] == "studied" and entry["payload"]["wanted"]["kind"] == "causes"
    assert "Its actual cause is" in last["result"]["statement"]
    mapped = done(client, client.post("/api/cases/oven/questions", json={"question": "map closed is anything"}))
    assert mapped["state"] == "done" and mapped["result"]["statement"].startswith("Along the door switch")
    for wrong, status in (("causes of action == CLOSE over nobody is anything", 422), ("causes of action", 422)):
        assert client.post("/api/cases/oven/questions", json={"question": wrong}).status_code == status


@pytest.fixture
def drivers(desk):
    """Three drivers of the same car."""
    file = desk.folder / "drivers.case"
    Case.create(file, folder("crash") / "together", who="ada").close()
    yield "/api/cases/drivers"
    file.unlink()


def test_several_programs_are_asked_the_same(client, drivers):
    asked = {"questions": ["did move", f"would move if {OTHER}.signal is anything"]}
    last = done(client, client.post(f"{drivers}/programs/comparison", json=asked))
    found = last["result"]
    assert (last["kind"], found["programs"]) == ("programs", ["standard", "impatient", "pathological"])
    family = found["questions"][1]["answers"]
    assert {name: answer["verdict"] for name, answer in family.items()} == {
        "standard": "no",
        "impatient": "yes",
        "pathological": "yes",
    }
    for each, entries in zip(found["questions"], found["entries"], strict=True):
        for name, number in entries.items():
            answer = client.get(f"{drivers}/answers/{number}").json()["answer"]
            assert answer["question"] == each["answers"][name]["question"] and f"{name}.move" in answer["question"]
    wrongs: list[dict[str, Any]] = [{"questions": []}, {**asked, "programs": ["nobody"]}, {"questions": ["did mvoe"]}]
    for wrong in wrongs:
        assert client.post(f"{drivers}/programs/comparison", json=wrong).status_code == 422


def test_where_two_programs_part_is_asked(client, drivers):
    asked = {"one": "standard", "other": "impatient", "over": f"{OTHER}.signal is anything"}
    last = done(client, client.post(f"{drivers}/programs/difference", json=asked))
    found = last["result"]
    assert (last["kind"], found["in_fact"]["verdict"], found["elsewhere"]["verdict"]) == ("differ", "yes", "no")
    assert misfits({name: found[name] for name in TABLES["differ"].fields}, "differ") == {}
    assert (
        found["headline"] and len(found["sentences"]) == len(found["entries"]) == 2 and found["svg"].startswith("<svg")
    )
    answers = [client.get(f"{drivers}/answers/{number}").json()["answer"] for number in found["entries"]]
    assert [answer["question"] for answer in answers] == [found[name]["question"] for name in ("in_fact", "elsewhere")]
    refused = client.post("/api/cases/oven/programs/difference", json={**asked, "over": "heat is anything"})
    assert refused.status_code == 422 and "one program" in refused.json()["cause"]


def test_several_steps_and_pairs_are_asked_as_they_are_written(client):
    for asked in (
        "might action == CANCEL within 2 steps held if heat is anything",
        "would action be the same if heat differs, for every case with error",
    ):
        last = done(client, client.post("/api/cases/oven/questions", json={"question": asked}))
        assert last["state"] == "done" and last["result"]["answer"]["verdict"] in ("yes", "no"), last


def test_an_open_question_is_gone_on_with_and_its_progress_has_the_time_that_is_left(client, desk, tmp_path):
    file = desk.folder / "apart.case"
    half_settled(file, tmp_path)
    try:
        answer = client.get("/api/cases/apart/answers/3").json()
        offered = {each["kind"]: each for each in answer["answer"]["next_steps"]}
        assert answer["answer"]["resumable"] and "500.0 m/s" in client.get("/api/cases/apart/answers/3/picture").text
        resumed = client.post("/api/cases/apart/answers/5/resumption", json={"seconds": 0.5})
        assert (resumed.status_code, resumed.json()["kind"]) == (202, "resume")
        job = done(client, resumed)
        assert 0.0 <= job["progress"]["left"] <= 0.5
        entry = client.get(f"/api/cases/apart/entries/{job['result']['entry']}").json()
        assert entry["payload"]["resumes"] == 5 and entry["payload"]["answer"]["before"] > 0
        window = {"question": offered["settled_part"]["question"], "window": 9}
        narrow = done(client, client.post("/api/cases/apart/questions", json=window))["result"]
        assert narrow["answer"]["verdict"] == offered["settled_part"]["verdict"] == "no"
        asked = client.get(f"/api/cases/apart/entries/{narrow['entry'] - 1}").json()
        assert asked["payload"]["settings"]["window"] == 9
        refused = client.post(f"/api/cases/apart/answers/{narrow['entry']}/resumption", json={})
        assert refused.status_code == 409 and "still open" in refused.json()["cause"]
    finally:
        file.unlink()


def test_who_signed_what_and_where_a_log_comes_from(client):
    noted = hashlib.sha256((folder("microwave") / "log.jsonl").read_bytes()).hexdigest()
    given = {"sha256": noted, "name": "BLACKBOX.BIN"}
    entry = client.post("/api/cases/oven/attestations", json=given)
    assert entry.status_code == 201 and entry.json()["signature"] is not None
    assert client.post("/api/cases/oven/attestations", json={"sha256": "0" * 64}).status_code == 409
    for wrong in ({"signature": "abc"}, {"signature": "zz"}, {"sha256": 1}):
        assert client.post("/api/cases/oven/attestations", json=wrong).status_code == 422
    custody = client.get("/api/cases/oven/custody").json()
    assert misfits(custody, "custody") == {} and misfits(custody["keys"][0], "keys") == {}
    assert custody["unsigned"] == [] and misfits(custody["logs"][0], "logs") == {}
    assert (custody["logs"][0]["sha256"], custody["logs"][0]["name"]) == (noted, "BLACKBOX.BIN")
    assert client.get("/api/cases/oven").json()["attested"][0]["number"] == entry.json()["number"]


def test_a_job_is_followed_and_called_off(client):
    asked = client.post("/api/cases/nut/questions", json={"question": ENDLESS}).json()
    seen = []
    with client.stream("GET", f"/api/jobs/{asked['id']}/events", timeout=PATIENCE) as stream:
        for line in stream.iter_lines():
            if line.startswith("data: "):
                seen.append(json.loads(line.removeprefix("data: ")))
                if (seen[-1]["progress"] or {}).get("stage") in ("explore", "solve", "family"):
                    assert client.delete(f"/api/jobs/{asked['id']}").status_code == 202
    assert seen[-1]["state"] == "cancelled" and seen[-1]["error"]["remedy"]
    assert client.get(f"/api/jobs/{asked['id']}").json()["state"] == "cancelled"
    assert asked["id"] in [job["id"] for job in client.get("/api/jobs?case=nut").json()]
    assert client.get("/api/cases/nut").json()["unanswered"]


@pytest.mark.parametrize(
    ("method", "place", "body", "status"),
    [
        ("GET", "/api/cases/nobody", None, 404),
        ("GET", "/api/cases/..%2Foven", None, 404),
        ("GET", "/api/nothing", None, 404),
        ("PUT", "/api/cases", {}, 405),
        ("GET", "/api/cases/oven/steps/99", None, 404),
        ("GET", "/api/cases/oven/steps/-1", None, 404),
        ("GET", "/api/cases/oven/steps/" + "9" * 5000, None, 422),
        ("GET", "/api/cases/oven/picture?step=" + "9" * 5000, None, 422),
        ("POST", "/api/cases/oven/questions", {"question": QUICK, "step": "9" * 199}, 404),
        ("GET", "/api/cases/oven/steps?log=other", None, 409),
        ("GET", "/api/cases/oven/steps?limit=10001", None, 422),
        ("GET", "/api/cases/oven/steps?limit=0", None, 422),
        ("GET", "/api/cases/oven/steps?from=x", None, 422),
        ("GET", "/api/cases/oven/overview?name=nothing", None, 422),
        ("GET", "/api/cases/oven/overview?from=98&to=99", None, 404),
        ("GET", "/api/cases/oven/overview?cells=0", None, 422),
        ("GET", "/api/cases/oven/entries/0", None, 404),
        ("GET", "/api/cases/oven/entries/999", None, 404),
        ("GET", "/api/cases/oven/entries/x", None, 422),
        ("GET", "/api/cases/oven/answers/1", None, 404),
        ("GET", "/api/jobs/nobody", None, 404),
        ("GET", "/api/jobs/nobody/events", None, 404),
        ("GET", "/api/staging/nobody", None, 404),
        ("POST", "/api/cases/oven/preview", {"question": "might nobody"}, 422),
        ("POST", "/api/cases/oven/questions", {"question": "might nobody"}, 422),
        ("POST", "/api/cases/oven/questions", {"question": QUICK, "step": 99}, 404),
        ("POST", "/api/cases/oven/questions", {"question": QUICK, "step": True}, 422),
        ("POST", "/api/cases/oven/questions", {}, 422),
        ("POST", "/api/cases/oven/questions", {"question": QUICK, "window": 0}, 422),
        ("POST", "/api/cases/oven/answers/1/resumption", {}, 404),
        ("POST", "/api/cases/oven/answers/1/resumption", {"seconds": 0}, 422),
        ("POST", "/api/cases/oven/questions", {"question": QUICK, "more": 1}, 422),
        ("POST", "/api/cases/oven/questions", {"question": "x" * 100_000}, 422),
        ("POST", "/api/cases/oven/notes", {"entry": 999, "text": "x"}, 409),
        ("POST", "/api/cases/oven/notes", {"entry": 1, "text": " "}, 409),
        ("POST", "/api/cases/oven/retractions", {"entry": 1, "why": "x"}, 409),
        ("POST", "/api/cases/oven/keyframes", {"step": 3, "name": "7"}, 409),
        ("POST", "/api/cases/oven/map", {"over": "nobody is anything"}, 422),
        ("POST", "/api/cases/example", {"example": "nobody"}, 422),
        ("POST", "/api/crash", {"driver": "nobody"}, 422),
        ("POST", "/api/crash", {"driver": "standard", "changes": [{"step": 5, "car": 1, "wings": 2}]}, 422),
        ("POST", "/api/crash/course", {"driver": "standard", "changes": [{"step": 5, "car": 9, "speed": 0.1}]}, 422),
    ],
)
def test_what_cannot_be_done_is_said_with_cause_and_remedy(client, method, place, body, status):
    answer = client.request(method, place, json=body) if body is not None else client.request(method, place)
    assert answer.status_code == status, answer.text
    assert answer.json()["cause"] and answer.json()["remedy"]


def test_a_run_is_looked_at_step_by_step(client):
    changes = [{"step": 5, "car": 1, "signal": "LEFT"}, {"step": 9, "car": 1, "removed": True}]
    given = {"driver": "standard", "changes": changes, "moment": 7}
    course = client.post("/api/crash/course", json=given).json()
    assert course["steps"][5]["actors"][1]["signal"] == "LEFT" and course["steps"][9]["actors"][1] is None
    assert course["by_hand"] == {"5": ["B was made to signal a turn to the left"], "9": ["B was taken away"]}


def test_json_that_is_none_is_refused(client):
    for body in (b"{", b"\xff", b'{"question": "\\ud800"}', b"[1, 2]", b"NaN", b"[" * 100_000):
        answer = client.post("/api/cases/oven/questions", content=body, headers={"content-type": "application/json"})
        assert answer.status_code in (400, 422), body[:20]
        assert answer.json()["cause"]


def test_every_address_is_described(client):
    described = client.get("/api/openapi.json").json()
    assert described["servers"] == [{"url": "/api"}]
    assert set(described["paths"]) >= {"/cases", "/cases/{case_id}/questions", "/jobs/{job_id}/events"}
    for path in described["paths"].values():
        for operation in path.values():
            assert operation["summary"] and "404" in operation["responses"]


def test_the_docs_list_every_address_and_no_other(client):
    page = (Path(__file__).parents[4] / "docs" / "api.md").read_text()
    told = set(re.findall(r"^\| `([A-Z]+ /[^`]*)` \|", page, flags=re.M))
    paths = client.get("/api/openapi.json").json()["paths"]
    assert told == {f"{method.upper()} {path}" for path, operations in paths.items() for method in operations}


def test_the_docs_say_what_a_job_consists_of(client):
    job = client.post("/api/cases/oven/questions", json={"question": QUICK}).json()
    assert misfits(job, "job") == {}


# --- new cases


@pytest.fixture
def staged(client: httpx.Client) -> Iterator[Callable[..., str]]:
    """Puts files into an area of their own; a server has few areas, so those of a test end with it."""
    areas: list[str] = []

    def stage(**files: bytes) -> str:
        areas.append(client.post("/api/staging").json()["id"])
        for name, data in files.items():
            put = client.put(f"/api/staging/{areas[-1]}/files/{name.replace('__', '.')}", content=data)
            assert put.status_code == 200, put.text
        return areas[-1]

    yield stage
    for area in areas:
        client.delete(f"/api/staging/{area}")


def test_a_case_from_uploaded_files(client, staged):
    area = staged(decide__c=PROGRAM, log__csv=LOG)
    assert client.get(f"/api/staging/{area}").json()["sources"] == ["decide.c"]
    found = done(client, client.post(f"/api/staging/{area}/look", json={}))["result"]
    assert found["functions"] == ["decide", "helper"] and found["variables"] is None
    lines = {"entry": "decide", "variables": {"gap": {"unit": 'm"\n[program]'}}}
    refused = done(client, client.post(f"/api/staging/{area}/look", json=lines))
    assert refused["state"] == "failed" and "no short text of one line" in refused["error"]["cause"]
    said = {
        "entry": "decide",
        "variables": {"gap": {"unit": 'm" } [program] #', "domain": [0, 1], "label": "the gäp\\"}},
    }
    found = done(client, client.post(f"/api/staging/{area}/look", json=said))["result"]
    gap = next(v for v in found["variables"] if v["path"] == "gap")
    assert (gap["unit"], gap["label"], gap["domain"]) == ('m" } [program] #', "the gäp\\", "0.0 to 1.0")
    assert found["log"] == {"steps": 2, "first": 0, "last": 1} and found["log_problem"] is None
    said |= {"sources": ["decide.c"], "log": "log.csv", "name": "../My gap"}
    made = done(client, client.post(f"/api/staging/{area}/case", json=said))
    assert made["result"] == {"id": "My-gap"}
    (card,) = [each for each in client.get("/api/cases").json() if each["id"] == "My-gap"]
    assert card["program"] == "My-gap"
    asked = client.post("/api/cases/My-gap/questions", json={"question": "would return == 1 if gap in {0.0..0.25}"})
    assert done(client, asked)["result"]["answer"]["verdict"] == "yes"
    assert client.delete(f"/api/staging/{area}").status_code == 204
    assert client.get(f"/api/staging/{area}").status_code == 404


def test_a_case_from_an_uploaded_model(client, staged):
    """The program is one file; what `soid init` would propose comes with a first look, and is sent back."""
    model, log = ((folder("lending") / name).read_bytes() for name in ("lending.json", "applications.csv"))
    area = staged(lending__json=model, applications__csv=log)
    listed = client.get(f"/api/staging/{area}").json()
    assert (listed["sources"], listed["models"], listed["logs"]) == ([], ["lending.json"], ["applications.csv"])
    found = done(client, client.post(f"/api/staging/{area}/look", json={}))["result"]
    proposed = found["proposed"]
    guessed = "probability >= 0.5 guessed between 0.26511395 and 0.9057041"
    assert proposed["decisions"] == {"approve": guessed} and "6 of 6 rows" in proposed["notes"][0]
    assert proposed["notes"][1].startswith(f"Guessed: approve = {guessed}: all 6 rows")
    assert "approve" in found["log_problem"]["cause"]  # nothing is taken over without being said
    said = {key: proposed[key] for key in ("decisions", "columns", "ignore", "empty_is_missing", "variables")}
    found = done(client, client.post(f"/api/staging/{area}/look", json=said))["result"]
    assert found["log"] == {"steps": 6, "first": 0, "last": 5} and found["proposed"] is None
    made = done(client, client.post(f"/api/staging/{area}/case", json={**said, "name": "loan", "keyframe": 3}))
    assert made["result"] == {"id": "loan"}
    asked = client.post("/api/cases/loan/questions", json={"question": "might approve if income is anything"})
    assert done(client, asked)["result"]["answer"]["verdict"] == "yes"


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("model.pkl", b"\x80\x04.", "'model.pkl' is a pickle: loading it would run whatever it says"),
        ("model.joblib", b"", "'model.joblib' is a pickle"),
        ("notes.txt", b"what I saw", "notes.txt is no model that soid reads"),
        ("model.onnx", PROGRAM, "model.onnx is no model that soid reads"),
    ],
)
def test_what_is_no_model_is_refused(client, staged, name, content, told):
    area = staged()
    refused = client.put(f"/api/staging/{area}/files/{name}", content=content)
    assert refused.status_code == 422 and told in refused.json()["cause"] and refused.json()["remedy"]


def test_a_pickle_under_another_name_and_a_broken_model(client, staged):
    area = staged(model__skops=pickle.dumps({"weights": [1.0]}), log__csv=LOG)
    refused = done(client, client.post(f"/api/staging/{area}/look", json={}))
    assert refused["state"] == "failed" and "model.skops: a pickle or joblib file" in refused["error"]["cause"]
    client.put(f"/api/staging/{area}/files/other.json", content=b'{"learner": {"attributes": ')
    several = client.post(f"/api/staging/{area}/look", json={})
    assert several.status_code == 422 and "several models: model.skops, other.json" in several.json()["cause"]
    broken = done(client, client.post(f"/api/staging/{area}/look", json={"model": "other.json"}))
    assert broken["state"] == "failed" and "no proper XGBoost model" in broken["error"]["cause"]


def test_errors_of_compiler_and_log_name_their_places(client, staged):
    area = staged(decide__c=b"int decide(int a)\n{ return a +; }\n", log__csv=LOG)
    refused = done(client, client.post(f"/api/staging/{area}/look", json={"entry": "decide"}))
    assert refused["state"] == "failed" and refused["error"]["kind"] == "CompileError"
    assert {"file": "decide.c", "line": 2, "column": 13}.items() <= refused["error"]["places"][0].items()
    client.put(f"/api/staging/{area}/files/decide.c", content=PROGRAM)
    client.put(f"/api/staging/{area}/files/log.csv", content=LOG.replace(b"5,0.25", b"fast,0.25"))
    found = done(client, client.post(f"/api/staging/{area}/look", json={"entry": "decide"}))["result"]
    (place,) = found["log_problem"]["places"]
    assert (place["file"], place["line"], place["variable"]) == ("log.csv", 3, "speed")
    made = done(client, client.post(f"/api/staging/{area}/case", json={"entry": "decide", "name": "no"}))
    assert made["state"] == "failed" and made["error"]["places"] == [place]


@pytest.mark.parametrize(
    ("source", "told"),
    [
        (b'#include "/etc/passwd"\n', "in none of the folders"),
        (b'#include "../../../etc/passwd"\n', "in none of the folders"),
        (b'// /*\n#include "/etc/passwd"\n// */\n', "in none of the folders"),
        (b'char *s = "/*";\n#include "/etc/passwd"\nchar *t = "*/";\n', "in none of the folders"),
        (b'#include "log.csv"\n', "log.csv:1 includes /etc/passwd, which is in none of the folders"),
        (b"char a[] = {\n#embed </etc/passwd>\n};\n", "refused the program"),
        (b'__asm__(".include \\"/etc/passwd\\"");\n', "Could not find include file"),
    ],
)
def test_programs_that_reach_for_other_files_are_refused(client, staged, source, told):
    area = staged(decide__c=source + PROGRAM, log__csv=b'#include "/etc/passwd"\n')
    refused = done(client, client.post(f"/api/staging/{area}/look", json={"entry": "decide"}))
    assert refused["state"] == "failed" and told in refused["error"]["cause"]
    assert "root:" not in json.dumps(refused)


@pytest.mark.parametrize("variant", [Variant.PLAIN, Variant.TRAPPING, Variant.TWIN])
def test_code_that_would_run_before_the_jail_is_entered_leaves_no_trace(client, staged, variant, tmp_path):
    trick = trick_named("loader: pragma section data .preinit_array")
    around = Surroundings(tmp_path, os.geteuid(), os.getpid())
    try:
        files, since = lay_out(trick, variant, around), now()
        area = staged(p__c=files["p.c"], log__jsonl=files["log.jsonl"])
        said = {"entry": "decide", "flags": flags_of(trick, variant), "name": f"car {variant.value}"}
        told = [done(client, client.post(f"/api/staging/{area}/case", json=said))]
        for question in ("might return == 1 if x is anything", "might fails if x is anything"):  # runs either build
            asked = client.post(f"/api/cases/car-{variant.value}/questions", json={"question": question})
            told.append(done(client, asked))
        assert [each["state"] for each in told] == ["done"] * 3
        assert around.left(json.dumps(told).encode(), since) == set()
    finally:
        around.close()


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("decide__cpp", b"", "there is no program in decide.cpp: it is empty"),
    ],
)
def test_uploads_without_a_program_in_them_are_refused(client, staged, name, content, told):
    area = staged(**{name: content}, log__csv=LOG)
    refused = done(client, client.post(f"/api/staging/{area}/look", json={"entry": "decide"}))
    assert refused["state"] == "failed" and told in refused["error"]["cause"] and refused["error"]["remedy"]


def test_a_header_alone_is_no_program(client, staged):
    area = staged(decide__h=b"int decide(int a);\n", log__csv=LOG)
    refused = client.post(f"/api/staging/{area}/look", json={"entry": "decide"})
    assert refused.status_code == 422 and refused.json()["cause"] == "there is no program among the files"


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"\x7fELF\x02\x01\x01" + bytes(64), "machine code"),
        (ZIPPED, "a zip archive"),
        (ZIPPED.replace(b"\0", b"\1"), "a zip archive"),
        (PROGRAM + b"/*" + b" " * 9999 + b"*/" + ZIPPED, "bytes that no text has"),
        (PROGRAM.decode().encode("utf-16"), "bytes that no text has"),
    ],
)
@pytest.mark.parametrize("name", ["decide.c", "decide.hpp"])
def test_what_is_no_text_is_refused_before_it_is_compiled(client, name, content, told):
    area = client.post("/api/staging").json()["id"]
    refused = client.put(f"/api/staging/{area}/files/{name}", content=content)
    assert refused.status_code == 422 and told in refused.json()["cause"] and refused.json()["remedy"]
    assert client.get(f"/api/staging/{area}").json()["files"] == []


def test_comments_in_an_older_encoding_are_text(client, staged):
    area = staged(decide__c="/* Grüße aus Köln */\n".encode("latin-1") + PROGRAM, log__csv=LOG)
    assert done(client, client.post(f"/api/staging/{area}/look", json={"entry": "decide"}))["state"] == "done"


def test_thousands_of_diagnostics_are_bounded_and_nobody_waits_for_them(client, staged):
    """Each line is a warning: what is sent of them is bounded, and another request is answered meanwhile."""
    warned = PROGRAM + b"void f(int a) {\n" + b"a == 1;\n" * 2_000 + b"}\n"
    area = staged(decide__c=warned, log__csv=LOG)
    job = client.post(f"/api/staging/{area}/look", json={"entry": "decide"}).json()["id"]
    longest, state = 0.0, ""
    while state not in ("done", "failed"):
        asked = time.monotonic()
        client.get("/api/cases/oven/version")
        longest = max(longest, time.monotonic() - asked)
        seen = client.get(f"/api/jobs/{job}")
        state = seen.json()["state"]
    warnings = "".join(seen.json()["result"]["warnings"])
    assert warnings.count("warning:") < 100 and "more lines" in warnings and len(seen.content) < 50_000
    assert longest < 1.0


@pytest.mark.parametrize("said", [{"flags": ["-I/etc"]}, {"flags": ["-include/etc/passwd"]}, {"defines": ["A\n#B"]}])
def test_flags_that_reach_for_other_files_are_refused(client, staged, said):
    area = staged(decide__c=PROGRAM, log__csv=LOG)
    refused = done(client, client.post(f"/api/staging/{area}/look", json={"entry": "decide", **said}))
    assert refused["state"] == "failed" and refused["error"]["kind"] == "CompileError"


@pytest.mark.soak
def test_a_program_that_never_stops_compiling_is_stopped(client, staged):
    """Each line doubles what comes of the one before: the compiler would fill any memory."""
    doubling = b"".join(b"#define A%d A%d A%d\n" % (n + 1, n, n) for n in range(60))
    area = staged(decide__c=b"#define A0 1+\n" + doubling + b"int decide(int a) { return A60 a; }\n")
    refused = done(client, client.post(f"/api/staging/{area}/look", json={"entry": "decide"}))
    assert refused["state"] == "failed" and refused["error"]["remedy"]


def test_uploads_are_bounded_and_their_names_reduced(client):
    area = client.post("/api/staging").json()["id"]
    put = f"/api/staging/{area}/files"
    assert client.put(f"{put}/..%5C..%5Csoid.c", content=b"").json()["name"] == "soid.c"
    assert client.put(f"{put}/-rf%20a%09.h", content=b"").json()["name"] == "rf_a_.h"
    assert client.put(f"{put}/a%0A.h", content=b"").status_code == 404
    for name in ("decide.py", "a.rs", "A.java", "a.go", "a.o", "a.ii", "decide"):
        refused = client.put(f"{put}/{name}", content=b"")
        assert refused.status_code == 422 and ".cpp" in refused.text, refused.text
    for name in ("soid.toml", "run.sh", ".c", "...h", "a.c%00.txt", "log.bc", "m.pkl", "m.onnx", "a.txt"):
        refused = client.put(f"{put}/{name}", content=b"")
        assert refused.status_code == 422, name
    large = b" " * (8 << 20)
    assert client.put(f"{put}/a.csv", content=large + b" ").status_code == 413
    assert [client.put(f"{put}/{n}.csv", content=large).status_code for n in "abcd"] == [200, 200, 200, 413]
    assert client.delete(f"{put}/a.csv").status_code == 204
    assert client.put(f"{put}/d.csv", content=large).status_code == 200
    assert client.delete(f"{put}/nobody.c").status_code == 404
    assert client.post(f"/api/staging/{area}/look", json={"sources": ["/etc/passwd"]}).status_code == 404


def test_a_whole_log_is_compared_with_the_program(client):
    assert client.get("/api/cases/oven/comparisons").json() == []
    job = done(client, client.post("/api/cases/oven/comparisons", json={}))
    assert (job["kind"], job["state"], job["result"]["verdict"]) == ("compare", "done", "fits")
    (found,) = client.get("/api/cases/oven/comparisons").json()
    assert (found["entry"], found["who"]) == (job["result"]["entry"], default_user())
    assert found["told"][0] == "Log and program fit: a run of the program gives all that is logged."
    assert found["result"] == job["result"]["result"] and found["result"]["log"] == found["log"]
    assert client.post("/api/cases/oven/comparisons", json={"log": "no.csv"}).status_code == 409
