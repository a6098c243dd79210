"""Where a log comes from: a noted hash or a signature is checked when it is recorded, and whenever one looks again."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import dsa, ec, ed25519, rsa
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from hypothesis import given, settings
from hypothesis import strategies as st

from soid.case.case import Case
from soid.case.custody.log_attestation import LogStatement, checked_logs, statement_of
from soid.case.record.entry import GENESIS, Entry, EntryKind
from soid.case.record.payload_shapes import misfit
from soid.case.record.record import Record
from soid.errors import CaseError, ChainError
from soid.examples import folder
from tests.unit.case.custody.counsel import MOMENT, put_into, written_anew

LOG = (folder("microwave") / "log.jsonl").read_bytes()
SHA = hashlib.sha256(LOG).hexdigest()
NAME = "microwave/log.jsonl"

ED, EC = ed25519.Ed25519PrivateKey.generate(), ec.generate_private_key(ec.SECP256R1())
RSA = rsa.generate_private_key(65537, 2048)
SIGNATURES: dict[str, Any] = {
    "Ed25519": (ED, ED.sign(LOG)),
    "ECDSA with SHA-256": (EC, EC.sign(LOG, ec.ECDSA(SHA256()))),
    "RSA PKCS #1 v1.5 with SHA-256": (RSA, RSA.sign(LOG, PKCS1v15(), SHA256())),
}


def pem(key) -> str:
    return key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()  # type: ignore[no-any-return]


def test_a_hash_that_was_noted_at_the_scene_is_recorded_and_checked(tmp_path):
    file = tmp_path / "oven.case"
    stated = LogStatement(sha256=f" {SHA.upper()} ", name="BLACKBOX.LOG")
    with Case.create(file, folder("microwave"), stated=stated, who="ada") as case:
        entry = case.entries[1]
        assert (entry.kind, entry.payload["sha256"], entry.payload["name"]) == (EntryKind.ATTESTED, SHA, "BLACKBOX.LOG")
        (log,) = case.custody().logs
        assert (log.log, log.name, log.sha256, log.key) == (NAME, "BLACKBOX.LOG", SHA, None)
        assert "its file was called BLACKBOX.LOG" in log.words and "that was noted" in log.words
        with pytest.raises(CaseError, match="stays so"):
            case.retract(2, "never mind")


def test_of_another_log_no_case_is_made(tmp_path):
    file = tmp_path / "oven.case"
    for stated in (
        LogStatement(sha256="0" * 64),
        LogStatement(sha256=SHA[:-1]),
        LogStatement(),
        LogStatement(signature=ED.sign(b"another"), key=pem(ED)),
        LogStatement(signature=ED.sign(LOG), key=pem(EC)),
        LogStatement(signature=ED.sign(LOG)),
        LogStatement(key=pem(ED)),
        LogStatement(signature=b"", key="no key"),
        LogStatement(log="nowhere.jsonl", sha256=SHA),
        LogStatement(sha256=SHA, signature=b"", key=pem(ED)),
    ):
        with pytest.raises(CaseError):
            Case.create(file, folder("microwave"), stated=stated, who="ada")
        assert not file.exists()


@pytest.mark.parametrize("algorithm", SIGNATURES)
def test_a_signature_that_came_with_the_log_is_recorded_and_checked(tmp_path, algorithm):
    key, signature = SIGNATURES[algorithm]
    with Case.create(tmp_path / "oven.case", folder("microwave"), who="ada") as case:
        entry = case.attest_log(LogStatement(signature=signature, key=pem(key)))
        assert entry.payload["algorithm"] == algorithm
        (log,) = case.custody().logs
        der = key.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
        assert log.key == hashlib.sha256(der).hexdigest() and log.key in log.words and algorithm in log.words
        with pytest.raises(CaseError, match="not one of the key"):
            case.attest_log(LogStatement(signature=signature[:-1] + bytes([signature[-1] ^ 1]), key=pem(key)))


def test_keys_of_other_kinds_are_refused(tmp_path):
    key = dsa.generate_private_key(1024)
    with Case.create(tmp_path / "oven.case", folder("microwave"), who="ada") as case, pytest.raises(CaseError):
        case.attest_log(LogStatement(signature=b"x", key=pem(key)))


def test_one_of_several_logs(tmp_path):
    """The name of a log from elsewhere is kept."""
    other = tmp_path / "Scene 7 (copy).jsonl"
    other.write_bytes(LOG.splitlines(keepends=True)[0])
    stated = LogStatement(log=other.name, sha256=hashlib.sha256(other.read_bytes()).hexdigest())
    with Case.create(tmp_path / "o.case", folder("microwave"), logs=[other], stated=stated, who="ada") as case:
        (log,) = case.custody().logs
        assert (log.log, log.name) == ("microwave/logs/Scene 7 (copy).jsonl", "Scene 7 (copy).jsonl")


def entries_with(payload) -> tuple[Entry, ...]:
    opened = Entry.make(1, EntryKind.OPENED, "ada", MOMENT, {"logs": [NAME]}, GENESIS)
    return opened, Entry.make(2, EntryKind.ATTESTED, "ada", MOMENT, payload, opened.hash)


GOOD = LogStatement(sha256=SHA, signature=SIGNATURES["Ed25519"][1], key=pem(ED)).payload(NAME, LOG)


@settings(max_examples=80)
@given(
    field=st.sampled_from(sorted(GOOD)),
    value=st.none() | st.integers() | st.text(max_size=9) | st.lists(st.integers(), max_size=2),
    gone=st.booleans(),
)
def test_a_statement_that_was_altered_is_refused_and_never_crashes(field, value, gone):
    payload = {name: each for name, each in GOOD.items() if name != field} | ({} if gone else {field: value})
    if misfit(2, EntryKind.ATTESTED, payload):
        return  # it is refused when it is read
    if not gone and (field == "name" or value == GOOD[field] or (field, value) == ("sha256", None)):
        assert checked_logs(entries_with(payload), {NAME: LOG}.__getitem__)
    else:
        with pytest.raises(CaseError, match="entry 2"):
            checked_logs(entries_with(payload), {NAME: LOG}.__getitem__)


def test_a_statement_about_another_log_than_the_case_holds_is_found(tmp_path):
    """The forger rewrites the whole chain: the statement and the log still have to agree."""
    file = tmp_path / "oven.case"
    with Case.create(file, folder("microwave"), stated=LogStatement(sha256=SHA), who="ada"):
        pass
    entries = Record(file).entries
    payload = {**entries[1].payload, "sha256": "0" * 64}
    forged = written_anew((entries[0], Entry.make(2, EntryKind.ATTESTED, "ada", MOMENT, payload, entries[0].hash)))
    put_into(file, forged)
    with Case.open(file, read_only=True) as case, pytest.raises(ChainError, match="entry 2: its SHA-256 is"):
        case.custody()


def test_options_are_read(tmp_path):
    (tmp_path / "s").write_bytes(b"sig")
    (tmp_path / "k").write_text(pem(ED))
    assert statement_of(None, None, None, None, None) is None
    found = statement_of("log", SHA, tmp_path / "s", tmp_path / "k", "x")
    assert found == LogStatement("log", SHA, b"sig", pem(ED), "x")
    with pytest.raises(CaseError, match="cannot be read"):
        statement_of(None, None, tmp_path / "nowhere", None, None)
    (tmp_path / "k").write_bytes(b"\xff")
    with pytest.raises(CaseError, match="no public key"):
        statement_of(None, None, None, tmp_path / "k", None)
