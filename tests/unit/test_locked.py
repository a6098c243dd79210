"""locked/ has what pyproject.toml asks for: each package in one version, with hashes and without an address."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Any, Final

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

CHECKOUT: Final = Path(__file__).parents[2]
PROJECT: Final[dict[str, Any]] = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))
EXTRAS: Final[dict[str, list[str]]] = PROJECT["project"]["optional-dependencies"]
GROUPS: Final[dict[str, list[str]]] = PROJECT["dependency-groups"]
#: what each file is for
WANTED: Final = {
    "uv": GROUPS["installer"],
    "user": [*PROJECT["project"]["dependencies"], *EXTRAS["compiler"], *EXTRAS["web"], *GROUPS["build"]],
    "dev": [*PROJECT["project"]["dependencies"], *EXTRAS["dev"], *EXTRAS["web"], *GROUPS["build"]],
    "soak": [
        *PROJECT["project"]["dependencies"],
        # the tests have xgboost-cpu in place of xgboost: both would write the same files
        *(each for extra, wanted in EXTRAS.items() if extra != "xgboost" for each in wanted),
    ],
}
_HASH: Final = re.compile(r"    --hash=sha256:[0-9a-f]{64}")


@cache
def locked(name: str) -> tuple[tuple[Requirement, int], ...]:
    """The requirements of a file, each with the number of its hashes; any other line fails."""
    text = (CHECKOUT / "locked" / f"{name}.txt").read_text(encoding="ascii")
    found: list[tuple[Requirement, int]] = []
    for entry in "\n".join(line for line in text.splitlines() if not line.startswith("#")).split("\n"):
        if _HASH.fullmatch(entry.removesuffix(" \\")):
            requirement, hashes = found.pop()
            found.append((requirement, hashes + 1))
        else:
            found.append((Requirement(entry.removesuffix(" \\")), 0))
    return tuple(found)


@pytest.mark.parametrize("name", WANTED)
def test_every_line_is_one_version_with_hashes(name):
    for requirement, hashes in locked(name):
        assert re.fullmatch(r"==[0-9][^*,]*", str(requirement.specifier)), requirement
        assert requirement.url is None and hashes > 0, requirement


@pytest.mark.parametrize("name", WANTED)
def test_what_pyproject_asks_for_is_there(name):
    versions = {canonicalize_name(one.name): str(one.specifier).removeprefix("==") for one, _ in locked(name)}
    for wanted in map(Requirement, WANTED[name]):
        assert wanted.specifier.contains(Version(versions[canonicalize_name(wanted.name)])), wanted


def test_all_files_have_the_same_versions():
    """And the same hashes: the largest file is made first, and holds the others to its versions.

    Where a package is for some interpreters alone, the files differ: in a larger one others may need it too.
    """
    largest = {(one.name, str(one.specifier)): hashes for one, hashes in locked("soak")}
    for name in ("uv", "user", "dev"):
        assert {(one.name, str(one.specifier)): hashes for one, hashes in locked(name)}.items() <= largest.items()


def test_the_group_that_builds_is_the_build_system():
    assert GROUPS["build"] == PROJECT["build-system"]["requires"]


def test_no_address_is_in_them():
    files = sorted((CHECKOUT / "locked").iterdir())
    assert [file.stem for file in files] == sorted(WANTED)
    for file in files:
        text = file.read_text(encoding="ascii")
        assert "://" not in text and "--index" not in text and "--find-links" not in text and "/" not in text


def test_the_commands_install_by_hashes_alone():
    """Of the Makefile and the page about installing: whatever is installed comes from locked/, except soid itself."""
    lines = (CHECKOUT / "Makefile").read_text(encoding="utf-8").splitlines()
    makefile = "\n".join(line for line in lines if not line.startswith("#"))
    page = (CHECKOUT / "docs" / "install.md").read_text(encoding="utf-8")
    assert makefile.count("pip install") == 2 and makefile.count("--require-hashes -r") == 2
    installs = [line for line in page.splitlines() if line.startswith("python -m pip install")]
    assert len(installs) == 2
    assert "--require-hashes -r locked/user.txt" in installs[0] and "--no-deps --no-build-isolation ." in installs[1]
