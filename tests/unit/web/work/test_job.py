"""What a job says of an error is bounded: a page has an element for each place that it names."""

from soid.web.work.job import Trouble


def test_of_thousands_of_places_the_first_are_listed():
    cause = "refused:\n" + "".join(f"oven.c:{line}:1: error: odd\n | x\n" for line in range(1, 9_000))
    places = Trouble("CompileError", cause, "").places
    assert [place["line"] for place in places] == list(range(1, len(places) + 1)) and 10 < len(places) <= 50
