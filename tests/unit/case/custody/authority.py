"""A time-stamping authority for tests (RFC 3161): it answers requests with signed tokens, and can be told to lie.

The tokens are written in DER by hand: the tests need no network, no openssl, and no second package that reads them.
"""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

#: when the authority's clock stands still, unless a test says otherwise
STAMPED = datetime(2030, 1, 2, 12, 0, 0, tzinfo=UTC)

_SHA256 = "2.16.840.1.101.3.4.2.1"
_ECDSA = "1.2.840.10045.4.3.2"


def _tlv(tag: int, *parts: bytes) -> bytes:
    content = b"".join(parts)
    if len(content) < 0x80:
        return bytes([tag, len(content)]) + content
    length = len(content).to_bytes((len(content).bit_length() + 7) // 8, "big")
    return bytes([tag, 0x80 | len(length)]) + length + content


def _sequence(*parts: bytes) -> bytes:
    return _tlv(0x30, *parts)


def _integer(value: int) -> bytes:
    return _tlv(0x02, value.to_bytes(value.bit_length() // 8 + 1, "big"))


def _octets(data: bytes) -> bytes:
    return _tlv(0x04, data)


def _oid(text: str) -> bytes:
    first, second, *rest = map(int, text.split("."))
    encoded = bytearray([40 * first + second])
    for number in rest:
        digits = [number & 0x7F]
        while number := number >> 7:
            digits.append(0x80 | (number & 0x7F))
        encoded += bytes(reversed(digits))
    return _tlv(0x06, bytes(encoded))


def _algorithm(oid: str) -> bytes:
    return _sequence(_oid(oid))


def _attribute(oid: str, value: bytes) -> bytes:
    return _sequence(_oid(oid), _tlv(0x31, value))


class Authority:
    """A root certificate and, issued by it, the certificate that signs time stamps."""

    def __init__(self, name: str = "Test Time", *, may_stamp: bool = True) -> None:
        valid = (datetime(2020, 1, 1, tzinfo=UTC), datetime(2040, 1, 1, tzinfo=UTC))
        self._root_key, self._key = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
        root = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, f"{name} Root")])
        leaf = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        self.root = (
            x509.CertificateBuilder(root, root, self._root_key.public_key(), 1, *valid)
            .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
            .add_extension(_usage(signs_certificates=True), critical=True)
            .sign(self._root_key, SHA256())
        )
        purpose = ExtendedKeyUsageOID.TIME_STAMPING if may_stamp else ExtendedKeyUsageOID.CODE_SIGNING
        self._certificate = (
            x509.CertificateBuilder(root, leaf, self._key.public_key(), 2, *valid)
            .add_extension(x509.ExtendedKeyUsage([purpose]), critical=True)
            .add_extension(_usage(signs_certificates=False), critical=True)
            .sign(self._root_key, SHA256())
        )

    def write_root(self, file: Path) -> Path:
        file.write_bytes(self.root.public_bytes(Encoding.PEM))
        return file

    def stamp(
        self,
        data: bytes,
        nonce: int | None,
        *,
        at: datetime = STAMPED,
        status: int = 0,
        spoiled: bool = False,
        beside: tuple[x509.Certificate, ...] = (),
    ) -> bytes:
        """The response to a request for a stamp on `data`; `spoiled`: its time is changed after it was signed.

        `beside` are further certificates in the token, in this order; its signature does not cover them.
        """
        info = self._info(hashlib.sha256(data).digest(), nonce, at)
        content = self._info(hashlib.sha256(data).digest(), nonce, at - timedelta(days=365)) if spoiled else info
        attributes = sorted(
            [
                _attribute("1.2.840.113549.1.9.3", _oid("1.2.840.113549.1.9.16.1.4")),
                _attribute("1.2.840.113549.1.9.4", _octets(hashlib.sha256(info).digest())),
                _attribute("1.2.840.113549.1.9.16.2.47", self._signing_certificate()),
            ]
        )
        signature = self._key.sign(_tlv(0x31, *attributes), ec.ECDSA(SHA256()))
        signer = _sequence(
            _integer(1),
            _sequence(self._certificate.issuer.public_bytes(), _integer(self._certificate.serial_number)),
            _algorithm(_SHA256),
            _tlv(0xA0, *attributes),
            _algorithm(_ECDSA),
            _octets(signature),
        )
        signed = _sequence(
            _integer(3),
            _tlv(0x31, _algorithm(_SHA256)),
            _sequence(_oid("1.2.840.113549.1.9.16.1.4"), _tlv(0xA0, _octets(content))),
            _tlv(0xA0, *(each.public_bytes(Encoding.DER) for each in (*beside, self._certificate))),
            _tlv(0x31, signer),
        )
        token = _sequence(_oid("1.2.840.113549.1.7.2"), _tlv(0xA0, signed))
        return _sequence(_sequence(_integer(status)), *([token] if status in (0, 1) else []))

    def impostor(self, name: str) -> x509.Certificate:
        """A certificate of anybody's that claims to be the one that signs: by issuer and number, under another name."""
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        key, real = ec.generate_private_key(ec.SECP256R1()), self._certificate
        valid = (real.not_valid_before_utc, real.not_valid_after_utc)
        builder = x509.CertificateBuilder(real.issuer, subject, key.public_key(), real.serial_number, *valid)
        return builder.add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.TIME_STAMPING]), critical=True).sign(
            key, SHA256()
        )

    def _info(self, digest: bytes, nonce: int | None, at: datetime) -> bytes:
        """What is signed: the hash, the time, and the number that the request had."""
        return _sequence(
            _integer(1),
            _oid("1.3.6.1.4.1.99999.1"),
            _sequence(_algorithm(_SHA256), _octets(digest)),
            _integer(4711),
            _tlv(0x18, at.strftime("%Y%m%d%H%M%SZ").encode()),
            *([] if nonce is None else [_integer(nonce)]),
        )

    def _signing_certificate(self) -> bytes:
        digest = hashlib.sha256(self._certificate.public_bytes(Encoding.DER)).digest()
        return _sequence(_sequence(_sequence(_octets(digest))))


def _usage(*, signs_certificates: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not signs_certificates,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=signs_certificates,
        crl_sign=signs_certificates,
        encipher_only=False,
        decipher_only=False,
    )
