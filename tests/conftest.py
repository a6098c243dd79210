"""Settings for every test: hypothesis, the key of entries, how often garbage is looked for, that Ctrl-C works."""

import atexit
import gc
import os
import signal
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.browsing import pytest_terminal_summary

__all__ = ["pytest_terminal_summary"]  # pytest finds its hooks here

# The same examples on every machine and in every run, and no verdict that depends on how busy the machine is.
settings.register_profile(
    "soid",
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    print_blob=True,
)

# New examples in every run: `pytest -m fuzz --hypothesis-profile=fuzz`.
settings.register_profile("fuzz", settings.get_profile("soid"), derandomize=False, max_examples=10_000)

settings.load_profile("soid")

# One key for all tests, so that a case is the same to the byte in every run, and nobody's own key signs for tests.
TEST_KEY = """-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEIAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA
-----END PRIVATE KEY-----
"""


def _keep_test_key() -> None:
    handle, name = tempfile.mkstemp(prefix="soid-test-key-", suffix=".pem")
    with os.fdopen(handle, "w") as file:
        file.write(TEST_KEY)
    os.environ["SOID_KEY"] = name
    atexit.register(Path(name).unlink, missing_ok=True)


_keep_test_key()

# Each command of a test does all itself; the tests of the helper switch it on.
os.environ["SOID_HELPER"] = "off"

# Deep terms are many small objects that all stay alive: looking for cycles among them again and
# again took a third of those tests' time.
gc.set_threshold(100_000, 50, 50)

# A run that was started in the background of a shell without job control ignores Ctrl-C, and so would all that it
# starts; the tests of Ctrl-C are about soid, not about that shell.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The long ones first, so that no worker is left alone with one at the end."""
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)
