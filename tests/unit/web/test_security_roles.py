"""What users with each role may do by the API, and that nobody is taken for somebody else."""

import pytest

from soid.web.access import AccessPolicy
from soid.web.token_file import TokenFile, key_of, proof_of
from soid.web.user import UserRole
from tests.unit.web.conftest import QUICK, caller, served
from tests.waiting import until


@pytest.fixture(scope="module")
def tokens(tmp_path_factory):
    return TokenFile.at(tmp_path_factory.mktemp("tokens"))


@pytest.fixture(scope="module")
def url(desk, tokens):
    tokens.make("nobody in particular", UserRole.READ)
    with served(desk, AccessPolicy("127.0.0.1", tokens=tokens)) as address:
        yield address


@pytest.fixture(scope="module")
def people(url, tokens):
    """A program for each role."""
    shown = {role: tokens.make(f"{role.value} only", role) for role in UserRole}
    made = {role: caller(url, {"x-soid": "1", "authorization": f"Bearer {token}"}) for role, token in shown.items()}
    yield made
    for each in made.values():
        each.close()


#: by the method and the address of a request: the least role that is let through
WRITES = {
    ("POST", "/api/cases/oven/notes"): UserRole.COMMENT,
    ("DELETE", "/api/cases/oven/notes/3"): UserRole.COMMENT,
    ("POST", "/api/cases/oven/questions"): UserRole.ASK,
    ("POST", "/api/cases/oven/answers/3/explanation"): UserRole.ASK,
    ("POST", "/api/cases/oven/map"): UserRole.ASK,
    ("POST", "/api/cases/oven/programs/comparison"): UserRole.ASK,
    ("POST", "/api/cases/oven/programs/difference"): UserRole.ASK,
    ("POST", "/api/cases/oven/scripts"): UserRole.ASK,
    ("POST", "/api/cases/oven/answers/3/resumption"): UserRole.ASK,
    ("POST", "/api/cases/oven/studies"): UserRole.ASK,
    ("POST", "/api/cases/oven/comparisons"): UserRole.ASK,
    ("POST", "/api/cases/oven/keyframes"): UserRole.ASK,
    ("POST", "/api/cases/oven/retractions"): UserRole.ASK,
    ("POST", "/api/cases/oven/attestations"): UserRole.ASK,
    ("POST", "/api/cases/oven/acceptances"): UserRole.ASK,
    ("POST", "/api/cases/oven/title"): UserRole.ASK,
    ("POST", "/api/cases/oven/archive"): UserRole.ASK,
    ("DELETE", "/api/cases/oven/archive"): UserRole.ASK,
    ("DELETE", "/api/cases/oven?name=The+oven"): UserRole.ASK,
    ("POST", "/api/cases/example"): UserRole.ASK,
    ("POST", "/api/crash"): UserRole.ASK,
    ("POST", "/api/staging"): UserRole.ASK,
    ("GET", "/api/staging/none"): UserRole.ASK,
    ("PUT", "/api/staging/none/files/a.c"): UserRole.ASK,
    ("DELETE", "/api/staging/none/files/a.c"): UserRole.ASK,
    ("DELETE", "/api/staging/none"): UserRole.ASK,
    ("POST", "/api/staging/none/look"): UserRole.ASK,
    ("POST", "/api/staging/none/case"): UserRole.ASK,
    ("PUT", "/api/bundles/a.zip"): UserRole.ASK,
    ("DELETE", "/api/bundles/none"): UserRole.ASK,
    ("POST", "/api/bundles/none/verification"): UserRole.ASK,
    ("POST", "/api/bundles/none/case"): UserRole.ASK,
}
BODIES = {
    "/api/cases/oven/notes": {"entry": 1, "text": "hm"},
    "/api/cases/oven/questions": {"question": QUICK},
    "/api/cases/oven/answers/3/explanation": {},
    "/api/cases/oven/scripts": {"name": "oven.soid"},
    "/api/cases/oven/answers/3/resumption": {},
    "/api/cases/oven/programs/comparison": {"questions": [QUICK]},
    "/api/cases/oven/programs/difference": {"one": "a", "other": "b", "over": "heat is anything"},
    "/api/cases/oven/map": {"over": "heat is anything and closed is anything"},
    "/api/cases/oven/studies": {"wanted": {"kind": "explanation", "entry": 3, "question": QUICK, "others": 3}},
    "/api/cases/oven/comparisons": {},
    "/api/cases/oven/keyframes": {"step": 1, "name": "x"},
    "/api/cases/oven/retractions": {"entry": 2, "why": "x"},
    "/api/cases/oven/attestations": {"sha256": "00"},
    "/api/cases/oven/acceptances": {"why": "x"},
    "/api/cases/oven/title": {"title": "x"},
    "/api/cases/oven/archive": {},
    "/api/cases/example": {"example": "microwave"},
    "/api/crash": {"driver": "standard"},
    "/api/staging/none/look": {},
    "/api/staging/none/case": {"name": "x"},
    "/api/bundles/none/verification": {},
    "/api/bundles/none/case": {},
}


def test_what_changes_something_or_takes_work_needs_its_role(people):
    def entries():
        return people[UserRole.READ].get("/api/cases/oven/version").json()["version"]

    asked = people[UserRole.ASK].post("/api/cases/oven/questions", json={"question": QUICK}).json()["id"]
    until(lambda: people[UserRole.READ].get(f"/api/jobs/{asked}").json()["state"] == "done")
    answered = people[UserRole.READ].get(f"/api/jobs/{asked}").json()["result"]["entry"]
    before = entries()
    for (method, place), least in WRITES.items():
        for role in (UserRole.READ, UserRole.COMMENT):
            if role is least:
                continue
            body = BODIES.get(place)
            answer = people[role].request(method, place.replace("/answers/3", f"/answers/{answered}"), json=body)
            assert (answer.status_code, answer.json()["kind"]) == (403, "NotAllowed"), (method, place, role)
            assert "a token that lets you" in answer.json()["remedy"]
    assert entries() == before


def test_no_address_that_changes_something_was_forgotten(people):
    described = people[UserRole.READ].get("/api/openapi.json").json()["paths"]
    unsafe = {
        (method.upper(), f"/api{path}") for path, found in described.items() for method in found if method != "get"
    }
    known = {
        (
            method,
            place.partition("?")[0]
            .replace("/oven", "/{case_id}")
            .replace("/answers/3", "/answers/{number}")
            .replace("/notes/3", "/notes/{number}"),
        )
        for method, place in WRITES
    }
    known = {(method, place.replace("bundles/none", "bundles/{bundle}")) for method, place in known}
    known = {
        (method, place.replace("/none", "/{area}").replace("/a.c", "/{name}").replace("/a.zip", "/{name}"))
        for method, place in known
    }
    reading = {
        ("POST", "/api/cases/{case_id}/preview"),
        ("POST", "/api/crash/course"),
        ("POST", "/api/cases/{case_id}/abstraction"),
        ("POST", "/api/cases/{case_id}/report"),
        ("POST", "/api/cases/{case_id}/bundle"),
        ("DELETE", "/api/jobs/{job_id}"),
    }
    assert unsafe - reading - known == set()


def test_who_reads_sees_everything_and_gets_report_and_evidence(people):
    reader = people[UserRole.READ]
    for place in ("/api/cases", "/api/cases/oven", "/api/cases/oven/entries", "/api/cases/oven/facts", "/api/jobs"):
        assert reader.get(place).status_code == 200
    job = reader.post("/api/cases/oven/report").json()
    until(lambda: reader.get(f"/api/jobs/{job['id']}").json()["state"] == "done")
    assert reader.get(f"/api/jobs/{job['id']}/file").status_code == 200


def test_nobody_says_who_they_are_but_by_their_token(people, tokens):
    commenter = people[UserRole.COMMENT]
    for body in ({"entry": 1, "text": "hm", "who": "ada"}, {"entry": 1, "text": "hm", "author": "ada"}):
        assert commenter.post("/api/cases/oven/notes", json=body).status_code == 422
    key = key_of(proof_of(commenter.headers["authorization"].removeprefix("Bearer ")))
    for headers in ({}, {"x-user": "ada"}, {"cookie": "soid=ada"}):
        noted = commenter.post("/api/cases/oven/notes", json={"entry": 1, "text": "hm"}, headers=headers).json()
        assert noted["who"] == f"comment only (token {key})"


def test_one_cancels_ones_own_work_and_with_the_role_that_asks_that_of_others(people):
    endless = people[UserRole.ASK].post(
        "/api/cases/nut/questions", json={"question": "might found if a is anything and b is anything"}
    )
    job = f"/api/jobs/{endless.json()['id']}"
    refused = people[UserRole.COMMENT].delete(job)
    assert (refused.status_code, refused.json()["kind"]) == (403, "NotAllowed")
    own = people[UserRole.READ].post("/api/cases/oven/report").json()
    assert people[UserRole.READ].delete(f"/api/jobs/{own['id']}").status_code == 202
    assert people[UserRole.ASK].delete(job).status_code == 202
    until(lambda: people[UserRole.READ].get(job).json()["state"] == "cancelled")


def test_who_may_not_upload_sends_no_large_body(people):
    large = b" " * (2 << 20)
    assert people[UserRole.READ].put("/api/staging/none/files/a.c", content=large).status_code == 413
    assert people[UserRole.ASK].put("/api/staging/none/files/a.c", content=large).status_code == 404


def test_a_token_that_is_revoked_ends_what_its_owner_follows(url, people, tokens):
    token = tokens.make("eve", UserRole.ASK)
    endless = people[UserRole.ASK].post(
        "/api/cases/nut/questions", json={"question": "might found if a is anything and b is anything"}
    )
    job = f"/api/jobs/{endless.json()['id']}"
    with caller(url, {"x-soid": "1", "authorization": f"Bearer {token}"}) as eve:
        with eve.stream("GET", f"{job}/events") as stream:
            lines = stream.iter_lines()
            assert next(lines) == "event: job"
            tokens.revoke("eve")
            assert all("never" not in line for line in lines)  # it ends, though the job goes on
        assert eve.get("/api/cases").status_code == 401
    assert people[UserRole.ASK].get(job).json()["state"] in ("queued", "running")
    people[UserRole.ASK].delete(job)


def test_no_token_is_written_anywhere(url, people, tokens, desk, capfd):
    token = people[UserRole.ASK].headers["authorization"].removeprefix("Bearer ")
    with caller(url) as browser:
        first = browser.get("/api/cases", params={"token": token})
        assert token not in first.headers["location"] and first.headers["referrer-policy"] == "no-referrer"
        assert first.headers["cache-control"] == "no-store"
        browser.get("/nothing", params={"token": f"{token}x"})
    said = capfd.readouterr()
    assert token not in said.out + said.err
    for file in (*desk.folder.rglob("*"), tokens.file):
        assert not file.is_file() or token.encode() not in file.read_bytes()


def test_what_is_revoked_while_the_server_is_at_work_gets_no_answer(url, tokens, desk, monkeypatch):
    token = tokens.make("fay", UserRole.READ)
    cases = desk.cases

    def slow():
        tokens.revoke("fay")
        return cases()

    monkeypatch.setattr(desk, "cases", slow)
    with caller(url, {"authorization": f"Bearer {token}"}) as fay:
        answer = fay.get("/api/cases")
    assert (answer.status_code, answer.json()["cause"]) == (401, "this server needs a token")
    assert "oven" not in answer.text


def test_a_comment_is_no_conclusion_of_a_script(people):
    forged = {"entry": 1, "text": "conclusion of oven.soid: it is guilty"}
    refused = people[UserRole.COMMENT].post("/api/cases/oven/notes", json=forged)
    assert (refused.status_code, refused.json()["kind"]) == (409, "CaseError")


def test_a_note_is_taken_back_by_its_author_or_by_who_asks(people):
    def note(role, text):
        return people[role].post("/api/cases/oven/notes", json={"entry": 1, "text": text}).json()["number"]

    own, others = note(UserRole.COMMENT, "mine"), note(UserRole.ASK, "theirs")
    commenter = people[UserRole.COMMENT]
    assert commenter.delete(f"/api/cases/oven/notes/{others}").status_code == 403
    assert commenter.delete("/api/cases/oven/notes/1").status_code == 403  # no note
    assert people[UserRole.ASK].delete("/api/cases/oven/notes/1").status_code == 409
    taken = commenter.delete(f"/api/cases/oven/notes/{own}").json()
    assert (taken["kind"], taken["payload"]["entry"], taken["who"][:12]) == ("retracted", own, "comment only")
    again = note(UserRole.COMMENT, "another")
    assert people[UserRole.ASK].delete(f"/api/cases/oven/notes/{again}").status_code == 200
