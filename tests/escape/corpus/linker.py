"""Words to the linker in the program: libraries to take, options to obey."""

from __future__ import annotations

from tests.escape.corpus.loader import LEFT
from tests.escape.trick import READY_MADE, SOURCES, Trace, Trick, Variant

_SECRET = (Trace.SECRET,)
_COFF = "linkers of ELF files do not know it"

TRICKS = (
    Trick(
        "pragma comment(lib) of a secret",
        "linker",
        _SECRET,
        '#pragma comment(lib, "@SECRET@")\n',
        variants=(*SOURCES, *READY_MADE),
    ),
    Trick(
        "pragma comment(lib) of /etc/passwd",
        "linker",
        _SECRET,
        '#pragma comment(lib, "/etc/passwd")\n',
        variants=(*SOURCES, *READY_MADE),
    ),
    Trick(
        "_Pragma comment(lib)",
        "linker",
        _SECRET,
        '_Pragma("comment(lib, \\"@SECRET@\\")")\n',
        variants=SOURCES,
    ),
    Trick(
        "pragma comment(linker) entry",
        "linker",
        LEFT,
        '#pragma comment(linker, "--entry=early")\nvoid early(void) { leave(); }\n',
        variants=SOURCES,
        control=_COFF,
    ),
    Trick(
        "llvm.dependent-libraries",
        "linker",
        _SECRET,
        ir='\n!llvm.dependent-libraries = !{!9000}\n!9000 = !{!"@SECRET@"}\n',
        variants=READY_MADE,
    ),
    Trick(
        "llvm.linker.options",
        "linker",
        _SECRET,
        ir='\n!llvm.linker.options = !{!9000, !9001}\n!9000 = !{!"lib", !"@SECRET@"}\n!9001 = !{!"-T", !"@SECRET@"}\n',
        variants=READY_MADE,
        control=_COFF,
    ),
    Trick(
        "section .deplibs",
        "linker",
        _SECRET,
        '__attribute__((used, section(".deplibs"))) const char libraries[] = "@SECRET@";\n',
        variants=(Variant.PLAIN, Variant.TRAPPING, *READY_MADE),
        control="the linker goes by the section's type, which C cannot give",
    ),
    Trick(
        "section .gnu.warning",
        "linker",
        (Trace.CONTROL,),
        '__attribute__((used, section(".gnu.warning.decide"))) const char warning[] = "\\033[2J";\n',
        variants=(Variant.PLAIN, Variant.TRAPPING, *READY_MADE),
        control="this linker does not say what lies there",
    ),
)
