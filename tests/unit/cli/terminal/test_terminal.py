import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from soid.cli.terminal.terminal import Terminal

WORDS = st.text("abcdefghijklmnop[]", min_size=1, max_size=12)
NUMBERS = st.floats(allow_nan=False).map(repr)


def terminal(width: int = 80, **options) -> tuple[Terminal, io.StringIO]:
    stream = io.StringIO()
    return Terminal(Console(file=stream, width=width, highlight=False, markup=False, emoji=False, **options)), stream


@given(rows=st.lists(st.tuples(WORDS, NUMBERS, NUMBERS), min_size=1, max_size=4), width=st.integers(10, 120))
def test_no_terminal_is_too_narrow_for_numbers(rows, width):
    out, stream = terminal(width)
    out.table(("variable", "in fact", "in the scenario"), rows)
    text = stream.getvalue()
    for cells in rows:
        for cell in cells:
            assert cell in text


@given(texts=st.lists(st.one_of(WORDS, NUMBERS), min_size=1), width=st.integers(10, 120))
def test_prose_wraps_between_words_only(texts, width):
    out, stream = terminal(width)
    out.prose(" ".join(texts))
    assert stream.getvalue().split() == texts


def test_wrapped_columns_keep_their_words():
    out, stream = terminal(40)
    out.table(("variable", "meaning"), [("speed", "how fast the vehicle goes over the ground")], wraps=("meaning",))
    lines = stream.getvalue().splitlines()
    assert len(lines) > 3
    assert max(map(len, lines)) <= 40
    assert " ".join(stream.getvalue().split()).count("vehicle") == 1


def test_columns_without_content_are_left_out():
    out, stream = terminal()
    out.table(("variable", "unit"), [("closed", ""), ("heat", "")])
    assert "unit" not in stream.getvalue()


def test_text_is_never_read_as_markup():
    out, stream = terminal()
    out.prose("world.agents[1].pos_x [red]x[/red] :smile:")
    out.table(("variable",), [("world.agents[1].pos_x",)])
    assert "world.agents[1].pos_x [red]x[/red] :smile:" in stream.getvalue()
    assert stream.getvalue().count("agents[1]") == 2


def test_a_stream_that_only_knows_ascii_gets_ascii():
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding="ascii", write_through=True)
    out = Terminal(Console(file=stream, width=60))
    out.rule("Question", "step 3")
    out.table(("a", "b"), [("1", "2")])
    assert out.either("✔", "+") == "+"
    raw.getvalue().decode("ascii")


@pytest.mark.parametrize("colour", [True, False])
def test_control_codes_are_for_terminals_only(colour):
    out, stream = terminal(force_terminal=colour)
    out.rule("Question")
    out.prose("words", style="bold red")
    out.table(("a",), [("1",)], marked=0)
    assert ("\x1b" in stream.getvalue()) == colour
