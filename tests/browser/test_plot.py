"""The log as a plot under its slider, and questions over several steps: by mouse and by keyboard."""

from __future__ import annotations

from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Opening
from tests.browser.working import ask, asking, chips, question, ready, tick, verdict

SIGNAL = "the other car's signal"
#: counts how often the curves are drawn, from now on
COUNT = """() => {
    window.drawn = 0;
    new MutationObserver(() => window.drawn++).observe(document.querySelector(".plot > div"), { childList: true });
}"""


def unfolded(page: Page) -> Locator:
    """The plot, which is folded where there is a scene."""
    page.get_by_text("The log as a plot").click()
    return page.locator(".plot")


def at_step(page: Page, step: int) -> None:
    """The heading, the cursor and its line agree; the line is where the plot has the step."""
    expect(page.get_by_role("heading", name=f"step {step},")).to_be_visible()
    expect(page.get_by_role("slider", name="Moment in the plot")).to_have_attribute("aria-valuenow", str(step))
    share = page.evaluate("""() => {
        const frame = document.querySelector(".plot [data-left]").dataset;
        const line = document.querySelector("[data-cursor]");
        const x = line.transform.baseVal.consolidate().matrix.e;
        return Number(frame.first) + ((x - frame.left) / frame.width) * (frame.last - frame.first + 1);
    }""")
    assert int(share) == step


def enter(page: Page, label: str, text: str) -> None:
    page.get_by_label(label).fill(text)
    page.get_by_label(label).press("Enter")


def times_are_seen(page: Page) -> None:
    """A log with a clock has times beside its steps, in the heading, below the plot and at the cursor."""
    plot, cursor = page.locator(".plot"), page.get_by_role("slider", name="Moment in the plot")
    for text, step, time in (("47.5s", 237, "47.4 s"), ("@1778338844000", 220, "44 s")):
        enter(page, "Go to a step", text)
        at_step(page, step)
        expect(page.get_by_role("heading", name=f"step {step}, {time},")).to_be_visible()
        expect(plot.locator("[data-moment]")).to_have_text(f"step {step}, {time}")
        expect(cursor).to_have_attribute("aria-valuetext", f"step {step}, {time}")
    enter(page, "Go to a step", "2 min")
    expect(page.locator(".scene .problem")).to_contain_text("from 0 s to 59.8 s since its first row")
    page.get_by_label("Plot from step").fill("40s")
    enter(page, "Plot to step", "0:48")
    expect(plot.locator("[data-first='200'][data-last='240']")).to_have_count(1)
    expect(plot).to_contain_text("46 s")
    enter(page, "Plot to step", "soon")
    expect(page.locator(".scene .problem")).to_contain_text("Soon is neither a step nor a time")


def test_the_log_is_seen_and_walked_through(opening: Opening, copied, shot) -> None:
    page = ready(opening(f"/case/{copied('crash-standard')}"))
    plot, cursor = unfolded(page), page.get_by_role("slider", name="Moment in the plot")
    expect(plot.locator("[data-track=move]")).to_have_count(1)
    expect(plot).to_contain_text("11 asked about")
    expect(plot.locator("[data-now=move]")).to_have_text("true")
    at_step(page, 11)
    page.evaluate(COUNT)
    # the cursor, by mouse and by keyboard
    box = plot.bounding_box()
    assert box is not None
    plot.click(position={"x": 10 + (box["width"] - 20) * 4.5 / 27, "y": box["height"] / 2})
    at_step(page, 4)
    page.keyboard.press("ArrowRight")
    at_step(page, 5)
    page.keyboard.press("End")
    at_step(page, 26)
    page.keyboard.press("p")  # where a decision changed
    at_step(page, 22)
    expect(plot.locator("[data-now=move]")).to_have_text("false")
    page.get_by_role("button", name="Next change").click()
    expect(page.locator(".scene")).to_contain_text("There is no later change of a decision.")
    enter(page, "Go to a step", "99")
    expect(page.locator(".scene .problem")).to_contain_text("The nearest is step 26")
    enter(page, "Go to a step", "11")
    at_step(page, 11)
    assert page.evaluate("window.drawn") == 0  # so far nothing else was drawn than the cursor
    # zoom, by keyboard and by typing; a moment that is not in view comes into it
    cursor.press("+")
    expect(page.get_by_label("Plot to step")).not_to_have_value("26")
    page.get_by_label("Plot from step").fill("12")
    enter(page, "Plot to step", "20")
    expect(plot.locator("[data-first='12'][data-last='20']")).to_have_count(1)
    page.get_by_role("button", name="One step on").click()
    at_step(page, 12)
    page.get_by_role("button", name="One step back").click()
    expect(plot.locator("[data-last='15']")).to_have_count(1)
    at_step(page, 11)
    cursor.press("0")
    expect(plot.locator("[data-first='0'][data-last='26']")).to_have_count(1)
    # a moment with a name is marked, and the choice of variables is remembered
    enter(page, "Name of this moment", "it <moves>")
    expect(plot).to_contain_text("11 it <moves>")
    page.get_by_text("Variables in the plot").click()
    page.get_by_label(f"Plot {SIGNAL}").check()
    expect(plot.locator('[data-track="world.agents[1].signal"]')).to_have_count(1)
    shot(page, "chosen")
    page.reload()
    expect(unfolded(page).locator('[data-track="world.agents[1].signal"]')).to_have_count(1)
    page.set_viewport_size({"width": 380, "height": 800})
    expect(plot.locator("svg[width='320'], svg[width='318'], svg[width='319']")).to_have_count(1)
    assert page.evaluate("document.documentElement.scrollWidth") <= 380
    shot(page, "narrow")
    times_are_seen(ready(opening(f"/case/{copied('drone')}")))


def test_a_question_over_several_steps_says_its_world(opening: Opening, copied, shot) -> None:
    page = ready(opening(f"/case/{copied('crash-standard')}"))
    asking(page, "might", "not move")
    tick(page, SIGNAL, "LEFT")
    expect(page.get_by_label(f"When {SIGNAL} differs")).to_be_hidden()  # there is one step only
    page.get_by_label("In which steps").select_option("within")
    page.get_by_label("How many steps").fill("20")
    world = page.get_by_role("group", name="The world after the first step")
    logged, held = (world.get_by_role("button", name=name) for name in ("as logged", "held"))
    expect(page.locator(".world")).to_contain_text("up to step 26 only, and 20 steps go to step 30")
    expect(logged).to_be_disabled()
    expect(page.get_by_role("button", name="Ask", exact=True)).to_be_disabled()
    held.click()
    expect(question(page)).to_contain_text("within 20 steps held")
    page.get_by_label("How many steps").fill("3")
    expect(logged).to_be_enabled()
    logged.click()
    expect(page.locator(".world")).to_contain_text("what was recorded")
    # what is supposed of some steps, and something else of others
    page.get_by_label(f"When {SIGNAL} differs").select_option("at")
    page.get_by_label(f"{SIGNAL}: first step").fill("12")
    expect(chips(page)).to_contain_text("is LEFT at step 12")
    page.get_by_role("button", name=f"Another on {SIGNAL}").click()
    page.get_by_label(f"{SIGNAL} (2): STRAIGHT").check()
    page.get_by_label(f"{SIGNAL} (2): first step").fill("13")
    other = "world.agents[1].signal"
    wanted = f"might not move within 3 steps as logged if {other} in {{LEFT}} at step 12 and {other} in {{STRAIGHT}}"
    expect(question(page)).to_have_text(f"{wanted} from step 13")
    shot(page, "composed")
    page.reload()
    expect(question(page)).to_have_text(f"{wanted} from step 13")
    ask(page)
    expect(verdict(page)).to_have_text("yes")
    page.get_by_role("button", name="Why? What mattered").click()
    mattered = page.locator(".why")
    expect(mattered).to_contain_text(f"{SIGNAL} from step 13 on: STRAIGHT instead of")
    expect(mattered).not_to_contain_text("@")
    shot(page, "explained")
