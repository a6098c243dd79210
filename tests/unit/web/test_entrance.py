"""The form for a token: what it tells, where it leads, and how often one may try."""

import re

import pytest

from soid.case.case import default_user
from soid.web.access import AccessPolicy
from soid.web.entrance import WrongTokens
from soid.web.token_file import TokenFile, key_of, proof_of
from soid.web.user import UserRole
from tests.unit.web.conftest import caller, served


@pytest.fixture(scope="module")
def tokens(tmp_path_factory):
    return TokenFile.at(tmp_path_factory.mktemp("tokens"))


@pytest.fixture(scope="module")
def ada(tokens):
    return tokens.make("ada", UserRole.ASK)


@pytest.fixture
def guarded(desk, tokens, ada):
    """A server of one's own: it counts the wrong tokens of an address."""
    with served(desk, AccessPolicy("127.0.0.1", tokens=tokens)) as url:
        yield url


def enter(browser, url, token, to="/api/cases", **headers):
    return browser.post(f"{url}/enter", data={"token": token, "to": to}, headers={"origin": url, **headers})


def test_the_form_is_the_same_for_what_is_there_and_what_is_not(guarded):
    with caller(guarded) as browser:
        there, missing = browser.get("/case/oven"), browser.get("/case/none")
        assert there.status_code == missing.status_code == 401
        assert there.text.replace("/case/oven", "") == missing.text.replace("/case/none", "")
        assert "oven" not in there.text.replace("/case/oven", "")
        assert '<label for="token">' in there.text and 'type="password"' in there.text
        assert (
            there.headers["cache-control"] == "no-store"
            and "script-src 'self'" in there.headers["content-security-policy"]
        )
        assert browser.get("/api/cases").json()["cause"] == "this server needs a token"


def test_the_form_lets_in_and_leads_back(guarded, ada):
    with caller(guarded) as browser:
        entered = enter(browser, guarded, f"  {ada} ", "/api/cases?after=1&token=old")
        assert (entered.status_code, entered.headers["location"]) == (303, "/api/cases?after=1")
        cookie = entered.headers["set-cookie"]
        assert "HttpOnly" in cookie and "SameSite=Strict" in cookie and ada not in cookie
        assert browser.get("/api/cases").status_code == 200
        left = browser.get("/leave")
        assert left.headers["location"] == "/" and "Max-Age=0" in left.headers["set-cookie"]
        assert browser.get("/api/cases").status_code == 401


@pytest.mark.parametrize(
    "to", ["//evil.example", "/\\evil.example", "https://evil.example/", "\r\nset-cookie: a=b", "javascript:1"]
)
def test_the_form_leads_to_no_other_server(guarded, ada, to):
    with caller(guarded) as browser:
        place = enter(browser, guarded, ada, to)
        assert re.match(r"/(?![/\\])", place.headers["location"])
        assert len(place.headers.get_list("set-cookie")) == 1


def test_what_was_asked_for_is_no_markup_in_the_form(guarded):
    with caller(guarded) as browser:
        for place in ("/%22%3E%3Cscript%3Ealert(1)%3C/script%3E", '/?a="><script>alert(1)</script>'):
            page = browser.get(guarded + place).text
            assert "<script" not in page and '"><' not in page.partition('name="to"')[2].partition("\n")[0][:-1].strip(
                '">'
            )


def test_another_sites_page_fills_in_no_form(guarded, ada):
    with caller(guarded) as browser:
        for origin in ("http://evil.example", "null"):
            answer = enter(browser, guarded, ada, origin=origin)
            assert answer.status_code == 403 and "set-cookie" not in answer.headers
        assert browser.post("/enter", data={"token": ada}).status_code == 403  # no browser says no origin


def test_a_wrong_token_is_told_and_too_many_are_not_looked_at(guarded, ada):
    with caller(guarded) as browser, caller(guarded) as inside:
        assert enter(inside, guarded, ada).status_code == 303
        for number in range(10):
            wrong = enter(browser, guarded, f"wrong token, wrong token {number}")
            assert wrong.status_code == 401 and 'role="alert"' in wrong.text and "wrong token" not in wrong.text
        assert enter(browser, guarded, ada).status_code == 429
        for answer in (
            browser.get("/", params={"token": ada}),
            browser.get("/", headers={"authorization": f"Bearer {ada}"}),
        ):
            assert answer.status_code == 429 and "set-cookie" not in answer.headers
        assert inside.get("/api/cases").status_code == 200  # who is in stays in


def test_wrong_tokens_are_forgotten_and_counted_by_address():
    now = 0.0
    wrong = WrongTokens(lambda: now)
    for _ in range(20):  # of a program that does not know that its token was revoked
        wrong.count("a", "the same")
    assert not wrong.is_over("a")
    for number in range(9):
        wrong.count("a", f"guess {number}")
    assert wrong.is_over("a") and not wrong.is_over("b")
    now = 61.0
    assert not wrong.is_over("a")


def test_the_token_that_the_command_was_given_is_a_user_too(desk):
    given = "a token that is long enough"
    with served(desk, AccessPolicy("127.0.0.1", given)) as url, caller(url, {"x-soid": "1"}) as program:
        bearer = {"authorization": f"Bearer {given}"}
        noted = program.post("/api/cases/oven/notes", json={"entry": 1, "text": "hm"}, headers=bearer).json()
        assert noted["who"] == f"{default_user()} (token {key_of(proof_of(given))})"


def test_another_sites_page_leads_nobody_out(guarded, ada):
    with caller(guarded) as browser:
        enter(browser, guarded, ada)
        for site in ("cross-site", "same-site"):
            led = browser.get("/leave", headers={"sec-fetch-site": site, "sec-fetch-dest": "document"})
            assert led.status_code == 403 and "set-cookie" not in led.headers
        assert browser.get("/api/cases").status_code == 200
        assert "Max-Age=0" in browser.get("/leave", headers={"sec-fetch-site": "same-origin"}).headers["set-cookie"]


def test_another_sites_link_makes_nobody_somebody_else(guarded, ada, tokens):
    eve = tokens.make("eve", UserRole.ASK)
    with caller(guarded) as browser:
        enter(browser, guarded, ada)
        # browsers do not send a strict cookie with such a request, and would keep the one of its answer
        led = browser.get("/api/cases", params={"token": eve}, headers={"sec-fetch-site": "cross-site"})
        assert led.status_code == 401 and "set-cookie" not in led.headers
        page = browser.get("/case/oven", params={"token": f'{eve}"><b>'}, headers={"sec-fetch-site": "cross-site"})
        assert "Another site" in page.text and f'value="{eve}&quot;&gt;&lt;b&gt;"' in page.text
        noted = browser.post("/api/cases/oven/notes", json={"entry": 1, "text": "hm"}, headers={"x-soid": "1"})
        assert noted.json()["who"] == f"ada (token {key_of(proof_of(ada))})"
    tokens.revoke("eve")
