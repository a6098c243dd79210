"""The record: written entries stay, changes are detected, and the chain never forks."""

from __future__ import annotations

import hashlib
import itertools
import json
import random
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from alembic.script import ScriptDirectory
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import create_engine, inspect

from soid.case.case import Case
from soid.case.record import schema
from soid.case.record.entry import GENESIS, Entry, EntryKind, canonical, seal
from soid.case.record.record import Record
from soid.errors import CaseError, ChainError
from soid.examples import folder

MOMENT = "2030-01-02T03:04:05.000Z"


def note(record: Record, text: str) -> Entry:
    return record.append(EntryKind.NOTE, {"on": 1, "text": text}, who="ada", when=MOMENT)


def tampered(file: Path, *statements: str, parameters: tuple[object, ...] = ()) -> Path:
    """Changed by someone who knows how to get past the guards."""
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA synchronous = OFF")
        guards = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'")]
        for guard in guards:
            connection.execute(f"DROP TRIGGER {guard}")
        for statement in statements:
            connection.execute(statement, parameters)
        connection.commit()
    return file


# --- entries --------------------------------------------------------------------------------------------------


def test_the_hash_is_what_the_documentation_says():
    """Computed here from the description alone: later versions must come to the same."""
    entry = Entry.make(7, EntryKind.NOTE, "ada", MOMENT, {"text": "ä", "on": 1, "x": 0.1}, GENESIS)
    payload = r'{"on":1,"text":"\u00e4","x":0.1}'
    fields = {"number": 7, "kind": "note", "who": "ada", "when": MOMENT, "payload": payload, "previous": "0" * 64}
    text = json.dumps(fields, sort_keys=True, separators=(",", ":"))
    assert (entry.text, entry.hash) == (payload, hashlib.sha256(text.encode()).hexdigest())
    assert entry.hash == "c3cee7e533ccd3c1de8bd3909c1deb98cb38ec2f556e92d70191fdcffe038074"


def test_no_json_that_others_could_not_read_is_hashed():
    with pytest.raises(ValueError, match="JSON compliant"):
        canonical({"x": float("nan")})


def test_what_was_appended_is_there(oven):
    record = Record(oven)
    entries = [note(record, text) for text in ("one", "zwei \ud800 \x00 ü")]
    again = Record(oven).entries
    assert again[-2:] == tuple(entries)
    assert again[-1].payload["text"] == "zwei \ud800 \x00 ü"
    assert [entry.number for entry in again] == list(range(1, len(again) + 1))
    assert all(later.previous == earlier.hash for earlier, later in itertools.pairwise(again))


def test_one_file_is_all_there_is(oven):
    note(Record(oven), "here")
    assert [file.name for file in oven.parent.iterdir()] == ["oven.case"]


def test_what_another_process_adds_is_seen(oven):
    mine, theirs = Record(oven), Record(oven)
    first = note(mine, "mine")
    second = note(theirs, "theirs")
    assert mine.entries[-2:] == (first, second)
    assert note(mine, "mine again").previous == second.hash


def test_a_refused_entry_is_none(oven):
    record = Record(oven)
    before = record.entries

    def refuse(entries):
        assert entries == before
        raise CaseError("no")

    with pytest.raises(CaseError):
        record.append(EntryKind.NOTE, {"on": 1, "text": ""}, who="ada", when=MOMENT, check=refuse)
    assert Record(oven).entries == record.entries == before


def test_to_read_only_is_to_add_nothing(oven):
    record = Record(oven, read_only=True)
    with pytest.raises(CaseError, match="read only"):
        note(record, "no")


def test_a_file_that_cannot_be_written_can_be_read(oven):
    content = oven.read_bytes()
    oven.chmod(0o400)
    oven.parent.chmod(0o500)
    try:
        assert Record(oven, read_only=True).verify().number == 1
    finally:
        oven.parent.chmod(0o700)
    assert oven.read_bytes() == content


# --- files that are no cases ----------------------------------------------------------------------------------


def make(file: Path) -> Record:
    return Record.create(file, who="ada", when=MOMENT, payload={"files": []}, contents={})


def test_no_file_is_replaced(oven):
    content = oven.read_bytes()
    with pytest.raises(CaseError, match="there already"):
        make(oven)
    assert oven.read_bytes() == content


@pytest.mark.parametrize("notes", [0, 1])
def test_nothing_is_added_to_another_case_that_has_taken_the_place_of_the_one_that_was_read(oven, notes):
    """Also where it has as many entries: an entry that follows the other's last would break its chain for good."""
    before = Record(oven)
    entries = len(before.entries)
    oven.unlink()
    after = Case.create(oven, folder("microwave"), who="ben").record
    for number in range(entries - 1 + notes):
        note(after, f"note {number}")
    assert not before.is_current
    for use in (lambda: note(before, "by the old page"), lambda: before.entries):
        with pytest.raises(CaseError, match=f"{oven.name} is another case now"):
            use()
    assert len(after.entries) == entries + notes and after.verify() == after.entries[-1]


def test_an_entry_that_was_read_and_is_another_one_now_is_found(oven, tmp_path):
    case, other = Record(oven), Record(Path(shutil.copy(oven, tmp_path / "other.case")))
    last = note(case, "one").number
    note(other, "two")
    other.file.replace(oven)
    with pytest.raises(ChainError, match=f"entry {last} is not what was read before"):
        note(case, "three")


def test_a_case_that_cannot_be_made_leaves_nothing(tmp_path):
    with pytest.raises(TypeError):
        Record.create(tmp_path / "a.case", who="ada", when=MOMENT, payload={"files": object()}, contents={})
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(CaseError):
        make(tmp_path / "nowhere" / "a.case")


_KILLED = """
import os, signal, sys
from pathlib import Path
from soid.case.record import record
record.write_new.__globals__["os"].link = lambda *_, **__: os.kill(os.getpid(), signal.SIGKILL)
record.Record.create(Path(sys.argv[1]), who="ada", when="now", payload={"files": []}, contents={})
"""


def test_a_kill_leaves_no_part_of_a_case(tmp_path):
    ended = subprocess.run([sys.executable, "-c", _KILLED, tmp_path / "a.case"], check=False)
    assert ended.returncode == -signal.SIGKILL
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("content", [b"", b"SQLite format 3\x00", b"hello" * 1000])
def test_what_is_no_case_is_told(tmp_path, content):
    file = tmp_path / "a.case"
    file.write_bytes(content)
    with pytest.raises(CaseError, match="no case file"):
        Record(file)
    with pytest.raises(CaseError, match="no such case file"):
        Record(tmp_path / "b.case")


def test_another_database_is_no_case(tmp_path):
    with closing(sqlite3.connect(tmp_path / "a.db")) as connection:
        connection.execute("CREATE TABLE entries (number INTEGER)")
    with pytest.raises(CaseError, match="no case file"):
        Record(tmp_path / "a.db")


def test_a_newer_form_is_not_touched(oven):
    tampered(oven, "UPDATE alembic_version SET version_num = '9999'")
    content = oven.read_bytes()
    with pytest.raises(CaseError, match="does not know the form"):
        Record(oven)
    with pytest.raises(CaseError, match="a form that this version of soid does not know"):
        Record(oven, read_only=True)
    assert oven.read_bytes() == content


def test_a_kind_of_entry_that_nobody_knows_yet_is_told(oven):
    entry = Record(oven).entries[-1]
    new = Entry.make(entry.number + 1, EntryKind.NOTE, "ada", MOMENT, {}, entry.hash)
    sealed = seal(new.number, "verdict", new.who, new.when, new.text, new.previous)
    row = (new.number, "verdict", new.who, new.when, new.text, new.previous, sealed)
    tampered(oven, "INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?, ?, NULL, NULL)", parameters=row)
    with pytest.raises(CaseError, match=f"entry {new.number} is of a kind that this version"):
        Record(oven).verify()


def test_the_newest_migration_is_the_one_that_is_asked_for():
    scripts = ScriptDirectory(str(Path(schema.__file__).parent / "migrations"), version_locations=[
        str(Path(schema.__file__).parent / "migrations")
    ])  # fmt: skip
    assert scripts.get_heads() == [schema.NEWEST]


def test_the_migrations_lead_to_the_tables(oven):
    engine = create_engine(f"sqlite:///{oven}")
    found = inspect(engine)
    assert set(found.get_table_names()) == {*schema.METADATA.tables, "alembic_version"}
    for name, table in schema.METADATA.tables.items():
        columns = {column["name"]: (str(column["type"]), column["nullable"]) for column in found.get_columns(name)}
        assert columns == {column.name: (str(column.type), bool(column.nullable)) for column in table.columns}
    engine.dispose()


# --- tampering ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE entries SET who = 'eve' WHERE number = 1",
        "DELETE FROM entries WHERE number = 1",
        "UPDATE contents SET data = x'00'",
        "DELETE FROM contents",
        "INSERT INTO entries SELECT number + 100, kind, who, 'x', payload, previous, 'y', key, signature FROM entries",
        f"INSERT INTO entries VALUES (2, 'note', 'eve', 'x', '{{}}', '{GENESIS}', 'y', NULL, NULL)",
    ],
)
def test_the_file_itself_refuses_changes(oven, statement):
    with closing(sqlite3.connect(oven)) as connection, pytest.raises(sqlite3.IntegrityError):
        connection.execute(statement)


FIELDS = ("kind", "who", "when", "payload", "previous", "hash", "key", "signature")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
@given(data=st.data())
def test_whatever_is_changed_is_found_and_named(asked_case, tmp_path, data):
    """Any field of any entry, any byte of any file, any entry gone: the first one that is not right is named."""
    file = Path(shutil.copy(asked_case, tmp_path / "tampered.case"))
    entries = Record(file).entries
    count = len(entries)
    number = data.draw(st.integers(1, count))
    what = data.draw(st.sampled_from([*FIELDS, "number", "gone", "blob", "unsigned"]))
    if what == "gone":
        tampered(file, f"DELETE FROM entries WHERE number = {number}")
    elif what == "number":
        tampered(file, f"UPDATE entries SET number = {count + 1} WHERE number = {number}")
    elif what == "unsigned":
        field = data.draw(st.sampled_from(["key", "signature"]))
        value = data.draw(st.sampled_from(["NULL", "0", "''", "x''"]))
        tampered(file, f"UPDATE entries SET {field} = {value} WHERE number = {number}")
    elif what == "blob":
        field = data.draw(st.sampled_from(FIELDS))
        tampered(file, f'UPDATE entries SET "{field}" = CAST("{field}" AS BLOB) WHERE number = {number}')
    else:
        old = getattr(entries[number - 1], "text" if what == "payload" else what)
        old = old.value if isinstance(old, EntryKind) else old
        at = data.draw(st.integers(0, len(old)))
        sign = data.draw(st.characters(codec="utf-8"))
        new = data.draw(st.sampled_from([old[:at] + sign + old[at:], old[:at] + sign + old[at + 1 :], old[:at]]))
        if new == old:
            return
        tampered(file, f'UPDATE entries SET "{what}" = ? WHERE number = {number}', parameters=(new,))
    with pytest.raises(ChainError, match=rf"entry {number}\b|{number - 1} entries") as caught:
        Record(file).verify()
    assert caught.value.entry == number


def test_a_case_that_was_tampered_with_is_not_opened(asked):
    tampered(asked, "UPDATE entries SET payload = replace(payload, 'CANCEL', 'CLOSE') WHERE number = 4")
    with pytest.raises(ChainError, match="entry 4 is not what was written"):
        Case.open(asked)


@pytest.mark.parametrize("text", ['{"text": "x", "on": 1}', "[]", "nonsense", '{"on":1,"on":1,"text":"x"}', "[" * 9999])
def test_an_entry_whose_hash_fits_and_whose_form_does_not_is_found(oven, text):
    last = Record(oven).entries[-1]
    number = last.number + 1
    sealed = seal(number, "note", "eve", MOMENT, text, last.hash)
    row = (number, "note", "eve", MOMENT, text, last.hash, sealed)
    tampered(oven, "INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?, ?, NULL, NULL)", parameters=row)
    with pytest.raises(ChainError, match=f"entry {number} does not hold canonical JSON"):
        Record(oven).verify()


def test_an_entry_that_was_written_anew_is_found_by_the_one_after_it(asked):
    """A changed entry can get a hash that fits; the next entry still has the old hash."""
    entry = Record(asked).entries[3]
    text = entry.text.replace("CANCEL", "CLOSE")
    sealed = seal(entry.number, entry.kind.value, entry.who, entry.when, text, entry.previous, entry.key)
    tampered(asked, "UPDATE entries SET payload = ?, hash = ? WHERE number = 4", parameters=(text, sealed))
    with pytest.raises(ChainError, match="entry 5 does not follow the one before it"):
        Record(asked).verify()


def test_entries_cut_off_at_the_end_are_missed(asked):
    count = len(Record(asked).entries)
    tampered(asked, f"DELETE FROM entries WHERE number > {count - 2}")
    with pytest.raises(ChainError, match=f"there are {count - 2} entries, and {count} were written") as caught:
        Record(asked).verify()
    assert caught.value.entry == count - 1


@pytest.mark.parametrize("statement", ["UPDATE contents SET data = data || x'00'", "DELETE FROM contents"])
def test_a_held_file_that_was_changed_is_found(oven, statement):
    known = Record(oven).entries[0].payload["files"][2]["sha256"]
    tampered(oven, f"{statement} WHERE sha256 = '{known}'")
    with pytest.raises(ChainError, match=f"entry 1: the file with the hash {known}"):
        Record(oven).verify()


def test_a_file_that_was_smuggled_in_is_found(oven):
    content = hashlib.sha256(b"evil").hexdigest()
    tampered(oven, "INSERT INTO contents VALUES (?, ?)", parameters=(content, b"evil"))
    with pytest.raises(ChainError, match=content):
        Record(oven).verify()


def _rechained(file: Path, number: int, change: Callable[[dict[str, Any]], object]) -> Path:
    """With another payload in one entry, and hashes that fit: only the head of the chain is another one."""
    with closing(sqlite3.connect(file)) as connection:
        for guard in ("entries_refuse_update", "contents_refuse_update"):
            connection.execute(f"DROP TRIGGER {guard}")
        previous = GENESIS
        wanted = 'SELECT number, kind, who, "when", payload, key FROM entries ORDER BY number'
        for at, kind, who, when, text, key in connection.execute(wanted).fetchall():
            payload = json.loads(text)
            if at == number:
                change(payload)
            new = canonical(payload)
            fitting = seal(at, kind, who, when, new, previous, key)
            row = (new, previous, fitting, at)
            connection.execute("UPDATE entries SET payload = ?, previous = ?, hash = ? WHERE number = ?", row)
            previous = fitting
        connection.commit()
    return file


@pytest.mark.parametrize(
    "change",
    [
        lambda payload: payload.pop("files"),
        lambda payload: payload.update(files=7),
        lambda payload: payload.update(logs=[None]),
        lambda payload: payload["files"][0].pop("sha256"),
        lambda payload: payload.update(manifest={}),
    ],
)
def test_a_first_entry_of_another_form_is_told(oven, change):
    with pytest.raises(CaseError):
        Case.open(_rechained(oven, 1, change))


@pytest.mark.parametrize(
    "change",
    [
        lambda answer: answer.pop("bits"),
        lambda answer: answer["bits"].update(fact=7),
        lambda answer: answer["bits"].update(why="x"),
        lambda answer: answer["bits"]["witness"].update(inputs=[["heat", "zero"]]),
        lambda answer: answer.update(relies_on=[[]]),
    ],
)
def test_an_answer_of_another_form_is_told(asked, change):
    number = next(entry.number for entry in Record(asked).entries if entry.kind is EntryKind.ANSWERED)
    _rechained(asked, number, lambda payload: change(payload["answer"]))
    with Case.open(asked, read_only=True) as case, pytest.raises(CaseError, match="does not hold an answer"):
        case.recall(number)


def _with_bad_bytes(file: Path, statement: str) -> Path:
    """Changed so that SQLite takes bytes for text that are none."""
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA writable_schema = ON")
        for guard in ("entries_refuse_update", "contents_refuse_update"):
            connection.execute(f"DROP TRIGGER {guard}")
        connection.execute(statement)
        connection.commit()
    return file


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE sqlite_master SET sql = sql || CAST(x'ff' AS TEXT) WHERE name = 'entries_refuse_delete'",
        "UPDATE sqlite_master SET sql = CAST(x'c328' AS TEXT) || sql WHERE name = 'entries_follow_each_other'",
        "UPDATE sqlite_master SET sql = CAST(x'ff' AS TEXT) WHERE name = 'entries'",
        "UPDATE sqlite_master SET name = CAST(x'ff' AS TEXT), tbl_name = CAST(x'ff' AS TEXT) WHERE name = 'contents'",
        "UPDATE sqlite_master SET name = CAST(x'ff' AS TEXT) WHERE name = 'alembic_version'",
        "UPDATE alembic_version SET version_num = CAST(x'ff' AS TEXT)",
        "UPDATE alembic_version SET version_num = x'ff'",
        *(
            f"UPDATE entries SET \"{column}\" = CAST(x'ff' AS TEXT) WHERE number = 2"
            for column in ("kind", "who", "when", "payload", "previous", "hash")
        ),
        "UPDATE contents SET sha256 = CAST(x'ff' AS TEXT) WHERE rowid = 1",
        "UPDATE contents SET data = CAST(x'ff' AS TEXT)",
    ],
)
def test_bytes_that_are_no_text_are_told(asked, statement):
    _with_bad_bytes(asked, statement)
    with pytest.raises(CaseError) as told:
        Record(asked).verify()
    assert told.value.remedy


def test_no_byte_of_a_file_makes_anything_but_a_clear_error(asked, tmp_path):
    """Bytes are changed at random places, more often in the schema: the chain holds, or a CaseError says why not."""
    content = asked.read_bytes()
    outcomes = Counter[bool]()
    for seed in range(100):
        chance, changed = random.Random(seed), bytearray(content)
        for _ in range(chance.choice((1, 1, 3, 30))):
            place = chance.randrange(8192 if seed % 2 else len(content))
            changed[place] = chance.choice((0, 0x80, 0xFF, changed[place] ^ 1 << chance.randrange(8)))
        file = tmp_path / "changed.case"
        file.write_bytes(changed if seed % 10 else changed[: chance.randrange(len(content))])
        try:
            Record(file, read_only=True).verify()
        except CaseError:
            outcomes[False] += 1
        else:
            outcomes[True] += 1
    assert outcomes[False] > 20


# --- two processes --------------------------------------------------------------------------------------------

WRITER = """
import sys
from pathlib import Path
from soid.case.record.entry import EntryKind
from soid.case.record.record import Record
record = Record(Path(sys.argv[1]))
print("ready", flush=True)
sys.stdin.readline()
for number in range(50):
    record.append(EntryKind.NOTE, {"on": 1, "text": f"{sys.argv[2]} {number}"}, who=sys.argv[2], when="2030")
"""


def test_two_processes_make_one_chain(oven):
    before = len(Record(oven).entries)
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, str(oven), name], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        for name in ("ada", "ben")
    ]
    for writer in writers:
        assert writer.stdout is not None and writer.stdout.readline() == "ready\n"
    for writer in writers:  # both at once, and not one after the other has started
        assert writer.stdin is not None
        writer.stdin.write("go\n")
        writer.stdin.flush()
    for writer in writers:
        writer.communicate()
        assert writer.returncode == 0
    record = Record(oven)
    record.verify()
    notes = [entry.payload["text"] for entry in record.entries[before:]]
    for name in ("ada", "ben"):
        assert [text for text in notes if re.match(name, text)] == [f"{name} {number}" for number in range(50)]
    assert len(notes) == 100
