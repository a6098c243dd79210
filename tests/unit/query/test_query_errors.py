import pytest

from soid.errors import QueryError, SortMismatchError, UnknownVariableError
from soid.query.language.query_errors import draw
from soid.query.language.query_parser import parse, parse_behavior, parse_suppositions
from soid.scenario.expression import TextSpan
from tests.unit.query.queries import INTERFACE

# text; a line of carets below it; words of the cause; words of the remedy
SYNTAX = [
    ("woud move", "^^^^", "expected `did`, `would` or `might`, found 'woud'", "Did you mean would?"),
    ("move == 1", "^^^^", "expected `did`, `would` or `might`", "begins with did, would (always) or might (ever)"),
    ("did", "   ^", "ends too early: expected a variable or a value", ""),
    ("did move ==", "           ^", "ends too early", ""),
    ("did (move", "         ^", "expected `)`", ""),
    ("did x in 3", "         ^", "expected `{`, found '3'", ""),
    ("did x in {1", "           ^", "`}`", ""),
    ("did abs x", "        ^", "a comparison", ""),
    ("did move move", "         ^^^^", "a comparison", ""),
    ("would x if x within 3", "                     ^", "expected `of fact`", ""),
    ("would x if keep 3", "                ^", "expected a variable", ""),
    ("did x = 1", "      ^", "'=' means nothing here", "compared with =="),
    ("did x && y", "       ^", "expected a variable or a value, found '&'", "`and`"),
    ("did x || y", "       ^", "expected a variable or a value, found '|'", "`or`"),
    ("did x => 1", "      ^", "'=' means nothing here", ">="),
    ("did x ^ 2 > 3", "      ^", "'^' means nothing here", "x * x; exclusive or of bits is written x xor y"),
    ("did x ** 2 > 3", "         ^", "found '2'", "no powers: write x * x"),
    ("did x in [1, 2]", "         ^", "'[' means nothing here", "in {1, 2}"),
    ("did x in (1, 2)", "         ^", "expected `{`", "in {1, 2}"),
    ("did x in 1..3", "         ^", "expected `{`", "in {1..3}"),
    ("did x is between 1 and 2", "                 ^", "found '1'", "1.0 <= x <= 1.5"),
    ("did x is greater than 2", "                 ^^^^", "found 'than'", "Compare with <, <=, > or >="),
    ("did x is at least 2", "            ^^^^^", "found 'least'", "at least >="),
    ("did x equals 2", "      ^^^^^^", "found 'equals'", "compared with =="),
    ("did x <> 2", "       ^", "found '>'", "!="),
    ("did x -> y", "       ^", "found '>'", "implies"),
    ("did x == 'A", "         ^", "expected a variable or a value, found", "'A'"),
    ("did x == 'é'", "         ^^^", "another number in each encoding", "UTF-8"),
    ("did min(x) > 1", "    ^^^^^^", "min takes two numbers or more, and this is 1", "Write min(x, y)."),
    ("did float32(x, y) > 1", "    ^^^^^^^^^^^^^", "takes one number, and this is 2", "Write float32(x)."),
    ('did smtlib("x) (")', "           ^^^^^^", "not one SMT-LIB formula", "one term of sort Bool"),
    ('did smtlib("(x))")', "           ^^^^^^", "closes that was never opened", ""),
    ('did smtlib("true true")', "           ^^^^^^^^^^^", "not one SMT-LIB formula", "one term of sort Bool"),
    ("did x between 1 and 2", "      ^^^^^^^", "found 'between'", "1.0 <= x <= 1.5"),
    ("did x > 1, y > 1", "         ^", "found ','", "`and`. A number has no comma"),
    ("did x'' == 1", "      ^", "found", "One prime is enough"),
    ("did p'.mode == 1", "      ^", "a prime stands at the end", "p.mode'"),
    ("did x == 1.5f", "            ^", "found 'f'", "no suffix"),
    ("did x & 0b101 == 1", "         ^^^^", "found 'b101'", "0x1f"),
    ("did isnan(x)", "         ^", "found '('", "`x is nan`"),
    ("did strcmp(x, y) == 0", "          ^", "found '('", 'name == "abc"'),
    ("did int(x) == 0", "       ^", "found '('", "int32(x)"),
    ("did (int)x == 0", "         ^", "found 'x'", "int32(x)"),
    ("did floor(x) == 0", "         ^", "found '('", "int64(x)"),
    ("did tan(x) == 0", "       ^", "found '('", "smtlib"),
    ("did x mod 2 == 0", "      ^^^", "found 'mod'", "x % 2"),
    ("did x div 2 == 0", "      ^^^", "found 'div'", "//"),
    ("did x++ == 0", "      ^", "found '+'", "x + 1"),
    ("did x ~= 1.5", "      ^", "found '~'", "abs(x - 1.5) <= 0.1"),
    ("did if x then y", "    ^^", "found 'if'", "implies"),
    ("would x if y is any", " " * 19 + "^", "expected `bits`", "`is anything`"),
    ("did a iff b iff c", "            ^^^", "found 'iff'", ""),
    ("did !x", "    ^", "'!' means nothing here", "`not`"),
    ("did x == .5", "         ^", "'.' means nothing here", "0.5"),
    ('did x == "LEFT', "         ^", "means nothing here", "ends with another quote"),
    ("did move?", "        ^", "'?' means nothing here", "no question mark"),
    ("did x == bits", "         ^^^^", "found 'bits'", "in backticks: `bits`"),
    ("did x ==\n# why\n 3 3", "   ^", "(line 3)", ""),
    ("did keep x", "    ^^^^^^", "`keep x` is no formula", "after `if`"),
    ("would x if x > 1 or keep y", "                    ^^^^^^", "only `and` may join it", ""),
    ("would x if not x is anything", "               ^^^^^^^^^^^^^", "`x is anything` is no formula", ""),
    ("did x within 0.1 of fact", "    ^^^^^^^^^^^^^^^^^^^^", "is no formula", "abs(x - fact(x)) <= 0.1"),
    ("would x if 3 is anything", "           ^", "only a variable can be anything", ""),
    ("would x if started' is anything", "           ^^^^^^^^", "before the call", "without the prime"),
    ("did x if y", "         ^", "`did` asks about what happened", "`would`"),
]

MEANING = [
    ("did mvoe", UnknownVariableError, "    ^^^^", "there is no variable mvoe", "Did you mean move?"),
    ("did speed > 1", UnknownVariableError, "    ^^^^^", "no variable speed", "Did you mean world.agents[1].speed?"),
    ("did qqq > 1", UnknownVariableError, "    ^^^", "no variable qqq", "lists the program's variables"),
    ("did fact(mvoe)", UnknownVariableError, "    ^^^^^^^^^^", "no variable mvoe", "Did you mean move?"),
    ("would move if keep mvoe", UnknownVariableError, " " * 14 + "^" * 9, "no variable mvoe", "Did you mean move?"),
    ("did choice == LEFFT", UnknownVariableError, " " * 14 + "^^^^^", "has no label LEFFT", "Did you mean LEFT?"),
    ("did choice == left", UnknownVariableError, " " * 14 + "^^^^", "has no label left", "Did you mean LEFT?"),
    (
        "did choice in {LEFT, ZZZ}",
        UnknownVariableError,
        " " * 21 + "^^^",
        "no label ZZZ",
        "OFF, LEFT, RIGHT, two words",
    ),
    ("did n == 300", SortMismatchError, " " * 9 + "^^^", "from 0 to 255 is never 300", "< or >"),
    ("did n in {1, 2.5}", SortMismatchError, " " * 13 + "^^^", "is never 2.5", ""),
    ("did brake == 1e39", SortMismatchError, " " * 13 + "^^^^", "too large for float32", "inf"),
    (
        "did brake == nan",
        SortMismatchError,
        " " * 13 + "^^^",
        "nothing compares with nan",
        "`is nan`, or `is not nan`; after `if`, `is any bits`",
    ),
    ("did brake", SortMismatchError, "    ^^^^^", "neither true nor false", "!= 0"),
    ("did choice", SortMismatchError, "    ^^^^^^", "neither true nor false", "== OFF"),
    ("did 1", SortMismatchError, "    ^", "neither true nor false", ""),
    (
        "did choice < LEFT",
        SortMismatchError,
        " " * 13 + "^^^^",
        "has no order",
        "in {OFF, LEFT, ...}; or compare its number: uint8",
    ),
    ("did 1 <= choice <= 2", SortMismatchError, "    ^", "has no order", "List the values"),
    ("did choice in {LEFT..RIGHT}", SortMismatchError, " " * 15 + "^" * 11, "has no order", "List the values"),
    ("did move < true", SortMismatchError, " " * 11 + "^^^^", "a bool has no order", "=="),
    ("did choice == move", SortMismatchError, " " * 14 + "^^^^", "compared with a bool", "OFF"),
    ("did choice == 1", SortMismatchError, " " * 14 + "^", "has a label", "Write LEFT"),
    ("did move == 2", SortMismatchError, " " * 12 + "^", "a bool is compared with the number 2", "true or false"),
    ("did move == n", SortMismatchError, " " * 12 + "^", "a bool is compared with a whole number", ""),
    ('did move == "LEFT"', SortMismatchError, " " * 12 + "^" * 6, "is a text", "enumeration"),
    ("did x is NaN", UnknownVariableError, "         ^^^", "no variable NaN", "small letters"),
    ("did n == A", UnknownVariableError, "         ^", "no variable A", "written 'A'"),
    ("did n == true", SortMismatchError, "         ^^^^", "compared with a whole number", "!= 0"),
    ('did n == "A"', SortMismatchError, "         ^^^", "is a text", "written 'A'"),
    ("did x % 2 > 1", SortMismatchError, "    ^^^^^", "% is for whole numbers", "int64(x)"),
    ("did n // 0 > 1", SortMismatchError, "    ^^^^^^", "divides by zero", ""),
    ("did x & 1 == 1", SortMismatchError, "    ^^^^^", "bits are those of a whole number", "int32(x)"),
    ("did n / 2 & 1 == 1", SortMismatchError, "    ^^^^^^^^^", "this is a fraction", "int32(x)"),
    ("did n << count > 1", SortMismatchError, "    ^^^^^^^^^^", "shifts by up to 32767 bits", "x << (n & 31)"),
    ("did n >> -1 > 1", SortMismatchError, "    ^^^^^^^", "shifts by a negative number", "the other way"),
    ("did int8(300) > 1", SortMismatchError, "    ^^^^^^^^^", "300 is outside int8", "wider type"),
    ("did quot(n, 0.5) > 1", SortMismatchError, "    " + "^" * 12, "quot is for whole numbers", "Divide with /"),
    ("did min(n, inf) > 1", SortMismatchError, "    " + "^" * 11, "no numbers to compute with", ""),
    ("did choice + 1 > 1", SortMismatchError, "    ^^^^^^", "is no number to compute with", "uint8(...)"),
    ("did move + 1 > 1", SortMismatchError, "    ^^^^", "a bool is no number", "`and`"),
    ('did smtlib("(bvult n x)")', SortMismatchError, "    " + "^" * 21, "bvult does not take", "sorts"),
    ('did smtlib("(bvadd n n)")', SortMismatchError, "    " + "^" * 21, "a truth value, not (_ BitVec 8)", ""),
    ('did smtlib("(bvult n mvoe)")', UnknownVariableError, "    " + "^" * 24, "no variable mvoe", "Did you mean move?"),
    ("did x > 1 / 0", SortMismatchError, "        ^^^^^", "divides by zero", ""),
    ("did x is move", SortMismatchError, "         ^^^^", "this is a variable", "=="),
    ("did x == nan(0x7fc00001)", SortMismatchError, " " * 9 + "^" * 15, "is a bit pattern", "is nan(0x7fc00001)"),
    ("did n is bits(0x100)", SortMismatchError, " " * 9 + "^" * 11, "more than 8 bits", ""),
    ("did x in {3..1}", QueryError, " " * 10 + "^^^^", "range is empty", "smaller number first"),
    ("did x > 1e9999", QueryError, "        ^^^^^^", "beyond every type", ""),
    ("did move'", QueryError, "    ^^^^^", "takes no prime", "Write move."),
    ("did x'", QueryError, "    ^^", "not changed by the call", "Write x."),
    ("would move if move", QueryError, " " * 14 + "^^^^", "no input", "before `if`"),
    ("would move if x > fact(brake)", QueryError, " " * 18 + "^" * 11, "no input", ""),
    ("would move if started'", QueryError, " " * 14 + "^" * 8, "after the call", "Write started"),
    ("would move if fails", QueryError, " " * 14 + "^^^^^", "how it ends", "behavior"),
    ("would move if error or decides", QueryError, " " * 23 + "^^^^^^^", "how it ends", "behavior"),
    ("would move if x is anything and keep x", QueryError, " " * 14 + "^" * 13, "to vary and to be kept", "`keep x`"),
    ("would move if x is anything and x is any bits", QueryError, " " * 32 + "^" * 13, "any bits", "Leave out one"),
    ("would move if error within 1 of fact", SortMismatchError, " " * 14 + "^" * 22, "nearness is for numbers", ""),
    ("would move if x within -1 of fact", QueryError, " " * 14 + "^" * 19, "-1 is no distance", "0.1"),
    ("would move if x within inf of fact", QueryError, " " * 14 + "^" * 20, "inf is no distance", "0.1"),
]


@pytest.mark.parametrize(("text", "carets", "cause", "remedy"), SYNTAX, ids=[case[0] for case in SYNTAX])
def test_syntax(text: str, carets: str, cause: str, remedy: str) -> None:
    with pytest.raises(QueryError) as caught:
        parse(text)
    _shows(caught.value, text, carets, cause, remedy)


@pytest.mark.parametrize(("text", "kind", "carets", "cause", "remedy"), MEANING, ids=[case[0] for case in MEANING])
def test_meaning(text: str, kind: type[QueryError], carets: str, cause: str, remedy: str) -> None:
    with pytest.raises(QueryError) as caught:
        parse(text, INTERFACE)
    assert type(caught.value) is kind
    _shows(caught.value, text, carets, cause, remedy)


def _shows(error: QueryError, text: str, carets: str, cause: str, remedy: str) -> None:
    told, line, marks = error.cause.split("\n")
    assert cause in told
    assert line == "  " + text.split("\n")[-1]
    assert marks == "  " + carets
    assert remedy in error.remedy


def test_nothing_at_all() -> None:
    with pytest.raises(QueryError, match="there is no question"):
        parse("  # only a remark")


def test_no_terminal_of_the_parser_is_named() -> None:
    for text, *_ in SYNTAX:
        with pytest.raises(QueryError) as caught:
            parse(text)
        assert not {"PATH", "LPAR", "RPAR", "COMPARISON", "$END", "__ANON"} & set(str(caught.value).split())


def test_parts_by_themselves_are_drawn_too() -> None:
    with pytest.raises(UnknownVariableError, match="\n  mvoe == 1\n  \\^\\^\\^\\^\n"):
        parse_behavior("mvoe == 1", INTERFACE)
    with pytest.raises(QueryError, match="\n  keep move\n"):
        parse_suppositions("keep move", INTERFACE)


def test_a_long_line_is_cut_around_the_error() -> None:
    text = "did " + "move and " * 100 + "mvoe" + " and move" * 100
    with pytest.raises(UnknownVariableError) as caught:
        parse(text, INTERFACE)
    _, line, marks = caught.value.cause.split("\n")
    assert len(line) <= 102
    assert line[marks.index("^") : marks.rindex("^") + 1] == "mvoe"


def test_control_characters_are_not_shown() -> None:
    assert "\x1b" not in draw("did \x1b[31m x", TextSpan(10, 11), "cause")


@pytest.mark.parametrize(
    ("text", "remedy"),
    [
        ("would waited be equal if speed differs", "What becomes of it is written `x be the same`"),
        ("would waited not change if speed differs", "What becomes of it is written `x be the same`"),
        ("might waited decrease if speed rises", "`x fall` or `x differ by at most 0.5`"),
        ("would waited differ by less than 5 if speed rises", "`x differ by at most 0.5`"),
        ("would waited never fall if speed rises", "`would x not fall`"),
        ("would waited be the same if speed changes", "What differs is written `x differs`"),
        ("might waited fall if speed increases", "What differs is written `x differs`"),
        ("might waited fall if speed rises by 100", "`x rises and x differs by at most 100`"),
        ("might waited fall if only speed rises", "leave out `only`"),
        ("might waited fall if speed rises, for all cars with speed > 2", "for every patient with 18 <= age <= 90"),
        ("might waited fall if speed rises, other things being equal", "What follows is `all else equal`"),
        ("might waited fall if speed rises, for every car where speed > 2", "Which of them is said after `with`"),
        ("did implies(speed > 2, move)", "icy implies speed < 2"),
    ],
)
def test_questions_about_pairs_in_other_words_lead_on(text: str, remedy: str) -> None:
    with pytest.raises(QueryError) as caught:
        parse(text)
    assert remedy in str(caught.value)
