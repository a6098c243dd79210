"""Untrusted projects: everything that reaches out of their folder is refused."""

import pytest

from soid.errors import BundleError
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


@pytest.mark.parametrize("name", ["notes__txt", "log__csv", "table"])
def test_what_is_included_is_looked_at_whatever_it_is_called(tmp_path, name):
    included = name.replace("__", ".")
    files = {"decide__c": f'#include "{included}"\n'.encode() + DECIDE, name: b'#include "/etc/passwd"\n'}
    why = opened(tmp_path, **files)
    assert isinstance(why, str)
    assert included in why and "/etc/passwd" in why and "leads out of what was uploaded" in why


@pytest.mark.parametrize(
    "assembly",
    [
        b'__asm__(".incbin \\"/etc/passwd\\"");\n' + DECIDE,
        b'int decide(int speed) { __asm__ volatile(".incbin \\"/etc/passwd\\""); return speed; }\n',
        b'#define GLUE(a, b) a##b\nint decide(int speed) { GLUE(__as, m__)("nop" : "+r"(speed)); return speed; }\n',
    ],
)
def test_assembly_is_refused(tmp_path, assembly):
    with pytest.raises(BundleError, match="assembly"):
        opened(tmp_path, decide__c=assembly)


def test_a_program_that_only_speaks_of_assembly_is_not(tmp_path):
    spoken = b'const char *text = "call void asm \\"x\\""; int asm_ (int a) { return a; }\n'
    assert not isinstance(opened(tmp_path, decide__c=spoken + DECIDE), str)
