"""Text of a stranger's that commands the terminal, or shows itself in another order."""

from __future__ import annotations

from tests.escape.trick import PLAIN, Trace, Trick, Variant, Way

_CLEAR = "\x1b[2J\x1b]0;car\x07"
_REVERSED = "\u202e".encode().decode("latin-1")
_WAYS = (Way.VERIFY, Way.ASK)  # what a server says is JSON, which has no such characters
_AS_NUMBERS = "this compiler writes such characters as numbers"
_SHOWN = "soid shows the text, and no other tool"


def _trick(name: str, body: str = "", **more: object) -> Trick:
    given = {"leaves": (Trace.CONTROL,), "variants": PLAIN, "ways": _WAYS, "control": _SHOWN, **more}
    return Trick(name, "words", body=body, **given)  # type: ignore[arg-type]


TRICKS = (
    _trick("#error that clears the screen", f"#error {_CLEAR}\n", control=_AS_NUMBERS),
    _trick("#error that turns its words", f"#error car {_REVERSED} rac\n", control="compile"),
    _trick("#warning that clears the screen", f"#warning {_CLEAR}\n", control=_AS_NUMBERS),
    _trick("#pragma message that clears the screen", f'#pragma message("{_CLEAR}")\n', control=_AS_NUMBERS),
    _trick(
        "static assertion that clears the screen",
        f'_Static_assert(0, "{_CLEAR}");\n',
        control=_AS_NUMBERS,
    ),
    _trick(
        "source line with an error that clears the screen",
        f"int broken = ; /* {_CLEAR} */\n",
        control=_AS_NUMBERS,
    ),
    _trick(
        "source line with an error that turns its words",
        f"int broken = ; /* {_REVERSED} */\n",
        control=_AS_NUMBERS,
    ),
    _trick("file of a failure", decide='#line 7 "\\033[2Jcar.c"\nint decide(int x) { return x / (x - 3) > 0; }\n'),
    _trick("file of an error", '#line 7 "\\033[2Jcar.c"\nint broken = ;\n', control="compile"),
    _trick("missing header", f'#include "{_CLEAR}.h"\n', control=_AS_NUMBERS),
    _trick(
        "name of an undefined function",
        'int helper(int) __asm__("\\033[2Jhelper");\n',
        decide="int decide(int x) { return helper(x) + x / (x - 3) > 0; }\n",
    ),
    _trick(
        "section",
        '__attribute__((used, section("\\033[2J"))) int there = 1;\n',
        variants=(Variant.PLAIN, Variant.TRAPPING),
    ),
    _trick("key of the log", files={"log.jsonl": '{"step": 0, "x": 5, "\\u001b[2J": 1}\n'}),
    _trick("value of the log", files={"log.jsonl": '{"step": 0, "x": "\\u001b[2J"}\n'}),
    _trick("raw value of the log", files={"log.jsonl": f'{{"step": 0, "x": {_CLEAR}}}\n'}),
    _trick("name of the program", program='name = "\\u001b[2J"'),
    _trick(
        "name of a variable",
        tables='[variables]\nx = { label = "\\u001b[2Jx", unit = "\\u202em" }\n',
        ways=(Way.VERIFY, Way.ASK),
    ),
    _trick("unknown key of the manifest", program='"\\u001b[2J" = 1'),
    _trick("flag", flags=("-W\x1b[2J",)),
    _trick("definition", defines=("X\x1b[2J=1",)),
    _trick("target", program='target = "\\u001b[2J"'),
)
