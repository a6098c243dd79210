"""The commands about a case that lasts: `soid case`, and what is made of its file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, ClassVar, final

from soid.cli import exits
from soid.cli.command_line.parameters import (
    AsJson,
    CommandOptions,
    CrossCheck,
    Exact,
    MostMemory,
    Option,
    Positional,
    ProjectPath,
    Questions,
    QuestionSeconds,
    Quiet,
    ReadingSeconds,
    ReplayChoice,
    SolverNames,
    Verbose,
    Window,
    WitnessSeconds,
)

CaseFile = Annotated[Path, Positional("FILE", "The case file.")]
NamedCase = Annotated[Path, Positional("CASE", "The case file.")]
EntryNumber = Annotated[int, Positional("NUMBER", "The entry's number.")]
Who = Annotated[str | None, Option("--who", "NAME", "Who does it; SOID_USER, or who is logged in.")]
MomentName = Annotated[str | None, Option("--step -s", "N", "The moment: a step, a time, or a keyframe's name.")]
LogName = Annotated[str | None, Option("--log", "NAME", "Of the case's logs, another than the first.")]
WhyText = Annotated[str, Positional("WHY", "The reason.")]
NotedHash = Annotated[
    str | None, Option("--log-sha256", "HEX", "The log's SHA-256 as it was noted at the scene: it must be the same.")
]
LogSignature = Annotated[
    Path | None, Option("--log-signature", "FILE", "A signature over the log's file: it must be one of --log-key.")
]
LogKey = Annotated[Path | None, Option("--log-key", "FILE.pem", "The public key of who signed the log.")]
LogFileName = Annotated[str | None, Option("--log-name", "NAME", "What the log's file was called, if not as here.")]
TrustedCertificates = Annotated[
    tuple[Path, ...],
    Option("--certificates", "FILE.pem", "Certificates that a time stamp must lead to; may be given again."),
]
ProofSeconds = Annotated[float, Option("--seconds", "S", "What proving one formula may take.", least=0.0)]


@final
class NewCaseOptions(CommandOptions, frozen=True):
    """Open a new case on a project; the file then holds a copy of all of it."""

    file: CaseFile
    project: ProjectPath = Path()
    traces: Annotated[tuple[Path, ...], Option("--trace -t", "FILE", "A further log; may be given again.")] = ()
    title: Annotated[str, Option("--title", "TEXT", "What the case is about.")] = ""
    log: Annotated[str | None, Option("--log", "NAME", "Which log the next four are about, if not the first.")] = None
    log_sha256: NotedHash = None
    log_signature: LogSignature = None
    log_key: LogKey = None
    log_name: LogFileName = None
    who: Who = None
    as_json: AsJson = False
    seconds: ReadingSeconds = None
    memory: MostMemory = None


@final
class AttestOptions(CommandOptions, frozen=True):
    """Record where a log comes from: a hash noted at the scene, or a signature that came with it. Both are checked."""

    file: CaseFile
    log: LogName = None
    log_sha256: NotedHash = None
    log_signature: LogSignature = None
    log_key: LogKey = None
    log_name: LogFileName = None
    who: Who = None
    as_json: AsJson = False


@final
class AnchorOptions(CommandOptions, frozen=True):
    """Write the head of the record for a notary, and a request for a time stamp; or record the stamp that came back."""

    file: CaseFile
    to: Annotated[
        Path | None, Option("--to -o", "NAME", "Write NAME.json and NAME.tsq; beside the case, if not said.")
    ] = None
    response: Annotated[
        Path | None, Option("--response", "FILE.tsr", "The authority's response: check it, and put it on the record.")
    ] = None
    request: Annotated[
        Path | None, Option("--request", "FILE.tsq", "The request that was sent; beside the response, if not said.")
    ] = None
    certificates: TrustedCertificates = ()
    who: Who = None
    as_json: AsJson = False

    epilog: ClassVar = (
        "The request goes to any time-stamping authority (RFC 3161), for example with curl: "
        "`curl -H 'content-type: application/timestamp-query' --data-binary @NAME.tsq URL -o NAME.tsr`."
    )


@final
class KeyOptions(CommandOptions, frozen=True):
    """Show the key that your entries are signed with, to give its public half to others; it is made on first use."""

    public: Annotated[Path | None, Option("--public", "FILE.pem", "Write the public half there.")] = None
    passphrase: Annotated[
        bool, Option("--passphrase", None, "Protect the key by another passphrase, which is asked for.")
    ] = False
    as_json: AsJson = False

    epilog: ClassVar = (
        "The key is in ~/.config/soid/key.pem, or where XDG_CONFIG_HOME says; SOID_KEY names another file, and none "
        "leaves entries unsigned. Where nobody can be asked, SOID_KEY_PASSPHRASE is its passphrase, or "
        "SOID_KEY_PASSPHRASE_FILE names a file with it."
    )


@final
class ShowCaseOptions(CommandOptions, frozen=True):
    """Show the facts and the entries of a case, or one entry in full. Nothing is added to it."""

    file: CaseFile
    number: Annotated[int | None, Positional("NUMBER", "One entry, in full.")] = None
    as_json: AsJson = False
    verbose: Verbose = False
    exact: Exact = False


@final
class SuggestOptions(CommandOptions, frozen=True):
    """Show the story of a case, and the questions that suggest themselves at a moment. Nothing is asked."""

    file: CaseFile
    step: MomentName = None
    log: LogName = None
    as_json: AsJson = False


@final
class AskCaseOptions(CommandOptions, frozen=True):
    """Put questions on the record; without one, those that the manifest lists."""

    file: CaseFile
    questions: Questions = ()
    step: MomentName = None
    log: LogName = None
    who: Who = None
    as_json: AsJson = False
    seconds: QuestionSeconds = None
    memory: MostMemory = None
    witness_seconds: WitnessSeconds = None
    solvers: SolverNames = ()
    cross_check: CrossCheck = False
    window: Window = None
    replay: ReplayChoice = "confined"
    verbose: Verbose = False
    exact: Exact = False
    quiet: Quiet = False

    epilog: ClassVar = exits.HELP


@final
class ResumeOptions(CommandOptions, frozen=True):
    """Go on with a question that was left open: what is settled is not settled again."""

    file: CaseFile
    number: Annotated[int | None, Positional("NUMBER", "The entry with the unknown; the last one.")] = None
    who: Who = None
    as_json: AsJson = False
    seconds: Annotated[float, Option("--seconds", "S", "What it may take now.", least=0.0)] = 600.0
    memory: MostMemory = None
    replay: ReplayChoice = "confined"
    verbose: Verbose = False
    exact: Exact = False
    quiet: Quiet = False

    epilog: ClassVar = exits.HELP


@final
class NameKeyframeOptions(CommandOptions, frozen=True):
    """Give a moment a name, by which it can be asked about."""

    file: CaseFile
    step: Annotated[str, Positional("N", "The step, or a time such as 45s.")]
    name: Annotated[str, Positional("NAME", "What the moment is called.")]
    log: LogName = None
    who: Who = None
    as_json: AsJson = False


@final
class NoteOptions(CommandOptions, frozen=True):
    """Say something about an entry."""

    file: CaseFile
    number: EntryNumber
    text: Annotated[str, Positional("TEXT", "What there is to say about it.")]
    who: Who = None
    as_json: AsJson = False


@final
class RenameOptions(CommandOptions, frozen=True):
    """Give a case another title; the earlier ones stay on its record."""

    file: CaseFile
    title: Annotated[str, Positional("TITLE", "What it is called from now on.")]
    who: Who = None
    as_json: AsJson = False


@final
class ArchiveOptions(CommandOptions, frozen=True):
    """Lay a case aside: nothing is added to it until it is brought back, and the list of cases hides it."""

    file: CaseFile
    why: Annotated[str, Option("--why", "TEXT", "The reason.")] = ""
    who: Who = None
    as_json: AsJson = False


@final
class UnarchiveOptions(CommandOptions, frozen=True):
    """Bring a case back that was archived."""

    file: CaseFile
    why: Annotated[str, Option("--why", "TEXT", "The reason.")] = ""
    who: Who = None
    as_json: AsJson = False


@final
class DeleteOptions(CommandOptions, frozen=True):
    """Delete a case; who did it, when, and its last hash stay in the folder, in soid-deleted.jsonl."""

    file: CaseFile
    name: Annotated[str | None, Option("--name", "TITLE", "What it is called, to confirm; else it is asked for.")] = (
        None
    )
    who: Who = None
    as_json: AsJson = False


@final
class RestoreOptions(CommandOptions, frozen=True):
    """Make a case of a bundle, entry by entry with the same hashes. Whether its facts are true, `soid verify` says."""

    bundle: Annotated[Path, Positional("BUNDLE.zip", "The bundle.")]
    file: CaseFile
    who: Who = None
    as_json: AsJson = False


@final
class RetractOptions(CommandOptions, frozen=True):
    """Take an entry back: it stays on the record, and no longer counts."""

    file: CaseFile
    number: EntryNumber
    why: WhyText
    who: Who = None
    as_json: AsJson = False


@final
class AcceptOptions(CommandOptions, frozen=True):
    """Go on at a moment where log and program differ; every answer there says so."""

    file: CaseFile
    why: WhyText
    step: MomentName = None
    log: LogName = None
    who: Who = None
    as_json: AsJson = False


@final
class VerifyCaseOptions(CommandOptions, frozen=True):
    """Check that the case is what was written: entries, signatures, time stamps, and every file that it holds."""

    file: CaseFile
    head: Annotated[
        str | None, Option("--head", "HASH", "An entry's hash that was noted elsewhere: it must be there.")
    ] = None
    keys: Annotated[
        tuple[str, ...],
        Option(
            "--key",
            "KEY",
            "A public key (FILE.pem or fingerprint; NAME=KEY says whose) that you expect: every entry must be signed "
            "with one of these. May be given again.",
        ),
    ] = ()
    certificates: TrustedCertificates = ()
    as_json: AsJson = False


# --- what is made of a case -----------------------------------------------------------------------------------


@final
class InvestigateOptions(CommandOptions, frozen=True):
    """Put questions at a prompt, on the record of a case; `help` there lists what may be typed."""

    case: Annotated[Path, Positional("CASE", "The case file; `soid case new` makes one.")]
    project: Annotated[
        Path | None, Option("--project -p", "PATH", "Make the case of this project, if there is none yet.")
    ] = None
    who: Annotated[str | None, Option("--who", "NAME", "Who asks; SOID_USER, or who is logged in.")] = None
    as_json: AsJson = False


@final
class ReportOptions(CommandOptions, frozen=True):
    """Write the report of a case: one page for people who do not read code."""

    case: NamedCase
    html: Annotated[Path | None, Option("--html", "FILE.html", "The page; beside the case, if not said.")] = None
    pdf: Annotated[Path | None, Option("--pdf", "FILE.pdf", "Print it there, where a Chromium is at hand.")] = None
    as_json: AsJson = False


@final
class ServeOptions(CommandOptions, frozen=True):
    """Open cases in a browser, for people who never open a terminal."""

    what: Annotated[str, Positional("FOLDER | CASE | PROJECT | EXAMPLE", "Cases, or what to make one of.")] = "."
    host: Annotated[str, Option("--host", "ADDRESS", "Where to listen: this machine alone.")] = "127.0.0.1"
    port: Annotated[int, Option("--port", "N", "The port; 0: any that is free.", least=0, most=65535)] = 8080
    token: Annotated[str | None, Option("--token", "TEXT", "Refuse requests without it.", variable="SOID_TOKEN")] = None
    opens: Annotated[bool | None, Option("--open/--no-open", None, "Open a browser; where there is a screen.")] = None
    cores: Annotated[int | None, Option("--cores", "N", "How many questions at once; one a core.", least=1)] = None
    seconds: QuestionSeconds = None
    certificate: Annotated[Path | None, Option("--certificate", "FILE.pem", "Serve by https, with this.")] = None
    key: Annotated[Path | None, Option("--key", "FILE.pem", "The certificate's private key.")] = None
    replay: ReplayChoice = "confined"
    as_json: AsJson = False

    epilog: ClassVar = (
        "`soid serve crash` makes crash.case of the example, here, and opens it; the next time it goes on with it. "
        "On an address that other machines can reach a token is needed: one is made and printed, if none is given. "
        "`soid token` gives people tokens of their own, to ask, to comment or to read. "
        "Programs find the same under /api, described in /api/openapi.json."
    )


@final
class BundleOptions(CommandOptions, frozen=True):
    """Put a case into one file that others can check: they derive every fact in it anew."""

    case: NamedCase
    to: Annotated[Path | None, Option("--to -o", "FILE.zip", "Where to; beside the case.")] = None
    key: Annotated[Path | None, Option("--key", "FILE.pem", "Sign it with this private Ed25519 key.")] = None
    seconds: ProofSeconds = 60.0
    memory: MostMemory = None
    as_json: AsJson = False


@final
class VerifyBundleOptions(CommandOptions, frozen=True):
    """Check a bundle: open, explore, prove and run everything anew, fact by fact."""

    bundle: Annotated[Path, Positional("BUNDLE.zip", "The bundle.")]
    key: Annotated[Path | None, Option("--key", "FILE.pem", "The public key that must have signed it.")] = None
    authors: Annotated[
        tuple[str, ...],
        Option(
            "--author",
            "KEY",
            "A public key (FILE.pem or fingerprint; NAME=KEY says whose) that you expect: every entry of the record "
            "must be signed with one of these. May be given again.",
        ),
    ] = ()
    certificates: TrustedCertificates = ()
    html: Annotated[Path | None, Option("--html", "FILE.html", "Write a page for people there.")] = None
    seconds: ProofSeconds = 60.0
    memory: MostMemory = None
    solvers: SolverNames = ()
    replay: ReplayChoice = "confined"
    as_json: AsJson = False
    verbose: Annotated[bool, Option("--verbose -v", None, "Show all that was looked at.")] = False

    epilog: ClassVar = exits.VERIFY_HELP
