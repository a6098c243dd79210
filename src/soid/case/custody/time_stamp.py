"""Time stamps by RFC 3161: the request that a time-stamping authority is sent, and the check of its response.

The authority signs a hash and the time at which it was sent that hash. Its certificate must lead to one that the reader
trusts. Certificates need to be valid at the time of the stamp, not now.
"""

from __future__ import annotations

import hashlib
import re
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, final

from msgspec import Struct

from soid.errors import CaseError, InputError

if TYPE_CHECKING:
    from cryptography.x509 import Certificate

_REMEDY: Final = "Send the request to the authority again, and name its root certificate."

#: the reason that OpenSSL gives inside of its report
_REASON: Final = re.compile(r'data: "Verify error: ([^"]+)"|reason: "([^"]+)"')


#: reasons of the packages that say too little
_IN_WORDS: Final = {
    "Mismatch between messages": "it is of another hash",
    "Nonce mismatch": "it does not repeat the random number of the request",
    "PKIStatus is not GRANTED": "the authority did not grant it as it was requested",
    "unable to get local issuer certificate": "its certificate leads to none of those that were named",
    "digest failure": "what it says was changed after it was signed",
}


@final
class TimeStamp(Struct, frozen=True):
    """What an authority says: it was sent this hash at that time."""

    time: str  # UTC, as ISO 8601 writes it
    authority: str  # the subject of its certificate
    certificate: str  # SHA-256 of the certificate
    root: str  # SHA-256 of the certificate that it leads to, which the reader trusts


def request_for(data: bytes) -> bytes:
    """A request (`.tsq`) for a stamp on the SHA-256 of the data, with a random number that the response must repeat."""
    from rfc3161_client import HashAlgorithm, TimestampRequestBuilder

    builder = TimestampRequestBuilder().data(data).hash_algorithm(HashAlgorithm.SHA256)
    return builder.cert_request(cert_request=True).nonce(nonce=True).build().as_bytes()


def nonce_in(request: bytes) -> int | None:
    """The random number of a request; CaseError if it is none."""
    from rfc3161_client._rust import parse_timestamp_request  # the package has no public name for it

    try:
        return parse_timestamp_request(request).nonce
    except ValueError as error:
        raise CaseError(f"this is no request for a time stamp: {error}", "Name the .tsq file that was sent.") from error


def hash_in(response: bytes) -> bytes:
    """The hash that a response (`.tsr`) is about, before it is checked."""
    with _wary():
        return bytes(_decoded(response).tst_info.message_imprint.message)


def check(data: bytes, response: bytes, nonce: int | None, trusted: Sequence[bytes]) -> TimeStamp:
    """Check a response: hash, number, signature and certificates. `trusted` are certificates in DER.

    CaseError says what is wrong with it. Without a `nonce` the number is not compared.
    """
    with _wary():
        certificates = _certificates(trusted)
        roots = [each for each in certificates if each.issuer == each.subject]
        if not roots:
            raise CaseError("no certificate of a root is among those that were named", _REMEDY)
        between = [each for each in certificates if each not in roots]
        decoded = _decoded(response)
        problems = []
        for root in roots:  # one by one: so it is known to which the authority's certificate leads
            try:
                _verify(decoded, data, nonce, root, between)
                return _said(decoded, root)
            except CaseError as error:
                problems.append(error)
        raise problems[0]


def _verify(decoded: Any, data: bytes, nonce: int | None, root: Certificate, between: Sequence[Certificate]) -> None:
    from rfc3161_client import VerificationError, VerifierBuilder

    try:
        verifier = VerifierBuilder(roots=[root], intermediates=list(between), nonce=nonce).build()
        verifier.verify_message(decoded, data)
    except VerificationError as error:
        raise _refused(error) from error


@contextmanager
def _wary() -> Iterator[None]:
    """Read what a stranger wrote: whatever the packages stumble over is a CaseError."""
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.x509 import DuplicateExtension, InvalidVersion, UnsupportedGeneralNameType

    odd = (InvalidVersion, DuplicateExtension, UnsupportedGeneralNameType, UnsupportedAlgorithm)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of certificates that a later version will not read
            yield
    except (ValueError, LookupError, TypeError, AttributeError, OverflowError, *odd) as error:
        raise _refused(error) from error


def _certificates(trusted: Sequence[bytes]) -> list[Certificate]:
    from cryptography.x509 import load_der_x509_certificate

    return [load_der_x509_certificate(each) for each in dict.fromkeys(trusted)]


def certificates_in(file: Path, *, error: type[InputError] = CaseError) -> tuple[bytes, ...]:
    """The certificates of a PEM file, in DER."""
    from cryptography.hazmat.primitives.serialization import Encoding
    from cryptography.x509 import load_pem_x509_certificates

    try:
        return tuple(each.public_bytes(Encoding.DER) for each in load_pem_x509_certificates(file.read_bytes()))
    except OSError as problem:
        raise error(f"{file} cannot be read: {problem.strerror or problem}", "Name another file.") from problem
    except ValueError as problem:
        raise error(f"{file} holds no certificates: {problem}", "It must be a PEM file.") from problem


def _decoded(response: bytes) -> Any:
    from rfc3161_client import decode_timestamp_response

    return decode_timestamp_response(_in_order(response))


def _in_order(response: bytes) -> bytes:
    """The response with the certificates of its token sorted, as DER wants it and the package that reads it.

    Many authorities send them in another order, openssl's among them. No signature covers this order.
    """
    try:
        ((_, start, end),) = _parts(response, 0, len(response))
        _, (_, start, end) = _parts(response, start, end)  # status and token
        _, (_, start, end) = _parts(response, start, end)  # the token's type and content
        ((_, start, end),) = _parts(response, start, end)
        start, end = next((inside, end) for tag, inside, end in _parts(response, start, end) if tag == _CERTIFICATES)
        ends = [end for _, _, end in _parts(response, start, end)]
    except (ValueError, IndexError, StopIteration):
        return response  # it is no response, and will be refused as such
    certificates = [response[first:last] for first, last in pairwise((start, *ends))]
    return response[:start] + b"".join(sorted(certificates)) + response[end:]


_CERTIFICATES: Final = 0xA0


def _parts(data: bytes, start: int, end: int) -> list[tuple[int, int, int]]:
    """The elements of DER between two places: tag, where the content begins, where it ends."""
    found = []
    while start < end:
        tag, length, inside = data[start], data[start + 1], start + 2
        if length >= 0x80:
            inside += length & 0x7F
            length = int.from_bytes(data[start + 2 : inside], "big")
        start = inside + length
        found.append((tag, inside, start))
    if start != end:
        raise ValueError("an element is longer than the one around it")
    return found


def _said(decoded: Any, root: Certificate) -> TimeStamp:
    from cryptography.hazmat.primitives.serialization import Encoding
    from cryptography.x509 import load_der_x509_certificate

    (signer,) = decoded.signed_data.signer_infos
    signers = [
        (each, der)
        for der in decoded.signed_data.certificates
        if (each := load_der_x509_certificate(der)).serial_number == signer.serial_number
        and each.issuer == signer.issuer
    ]
    if len(signers) != 1:  # others that look like the signer's are not covered by its signature
        raise CaseError(f"the time stamp is refused: {len(signers)} certificates claim to be the signer's", _REMEDY)
    certificate, der = signers[0]
    return TimeStamp(
        time=_written(decoded.tst_info.gen_time),
        authority=certificate.subject.rfc4514_string(),
        certificate=hashlib.sha256(der).hexdigest(),
        root=hashlib.sha256(root.public_bytes(Encoding.DER)).hexdigest(),
    )


def _written(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _refused(error: Exception) -> CaseError:
    reasons = [first or second for first, second in _REASON.findall(str(error))]
    told = [_IN_WORDS.get(reason, reason) for reason in reasons or [str(error)]]
    return CaseError(f"the time stamp is refused: {'; '.join(told)}", _REMEDY)
