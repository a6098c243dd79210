"""No trick of the corpus leaves a trace: a file, a connection, a process, a signal, a line of a file, a hang, a crash.

`make test` runs a trick of each kind; every trick in every variant by every user is a soak run. A test that no trick
could fail would show nothing: the controls run the same tricks without soid, and find the traces.
"""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace

import pytest

from tests.escape.control import unconfined
from tests.escape.host import USERS, Host
from tests.escape.project import honest_bundle
from tests.escape.table import QUICK, QUICK_CONTROLS, TRICKS, trick_named
from tests.escape.trick import Trick, Variant, Way
from tests.unit.evidence.conftest import made_once

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or platform.machine() != "x86_64", reason="the tricks are programs for Linux on x86-64"
)

CELLS = [(trick, variant) for trick in TRICKS for variant in trick.variants]


def cell(trick: Trick, variant: Variant, user: str, more: str = "") -> object:
    return pytest.param(trick, variant, user, id=f"{trick.id}, {variant.value}, {user}{more}")


def quick(name: str, variant: Variant, way: Way) -> object:
    return cell(replace(trick_named(name), ways=(way,)), variant, "nobody", f", {way.value}")


@pytest.fixture(scope="session")
def machine() -> Iterator[Callable[[str], Host]]:
    """A user's machine, made when it is first asked for."""
    known: dict[str, Host] = {}
    with ExitStack() as stack:

        def of(user: str) -> Host:
            if user == "root" and os.geteuid() != 0:
                pytest.skip("the tests do not run as root")
            if user not in known:
                known[user] = stack.enter_context(Host(USERS[user]))
            return known[user]

        yield of


@pytest.fixture(scope="session")
def honest(tmp_path_factory) -> bytes:
    return made_once("car", tmp_path_factory, lambda: honest_bundle(tmp_path_factory.mktemp("honest") / "place"))


def no_trace(host: Host, trick: Trick, variant: Variant, honest: bytes) -> None:
    left = {way.value: found for way, found in host.run(trick, variant, honest).items() if found.traces}
    shown = {way: (sorted(trace.value for trace in found.traces), found.output[-2000:]) for way, found in left.items()}
    assert shown == {}


@pytest.mark.parametrize(("trick", "variant", "user"), [quick(*each) for each in QUICK])
def test_a_trick_of_each_kind_leaves_no_trace(trick, variant, user, machine, honest):
    no_trace(machine(user), trick, variant, honest)


@pytest.mark.soak
@pytest.mark.timeout(1200)  # a bomb that is not stopped takes its whole time, by each way in
@pytest.mark.parametrize(
    ("trick", "variant", "user"), [cell(*one, user) for one in CELLS for user in ("root", "nobody")]
)
def test_no_trick_leaves_a_trace_in_any_variant_by_any_user(trick, variant, user, machine, honest):
    no_trace(machine(user), trick, variant, honest)


@pytest.mark.parametrize(("name", "variant"), QUICK_CONTROLS)
def test_a_trick_that_nothing_confines_leaves_its_trace(name, variant):
    trick = trick_named(name)
    assert unconfined(trick, variant) >= set(trick.leaves)


@pytest.mark.soak
@pytest.mark.parametrize(
    ("trick", "variant"),
    [
        pytest.param(trick, variant, id=f"{trick.id}, {variant.value}")
        for trick, variant in CELLS
        if trick.is_controlled
    ],
)
def test_every_trick_that_nothing_confines_leaves_its_trace(trick, variant):
    assert unconfined(trick, variant) >= set(trick.leaves)


def test_there_are_many_tricks_and_each_has_a_name_of_its_own():
    names = [trick.id for trick in TRICKS]
    assert len(names) >= 60 and len(set(names)) == len(names)
