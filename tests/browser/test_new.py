"""New cases on the page: from uploaded files, and from a run of the crash."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from soid.examples import folder
from tests.browser.conftest import Opening
from tests.browser.working import ask, asking, centre, drag, handle, question, ready, suppose, verdict

SOURCE = """struct seen { float distance; int signal; };
struct plan { int go; };

void decide(const struct seen *seen, struct plan *plan)
{
    plan->go = seen->distance > 2.5f && seen->signal != 1;
}
"""
LOG = "step,seen.distance,seen.signal,plan.go,weather\n0,1.5,0,0,fair\n1,3.0,2,1,rain\n"


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "decide.c").write_text(SOURCE.replace("seen->signal != 1;", "sein->signal != 1;"))
    (tmp_path / "log.csv").write_text(LOG.replace("3.0", "far"))
    return tmp_path


def upload(page: Page, *files: Path) -> None:
    page.get_by_label("Program and log").set_input_files([str(file) for file in files])


def test_a_new_case_from_a_learned_model(opening: Opening, tmp_path: Path, shot) -> None:
    """Nothing is typed but the title: columns, domains and the threshold are proposed from the log."""
    page = opening("/")
    page.get_by_role("link", name="New case from files").click()
    expect(page.get_by_role("heading", name="New case")).to_be_visible()
    (tmp_path / "model.pkl").write_bytes(b"\x80\x04.")
    upload(page, tmp_path / "model.pkl")
    expect(page.locator(".problem").first).to_contain_text("'model.pkl' is a pickle")
    (tmp_path / "lending.json").write_bytes((folder("lending") / "lending.json").read_bytes()[:9000])
    upload(page, tmp_path / "lending.json", folder("lending") / "applications.csv")
    expect(page.get_by_text("This is no proper XGBoost model")).to_be_visible()
    shot(page, "broken-model")
    upload(page, folder("lending") / "lending.json")
    expect(page.get_by_label("The decision:")).to_have_value(
        "approve = probability >= 0.5 guessed between 0.26511395 and 0.9057041"
    )
    expect(page.get_by_text("The log fits the program: 6 steps, 0 to 5.")).to_be_visible()
    expect(page.get_by_label("To of income")).to_have_value("5000")
    expect(page.get_by_label("The function that decides")).to_be_hidden()
    page.get_by_label("Title", exact=True).fill("A loan refused")
    shot(page, "model")
    page.get_by_role("button", name="Save").click()
    page.wait_for_url("**/case/A-loan-refused")
    ready(page)
    shot(page, "model-case")
    ask(page)
    expect(verdict(page)).to_be_visible()
    shot(page, "model-answer")
    # what somebody could have changed has a direction, for which nothing is typed
    asking(page, "might", "approve")
    suppose(page, "income", "not below the fact")
    expect(question(page)).to_contain_text("if income >= fact(income)")
    shot(page, "model-direction")
    ask(page)
    expect(verdict(page)).to_be_visible()
    shot(page, "model-direction-answer")


def test_files_keep_their_names_and_what_is_too_large_or_no_text_is_told(
    opening: Opening, tmp_path: Path, shot
) -> None:
    page = opening("/new", viewport={"width": 390, "height": 800})
    log, program, huge = tmp_path / "Log of Ms Moss <b>.CSV", tmp_path / f"{'d' * 180}.c", tmp_path / "huge.csv"
    log.write_text("step,seen.distance,seen.signal,plan.go\n0,1.5,0,0\n1,3.0,2,1\n")
    program.write_text(SOURCE)
    huge.write_bytes(bytes(50 << 20))
    upload(page, huge, log, program)
    expect(page.locator(".problem").first).to_contain_text("huge.csv is too large: 50 MiB. At most 8 MiB can be sent.")
    expect(page.locator("ul.files")).to_contain_text("Log of Ms Moss <b>.CSV")
    expect(page.locator("ul.files")).to_contain_text("here as Log_of_Ms_Moss_b_.csv")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390  # though a name has no blank in it
    page.get_by_label("The function that decides:").select_option("decide")
    expect(page.get_by_text("The log fits the program: 2 steps")).to_be_visible()
    page.get_by_label("Title", exact=True).fill("Moss")
    page.get_by_role("button", name="Save").click()
    page.wait_for_url("**/case/Moss")
    expect(ready(page).locator(".head")).to_contain_text("log Log of Ms Moss <b>.CSV")
    with page.expect_download() as printed:
        page.get_by_role("button", name="Report as PDF").click()
    assert printed.value.suggested_filename == "Moss.pdf"
    assert Path(printed.value.path()).read_bytes().startswith(b"%PDF")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_a_new_case_from_files(opening: Opening, files: Path, shot) -> None:
    page = opening("/")
    page.get_by_role("link", name="New case from files").click()
    expect(page.get_by_role("heading", name="New case")).to_be_visible()
    save = page.get_by_role("button", name="Save")
    expect(save).to_be_disabled()
    # what is no source is refused by name
    (files / "notes.exe").write_bytes(b"MZ")
    upload(page, files / "notes.exe")
    expect(page.locator(".problem").first).to_contain_text("'notes.exe' is neither program nor log")
    # the compiler's errors stand with their file, with the line that is meant
    upload(page, files / "decide.c", files / "log.csv")
    wrong = page.locator(".files li", has_text="decide.c").locator(".places")
    expect(wrong).to_contain_text("decide.c, line 6")
    expect(wrong).to_contain_text("sein->signal != 1")
    shot(page, "compiler")
    (files / "decide.c").write_text(SOURCE)
    upload(page, files / "decide.c")
    expect(wrong).to_have_count(0)
    # the entry is one of the functions that there are; then its variables are listed
    page.get_by_label("The function that decides").select_option("decide")
    row = page.locator("table.declared tbody tr")
    expect(row).to_have_count(3)
    # what is nothing to the program is named, and left out
    expect(page.locator(".files li", has_text="log.csv")).to_contain_text("weather is no variable of the program")
    page.get_by_label("columns of the log to leave out").fill("weather")
    # the log's errors stand with the file and with the variable
    expect(page.locator(".files li", has_text="log.csv")).to_contain_text("log.csv, line 3")
    expect(row.filter(has_text="seen.distance")).to_contain_text("far")
    shot(page, "log")
    (files / "log.csv").write_text(LOG)
    upload(page, files / "log.csv")
    expect(page.get_by_text("The log fits the program: 2 steps, 0 to 1.")).to_be_visible()
    # roles, domains, labels, units
    for what, text in (("From", "0"), ("To", "50"), ("Unit", "m"), ("Words", "the distance")):
        page.get_by_label(f"{what} of seen.distance").fill(text)
        page.get_by_label(f"{what} of seen.distance").press("Tab")
    page.get_by_label("Labels of seen.signal").fill("NONE = 0, LEFT")
    page.get_by_label("Labels of seen.signal").press("Tab")
    expect(row.filter(has_text="seen.signal")).to_contain_text("'LEFT' is no label")
    page.get_by_label("Labels of seen.signal").fill("NONE = 0, LEFT = 1, RIGHT = 2")
    page.get_by_label("Labels of seen.signal").press("Tab")
    page.get_by_label("Title", exact=True).fill("The distance kept")
    expect(row.filter(has_text="seen.distance")).to_contain_text("0.0 to 50.0")
    expect(row.filter(has_text="seen.signal")).to_contain_text("NONE, LEFT, RIGHT")
    expect(save).to_be_enabled()
    shot(page, "declared")
    save.dblclick()  # as some do with every button: one case all the same
    page.wait_for_url("**/case/The-distance-kept")
    ready(page)
    expect(page.get_by_role("heading", name="The distance kept")).to_be_visible()
    ask(page)
    expect(verdict(page)).to_be_visible()


def test_the_crash_run_from_the_page(opening: Opening, shot) -> None:
    page = opening("/")
    page.get_by_role("link", name="Run the crash").click()
    handle(page, "B").wait_for()
    page.get_by_label("Who drives A").select_option("impatient")
    # by mouse along its way; by keyboard; by a number
    before = centre(handle(page, "B"))
    drag(page, handle(page, "A"), 0, -600)  # it is put as far as it can be
    expect(page.get_by_label("A, the investigated car: starts after")).to_have_value("2.33")
    drag(page, handle(page, "B"), 25, 8)
    starts = page.get_by_label("B, the other car: starts after")
    expect(starts).not_to_have_value("0.296")
    assert centre(handle(page, "B"))[1] == pytest.approx(before[1], abs=2)  # it stays on its way
    handle(page, "B").press("Shift+ArrowRight")
    speed = page.get_by_label("B, the other car: speed at the start")
    speed.fill("7")
    expect(page.get_by_text("Speed at the start: 7.0 is out of range")).to_be_visible()
    asked = page.get_by_role("button", name="Ask about this moment")
    expect(asked).to_be_disabled()
    speed.fill("0")  # a value
    expect(asked).to_be_enabled()
    page.get_by_role("button", name="Add a car").click()
    handle(page, "C").wait_for()
    shot(page, "placed")
    page.get_by_role("button", name="Remove C").click()
    expect(handle(page, "C")).to_have_count(0)
    page.get_by_role("button", name="As it was in the crash").click()
    expect(starts).to_have_value("0.296")
    asked.dblclick()  # one run all the same
    page.wait_for_url("**/case/run-of-the-impatient-driver")
    ready(page)
    ask(page)
    expect(verdict(page)).to_have_text("yes")
    expect(question(page)).to_have_text("did move")


def halted(page: Page, step: int) -> Locator:
    """What stands under the run when it is halted before a step."""
    expect(page.get_by_role("heading", name=f"The cars before step {step}")).to_be_visible()
    return page.locator(".run .called")


def test_a_run_is_halted_and_changed_by_mouse(opening: Opening, shot) -> None:
    page = opening("/crash")
    handle(page, "B").wait_for()
    page.get_by_role("button", name="Play the run").click()
    film = page.locator(".run .moving")
    expect(film.locator('[data-look]:not([display="none"])')).to_have_count(2)  # all cars, and their marks
    expect(film.get_by_text("A", exact=True)).to_be_visible()
    slider = page.get_by_role("slider", name="Step of the run")
    expect(slider).to_have_attribute("aria-valuetext", re.compile("^step [3-9]"))
    expect(page.locator(".settings")).to_have_js_property("inert", True)  # of the moment that it was halted at
    page.get_by_role("button", name="Pause the run").click()
    expect(handle(page, "B")).to_be_visible()  # it stands where it was halted
    expect(page.locator(".settings")).to_have_js_property("inert", False)
    slider.fill("10")
    called = halted(page, 10)
    page.get_by_label("B, the other car: signals").select_option("STRAIGHT")
    expect(called).to_contain_text("changed by hand: B was made to signal no turn")
    before = page.get_by_label("B, the other car: has come").input_value()
    drag(page, handle(page, "B"), -25, 2)
    expect(page.get_by_label("B, the other car: has come")).not_to_have_value(before)
    expect(called).to_contain_text("m back")
    page.get_by_role("button", name="Undo the last change").click()
    expect(called).not_to_contain_text("m back")
    for mark in "CDE":
        page.get_by_role("button", name="Add a car").click()
        handle(page, mark).wait_for()
    expect(page.get_by_role("button", name="Add a car")).to_be_disabled()
    expect(page.locator(".run")).to_contain_text("E a fifth car")
    page.get_by_role("button", name="One step of the run on").click()
    expect(halted(page, 11)).to_contain_text("A decides to stay")
    page.reload()  # in the middle
    expect(halted(page, 11)).to_contain_text("A decides to stay")
    expect(page.locator(".by-hand")).to_contain_text("B was made to signal no turn; C was added")
    shot(page, "changed")
    page.get_by_role("button", name="Ask about this moment").click()
    page.wait_for_url("**/case/run-of-the-standard-driver-changed-by-hand")
    ready(page)
    expect(page.get_by_role("heading", name="step 11,")).to_be_visible()
    ask(page)
    expect(verdict(page)).to_have_text("no")
    expect(page.locator(".answer")).to_contain_text("the run that was logged was changed by hand")
    expect(page.get_by_text("by hand B was made to signal no turn").first).to_be_attached()  # the case's story


def test_a_run_is_halted_and_changed_by_keys_on_a_phone(opening: Opening, shot) -> None:
    page = opening("/crash", viewport={"width": 390, "height": 844}, reduced_motion="reduce")
    handle(page, "B").wait_for()
    expect(page.get_by_text("your system asks for less motion")).to_be_visible()
    expect(page.get_by_role("button", name="Play the run")).to_have_count(0)
    slider = page.get_by_role("slider", name="Step of the run")
    slider.focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    called = halted(page, 3)
    handle(page, "B").press("Shift+ArrowRight")
    expect(called).to_contain_text("B was put 0.099 m further on")
    expect(handle(page, "B")).to_be_focused()
    slider.focus()
    page.keyboard.press("End")
    expect(page.get_by_text("The run is over. Go back to change something.")).to_be_visible()
    expect(handle(page, "B")).to_have_count(0)
    expect(page.get_by_role("button", name=re.compile("^Go to step 3, .*by hand"))).to_be_visible()
    page.get_by_role("button", name=re.compile("^Go to step 3, .*by hand")).press("Enter")
    halted(page, 3)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    shot(page)
