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


#: by role, what is the least that lets a request through: the method, and the address as the API describes it
ROUTES = {
    UserRole.READ: """
        GET /cases
        GET /cases/{case_id}
        GET /cases/{case_id}/comparisons
        GET /cases/{case_id}/custody
        GET /cases/{case_id}/answers/{number}
        GET /cases/{case_id}/answers/{number}/picture
        GET /cases/{case_id}/entries
        GET /cases/{case_id}/entries/{number}
        GET /cases/{case_id}/facts
        GET /cases/{case_id}/interface
        GET /cases/{case_id}/overview
        GET /cases/{case_id}/picture
        GET /cases/{case_id}/questions
        GET /cases/{case_id}/scripts
        GET /cases/{case_id}/steps
        GET /cases/{case_id}/steps/{step}
        GET /cases/{case_id}/story
        GET /cases/{case_id}/version
        GET /crash
        GET /deleted
        GET /examples
        GET /jobs
        GET /jobs/{job_id}
        GET /jobs/{job_id}/events
        GET /jobs/{job_id}/file
        DELETE /jobs/{job_id}
        POST /cases/{case_id}/abstraction
        POST /cases/{case_id}/bundle
        POST /cases/{case_id}/preview
        POST /cases/{case_id}/report
        POST /crash/course
    """,
    UserRole.COMMENT: """
        POST /cases/{case_id}/notes
        DELETE /cases/{case_id}/notes/{number}
    """,
    UserRole.ASK: """
        POST /bundles/{bundle}/case
        POST /bundles/{bundle}/verification
        PUT /bundles/{name}
        DELETE /bundles/{bundle}
        DELETE /cases/{case_id}
        POST /cases/example
        POST /cases/{case_id}/acceptances
        POST /cases/{case_id}/answers/{number}/explanation
        POST /cases/{case_id}/answers/{number}/resumption
        POST /cases/{case_id}/archive
        DELETE /cases/{case_id}/archive
        POST /cases/{case_id}/attestations
        POST /cases/{case_id}/comparisons
        POST /cases/{case_id}/keyframes
        POST /cases/{case_id}/map
        POST /cases/{case_id}/programs/comparison
        POST /cases/{case_id}/programs/difference
        POST /cases/{case_id}/questions
        POST /cases/{case_id}/retractions
        POST /cases/{case_id}/scripts
        POST /cases/{case_id}/studies
        POST /cases/{case_id}/title
        POST /crash
        POST /staging
        GET /staging/{area}
        DELETE /staging/{area}
        POST /staging/{area}/case
        POST /staging/{area}/look
        PUT /staging/{area}/files/{name}
        DELETE /staging/{area}/files/{name}
    """,
}
LEAST = {
    (method, route): role
    for role, listed in ROUTES.items()
    for method, route in (line.split() for line in listed.strip().splitlines())
}
FILLED = {"case_id": "oven", "step": 1, "job_id": "none", "area": "none", "bundle": "none", "name": "a.zip"}
BODIES = {
    "/cases/{case_id}/notes": {"entry": 1, "text": "hm"},
    "/cases/{case_id}/preview": {"question": QUICK},
    "/cases/{case_id}/questions": {"question": QUICK},
    "/cases/{case_id}/scripts": {"name": "oven.soid"},
    "/cases/{case_id}/programs/comparison": {"questions": [QUICK]},
    "/cases/{case_id}/programs/difference": {"one": "a", "other": "b", "over": "heat is anything"},
    "/cases/{case_id}/map": {"over": "heat is anything and closed is anything"},
    "/cases/{case_id}/studies": {"wanted": {"kind": "explanation", "entry": 3, "question": QUICK, "others": 3}},
    "/cases/{case_id}/keyframes": {"step": 1, "name": "x"},
    "/cases/{case_id}/retractions": {"entry": 2, "why": "x"},
    "/cases/{case_id}/attestations": {"sha256": "00"},
    "/cases/{case_id}/acceptances": {"why": "x"},
    "/cases/{case_id}/title": {"title": "x"},
    "/cases/example": {"example": "microwave"},
    "/crash": {"driver": "standard"},
    "/crash/course": {"driver": "standard"},
    "/staging/{area}/case": {"name": "x"},
}


@pytest.fixture(scope="module")
def answered(people):
    """The number of an entry with an answer."""
    asked = people[UserRole.ASK].post("/api/cases/oven/questions", json={"question": QUICK}).json()["id"]
    until(lambda: people[UserRole.READ].get(f"/api/jobs/{asked}").json()["state"] == "done")
    return people[UserRole.READ].get(f"/api/jobs/{asked}").json()["result"]["entry"]


def send(client, method, route, number):
    """Send what the route would take, from somebody whom it takes."""
    query = "?name=The+oven" if (method, route) == ("DELETE", "/cases/{case_id}") else ""
    body = BODIES.get(route, {}) if method == "POST" else None
    return client.request(method, f"/api{route.format(**FILLED, number=number)}{query}", json=body)


def test_every_address_has_its_role(people):
    """One that is new is put where it belongs."""
    described = people[UserRole.READ].get("/api/openapi.json").json()["paths"]
    assert {(method.upper(), route) for route, found in described.items() for method in found} == set(LEAST)


def test_no_address_lets_anybody_in_whose_token_is_none_or_of_another_server(url, people, tokens, answered, tmp_path):
    revoked = tokens.make("fred", UserRole.ASK)
    tokens.revoke("fred")
    foreign = TokenFile.at(tmp_path).make("ada", UserRole.ASK)
    shown = (
        {},
        *({"authorization": f"Bearer {each}"} for each in (revoked, foreign)),
        *({"cookie": f"soid={each}"} for each in (foreign, proof_of(foreign), proof_of(revoked))),
    )
    for headers in shown:
        with caller(url, {"x-soid": "1", **headers}) as stranger:
            refused = {route: send(stranger, *route, answered).status_code for route in LEAST}
        assert {route: status for route, status in refused.items() if status != 401} == {}, headers


@pytest.mark.parametrize("role", list(UserRole)[:-1])
def test_an_address_lets_through_whose_token_is_enough_and_changes_nothing_for_others(people, role, answered):
    def record():
        return people[role].get("/api/cases/oven/version").json(), len(people[role].get("/api/cases").json())

    before, order = record(), list(UserRole)
    for (method, route), least in LEAST.items():
        if least is role is UserRole.COMMENT:
            continue  # other tests make notes, and take them back
        answer = send(people[role], method, route, answered)
        if order.index(least) <= order.index(role):
            assert answer.status_code not in (401, 403, 422), (method, route, answer.text)
        else:
            assert (answer.status_code, answer.json()["kind"]) == (403, "NotAllowed"), (method, route)
            assert "a token that lets you" in answer.json()["remedy"]
    assert record() == before


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
