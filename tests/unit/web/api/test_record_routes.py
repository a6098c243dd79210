"""The report by the API: as a page, and printed."""

import pytest

from soid.case.case import Case
from tests.browsing import MISSING, chromium
from tests.unit.web.api.test_rest_api import done


@pytest.mark.skipif(chromium() is None, reason=MISSING)
def test_the_report_is_printed_without_keeping_others_waiting(client):
    job = client.post("/api/cases/oven/report", params={"form": "pdf"})
    assert client.get("/api/cases/oven/version").status_code == 200
    ended = done(client, job)
    assert ended["state"] == "done", ended["error"]
    file = client.get(f"/api/jobs/{ended['id']}/file")
    assert file.headers["content-type"] == "application/pdf" and file.content.startswith(b"%PDF")
    assert 'filename="oven.pdf"' in file.headers["content-disposition"]
    assert client.post("/api/cases/oven/report", params={"form": "odt"}).status_code == 422


def test_uploaded_files_keep_their_names_in_the_record(client, desk):
    area = client.post("/api/staging").json()["id"]
    files = {
        "My%20program%20(final).c": b"int decide(int speed) { return speed > 3; }\n",
        "Log%20of%20Ms%20Moss.CSV": b"step,speed,return\n0,1,0\n1,5,1\n",
    }
    for name, data in files.items():
        put = client.put(f"/api/staging/{area}/files/{name}", content=data)
        assert put.status_code == 200, put.text
    assert put.json() == {"name": "Log_of_Ms_Moss.csv", "size": 30, "given": "Log of Ms Moss.CSV"}
    made = done(client, client.post(f"/api/staging/{area}/case", json={"entry": "decide", "name": "kept names"}))
    assert made["state"] == "done", made["error"]
    with Case.open(desk.folder / "kept-names.case", read_only=True) as case:
        assert case.entries[0].payload["called"] == {
            "kept-names/My_program_final_.c": "My program (final).c",
            "kept-names/Log_of_Ms_Moss.csv": "Log of Ms Moss.CSV",
        }
        assert case.called(case.logs[0]) == "Log of Ms Moss.CSV" and case.called("soid.toml") == "soid.toml"
        assert case.verify_chain()
    report = done(client, client.post("/api/cases/kept-names/report"))
    assert "which came as “Log of Ms Moss.CSV”" in client.get(f"/api/jobs/{report['id']}/file").text
