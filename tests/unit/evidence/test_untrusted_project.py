"""Untrusted projects: nothing outside of their folder is seen."""

import pytest

from soid.errors import CompileError
from soid.evidence.untrusted_project import open_with_care

MANIFEST = b'[program]\nengine = "c"\nsources = ["decide.c"]\nentry = "decide"\n'
DECIDE = b"int decide(int speed) { return speed > 3; }\n"


def opened(folder, **files: bytes):
    project = {"soid.toml": MANIFEST} | {name.replace("__", "."): data for name, data in files.items()}
    for name, data in project.items():
        (folder / name).write_bytes(data)
    return open_with_care("soid.toml", project, folder, whole="what was uploaded")


def test_what_stays_inside_is_opened(tmp_path):
    manifest, engine = opened(tmp_path, decide__c=b'#include <math.h>\n#include "own.h"\n' + DECIDE, own__h=b"\n")
    assert engine.name == "llvm"
    assert [variable.path for variable in manifest.program.interface.inputs] == ["speed"]


@pytest.mark.parametrize(
    "before", [b"", b"// /*\n", b'const char *n = "/*";\n', b"#if !defined(__SSP_STRONG__)\n#endif\n"]
)
def test_what_lies_outside_is_not_seen(tmp_path, before):
    """Neither what it says nor whether it is there."""
    for name in ("/etc/passwd", "/etc/no-such-file"):
        with pytest.raises(CompileError) as raised:
            opened(tmp_path, decide__c=before + f'#include "{name}"\n'.encode() + DECIDE)
        assert "root:" not in str(raised.value)
        assert f"includes {name}, which is in none of the folders" in raised.value.cause
    seen = b'#if __has_include("/etc/passwd")\n#error seen\n#endif\n'
    assert not isinstance(opened(tmp_path, decide__c=before + seen + DECIDE), str)


@pytest.mark.parametrize(
    "assembly",
    [
        b'__asm__(".incbin \\"/etc/passwd\\"");\n' + DECIDE,
        b'__asm__(".include \\"/etc/passwd\\"");\n' + DECIDE,
        b'int decide(int speed) { __asm__ volatile(".incbin \\"/etc/passwd\\""); return speed; }\n',
    ],
)
def test_assembly_sees_no_file_outside(tmp_path, assembly):
    try:
        _, engine = opened(tmp_path, decide__c=assembly)
        told = str(engine.replayer(unconfined=False).replay({"speed": 1}))
    except CompileError as error:
        told = str(error)
    assert "ind incbin file" in told or "ind include file" in told
    assert "root:" not in told


def test_a_program_that_only_speaks_of_assembly_is_not(tmp_path):
    spoken = b'const char *text = "call void asm \\"x\\""; int asm_ (int a) { return a; }\n'
    assert not isinstance(opened(tmp_path, decide__c=spoken + DECIDE), str)
