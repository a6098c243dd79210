from dataclasses import replace
from fractions import Fraction

import pytest

from soid.errors import QueryError
from soid.program.trace_table import LogClock
from soid.query.language.query_parser import parse
from soid.query.language.query_printer import to_text
from soid.query.python import after, at_step, did, from_step, might, throughout, until, within, would
from soid.query.steps import MOST, ONE, Over, Steps
from soid.query.variables import Variables
from soid.query.words import sentence
from soid.scenario.future import Future
from soid.scenario.step_times import RunningClock, StepTime
from soid.scenario.supposition import supposition_text
from soid.scenario.trace import Step, Trace
from tests.unit.query.queries import INTERFACE

v = Variables(INTERFACE)


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("did move", None),
        ("did move after 1 step", Steps(Over.AFTER, 1)),
        ("did move within 5 steps", Steps(Over.WITHIN, 5)),
        ("would not move or started throughout 12 steps if x within 0.1 of fact", Steps(Over.THROUGHOUT, 12)),
        ("might n == 3 within 5 steps if n is anything", Steps(Over.WITHIN, 5)),
        ("would move after 3 steps as logged if error", Steps(Over.AFTER, 3, Future.AS_LOGGED)),
        ("would move after 3 steps held if error", Steps(Over.AFTER, 3, Future.HELD)),
        ("would move after 3 steps anything if error", Steps(Over.AFTER, 3, Future.ANYTHING)),
    ],
)
def test_steps_follow_the_behavior(text: str, steps: Steps | None) -> None:
    query = parse(text, INTERFACE)
    assert query.steps == steps
    assert query.period == (steps or ONE)
    assert to_text(query) == text


@pytest.mark.parametrize(
    "supposed",
    [
        "error from step 230",
        "n == 3 at step 231 and error from step 230 to step 239 and x is any bits from step 7",
        "(error or n == 3) from step 230",
        "(error and n == 3) from step 230 and x is anything",
        "not error at step 3",
        "error at 46.2s and n == 3 from 500 ms to 1:30",
        "(error or n == 3) from step 7 to @2026-05-09T15:00:44Z and x is anything to 1:02:03.5",
        "error to step 239",
        "error from 45s until move",
        "error until move",
        "(error or n == 3) from step 230 until (move and not started') and x is anything until not move",
    ],
)
def test_what_is_supposed_may_have_steps(supposed: str) -> None:
    text = f"might move within 5 steps if {supposed}"
    assert to_text(parse(text, INTERFACE)) == text


@pytest.mark.parametrize(
    ("supposed", "complaint"),
    [
        ("started from step 5", "started is what the program remembers"),
        ("n == fact(n) from step 5", "`fact` means the moment asked about"),
        ("x within 0.1 of fact at step 5", "`fact` means the moment asked about"),
        ("n == 1.5 from step 5", "1.5"),
        ("nosuch from step 5", "there is no variable nosuch"),
        ("move from step 5", "no input"),
    ],
)
def test_what_cannot_be_supposed_of_later_steps(supposed: str, complaint: str) -> None:
    with pytest.raises(QueryError, match=complaint):
        parse(f"might move within 5 steps if {supposed}", INTERFACE)


@pytest.mark.parametrize(
    ("supposed", "complaint"),
    [
        ("error until x > 1.0", "`until` speaks of what the program does, and x is what it is given"),
        ("error until started", "Write started' for the state after the call"),
        ("error until move'", "move is what the call itself gives"),
        ("error until fails", "takes no `fails` or `decides`"),
        ("error until decides", "takes no `fails` or `decides`"),
        ("error until move == fact(move)", "takes no fact"),
        ("error until true", "speaks of nothing that the program does"),
        ("error until move > 3", "move"),
        ("error until nowhere", "there is no variable nowhere"),
        ("started until move", "started is what the program remembers"),
        ("x within 1 of fact until move", "`fact` means the moment asked about"),
        ("error at step 3 until move", "`at step 3` says already when it ends"),
        ("error from step 3 to step 4 until move", "`from step 3 to step 4` says already when it ends"),
        ("keep x until move", "takes no steps"),
        ("error until x is anything", "is no formula"),
        ("error until move until move", "expected"),
    ],
)
def test_what_until_cannot_say(supposed: str, complaint: str) -> None:
    with pytest.raises(QueryError, match=complaint):
        parse(f"might move within 5 steps if {supposed}", INTERFACE)


def test_until_is_for_several_steps() -> None:
    with pytest.raises(QueryError, match="nothing may differ"):
        parse("did move within 5 steps if error until move", INTERFACE)


def test_until_binds_tighter_than_and() -> None:
    query = parse("might move after 9 steps if error until not move and (x > 1.0 or x < 0.0) until (move or started')")
    assert [supposition_text(each) for each in query.suppositions] == [
        "error until not move",
        "(x > 1.0 or x < 0.0) until (move or started')",
    ]


def test_variables_may_have_the_words_of_futures() -> None:
    text = "would held == logged within 4 steps held if from == at and anything_ is anything and as in {1, 2}"
    assert to_text(parse(text)) == text


def test_steps_are_words_after_a_number_only() -> None:
    text = "would steps == 3 within 4 steps if step is anything and steps within 2 of fact"
    assert to_text(parse(text)) == text


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("did move within 0 steps", f"Give a number from 1 to {MOST}"),
        (f"did move after {MOST + 1} steps", "is no number of steps"),
        (f"did move within {MOST**6} steps", "is no number of steps"),
        ("did move after five steps", "expected a number of steps"),
        ("did move throughout 2", "expected a number of steps"),
        ("did move within 5 steps and started", "expected `if` or the end"),
        ("did (move within 5 steps)", r"expected `\)`"),
        ("did move throughtout 5 steps", "Did you mean throughout"),
        ("would move if x within 5 steps", "expected the end"),
        ("did move within 5 steps held", "`did` asks about what happened, which is in the log"),
        ("would move held if error", "expected"),
        ("would move after 3 steps frozen if error", "`as logged`, `held` or `anything`"),
        ("would move after 3 steps if error from 7", "Steps are written `at step 231`"),
        ("would move after 3 steps if error at 7.5", "or by the log's clock: `at 46.2s`"),
        ("would move after 3 steps if error until step 7", "Write `to step 7`, which includes that step"),
        ("would move after 3 steps if error until 1:30 and n == 3", "Write `to 1:30`"),
        ("would move after 3 steps if error from step 5 until 46.2  s", "Write `to 46.2 s`"),
        ("would move if error at 3s to 5s", "Write `from 3s to 5s`"),
        ("would move within 3 s if error", "is said in steps: `within 15 steps`"),
        ("would move if error at step 3 to step 5", "`at` is for one step"),
        ("would move if error from step 5 to step 3", "Write `from step 3 to step 5`"),
        ("would move if keep x from step 5", "takes no steps"),
        ("would move if x > 1.0 or error from step 5", "is no formula"),
        ("would move from step 5", "is no formula"),
    ],
)
def test_slips(text: str, complaint: str) -> None:
    with pytest.raises(QueryError, match=complaint):
        parse(text)


def test_steps_in_python() -> None:
    assert did(v.move, steps=within(5)) == parse("did move within 5 steps")
    assert would(v.move, steps=throughout(2)).given(v.error) == parse("would move throughout 2 steps if error")
    assert might(v.move, steps=after(3)).given(v.error) == parse("might move after 3 steps if error")
    with pytest.raises(QueryError, match="is no number of steps"):
        within(0)
    asked = might(v.move, steps=after(3, "held")).given(from_step(7, v.error), at_step(9, v.n == 3))
    assert asked == parse("might move after 3 steps held if error from step 7 and n == 3 at step 9")
    assert (
        from_step(7, v.x.anything(), to=8) == parse("might move if x is anything from step 7 to step 8").suppositions[0]
    )
    timed = [from_step("45s", v.error, to="1:30"), at_step("@7000", v.n == 3)]
    assert might(v.move).given(*timed) == parse("might move if error from 45s to 1:30 and n == 3 at @7000")
    with pytest.raises(QueryError, match="'soon' is no time"):
        at_step("soon", v.error)
    asked = might(v.move, steps=after(3)).given(until(v.move, v.error), until(v.started.after, from_step(7, v.n == 3)))
    assert asked == parse("might move after 3 steps if error until move and n == 3 from step 7 until started'")
    with pytest.raises(QueryError, match="says already when it ends"):
        until(v.move, at_step(7, v.error))
    with pytest.raises(QueryError, match="takes no steps"):
        until(v.move, v.x.keep())
    with pytest.raises(QueryError, match="'frozen' is no future"):
        after(3, "frozen")
    with pytest.raises(QueryError, match="takes no steps"):
        at_step(3, v.x.keep())


STAYING = ", with all that it perceives staying as at that moment?"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("did move after 1 step", 'Did it decide for "move"?'),
        ("did not move within 5 steps", 'Did it decide against "move" at least once in 5 steps?'),
        (
            "might fails within 2 steps held if n is anything",
            "Might it ever fail at least once in 2 steps, whatever n had been" + STAYING,
        ),
        (
            "would move after 3 steps as logged if error and x is anything and started and n > 3 at step 9 and keep n",
            (
                'Would it always decide for "move" in the last of 3 steps, had error been true from then on, started '
                "been true and n been more than 3 at step 9, whatever x had been from then on, always the same, "
                "with n as in fact, with everything else as it was recorded afterwards?"
            ),
        ),
        (
            "might move after 3 steps anything if x is anything from step 5",
            (
                'Might it ever decide for "move" in the last of 3 steps, whatever x had been from step 5 on, '
                "always the same, whatever it had perceived afterwards?"
            ),
        ),
        (
            "might move after 3 steps as logged if error until move and x is anything from step 5 until started'",
            (
                'Might it ever decide for "move" in the last of 3 steps, had error been true until it decides for '
                '"move", whatever x had been from step 5 until started after the call is true, always the same, '
                "with everything else as it was recorded afterwards?"
            ),
        ),
        (
            "would move throughout 3 steps held if error",
            'Would it always decide for "move" in each of 3 steps, had error been true' + STAYING,
        ),
        (
            "would move after 3 steps held if error",
            'Would it always decide for "move" in the last of 3 steps, had error been true' + STAYING,
        ),
    ],
)
def test_sentence(text: str, words: str) -> None:
    assert sentence(parse(text, INTERFACE), INTERFACE) == words


# --- times ----------------------------------------------------------------------------------------------------

CLOCK = RunningClock(LogClock("t", "s"), Fraction(0))


def logged(*times: str) -> Trace:
    inputs = dict.fromkeys((variable.path for variable in INTERFACE.inputs), 0)
    steps = (Step(7 + n, inputs, {}, when=StepTime(time, CLOCK)) for n, time in enumerate(times))
    return Trace(INTERFACE, tuple(steps), "log.csv")


TIMED = logged("0", "0.5", "1", "1", "2.5")  # steps 7 to 11


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("at 0.5s", "at step 8"),
        ("at 0.7s", "at step 8"),
        ("at 1s", "at step 10"),  # the last of two that were logged at once
        ("from 500 ms", "from step 8"),
        ("from 0.1s to 0.2s", "at step 7"),
        ("from 0:00 to 0:02", "from step 7 to step 10"),
        ("from step 7 to @2.5", "from step 7 to step 11"),
        ("to 0.5s", "to step 8"),
        ("from 0.5s until move", "from step 8 until move"),
        ("at step 99", "at step 99"),  # whether the question is about it is seen later
    ],
)
def test_a_time_is_the_last_step_logged_then_or_before(written: str, meant: str) -> None:
    query = parse(f"would move within 3 steps if error {written}", INTERFACE, TIMED)
    assert to_text(query) == f"would move within 3 steps if error {meant}"
    assert parse(to_text(query), INTERFACE, TIMED) == query


@pytest.mark.parametrize(
    ("written", "log", "cause", "remedy"),
    [
        ("from 3s", TIMED, "log.csv has no step at 3s", "Its times go from 0 s to 2.5 s since its first row"),
        ("to @2026-05-09", TIMED, "expected a time in s", "Write it as the log does: @0."),
        ("from 2.5s to 1s", TIMED, "1s is before 2.5s", "Write `from 1s to 2.5s`."),
        ("at 1s", Trace(INTERFACE, (replace(TIMED.steps[0], when=None),)), "does not say when its", "[trace] time ="),
    ],
)
def test_a_time_that_means_no_step(written: str, log: Trace, cause: str, remedy: str) -> None:
    with pytest.raises(QueryError, match=cause) as found:
        parse(f"would move within 3 steps if error {written}", INTERFACE, log)
    assert remedy in found.value.remedy and "^" in found.value.cause


def test_a_time_needs_a_log() -> None:
    query = parse("would move within 3 steps if error at 1s", INTERFACE)
    with pytest.raises(QueryError, match="1s is a time, and there is no log here"):
        query.course(TIMED.keyframe(7))


def test_the_sentence_tells_a_step_with_its_time() -> None:
    supposed = "error from 0.5s to 1s and n == 3 at step 11 and x is anything to step 9"
    query = parse(f"would move within 5 steps if {supposed}", INTERFACE, TIMED)
    assert sentence(query, INTERFACE, log=TIMED) == (
        'Would it always decide for "move" at least once in 5 steps, had error been true from step 8 (0.5 s) to step '
        "10 (1 s) and n been 3 at step 11 (2.5 s), whatever x had been up to step 9 (1 s), always the same?"
    )
