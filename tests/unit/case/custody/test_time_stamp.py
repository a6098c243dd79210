"""Time stamps of a local authority: what is right is read, and what is wrong in any way is refused with its reason."""

from __future__ import annotations

import hashlib
import itertools
from contextlib import suppress
from datetime import UTC, datetime

import pytest
from cryptography.hazmat.primitives.serialization import Encoding
from hypothesis import given, settings
from hypothesis import strategies as st

from soid.case.custody.time_stamp import certificates_in, check, hash_in, nonce_in, request_for
from soid.errors import CaseError
from tests.unit.case.custody.authority import STAMPED, Authority

DATA = b"the head of a chain"
TIME = Authority()
ROOT = TIME.root.public_bytes(Encoding.DER)
RESPONSE = TIME.stamp(DATA, 7)
OTHER = Authority("Other Time")
OTHER_ROOT = OTHER.root.public_bytes(Encoding.DER)


def test_a_request_asks_for_the_hash_with_a_number_of_its_own():
    first, second = request_for(DATA), request_for(DATA)
    assert hashlib.sha256(DATA).digest() in first and nonce_in(first) is not None
    assert nonce_in(first) != nonce_in(second)
    with pytest.raises(CaseError, match="no request"):
        nonce_in(b"nonsense")


def test_a_response_is_read():
    nonce = nonce_in(request_for(DATA))
    response = TIME.stamp(DATA, nonce)
    assert hash_in(response) == hashlib.sha256(DATA).digest()
    for trusted in ([ROOT], [OTHER_ROOT, ROOT], [ROOT, ROOT]):
        said = check(DATA, response, nonce, trusted)
        assert (said.time, said.authority) == ("2030-01-02T12:00:00.000Z", "CN=Test Time")
        assert said.root == hashlib.sha256(ROOT).hexdigest() != said.certificate
    assert check(DATA, TIME.stamp(DATA, None), None, [ROOT]).authority == "CN=Test Time"


@pytest.mark.parametrize(
    ("response", "trusted", "words"),
    [
        (TIME.stamp(b"another", 7), [ROOT], "of another hash"),
        (TIME.stamp(DATA, 8), [ROOT], "does not repeat the random number"),
        (TIME.stamp(DATA, None), [ROOT], "does not repeat the random number"),
        (TIME.stamp(DATA, 7), [OTHER_ROOT], "leads to none of those that were named"),
        (TIME.stamp(DATA, 7), [], "no certificate of a root"),
        (TIME.stamp(DATA, 7, spoiled=True), [ROOT], "changed after it was signed"),
        (TIME.stamp(DATA, 7, at=datetime(2041, 1, 1, tzinfo=UTC)), [ROOT], "expired"),
        (TIME.stamp(DATA, 7, at=datetime(2019, 1, 1, tzinfo=UTC)), [ROOT], "not yet valid"),
        (TIME.stamp(DATA, 7, status=2), [ROOT], "refused"),
        (b"", [ROOT], "refused"),
        (b"nonsense", [ROOT], "refused"),
    ],
)
def test_what_is_wrong_is_refused_with_its_reason(response, trusted, words):
    with pytest.raises(CaseError, match=words):
        check(DATA, response, 7, trusted)


def test_a_certificate_for_other_purposes_stamps_nothing():
    other = Authority(may_stamp=False)
    with pytest.raises(CaseError, match="purpose"):
        check(DATA, other.stamp(DATA, 7), 7, [other.root.public_bytes(Encoding.DER)])


def test_a_certificate_beside_the_signers_gives_it_no_other_name():
    """The certificates in a token are not signed: anybody can put one in that claims to be the signer's."""
    longer = TIME.impostor("Royal Observatory, Department of Time, Greenwich")  # so it stands behind the real one
    with pytest.raises(CaseError, match="2 certificates claim to be the signer's"):
        check(DATA, TIME.stamp(DATA, 7, beside=(longer,)), 7, [ROOT])


@pytest.mark.parametrize("beside", list(itertools.permutations([TIME.root, OTHER.root, Authority("T").root])))
def test_the_certificates_of_a_response_may_come_in_any_order(beside):
    """DER wants them sorted, and openssl's authority, like others, sends them as they are."""
    assert check(DATA, TIME.stamp(DATA, 7, beside=beside), 7, [ROOT]).authority == "CN=Test Time"


@settings(max_examples=300)
@given(data=st.data())
def test_no_changed_response_says_another_time(data):
    """Any byte changed, any part cut: it is refused, or what was changed is not part of what it says."""
    at = data.draw(st.integers(0, 9_999)) * len(RESPONSE) // 10_000  # its length differs from run to run
    bits = data.draw(st.integers(0, 255))  # 0: cut there
    forged = RESPONSE[:at] + (bytes([RESPONSE[at] ^ bits]) + RESPONSE[at + 1 :] if bits else b"")
    try:
        said = check(DATA, forged, 7, [ROOT])
    except CaseError:
        return
    assert said.time == STAMPED.strftime("%Y-%m-%dT%H:%M:%S.000Z") and said.authority == "CN=Test Time"


@settings(max_examples=200)
@given(data=st.data())
def test_strange_certificates_are_refused(data):
    """Those that a case names are a stranger's: whatever is in them, the answer is a refusal or the same stamp."""
    at = data.draw(st.integers(0, 9_999)) * len(ROOT) // 10_000
    strange = ROOT[:at] + bytes([ROOT[at] ^ data.draw(st.integers(1, 255))]) + ROOT[at + 1 :]
    with suppress(CaseError):
        assert check(DATA, RESPONSE, 7, [strange]).time == "2030-01-02T12:00:00.000Z"


@given(response=st.binary(max_size=200))
def test_strange_bytes_are_refused(response):
    for read in (hash_in, nonce_in):
        with pytest.raises(CaseError):
            read(response)


def test_certificates_are_read_from_pem_files(tmp_path):
    file = TIME.write_root(tmp_path / "root.pem")
    file.write_bytes(file.read_bytes() + OTHER.write_root(tmp_path / "other.pem").read_bytes())
    assert certificates_in(file) == (ROOT, OTHER_ROOT)
    for text in ("", "nonsense"):
        file.write_text(text)
        with pytest.raises(CaseError, match="no certificates"):
            certificates_in(file)
    with pytest.raises(CaseError, match="cannot be read"):
        certificates_in(tmp_path / "nowhere.pem")
