"""Keys and signatures: what fits, what does not, and keys that are none."""

from __future__ import annotations

import pytest
from cryptography.hazmat.primitives.asymmetric import ed25519 as reference
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from hypothesis import given
from hypothesis import strategies as st

from soid.case.custody.ed25519 import fingerprint, fits, is_public_key, new_key, public_key, public_pem
from soid.errors import BundleError, CaseError

KEY, OTHER = new_key(), new_key()

#: of the neutral element, of the points of order 2, 4 and 8, in all their forms
WEAK = [
    *(point + sign for point in ("00" * 31, "01" + "00" * 30) for sign in ("00", "80")),
    *(low + "ff" * 30 + sign for low in ("ec", "ed", "ee") for sign in ("7f", "ff")),
    *("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc" + sign for sign in ("05", "85")),
    *("c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03" + sign for sign in ("7a", "fa")),
]


@given(message=st.binary(max_size=40), other=st.binary(max_size=40))
def test_a_signature_fits_its_key_and_its_message_alone(message, other):
    signature = KEY.sign(message)
    assert fits(KEY.public, signature, message)
    assert fits(KEY.public, signature, other) == (message == other)
    assert not fits(OTHER.public, signature, message)


@given(text=st.text(max_size=130))
def test_what_is_no_signature_fits_nothing(text):
    assert not fits(KEY.public, text, b"x") and not fits(text, KEY.sign(b"x"), b"x")


@pytest.mark.parametrize("point", WEAK)
def test_a_key_that_anybody_can_sign_with_is_none(point, tmp_path):
    """For such a key, signatures can be made that fit without any secret; this one often does."""
    anybodys = f"01{'00' * 31}{'00' * 32}"
    assert not is_public_key(point)
    assert not any(fits(point, anybodys, bytes([sign])) for sign in range(64))
    file = tmp_path / "weak.pem"
    file.write_text(public_pem(point))
    with pytest.raises(CaseError):
        public_key(file)


def test_without_that_rule_it_would_fit():
    """The reason for the rule: the library that checks signatures takes such a key."""
    neutral = bytes.fromhex("01" + "00" * 31)
    reference.Ed25519PublicKey.from_public_bytes(neutral).verify(neutral + bytes(32), b"whatever")


def test_public_keys_are_read_from_pem_files(tmp_path):
    file = tmp_path / "key.pem"
    file.write_text(public_pem(KEY.public))
    assert public_key(file) == KEY.public and fingerprint(KEY.public) == KEY.fingerprint
    ec = generate_private_key(SECP256R1()).public_key()
    for data in (KEY.pem(None), b"", ec.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)):
        file.write_bytes(data)
        with pytest.raises(BundleError):
            public_key(file, error=BundleError)
