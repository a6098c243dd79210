"""The author's key: made once, readable by its owner alone, and never asked for where nobody can answer."""

from __future__ import annotations

import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from soid.case.case import Case
from soid.case.custody import author_key as module
from soid.case.custody.author_key import author_key, key_file, protect
from soid.case.custody.ed25519 import fits, signing_key
from soid.errors import CaseError, LockedKey
from soid.examples import folder


@pytest.fixture
def home(tmp_path, monkeypatch) -> Path:
    """An account that has used soid never before."""
    for name in (module.VARIABLE, module.PASSPHRASE, module.PASSPHRASE_FILE):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return Path(tmp_path)


def never(file: Path) -> str:
    raise AssertionError("nobody may be asked")


def test_a_key_is_made_on_first_use_for_its_owner_alone(home):
    made = author_key(never)
    file = home / "config" / "soid" / "key.pem"
    assert made.made and made.file == file == key_file() and made.warning == ""
    assert stat.S_IMODE(file.stat().st_mode) == 0o600 and stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    again = author_key(never)
    assert not again.made and made.key is not None and again.key is not None
    assert again.key.public == made.key.public
    assert fits(made.key.public, again.key.sign(b"x"), b"x")
    assert [each.name for each in file.parent.iterdir()] == ["key.pem"]


def test_without_a_configuration_folder_it_is_in_the_home(home, monkeypatch):
    monkeypatch.delenv("XDG_CONFIG_HOME")
    monkeypatch.setenv("HOME", str(home))
    assert key_file() == home / ".config" / "soid" / "key.pem"


def test_the_environment_names_another_place_or_none(home, monkeypatch):
    monkeypatch.setenv(module.VARIABLE, str(home / "elsewhere" / "k.pem"))
    assert author_key().file == home / "elsewhere" / "k.pem"
    monkeypatch.setenv(module.VARIABLE, "none")
    found = author_key()
    assert found.key is None and found.warning == ""


def test_many_at_once_get_the_same_key(home):
    with ThreadPoolExecutor(16) as threads:
        found = list(threads.map(lambda _: author_key().key, range(64)))
    assert len({key.public for key in found if key is not None}) == 1 and None not in found


def test_a_passphrase_comes_from_the_environment_or_from_a_person(home, monkeypatch):
    made = author_key()
    assert made.key is not None and made.file is not None
    protect(made.file, made.key, "ü b")
    assert b"ENCRYPTED" in made.file.read_bytes() and stat.S_IMODE(made.file.stat().st_mode) == 0o600
    with pytest.raises(LockedKey, match="protected by a passphrase"):
        author_key()
    asked: list[Path] = []
    typed = author_key(lambda file: asked.append(file) or "ü b")  # type: ignore[func-returns-value]
    assert asked == [made.file] and typed.key is not None and typed.key.public == made.key.public
    with pytest.raises(LockedKey, match="does not open"):
        author_key(lambda _: "wrong")
    (home / "words").write_text("ü b\n")
    monkeypatch.setenv(module.PASSPHRASE_FILE, str(home / "words"))
    assert author_key(never).key is not None
    monkeypatch.setenv(module.PASSPHRASE, "wrong")
    with pytest.raises(LockedKey, match="does not open"):
        author_key(never)
    monkeypatch.setenv(module.PASSPHRASE, "ü b")
    assert author_key(never).key is not None
    protect(made.file, made.key, "")
    monkeypatch.delenv(module.PASSPHRASE)
    monkeypatch.delenv(module.PASSPHRASE_FILE)
    assert author_key(never).key is not None


def test_a_new_key_is_protected_by_the_passphrase_of_the_environment(home, monkeypatch):
    monkeypatch.setenv(module.PASSPHRASE, "secret")
    file = author_key().file
    assert file is not None and signing_key(file, b"secret").public
    with pytest.raises(LockedKey):
        signing_key(file)


def test_a_passphrase_file_that_is_missing_is_told(home, monkeypatch):
    monkeypatch.setenv(module.PASSPHRASE_FILE, str(home / "nowhere"))
    with pytest.raises(CaseError, match="SOID_KEY_PASSPHRASE_FILE"):
        author_key()


@pytest.mark.parametrize("text", ["", "nonsense", "-----BEGIN PRIVATE KEY-----\nMC4=\n-----END PRIVATE KEY-----\n"])
def test_a_file_that_is_no_key_is_never_replaced(home, monkeypatch, text):
    file = home / "k.pem"
    file.write_text(text)
    monkeypatch.setenv(module.VARIABLE, str(file))
    with pytest.raises(CaseError, match="no private key"):
        author_key()
    assert file.read_text() == text


def test_a_key_that_others_can_read_is_told(home):
    made = author_key()
    assert made.file is not None
    made.file.chmod(0o644)
    assert "chmod 600" in author_key().warning


def test_where_no_key_can_be_kept_entries_are_unsigned_and_that_is_said(home, monkeypatch):
    (home / "config").write_text("a file where a folder should be")
    found = author_key()
    assert found.key is None and "entries are not signed" in found.warning
    with Case.create(home / "oven.case", folder("microwave"), who="ada") as case:
        assert case.entries[0].key is None and any("not signed" in each for each in case.warnings)
    monkeypatch.setenv(module.VARIABLE, str(home / "config" / "k.pem"))  # somebody wanted this one
    with pytest.raises(CaseError, match="cannot be made"):
        author_key()


def test_a_locked_key_adds_no_unsigned_entry(home):
    """A server that cannot ask refuses; it does not go on without a signature."""
    made = author_key()
    with Case.create(home / "oven.case", folder("microwave"), who="ada") as case:
        count = len(case.entries)
    assert made.key is not None and made.file is not None
    protect(made.file, made.key, "secret")
    with Case.open(home / "oven.case") as case:
        with pytest.raises(LockedKey):
            case.note(1, "hm")
        assert len(case.entries) == count and case.custody().unsigned == ()
