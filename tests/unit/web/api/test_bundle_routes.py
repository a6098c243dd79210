"""Bundles by the API: honest ones are verified and opened as cases, hostile ones are refused quickly and in short."""

import os
import struct
import time
import zipfile
from io import BytesIO

import pytest

from soid.case.case import Case
from soid.case.custody.ed25519 import new_key
from soid.evidence.archive import pack, unpack
from soid.evidence.bundle import bundle
from soid.examples import folder
from tests.unit.web.api.test_rest_api import done

KEY = new_key()


@pytest.fixture(scope="module")
def honest(tmp_path_factory):
    file = tmp_path_factory.mktemp("honest") / "oven.case"
    with Case.create(file, folder("microwave"), title="The oven", who="ada") as case:
        case.ask("might action == CANCEL if heat is anything")
    return bundle(file, key=KEY).data


def sent(client, name, data):
    return client.put(f"/api/bundles/{name}", content=data)


def verified(client, name, data, **said):
    bundle_id = sent(client, name, data).json()["id"]
    return bundle_id, done(client, client.post(f"/api/bundles/{bundle_id}/verification", json=said))


def test_a_bundle_is_verified_and_opened_as_a_case(client, honest, desk):
    bundle_id, job = verified(client, "their%20evidence.zip", honest, key=KEY.fingerprint)
    assert job["state"] == "done", job["error"]
    assert (job["result"]["bundle"], job["result"]["summary"]) == ("their evidence.zip", "1 fact: 1 re-proved")
    assert job["result"]["signed"] is True and job["result"]["facts"][0]["standing"] == "re-proved"
    page = client.get(f"/api/jobs/{job['id']}/file")
    assert "Verified: The oven" in page.text and "their evidence.zip" in page.text
    made = done(client, client.post(f"/api/bundles/{bundle_id}/case", json={"name": "theirs"}))
    assert made["result"] == {"id": "theirs"}
    entries = client.get("/api/cases/theirs/entries").json()
    assert entries[-1]["kind"] == "note" and "their evidence.zip" in entries[-1]["payload"]["text"]
    assert [entry["hash"] for entry in entries[:-1]][-1] == job["result"]["head"]
    assert client.delete(f"/api/bundles/{bundle_id}").status_code == 204
    assert client.post(f"/api/bundles/{bundle_id}/verification", json={}).status_code == 404


def test_a_verification_is_cancelled(client, honest):
    bundle_id = sent(client, "a.zip", honest).json()["id"]
    job = client.post(f"/api/bundles/{bundle_id}/verification", json={})
    assert client.delete(f"/api/jobs/{job.json()['id']}").status_code == 202
    ended = done(client, job)
    assert (ended["state"], ended["result"]) == ("cancelled", None)


def test_another_key_and_a_key_that_is_none_are_told(client, honest, tmp_path):
    bundle_id, job = verified(client, "a.zip", honest, key=new_key().fingerprint)
    assert job["state"] == "failed" and "is one of the key" in job["error"]["cause"]
    (tmp_path / "key.pem").write_text("-")
    for key in (str(tmp_path / "key.pem"), "x" * 64, ""):
        refused = client.post(f"/api/bundles/{bundle_id}/verification", json={"key": key})
        assert refused.status_code == 422 and "no fingerprint" in refused.json()["cause"]


def test_what_a_forged_fact_claims_is_refuted(client, honest):
    files = unpack(honest)
    proof = next(name for name in files if name.endswith(".smt2"))
    forged = pack({**files, proof: files[proof] + b"\n"})
    _, job = verified(client, "forged.zip", forged)
    assert job["state"] == "failed" and "its SHA-256 does not fit" in job["error"]["cause"]


def zipped(**files):
    out = BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name.replace("__", "/"), data)
    return out.getvalue()


def bomb():
    """A file that says it has four gigabytes."""
    data = bytearray(pack({"a": b"a"}))
    place = data.rindex(b"PK\x01\x02")
    data[place + 20 : place + 28] = struct.pack("<2L", 0xFFFFFF00, 0xFFFFFF00)
    return bytes(data)


def climbing():
    return pack({"aa/aa/etc": b"x"}).replace(b"aa/aa/etc", b"../../etc")


HOSTILE = {
    "zip": (zipped(a=bytes(1 << 20)), "as no bundle's file is"),
    "bomb": (bomb(), "a bomb"),
    "climbing": (climbing(), "climbs out of the bundle"),
    "empty": (pack({"a": b""}), "manifest.json is missing"),
    "random": (b"PK\x03\x04" + os.urandom(50 << 20), "this is no bundle"),
    "stored": (pack({"a": os.urandom(50 << 20)}), "manifest.json is missing"),
    "two": (pack({"manifest.json": b"{}"}) * 2, "does not lie where it says"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_bundles_are_refused_quickly_and_in_short(client, name):
    data, why = HOSTILE[name]
    began = time.monotonic()
    _, job = verified(client, f"{name}.zip", data)
    assert job["state"] == "failed" and why in job["error"]["cause"], job
    assert len(job["error"]["cause"]) < 300 and "/tmp" not in job["error"]["cause"]
    assert time.monotonic() - began < 30  # two seconds on a quiet machine


def test_what_is_cut_off_is_refused_wherever_it_was_cut(client, honest):
    for size in (4, 100, len(honest) // 2, len(honest) - 1):
        _, job = verified(client, "cut.zip", honest[:size])
        assert job["state"] == "failed" and "no bundle" in job["error"]["cause"]


def test_what_does_not_begin_as_one_is_refused_before_any_work(client):
    for data in (os.urandom(50 << 20), b"", b"PK"):
        refused = sent(client, "a.zip", data)
        assert refused.status_code == 422 and "no bundle" in refused.json()["cause"]
    assert sent(client, "a.zip", bytes((64 << 20) + 1)).status_code == 413
