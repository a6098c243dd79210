"""`soid case attest`, `anchor` and `key`: where a log comes from, until when a case existed, and who signs."""

from __future__ import annotations

from pathlib import Path

from soid.case.case import Case
from soid.case.custody.anchor import CaseAnchor
from soid.case.custody.author_key import protect
from soid.case.custody.ed25519 import public_pem
from soid.case.custody.log_attestation import statement_of
from soid.case.custody.time_stamp import certificates_in
from soid.cli.command_line.case_options import AnchorOptions, AttestOptions, KeyOptions
from soid.cli.commands.case_command import add_entry
from soid.cli.output import print_json, write_file
from soid.cli.terminal.own_key import asker, new_passphrase, own_key
from soid.cli.terminal.terminal import Terminal, warn
from soid.errors import CaseError


def attest(options: AttestOptions) -> int:
    stated = statement_of(options.log, options.log_sha256, options.log_signature, options.log_key, options.log_name)
    if stated is None:
        raise CaseError("nothing is said about the log", "Give --log-sha256, or --log-signature and --log-key.")
    return add_entry(options, lambda case: case.attest_log(stated))


def anchor(options: AnchorOptions) -> int:
    """Write the head of the chain and a request for a time stamp; or record the response to such a request."""
    if options.response is not None:
        return _record_response(options, options.response)
    with Case.open(options.file, read_only=True) as case:
        made = case.anchor()
    name = options.to or options.file.with_name(f"{options.file.stem}.anchor-{made.entries}")
    text, request = Path(f"{name}.json"), Path(f"{name}.tsq")
    _write_new(text, made.text)
    _write_new(request, made.request)
    if options.as_json:
        said = {"anchor": str(text), "request": str(request), "entries": made.entries, "head": made.head}
        print_json(said)
    else:
        _say_anchored(made, text, request, options.file)
    return 0


def _record_response(options: AnchorOptions, response: Path) -> int:
    if not options.certificates:
        problem = "a time stamp is checked against a certificate that you trust"
        raise CaseError(problem, "Name the root certificate of the authority: --certificates FILE.pem.")
    trusted = tuple(each for file in options.certificates for each in certificates_in(file))
    beside = response.with_suffix(".tsq")
    sent = options.request or (beside if beside.is_file() else None)
    if sent is None:
        warn([f"there is no request beside {response}: its random number is not compared"])
    request = None if sent is None else _read(sent)
    return add_entry(options, lambda case: case.add_time_stamp(_read(response), trusted, request))


def _say_anchored(made: CaseAnchor, text: Path, request: Path, case: Path) -> None:
    terminal = Terminal.stdout()
    terminal.line((f"{text} names the last of {made.entries} entries: ", ""), (made.head, "bold"))
    terminal.prose(
        f"Give it to a notary, or send {request} to a time-stamping authority. What comes back goes on the record: "
        f"`soid case anchor {case} --response {request.with_suffix('.tsr')} --certificates ROOT.pem`.",
        indent=0,
    )


def show_key(options: KeyOptions) -> int:
    found = own_key()
    if found.key is None or found.file is None:
        raise CaseError(found.warning or "SOID_KEY is none: entries are not signed", "Name a file with SOID_KEY.")
    if options.passphrase:
        if asker() is None:
            problem = "nobody is at a terminal to type a passphrase"
            raise CaseError(problem, "`openssl pkcs8 -topk8` does the same in a script.")
        typed = new_passphrase(found.file)
        if typed is None:
            raise CaseError("the two are not the same", "The key is as it was: try again.")
        protect(found.file, found.key, typed)
    pem = public_pem(found.key.public)
    if options.public is not None:
        write_file(options.public, pem, error=CaseError)
    if options.as_json:
        said = {"file": str(found.file), "fingerprint": found.key.fingerprint, "public": found.key.public, "pem": pem}
        print_json(said)
    else:
        warn([found.warning] if found.warning else [])
        terminal = Terminal.stdout()
        terminal.line(("  your key:        ", "dim"), (str(found.file), ""))
        terminal.line(("  its fingerprint: ", "dim"), (found.key.fingerprint, "bold"))
        for line in pem.splitlines():
            terminal.line((line, ""))
    return 0


def _write_new(file: Path, data: bytes) -> None:
    try:
        with file.open("xb") as opened:
            opened.write(data)
    except FileExistsError:
        raise CaseError(f"{file} is there already", "Name other files with --to.") from None
    except OSError as error:
        problem = f"{file} cannot be written: {error.strerror or error}"
        raise CaseError(problem, "Name other files with --to.") from error


def _read(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise CaseError(f"{file} cannot be read: {error.strerror or error}", "Name another file.") from error
