"""People with tokens: the form, what each role sees, and what a browser cannot bring about by sending it."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from soid.case.case import Case
from soid.web.token_file import TokenFile, key_of, proof_of
from soid.web.user import UserRole
from tests.browser.conftest import SIZE, Original, Server
from tests.browser.working import ask, asking, chips, facts, ready, tab_to, tick, verdict


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory, original: Original) -> Path:
    cases = tmp_path_factory.mktemp("guarded")
    shutil.copyfile(original("microwave"), cases / "oven.case")
    return cases


@pytest.fixture(scope="module")
def tokens(place: Path) -> dict[str, str]:
    file = TokenFile.at(place)
    roles = {"ada": UserRole.ASK, "ben": UserRole.COMMENT, "cy": UserRole.READ}
    return {name: file.make(name, role) for name, role in roles.items()}


@pytest.fixture(scope="module")
def guarded(browser: Browser, place: Path, tokens: dict[str, str]) -> Iterator[Server]:
    running = Server(place)
    running.start()
    yield running
    running.stop()
    assert "Traceback" not in running.complaints(), running.complaints()


@pytest.fixture
def person(browser: Browser, guarded: Server, tokens: dict[str, str]) -> Iterator[object]:
    """Opens a page in a browser of one's own, with a token."""
    contexts = []

    def come(name: str, path: str) -> Page:
        contexts.append(browser.new_context(viewport=SIZE))
        page = contexts[-1].new_page()
        page.goto(guarded.url + path)
        page.get_by_label("Token").fill(tokens[name])
        page.keyboard.press("Enter")
        return page

    yield come
    for context in contexts:
        context.close()


def entries(place: Path) -> list[tuple[str, str]]:
    with Case.open(place / "oven.case", read_only=True) as case:
        return [(entry.kind.value, entry.who) for entry in case.entries]


def author(tokens: dict[str, str], name: str) -> str:
    return f"{name} (token {key_of(proof_of(tokens[name]))})"


def test_a_token_is_asked_for_by_a_form_and_says_who_one_is(person, guarded, browser, place, tokens, shot) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 800})
    page = context.new_page()
    page.goto(f"{guarded.url}/case/oven")
    expect(page.get_by_label("Token")).to_be_focused()
    shot(page, "form")
    page.keyboard.type("a wrong token, a wrong token")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("not known here")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    context.close()
    ada = ready(person("ada", "/case/oven"))
    assert "token" not in ada.url and ada.url.endswith("/case/oven")
    assert ada.evaluate("document.cookie") == ""  # no script reads it
    expect(ada.locator(".head .who")).to_contain_text("ada")
    asking(ada, "did", "action == CLOSE")
    ask(ada)
    expect(verdict(ada)).to_be_visible()
    expect(facts(ada)).to_contain_text(author(tokens, "ada"))
    assert entries(place)[1:] == [("asked", author(tokens, "ada")), ("answered", author(tokens, "ada"))]
    ada.get_by_role("link", name="Leave").click()
    expect(ada.get_by_label("Token")).to_be_visible()


def test_whoever_reads_or_comments_does_no_more_by_what_their_browser_sends(person, place, tokens, shot) -> None:
    ben, cy = ready(person("ben", "/case/oven")), ready(person("cy", "/case/oven"))
    expect(cy.get_by_role("button", name="Ask", exact=True)).to_be_disabled()
    expect(cy.get_by_text("Your token lets you read what was asked, not ask.")).to_be_visible()
    expect(cy.get_by_role("button", name="Note on entry 3")).to_have_count(0)
    expect(cy.locator(".guided .suggested")).to_contain_text("Would it always cancel, had the error light been true")
    expect(cy.locator(".guided .suggested button")).to_have_count(1)  # the question that has its answer
    run = cy.get_by_role("button", name="Run this script")
    expect(run).to_be_disabled()
    shot(cy, "reader")
    cy.goto(cy.url.partition("/case")[0])
    expect(cy.get_by_role("link", name="Check a bundle")).to_have_count(0)
    expect(cy.get_by_role("button", name="Manage")).to_have_count(0)
    cy.goto(f"{cy.url}verify")
    expect(cy.get_by_text("cy may read the cases, and no more")).to_be_visible()
    cy.goto(f"{cy.url.removesuffix('verify')}case/oven")
    ready(cy)
    before = entries(place)
    # an element that is disabled is so in the browser alone: each sends what a click would
    for page in (ben, cy):
        page.get_by_role("button", name="Ask", exact=True).evaluate("b => { b.disabled = false; b.click(); }")
        expect(page.locator(".notices")).to_contain_text("and no more")
    cy.locator(".notices").get_by_role("button", name="Close", exact=True).click()
    run.evaluate("b => { b.disabled = false; b.click(); }")
    expect(cy.locator(".notices")).to_contain_text("and no more")
    ben.get_by_role("button", name="Note on entry 3").click()
    ben.get_by_label("Your note").fill("<img src=x onerror=alert(1)>")
    ben.get_by_role("button", name="Add the note").click()
    expect(facts(ben)).to_contain_text("<img src=x onerror=alert(1)>")
    expect(facts(ben)).to_contain_text(" UTC:")  # when it was made
    assert ben.locator("img").count() == 0
    assert entries(place) == [*before, ("note", author(tokens, "ben"))]
    tab_to(ben, ben.get_by_label("Note on the case", exact=True))
    ben.keyboard.type("settled out of court")
    ben.keyboard.press("Enter")
    expect(ben.locator(".notes .note")).to_contain_text("settled out of court")
    expect(cy.locator(".notes .note")).to_contain_text(author(tokens, "ben"))
    expect(cy.get_by_role("button", name="Take back the note")).to_have_count(0)
    ben.set_viewport_size({"width": 390, "height": 800})
    shot(ben, "notes")
    assert ben.evaluate("document.documentElement.scrollWidth") <= 390
    ben.locator(".notes").get_by_role("button", name="Take back the note").click()
    expect(ben.locator(".notes .note")).to_have_count(0)
    assert [kind for kind, _ in entries(place)[len(before) :]] == ["note", "note", "retracted"]


def test_what_one_composed_is_not_there_for_the_next_with_another_token_in_the_same_tab(person, tokens) -> None:
    page = ready(person("ada", "/case/oven"))
    tick(page, "the heater", "true")
    expect(chips(page)).to_have_count(1)
    page.reload()
    expect(chips(ready(page))).to_have_count(1)
    page.goto(page.url.partition("?")[0])  # not what the address says, but what the tab has kept
    expect(chips(ready(page))).to_have_count(1)
    page.get_by_role("link", name="Leave").click()
    page.get_by_label("Token").fill(tokens["ben"])
    page.keyboard.press("Enter")
    expect(page.locator(".head .who")).to_contain_text("ben")  # before that the form is under way
    page.goto(f"{page.url.partition('?')[0].rstrip('/')}/case/oven")
    expect(ready(page).locator(".head .who")).to_contain_text("ben")
    expect(chips(page)).to_have_count(0)


def test_a_browser_cannot_speak_for_another_users_page(person, place) -> None:
    ada, cy = ready(person("ada", "/case/oven")), ready(person("cy", "/case/oven"))
    before = entries(place)
    client = ada.evaluate("() => window.soid_client ?? (window.socket?.io?.opts?.query?.client_id)")
    assert client  # ada's page, by its id, which nobody could guess
    button = ada.get_by_role("button", name="Ask", exact=True)
    number = int(re.sub(r"\D", "", str(button.get_attribute("id"))))
    ada.evaluate(
        """() => { const emit = window.socket.emit.bind(window.socket);
        window.sent = []; window.socket.emit = (...args) => { window.sent.push(args); return emit(...args); }; }"""
    )
    button.click()
    expect(verdict(ada)).to_be_visible()
    asked = entries(place)
    assert len(asked) == len(before) + 2
    message = ada.evaluate(
        "number => window.sent.find(each => each[0] === 'event' && each[1].id === number)[1]", number
    )
    assert message["client_id"] == client
    cy.evaluate("message => window.socket.emit('event', message)", message)
    cy.get_by_role("button", name="might", exact=True).click()  # by the same socket, later: that one is heard
    expect(cy.get_by_role("button", name="might", exact=True)).to_have_attribute("aria-pressed", "true")
    asking(ada, "did", "action == CANCEL")
    ask(ada)
    expect(facts(ada)).to_have_count(2)
    assert entries(place) == [*asked, *asked[-2:]]


def test_messages_without_form_are_dropped_and_write_nothing_into_the_servers_log(person, guarded) -> None:
    cy, before = ready(person("cy", "/case/oven")), guarded.complaints()
    cy.evaluate(
        """() => { const id = window.soid_client ?? window.socket.io.opts.query.client_id;
        for (const name of ["event", "ack", "log", "javascript_response", "handshake"])
          for (const sent of ["x", null, [1], {}, {client_id: 7}, {client_id: id}, {client_id: [id]},
              {client_id: id, id: "a", listener_id: "b", args: {}}, {client_id: id, id: 9, args: ["{"]},
              {client_id: id, tab_id: [1], document_id: {}}, {client_id: id, level: "error", message: "spoofed"}])
            window.socket.emit(name, sent); }"""
    )
    cy.get_by_role("button", name="might", exact=True).click()  # by the same socket, later
    expect(cy.get_by_role("button", name="might", exact=True)).to_have_attribute("aria-pressed", "true")
    cy.reload()
    ready(cy)
    assert guarded.complaints() == before


def test_a_token_that_is_revoked_ends_the_page(person, place, tokens) -> None:
    tokens["eve"] = TokenFile.at(place).make("eve", UserRole.ASK)
    eve = ready(person("eve", "/case/oven"))
    before = entries(place)
    TokenFile.at(place).revoke("eve")
    eve.get_by_role("button", name="Ask", exact=True).click()
    eve.wait_for_function("() => !window.socket.connected")
    assert entries(place) == before
    eve.reload()
    expect(eve.get_by_label("Token")).to_be_visible()
