"""Cases renamed, archived and deleted by the API."""

from soid.case.case import Case
from soid.examples import folder
from tests.unit.web.api.test_rest_api import done
from tests.unit.web.conftest import ENDLESS, HARD, QUICK
from tests.waiting import until


def test_a_case_is_renamed_archived_brought_back_and_deleted_with_its_trace(client, desk):
    Case.create(desk.folder / "kept.case", folder("microwave"), title="Old", who="ada").close()
    assert client.post("/api/cases/kept/title", json={"title": "New"}).json()["kind"] == "renamed"
    assert client.get("/api/cases/kept").json()["title"] == "New"
    assert client.post("/api/cases/kept/archive", json={"why": "settled"}).status_code == 201
    card = next(each for each in client.get("/api/cases").json() if each["id"] == "kept")
    assert (card["title"], card["archived"]) == ("New", True)
    refused = client.post("/api/cases/kept/notes", json={"entry": 1, "text": "hm"})
    assert (refused.status_code, refused.json()["cause"]) == (409, "the case is archived: settled")
    asked = done(client, client.post("/api/cases/kept/questions", json={"question": QUICK}))
    assert asked["state"] == "failed" and "is archived" in asked["error"]["cause"]
    assert client.delete("/api/cases/kept/archive").json()["kind"] == "retracted"
    head = client.get("/api/cases/kept").json()["head"]
    assert client.delete("/api/cases/kept").status_code == 422
    assert client.delete("/api/cases/kept", params={"name": "Old"}).status_code == 409
    gone = client.delete("/api/cases/kept", params={"name": "New"}).json()
    assert gone["head"] == head and client.get("/api/deleted").json()[0] == gone
    assert client.get("/api/cases/kept").status_code == 404
    assert not (desk.folder / "kept.case").exists()


def test_what_is_under_way_ends_with_its_case(client, desk):
    Case.create(desk.folder / "doomed.case", HARD, who="ada").close()
    job = client.post("/api/cases/doomed/questions", json={"question": ENDLESS}).json()["id"]
    until(lambda: client.get(f"/api/jobs/{job}").json()["state"] == "running")
    until(lambda: client.get("/api/cases/doomed/version").json()["version"] > 1)
    name = client.get("/api/cases/doomed").json()["title"] or "doomed"
    assert client.delete("/api/cases/doomed", params={"name": name}).status_code == 200
    until(lambda: client.get(f"/api/jobs/{job}").json()["state"] == "cancelled")
    assert not (desk.folder / "doomed.case").exists()
