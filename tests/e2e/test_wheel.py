"""The wheel: what is in it; and, soaked, that it works in an environment of its own, with compilers and without."""

from __future__ import annotations

import email
import os
import subprocess
import sys
import venv
import zipfile
from pathlib import Path
from typing import Final

import pytest

from soid.examples import folder
from soid.jail.launcher import system_clangs

CHECKOUT: Final = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", made],
        cwd=CHECKOUT,
        check=True,
        capture_output=True,
    )
    (file,) = made.glob("*.whl")
    return file


def test_the_wheel_has_the_package_and_nothing_else(wheel):
    names = set(zipfile.ZipFile(wheel).namelist())
    source = CHECKOUT / "src"
    wanted = {
        file.relative_to(source).as_posix()
        for file in (source / "soid").rglob("*")
        if file.is_file() and {"__pycache__", "manual"}.isdisjoint(file.parts)
    }
    assert {name for name in names if ".dist-info/" not in name and not name.startswith("soid/manual/")} == wanted
    assert ("soid/manual/index.html" in names) == (source / "soid" / "manual" / "index.html").is_file()
    assert wheel.stat().st_size < 8_000_000


def test_the_compiler_is_asked_for_by_an_extra_alone(wheel):
    with zipfile.ZipFile(wheel) as opened:
        (name,) = (name for name in opened.namelist() if name.endswith(".dist-info/METADATA"))
        told = email.message_from_bytes(opened.read(name))
    asking = [each for each in told.get_all("Requires-Dist", []) if each.startswith("ziglang")]
    assert {each.partition("extra == ")[2].strip("'\" ") for each in asking} == {"compiler", "dev"}


# --- installed


def _installed(wheel: Path, place: Path, extras: str) -> Path:
    venv.create(place, with_pip=True)
    wanted = f"{wheel}[{extras}]" if extras else str(wheel)
    subprocess.run([place / "bin" / "pip", "install", "-q", wanted], check=True)
    return place / "bin"


def _soid(binaries: Path, path: str, cache: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PATH": path, "SOID_CACHE": str(cache), "SOID_KEY": "none"}
    return subprocess.run([binaries / "soid", *words], env=environment, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def bare(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return _installed(wheel, tmp_path_factory.mktemp("bare"), "")


BRAKES: Final = ("ask", "would limits.brake if 0.5 <= guard.elapsed <= 60", "--json")


@pytest.mark.soak
@pytest.mark.timeout(1200)
def test_without_extras_and_without_a_compiler(bare, tmp_path):
    oven = _soid(bare, str(bare), tmp_path, "ask", "did action == CANCEL", "--quiet", "-p", str(folder("microwave")))
    assert (oven.returncode, oven.stdout) == (1, "no\n")
    cars = _soid(bare, str(bare), tmp_path, *BRAKES, "-p", str(folder("proper_response")))
    assert cars.returncode == 21 and "soid[compiler]" in cars.stdout
    loan = _soid(bare, str(bare), tmp_path, "ask", "did approve", "--json", "-p", str(folder("lending")))
    assert loan.returncode == 21 and "models are read" in loan.stdout and "soid[compiler]" in loan.stdout
    doctor = _soid(bare, str(bare), tmp_path, "doctor")
    assert doctor.returncode == 0 and "soid[compiler]" in " ".join(doctor.stdout.split())


@pytest.mark.soak
@pytest.mark.timeout(1200)
def test_without_extras_and_with_the_machine_s_clang(bare, tmp_path):
    assert system_clangs(), "this needs a clang: Debian has clang-19"
    cars = _soid(bare, os.environ["PATH"], tmp_path, *BRAKES, "-p", str(folder("proper_response")))
    assert cars.returncode == 0
    assert "by running the compiled program" in cars.stdout and "clang version" in cars.stdout


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_with_all_extras(wheel, tmp_path_factory, tmp_path):
    extras = "compiler,web,logs,xgboost,lightgbm,catboost,sklearn,onnx,sim"
    binaries = _installed(wheel, tmp_path_factory.mktemp("all"), extras)
    cars = _soid(binaries, str(binaries), tmp_path, *BRAKES, "-p", str(folder("proper_response")))
    assert cars.returncode == 0 and "ziglang" in cars.stdout
    loan = _soid(binaries, str(binaries), tmp_path, "ask", "did approve", "--json", "-p", str(folder("lending")))
    assert loan.returncode == 1 and "by running the model in xgboost" in loan.stdout
