"""`soid token`: the people whom `soid serve` lets in to a folder of cases."""

from __future__ import annotations

from soid.cli.command_line.token_options import ListTokensOptions, NewTokenOptions, RevokeTokenOptions
from soid.cli.output import print_json
from soid.cli.terminal.terminal import Terminal
from soid.web.token_file import TokenFile, key_of, proof_of
from soid.web.user import UserRole


def new(options: NewTokenOptions) -> int:
    tokens, role = TokenFile.at(options.cases), UserRole(options.role)
    token = tokens.make(options.name, role)
    key = key_of(proof_of(token))
    if options.as_json:
        print_json({"name": options.name, "role": role.value, "id": key, "token": token, "file": str(tokens.file)})
    else:
        terminal = Terminal.stdout()
        terminal.line((f"The token of {options.name}, who may {role.words}: ", ""), (token, "bold"))
        terminal.prose(
            f"It is shown this once: give it to them alone. Entries that they add are by {options.name} (token {key}).",
            indent=0,
        )
    return 0


def list_tokens(options: ListTokensOptions) -> int:
    tokens = TokenFile.at(options.cases)
    listed = [{"name": one.name, "role": one.role.value, "id": one.key, "made": one.made} for one in tokens.known]
    if options.as_json:
        print_json({"file": str(tokens.file), "tokens": listed})
    elif listed:
        rows = [(one["name"], one["role"], one["id"], one["made"]) for one in listed]
        Terminal.stdout().table(("name", "role", "id", "made"), rows)
    else:
        Terminal.stdout().prose(f"There are none in {tokens.file}: `soid token new NAME` makes one.", indent=0)
    return 0


def revoke(options: RevokeTokenOptions) -> int:
    gone = TokenFile.at(options.cases).revoke(options.which)
    if options.as_json:
        print_json({"revoked": list(gone)})
    else:
        Terminal.stdout().prose(f"Revoked: {', '.join(gone)}. What was recorded with it stays.", indent=0)
    return 0
