"""Manifests, compile databases and bundles that name what is not theirs."""

from __future__ import annotations

import io
import json
import zipfile

from tests.escape.traces import Surroundings
from tests.escape.trick import BUNDLE, PLAIN, STRANGERS, Content, Trace, Trick, Way

_SECRET, _FILE = (Trace.SECRET,), (Trace.FILE,)
_SOID_READS = "only soid reads this file: no compiler does"
_BROKEN = "int broken = ;\n"


def _trick(
    name: str, program: str = "", tables: str = "", leaves: tuple[Trace, ...] = _SECRET, **more: object
) -> Trick:
    given = {"variants": PLAIN, "ways": BUNDLE, "control": _SOID_READS, **more}
    return Trick(name, "manifest", leaves, program=program, tables=tables, **given)  # type: ignore[arg-type]


def _database(flags: str, compiler: str = "clang", file: str = "p.c", directory: str = ".") -> dict[str, Content]:
    return {
        "cc.json": json.dumps(
            [{"directory": directory, "file": file, "command": f"{compiler} {flags} -c {file} -o p.o"}]
        )
    }


_NAMES = (
    ("sources", 'sources = ["@SECRET@"]'),
    ("sources by a way up", 'sources = ["../../../../../../@SECRET@"]'),
    ("sources by a pattern", 'sources = ["p.c", "@DROP@/*.txt"]'),
    ("sources by a pattern that climbs", 'sources = ["p.c", "**/../../../../../../../..@DROP@/*"]'),
    ("sources by a folder", 'sources = ["p.c", "@DROP@"]'),
    ("sources from /proc", 'sources = ["/proc/self/root@SECRET@"]'),
    ("include", 'include = ["@DROP@"]'),
    ("compile_commands", 'compile_commands = "@SECRET@"'),
)
_FLAGS = (
    *(
        "-include @SECRET@",
        "-imacros @SECRET@",
        "-include/@SECRET@",
        "--include=@SECRET@",
        "-Xclang -include -Xclang @SECRET@",
    ),
    *("@@SECRET@", "--config=@SECRET@", "--config @SECRET@", "-isystem @DROP@ -include secret.txt", "-iquote @DROP@"),
    *("-I@DROP@ -include secret.txt", "-idirafter @DROP@", "--sysroot=@DROP@", "-isysroot @DROP@", "-B@DROP@"),
    *(
        "-fmodule-map-file=@SECRET@ -fmodules",
        "-ivfsoverlay @SECRET@",
        "-fprofile-use=@SECRET@",
        "-fsanitize-ignorelist=@SECRET@",
    ),
    *("-fmodule-file=@SECRET@", "-include-pch @SECRET@", "-fplugin=@SECRET@", "-Xclang -load -Xclang @SECRET@"),
    *("-fpass-plugin=@SECRET@", "-working-directory=@DROP@", "-specs=@SECRET@", "-x c @SECRET@", "-Wl,-T,@SECRET@"),
    *(
        "-Wa,--include=@SECRET@",
        "-Wp,-include,@SECRET@",
        "-mllvm -load=@SECRET@",
        "--embed-dir=@DROP@",
        "-fembed-dir=@DROP@",
    ),
)
_OUTPUTS = (
    *("-MD -MF @FILE@", "-o @FILE@", "-Wp,-MD,@FILE@", "-ftime-trace=@FILE@", "--serialize-diagnostics @FILE@"),
    *("-save-temps=obj -o @FILE@", "-fmodules -fmodules-cache-path=@FILE@", "-fcrash-diagnostics-dir=@FILE@"),
    *("-Xclang -dependency-file -Xclang @FILE@", "-fprofile-generate=@FILE@", "-index-store-path @FILE@", "-MJ@FILE@"),
    *(
        "-gen-cdb-fragment-path @FILE@",
        "-foptimization-record-file=@FILE@",
        "-fdepfile-entry=@FILE@",
        "-emit-symbol-graph --symbol-graph-dir=@FILE@",
    ),
)


def _evil(around: Surroundings, bundle: bytes) -> bytes:
    """A compiler that lies on the machine, where the project would put it."""
    del bundle
    script = around.drop / "cc"
    script.write_text(f"#!/bin/sh\n: > {around.words['FILE']}\n")
    script.chmod(0o755)
    around.given = ("cc",)
    return b""


def _entry(name: str, mode: int, content: str):
    """Add an entry with an odd name, or of an odd kind, to the bundle."""

    def prepare(around: Surroundings, bundle: bytes) -> bytes:
        made = io.BytesIO(bundle)
        with zipfile.ZipFile(made, "a") as archive:
            info = zipfile.ZipInfo(around.fill(name))
            info.create_system, info.external_attr = 3, mode << 16
            archive.writestr(info, around.fill(content))
        return made.getvalue()

    return prepare


_UNPACKED = (
    "the trace would be left by an unpacker that follows names; soid's does not unpack to names that it has not checked"
)

TRICKS = (
    *(_trick(name, line) for name, line in _NAMES),
    _trick("stubs", tables='[stubs]\nfiles = ["@SECRET@"]\n'),
    _trick("trace", tables='[trace]\nfile = "@SECRET@"\n'),
    _trick("trace /etc/passwd", tables='[trace]\nfile = "/etc/passwd"\n'),
    _trick("scene", tables='[scene]\nfile = "@SECRET@"\n'),
    _trick("extern", 'extern = ["x); \\n#include \\"@SECRET@\\"\\n int (y"]'),
    _trick("entry", 'entry = "decide\\" @go"\nsources = ["p.c"]\nengine = "llvm"'),
    _trick("setup", 'setup = "decide(); system(\\"touch @FILE@\\")"', leaves=_FILE),
    _trick("target with a flag", 'target = "x86_64-linux-gnu -include @SECRET@"'),
    _trick("target with a way up", 'target = "../../../../@DROP@"'),
    _trick("target that is a flag", 'target = "-include"'),
    _trick("defines with a flag", 'defines = ["X=1 -include @SECRET@"]'),
    _trick("defines with a line", 'defines = ["X=1\\n#include \\"@SECRET@\\""]'),
    _trick("defines with a response file", 'defines = ["@@SECRET@"]'),
    _trick("engine of a module", 'engine = "os.system"\nentry = "x"\nsources = ["p.c"]', leaves=_FILE),
    _trick("clang", 'clang = "@DROP@/cc"', leaves=_FILE, prepare=_evil),
    _trick("clang that is a shell", 'clang = "/bin/sh"', flags=("-c", "touch @FILE@"), leaves=_FILE),
    _trick(
        "compiler of the database",
        'compile_commands = "cc.json"',
        files=_database("", "@DROP@/cc"),
        leaves=_FILE,
        prepare=_evil,
    ),
    _trick(
        "directory of the database",
        'compile_commands = "cc.json"',
        files=_database("-include secret.txt", directory="@DROP@", file="@PROJECT@/p.c"),
    ),
    _trick(
        "file of the database",
        'compile_commands = "cc.json"\nsources = ["@SECRET@"]',
        files=_database("-x c", file="@SECRET@"),
    ),
    *(
        _trick(f"database with {flags}", 'compile_commands = "cc.json"', body=_BROKEN, files=_database(flags))
        for flags in _FLAGS
    ),
    *(
        _trick(f"database with {flags}", 'compile_commands = "cc.json"', files=_database(flags), leaves=_FILE)
        for flags in _OUTPUTS
    ),
    *(
        Trick(
            f"flags {flags}",
            "manifest",
            leaves,
            _BROKEN,
            flags=tuple(flags.split()),
            variants=PLAIN,
            ways=STRANGERS,
            control=_SOID_READS,
        )
        for chosen, leaves in ((_FLAGS, _SECRET), (_OUTPUTS, _FILE))
        for flags in chosen[::4]
    ),
    *(
        _trick(f"bundle with {what}", leaves=leaves, prepare=_entry(name, mode, content), control=_UNPACKED)
        for what, name, mode, content, leaves in (
            ("a name that climbs", "project/../../../../../..@FILE@", 0o100644, "x", _FILE),
            ("an absolute name", "@FILE@", 0o100644, "x", _FILE),
            ("a link", "project/car/log.csv", 0o120777, "@SECRET@", _SECRET),
            ("a pipe", "project/car/pipe.c", 0o010666, "", (Trace.HANG,)),
        )
    ),
)
_ = Way
