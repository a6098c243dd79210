"""The software that took part in making a bundle, as a bill of materials in CycloneDX's JSON (an SBOM).

It lists soid, Python, the C library, the compiler, and each installed package that soid needs, the solvers among them.
It has no date, and its serial number is derived from its content: the same software gives the same bytes. The maker of
a bundle states it; nothing in it is proved.
"""

from __future__ import annotations

import csv
import hashlib
import os
import platform
import re
import uuid
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from soid.cache import digest
from soid.errors import BundleError
from soid.release import version

#: the version of CycloneDX
SPECIFICATION: Final = "1.6"
#: a property of an installed package: a hash over the names and hashes of the files that its wheel had
CONTENT: Final = "soid:content-sha256"

_NAME: Final = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?")
#: as clang signs a module that it compiled
_CLANG: Final = re.compile(rb"\"[^\"\n]*clang version ([0-9][\w.+-]*)")
#: in RECORD, but written by the installer and not from the wheel
_INSTALLERS: Final = ("INSTALLER", "RECORD", "REQUESTED", "direct_url.json", "uv_build.json", "uv_cache.json")
_MOST_NAMED: Final = 8  # differences that are named one by one
_MISSHAPEN: Final = "the bill of materials in the bundle lists no components"

Json = dict[str, Any]


def bill_of_materials(build: Mapping[str, Any], module: bytes | None) -> Json:
    """What took part, here; `build` and `module` are those of `soid.evidence.bundle_layout.build_of`."""
    return _numbered(_bill(build, module))


def release_bill(wheel: Path) -> Json:
    """The bill of a release: soid with the hash of its wheel, and the packages that are installed with it here."""
    bill = _bill({}, None)
    sha256 = hashlib.sha256(wheel.read_bytes()).hexdigest()
    bill["metadata"]["component"]["hashes"] = [{"alg": "SHA-256", "content": sha256}]
    return _numbered(bill)


def _numbered(bill: Json) -> Json:
    return {**bill, "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_OID, digest(repr(bill)))}"}


def _bill(build: Mapping[str, Any], module: bytes | None) -> Json:
    packages, depends = _packages()
    others = [*_compilers(build, module, {one["bom-ref"] for one in packages}), *_machine()]
    soid = _component("application", "soid", version(), purl=_purl("soid", version()), content=_own_code())
    return {
        "bomFormat": "CycloneDX",
        "specVersion": SPECIFICATION,
        "version": 1,
        "metadata": {"component": soid},
        "components": [*packages, *others],
        "dependencies": [
            {"ref": soid["bom-ref"], "dependsOn": [*depends[""], *(one["bom-ref"] for one in others)]},
            *({"ref": ref, "dependsOn": below} for ref, below in depends.items() if ref),
        ],
    }


def maker_of(bill: Mapping[str, Any]) -> str | None:
    """The version of soid that a stranger's bill names; None if it names none."""
    try:
        return str(bill["metadata"]["component"]["version"])
    except (KeyError, TypeError):
        return None


def differences(theirs: Mapping[str, Any], ours: Mapping[str, Any]) -> str:
    """In words: how the software that a stranger's bill lists differs from ours, which decides nothing.

    >>> bills = [{"metadata": {}, "components": [{"name": "z3", "version": one}]} for one in ("5.4", "5.5")]
    >>> differences(*bills)
    'as its maker says, it was made with other versions than those here: z3 5.4 (here 5.5)'
    >>> differences(bills[0], bills[0])
    'as its maker says, it was made with the very versions that are here'
    """
    listed, known = _versions(theirs), _versions(ours)
    other = [
        f"{name[:60]} {listed[name][:60]} (here {known.get(name, 'none')})"
        for name in sorted(listed)
        if listed[name] != known.get(name)
    ]
    other += [f"no {name} (here {known[name]})" for name in sorted(known.keys() - listed.keys())]
    if not other:
        return "as its maker says, it was made with the very versions that are here"
    more = f", and {len(other) - _MOST_NAMED} more" if len(other) > _MOST_NAMED else ""
    named = ", ".join(other[:_MOST_NAMED])
    return f"as its maker says, it was made with other versions than those here: {named}{more}"


def _versions(bill: Mapping[str, Any]) -> dict[str, str]:
    try:
        own = bill["metadata"].get("component")
        listed = [*bill["components"], *([own] if own else [])]
        found = {one["name"]: one.get("version", "") for one in listed}
    except (AttributeError, KeyError, TypeError):
        raise BundleError(_MISSHAPEN, "Ask for the bundle again.") from None
    if not all(isinstance(each, str) for pair in found.items() for each in pair):
        raise BundleError(_MISSHAPEN, "Ask for the bundle again.")
    return found


def _component(kind: str, name: str, number: str, *, purl: str = "", content: str = "") -> Json:
    one: Json = {"type": kind, "name": name, "version": number, "bom-ref": purl or f"{name}@{number}"}
    if purl:
        one["purl"] = purl
    if content:
        one["properties"] = [{"name": CONTENT, "value": content}]
    return one


def _purl(name: str, number: str) -> str:
    return f"pkg:pypi/{_normal(name)}@{quote(number, safe='.')}"


def _package(found: metadata.Distribution) -> Json:
    name = found.metadata["Name"]
    return _component(
        "library", name, found.version, purl=_purl(name, found.version), content=digest(*_wheel_files(found))
    )


def _wheel_files(found: metadata.Distribution) -> list[str]:
    """The files of a package that came from its wheel, each with its hash; the same wherever that is installed."""
    rows = csv.reader((found.read_text("RECORD") or "").splitlines())
    files = [(row[0], row[1]) for row in rows if len(row) == 3 and row[1]]
    return sorted(
        f"{name} {sha256}"
        for name, sha256 in files
        if not name.startswith("../") and not name.endswith(".pyc") and Path(name).name not in _INSTALLERS
    )


@cache
def _own_code() -> str:
    """A hash over the names and contents of soid's own files."""
    package = Path(__file__).parents[1]
    besides = {"__pycache__", "manual"}  # the documentation is built or not, and is no code
    files = sorted(file for file in package.rglob("*") if file.is_file() and besides.isdisjoint(file.parts))
    return digest(*(part for file in files for part in (file.relative_to(package).as_posix(), file.read_bytes())))


def _compilers(build: Mapping[str, Any], module: bytes | None, listed: set[str]) -> Iterator[Json]:
    """The compiler, which may be a package that is not needed by all, and the clang inside of it."""
    if (compiler := build.get("compiler")) is not None:
        found = _compiler(compiler)
        if found["bom-ref"] not in listed:
            yield found
    if module is not None and (signed := _CLANG.search(module)):
        yield _component("application", "clang", signed[1].decode())


def _compiler(named: str) -> Json:
    name, _, number = named.partition(" ")
    package = _distribution(name) if _NAME.fullmatch(name) else None
    if package is not None and package.version == number:
        return _package(package)
    return _component("application", "compiler", named)


def _machine() -> Iterator[Json]:
    yield _component("platform", platform.python_implementation(), platform.python_version())
    if library := os.confstr("CS_GNU_LIBC_VERSION") if "CS_GNU_LIBC_VERSION" in os.confstr_names else None:
        name, _, number = library.partition(" ")
        yield _component("library", name, number)


# --- installed packages


@cache
def _packages() -> tuple[list[Json], dict[str, list[str]]]:
    """The installed packages that soid needs as components; and what each of them needs, "" being soid."""
    needed = _needed_packages()
    packages = {name: _package(needed[name]) for name in sorted(needed)}

    def below(package: metadata.Distribution | None) -> list[str]:
        return sorted({packages[each]["bom-ref"] for each in _requirements(package) if each in packages})

    depends = {packages[name]["bom-ref"]: below(needed[name]) for name in packages}
    return list(packages.values()), {"": below(_distribution("soid")), **depends}


def _needed_packages() -> dict[str, metadata.Distribution]:
    """The installed packages that soid needs, directly or not, by their normal names."""
    found: dict[str, metadata.Distribution] = {}
    waiting = _requirements(_distribution("soid"))
    while waiting:
        name = waiting.pop()
        package = _distribution(name)
        if name not in found and package is not None:  # a package for other machines is not installed
            found[name] = package
            waiting += _requirements(package)
    return found


def _distribution(name: str) -> metadata.Distribution | None:
    try:
        return metadata.distribution(name)
    except metadata.PackageNotFoundError:
        return None


def _requirements(package: metadata.Distribution | None) -> list[str]:
    """What a package needs without its extras."""
    given = (package.requires or []) if package is not None else []
    plain = [line for line in given if "extra ==" not in line.partition(";")[2]]
    return [_normal(name[0]) for line in plain if (name := _NAME.match(line))]


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
