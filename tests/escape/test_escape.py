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

import pytest

from tests.escape.gaps import reason
from tests.escape.host import USERS, Host
from tests.escape.project import honest_bundle
from tests.escape.table import QUICK, QUICK_CONTROLS, TRICKS
from tests.escape.trick import Trick, Variant
from tests.unit.evidence.conftest import made_once

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or platform.machine() != "x86_64", reason="the tricks are programs for Linux on x86-64"
)

CELLS = [(trick, variant) for trick in TRICKS for variant in trick.variants]


def cells(chosen: list[tuple[Trick, Variant]], users: tuple[str, ...]) -> list[object]:
    return [
        pytest.param(
            trick,
            variant,
            user,
            id=f"{trick.id}, {variant.value}, {user}",
            marks=[pytest.mark.xfail(strict=True, reason=why)] if (why := reason(trick, variant)) else [],
        )
        for trick, variant in chosen
        for user in users
    ]


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


@pytest.mark.parametrize(("trick", "variant", "user"), cells(QUICK, ("nobody",)))
def test_a_trick_of_each_kind_leaves_no_trace(trick, variant, user, machine, honest):
    no_trace(machine(user), trick, variant, honest)


@pytest.mark.soak
@pytest.mark.parametrize(("trick", "variant", "user"), cells(CELLS, ("root", "nobody")))
def test_no_trick_leaves_a_trace_in_any_variant_by_any_user(trick, variant, user, machine, honest):
    no_trace(machine(user), trick, variant, honest)


def left_unconfined(host: Host, trick: Trick, variant: Variant) -> None:
    assert host.unconfined(trick, variant) >= set(trick.leaves)


@pytest.mark.parametrize(("trick", "variant"), QUICK_CONTROLS, ids=lambda one: getattr(one, "id", None) or one.value)
def test_a_trick_that_nothing_confines_leaves_its_trace(trick, variant, machine):
    left_unconfined(machine("root" if os.geteuid() == 0 else "nobody"), trick, variant)


@pytest.mark.soak
@pytest.mark.parametrize(
    ("trick", "variant"),
    [
        pytest.param(trick, variant, id=f"{trick.id}, {variant.value}")
        for trick, variant in CELLS
        if trick.is_controlled
    ],
)
def test_every_trick_that_nothing_confines_leaves_its_trace(trick, variant, machine):
    left_unconfined(machine("root" if os.geteuid() == 0 else "nobody"), trick, variant)


def test_there_are_many_tricks_and_each_has_a_name_of_its_own():
    names = [trick.id for trick in TRICKS]
    assert len(names) >= 60 and len(set(names)) == len(names)
