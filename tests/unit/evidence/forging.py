"""How a bundle is forged: something in it is changed, and every hash that speaks of it is computed anew."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from copy import deepcopy
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from soid.case.facts import fact_of
from soid.case.record.entry import GENESIS, Entry, canonical
from soid.case.stored_answer import keep, recall
from soid.errors import InternalError
from soid.evidence import bundle_layout, bundled_record
from soid.evidence.archive import pack, unpack
from soid.evidence.bundle_layout import build_of
from soid.evidence.bundled_project import Opened, open_project, project_files
from soid.scenario.trace import Keyframe
from soid.witness.witness import Witness, changes

Files = dict[str, bytes]
Payloads = list[dict[str, Any]]


def sealed(files: Files) -> bytes:
    """The bundle with these files, and a manifest that fits them."""
    manifest = json.loads(files[bundle_layout.MANIFEST])
    others = {
        name: data for name, data in files.items() if name not in (bundle_layout.MANIFEST, bundle_layout.SIGNATURE)
    }
    manifest |= {"files": bundle_layout.hashes(others), "head": head_of(files)}
    return pack(files | {bundle_layout.MANIFEST: bundle_layout.as_json(manifest)})


def head_of(files: Files) -> str:
    """The hash of the last entry, of a chain that need not be one that soid reads."""
    found: str = json.loads(files[bundle_layout.CHAIN].splitlines()[-1])["hash"]
    return found


def rewritten(data: bytes, change: Callable[[Payloads], None]) -> Files:
    """The files of a bundle whose record was written anew, with other payloads."""
    files = unpack(data)
    entries = bundled_record.read_chain(files[bundle_layout.CHAIN])
    payloads = [deepcopy(dict(entry.payload)) for entry in entries]
    change(payloads)
    made: list[Entry] = []
    for entry, payload in zip(entries, payloads, strict=True):
        previous = made[-1].hash if made else GENESIS
        made.append(Entry.make(entry.number, entry.kind, entry.who, entry.when, payload, previous))
    return files | {bundle_layout.CHAIN: bundled_record.written(made)}


def facts_in(data: bytes) -> list[int]:
    """The numbers of the entries that are facts."""
    return [
        fact.number for fact in bundled_record.read_facts(bundled_record.read_chain(unpack(data)[bundle_layout.CHAIN]))
    ]


def turned(verdict: str) -> str:
    return {"yes": "no", "no": "yes"}[verdict]


# --- forgeries: each takes a bundle and the number of a fact in it ----------------------------------------------


def verdict_turned(data: bytes, number: int) -> bytes:
    """Invert the verdict everywhere in the bundle."""

    def change(payloads: Payloads) -> None:
        payload = payloads[number - 1]
        payload["answer"]["verdict"] = turned(payload["answer"]["verdict"])
        payload["fact"]["occurs"] = {"always": "never", "never": "always", "yes": "no", "no": "yes"}.get(
            payload["fact"]["occurs"], "yes"
        )
        payload["fact"]["statement"] = (
            payload["fact"]["statement"].replace("always", "never").replace(" did ", " did not ")
        )

    files = rewritten(data, change)
    folder = bundle_layout.folder(number)
    told = json.loads(files[folder + "fact.json"])
    told["verdict"] = turned(told["verdict"])
    files[folder + "fact.json"] = bundle_layout.as_json(told)
    for name in [name for name in files if name.startswith(folder) and name.endswith(".smt2")]:
        old, new = turned(told["verdict"]), told["verdict"]
        files[name] = files[name].replace(f"; answer: {old}".encode(), f"; answer: {new}".encode())
    return sealed(files)


def input_altered(data: bytes, number: int, keyframe: Keyframe) -> bytes:
    """The scenario has another value of an input, wherever it stands; the fact follows, as far as it can."""

    def altered(witness: Witness) -> Witness:
        path, bits = next(iter(witness.inputs.items()))
        inputs = {**witness.inputs, path: bits ^ 1}
        return replace(witness, inputs=inputs, changed=changes(witness.interface, keyframe.inputs, inputs))

    return with_witness(data, number, keyframe, altered)


def output_altered(data: bytes, number: int, keyframe: Keyframe) -> bytes:
    """The program is said to have given something else, wherever that stands."""

    def altered(witness: Witness) -> Witness:
        name, bits = next(iter(witness.outputs.items()))
        return replace(witness, outputs={**witness.outputs, name: bits ^ 1})

    return with_witness(data, number, keyframe, altered)


def with_witness(data: bytes, number: int, keyframe: Keyframe, alter: Callable[[Witness], Witness]) -> bytes:
    def change(payloads: Payloads) -> None:
        payload = payloads[number - 1]
        answer = recall(payload["answer"], keyframe)
        assert answer.witness is not None
        answer = replace(answer, witness=alter(answer.witness))
        payload["answer"] = json.loads(canonical(keep(answer)))
        with suppress(InternalError):  # it cannot be told as a fact: the old one stays
            payload["fact"] = json.loads(canonical(fact_of(answer, keyframe)))

    files = rewritten(data, change)
    entry = bundled_record.read_chain(files[bundle_layout.CHAIN])[number - 1]
    assert entry.answer is not None
    name = bundle_layout.folder(number) + "witness.json"
    told = json.loads(files[name])
    files[name] = bundle_layout.as_json(told | {part: entry.answer[part] for part in ("bits", "witness", "changed")})
    return sealed(files)


def statement_changed(data: bytes, number: int) -> bytes:
    def change(payloads: Payloads) -> None:
        payloads[number - 1]["fact"]["statement"] += " It was its maker's fault."

    return sealed(rewritten(data, change))


def formulas(data: bytes, number: int) -> list[str]:
    """The formulas of a fact, by their names."""
    return sorted(
        name for name in unpack(data) if name.startswith(bundle_layout.folder(number)) and name.endswith(".smt2")
    )


def formula_weakened(data: bytes, name: str) -> bytes:
    """An unsatisfiable formula made easy: it asserts what cannot be; a satisfiable one asserts nothing."""
    files = unpack(data)
    lines = files[name].decode().splitlines()
    if "(set-info :status unsat)" in lines:
        lines.insert(-1, "(assert false)")
        lines = [line for line in lines if not line.startswith("(assert (")]
    else:
        lines = [line for line in lines if not line.startswith("(assert")]
    files[name] = ("\n".join(lines) + "\n").encode()
    return sealed(files)


def words_changed(data: bytes, name: str) -> bytes:
    """A formula that says of itself that it proves something else."""
    files = unpack(data)
    files[name] = files[name].replace(b"; proves: ", b"; proves: beyond doubt that ")
    return sealed(files)


def path_removed(data: bytes, number: int) -> bytes:
    """One of the paths is gone."""
    files = unpack(data)
    name = bundle_layout.folder(number) + "paths.smt2"
    lines = files[name].decode().splitlines()
    del lines[-2]  # the last assertion
    files[name] = ("\n".join(lines) + "\n").encode()
    return sealed(files)


def source_changed(data: bytes, path: str, old: bytes, new: bytes) -> bytes:
    """The program is another one, and the record says that it always was."""
    source = unpack(data)[bundle_layout.PROJECT + path]
    assert old in source
    changed = source.replace(old, new)

    def change(payloads: Payloads) -> None:
        for file in payloads[0]["files"]:
            if file["path"] == path:
                file |= {"sha256": bundle_layout.hashes({"": changed})[""], "size": len(changed)}

    files = rewritten(data, change)
    return sealed(files | {bundle_layout.PROJECT + path: changed})


def compiled_anew(data: bytes, scratch: Path) -> bytes:
    """The module, and what is said of it, as the project in the bundle gives it."""
    files = unpack(data)
    payload = bundled_record.read_chain(files[bundle_layout.CHAIN])[0].payload
    opened = open_project(project_files(files, payload), payload, scratch)
    assert isinstance(opened, Opened)
    build, module = build_of(opened.engine)
    assert module is not None
    return sealed(files | {bundle_layout.BUILD: bundle_layout.as_json(build), bundle_layout.MODULE: module})
