"""Evidence that somebody else has made: verified on the page, and opened as a case."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from playwright.sync_api import expect

from soid.case.case import Case
from soid.evidence.bundle import bundle
from soid.examples import folder
from tests.browser.test_axe import found as axe_finds
from tests.browser.working import facts, ready, tab_to


@pytest.fixture(scope="module")
def evidence(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("evidence")
    with Case.create(place / "oven.case", folder("microwave"), title="The oven of <b>Ms Moss</b>") as case:
        case.ask("might action == CANCEL if heat is anything")
    file = place / "Moss v. Oven (final).zip"
    file.write_bytes(bundle(place / "oven.case").data)
    return file


def test_a_bundle_is_verified_told_in_words_and_opened_as_a_case(opening, evidence, shot) -> None:
    page = opening("/")
    page.get_by_role("link", name="Check a bundle").click()
    page.get_by_label("Bundle", exact=True).set_input_files(evidence)
    found = page.locator("ol.verified > li")
    expect(found).to_have_count(1)
    expect(found).to_contain_text("Proved again")
    expect(page.get_by_role("heading", name="The oven of <b>Ms Moss</b>")).to_be_visible()
    expect(page.get_by_text("Moss v. Oven (final).zip, SHA-256")).to_be_visible()
    shot(page, "wide")
    assert axe_finds(page) == []
    page.set_viewport_size({"width": 390, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    shot(page, "narrow")
    page.emulate_media(color_scheme="dark")
    shot(page, "dark")
    tab_to(page, page.get_by_role("button", name="Open it as a case"))
    page.keyboard.press("Enter")
    page.wait_for_url("**/case/Moss-v-Oven-final")
    expect(facts(ready(page))).to_have_count(1)


def test_what_is_no_bundle_is_refused_in_a_sentence(opening, evidence, tmp_path, shot) -> None:
    page = opening("/verify", viewport={"width": 390, "height": 800})
    chosen, alert = page.get_by_label("Bundle", exact=True), page.get_by_role("alert")
    for name, data, why in (
        ("noise.zip", b"PK\3\4" + os.urandom(1 << 20), "This is no bundle: it does not end as a zip file"),
        ("changed.zip", evidence.read_bytes().replace(b"CANCEL", b"CLOSED"), "its checksum does not fit"),
        ("log.csv", b"a,b\n", "log.csv is no bundle. The name of one ends with .zip."),
        ("huge.zip", b"PK\3\4" + bytes(65 << 20), "huge.zip is too large: 66 MiB. At most 64 MiB can be sent."),
    ):
        file = tmp_path / name
        file.write_bytes(data)
        chosen.set_input_files(file)
        expect(alert).to_contain_text(why)
    shot(page, "refused")
    page.get_by_label("Fingerprint").fill("0" * 64)  # a key that has not signed it
    chosen.set_input_files(evidence)
    expect(alert).to_contain_text("The bundle is not signed, and a key was given. Ask for a signed one, or")
    tab_to(page, page.get_by_label("Fingerprint"))
    page.keyboard.press("Control+a")
    page.keyboard.press("Delete")
    tab_to(page, page.get_by_role("button", name="Check it again"))
    page.keyboard.press("Enter")
    expect(page.locator("ol.verified > li")).to_contain_text("Proved again")
    expect(alert).to_have_text("")
