"""The file of tokens: what it keeps, who may touch it, and what a running server makes of a change."""

import json
import threading

import pytest

from soid.errors import InputError
from soid.web.access import AccessPolicy
from soid.web.token_file import FILE_NAME, TokenFile, proof_of, recognised_by
from soid.web.user import UserRole


@pytest.fixture
def tokens(tmp_path):
    return TokenFile.at(tmp_path)


def test_neither_a_token_nor_a_cookie_can_be_read_from_it(tokens):
    token = tokens.make("ada", UserRole.ASK)
    content = tokens.file.read_text()
    assert token not in content and proof_of(token) not in content
    assert json.loads(content)["tokens"][0].keys() == {"name", "role", "key", "proof", "made"}
    shown = json.loads(content)["tokens"][0]["proof"]
    assert tokens.user(shown) is None and tokens.user(proof_of(shown)) is None
    assert recognised_by(proof_of(token)) == shown
    assert tokens.file.stat().st_mode & 0o777 == 0o600


def test_a_server_hears_of_a_change_at_once(tokens, tmp_path):
    serving = TokenFile.at(tmp_path)
    assert not serving.is_in_use and serving.user(proof_of("x" * 20)) is None
    ada, ben = tokens.make("ada", UserRole.ASK), tokens.make("ben", UserRole.READ)
    assert serving.is_in_use and serving.user(proof_of(ben)).role is UserRole.READ
    tokens.revoke(serving.user(proof_of(ada)).key)
    assert serving.user(proof_of(ada)) is None and serving.user(proof_of(ben)).name == "ben"
    tokens.revoke("ben")
    assert serving.is_in_use and serving.known == ()  # nobody may come in, which is not that everybody may


@pytest.mark.parametrize("name", ["", " ada", "ada (token 00)", "a\nb", "\u202eada", "x" * 61, "<b>", "-ada", "ada\0"])
def test_a_name_that_could_be_taken_for_something_else_is_refused(tokens, name):
    with pytest.raises(InputError):
        tokens.make(name, UserRole.READ)
    assert not tokens.is_in_use


@pytest.mark.parametrize(
    "content", ["", "[]", "{}", '{"format": "soid tokens 1", "tokens": [{"name": "eve"}]}', "[" * 100_000]
)
def test_a_file_that_is_none_lets_nobody_in(tokens, content):
    tokens.file.write_text(content)
    tokens.file.chmod(0o600)
    assert tokens.is_in_use and tokens.user(proof_of("x" * 20)) is None
    with pytest.raises(InputError):
        _ = tokens.known


def test_a_file_that_others_may_change_lets_nobody_in(tokens, tmp_path):
    token = tokens.make("ada", UserRole.ASK)
    serving = TokenFile.at(tmp_path)
    assert serving.user(proof_of(token)) is not None
    for mode in (0o644, 0o620, 0o666):
        tokens.file.chmod(mode)
        assert serving.user(proof_of(token)) is None
        with pytest.raises(InputError, match="others"):
            _ = serving.known
    tokens.file.chmod(0o600)
    assert serving.user(proof_of(token)) is not None


def test_a_link_is_not_followed(tokens, tmp_path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    token = TokenFile.at(elsewhere).make("eve", UserRole.ASK)
    tokens.file.symlink_to(elsewhere / FILE_NAME)
    assert tokens.is_in_use and tokens.user(proof_of(token)) is None


def test_two_who_make_tokens_at_once_lose_none(tokens, tmp_path):
    made = [threading.Thread(target=TokenFile.at(tmp_path).make, args=(f"p{n}", UserRole.READ)) for n in range(12)]
    for each in made:
        each.start()
    for each in made:
        each.join()
    assert sorted(each.name for each in tokens.known) == sorted(f"p{n}" for n in range(12))


def test_what_is_not_there_cannot_be_revoked(tokens):
    with pytest.raises(InputError):
        tokens.revoke("nobody")


def test_a_file_that_is_moved_away_lets_nobody_in(tokens, tmp_path):
    token = tokens.make("ada", UserRole.ASK)
    serving = TokenFile.at(tmp_path)
    access = AccessPolicy("0.0.0.0", tokens=serving)
    ada = access.user_of_token(token)
    assert ada is not None
    away = tokens.file.rename(tmp_path / "away")
    assert access.demands_token and access.user_of(None) is None and access.user_of_token(token) is None
    away.rename(tokens.file)
    assert access.user_of(None) is None and access.user_of_token(token) == ada
