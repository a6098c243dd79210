"""An unchanged bundle is re-proved, fact by fact; a changed one is detected, and the report says where."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

from soid.case import stored_answer
from soid.case.case import Case
from soid.case.custody.custody import Expectations
from soid.case.custody.ed25519 import public_key, signing_key
from soid.case.custody.log_attestation import LogStatement
from soid.case.custody.signatures import ExpectedKey
from soid.case.custody.time_stamp import nonce_in
from soid.case.project import Project
from soid.case.record.entry import canonical
from soid.errors import BundleError
from soid.evidence import bundle_layout, bundle_signature, bundled_record
from soid.evidence.archive import pack, unpack
from soid.evidence.bundle import bundle, write
from soid.evidence.checks import CheckOutcome
from soid.evidence.verification_report import Report, Standing, page
from soid.evidence.verify import verify
from soid.examples import folder
from soid.oracle import inquiry
from soid.oracle.answer import Verdict
from soid.solver.chain import chain
from soid.solver.protocol import UNLIMITED, Unsat
from tests.unit.case.custody.authority import Authority
from tests.unit.evidence import forging
from tests.unit.evidence.conftest import OVEN, bundled

TEST_KEY = ExpectedKey("339e2ff917630507b6a423b5ce084e285d1fa65d93b3e27a6195d3bbebc9ae23")  # of tests/conftest.py
OTHERS = ("bitwuzla", "cvc5")  # bitwuzla answered, so cvc5 proves again


#: to be answered by runs: a proof over few scenarios, and a scenario that is found among many
RUN = (
    "would assessment.risk == LOW if patient.age in {20.0, 21.0, 22.0}",
    "would assessment.risk == HIGH if 100 <= patient.glucose <= 120",
)


def checked(data: bytes, place: Path, **options: object) -> Report:
    file = place / "bundle.zip"
    file.write_bytes(data)
    return verify(file, **{"solvers": OTHERS, **options})  # type: ignore[arg-type]


def of_fact(report: Report, number: int) -> Standing:
    return next(fact.standing for fact in report.facts if fact.number == number)


def test_every_fact_is_proved_again(oven, tmp_path):
    report = checked(oven, tmp_path)
    assert [fact.standing for fact in report.facts] == [Standing.REPROVED] * len(OVEN)
    assert report.status == 0 and report.summary == "4 facts: 4 re-proved"
    said = [check.words for fact in report.facts for check in fact.checks if check.about.endswith(".smt2")]
    assert said and all("(cvc5)" in words for words in said)


def test_a_compiled_program_is_compiled_and_run_again(patient, tmp_path):
    report = checked(patient, tmp_path)
    assert [fact.standing for fact in report.facts] == [Standing.REPROVED] * 3
    assert any("very same module" in check.words for check in report.checks)
    runs = [check.words for fact in report.facts for check in fact.checks if check.about == "the run"]
    assert len(runs) == 3 and all(words.startswith("by running the compiled program") for words in runs)
    covers = [check for fact in report.facts for check in fact.checks if check.about.endswith(".cover.json")]
    assert covers and all(check.outcome is CheckOutcome.CONFIRMED for check in covers)


def test_what_runs_of_single_scenarios_settled_is_run_and_proved_again(tmp_path, monkeypatch):
    """All of it is enumerated anew, and that nothing is left out is a formula of its own."""
    monkeypatch.setattr(inquiry, "BRIEFLY", 0.0)
    monkeypatch.setenv("SOID_CACHE", str(tmp_path / "cache"))  # no paths are known from earlier
    ran = bundled(tmp_path, folder("diabetes"), RUN)
    monkeypatch.undo()
    report = checked(ran, tmp_path)
    assert [fact.standing for fact in report.facts] == [Standing.REPROVED] * len(RUN)
    files = {check.about for fact in report.facts for check in fact.checks}
    assert {"complete.smt2", "explored.smt2", "scenario.smt2"} <= files
    told = [json.loads(line)["payload"] for line in unpack(ran)[bundle_layout.CHAIN].splitlines()]
    assert sum("_by_runs" in payload for payload in told) == 1


def test_a_family_that_is_too_large_to_be_run_is_not_proved_by_runs(patient, tmp_path):
    """A record that claims it for a proof over billions of scenarios is not believed."""
    proved = forging.facts_in(patient)[-1]

    def claim(payloads):
        payloads[proved - 1]["answer"]["settled_by"]["runs"] = 7

    report = checked(forging.sealed(forging.rewritten(patient, claim)), tmp_path)
    (fact,) = [fact for fact in report.facts if fact.number == proved]
    assert fact.standing is not Standing.REPROVED
    assert any("more than 10,000 scenarios" in check.words for check in fact.checks)


def test_a_record_of_an_earlier_version_is_proved_again(tmp_path, monkeypatch):
    """Its answers lack the fields that came later; what they have is held to their bits all the same."""
    keep = stored_answer.keep

    def kept_earlier(answer):
        kept = {name: value for name, value in keep(answer).items() if name not in stored_answer.LATER}
        del kept["bits"]["why"]
        return kept

    monkeypatch.setattr(stored_answer, "keep", kept_earlier)
    old = bundled(tmp_path, folder("microwave"), OVEN)
    monkeypatch.undo()
    assert {fact.standing for fact in checked(old, tmp_path).facts} == {Standing.REPROVED}


def test_the_same_case_gives_the_same_bytes(tmp_path):
    file = tmp_path / "oven.case"
    with Case.create(file, folder("microwave"), who="ada") as case:
        case.ask(OVEN[1])
    first = bundle(file)
    assert bundle(file).data == first.data
    write(first, tmp_path / "oven.zip")
    with pytest.raises(BundleError, match="is there already"):
        write(first, tmp_path / "oven.zip")


def test_without_time_nothing_is_refuted(patient, tmp_path):
    """Where exploring does not come to its end here, that says nothing against a fact."""
    report = checked(patient, tmp_path, seconds=0.0)
    assert {fact.standing for fact in report.facts} <= {Standing.REEXPLORED, Standing.UNSUPPORTED}


def test_with_little_time_nothing_is_refuted(oven, tmp_path):
    report = checked(oven, tmp_path, seconds=0.01)
    assert Standing.REFUTED not in {fact.standing for fact in report.facts}


def test_without_time_nothing_is_proved(oven, tmp_path):
    report = checked(oven, tmp_path, seconds=0.0)
    assert {fact.standing for fact in report.facts} <= {Standing.REEXPLORED, Standing.UNSUPPORTED}
    assert report.status in (2, 3)
    shown = page(report)
    assert shown.count("<article") == len(OVEN) and report.head in shown
    assert "<script" not in shown


class Liar:
    """A solver that calls impossible what it is asked in the end: a family's two formulas, and a behavior."""

    name = "liar"

    def __init__(self) -> None:
        self._honest = chain(("bitwuzla",))

    def check(self, conjuncts, budget=UNLIMITED, cancel=None):
        return Unsat() if len(conjuncts) > 2 else self._honest.check(conjuncts, budget, cancel)

    def close(self) -> None:
        self._honest.close()


def test_a_fact_that_does_not_come_out_again_is_left_out(tmp_path):
    file = tmp_path / "oven.case"
    with Case.create(file, folder("microwave"), who="ada", solver=Liar()) as case:
        lie = "might action == CANCEL if heat is anything and running is anything and started is anything"
        assert case.ask(f"{lie} and error is anything").entry.verdict is Verdict.NO  # a yes, in truth
        case.ask(OVEN[0])
    made = bundle(file, solvers=("bitwuzla",))
    assert made.facts == (5,)
    (number, why), *others = made.refused
    assert number == 3 and "explored.smt2: sat (bitwuzla)" in why and not others
    report = checked(made.data, tmp_path)
    assert [fact.standing for fact in report.facts] == [Standing.UNSUPPORTED, Standing.REPROVED]
    assert "its maker could not show it" in report.facts[0].checks[0].words


# --- signatures ---------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def keys(tmp_path_factory) -> tuple[Path, Path, Path]:
    """A private key, its public half, and a stranger's public key."""
    place = tmp_path_factory.mktemp("keys")
    private = Ed25519PrivateKey.generate()
    (place / "key.pem").write_bytes(private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    for name, key in (("public.pem", private), ("stranger.pem", Ed25519PrivateKey.generate())):
        public = key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
        (place / name).write_bytes(public)
    return place / "key.pem", place / "public.pem", place / "stranger.pem"


def signed(data: bytes, key: Path) -> bytes:
    files = unpack(data)
    signature = bundle_signature.sign(files[bundle_layout.MANIFEST], signing_key(key))
    return pack(files | {bundle_layout.SIGNATURE: bundle_layout.as_json(signature)})


def test_a_signature_is_checked_against_the_verifiers_own_key(oven, keys, tmp_path):
    private, public, stranger = keys
    report = checked(signed(oven, private), tmp_path, key=public)
    assert report.signed and report.status == 0
    with pytest.raises(BundleError, match="not one of"):
        checked(signed(oven, private), tmp_path, key=stranger)
    with pytest.raises(BundleError, match="not signed"):
        checked(oven, tmp_path, key=public)
    with pytest.raises(BundleError, match="no public key"):
        checked(signed(oven, private), tmp_path, key=private)


def test_a_bundle_says_who_signed_its_entries(oven, tmp_path):
    report = checked(oven, tmp_path, expected=Expectations((TEST_KEY,)))
    (key,) = report.custody.keys
    assert key.fingerprint == TEST_KEY.fingerprint and key.names == ("ada",) and report.custody.unsigned == ()
    (words,) = [check.words for check in report.checks if check.about == "the entries' signatures"]
    assert words == f"signed with the key {TEST_KEY.fingerprint}: entries 1 to 9 as ada"
    assert words in page(report)
    check = next(check for check in checked(oven, tmp_path).checks if check.about == "the entries' signatures")
    assert check.outcome is CheckOutcome.OPEN and "no key was named" in check.words
    with pytest.raises(BundleError, match=f"signed with another key, {TEST_KEY.fingerprint}"):
        checked(oven, tmp_path, expected=Expectations((ExpectedKey("0" * 64),)))


def test_an_entry_whose_signature_was_taken_away_or_altered_is_found(oven, tmp_path):
    files = unpack(oven)
    lines = [json.loads(line) for line in files[bundle_layout.CHAIN].splitlines()]
    for change in ({"signature": "0" * 128}, {"signature": lines[2]["signature"]}, {"signature": None}, {"key": None}):
        altered = {name: text for name, text in (lines[3] | change).items() if text is not None}
        chain_of = [canonical(each).encode() for each in (*lines[:3], altered, *lines[4:])]
        forged = {**files, bundle_layout.CHAIN: b"\n".join(chain_of) + b"\n"}
        manifest = json.loads(files[bundle_layout.MANIFEST])
        manifest["files"][bundle_layout.CHAIN] = bundle_layout.hashes(forged)[bundle_layout.CHAIN]
        with pytest.raises(BundleError, match="entry 4"):
            checked(pack({**forged, bundle_layout.MANIFEST: bundle_layout.as_json(manifest)}), tmp_path)


def test_a_bundle_carries_time_stamps_and_where_logs_come_from(tmp_path):
    file, authority, other = tmp_path / "oven.case", Authority(), Authority("Other")
    roots = [each.root.public_bytes(Encoding.DER) for each in (authority, other)]
    noted = hashlib.sha256((folder("microwave") / "log.jsonl").read_bytes()).hexdigest()
    with Case.create(file, folder("microwave"), who="ada", stated=LogStatement(sha256=noted)) as case:
        case.ask(OVEN[0])
        anchor = case.anchor()
        case.add_time_stamp(authority.stamp(anchor.text, nonce_in(anchor.request)), roots[:1], anchor.request)
    data = bundle(file).data
    report = checked(data, tmp_path, expected=Expectations((TEST_KEY,), (roots[0],)))
    words = [(check.outcome, check.words) for check in report.checks if check.about in ("a time stamp", "a log")]
    said = [report.custody.anchors[0].words, report.custody.logs[0].words]
    assert words == [(CheckOutcome.CONFIRMED, each) for each in said]
    assert "entries 1 to 4 existed at 2030-01-02T12:00:00.000Z according to CN=Test Time" in words[0][1]
    (stamp,) = [check for check in checked(data, tmp_path).checks if check.about == "a time stamp"]
    assert stamp.outcome is CheckOutcome.OPEN and "that the case itself names" in stamp.words
    with pytest.raises(BundleError, match="no time stamp of the case leads to a certificate"):
        checked(data, tmp_path, expected=Expectations((), (roots[1],)))
    forged = forging.sealed(forging.rewritten(data, lambda payloads: payloads[0].update(origin="/elsewhere")))
    with pytest.raises(BundleError, match="entry 5 is no anchor"):
        checked(forged, tmp_path)


@pytest.mark.parametrize("algorithm", ["none", "ed25519", "RSA", "Ed25519 ", "Ed448"])
def test_a_signature_of_another_algorithm_is_refused(oven, keys, tmp_path, algorithm):
    private, public, _ = keys
    files = unpack(signed(oven, private))
    said = json.loads(files[bundle_layout.SIGNATURE]) | {"algorithm": algorithm}
    strange = pack(files | {bundle_layout.SIGNATURE: bundle_layout.as_json(said)})
    for key in (public, None):
        with pytest.raises(BundleError, match="names the algorithm"):
            checked(strange, tmp_path, key=key)


def test_the_key_in_a_signature_is_the_one_that_signed(oven, keys, tmp_path):
    """A signature of one key cannot be shown as that of another, with or without the verifier's key."""
    private, public, stranger = keys
    files = unpack(signed(oven, private))
    said = json.loads(files[bundle_layout.SIGNATURE]) | {"public": public_key(stranger)}
    strange = pack(files | {bundle_layout.SIGNATURE: bundle_layout.as_json(said)})
    for key in (public, stranger, None):
        with pytest.raises(BundleError, match="not one of"):
            checked(strange, tmp_path, key=key)
    (check, *_) = checked(signed(oven, private), tmp_path).checks
    assert signing_key(private).fingerprint in check.words and check.outcome is CheckOutcome.OPEN


def test_a_forgery_does_not_keep_its_signature(oven, keys, tmp_path):
    private, public, _ = keys
    forged = forging.statement_changed(signed(oven, private), forging.facts_in(oven)[0])
    with pytest.raises(BundleError, match="not one of"):
        checked(forged, tmp_path, key=public)


def test_what_cannot_be_compiled_here_is_attested_by_its_signature_only(patient, keys, tmp_path):
    private, public, _ = keys
    old, new = b"[program]", b'[program]\nflags = ["-fplugin=evil.so"]'
    strange = forging.source_changed(patient, "diabetes/soid.toml", old, new)
    report = checked(strange, tmp_path)
    assert {fact.standing for fact in report.facts} == {Standing.UNSUPPORTED} and report.status == 3
    report = checked(signed(strange, private), tmp_path, key=public)
    assert {fact.standing for fact in report.facts} == {Standing.ATTESTED} and report.status == 3


# --- tampering ----------------------------------------------------------------------------------------------------


def changed_byte(data: bytes, random: Random) -> bytes:
    place = random.randrange(len(data))
    return data[:place] + bytes([data[place] ^ random.randrange(1, 256)]) + data[place + 1 :]


def changed_file(data: bytes, random: Random) -> bytes:
    """Replace one file of the bundle, and keep the bundle's form."""
    files = unpack(data)
    name = random.choice(sorted(files))
    place = random.randrange(len(files[name]))
    content = files[name]
    files[name] = content[:place] + bytes([content[place] ^ random.randrange(1, 256)]) + content[place + 1 :]
    return pack(files)


def changed_field(data: bytes, random: Random) -> bytes:
    """Replace one field of the record; the manifest's hashes fit, the record's own do not."""
    files = unpack(data)
    lines = files[bundle_layout.CHAIN].splitlines()
    number = random.randrange(len(lines))
    entry = json.loads(lines[number])
    field = random.choice(sorted(entry))
    entry[field] = entry[field] + 1 if field == "number" else entry[field][:-1] + random.choice("xyz")
    lines[number] = json.dumps(entry, sort_keys=True, separators=(",", ":")).encode()
    files[bundle_layout.CHAIN] = b"\n".join(lines) + b"\n"
    manifest = json.loads(files[bundle_layout.MANIFEST])
    manifest["files"][bundle_layout.CHAIN] = bundle_layout.hashes(files)[bundle_layout.CHAIN]
    return pack(files | {bundle_layout.MANIFEST: bundle_layout.as_json(manifest)})


CHANGES = (changed_byte, changed_file, changed_field)


def found_out(data: bytes, place: Path, count: int, seed: int) -> None:
    """So many random changes are found, and named."""
    random = Random(seed)
    for number in range(count):
        changed = CHANGES[number % len(CHANGES)](data, random)
        with pytest.raises(BundleError) as caught:
            checked(changed, place)
        assert caught.value.cause, number
        if number % len(CHANGES) == 1:
            names = [*unpack(data), "chain", "manifest"]
            assert any(name in caught.value.cause for name in names), caught.value.cause
        elif number % len(CHANGES) == 2:
            assert "entry" in caught.value.cause, caught.value.cause


def test_changes_are_found_and_named(oven, tmp_path):
    found_out(oven, tmp_path, 60, seed=1)


@pytest.mark.soak
def test_two_hundred_changes_are_found_and_named(oven, patient, tmp_path):
    found_out(oven, tmp_path, 200, seed=2)
    found_out(patient, tmp_path, 200, seed=3)


def test_files_that_come_and_go_are_noticed(oven, tmp_path):
    files = unpack(oven)
    with pytest.raises(BundleError, match=r"extra\.txt is in the bundle"):
        checked(pack(files | {"extra.txt": b""}), tmp_path)
    del files["README.txt"]
    with pytest.raises(BundleError, match=r"README\.txt is listed"):
        checked(pack(files), tmp_path)


# --- forgeries: every hash is computed anew -----------------------------------------------------------------------


def forgeries(data: bytes, example: str) -> Iterator[tuple[str, int, bytes]]:
    """What was done, to which fact, and the bundle that came of it."""
    keyframe = Project.open(folder(example)).keyframe
    for number in forging.facts_in(data):
        yield "verdict turned", number, forging.verdict_turned(data, number)
        yield "statement changed", number, forging.statement_changed(data, number)
        yield "input altered", number, forging.input_altered(data, number, keyframe)
        yield "output altered", number, forging.output_altered(data, number, keyframe)
        for name in forging.formulas(data, number):
            yield f"{name} weakened", number, forging.formula_weakened(data, name)
            yield f"{name} tells another story", number, forging.words_changed(data, name)
        if bundle_layout.folder(number) + "paths.smt2" in unpack(data):
            yield "path removed", number, forging.path_removed(data, number)


@pytest.mark.parametrize(
    ("what", "which"),
    [
        ("verdict turned", 3),
        ("input altered", 1),
        ("output altered", 0),
        ("explored.smt2 weakened", 2),
        ("complete.smt2 weakened", 3),
        ("path removed", 2),
    ],
)
def test_a_forgery_is_refuted(what, which, oven, tmp_path):
    wanted = forging.facts_in(oven)[which]
    made = (data for name, number, data in forgeries(oven, "microwave") if number == wanted and name.endswith(what))
    report = checked(next(made), tmp_path)
    assert of_fact(report, wanted) is Standing.REFUTED and report.status == 1
    others = {fact.standing for fact in report.facts if fact.number != wanted}
    assert others == {Standing.REPROVED}


def test_a_program_that_was_changed_does_not_bear_the_facts_out(oven, tmp_path):
    path = next(name for name in sorted(unpack(oven)) if name.startswith("project/microwave/paths/"))
    forged = forging.source_changed(
        oven, path.removeprefix(bundle_layout.PROJECT), b"(assert", b"(assert false) (assert"
    )
    assert checked(forged, tmp_path).worst in (Standing.REFUTED, Standing.UNSUPPORTED)


@pytest.mark.soak
@pytest.mark.parametrize(
    ("example", "which"),
    [(name, which) for name, count in (("microwave", 4), ("diabetes", 3)) for which in range(count)],
)
def test_all_forgeries_are_caught(example, which, oven, patient, tmp_path):
    """Of the seven facts together there are 85."""
    data = {"microwave": oven, "diabetes": patient}[example]
    wanted = forging.facts_in(data)[which]
    made = [(name, forged) for name, number, forged in forgeries(data, example) if number == wanted]
    assert len(made) >= 6
    for name, forged in made:
        assert of_fact(checked(forged, tmp_path), wanted) is Standing.REFUTED, name


CHANGED = [
    (b"<=", b">"),
    (b"<=", b"<"),
    (b"height * height", b"height + height"),
    (b"descend(node->below", b"descend(node->above"),
    (b"patient->glucose", b"patient->insulin"),
]


@pytest.mark.soak
@pytest.mark.parametrize("thorough", [False, True])
def test_changed_sources_do_not_bear_the_facts_out(thorough, patient, tmp_path):
    """A source line is another; a thorough forger compiles it anew, and puts the new module into the bundle."""
    caught = 0
    for path in sorted(
        name for name in unpack(patient) if name.startswith(bundle_layout.PROJECT) and name.endswith(".c")
    ):
        for number, (old, new) in enumerate(CHANGED):
            if old in unpack(patient)[path]:
                forged = forging.source_changed(patient, path.removeprefix(bundle_layout.PROJECT), old, new)
                if thorough:
                    (tmp_path / f"{number}").mkdir()
                    forged = forging.compiled_anew(forged, (tmp_path / f"{number}").resolve())
                assert checked(forged, tmp_path).worst is Standing.REFUTED, (path, old)
                caught += 1
    assert caught == len(CHANGED)


def test_of_another_program_the_facts_may_be_true_and_the_hash_is_another(patient, keys, tmp_path):
    """What none of the facts depends on cannot be found out by deriving them: a signature, or a hash, tells."""
    private, public, _ = keys
    (tmp_path / "scratch").mkdir()
    path, old, new = "diabetes/assess.c", b"patient->age", b"patient->pedigree"
    forged = forging.source_changed(signed(patient, private), path, old, new)
    forged = forging.compiled_anew(forged, (tmp_path / "scratch").resolve())
    for key in (public, None):  # the old signature is not one over this manifest, whoever looks at it
        with pytest.raises(BundleError, match="not one of"):
            checked(forged, tmp_path, key=key)
    report = checked(stripped(forged), tmp_path)
    assert report.worst is Standing.REPROVED
    assert report.head != json.loads(unpack(patient)[bundle_layout.MANIFEST])["head"]
    assert len(report.custody.unsigned) == len(bundled_record.read_chain(unpack(forged)[bundle_layout.CHAIN]))
    with pytest.raises(BundleError, match="not signed"):
        checked(stripped(forged), tmp_path, expected=Expectations((TEST_KEY,)))


def stripped(data: bytes) -> bytes:
    """Without the bundle's signature."""
    return pack({name: content for name, content in unpack(data).items() if name != bundle_layout.SIGNATURE})


# --- what a bundle may not do -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        (b'sources = ["', b'sources = ["/etc/passwd", "', "lies outside of the bundle"),
        (b'sources = ["', b'sources = ["../../../../etc/*.c", "', "lies outside of the bundle"),
        (b"[trace]\n", b'[scene]\nfile = "/etc/passwd"\n[trace]\n', "lies outside of the bundle"),
        (b'scripts = ["', b'scripts = ["/etc/passwd", "', "lies outside of the bundle"),
    ],
)
def test_a_manifest_that_names_files_elsewhere_is_refused(patient, tmp_path, old, new, named):
    with pytest.raises(BundleError, match=named):
        checked(forging.source_changed(patient, "diabetes/soid.toml", old, new), tmp_path)


@pytest.mark.parametrize(
    "line",
    [
        b'#include "/etc/passwd"',
        b"#include </etc/passwd>",
        b"#define X </etc/passwd>\n#include X",
        b'%: /* */ embed "/etc/passwd"',
        b'#inc\\\nlude "../../../x"',
    ],
)
def test_an_include_that_leads_elsewhere_is_not_followed(patient, tmp_path, line):
    path = "diabetes/assess.c"
    source = unpack(patient)[bundle_layout.PROJECT + path]
    report = checked(forging.source_changed(patient, path, source, line + b"\n" + source), tmp_path)
    assert {fact.standing for fact in report.facts} == {Standing.UNSUPPORTED}
    assert not any("root:" in check.words for check in report.checks)


def test_the_compiler_that_a_manifest_names_is_not_run(patient, tmp_path):
    evil = tmp_path / "evil.sh"
    evil.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    evil.chmod(0o755)
    clang = b'[program]\nclang = "' + str(evil).encode() + b'"'
    report = checked(forging.source_changed(patient, "diabetes/soid.toml", b"[program]", clang), tmp_path)
    assert not (tmp_path / "ran").exists()
    assert {fact.standing for fact in report.facts} == {Standing.REPROVED}


def test_a_bundle_is_signed_when_it_is_made(keys, tmp_path):
    private, public, _ = keys
    data = bundled(tmp_path, folder("microwave"), OVEN[:1], private)
    assert checked(data, tmp_path, key=public).signed
