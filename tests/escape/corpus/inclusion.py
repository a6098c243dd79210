"""Files that are not the project's, read by the preprocessor."""

from __future__ import annotations

from tests.escape.trick import CPLUSPLUS, PLAIN, SOURCES, STRANGERS, Trace, Trick, Variant

_SECRET = (Trace.SECRET,)
_C = (Variant.PLAIN, Variant.UNLISTED, Variant.TRAPPING, Variant.OPTIMISED, Variant.TWIN)


def _trick(name: str, body: str, variants: tuple[Variant, ...] = SOURCES, **more: object) -> Trick:
    given = {"leaves": _SECRET, "ways": STRANGERS, "control": "compile", **more}
    return Trick(name, "inclusion", body=body, variants=variants, **given)  # type: ignore[arg-type]


_HIDDEN = (
    ("plainly", '#include "@SECRET@"\n'),
    ("in angle brackets", "#include <@SECRET@>\n"),
    ("after // /*", '// /*\n#include "@SECRET@"\n// */\n'),
    ("after a string with /*", 'const char *note = "/*";\n#include "@SECRET@"\nconst char *end = "*/";\n'),
    ("after a character '/*'", "int note = '/*';\n#include \"@SECRET@\"\nint end = '*/';\n"),
    ("after a continued // comment", '// a comment \\\n/*\n#include "@SECRET@"\n// */\n'),
    ("over two lines", '#inc\\\nlude "@SECRET@"\n'),
    ("with the name over two lines", '#include "/\\\n@SECRET@"\n'),
    ("after a comment in the directive", '# /* a */ include /* b */ "@SECRET@"\n'),
    ("after a comment before it", '/* a\n */ #include "@SECRET@"\n'),
    ("by a digraph", '%:include "@SECRET@"\n'),
    ("by a macro", '#define HEADER "@SECRET@"\n#include HEADER\n'),
    ("by a macro with parts", "#define TEXT(x) #x\n#define JOIN(x) TEXT(x)\n#include JOIN(@SECRET@)\n"),
    ("from /etc/passwd", '// /*\n#include "/etc/passwd"\n// */\n'),
    ("by a way up", '// /*\n#include "../../../../../../../../../../../../@SECRET@"\n// */\n'),
    ("by include_next", '// /*\n#include_next "@SECRET@"\n// */\n'),
    ("by import", '// /*\n#import "@SECRET@"\n// */\n'),
    ("behind an #if 0 that never ends", '#if 0\n"\n#endif\n// /*\n#include "@SECRET@"\n// */\n'),
    ("after a form feed", '// /*\n\f#\finclude "@SECRET@"\n// */\n'),
    ("after a carriage return", '// /*\r\n#include "@SECRET@"\r\n// */\r\n'),
    ("by /proc/self/root", '// /*\n#include "/proc/self/root@SECRET@"\n// */\n'),
    ("in a file of its own", '#include "more.inc"\n'),
    ("after a raw line of quotes", '#define APOSTROPHE don\'t /* \n#include "@SECRET@"\n#define END */\n'),
)

TRICKS = (
    *(
        _trick(
            f"include {name}",
            body,
            files={"more.inc": '// /*\n#include "@SECRET@"\n// */\n'} if "more.inc" in body else {},
        )
        for name, body in _HIDDEN
        if name != "after a raw line of quotes"
    ),
    _trick("include by a trigraph", '??=include "@SECRET@"\n', _C, flags=("-std=c99",)),
    _trick(
        "include after a trigraph's line end",
        '// a comment ??/\n/*\n#include "@SECRET@"\n// */\n',
        _C,
        flags=("-std=c99",),
    ),
    _trick(
        "include after a raw string",
        'const char *note = R"(/*)";\n#include "@SECRET@"\nconst char *end = "*/";\n',
        CPLUSPLUS,
    ),
    _trick("include by a definition", "#include HEADER\n", defines=('HEADER="@SECRET@"',), variants=_C),
    _trick("embed", 'const char stolen[] = {\n#embed "@SECRET@"\n, 0};\n', _C),
    _trick(
        "embed after // /*",
        '// /*\nextern const char stolen[]; const char stolen[] = {\n#embed "@SECRET@"\n, 0};\n// */\n',
    ),
    _trick(
        "embed with a limit",
        '// /*\nconst char stolen[] = {\n#embed "@SECRET@" limit(40) suffix(,) prefix()\n0};\n// */\n',
        _C,
    ),
    _trick("__has_include", '#if __has_include("@SECRET@")\n#error @WORD@\n#endif\n', leaves=(Trace.WORD,)),
    _trick("__has_include_next", '#if __has_include_next("@SECRET@")\n#error @WORD@\n#endif\n', leaves=(Trace.WORD,)),
    _trick("__has_embed", '#if __has_embed("@SECRET@")\n#error @WORD@\n#endif\n', leaves=(Trace.WORD,)),
    _trick(
        "pragma GCC dependency",
        '#pragma GCC dependency "@SECRET@"\n',
        control="it says at most which of two files is newer",
    ),
    _trick(
        "pragma clang module load",
        "#pragma clang module import secret\n",
        control="modules are off unless a flag asks for them",
    ),
    _trick(
        "header unit",
        'import "@SECRET@";\n',
        CPLUSPLUS,
        flags=("-std=c++20",),
        control="header units are off by default",
    ),
    Trick(
        "line directive",
        "inclusion",
        _SECRET,
        decide='#line 1 "@SECRET@"\nint decide(int x) { return x / (x - 3) > 0; }\n',
        variants=(Variant.PLAIN, Variant.OPTIMISED, Variant.TEXT, Variant.BITCODE),
        control="compilers do not open what a #line names; soid must not either",
    ),
    Trick(
        "line directive in a syntax error",
        "inclusion",
        _SECRET,
        '#line 1 "@SECRET@"\nint broken(\n',
        variants=PLAIN,
        ways=STRANGERS,
        control="compilers do not open what a #line names; soid must not either",
    ),
    _trick(
        "include /proc/self/environ",
        '// /*\n#include "/proc/self/environ"\n// */\n',
        leaves=_SECRET,
        control="the environment of the compiler has no secret of this test; that it is not read shows with the others",
    ),
    _trick(
        "include /proc/self/maps",
        '// /*\n#include "/proc/self/maps"\n// */\n',
        leaves=_SECRET,
        control="it tells where programs lie, and no secret of this test",
    ),
)
