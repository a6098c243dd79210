"""Which modules are looked through for doctests."""

from pathlib import Path


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Three modules in four show no example: loading all of them to find that out took each test process seconds."""
    if collection_path.suffix == ".py" and ">>> " not in collection_path.read_text(encoding="utf-8"):
        return True
    return None
